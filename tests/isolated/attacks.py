"""Attacks on the parser from inside: by hooks, finalizers, buffers, keys and the live value.

    python tests/isolated/attacks.py             all of them
    python tests/isolated/attacks.py NAME ...    some

Promised: whatever code runs while the parser is at work, and whatever it does to the parser and its
value, the process lives, no object that a user holds changes, and the parser goes on or raises.
Each attack is a function; its docstring says who attacks. Run with PYTHONMALLOC=debug, so that what
is used after it was freed does not look like itself.
"""

# ruff: noqa: B023, PLW0108 - what a loop defines is called before the loop goes on

import contextlib
import copy
import gc
import inspect
import pickle
import random
import sys
import weakref
from collections.abc import Callable
from typing import Any

from fragjson import Event, JSONDecodeError, Parser, iterparse, loads

EVERY_EVENT = ("start", "delta", "end")
ATTACKS: dict[str, Callable[[], None]] = {}
TEXT = '{"a":"bcd","e":[1,[2,"fgh"],{"i":"j\\u00e9k"}],"m":{"n":{"o":"p水"}},"a":"q","a":{"r":[]}}'
DEEP = "[" * 900


def attack(function: Callable[[], None]) -> Callable[[], None]:
    ATTACKS[function.__name__] = function
    return function


def meddle(parser: Parser) -> None:
    """Use everything that a parser has, as someone might from the worst of places."""
    for use in (
        lambda: parser.feed(DEEP),
        lambda: parser.feed(b'"'),
        parser.close,
        parser.reset,
        parser.snapshot,
        parser.is_complete,
        lambda: parser.is_complete(("e", 1, 0)),
        lambda: parser.is_complete([0, "a", "b"]),
        lambda: parser._feed_document("[1] 2", 0),
        lambda: (parser.value, parser.status, parser.path, parser.pos, parser.unused_data),
        lambda: parser.text,
        lambda: parser.error,
        parser.__init__,
    ):
        with contextlib.suppress(ValueError, RuntimeError):
            use()


def use_up(parser: Parser, text: str = TEXT) -> None:
    """Feed what may be refused by now, and look at the rest."""
    with contextlib.suppress(ValueError, RuntimeError):
        for unit in text:
            parser.feed(unit)
            parser.snapshot()
        parser.close()
    repr((parser.value, parser.path, parser.error))
    parser.reset()
    parser.feed('{"x":"y')
    assert parser.value == {"x": "y"}


# Hooks and finalizers


@attack
def hooks_that_drop_the_parser() -> None:
    """The last name of the parser goes while it feeds."""
    for name in (
        "object_hook", "object_pairs_hook", "array_hook", "parse_int", "parse_float",
        "parse_constant",
    ):  # fmt: skip
        box: list[Parser] = []
        box.append(Parser(**{name: lambda _, box=box: box.clear()}))
        feed = box[0].feed
        feed('[1,2.5,NaN,{"a":{"b":1}},')
        del feed
        box.append(Parser(**{name: lambda _, box=box: box.clear()}))
        box[0].feed('{"a":[1,2.5,NaN,{}]}')
        box.append(Parser(**{name: lambda _, box=box: box.clear()}))
        box[0].feed("1")
        box[0].close()


@attack
def hooks_that_meddle() -> None:
    for name in ("object_hook", "object_pairs_hook", "array_hook", "parse_int"):

        def hook(argument: Any) -> Any:
            meddle(parser)
            return argument

        parser = Parser(events=EVERY_EVENT, keep_text=True, **{name: hook})
        use_up(parser)


class Last:
    """Meddles when it is dropped."""

    parsers: list[Parser] = []  # noqa: RUF012

    def __init__(self, _: Any = None) -> None:
        pass

    def __del__(self) -> None:
        for parser in self.parsers:
            meddle(parser)


