"""The errors of ``Parser``: where they point, what they carry, and that each one is fresh."""

import json
from typing import Any

import pytest
from comparison import EVERY_EVENT, error_of, exactly, fed, feed_all, plain_events
from fragmentation import fragmentations

from fragjson import IncompleteJSONError, MalformedJSONError, Parser, loads


def test_error_is_none_until_it_stops() -> None:
    parser = fed("[1")
    assert parser.error is None
    error = error_of(parser.feed, "}")
    assert parser.error == error
    assert parser.error is not error
    assert parser.error is not parser.error


@pytest.mark.parametrize("keep_text", [True, False])
def test_doc_is_the_kept_text_or_the_failing_fragment(keep_text: bool) -> None:
    parser = fed("[1,\n", keep_text=keep_text)
    error = error_of(parser.feed, "2,\n 3 4]")
    assert error.doc == ("[1,\n2,\n 3 4]" if keep_text else "2,\n 3 4]")
    assert (error.pos, error.lineno, error.colno) == (10, 3, 4)
    assert str(error) == "Expecting ',' delimiter: line 3 column 4 (char 10)"


def test_lines_and_columns_are_counted_while_feeding() -> None:
    text = '{\n "é": [1,\r\n\n  "水😀",\n 2 !'
    with pytest.raises(json.JSONDecodeError) as right:
        json.loads(text)
    for data in (text, text.encode()):
        for _, fragments in fragmentations(data):
            error = error_of(feed_all, Parser(), fragments)
            assert (error.lineno, error.colno) == (right.value.lineno, right.value.colno)


@pytest.mark.parametrize(
    ("first", "fragment", "msg", "pos", "stopped_at"),
    [
        ("", "\ufeff[]", "Unexpected UTF-8 BOM (decode using utf-8-sig)", 0, 0),
        (b"\xef\xbb\xbf", "\ufeff[]", "Expecting value", 0, 0),
        (b"\xef", b"\x41", "Expecting value", 0, 0),
        (b"\xef\xbb", "[]", "Expecting value", 0, 0),
        (b'["a\xe6', b'\xb0"', "Invalid UTF-8", 3, 3),
        (b'["a\xe6\xb0', "x", "Invalid UTF-8", 3, 3),
        (b'["a', b"\xff", "Invalid UTF-8", 3, 3),
        (b'{"a', b"\xc0", "Invalid UTF-8", 3, 3),
        (b'["a', b"\xe0\x80", "Invalid UTF-8", 3, 3),
        (b"[1", b"\xc3", "Expecting ',' delimiter", 2, 2),
        ("[tr", "x", "Expecting value", 1, 3),
        ('["ab\\', "x", "Invalid \\escape", 4, 5),
        ('["ab\\u12', "x", "Invalid \\uXXXX escape", 5, 8),
        ('["ab', "\x01", "Invalid control character at", 4, 4),
        ("[1.", "]", "Expecting ',' delimiter", 2, 3),
        ("[-", "]", "Expecting value", 1, 2),
        ("1.", "x", "Extra data", 1, 2),
    ],
)
def test_pos_is_where_json_points_and_stopped_at_the_impossible_character(
    first: Any, fragment: Any, msg: str, pos: int, stopped_at: int
) -> None:
    error = error_of(fed(first).feed, fragment)
    assert type(error) is MalformedJSONError
    assert (error.msg, error.pos, error.stopped_at) == (msg, pos, stopped_at)


def test_a_held_half_shows_when_a_fault_decides_it() -> None:
    for text in ('["\\ud83d\n', '["\\ud83d\\x', '["\\ud83d\\u00x', '["\ud83d\n', '["\ud83d\\x'):
        for _, fragments in fragmentations(text):
            parser = Parser(events=EVERY_EVENT)
            error = error_of(feed_all, parser, fragments)
            assert exactly(parser.value) == exactly(error.value) == exactly(["\ud83d"])


def test_the_error_tells_the_events_of_its_feed() -> None:
    parser = fed('[{"a": 1}, "x', events=EVERY_EVENT)
    error = error_of(parser.feed, 'yz", {"b": "cd\n')
    expected = [
        ("delta", (1,), "string", "yz"),
        ("end", (1,), "string", "xyz"),
        ("start", (2,), "object", {}),
        ("start", (2, "b"), "string", ""),
        ("delta", (2, "b"), "string", "cd"),
    ]
    assert plain_events(error.events) == expected
    assert type(error.events) is tuple
    assert plain_events(parser.error.events) == expected


@pytest.mark.parametrize("tail", [b"", b"\xe6", b"\xe6\xb0", b"\xf0\x9f\x98", b"\\", b"\\u00"])
@pytest.mark.parametrize("escape", [r"\u00e9", r"\ud83d", r"\ud83d\ude00", r"\n", "é", r"\\u00e9"])
def test_a_character_that_is_cut_does_not_count_in_the_error(escape: str, tail: bytes) -> None:
    text = f'["a{escape}'
    data = text.encode() + tail
    with pytest.raises(json.JSONDecodeError) as right:
        json.loads(data.decode("utf-8", "ignore"))
    for at in range(len(data) + 1):
        parser = fed(data[:at])
        parser.feed(data[at:])
        with pytest.raises(IncompleteJSONError) as error:
            parser.close()
        assert (error.value.msg, error.value.pos) == (right.value.msg, right.value.pos)
        with pytest.raises(IncompleteJSONError) as error:
            loads(data, allow_partial=False)
        assert (error.value.msg, error.value.pos) == (right.value.msg, right.value.pos)


def test_events_are_told_by_the_feed_that_fails_and_not_again() -> None:
    parser = Parser(events={"end"})
    first = error_of(parser.feed, '{"a":1,}')
    assert [event.path for event in first.events] == [("a",)]
    for again in (error_of(parser.feed, "x"), error_of(parser.feed, ""), error_of(parser.close)):
        assert (again, again.events) == (first, ())
    assert parser.error is not None
    assert parser.error.events == first.events
