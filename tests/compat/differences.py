"""The shims beside the originals: on what, in which modes, and where they may differ.

CORPORA      texts by name: every beginning of every document, case and tool call of the tests
MODES        what is called, with which options
ALLOWED_DIFFERENCES
             where the original is plainly wrong: an example, both results, why, and which other
             texts that covers. Nothing else may differ.

Run as a program it prints how often each mode agreed: ``python tests/compat/differences.py``.
"""

import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS)]

import documents  # noqa: E402
import generator  # noqa: E402
import jiter  # noqa: E402
import partial_json_parser  # noqa: E402
import reference  # noqa: E402
from comparison import exactly  # noqa: E402
from partial_json_parser import Allow  # noqa: E402

from fragjson.compat import jiter as our_jiter  # noqa: E402
from fragjson.compat import partial_json_parser as our_partial_json_parser  # noqa: E402

Text = str | bytes

# ---- What was given ------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """A result, written so that only equal ones are equal, or the kind of an error."""

    kind: str
    value: str = ""


COMPLETING = (partial_json_parser.ensure_json, our_partial_json_parser.ensure_json)


def outcome_of(function: Callable[..., Any], text: Text, options: dict[str, Any]) -> Outcome:
    try:
        value = function(text, **options)
    except Exception as error:  # any kind of error is a result here
        return Outcome(kind_of(error))
    if function in COMPLETING:
        return spelling(value)
    return Outcome("value", exactly(value))


def spelling(text: str) -> Outcome:
    """What a completed text says, number by number and key by key, but for white space."""
    try:
        said = json.loads(
            text, strict=False, parse_int=str.encode, parse_float=str.encode,
            object_pairs_hook=tuple,
        )  # fmt: skip
    except json.JSONDecodeError:
        return Outcome("not JSON")
    return Outcome("value", exactly(said))


def kind_of(error: Exception) -> str:
    """What an except clause would ask about it. The originals' classes and ours have one name."""
    names = {each.__name__ for each in type(error).__mro__}
    if isinstance(error, RecursionError):
        return "RecursionError"
    if names & {"PartialJSON", "IncompleteJSONError"}:
        return "PartialJSON"
    # The original's parser is json.loads, whose errors pass through.
    if names & {"MalformedJSON", "MalformedJSONError", "JSONDecodeError"}:
        return "MalformedJSON"
    return type(error).__name__


def jiter_kind(outcome: Outcome) -> Outcome:
    """Jiter knows ValueErrors only."""
    known = ("PartialJSON", "MalformedJSON", "RecursionError", "UnicodeDecodeError")
    known += ("LimitExceededError",)
    return Outcome("ValueError") if outcome.kind in known else outcome


# ---- What is called ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mode:
    name: str
    theirs: Callable[..., Any]
    ours: Callable[..., Any]
    options: dict[str, Any]

    @property
    def is_jiter(self) -> bool:
        return self.theirs is jiter.from_json

    @property
    def completes(self) -> bool:
        """Completed text may have control characters in strings; that is for the next parser."""
        return self.theirs in COMPLETING

    def compare(self, text: Text) -> tuple[Outcome, Outcome]:
        theirs = outcome_of(self.theirs, text, self.options)
        ours = outcome_of(self.ours, text, self.options)
        return (jiter_kind(theirs), jiter_kind(ours)) if self.is_jiter else (theirs, ours)


def modes() -> Iterator[Mode]:
    extras: list[dict[str, Any]] = [
        {},
        {"float_mode": "decimal"},
        {"float_mode": "lossless-float"},
        {"allow_inf_nan": False},
        {"catch_duplicate_keys": True},
        {"cache_mode": "none"},
    ]
    for partial_mode in ("off", "on", "trailing-strings", False, True):
        for extra in extras if isinstance(partial_mode, str) else [{}]:
            words = [f"{name}={value}" for name, value in extra.items()]
            yield Mode(
                " ".join(["jiter", str(partial_mode), *words]),
                jiter.from_json,
                our_jiter.from_json,
                {"partial_mode": partial_mode, **extra},
            )
    for allow in ALLOWED:
        for function in ("loads", "ensure_json"):
            yield partial_mode_of(function, allow)
    yield partial_mode_of("loads", Allow.ALL, use_fast_fix=False)
    yield partial_mode_of("loads", Allow.STR | Allow.COLLECTION, use_fast_fix=False)


def partial_mode_of(function: str, allow: Allow, **options: Any) -> Mode:
    words = [f"{name}={value}" for name, value in options.items()]
    return Mode(
        " ".join([function, name_of(allow), *words]),
        getattr(partial_json_parser, function),
        getattr(our_partial_json_parser, function),
        {"allow_partial": allow, **options},
    )


ALLOWED = [
    Allow.ALL,
    Allow.STR | Allow.COLLECTION,
    Allow.COLLECTION,
    *(Allow.ALL & ~kind for kind in (Allow.STR, Allow.NUM, Allow.ARR, Allow.OBJ, Allow.SPECIAL)),
    Allow.ATOM,
    Allow(0),
]