@attack
def finalizers_of_hook_results() -> None:
    """Duplicate keys, resets and errors drop what hooks had made."""
    text = '{"a":{"b":1},"a":{"c":[{},{}]},"a":"x","a":{},"d":[{"e":{}}],"d":2}'
    for name in ("object_hook", "object_pairs_hook", "array_hook", "parse_int"):
        for end in range(len(text)):
            parser = Parser(events=("end",), **{name: Last})
            Last.parsers = [parser]
            with contextlib.suppress(ValueError, RuntimeError):
                parser.feed(text[:end])
                for unit in text[end:]:
                    parser.feed(unit)
            parser.reset()
            with contextlib.suppress(JSONDecodeError):
                parser.feed('[{"a":1},')
                parser.feed("}")
            parser.reset()
            Last.parsers = []
    gc.collect()


@attack
def finalizers_while_an_event_changes() -> None:
    event = Event("end", (), "array", [Last()])
    kept: list[Any] = []

    class Look(Last):
        def __del__(self) -> None:
            kept.append(event.value)

    event.__init__("end", (), "array", [Look()])
    event.__init__("end", (), "null", None)
    assert [kept, event.value] == [[None], None]


@attack
def a_parser_that_comes_back() -> None:
    """A subclass resurrects itself."""
    graves: list[Parser] = []

    class Undead(Parser):
        def __del__(self) -> None:
            graves.append(self)
            meddle(self)

    for text in ("", "[1", '{"a":"b', "[1]", "[1 2"):
        parser = Undead()
        with contextlib.suppress(JSONDecodeError):
            parser.feed(text)
        del parser
        assert len(graves) == 1
        use_up(graves.pop())
        graves.clear()


@attack
def options_that_start_the_parser() -> None:
    """An option's own code runs while __init__ does."""

    class Paths(list[str]):
        def __iter__(self) -> Any:
            with contextlib.suppress(RuntimeError):
                Parser.__init__(parser, object_hook=Last)
                parser.feed('[[{"a":[')
            return super().__iter__()

    for option in ("paths", "atomic", "events"):
        parser = Parser.__new__(Parser)
        with contextlib.suppress(RuntimeError, ValueError):
            Parser.__init__(parser, **{option: Paths(["$.a"])})
        with contextlib.suppress(RuntimeError, JSONDecodeError):
            parser.feed("]" * 9)
        meddle(parser)


@attack
def exceptions_that_are_strange() -> None:
    """An exception class without a name, exceptions that hold the parser."""

    class Nameless(type):
        @property
        def __name__(cls) -> str:
            raise MemoryError

    class Strange(Exception, metaclass=Nameless):  # noqa: N818
        pass

    def hook(_: Any) -> Any:
        raise Strange(parser)

    parser = Parser(parse_int=hook)
    with contextlib.suppress(Strange, MemoryError):
        parser.feed("[1,")
    assert parser.status == "invalid"
    for use in (lambda: parser.feed("1"), parser.close):
        try:
            use()
        except JSONDecodeError:
            continue
        raise AssertionError("went on after an error")
    assert isinstance(parser.error, JSONDecodeError)
    parser.reset()
    assert parser.feed("[2.5]") == ()


# Keys that run code


class Trap:
    """A key that has the hash of another, and does something when it is compared."""

    def __init__(self, like: str) -> None:
        self.hash = hash(like)
        self.spring: Callable[[], Any] | None = None

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        spring, self.spring = self.spring, None
        if spring is not None:
            spring()
        return False


def shut(parser: Parser) -> None:
    parser.reset()
    parser.feed(DEEP)


def put_first(members: dict[Any, Any], key: Any, value: Any) -> None:
    others = dict(members)
    members.clear()
    members[key] = value
    members.update(others)


