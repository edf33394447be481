"""The events of ``Parser``: which come, in what order, with what in them."""

import copy
import pickle

import pytest
from comparison import EVERY_EVENT, events_of

from fragjson import (
    Event,
    Parser,
)


def test_events_come_as_the_document_goes() -> None:
    assert events_of('{"a":"x', 'y","b":[1,tr', 'ue,"', '"]}') == [
        ("start", (), "object", {}),
        ("start", ("a",), "string", ""),
        ("delta", ("a",), "string", "x"),
        ("delta", ("a",), "string", "y"),
        ("end", ("a",), "string", "xy"),
        ("start", ("b",), "array", []),
        ("end", ("b", 0), "number", 1),
        ("end", ("b", 1), "boolean", True),
        ("start", ("b", 2), "string", ""),
        ("end", ("b", 2), "string", ""),
        ("end", ("b",), "array", [1, True, ""]),
        ("end", (), "object", {"a": "xy", "b": [1, True, ""]}),
    ]


def test_the_value_of_a_start_is_the_live_container_and_of_an_end_the_finished_value() -> None:
    parser = Parser(events=EVERY_EVENT)
    started = [event.value for event in parser.feed('{"a":[1,')]
    assert started[0] is parser.value
    assert started[1] is parser.value["a"]
    ended = parser.feed("2]}")
    assert ended[-1].value is parser.value
    assert ended[-2].value is parser.value["a"]


def test_one_delta_per_string_and_feed_with_only_the_new_text() -> None:
    assert events_of('["ab\\ncd', "", "\\ud83d", "\\ude00", '"]', events={"delta"}) == [
        ("delta", (0,), "string", "ab\ncd"),
        ("delta", (0,), "string", "😀"),
    ]


@pytest.mark.parametrize("kinds", [(), ("start",), ("delta",), ("end",), ("start", "end")])
def test_only_the_events_subscribed_to_come(kinds: tuple[str, ...]) -> None:
    text = '{"a":["x",1],"b":null}'
    every = events_of(text)
    for collection in (kinds, list(kinds), frozenset(kinds)):
        assert events_of(text, events=collection) == [event for event in every if event[0] in kinds]


def test_each_json_type_has_the_word_of_json_schema() -> None:
    text = '[{},[],"",1,1.5,NaN,true,false,null]'
    assert [event[2] for event in events_of(text, events={"end"})] == [
        "object", "array", "string", "number", "number", "number", "boolean", "boolean", "null",
        "array",
    ]  # fmt: skip


def test_a_number_at_the_root_has_its_end_event_when_a_character_ends_it() -> None:
    assert events_of("1", "2 ") == [("end", (), "number", 12)]
    parser = Parser(events=EVERY_EVENT)
    assert parser.feed("12") == ()
    assert parser.close() == 12


def test_an_event_is_a_small_record_matched_by_position() -> None:
    event = Parser(events={"end"}).feed('["a"')[0]
    match event:
        case Event("end", (0,), "string", value):
            assert value == "a"
        case _:
            pytest.fail("did not match")
    assert event == Event("end", (0,), "string", "a")
    assert event != Event("end", (1,), "string", "a")
    assert event != ("end", (0,), "string", "a")
    assert (event.kind, event.path, event.json_type, event.value) == ("end", (0,), "string", "a")
    assert "end" in repr(event)
    assert "(0,)" in repr(event)
    assert pickle.loads(pickle.dumps(event)) == event
    assert copy.copy(event) == copy.deepcopy(event) == event
    with pytest.raises((AttributeError, TypeError)):
        event.kind = "start"
