"""The Vercel AI SDK's UI stream: whole inputs, errors, what the server runs, and retractions."""

from typing import Any

import pytest
from driving import DONE, arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "vercel_ui"


def tool(step: str, call_id: str | None = "a", **members: Any) -> Any:
    return {"type": f"tool-{step}", "toolCallId": call_id, **members}


def start(call_id: str = "a", name: str = "f", **members: Any) -> Any:
    return tool("input-start", call_id, toolName=name, **members)


def delta(text: Any, call_id: str = "a") -> Any:
    return tool("input-delta", call_id, inputTextDelta=text)


def available(value: Any, call_id: str = "a", name: str = "f", **members: Any) -> Any:
    return tool("input-available", call_id, toolName=name, input=value, **members)


def finish(reason: str | None = None) -> Any:
    return {"type": "finish", **({"finishReason": reason} if reason else {})}


def test_own_stream() -> None:
    check_own_stream(VENDOR, done=True)


def test_a_call_without_arguments_or_a_close_is_not_complete_where_the_step_was_cut() -> None:
    begun = [start("b"), available({"x": 1}, "a", "g")]
    assert statuses(drive(VENDOR, [*begun, finish("length")])) == ["incomplete", "complete"]
    assert statuses(drive(VENDOR, [*begun, finish("tool-calls")])) == ["complete", "complete"]


def test_whole_input_closes_the_call() -> None:
    accumulator = Accumulator(VENDOR)
    for each in ({"type": "start", "messageId": "m"}, start(), delta('{"x": '), delta("1}")):
        accumulator.feed(each)
    assert accumulator.ready() == []
    accumulator.feed(available({"x": 1}))
    (call,) = accumulator.ready()
    assert (call.arguments, call.text, call.duplicates) == ({"x": 1}, '{"x": 1}', 0)
    assert call.key == ("m", 0, "a")


def test_whole_input_alone() -> None:
    (call,) = drive(VENDOR, [available({"x": 1})]).calls
    assert (call.arguments, call.text, call.reason) == ({"x": 1}, None, "tool-input-available")


@pytest.mark.parametrize("value", [{}, None])
def test_no_input(value: Any) -> None:
    assert arguments(drive(VENDOR, [start(), available(value), finish()])) == [{}]


@pytest.mark.parametrize("deltas", [[], ["{}"], ['{"x":']])
def test_input_that_is_no_json_is_invalid(deltas: list[str]) -> None:
    accumulator = drive(VENDOR, [start(), *map(delta, deltas), available({"x": [b"bytes"]})])
    assert statuses(accumulator) == ["invalid"]
    assert accumulator.calls[0].error is not None


def test_whole_input_wins_over_the_deltas() -> None:
    (call,) = drive(VENDOR, [start(), delta('{"x": '), available({"x": 1})]).calls
    assert (call.arguments, call.notes) == ({"x": 1}, [])
    (call,) = drive(VENDOR, [start(), delta('{"x": 2}'), available({"x": 1})]).calls
    assert call.arguments == {"x": 1}
    assert call.notes == ["the final text contradicts the fragments: the final text counts"]


@pytest.mark.parametrize(
    ("deltas", "value", "status"),
    [
        (['{"x": '], '{"x": ', "incomplete"),
        ([], '{"x": ', "incomplete"),
        (["{'x'"], "{'x'", "invalid"),
        (['{"x": 1}'], {"x": 1}, "aborted"),  # JSON, but not what the tool takes
        ([], {"x": 1}, "aborted"),
        ([], None, "incomplete"),
    ],
)
def test_input_that_the_server_could_not_take(deltas: list[str], value: Any, status: str) -> None:
    error = tool("input-error", toolName="f", input=value, errorText="no good")
    accumulator = drive(VENDOR, [start(), *map(delta, deltas), error, finish("stop")])
    assert statuses(accumulator) == [status]
    (call,) = accumulator.calls
    assert call.extra["errorText"] == "no good"
    reasons = {"incomplete": "stop", "invalid": "tool-input-error", "aborted": "no good"}
    assert call.reason == reasons[status]
    assert call.correction()


def test_input_that_is_not_what_the_tool_takes_is_never_told_to_be_complete() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (start(), delta("{}")):
        accumulator.feed(each)
    error = tool("input-error", toolName="f", input={}, errorText="no good")
    assert [event.type for event in accumulator.feed(error)] == ["tool_call_aborted"]


