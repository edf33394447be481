"""AG-UI: calls by id, the shorthand, results in the stream, and how runs end."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "ag_ui"


def event(kind: str, call_id: str | None = None, **members: Any) -> Any:
    return {"type": kind, **({"toolCallId": call_id} if call_id else {}), **members}


def start(call_id: str | None, name: str | None = "f", **members: Any) -> Any:
    return event("TOOL_CALL_START", call_id, toolCallName=name, **members)


def args(call_id: str | None, delta: Any) -> Any:
    return event("TOOL_CALL_ARGS", call_id, delta=delta)


def end(call_id: str | None) -> Any:
    return event("TOOL_CALL_END", call_id)


def piece(call_id: str | None = None, name: str | None = None, delta: str | None = None) -> Any:
    return event("TOOL_CALL_CHUNK", call_id, toolCallName=name, delta=delta)


def finished(outcome: Any = None) -> Any:
    return event("RUN_FINISHED", outcome=outcome)


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_end_makes_a_call_ready_before_the_run_ends() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (start("a"), args("a", '{"x":'), start("b", "g"), args("a", "1}")):
        accumulator.feed(each)
    assert accumulator.ready() == []
    (event,) = accumulator.feed(end("a"))
    assert event.type == "tool_call_closed"
    assert [call.id for call in accumulator.ready()] == ["a"]


def test_fragments_of_an_unknown_call_go_to_no_other() -> None:
    accumulator = drive(VENDOR, [start("a"), args("a", '{"x":'), args("b", '{"y":'), finished()])
    assert [(call.id, call.status) for call in accumulator.calls] == [
        ("a", "incomplete"), ("b", "incomplete"),
    ]  # fmt: skip


def test_end_without_an_id_closes_nothing() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (start("a"), args("a", '{"x":1'), end(None), end("b"), args("a", "}"), end("a")):
        accumulator.feed(each)
    assert arguments(accumulator) == [{"x": 1}]


def test_a_call_that_is_replayed_is_one_call() -> None:
    once = [start("a"), args("a", '{"x":'), args("a", "1}"), end("a")]
    accumulator = drive(VENDOR, [*once, *once, finished()])
    (call,) = accumulator.calls
    assert (call.arguments, call.text, call.duplicates) == ({"x": 1}, '{"x":1}', 1)


def test_arguments_after_the_end_are_noted() -> None:
    accumulator = drive(VENDOR, [start("a"), args("a", '{"x":1}'), end("a"), args("a", "}")])
    assert arguments(accumulator) == [{"x": 1}]
    assert accumulator.calls[0].notes == ["the call came again with other arguments: ignored"]


def test_the_shorthand() -> None:
    """An id or none goes on, another id begins the next call and closes the one before."""
    accumulator = Accumulator(VENDOR)
    for each in (piece("a", "f", '{"x":'), piece(delta="1"), piece("a", None, "}")):
        accumulator.feed(each)
    assert accumulator.ready() == []
    accumulator.feed(piece("b", "g"))
    assert [(call.name, call.arguments) for call in accumulator.ready()] == [("f", {"x": 1})]
    accumulator.feed(finished())
    assert arguments(accumulator) == [{"x": 1}, {}]


def test_the_shorthand_interleaved() -> None:
    """A call that is not whole is not closed by the next: it may still go on."""
    accumulator = drive(
        VENDOR,
        [
            piece("a", "f", '{"x":'), piece("b", "g", '{"y":'), piece("a", None, "1}"),
            piece("b", None, "2}"), finished(),
        ],
    )  # fmt: skip
    assert arguments(accumulator) == [{"x": 1}, {"y": 2}]


def test_a_call_whose_result_comes_is_run_there() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(event("RUN_STARTED", runId="r1"))
    for call_id in ("a", "b"):
        for each in (start(call_id), args(call_id, "{}"), end(call_id)):
            accumulator.feed(each)
    assert [call.id for call in accumulator.ready()] == ["a", "b"]
    accumulator.feed(event("TOOL_CALL_RESULT", "a", messageId="m", content="done"))
    accumulator.feed(event("TOOL_CALL_RESULT", "earlier", messageId="m", content="done"))
    accumulator.feed(finished({"type": "success", "pendingToolCallIds": ["b"]}))
    assert [call.id for call in accumulator.ready()] == ["b"]
    assert [call.server_side for call in accumulator.calls] == [True, False]
    assert accumulator.calls[0].key == ("r1", None, "a")


@pytest.mark.parametrize(
    ("outcome", "status", "reason"),
    [
        (None, "complete", "success"),
        ({"type": "success"}, "complete", "success"),
        ({"type": "interrupt", "interrupts": [{"id": "i"}]}, "complete", "interrupt"),
        ({"type": "cancelled"}, "incomplete", "cancelled"),
        ({"type": "postponed"}, "unconfirmed", "postponed"),
    ],
)
def test_outcomes(outcome: Any, status: str, reason: str) -> None:
    chunks = [start("a"), args("a", "{}"), end("a"), start("b"), args("b", "{}")]
    accumulator = drive(VENDOR, [*chunks, finished(outcome)])
    assert statuses(accumulator) == ["complete", status]
    assert (accumulator.finish_reason, accumulator.calls[1].reason) == (reason, reason)


def test_error_of_the_run() -> None:
    accumulator = Accumulator("auto")
    accumulator.feed(start("a"))
    error = event("RUN_ERROR", message="Overloaded", code="busy")
    events = accumulator.feed(error)
    assert [event.type for event in events] == ["tool_call_closed", "stream_failed"]
    assert accumulator.error is not None
    assert (str(accumulator.error), accumulator.error.code) == ("Overloaded", "busy")
    assert accumulator.error.payload == error


def test_snapshots_of_the_conversation_tell_of_no_calls() -> None:
    call = {"id": "old", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [{"id": "m", "role": "assistant", "toolCalls": [call]}]
    accumulator = drive("auto", [event("MESSAGES_SNAPSHOT", messages=messages), finished()])
    assert accumulator.calls == []


def test_what_else_a_start_says_is_kept() -> None:
    accumulator = drive(VENDOR, [start("a", parentMessageId="m", subagentRunId="s")])
    assert accumulator.calls[0].extra == {"parent_message_id": "m", "subagent_run_id": "s"}


def test_tool_result() -> None:
    (call,) = drive(VENDOR, [start("a"), end("a"), finished()]).calls
    tool_result = vendors.ag_ui.tool_result
    answer = {"id": "result-a", "role": "tool", "toolCallId": "a"}
    assert tool_result(call, {"ok": "é"}) == {**answer, "content": '{"ok": "é"}'}
    assert tool_result(call, "gone", is_error=True) == {
        **answer, "content": "gone", "error": "gone",
    }  # fmt: skip
