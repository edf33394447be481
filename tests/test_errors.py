"""The exceptions: a family of ``json.JSONDecodeError``, complete, comparable, ready to travel."""

import codecs
import copy
import json
import pickle
from typing import Any

import pytest
from comparison import error_of, exactly, feed_all
from fragmentation import fragmentations

import fragjson
from fragjson import (
    Event,
    IncompleteJSONError,
    JSONDecodeError,
    LimitExceededError,
    MalformedJSONError,
    Parser,
)
from fragjson._errors import DepthLimitError


def malformed() -> Any:
    parser = Parser(events={"start", "delta", "end"})
    parser.feed('{"a":\n [1, ')
    return error_of(parser.feed, '"x", tru]')


def incomplete() -> Any:
    return error_of(fragjson.loads, '{"a": [1, "x', allow_partial=False)


def too_long() -> Any:
    return error_of(Parser(max_string=2).feed, '["abc')


def too_deep() -> Any:
    return error_of(Parser(max_depth=1).feed, "[[")


def from_a_hook() -> Any:
    parser = Parser(parse_int=lambda digits: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        parser.feed("[1,")
    return parser.error


EVERY_ERROR = [malformed, incomplete, too_long, too_deep, from_a_hook]


def test_the_family() -> None:
    assert issubclass(JSONDecodeError, json.JSONDecodeError)
    assert issubclass(JSONDecodeError, ValueError)
    for kind in (IncompleteJSONError, MalformedJSONError, LimitExceededError):
        assert kind.__bases__ == (JSONDecodeError,)
    assert DepthLimitError.__bases__ == (LimitExceededError, RecursionError)
    assert [type(make()) for make in EVERY_ERROR] == [
        MalformedJSONError, IncompleteJSONError, LimitExceededError, DepthLimitError,
        JSONDecodeError,
    ]  # fmt: skip


def test_code_written_for_json_catches_them() -> None:
    with pytest.raises(json.JSONDecodeError):
        fragjson.loads("[1,,")
    with pytest.raises(RecursionError):
        fragjson.loads("[[", max_depth=1)


def test_everything_is_in_them() -> None:
    error = malformed()
    assert (error.msg, error.doc, error.pos) == ("Expecting value", '"x", tru]', 16)
    assert (error.lineno, error.colno, error.stopped_at) == (2, 11, 19)
    assert error.value == {"a": [1, "x"]}
    assert error.path == ("a", 2)
    assert error.events == (
        Event("start", ("a", 1), "string", ""),
        Event("delta", ("a", 1), "string", "x"),
        Event("end", ("a", 1), "string", "x"),
    )
    assert str(error) == "Expecting value: line 2 column 11 (char 16)"


def test_the_text_is_that_of_json() -> None:
    for text in ("[1,\n 2 3]", "{", '{"a" 1}', "nul", "[1] 2"):
        with pytest.raises(json.JSONDecodeError) as right:
            json.loads(text)
        ours = error_of(fragjson.loads, text, allow_partial=False)
        assert str(ours) == str(right.value)
        assert ours.args == right.value.args


@pytest.mark.parametrize("make", EVERY_ERROR)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_they_pickle(make: Any, protocol: int) -> None:
    error = make()
    assert_equal_in_everything(pickle.loads(pickle.dumps(error, protocol)), error)


@pytest.mark.parametrize("make", EVERY_ERROR)
def test_they_copy(make: Any) -> None:
    error = make()
    assert_equal_in_everything(copy.copy(error), error)
    assert_equal_in_everything(copy.deepcopy(error), error)


def assert_equal_in_everything(other: Any, error: Any) -> None:
    assert other is not error
    assert type(other) is type(error)
    assert other == error
    assert hash(other) == hash(error)
    assert (str(other), other.args) == (str(error), error.args)
    names = ("msg", "doc", "pos", "lineno", "colno", "stopped_at", "path", "events")
    assert [getattr(other, name) for name in names] == [getattr(error, name) for name in names]
    assert exactly(other.value) == exactly(error.value)


def test_they_are_equal_when_all_but_value_and_events_is() -> None:
    first, second = malformed(), malformed()
    assert first == second
    assert first is not second
    assert len({first, second}) == 1
    first.value, first.events = None, ()
    assert first == second
    for name in ("msg", "doc", "pos", "lineno", "colno", "stopped_at", "path"):
        changed = malformed()
        setattr(changed, name, "other")
        assert changed != second, name
    assert first != incomplete()
    assert first != ValueError(str(first))
    plain = {"msg": "m", "doc": "d", "pos": 0}
    assert MalformedJSONError(**plain) != IncompleteJSONError(**plain)


def test_they_can_be_made_by_hand() -> None:
    error = MalformedJSONError("Expecting value", "[\n\n x", 4)
    assert (error.lineno, error.colno, error.stopped_at) == (3, 2, 4)
    assert (error.value, error.path, error.events) == (None, (), ())
    given = json.JSONDecodeError("Expecting value", "[\n\n x", 4)
    assert str(error) == str(given)
    placed = IncompleteJSONError("m", "", 40, lineno=7, colno=3, stopped_at=42, path=("a", 0))
    assert str(placed) == "m: line 7 column 3 (char 40)"
    assert (placed.stopped_at, placed.path) == (42, ("a", 0))


def test_notes_and_causes_travel_as_with_any_exception() -> None:
    error = malformed()
    error.add_note("from the model")
    assert copy.copy(error).__notes__ == ["from the model"]
    assert error.__cause__ is None
    assert error.__context__ is None


# The excerpt

FAULTY = [
    '{"limit" 10}', '[1, 2,, 3]', '{"a": 1,\n "b": [tru]}\n', '["é" "漢字"]', '{"語": "文", "é" 1}',
    '["\\u00e9\\ud83d\\ude00", x]', '[1]]', '["line\nbreak"]', '["\\x"]', '\n\n[1,\n}', "{'a': 1}",
    '["' + "long " * 30 + '\\z' + " and more" * 30 + '"]',
    '{\r\n\t"a":\t[tru],\r\n\t"b": 1\r\n}\r\n', '["\ud800", "\udc00\ud83d" x]', '["\x1b[2J" 1]',
]  # fmt: skip


@pytest.mark.parametrize("text", FAULTY)
@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8], ids=["", "bom"])
def test_the_caret_stands_below_the_fault_however_the_text_was_cut(text: str, bom: bytes) -> None:
    whole = error_of(fragjson.loads, text)
    assert whole is not None
    line, caret = whole.excerpt.split("\n")
    assert line.isprintable()
    assert caret.lstrip() == "^"
    if text.isprintable() and text.isascii():
        assert line[len(caret) - 1] == text[whole.pos]
    encoded = bom + text.encode(errors="surrogatepass")
    for fed in (encoded,) if bom else (encoded, text):
        for _, fragments in fragmentations(fed):
            kept = error_of(feed_all, Parser(keep_text=True), fragments)
            assert kept is not None
            seen, caret_below = kept.excerpt.split("\n")
            assert caret_below == caret
            assert line.startswith(seen.rstrip("\N{REPLACEMENT CHARACTER}"))
            last = error_of(feed_all, Parser(), fragments)
            assert last is not None
            # A fragment of bytes may end inside a character.
            assert text[last.doc_start :].startswith(last.doc.rstrip("\N{REPLACEMENT CHARACTER}"))
            at = last.pos - last.doc_start
            assert last.doc[max(at, 0)] == text[max(last.pos, last.doc_start)]
            assert (last.excerpt == "") == (at < 0)


@pytest.mark.parametrize("text", ["", "[", '{"a": "x', '{"é', "[1, tru", '["\\ud83d', "-"])
def test_what_ends_too_early_has_no_excerpt_and_places_that_no_cut_changes(text: str) -> None:
    for fed in (text, text.encode()):
        for _, fragments in fragmentations(fed):
            parser = Parser()
            feed_all(parser, fragments)
            error = error_of(parser.close)
            assert (error.doc, error.doc_start, error.excerpt) == ("", len(text), "")


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_second_bom_is_text_and_a_fault(cut: int) -> None:
    boms = codecs.BOM_UTF8 * 2
    error = error_of(feed_all, Parser(), [boms[:cut], boms[cut:]])
    assert (error.pos, error.doc_start) == (0, 0)
    # It is one as soon as its first byte has come.
    assert error.excerpt == ("\\ufeff\n^" if cut < 4 else "\N{REPLACEMENT CHARACTER}\n^")


def test_an_excerpt_controls_no_terminal_and_counts_wide_characters() -> None:
    error = MalformedJSONError("x", '{"\x1b[2J漢e\u0301" 1}', 11)
    assert error.excerpt == '{"\\u001b[2J漢e\u0301" 1}\n                ^'