def test_deltas_of_an_unknown_call_go_to_no_other() -> None:
    accumulator = drive(VENDOR, [start(), delta('{"x":'), delta('{"y":', "b"), finish()])
    assert [(call.id, call.status) for call in accumulator.calls] == [
        ("a", "incomplete"), ("b", "incomplete"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sign",
    [
        tool("output-available", output=3),
        tool("output-error", errorText="gone"),
        tool("output-denied"),
        tool("approval-request", approvalId="q1"),
    ],
)
def test_what_the_server_runs_is_not_offered(sign: Any) -> None:
    accumulator = Accumulator(VENDOR)
    for each in (start(), delta("{}"), available({}), available({}, "b")):
        accumulator.feed(each)
    assert [call.id for call in accumulator.ready()] == ["a", "b"]
    accumulator.feed(sign)
    assert [call.id for call in accumulator.ready()] == ["b"]
    assert accumulator.calls[0].server_side


def test_what_the_provider_runs_is_not_offered() -> None:
    accumulator = drive(VENDOR, [available({}, providerExecuted=True), finish()])
    assert (statuses(accumulator), accumulator.ready()) == (["complete"], [])


def test_a_question_for_approval_closes_the_call() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (start(), delta('{"x": 1}'), tool("approval-request", approvalId="q1")):
        accumulator.feed(each)
    (call,) = accumulator.calls
    assert (call.arguments, call.extra["approvalId"]) == ({"x": 1}, "q1")


def test_outputs_of_earlier_messages_begin_no_call() -> None:
    accumulator = drive(VENDOR, [tool("output-available", output=1), tool("approval-response")])
    assert accumulator.calls == []


def test_a_step_is_taken_back() -> None:
    accumulator = Accumulator(VENDOR)
    step = {"type": "start-step"}
    for each in (
        step,
        available({"n": 0}, "old"),
        {"type": "finish-step"},
        step,
        start(),
        delta("{"),
    ):
        accumulator.feed(each)
    accumulator.feed(available({"n": 1}, "b", "g"))
    events = accumulator.feed({"type": "reset-step"})
    assert [(event.type, event.call.id) for event in events] == [  # type: ignore[union-attr]
        ("tool_call_aborted", "a"), ("tool_call_aborted", "b"),
    ]  # fmt: skip
    assert [call.id for call in accumulator.ready()] == ["old"]
    # What is said anew is another call, also under the same id.
    accumulator.feed(available({"n": 2}, "b", "g"))
    accumulator.feed(tool("output-available", "old", output=1))
    accumulator.feed(finish("tool-calls"))
    assert [call.arguments for call in accumulator.ready()] == [{"n": 2}]
    assert statuses(accumulator) == ["complete", "aborted", "aborted", "complete"]
    assert len({call.key for call in accumulator.calls}) == 4
    assert {call.reason for call in accumulator.calls[1:3]} == {"reset-step"}


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        (None, "complete"),
        ("stop", "complete"),
        ("tool-calls", "complete"),
        ("length", "incomplete"),
        ("content-filter", "incomplete"),
        ("error", "incomplete"),
        ("other", "unconfirmed"),
    ],
)
def test_finish_reasons(reason: str | None, status: str) -> None:
    accumulator = drive(VENDOR, [start(), delta("{}"), finish(reason)])
    assert statuses(accumulator) == [status]
    assert accumulator.finish_reason == (reason or "finish")


def test_an_unknown_reason_leaves_the_word_to_done() -> None:
    assert statuses(drive(VENDOR, [start(), delta("{}"), finish("other"), DONE])) == ["complete"]


def test_abort_in_the_stream() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (available({}, "b"), start(), delta("{}")):
        accumulator.feed(each)
    (event,) = accumulator.feed({"type": "abort", "reason": "user"})
    assert (event.type, accumulator.calls[1].reason) == ("tool_call_aborted", "user")
    assert statuses(accumulator) == ["complete", "aborted"]


def test_error_in_the_stream() -> None:
    accumulator = Accumulator("auto")
    accumulator.feed({"type": "error", "errorText": "Overloaded"})
    assert str(accumulator.error) == "Overloaded"
    assert accumulator.outcome.state == "failed"


def test_tool_result() -> None:
    (call,) = drive(VENDOR, [available({"x": 1}, title="F")]).calls
    tool_result = vendors.vercel_ui.tool_result
    part = {"type": "tool-f", "toolCallId": "a", "input": {"x": 1}}
    assert tool_result(call, {"ok": 1}) == {
        **part, "state": "output-available", "output": {"ok": 1},
    }  # fmt: skip
    assert tool_result(call, {"no": 1}, is_error=True) == {
        **part, "state": "output-error", "errorText": '{"no": 1}',
    }  # fmt: skip
    assert call.extra == {"title": "F"}


def test_tool_result_of_a_dynamic_tool() -> None:
    (call,) = drive(VENDOR, [start(dynamic=True), finish()]).calls
    part = vendors.vercel_ui.tool_result(call, 1)
    assert (part["type"], part["toolName"], part["input"]) == ("dynamic-tool", "f", {})
