"""Cohere: calls by index, an object where the name says list, the reason after all ends."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "cohere"
BEGIN = {"type": "message-start", "id": "c1", "delta": {"message": {"tool_calls": []}}}


def start(index: int, **function: Any) -> Any:
    entry = {"id": f"t{index}", "type": "function", "function": {"name": f"f{index}", **function}}
    return {"type": "tool-call-start", "index": index, "delta": {"message": {"tool_calls": entry}}}


def delta(index: int, text: Any) -> Any:
    entry = {"function": {"arguments": text}}
    return {"type": "tool-call-delta", "index": index, "delta": {"message": {"tool_calls": entry}}}


def stop(index: int) -> Any:
    return {"type": "tool-call-end", "index": index}


def end(reason: str | None, **more: Any) -> Any:
    return {"type": "message-end", "delta": {"finish_reason": reason, **more}}


def told(*events: Any, reason: str = "TOOL_CALL") -> Accumulator:
    return drive(VENDOR, [BEGIN, *events, end(reason)])


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_interleaved_calls() -> None:
    accumulator = told(
        start(0), start(1), delta(0, '{"a":'), delta(1, '{"b":'), delta(0, "1}"), stop(0),
        delta(1, "2}"), stop(1),
    )  # fmt: skip
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [call.key for call in accumulator.calls] == [("c1", None, "t0"), ("c1", None, "t1")]


def test_first_arguments_at_the_start() -> None:
    assert arguments(told(start(0, arguments='{"a"'), delta(0, ":1}"), stop(0))) == [{"a": 1}]


def test_whole_call_closes_with_its_end() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (BEGIN, start(0), delta(0, '{"a":1}')):
        accumulator.feed(event)
    assert accumulator.ready() == []
    assert [event.type for event in accumulator.feed(stop(0))] == ["tool_call_closed"]
    assert [call.reason for call in accumulator.ready()] == ["tool-call-end"]


@pytest.mark.parametrize(
    "other",
    [
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "x"}}},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {}}}},
        {"type": "content-end", "index": 0},
        {"type": "citation-start", "index": 0, "delta": {"message": {"citations": {}}}},
        {"type": "debug", "prompt": "x"},
        {"type": "tool-call-end", "index": 7},
        {"type": "something-new", "index": 0},
    ],
)
def test_what_is_no_call(other: Any) -> None:
    accumulator = told(other, start(0), other, delta(0, "{}"), other, stop(0))
    assert arguments(accumulator) == [{}]


@pytest.mark.parametrize("deltas", [[], [delta(0, "")], [delta(0, "null")], [delta(0, None)]])
def test_no_arguments(deltas: list[Any]) -> None:
    assert arguments(told(start(0), *deltas, stop(0))) == [{}]
    assert statuses(told(start(0), *deltas, stop(0), reason="MAX_TOKENS")) == ["incomplete"]


@pytest.mark.parametrize(
    ("reason", "open_one"),
    [
        ("TOOL_CALL", "complete"),
        ("COMPLETE", "complete"),
        ("MAX_TOKENS", "incomplete"),
        ("TIMEOUT", "incomplete"),
        ("ERROR", "incomplete"),
        ("A_NEW_ONE", "unconfirmed"),
    ],
)
def test_finish_reasons(reason: str, open_one: str) -> None:
    events = [start(0), delta(0, "{}"), stop(0), start(1), delta(1, '{"a":1}')]
    accumulator = told(*events, reason=reason)
    assert statuses(accumulator) == ["complete", open_one]
    assert accumulator.finish_reason == reason
    assert accumulator.outcome.state == ("failed" if reason == "ERROR" else "ended")


def test_error_at_the_end() -> None:
    accumulator = drive(VENDOR, [BEGIN, start(0), delta(0, "{}"), end("ERROR", error="too hot")])
    assert (statuses(accumulator), accumulator.outcome.reason) == (["incomplete"], "too hot")


def test_without_any_word_it_is_unconfirmed() -> None:
    accumulator = drive(VENDOR, [BEGIN, start(0), delta(0, '{"a":1}'), start(1), delta(1, "{")])
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]
    ended = drive(VENDOR, [BEGIN, start(0), delta(0, '{"a":1}'), end(None)])
    assert statuses(ended) == ["unconfirmed"]


def test_delta_of_a_call_that_never_started() -> None:
    (call,) = told(delta(4, '{"a":1}')).calls
    assert (call.name, call.status, call.partial) == (None, "incomplete", {"a": 1})


def test_another_message_is_an_error_and_the_same_again_is_not() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(BEGIN)
    accumulator.feed(BEGIN)
    with pytest.raises(ValueError, match="second message-start"):
        accumulator.feed({**BEGIN, "id": "c2"})


def test_tool_result() -> None:
    (call,) = told(start(0), stop(0)).calls
    tool_result = vendors.cohere.tool_result
    assert tool_result(call, "ok") == {"role": "tool", "tool_call_id": "t0", "content": "ok"}
    parts = [{"type": "text", "text": "x"}]
    assert tool_result(call, parts)["content"] == parts
    assert tool_result(call, "bad", is_error=True)["content"] == '{"error": "bad"}'
