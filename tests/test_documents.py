"""The named documents, as ``loads`` and as ``Parser`` under every fragmentation see them.

What ``json`` makes of each is right: its value, or its message and position; in which class of
error, the table says.
"""

import json
from typing import Any

import pytest
from comparison import error_of, exactly, feed_all, follow, value_of
from documents import ACCEPTED, CUT, CUT_BYTES, DEPENDS, REFUSED
from fragmentation import fragmentations

import fragjson
from fragjson import IncompleteJSONError, JSONDecodeError, MalformedJSONError, Parser

GOOD = {**ACCEPTED, **DEPENDS}


def by_name(table: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("data", table.values(), ids=table)


def in_both_forms(data: str | bytes) -> list[str | bytes]:
    """A text also as bytes, unless its first character would be a BOM there."""
    if isinstance(data, bytes) or data.startswith("\ufeff"):
        return [data]
    return [data, data.encode("utf-8", "surrogatepass")]


def json_error(data: str | bytes) -> Exception:
    with pytest.raises(ValueError, match=r".") as caught:
        json.loads(data)
    return caught.value


def is_invalid_utf_8(data: str | bytes) -> bool:
    return isinstance(json_error(data), UnicodeDecodeError)


@by_name(GOOD)
def test_what_json_accepts_has_the_value_json_gives(data: str | bytes) -> None:
    for form in in_both_forms(data):
        right = exactly(json.loads(form))
        assert exactly(fragjson.loads(form)) == right
        assert exactly(fragjson.loads(form, allow_partial=False)) == right
        for name, fragments in fragmentations(form):
            assert exactly(value_of(Parser(), fragments)) == right, name


@by_name(REFUSED)
def test_what_json_refuses_is_malformed_with_its_message_and_position(data: str | bytes) -> None:
    for form in in_both_forms(data):
        right = json_error(form)
        if isinstance(right, json.JSONDecodeError):
            for allowed in (True, False):
                ours = error_of(fragjson.loads, form, allow_partial=allowed)
                assert_same_error(ours, right, MalformedJSONError)
        else:
            for allowed in (True, False):
                with pytest.raises(UnicodeDecodeError) as caught:
                    fragjson.loads(form, allow_partial=allowed)
                assert str(caught.value) == str(right)
        total = None
        for name, fragments in fragmentations(form):
            ours = error_of(feed_all, Parser(), fragments)
            if isinstance(right, json.JSONDecodeError):
                assert_same_error(ours, right, MalformedJSONError)
            else:
                assert type(ours) is MalformedJSONError
            steps = follow(Parser(events=("start", "delta", "end")), fragments).total
            steps.pop("unused")
            total = total or steps
            assert steps == total, name


@by_name(CUT)
def test_what_is_cut_is_incomplete_with_the_message_and_position_of_json(
    data: str | bytes,
) -> None:
    for form in in_both_forms(data):
        right = json_error(form)
        ours = error_of(fragjson.loads, form, allow_partial=False)
        assert_same_error(ours, right, IncompleteJSONError)
        for _, fragments in fragmentations(form):
            parser = Parser()
            feed_all(parser, fragments)
            assert parser.error is None
            assert parser.status in ("empty", "partial")
            assert_same_error(error_of(parser.close), right, IncompleteJSONError)


@by_name(CUT_BYTES)
def test_bytes_cut_inside_a_character_are_incomplete(data: bytes) -> None:
    assert is_invalid_utf_8(data)
    assert type(error_of(fragjson.loads, data, allow_partial=False)) is IncompleteJSONError
    whole_characters = data.decode("utf-8", "ignore")
    for name, fragments in fragmentations(data):
        parser = Parser()
        feed_all(parser, fragments)
        assert parser.pos == len(whole_characters), name
        right = json_error(whole_characters)
        assert_same_error(error_of(parser.close), right, IncompleteJSONError)


def assert_same_error(ours: JSONDecodeError | None, right: Any, kind: type) -> None:
    assert type(ours) is kind
    assert (ours.msg, ours.pos) == (right.msg, right.pos)
    assert (ours.lineno, ours.colno) == (right.lineno, right.colno)


def test_the_tables_are_what_they_say() -> None:
    for table in (ACCEPTED, DEPENDS):
        for data in table.values():
            json.loads(data)
    for table in (REFUSED, CUT, CUT_BYTES):
        assert all(json_error(data) for data in table.values())
    sizes = [len(table) for table in (ACCEPTED, REFUSED, DEPENDS, CUT, CUT_BYTES)]
    assert sum(sizes) > 300
    assert min(sizes) >= 8