def name_of(allow: Allow) -> str:
    left_out = {Allow.STR, Allow.NUM, Allow.ARR, Allow.OBJ, Allow.SPECIAL}
    names = {Allow.ALL & ~kind: f"ALL-{kind.name}" for kind in left_out}
    names |= {Allow.ALL: "ALL", Allow.ATOM: "ATOM", Allow(0): "0"}
    return names.get(allow) or str(allow.name).replace("ARR|OBJ", "COLLECTION")


MODES = list(modes())

# ---- On what -------------------------------------------------------------------------------------


def beginnings(text: Text, limit: int = 150) -> Iterator[Text]:
    """Every one of them; of a long text those of its first part, and the whole."""
    yield text
    for end in range(min(len(text), limit)):
        yield text[:end]


def every_beginning(texts: Iterable[Text]) -> list[Text]:
    return list(dict.fromkeys(begun for text in texts for begun in beginnings(text)))


def cases() -> Iterator[str]:
    for line in (TESTS / "data" / "handed.jsonl").read_text("utf-8").splitlines():
        fragments = json.loads(line).get("fragments") or []
        if fragments and all(isinstance(fragment, str) for fragment in fragments):
            yield "".join(fragments)


def calls() -> Iterator[str]:
    for path in sorted((TESTS / "data" / "streams").glob("*.expected.json")):
        for call in json.loads(path.read_text("utf-8")):
            yield call["text"] or ""


def generated(count: int) -> Iterator[str]:
    rng = random.Random(8)
    for _ in range(count):
        text = generator.document(rng)
        yield text
        yield generator.damaged(rng, text)


def tables() -> Iterator[Text]:
    for table in (documents.ACCEPTED, documents.REFUSED, documents.DEPENDS, documents.CUT):
        yield from table.values()
    yield from documents.CUT_BYTES.values()


CORPORA: dict[str, list[Text]] = {
    "documents": every_beginning(tables()),
    "cases": every_beginning(cases()),
    "calls": every_beginning(calls()),
    "generated": every_beginning(generated(15)),
}


def texts_for(mode: Mode, corpus: list[Text]) -> Iterator[Text]:
    """As the originals take them: bytes or str."""
    for text in corpus:
        if mode.is_jiter:
            yield text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        elif isinstance(text, str):
            yield text


# ---- Where they may differ -----------------------------------------------------------------------


class Difference(NamedTuple):
    mode: Mode
    text: Text
    theirs: Outcome
    ours: Outcome


@dataclass(frozen=True)
class Allowed:
    name: str
    why: str
    mode: str
    text: Text
    theirs: Outcome
    ours: Outcome
    covers: Callable[[Difference], bool]


def value(result: Any) -> Outcome:
    return Outcome("value", exactly(result))


VALUE_ERROR = Outcome("ValueError")
MALFORMED = Outcome("MalformedJSON")
PARTIAL = Outcome("PartialJSON")
BARE = ("AssertionError", "IndexError")
ENCODED_HALF = re.compile(rb"\xed[\xa0-\xbf]")
RAW_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
PAIR_BEGUN = re.compile(
    r"""(?:\\u[dD][89abAB][0-9a-fA-F]{2}|[\ud800-\udbff])
        (?:\\(?:u[0-9a-fA-F]{0,3})?)?\s*\Z""",
    re.VERBOSE,
)


def is_malformed(text: Text, mode: Mode) -> bool:
    """Whether no continuation makes it JSON, by the oracle of the parser's own tests."""
    if isinstance(text, bytes) and ENCODED_HALF.search(text):
        return True  # json takes it, but it is not UTF-8
    try:
        reference.loads(text, strict=not mode.completes)
    except reference.Fault as fault:
        return fault.kind == "malformed"
    except UnicodeDecodeError:
        return True
    return False


def refused_as_malformed(difference: Difference) -> bool:
    refused = VALUE_ERROR if difference.mode.is_jiter else MALFORMED
    return difference.ours == refused and is_malformed(difference.text, difference.mode)


def stripped_before_the_look(difference: Difference) -> bool:
    text = difference.text.rstrip()
    return text != difference.text and difference.mode.compare(text)[0] == difference.theirs


def cut_in_the_wrong_place(difference: Difference) -> bool:
    text = difference.text.lstrip()
    slow = difference.mode.options.get("use_fast_fix") is False
    return text != difference.text and (slow or text[0] not in "[{")


