"""Who holds on to what: strings and values that are kept or changed, memory that goes in time."""

import gc
import json
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from comparison import EVERY_EVENT, error_of, fed, feed_all
from fragmentation import fragmentations

import fragjson
from fragjson import (
    JSONDecodeError,
    Parser,
)
from fragjson.testing import units

# Who keeps references, or changes what is shown


def test_a_kept_reference_to_an_open_string_never_changes() -> None:
    for letter in ("x", "é", "水", "😀"):
        parser = fed('{"k":["')
        kept = []
        for _ in range(300):
            parser.feed(letter)
            kept.append(parser.value["k"][0])
        parser.feed('"')
        assert [len(string) for string in kept] == list(range(1, 301))
        assert all(string == letter * len(string) for string in kept)
        assert all(string in {letter * len(string)} for string in kept)


@pytest.mark.parametrize("start", ['"', '["', '{"k":"'])
@pytest.mark.parametrize("letter", ["x", "é", "水", "😀"])
def test_a_long_string_moves_and_what_is_kept_of_it_stays(letter: str, start: str) -> None:
    def string() -> str:
        value = parser.value
        return value if start == '"' else value[0] if start == '["' else value["k"]

    parser = fed(start)
    kept = []
    text = ""
    for size in (70_000, 1, 40_000, 60_000, 1, 1, 100_000, 200_000, 3):
        parser.feed(letter * size)
        text += letter * size
        assert string() == text
        if size % 2:
            kept.append((string(), text))
    parser.feed("\\n" * 300_000)
    assert string() == text + "\n" * 300_000
    parser.feed('"')
    assert string() == text + "\n" * 300_000
    assert sys.getsizeof(string()) == sys.getsizeof(text + "\n" * 300_000)
    assert all(old == copy for old, copy in kept)


@pytest.mark.parametrize(
    "use",
    [hash, sys.intern, str.encode, str.upper, lambda s: {s: 1}, lambda s: memoryview(s.encode()),
     pickle.dumps, lambda s: s.isidentifier(), lambda s: json.dumps([s])],
)  # fmt: skip
@pytest.mark.parametrize("letter", ["x", "é", "水"])
def test_using_an_open_string_leaves_nothing_stale_behind(
    use: Callable[[str], Any], letter: str
) -> None:
    parser = fed('["')
    for length in range(1, 200):
        parser.feed(letter)
        use(parser.value[0])
        assert parser.value[0] == letter * length
        assert hash(parser.value[0]) == hash(letter * length)
        assert parser.value[0].encode() == letter.encode() * length
    parser.feed('"]')
    string = parser.close()[0]
    assert string == letter * 199
    assert {string: 1}[letter * 199] == 1


def test_a_string_that_becomes_wider_is_right_at_every_step() -> None:
    parser = fed('["')
    text = ""
    for letter in ["a"] * 40 + ["é"] * 40 + ["水"] * 40 + ["😀"] * 40 + ["a"] * 40:
        parser.feed(letter)
        text += letter
        assert parser.value[0] == text
        assert hash(parser.value[0]) == hash(text)


def test_closed_strings_keep_no_spare_room() -> None:
    for piece in ("a", "é", "水", "😀"):
        parser = fed('["')
        for _ in range(3000):
            parser.feed(piece)
        parser.feed('"]')
        fresh = "".join([piece] * 3000)
        assert sys.getsizeof(parser.close()[0]) == sys.getsizeof(fresh)


def spoil_dict(value: Any) -> None:
    value.clear()


def spoil_by_deleting(value: Any) -> None:
    for key in list(value):
        del value[key]
    value["new"] = value


def spoil_inside(value: Any) -> None:
    for child in list(value.values()):
        if isinstance(child, (list, dict)):
            child.clear()


def spoil_by_replacing(value: Any) -> None:
    for key in list(value):
        value[key] = [1, 2, 3]


@pytest.mark.parametrize("spoil", [spoil_dict, spoil_by_deleting, spoil_inside, spoil_by_replacing])
@pytest.mark.parametrize("options", [{}, {"events": EVERY_EVENT}, {"object_hook": dict}])
def test_who_changes_the_live_value_is_wrong_but_never_crashes(
    spoil: Callable[[Any], None], options: dict[str, Any]
) -> None:
    text = '{"a":"bcd","e":[1,[2,"fgh"],{"i":"jkl"}],"m":{"n":{"o":"p"}},"a":"q"}'
    for _, fragments in fragmentations(text):
        parser = Parser(**options)
        for fragment in fragments:
            parser.feed(fragment)
            if isinstance(parser.value, dict):
                spoil(parser.value)
            parser.snapshot()
            for path in [(), ("a",), ("e",), ("e", 1), ("e", 2, "i"), ("m", "n", "o")]:
                assert parser.is_complete(path) in (True, False)
        parser.close()
        assert parser.status == "complete"
    gc.collect()


class Thing:
    """Whose attributes are the live value."""

    def __init__(self, value: dict[str, Any]) -> None:
        self.__dict__ = value


def store_attribute(value: Any) -> None:
    """As the interpreter does where it has seen many such stores and takes the short way, too."""
    for thing in [*(Thing({"b": 1, "a": "x"}) for _ in range(200)), Thing(value)]:
        thing.a = ""


