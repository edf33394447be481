"""The slow oracle: what a parser fed fragment by fragment should show, say and refuse.

It is written from the promises, shares no code with the engine and is meant to be read. It goes
one character at a time, keeps all of the text and builds its value anew whenever it is asked.
Messages, positions, numbers and the borders of UTF-8 come from the running interpreter itself
(``json.loads``, ``codecs``), so no table here can be wrong in the same way as one there.

    Reference(**options)   .feed(data) -> events   .close() -> value
                           .value .status .path .json_type .pos
    loads(data, **options) -> value

Events are tuples ``(kind, path, json_type, value)``; the value of a container's start is an empty
one. What goes wrong is raised as a ``Fault``.
"""

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

STR, NUM, ARR, OBJ, NULL, BOOL, NAN, INFINITY, MINUS_INFINITY = (1 << bit for bit in range(9))
COLLECTION = ARR | OBJ

PLAIN_ESCAPES = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
HEX_DIGITS = "0123456789abcdefABCDEF"
WHITE_SPACE = " \t\n\r"
NOT_ASCII = "\ufffd"

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
EXPONENT_BEGUN = r"[eE](?:[+-]?[0-9]*)"
NUMBER_BEGUN = re.compile(
    rf"-?(?:(?:0|[1-9][0-9]*)(?:\.(?:[0-9]+(?:{EXPONENT_BEGUN})?)?|{EXPONENT_BEGUN})?)?"
)


class Word(NamedTuple):
    json_type: str
    kind: int


WORDS = {
    "true": Word("boolean", BOOL),
    "false": Word("boolean", BOOL),
    "null": Word("null", NULL),
    "NaN": Word("number", NAN),
    "Infinity": Word("number", INFINITY),
    "-Infinity": Word("number", MINUS_INFINITY),
}


class Hidden:
    """What stands for a value that does not show."""


HIDDEN = Hidden()
SCALAR = None
"""The shape of what has no members and no items; a container's is a dict or list of shapes."""

Path = tuple[str | int, ...]
Event = tuple[str, Path, str, Any]


class Fault(Exception):  # noqa: N818
    """Why parsing stopped: ``kind`` is malformed, incomplete, limit or depth."""

    def __init__(
        self,
        kind: str,
        msg: str,
        pos: int,
        stopped_at: int,
        text: str,
        path: Path,
        value: Any,
        events: Sequence[Event] = (),
    ) -> None:
        super().__init__(msg)
        self.kind = kind
        self.msg = msg
        self.pos = pos
        self.lineno = text.count("\n", 0, pos) + 1
        self.colno = pos - text.rfind("\n", 0, pos)
        self.stopped_at = stopped_at
        self.path = path
        self.value = value
        self.events = list(events)


class Stop(Exception):  # noqa: N818
    """Raised where a character is found impossible, and turned into a ``Fault`` by ``feed``."""

    def __init__(self, kind: str, msg: str, pos: int, unused: bool = False) -> None:
        super().__init__(msg)
        self.kind = kind
        self.msg = msg
        self.pos = pos
        self.unused = unused


@dataclass
class Frame:
    """An open container. Children are entered when they close, as ``(key, value, shape)``."""

    json_type: str
    path: Path
    entries: list[tuple[str | None, Any, Any]] = field(default_factory=list)
    key: str | None = None

    def child_path(self) -> Path:
        return (*self.path, len(self.entries) if self.json_type == "array" else self.key)

    def plain(self, last: Any = HIDDEN) -> Any:
        if self.json_type == "array":
            items = [value for _, value, _ in self.entries]
            return items if last is HIDDEN else [*items, last]
        members = {key: value for key, value, _ in self.entries}
        if last is not HIDDEN:
            members[self.key] = last
        return members

    def shape(self) -> Any:
        if self.json_type == "array":
            return [shape for _, _, shape in self.entries]
        return {key: shape for key, _, shape in self.entries}