@attack
def keys_in_the_live_value() -> None:
    """The user has put keys into the live dict that feed, reset and take when looked at."""
    for use in (
        lambda: parser.feed("ef"),
        lambda: parser.feed('ef","c":1,"b":"g'),
        lambda: parser.feed("\\u00e9x水"),
        lambda: parser.snapshot(),
        lambda: parser.is_complete(("a", "b", "c")),
        lambda: parser.is_complete(("a", "b")),
    ):
        for spring in (
            lambda: meddle(parser),
            lambda: shut(parser),
            lambda: parser.feed('"}}'),
            lambda: parser.value.clear(),
            lambda: keep(parser.value["a"]["b"]),
            lambda: hash(parser.value["a"]["b"]),
            lambda: parser.value["a"].pop("b"),
            lambda: parser.value["a"].update({str(n): n for n in range(50)}),
            lambda: 1 // 0,
        ):
            for trapped in ("a", "b"):
                kept: list[str] = []
                letters: list[list[str]] = []

                def keep(string: str, kept: Any = kept, letters: Any = letters) -> None:
                    kept.append(string)
                    letters.append(list(string))

                parser = Parser()
                parser.feed('{"x":[],"a":{"b":"cd')
                outer, inner = parser.value, parser.value["a"]
                trap = Trap(trapped)
                put_first(outer if trapped == "a" else inner, trap, 1)
                trap.spring = spring
                del outer, inner
                for step in (use, lambda: parser.feed('hi"')):
                    # What is gone from the value by then is an error of the attacker's.
                    with contextlib.suppress(
                        JSONDecodeError, RuntimeError, ZeroDivisionError, LookupError, TypeError
                    ):
                        step()
                    assert [list(string) for string in kept] == letters[: len(kept)]
                parser.reset()


@attack
def keys_while_a_long_string_moves() -> None:
    """The same, when the parser takes a long string out of the live dict to move it."""
    for more in ("d" * 90_000, "\\n" * 90_000, 'd"', "水" * 90_000):
        for spring in (
            lambda: keep(parser.value["b"]),
            lambda: hash(parser.value["b"]),
            lambda: parser.value.pop("b"),
            lambda: parser.value.clear(),
            lambda: meddle(parser),
            lambda: 1 // 0,
        ):
            for later in (0, 1, 2, 3):  # at the how-manieth comparison
                kept: list[tuple[str, str]] = []

                def keep(string: str, kept: Any = kept) -> None:
                    kept.append((string, string[:1] + string[1:]))

                parser = Parser()
                parser.feed('{"b":"' + "c" * 70_000)
                trap = Trap("b")
                put_first(parser.value, trap, 1)
                steps = [lambda: None] * later + [spring]

                def next_step(trap: Trap = trap, steps: Any = steps) -> None:
                    step = steps.pop(0)
                    trap.spring = next_step if steps else None
                    step()

                trap.spring = next_step
                for fragment in (more, "e" * 90_000, '"}'):
                    with contextlib.suppress(
                        JSONDecodeError, RuntimeError, ZeroDivisionError, LookupError, TypeError
                    ):
                        parser.feed(fragment)
                    assert all(string == copy for string, copy in kept)


@attack
def keys_of_is_complete() -> None:
    """The path that is asked for feeds the parser when it is compared."""
    for spring in (lambda: parser.feed(DEEP), lambda: shut(parser), lambda: parser.feed("1}}")):

        class Name(str):
            __slots__ = ()
            __hash__ = str.__hash__

            def __eq__(self, other: object, spring: Any = spring) -> bool:
                with contextlib.suppress(JSONDecodeError):
                    spring()
                return str.__eq__(self, other)

        class Number(int):
            def __eq__(self, other: object, spring: Any = spring) -> bool:
                with contextlib.suppress(JSONDecodeError):
                    spring()
                return int.__eq__(self, other)

            __hash__ = int.__hash__
            __ge__ = __lt__ = __le__ = __gt__ = __eq__

        for path in ((Name("a"), "b"), (Name("a"), Name("b"), 1), ("a", Name("c")), (Number(0),),
                     ("a", Number(3)), (Name("x"), Number(0), Number(0))):  # fmt: skip
            for text in ('{"x":[[1]],"a":{"b":', "[[", '{"x":[[1]],"a":[1,2,3,{"b":'):
                parser = Parser()
                parser.feed(text)
                assert parser.is_complete(path) in (True, False)
                parser.reset()