TAKING = {
    "an attribute": store_attribute,
    "del": lambda value: value.__delitem__("a"),
    "pop": lambda value: value.pop("a"),
    "popitem": lambda value: value.popitem(),
    "clear": lambda value: value.clear(),
    "assignment": lambda value: value.__setitem__("a", ""),
    "update": lambda value: value.update(a=""),
    "|=": lambda value: value.__ior__({"a": ""}),
    "another __init__": lambda value: value.__init__(a=""),
    "assignment of its equal": lambda value: value.__setitem__("a", "".join(list(value["a"]))),
    "exec": lambda value: exec("a = ''", {}, value),
}


@pytest.mark.parametrize("way", TAKING)
@pytest.mark.parametrize("before", ["", '"b":1,'])
@pytest.mark.parametrize("piece", ["more", "mo\\n", "语言"])
def test_an_open_string_that_is_taken_out_and_kept_never_changes(
    way: str, before: str, piece: str
) -> None:
    """The one who keeps it holds as many references as the dict did."""
    parser = Parser()
    parser.feed("{" + before + '"a":"')
    parser.feed(piece)
    parser.feed(piece)
    kept, as_it_was = [parser.value["a"]], "".join(list(parser.value["a"]))
    TAKING[way](parser.value)
    for _ in range(3):
        parser.feed(piece)
        assert kept == [as_it_was]
    parser.feed('"}')
    text = json.loads(f'"{piece * 5}"')
    assert parser.close()["a"] == text
    assert kept == [as_it_was]


class TakesOut:
    """Takes what has replaced it out of the live value, and keeps it, when it is dropped."""

    def __init__(self, parser: Parser, kept: list[Any]) -> None:
        self._parser, self._kept = parser, kept

    def __del__(self) -> None:
        if isinstance(self._parser.value, dict):
            self._kept.append(self._parser.value.pop("a", None))


@pytest.mark.parametrize("piece", ["more", "mo\\n", "语言"])
def test_an_open_string_that_is_taken_out_while_it_is_put_in_never_changes(piece: str) -> None:
    """Where a key comes again, its old value is dropped with the new one in place."""
    kept: list[Any] = []
    parser = Parser(parse_int=lambda text: TakesOut(parser, kept))
    parser.feed('{"b": "", "a": 1, "a": "' + piece)
    seen = ["".join(text) for text in kept]
    assert len(seen) == 1
    for _ in range(3):
        parser.feed(piece)
        assert kept == seen
    parser.feed('"}')
    assert parser.close()["a"] == json.loads(f'"{piece * 4}"')
    assert kept == seen


# Memory


class Weak(Parser):
    """A parser that can be referred to weakly."""


def make_and_use(text: str, **options: Any) -> weakref.ref[Any]:
    parser = Weak(**options)
    error_of(feed_all, parser, units(text))
    error_of(parser.close)
    error_of(parser.close)
    assert parser.error is None or parser.error.value is parser.value
    return weakref.ref(parser)


@pytest.mark.parametrize(
    "text", ["[1,2]", '{"a":["b', "[1 2", "[tru]", '{"a":{"b":\n!', "1x", "[[["]
)
@pytest.mark.parametrize("options", [{}, {"events": EVERY_EVENT, "keep_text": True}])
def test_a_parser_goes_at_once_without_the_cycle_collector(
    text: str, options: dict[str, Any]
) -> None:
    gc.collect()
    gc.disable()
    try:
        assert make_and_use(text, max_depth=2, **options)() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_raised_error_does_not_keep_the_parser() -> None:
    def fail() -> tuple[weakref.ref[Any], JSONDecodeError]:
        parser = Weak()
        error = error_of(parser.feed, "[1 2")
        return weakref.ref(parser), error.with_traceback(None)

    gc.disable()
    try:
        reference, error = fail()
        assert reference() is None
    finally:
        gc.enable()
    assert error.value == [1]


def test_a_cycle_through_a_hook_is_collected() -> None:
    def make() -> weakref.ref[Any]:
        holder: list[Any] = []
        parser = Weak(object_hook=lambda members: (holder, members)[1])
        holder.append(parser)
        parser.feed('[{"a":1}')
        return weakref.ref(parser)

    reference = make()
    gc.collect()
    assert reference() is None


def test_the_value_outlives_the_parser() -> None:
    value = fed('{"a":["bcd", {"e":"fg').value
    gc.collect()
    assert value == {"a": ["bcd", {"e": "fg"}]}


@pytest.mark.parametrize("text", ['{"a":["x",1.5,{"b":null}]}', '["abc', "[1 2"])
def test_reference_counts_are_balanced(text: str) -> None:
    def use() -> None:
        parser = Parser(events=EVERY_EVENT)
        for fragment in units(text):
            if error_of(parser.feed, fragment):
                break
            parser.snapshot()
        error_of(parser.close)

    for _ in range(50):
        use()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(2000):
        use()
    gc.collect()
    assert sys.getallocatedblocks() - before < 200


def test_the_value_of_one_parser_is_not_that_of_another() -> None:
    first, second = fed('{"a":["x'), fed('{"a":["x')
    first.feed('y",')
    assert second.value == {"a": ["x"]}
    second.feed('z"')
    assert (first.value, second.value) == ({"a": ["xy"]}, {"a": ["xz"]})


def test_equal_keys_are_one_object_within_a_document() -> None:
    rows = fed('[{"identifier":1},{"identifier":2},{"é":1},{"é":2}]').close()
    keys = [next(iter(row)) for row in rows]
    assert keys[0] is keys[1]
    assert keys[2] is keys[3]


def test_the_package_shows_the_class_where_it_lives() -> None:
    assert Parser.__name__ == "Parser"
    assert fragjson.Parser is Parser
    assert Parser.__doc__
    assert Parser.feed.__doc__