@dataclass
class Token:
    """A string, key, number or word that has begun and not ended."""

    kind: str
    path: Path
    start: int
    text: str = ""
    escape: str = ""
    half: str = ""
    half_is_raw: bool = False
    told: int = 0


class Reference:
    def __init__(
        self,
        *,
        allow_partial: Any = True,
        atomic: str | Sequence[str] = (),
        events: Sequence[str] = (),
        paths: str | Sequence[str] | None = None,
        strict: bool = True,
        max_depth: int = 1000,
        max_bytes: int | None = None,
        max_string: int | None = None,
        keep_text: bool = False,
        object_hook: Callable[..., Any] | None = None,
        parse_float: Callable[..., Any] | None = None,
        parse_int: Callable[..., Any] | None = None,
        parse_constant: Callable[..., Any] | None = None,
        object_pairs_hook: Callable[..., Any] | None = None,
        array_hook: Callable[..., Any] | None = None,
    ) -> None:
        self.shown_kinds = kinds_of(allow_partial)
        self.atomic = compiled(atomic)
        self.subscribed = set(events)
        self.paths = None if paths is None else compiled(paths)
        self.strict = strict
        self.max_depth = max_depth
        self.max_bytes = max_bytes
        self.max_string = max_string
        self.keep_text = keep_text
        self.object_hook = object_hook
        self.object_pairs_hook = object_pairs_hook
        self.array_hook = array_hook
        self.number_hooks = {
            "parse_float": parse_float, "parse_int": parse_int, "parse_constant": parse_constant,
        }  # fmt: skip
        self.reset()

    def reset(self) -> None:
        self.text = ""
        self.pos = 0
        self.unused_data: Any = ""
        self.fault: Fault | None = None
        self.closed = False
        self.stack: list[Frame] = []
        self.token: Token | None = None
        self.expected = "value"
        self.root: Any = HIDDEN
        self.root_shape: Any = SCALAR
        self.sequence = b""
        self.byte_count = 0
        self.bom_possible = True
        self.raw_halves_join = True
        self.events: list[Event] = []

    # What it shows

    @property
    def value(self) -> Any:
        shown = self._shown()
        return None if shown is HIDDEN else shown

    @property
    def status(self) -> str:
        if self.fault is not None:
            return "invalid"
        if self.root is not HIDDEN:
            return "complete"
        return "empty" if self._shown() is HIDDEN else "partial"

    @property
    def path(self) -> Path:
        if self.token is not None and self.token.kind != "key":
            return self.token.path
        return self.stack[-1].path if self.stack else ()

    @property
    def json_type(self) -> str | None:
        if self.token is None or self.token.kind == "key":
            return self.stack[-1].json_type if self.stack else None
        if self.token.kind == "word":
            return next(WORDS[word].json_type for word in WORDS if word.startswith(self.token.text))
        return self.token.kind

    def is_complete(self, path: Sequence[str | int] = ()) -> bool:
        steps = list(path)
        for frame in self.stack:
            if not steps:
                return False
            step = steps.pop(0)
            if self.path[: len(frame.path) + 1] == (*frame.path, step):
                continue
            shape = frame.shape()
            return has(shape, step) and exists(shape[step], steps)
        if self.root is not HIDDEN:
            return exists(self.root_shape, steps)
        return False

    def _shown(self, unfinished: int = 0) -> Any:
        """The value so far; ``unfinished``: the kinds of number and word that show early."""
        if self.root is not HIDDEN:
            return self.root
        shown: Any = HIDDEN
        if self.token is not None and self.token.kind == "string":
            if self._grows(self.token.path):
                shown = self.token.text
        elif self.token is not None and self.token.kind in ("number", "word"):
            shown = self._early(self.token, unfinished)
        for frame in reversed(self.stack):
            kind = ARR if frame.json_type == "array" else OBJ
            shown = frame.plain(shown) if self.shown_kinds & kind else HIDDEN
        return shown

    def _grows(self, path: Path) -> bool:
        return bool(self.shown_kinds & STR) and not matches(self.atomic, path)

    def _early(self, token: Token, unfinished: int) -> Any:
        if token.kind == "number":
            whole = NUMBER.fullmatch(token.text) is not None
            return self._converted(token.text) if unfinished & NUM and whole else HIDDEN
        word = next(word for word in WORDS if word.startswith(token.text))
        return self._converted(word) if unfinished & WORDS[word].kind else HIDDEN

    # Feeding

    def feed(self, data: str | bytes | bytearray | memoryview) -> list[Event]:
        if self.fault is not None:
            raise self.fault
        if self.closed:
            raise ValueError("feed() after close()")
        self.events = []
        index = 0
        try:
            if isinstance(data, str):
                for index, char in enumerate(data):  # noqa: B007
                    self._take_char(char)
            else:
                for index, byte in enumerate(bytes(data)):  # noqa: B007
                    self._take_byte(bytes([byte]))
        except Stop as stop:
            self._tell_delta()
            if stop.unused:
                self.unused_data = data[index:]
            self._fail(stop)
        self._tell_delta()
        return self.events

    def close(self) -> Any:
        if self.fault is not None:
            raise self.fault
        self.closed = True
        token = self.token
        if token is not None and token.kind == "number" and not self.stack:
            self.events = []
            if NUMBER.fullmatch(token.text):
                try:
                    self._end_number(token)
                except Stop as stop:
                    self._fail(stop)
        if self.root is not HIDDEN:
            return self.root
        msg, pos = json_refuses(self.text, self.strict)
        raise Fault("incomplete", msg, pos, self.pos, self.text, self.path, self.value)

    def _fail(self, stop: Stop) -> None:
        self.fault = Fault(
            stop.kind, stop.msg, stop.pos, self.pos, self.text, self.path, self.value, self.events
        )
        raise self.fault

    def _impossible(self, char: str, unused: bool = False) -> Stop:
        stand_in = char if char.isascii() else NOT_ASCII
        msg, pos = json_refuses(self.text + stand_in, self.strict)
        return Stop("malformed", msg, pos, unused)

    def _take_byte(self, byte: bytes) -> None:
        self._count_bytes(1)
        in_string = self.token is not None and self.token.kind in ("string", "key")
        if self.sequence or byte >= b"\x80":
            if not self.sequence and in_string and self.token.escape:
                self._impossible_in_escape(NOT_ASCII)
            may_be_bom = self.bom_possible and codecs.BOM_UTF8.startswith(self.sequence + byte)
            if not in_string and not may_be_bom:
                self._end_number_before(NOT_ASCII)
                raise self._impossible(NOT_ASCII, unused=self.root is not HIDDEN)
            self.sequence += byte
            char = decoded(self.sequence)
            if char is None:
                self._show_half()
                raise Stop("malformed", "Invalid UTF-8", self.pos)
            if not char:
                return
            self.sequence = b""
            if may_be_bom:
                self.bom_possible = False
                return
            self._take(char, raw=False)
        else:
            self._take(byte.decode("ascii"), raw=False)

    def _take_char(self, char: str) -> None:
        # What cannot stand here is seen by its first byte.
        stands = char.isascii() or (self._in_plain_string() and not self.sequence)
        self._count_bytes(len(char.encode("utf-8", "surrogatepass")) if stands else 1)
        if self.sequence:
            if self.token is None:
                raise self._impossible(NOT_ASCII)
            self._show_half()
            raise Stop("malformed", "Invalid UTF-8", self.pos)
        if self.bom_possible and char == "\ufeff":
            raise Stop("malformed", *json_refuses(char, self.strict))
        self._take(char, raw=self.raw_halves_join)

    def _in_plain_string(self) -> bool:
        token = self.token
        return token is not None and token.kind in ("string", "key") and not token.escape

    def _count_bytes(self, count: int) -> None:
        if self.max_bytes is not None and self.byte_count + count > self.max_bytes:
            raise Stop("limit", "More than max_bytes", self.pos)
        self.byte_count += count

    def _take(self, char: str, raw: bool) -> None:
        self.bom_possible = False
        self._end_number_before(char)
        if self.token is None:
            self._between_tokens(char)
        elif self.token.kind == "number":
            self._in_number(self.token, char)
        elif self.token.kind == "word":
            self._in_word(self.token, char)
        else:
            self._in_string(self.token, char, raw)
        self.text += char
        self.pos += 1

    # Between tokens

    def _between_tokens(self, char: str) -> None:
        if char in WHITE_SPACE:
            return
        expected = self.expected
        if char == "," and expected == "comma":
            self.expected = "key" if self.stack[-1].json_type == "object" else "value"
        elif char == ":" and expected == "colon":
            self.expected = "value"
        elif char == '"' and expected in ("key", "key or end"):
            self.token = Token("key", (), self.pos)
        elif char in "]}" and self._may_close(char):
            self._close_container()
        elif expected in ("value", "value or end") and self._may_begin(char):
            self._begin(char)
        else:
            raise self._impossible(char, unused=expected == "nothing")

    def _may_close(self, char: str) -> bool:
        closes = self.expected in ("comma", "value or end", "key or end")
        return closes and (char == "]") == (self.stack[-1].json_type == "array")

    def _may_begin(self, char: str) -> bool:
        return char in '"[{-0123456789' or any(word.startswith(char) for word in WORDS)

    def _begin(self, char: str) -> None:
        path = self.stack[-1].child_path() if self.stack else ()
        if char in "[{":
            if len(self.stack) >= self.max_depth:
                raise Stop("depth", "Nesting deeper than max_depth", self.pos)
            frame = Frame("array" if char == "[" else "object", path)
            self.stack.append(frame)
            self.expected = "value or end" if char == "[" else "key or end"
            self._tell("start", path, frame.json_type, frame.plain())
        elif char == '"':
            self.token = Token("string", path, self.pos)
            if self._grows(path):
                self._tell("start", path, "string", "")
        elif char in "-0123456789":
            self.token = Token("number", path, self.pos)
            self._in_number(self.token, char)
        else:
            self.token = Token("word", path, self.pos, char)

    def _close_container(self) -> None:
        frame = self.stack[-1]
        value = frame.plain()
        if frame.json_type == "object":
            if self.object_pairs_hook is not None:
                value = self.object_pairs_hook([(key, each) for key, each, _ in frame.entries])
            elif self.object_hook is not None:
                value = self.object_hook(value)
        elif self.array_hook is not None:
            value = self.array_hook(value)
        self.stack.pop()
        self._end(frame.path, frame.json_type, value, frame.shape())

    def _end(self, path: Path, json_type: str, value: Any, shape: Any) -> None:
        self.token = None
        if self.stack:
            frame = self.stack[-1]
            frame.entries.append((frame.key, value, shape))
            self.expected = "comma"
        else:
            self.root, self.root_shape = value, shape
            self.expected = "nothing"
        self._tell("end", path, json_type, value)

    # Numbers and words

    def _in_number(self, token: Token, char: str) -> None:
        if token.text == "-" and char == "I":
            token.kind = "word"
        elif self.max_string is not None and len(token.text) >= self.max_string:
            raise Stop("limit", "Longer than max_string", self.pos)
        token.text += char

    def _end_number_before(self, char: str) -> None:
        token = self.token
        if token is None or token.kind != "number":
            return
        if NUMBER_BEGUN.fullmatch(token.text + char) or token.text + char == "-I":
            return
        if not NUMBER.fullmatch(token.text):
            raise self._impossible(char)
        self._end_number(token)

    def _end_number(self, token: Token) -> None:
        try:
            value = self._converted(token.text)
        except IntTooLong as error:
            raise Stop("limit", str(error), token.start) from None
        self._end(token.path, "number", value, SCALAR)

    def _in_word(self, token: Token, char: str) -> None:
        text = token.text + char
        if not any(word.startswith(text) for word in WORDS):
            raise self._impossible(char)
        token.text = text
        if text in WORDS:
            self._end(token.path, WORDS[text].json_type, self._converted(text), SCALAR)

    def _converted(self, text: str) -> Any:
        try:
            return json.loads(text, **self.number_hooks)
        except ValueError as error:
            if self.number_hooks["parse_int"] is None and "limit" in str(error):
                raise IntTooLong(str(error)) from None
            raise

    # Strings and keys

    def _in_string(self, token: Token, char: str, raw: bool) -> None:
        if token.escape:
            self._in_escape(token, char)
        elif char == "\\":
            if token.half_is_raw:
                self._show_half()
            token.escape = char
        elif raw and token.half_is_raw and is_low(char):
            half, token.half = token.half, ""
            token.half_is_raw = False
            self._grow(token, joined(half, char))
        else:
            self._show_half()
            if char == '"':
                self._end_string(token)
            elif char < " " and self.strict:
                raise self._impossible(char)
            elif raw and is_high(char):
                token.half, token.half_is_raw = char, True
            else:
                self._grow(token, char)

    def _in_escape(self, token: Token, char: str) -> None:
        escape = token.escape + char
        if escape == "\\u" or (len(escape) > 2 and char in HEX_DIGITS):
            token.escape = escape
            if len(escape) == len("\\uXXXX"):
                token.escape = ""
                self._unit(token, chr(int(escape[2:], 16)))
        elif len(escape) == 2 and char in PLAIN_ESCAPES:
            self._show_half()
            token.escape = ""
            self._grow(token, PLAIN_ESCAPES[char])
        else:
            self._impossible_in_escape(char)

    def _impossible_in_escape(self, char: str) -> None:
        self._show_half()
        raise self._impossible(char)

    def _unit(self, token: Token, unit: str) -> None:
        if token.half and is_low(unit):
            half, token.half = token.half, ""
            self._grow(token, joined(half, unit))
            return
        self._show_half()
        if is_high(unit):
            token.half = unit
        else:
            self._grow(token, unit)

    def _show_half(self) -> None:
        if self.token is not None and self.token.half:
            half, self.token.half, self.token.half_is_raw = self.token.half, "", False
            self._grow(self.token, half)

    def _grow(self, token: Token, char: str) -> None:
        if self.max_string is not None and len(token.text) >= self.max_string:
            raise Stop("limit", "Longer than max_string", self.pos)
        token.text += char

    def _end_string(self, token: Token) -> None:
        if token.kind == "key":
            self.stack[-1].key = token.text
            self.token = None
            self.expected = "colon"
            return
        self._tell_delta()
        if not self._grows(token.path):
            self._tell("start", token.path, "string", "")
        self._end(token.path, "string", token.text, SCALAR)

    # Events

    def _tell_delta(self) -> None:
        token = self.token
        if token is not None and token.kind == "string" and len(token.text) > token.told:
            if self._grows(token.path):
                self._tell("delta", token.path, "string", token.text[token.told :])
            token.told = len(token.text)

    def _tell(self, kind: str, path: Path, json_type: str, value: Any) -> None:
        if kind in self.subscribed and (self.paths is None or matches(self.paths, path)):
            self.events.append((kind, path, json_type, value))