# Buffers, and fragments that are not quite str and bytes


@attack
def buffers_that_change() -> None:
    """A hook changes, grows or frees what is just being read."""
    for change in (
        lambda: data.__setitem__(slice(None), b"9" * len(data)),
        lambda: data.__setitem__(slice(None), b'"' * len(data)),
        lambda: data.__setitem__(slice(None), b"\xff" * len(data)),
        lambda: data.extend(b"x" * 100000),
        lambda: data.clear(),
        lambda: view.release(),
    ):
        for as_view in (False, True):
            data = bytearray(b'[1,"ab\xc3\xa9",2.5,{"k":3}] ' * 3)
            view = memoryview(data) if as_view else memoryview(bytearray())

            def hook(digits: str, change: Any = change) -> str:
                with contextlib.suppress(BufferError):
                    change()
                return digits

            parser = Parser(parse_int=hook)
            with contextlib.suppress(JSONDecodeError):
                parser.feed(view if as_view else data)
            repr((parser.value, parser.unused_data, parser.error))


@attack
def buffers_written_in_python() -> None:
    """``__buffer__`` and ``__release_buffer__`` meddle (Python 3.12)."""
    if sys.version_info < (3, 12):
        return

    class Meddling:
        def __buffer__(self, flags: int) -> memoryview:
            meddle(parser)
            return memoryview(b'[1,"a')

        def __release_buffer__(self, view: memoryview) -> None:
            meddle(parser)

    class MeddlingBytes(bytes):
        __buffer__ = Meddling.__buffer__
        __release_buffer__ = Meddling.__release_buffer__

    class MeddlingBytearray(bytearray):
        __buffer__ = Meddling.__buffer__
        __release_buffer__ = Meddling.__release_buffer__

    makers = [
        lambda: memoryview(Meddling()), lambda: MeddlingBytes(b"[2"),
        lambda: MeddlingBytearray(b"[2"), lambda: memoryview(Meddling())[::2],
    ]  # fmt: skip
    for make in makers:
        parser = Parser(events=EVERY_EVENT, keep_text=True)
        for _ in range(3):
            with contextlib.suppress(ValueError, RuntimeError):
                parser.feed(make())
            meddle(parser)
        parser = Parser()
        with contextlib.suppress(ValueError, RuntimeError):
            parser.feed(make())
        with contextlib.suppress(ValueError, RuntimeError):
            loads(make())


@attack
def fragments_of_subclasses() -> None:
    """Subclasses of str and bytes that lie about themselves."""

    class Text(str):
        __slots__ = ()

        def __len__(self) -> int:
            return 1000

        def __getitem__(self, at: Any) -> Any:
            return Last()

        def __str__(self) -> str:
            meddle(parser)
            return "[]"

        __iter__ = __eq__ = None  # type: ignore[assignment]
        __hash__ = str.__hash__

    class Bytes(bytes):
        __len__, __getitem__ = Text.__len__, Text.__getitem__

        def __bytes__(self) -> bytes:
            meddle(parser)
            return b"[]"

    class Array(bytearray):
        __len__, __getitem__, __bytes__ = Text.__len__, Text.__getitem__, Bytes.__bytes__

    for options in ({}, {"keep_text": True}, {"max_bytes": 6}, {"events": EVERY_EVENT}):
        for make in (Text, lambda text: Bytes(text.encode()), lambda text: Array(text.encode())):
            for text in ('["ab', '["ab"]', '["ab"] x', "[é", "12", ""):
                parser = Parser(**options)
                Last.parsers = [parser]
                for _ in range(2):
                    with contextlib.suppress(ValueError, RuntimeError, TypeError):
                        parser.feed(make(text))
                    repr((parser.value, parser.status, parser.pos))
                    with contextlib.suppress(ValueError, TypeError):
                        repr((parser.error, parser.unused_data, parser.text))
                with contextlib.suppress(ValueError, RuntimeError, TypeError):
                    parser.reset()
                with contextlib.suppress(ValueError, TypeError):
                    loads(make(text))
    Last.parsers = []


