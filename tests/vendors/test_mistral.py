"""Mistral: chat chunks with what the SDK makes up, and the events of conversations."""

from types import SimpleNamespace
from typing import Any

import pytest
from driving import DONE, arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "mistral"


def test_own_stream() -> None:
    check_own_stream(VENDOR)


# Chat


def chunk(*entries: Any, finish: str | None = None) -> Any:
    delta = {"tool_calls": list(entries)} if entries else {"content": ""}
    return {"id": "r1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def entry(name: str, arguments: Any, **more: Any) -> Any:
    return {"function": {"name": name, "arguments": arguments}, **more}


def test_whole_calls_beside_the_reason() -> None:
    calls = chunk(entry("f", '{"a":1}', id="x"), entry("g", {"b": 2}, id="y"), finish="tool_calls")
    for vendor in (VENDOR, "auto"):
        assert arguments(drive(vendor, [calls])) == [{"a": 1}, {"b": 2}]


def test_fragments_repeat_no_name() -> None:
    chunks = [
        chunk(entry("f", "", id="x", index=0)),
        chunk(entry("", '{"a":', index=0)),
        chunk(entry("", "1}", index=0)),
        chunk(finish="tool_calls"),
    ]
    (call,) = drive(VENDOR, chunks).calls
    assert (call.id, call.name, call.arguments) == ("x", "f", {"a": 1})


@pytest.mark.parametrize("reason", ["length", "model_length", "error"])
def test_reasons_that_do_not_mean_success(reason: str) -> None:
    accumulator = drive(VENDOR, [chunk(entry("f", '{"a":1}', id="x"), finish=reason), DONE])
    assert (statuses(accumulator), accumulator.finish_reason) == (["incomplete"], reason)


def test_what_the_sdk_makes_up_tells_no_calls_apart() -> None:
    """Index 0 and id "null" are filled in; what there was on the wire is what it dumps."""
    wire = [
        chunk(entry("f", "", id="x", index=0)),
        chunk(entry("g", "", id="y", index=1)),
        chunk(entry("", '{"b":2}')),  # goes on with the latest call, not with that of index 0
        chunk(finish="tool_calls"),
    ]
    models = [SimpleNamespace(model_dump=lambda dumped=each, **_: dumped) for each in wire]
    for events in (wire, models, [SimpleNamespace(data=model) for model in models]):
        f, g = drive(VENDOR, events).calls
        assert (f.arguments, g.arguments) == ({}, {"b": 2})
    accumulator = drive(VENDOR, [chunk(entry("f", "{}", id="null"), finish="tool_calls")])
    assert [call.id for call in accumulator.calls] == [None]


# Conversations


def piece(index: int, arguments: Any, **more: Any) -> Any:
    ids = {"id": f"fc_{index}", "tool_call_id": f"c{index}", "name": f"f{index}"}
    own = {"type": "function.call.delta", "output_index": index, **ids, "arguments": arguments}
    return {**own, **more}


def execution(step: str, arguments: Any = None) -> Any:
    own = {"type": f"tool.execution.{step}", "output_index": 0, "id": "t1", "name": "web_search"}
    return own if arguments is None else {**own, "arguments": arguments}


DONE_EVENT = {"type": "conversation.response.done", "usage": {}}


def conversation(*events: Any) -> Accumulator:
    begin = {"type": "conversation.response.started", "conversation_id": "conv_1"}
    return drive("auto", [begin, *events, DONE_EVENT])


def test_interleaved_calls() -> None:
    accumulator = conversation(piece(0, '{"a":'), piece(1, '{"b":'), piece(0, "1}"), piece(1, "2}"))
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [(call.id, call.name, call.index) for call in accumulator.calls] == [
        ("c0", "f0", 0), ("c1", "f1", 1),
    ]  # fmt: skip
    assert accumulator.calls[0].extra == {"type": "function.call", "entry_id": "fc_0"}


@pytest.mark.parametrize(
    "missing", ["id", "tool_call_id", "output_index"], ids=lambda name: f"without {name}"
)
def test_calls_are_known_by_any_of_their_marks(missing: str) -> None:
    events = [piece(0, '{"a":'), piece(1, '{"b":'), piece(0, "1}"), piece(1, "2}")]
    for event in events:
        del event[missing]
    assert arguments(conversation(*events)) == [{"a": 1}, {"b": 2}]


def test_a_call_has_no_close_but_that_of_the_response() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (piece(0, '{"a":1}'), piece(1, "{}")):
        accumulator.feed(event)
    assert accumulator.ready() == []
    accumulator.feed(DONE_EVENT)
    assert len(accumulator.ready()) == 2
    assert accumulator.finish_reason == "conversation.response.done"
    assert statuses(drive(VENDOR, [piece(0, '{"a":1}'), piece(1, "{")])) == [
        "unconfirmed", "incomplete",
    ]  # fmt: skip


def test_no_arguments_and_arguments_as_an_object() -> None:
    assert arguments(conversation(piece(0, ""), piece(1, {"a": 1}))) == [{}, {"a": 1}]


def test_connectors_are_run_by_the_vendor_and_have_a_close() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (execution("started", '{"'), execution("delta", 'query":"x"}')):
        accumulator.feed(event)
    assert [event.type for event in accumulator.feed(execution("done"))] == ["tool_call_closed"]
    (call,) = accumulator.calls
    assert (call.name, call.server_side, call.arguments) == ("web_search", True, {"query": "x"})
    assert (call.id, call.reason) == ("t1", "tool.execution.done")


def test_a_call_that_waits_to_be_allowed_is_not_ours_to_run() -> None:
    accumulator = conversation(piece(0, '{"a":'), piece(0, "1}", confirmation_status="pending"))
    (call,) = accumulator.calls
    assert (call.arguments, call.server_side) == ({"a": 1}, True)
    assert call.extra["confirmation_status"] == "pending"
    assert accumulator.ready() == []


def test_error_event() -> None:
    error = {"type": "conversation.response.error", "message": "no more", "code": 429}
    accumulator = drive("auto", [piece(0, "{}"), error])
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.error is not None
    assert (accumulator.error.code, accumulator.error.message) == ("429", "no more")


@pytest.mark.parametrize(
    "other",
    [
        {"type": "message.output.delta", "id": "m", "output_index": 0, "content": "x"},
        {"type": "agent.handoff.started", "id": "h", "output_index": 0},
        {"type": "function.something", "id": "fc_0"},
        {"type": "UNKNOWN", "raw": {}},
        {"data": None},
        {"data": "x"},
        {},
    ],
)
def test_what_is_no_call(other: Any) -> None:
    assert arguments(conversation(other, piece(0, "{"), other, piece(0, "}"), other)) == [{}]


def test_tool_result() -> None:
    tool_result = vendors.mistral.tool_result
    (call,) = drive(VENDOR, [chunk(entry("f", "{}", id="x"), finish="tool_calls")]).calls
    answer = {"role": "tool", "tool_call_id": "x", "name": "f", "content": "ok"}
    assert tool_result(call, "ok") == answer
    (call,) = conversation(piece(0, "{}")).calls
    entry_ = {"type": "function.result", "tool_call_id": "c0", "result": '{"t": 1}'}
    assert tool_result(call, {"t": 1}) == entry_
    assert tool_result(call, "bad", is_error=True)["result"] == '{"error": "bad"}'