def loads(
    data: str | bytes | bytearray | memoryview, *, allow_partial: Any = True, **options: Any
) -> Any:
    """What ``fragjson.loads`` should give: raises ``Fault`` or ``UnicodeDecodeError``."""
    kinds = kinds_of(allow_partial)
    # With nothing allowed, an error still tells how far the text came.
    parser = Reference(allow_partial=(kinds or STR | COLLECTION) & (STR | COLLECTION), **options)
    if isinstance(data, str):
        parser.feed(data)
    else:
        parser.bom_possible = parser.raw_halves_join = False
        text, lead_byte = decoded_document(bytes(data))
        parser.feed(text)
        parser.feed(lead_byte)
    try:
        return parser.close()
    except Fault as fault:
        shown = parser._shown(kinds)
        if fault.kind != "incomplete" or shown is HIDDEN or not kinds:
            raise
        return shown


def kinds_of(allow_partial: Any) -> int:
    if isinstance(allow_partial, bool):
        return STR | COLLECTION if allow_partial else 0
    words = {"off": 0, "on": COLLECTION | NUM, "trailing-strings": COLLECTION | NUM | STR}
    return words[allow_partial] if isinstance(allow_partial, str) else int(allow_partial)


def decoded_document(data: bytes) -> tuple[str, bytes]:
    """The text of whole or cut bytes, and the begun UTF-8 sequence they end in, if any."""
    if codecs.BOM_UTF8.startswith(data):
        return "", b""
    encoding = json.detect_encoding(data)
    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    text = decoder.decode(data)
    rest, _ = decoder.getstate()
    return text, rest if encoding.startswith("utf-8") else b""


