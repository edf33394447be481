"""Gemini's Interactions: steps, arguments as text or as objects, statuses, several in a stream."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "gemini_interactions"


def created(id_: str = "v1") -> Any:
    interaction = {"id": id_, "status": "in_progress"}
    return {"event_type": "interaction.created", "interaction": interaction}


def start(index: int, kind: str = "function_call", **more: Any) -> Any:
    step = {"type": kind, "id": f"t{index}", **more}
    if kind == "function_call":
        step = {"name": f"f{index}", "arguments": {}, "signature": "", **step}
    return {"event_type": "step.start", "index": index, "step": step}


def delta(index: int, arguments: Any, kind: str = "arguments_delta", **more: Any) -> Any:
    part = {"type": kind, "arguments": arguments, **more}
    return {"event_type": "step.delta", "index": index, "delta": part}


def stop(index: int) -> Any:
    return {"event_type": "step.stop", "index": index}


def completed(status: str, id_: str = "v1") -> Any:
    interaction = {"id": id_, "status": status}
    return {"event_type": "interaction.completed", "interaction": interaction}


def told(*events: Any, status: str = "requires_action") -> Accumulator:
    return drive(VENDOR, [created(), *events, completed(status)])


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_interleaved_steps() -> None:
    accumulator = told(
        start(0), start(2), delta(0, '{"a":'), delta(2, '{"b":'), delta(0, "1}"), stop(0),
        delta(2, "2}"), stop(2),
    )  # fmt: skip
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [call.key for call in accumulator.calls] == [("v1", "v1", "t0"), ("v1", "v1", "t2")]


def test_whole_call_closes_with_its_step() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (created(), start(0), delta(0, '{"a":1}')):
        accumulator.feed(event)
    assert accumulator.ready() == []
    assert [event.type for event in accumulator.feed(stop(0))] == ["tool_call_closed"]
    assert [call.reason for call in accumulator.ready()] == ["step.stop"]


def test_arguments_named_at_the_start_count_if_there_are_no_deltas() -> None:
    named = start(0, arguments={"path": "x"})
    assert arguments(told(named, stop(0))) == [{"path": "x"}]
    assert arguments(told(named, delta(0, '{"path":"y"}'), stop(0))) == [{"path": "y"}]


@pytest.mark.parametrize("deltas", [[], [delta(0, "")]])
def test_no_arguments(deltas: list[Any]) -> None:
    assert arguments(told(start(0), *deltas, stop(0))) == [{}]
    assert statuses(told(start(0), *deltas, stop(0), status="incomplete")) == ["incomplete"]


def test_what_the_vendor_runs_is_never_ready() -> None:
    search = [start(0, "google_search_call"), delta(0, {"queries": ["x"]}, "google_search_call")]
    code = [
        start(1, "code_execution_call"),
        delta(1, {"code": "1", "language": "python"}, "code_execution_call", signature="c2ln"),
    ]
    server = [
        start(2, "mcp_server_tool_call", name="find", server_name="db"),
        delta(2, {"a": 1}, "mcp_server_tool_call", name="find", server_name="db"),
    ]
    files = [start(3, "file_search_call")]
    accumulator = told(*search, *code, *server, *files, *map(stop, range(4)), status="completed")
    assert accumulator.ready() == []
    assert [(call.name, call.arguments, call.text) for call in accumulator.calls] == [
        ("google_search_call", {"queries": ["x"]}, None),
        ("code_execution_call", {"code": "1", "language": "python"}, None),
        ("find", {"a": 1}, None),
        ("file_search_call", {}, None),
    ]
    assert all(call.server_side for call in accumulator.calls)
    assert accumulator.calls[1].extra == {"type": "code_execution_call", "signature": "c2ln"}
    assert accumulator.calls[2].extra["server_name"] == "db"


@pytest.mark.parametrize(
    "other",
    [
        start(0, "thought"),
        start(0, "model_output"),
        start(0, "google_search_result", call_id="t0"),
        delta(0, None, "text", text="x"),
        delta(0, None, "thought_signature", signature="x"),
        stop(0),
        {"event_type": "interaction.status_update", "status": "in_progress"},
        {"event_type": "something.new", "index": 1},
    ],
)
def test_what_is_no_call(other: Any) -> None:
    accumulator = told(other, start(1), other, delta(1, "{}"), other, stop(1))
    assert arguments(accumulator) == [{}]


@pytest.mark.parametrize(
    ("status", "open_one"),
    [
        ("requires_action", "complete"),
        ("completed", "complete"),
        ("incomplete", "incomplete"),
        ("budget_exceeded", "incomplete"),
        ("requires_continuation", "incomplete"),
        ("failed", "incomplete"),
        ("cancelled", "incomplete"),
        ("a_new_one", "unconfirmed"),
        ("", "unconfirmed"),
    ],
)
def test_statuses(status: str, open_one: str) -> None:
    events = [start(0), delta(0, "{}"), stop(0), start(1), delta(1, '{"a":1}')]
    accumulator = told(*events, status=status)
    assert statuses(accumulator) == ["complete", open_one]
    assert accumulator.finish_reason == (status or "interaction.completed")
    assert accumulator.outcome.state == ("failed" if status == "failed" else "ended")


def test_cancelled_interaction() -> None:
    cancelled = {"event_type": "interaction.cancelled"}
    accumulator = drive(VENDOR, [created(), start(0), delta(0, "{}"), cancelled])
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.finish_reason == "cancelled"


def test_error_event() -> None:
    error = {"event_type": "error", "error": {"code": "quota", "message": "no more"}}
    accumulator = drive("auto", [created(), start(0), delta(0, "{}"), stop(0), start(1), error])
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.error is not None
    assert (accumulator.error.code, accumulator.error.message) == ("quota", "no more")
    assert drive("auto", [error]).outcome.state == "failed"


def test_without_any_word_it_is_unconfirmed() -> None:
    events = [created(), start(0), delta(0, '{"a":1}'), start(1), delta(1, "{")]
    assert statuses(drive(VENDOR, events)) == ["unconfirmed", "incomplete"]


def test_interactions_that_follow_one_another_have_their_own_indexes() -> None:
    first = [created("v1"), start(0), delta(0, '{"a":1}'), stop(0), start(1), delta(1, '{"b":')]
    cut = completed("requires_continuation", "v1")
    second = [created("v2"), start(0, id="t9"), delta(0, '{"c":2}'), stop(0)]
    accumulator = drive(VENDOR, [*first, cut, *second, completed("requires_action", "v2")])
    assert statuses(accumulator) == ["complete", "incomplete", "complete"]
    assert [call.arguments for call in accumulator.ready()] == [{"a": 1}, {"c": 2}]
    assert [call.key[0] for call in accumulator.calls] == ["v1", "v1", "v2"]


def test_an_interaction_told_again_is_the_same() -> None:
    events = [created(), start(0), delta(0, '{"a":1}')]
    accumulator = drive(VENDOR, [*events, *events, stop(0), completed("requires_action")])
    assert arguments(accumulator) == [{"a": 1}]
    assert accumulator.calls[0].duplicates == 1


def test_deltas_of_steps_that_never_started() -> None:
    search = delta(5, {"queries": []}, "google_search_call")
    lost, found = told(delta(4, '{"a":1}'), search, stop(5)).calls
    assert (lost.name, lost.status, lost.partial) == (None, "incomplete", {"a": 1})
    assert (found.name, found.server_side) == ("google_search_call", True)


def test_tool_result() -> None:
    (call,) = told(start(0), stop(0)).calls
    tool_result = vendors.gemini_interactions.tool_result
    answer = {"type": "function_result", "call_id": "t0", "name": "f0"}
    assert tool_result(call, {"t": 1}) == {**answer, "result": {"t": 1}}
    assert tool_result(call, 12) == {**answer, "result": "12"}
    assert tool_result(call, "bad", is_error=True) == {**answer, "result": "bad", "is_error": True}