ALLOWED_DIFFERENCES = {
    "jiter": [
        Allowed(
            "malformed text taken for cut",
            "What follows a finished value is not looked at; a call with a comma missing loses "
            "its other arguments, and nothing says so.",
            "jiter on",
            b'{"a": 1 "b": 2}',
            value({"a": 1}),
            VALUE_ERROR,
            lambda it: refused_as_malformed(it) and not ENCODED_HALF.search(it.text),
        ),
        Allowed(
            "bytes that are no text",
            "Where the string is left out, its bytes are not looked at: this can never be UTF-8.",
            "jiter on",
            b'["\xed\xa0\xbd',
            value([]),
            VALUE_ERROR,
            lambda it: refused_as_malformed(it) and bool(ENCODED_HALF.search(it.text)),
        ),
        Allowed(
            "one level of depth",
            "Its limit is 201 open containers, but 200 if the innermost is an object with members.",
            "jiter off",
            b'{"a":' * 201 + b"1" + b"}" * 201,
            VALUE_ERROR,
            value(our_jiter.from_json(b'{"a":' * 201 + b"1" + b"}" * 201)),
            lambda it: it.theirs == VALUE_ERROR and it.text.count(b"{") >= 201,
        ),
    ],
    "partial_json_parser": [
        Allowed(
            "malformed text taken for cut",
            "Only the end of the text is looked at, and what is cut off there is not: a fault "
            "in it is left out with it, or put down to a kind that may not show.",
            "loads ALL",
            "[1.2.",
            value([1.2]),
            MALFORMED,
            lambda it: refused_as_malformed(it) and it.theirs.kind in ("value", "PartialJSON"),
        ),
        Allowed(
            "malformed text handed on",
            "To complete it does not make it JSON. Who parses it next says so, if anybody.",
            "ensure_json ALL",
            '{"a": 1 "b": "x',
            Outcome("not JSON"),
            MALFORMED,
            lambda it: refused_as_malformed(it) and it.theirs.kind == "not JSON",
        ),
        Allowed(
            "bare errors",
            "Neither PartialJSON nor MalformedJSON nor even a ValueError.",
            "loads ALL",
            '{"a": [1, 2}',
            Outcome("AssertionError"),
            MALFORMED,
            lambda it: refused_as_malformed(it) and it.theirs.kind in BARE,
        ),
        Allowed(
            "half a surrogate pair",
            "Shows half a character, which cannot be encoded and is another one later.",
            "loads ALL",
            r'["\ud83d\ude',
            value(["\ud83d"]),
            value([""]),
            lambda it: bool(PAIR_BEGUN.search(it.text)),
        ),
        Allowed(
            "a raw pair of halves",
            "Not the original but json.loads keeps two halves that are one character; this "
            "package joins them everywhere.",
            "loads ALL",
            '["\ud83d\ude00"]',
            value(["\ud83d" + "\ude00"]),
            value(["\U0001f600"]),
            lambda it: bool(RAW_PAIR.search(it.text)),
        ),
        Allowed(
            "white space at the end",
            "It is stripped before anything else: an open string loses its last spaces, and a "
            "number that a space has ended is taken for cut.",
            "loads STR|COLLECTION",
            "[1, 2 ",
            value([1]),
            value([1, 2]),
            stripped_before_the_look,
        ),
        Allowed(
            "white space at the beginning",
            "It is stripped, but the text is cut as though it were not.",
            "loads ALL",
            "  12",
            MALFORMED,
            value(12),
            cut_in_the_wrong_place,
        ),
        Allowed(
            "the slow way recurses",
            "It takes several frames for each level, so text that is not deep is too deep.",
            "loads ALL use_fast_fix=False",
            "[" * 600 + "]" * 600,
            Outcome("RecursionError"),
            value(json.loads("[" * 600 + "]" * 600)),
            lambda it: it.theirs.kind == "RecursionError",
        ),
    ],
}


def allowed(difference: Difference) -> Allowed | None:
    """The entry that allows it, if any does."""
    entries = ALLOWED_DIFFERENCES["jiter" if difference.mode.is_jiter else "partial_json_parser"]
    return next((entry for entry in entries if entry.covers(difference)), None)


def differences(mode: Mode, texts: Iterable[Text]) -> Iterator[Difference]:
    for text in texts:
        theirs, ours = mode.compare(text)
        if theirs != ours:
            yield Difference(mode, text, theirs, ours)


# ---- The table -----------------------------------------------------------------------------------


def print_table() -> None:
    print(f"{'compared / equal / excepted':<62}" + "".join(f"{name:>20}" for name in CORPORA))
    by_entry: Counter[str] = Counter()
    unexplained = 0
    for mode in MODES:
        cells = []
        for corpus in CORPORA.values():
            texts = list(texts_for(mode, corpus))
            found = list(differences(mode, texts))
            entries = [allowed(difference) for difference in found]
            unexplained += entries.count(None)
            source = mode.name.split()[0].replace("loads", "pjp").replace("ensure_json", "pjp")
            by_entry.update(f"{source}: {entry.name}" for entry in entries if entry)
            cells.append(f"{len(texts)} / {len(texts) - len(found)} / {len(found)}")
        print(f"{mode.name:<62}" + "".join(f"{cell:>20}" for cell in cells))
    print()
    for name, count in sorted(by_entry.items()):
        print(f"{count:>8}  {name}")
    print(f"{unexplained:>8}  not explained")


if __name__ == "__main__":
    print_table()