class IntTooLong(Exception):  # noqa: N818
    """More digits than the interpreter converts."""


def json_refuses(text: str, strict: bool) -> tuple[str, int]:
    """The message and position the running interpreter's ``json`` gives for text it refuses."""
    try:
        json.loads(text, strict=strict, parse_int=str)
    except json.JSONDecodeError as error:
        return error.msg, error.pos
    raise AssertionError(f"json.loads accepts {text!r}")


def decoded(sequence: bytes) -> str | None:
    """The character of a UTF-8 sequence, '' when it is cut, None when nothing can complete it."""
    try:
        return codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(sequence)
    except UnicodeDecodeError:
        return None


def is_high(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


def is_low(char: str) -> bool:
    return "\udc00" <= char <= "\udfff"


def joined(high: str, low: str) -> str:
    return (high + low).encode("utf-16-be", "surrogatepass").decode("utf-16-be")


def has(shape: Any, step: str | int) -> bool:
    if isinstance(shape, dict):
        return isinstance(step, str) and step in shape
    return isinstance(shape, list) and isinstance(step, int) and 0 <= step < len(shape)


def exists(shape: Any, steps: Sequence[str | int]) -> bool:
    for step in steps:
        if not has(shape, step):
            return False
        shape = shape[step]
    return True


# The JSONPath subset: names, indexes, wildcards

STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_\u0080-\U0010ffff][0-9A-Za-z_\u0080-\U0010ffff]*)
      | \[(?P<index>0|[1-9][0-9]*)\]
      | (?P<any>\[\*\]|\.\*)
      | \[(?P<quote>['"])(?P<quoted>(?:(?!(?P=quote))[^\\]|\\.)*)(?P=quote)\]""",
    re.VERBOSE,
)


def compiled(paths: str | Sequence[str]) -> list[list[str | int | None]]:
    return [list(steps_of(path)) for path in ([paths] if isinstance(paths, str) else paths)]


def steps_of(path: str) -> Iterator[str | int | None]:
    """The steps of one path; None is the wildcard."""
    assert path[:1] == "$", path
    at = 1
    while at < len(path):
        step = STEP.match(path, at)
        assert step is not None, path
        at = step.end()
        if step["index"] is not None:
            yield int(step["index"])
        elif step["any"] is not None:
            yield None
        elif step["name"] is not None:
            yield step["name"]
        else:
            yield re.sub(r"\\(.)", r"\1", step["quoted"])


def matches(patterns: list[list[str | int | None]], path: Path) -> bool:
    return any(
        len(steps) == len(path)
        and all(step is None or (type(step) is type(at) and step == at)
                for step, at in zip(steps, path, strict=True))
        for steps in patterns
    )  # fmt: skip