# The cyclic collector


@attack
def collections_at_every_allocation() -> None:
    """The collector runs as often as it can, and what it calls uses the parser."""
    depth = 0

    def collecting(phase: str, info: Any) -> None:
        nonlocal depth
        if phase == "start" and depth == 0 and turn % 3 != 2:
            depth += 1
            (meddle if turn % 3 == 0 else look)(parser)
            depth -= 1

    def look(parser: Parser) -> None:
        repr((parser.path, parser.value, parser.status, parser.error))
        parser.snapshot()
        parser.is_complete(("e", 1))

    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            meddle(parser)

    gc.callbacks.append(collecting)
    before = gc.get_threshold()
    try:
        for turn in range(60):
            options: dict[str, Any] = [
                {},
                {"events": EVERY_EVENT, "keep_text": True},
                {"object_hook": dict, "events": EVERY_EVENT, "paths": ["$.e[*]", "$.m.n.o"]},
            ][turn // 3 % 3]
            parser = Parser(**options)
            for threshold, unit in enumerate(TEXT):
                Cycle()
                weakref.finalize(Cycle(), meddle, parser)
                gc.set_threshold(1 + threshold % 5, 1, 1)
                with contextlib.suppress(ValueError, RuntimeError):
                    parser.feed(unit)
                with contextlib.suppress(ValueError, RuntimeError):
                    look(parser)
            gc.set_threshold(*before)
    finally:
        gc.callbacks.clear()
        gc.set_threshold(*before)


# The live value


@attack
def changes_of_the_live_value() -> None:
    """The user deletes, empties, replaces, ties into knots and keeps what they see."""
    for seed in range(400):
        rng = random.Random(seed)
        options: dict[str, Any] = rng.choice(
            [{}, {}, {"events": EVERY_EVENT}, {"object_hook": dict}, {"atomic": "$.a"}]
        )
        text = rng.choice([TEXT, f"[{TEXT},{TEXT}]", '["' + "abc水é" * 30 + '"]', '"' + "x" * 99])
        kept: list[tuple[str, list[str]]] = []
        parser = Parser(**options)
        at = 0
        with contextlib.suppress(RecursionError):  # comparing and copying knots
            while at < len(text):
                size = rng.choice([1, 1, 2, 3, 9])
                fragment: Any = text[at : at + size]
                parser.feed(fragment.encode() if rng.random() < 0.3 else fragment)
                at += size
                change(parser.value, rng, kept)
                parser.snapshot()
                parser.is_complete(("a", 1, "i"))
        assert all(string == "".join(letters) for string, letters in kept)
        assert all({string: 1}["".join(letters)] == 1 for string, letters in kept)
        del parser, kept
    gc.collect()


def change(value: Any, rng: random.Random, kept: list[tuple[str, list[str]]]) -> None:
    here, parent, step = value, None, None
    for _ in range(rng.randrange(6)):
        if not isinstance(here, (dict, list)) or not here:
            break
        parent = here
        step = rng.choice(list(here)) if isinstance(here, dict) else rng.randrange(len(here))
        here = here[step]
    if isinstance(here, str):
        use_string(here, rng, kept)
    if parent is not None and rng.random() < 0.3:
        other = rng.choice([value, parent, [], {}, "z", here, None])
        if rng.random() < 0.5:
            del parent[step]
        elif isinstance(parent, dict):
            parent[rng.choice([step, "a", "new", 1])] = other
        else:
            parent.insert(rng.choice([0, step, len(parent)]), other)
    elif isinstance(here, (dict, list)) and rng.random() < 0.1:
        here.clear()
        if isinstance(here, list) and rng.random() < 0.5:
            here += [value, here]


def use_string(string: str, rng: random.Random, kept: list[tuple[str, list[str]]]) -> None:
    use = rng.randrange(5)
    if use == 0:
        hash(string)
    elif use == 1:
        kept.append((sys.intern(string), list(string)))
    elif use == 2:
        string.encode()
    elif use == 3:
        kept.append((string, list(string)))


@attack
def open_strings_that_are_taken_away() -> None:
    """The only reference to an open string is moved about and comes back changed in its use."""
    for letter in ("x", "é", "水", "😀"):
        for move in (
            lambda members: members.__setitem__("k2", members.pop("k", "")),
            lambda members: members.__setitem__(members.pop("k", ""), 1),
            lambda members: members.__setitem__("k", str(members.get("k")) + "!"),
            lambda members: members.__setitem__("k", "z"),
            lambda members: members.clear(),
            lambda members: members.__setitem__("k", members),
        ):
            parser = Parser(events=("delta",))
            parser.feed('{"k":"')
            told = ""
            for _ in range(70):
                told += "".join(event.value for event in parser.feed(letter))
                move(parser.value)
                for key in parser.value:
                    assert key in parser.value
            parser.feed('"}')
            assert told == letter * 70
            gc.collect()


# The rest


@attack
def iterators_that_are_reentered() -> None:
    def hook(digits: str) -> int:
        with contextlib.suppress(ValueError, RuntimeError):
            next(values)
        with contextlib.suppress(ValueError, RuntimeError):
            values.close()
        return int(digits)

    for several in (True, False):
        values = iterparse(["[1]", " [2]" if several else ""], several, parse_int=hook)
        assert list(values)[-1] == ([2] if several else [1])


@attack
def parsers_that_are_copied() -> None:
    parser = Parser()
    parser.feed('["a')
    for use in (copy.copy, copy.deepcopy, pickle.dumps):
        try:
            use(parser)
        except TypeError:
            continue
        raise AssertionError(f"{use} took a parser")


@attack
def parsers_that_were_never_begun() -> None:
    class Lazy(Parser):
        def __init__(self) -> None:
            pass

    for parser in (Parser.__new__(Parser), Lazy()):
        for name, member in inspect.getmembers(Parser):
            if callable(member) and not name.startswith("__"):
                with contextlib.suppress(RuntimeError, TypeError):
                    getattr(parser, name)()
        for name in ("value", "status", "path", "pos", "error", "unused_data"):
            getattr(parser, name)
        for use in (lambda parser=parser: parser.feed(""), parser.snapshot, parser.reset):
            try:
                use()
            except RuntimeError:
                continue
            raise AssertionError("it took a parser that was never begun")


@attack
def deep_values() -> None:
    """Deep values are dropped, copied and compared; comparing may be refused, not crash."""
    for depth in (1000, 100_000):
        for opening, closing in (("[", "]"), ('{"a":', "}")):
            parser = Parser(max_depth=depth)
            parser.feed(opening * depth)
            copied, again = parser.snapshot(), parser.snapshot()
            for use in (copied.__eq__, copied.__ne__, lambda other: repr(other)):
                with contextlib.suppress(RecursionError, MemoryError):
                    use(again)
            with contextlib.suppress(JSONDecodeError):
                parser.feed(("1" if closing == "}" else "") + closing * depth)
            assert parser.status == "complete"
            value = parser.value
            del parser, copied, use
            gc.collect()
            del value, again
            gc.collect()


def main() -> None:
    for name in sys.argv[1:] or ATTACKS:
        ATTACKS[name]()
        print("ok", name, flush=True)


if __name__ == "__main__":
    main()
