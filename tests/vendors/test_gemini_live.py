"""Gemini's Live API: whole calls, which can be taken back, over many turns of one session."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses
from google.genai import types

from fragjson import vendors
from fragjson.toolcalls import Accumulator, CallAborted

VENDOR = "gemini_live"


def calls(*called: Any) -> Any:
    return {"toolCall": {"functionCalls": list(called)}}


def content(**fields: Any) -> Any:
    return {"serverContent": fields}


def cancelled(*ids: Any) -> Any:
    return {"toolCallCancellation": {"ids": list(ids)}}


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_calls_are_whole_and_closed_at_once() -> None:
    accumulator = Accumulator(VENDOR)
    events = accumulator.feed(calls({"id": "1", "name": "f", "args": {"a": 1}}, {"name": "g"}))
    assert [event.type for event in events].count("tool_call_closed") == 2
    assert [(call.id, call.arguments) for call in accumulator.ready()] == [
        ("1", {"a": 1}), (None, {}),
    ]  # fmt: skip
    assert [call.reason for call in accumulator.calls] == ["whole call", "whole call"]


def test_calls_stay_apart_without_ids_and_a_repeated_one_is_the_same() -> None:
    same = {"name": "f", "args": {"a": 1}}
    assert arguments(drive(VENDOR, [calls(same, same), calls(same)])) == [{"a": 1}] * 3
    named = {**same, "id": "1"}
    accumulator = drive(VENDOR, [calls(named), calls(named)])
    assert [call.duplicates for call in accumulator.calls] == [1]


def test_calls_can_be_taken_back() -> None:
    accumulator = Accumulator("auto")
    accumulator.feed(calls({"id": "1", "name": "f"}, {"id": "2", "name": "g"}))
    events = accumulator.feed(cancelled("1", "unknown", None))
    assert events == [CallAborted(accumulator.calls[0], "toolCallCancellation")]
    assert [call.name for call in accumulator.ready()] == ["g"]
    assert accumulator.feed(cancelled("1")) == []


def test_a_session_goes_on_after_a_turn() -> None:
    turn_complete = content(turnComplete=True)
    accumulator = drive(VENDOR, [calls({"name": "f"}), turn_complete, calls({"name": "g"})])
    assert [call.name for call in accumulator.ready()] == ["f", "g"]
    assert accumulator.finish_reason == "turnComplete"


def test_reason_of_a_turn() -> None:
    complete = content(turnComplete=True, turnCompleteReason="RESPONSE_REJECTED")
    accumulator = drive(VENDOR, [calls({"name": "f"}), complete])
    assert (statuses(accumulator), accumulator.finish_reason) == (
        ["complete"], "RESPONSE_REJECTED",
    )  # fmt: skip
    assert accumulator.outcome.state == "ended"


def test_a_malformed_call_is_not_sent_at_all() -> None:
    reason = "MALFORMED_FUNCTION_CALL"
    accumulator = drive(VENDOR, [content(turnComplete=True, turnCompleteReason=reason)])
    assert accumulator.error is not None
    assert (accumulator.error.code, accumulator.outcome.state) == (reason, "failed")


def test_code_that_the_vendor_runs() -> None:
    part = {"executableCode": {"code": "1", "language": "PYTHON"}}
    accumulator = drive(VENDOR, [content(modelTurn={"parts": [{"text": "x"}, part]})])
    (call,) = accumulator.calls
    assert (call.server_side, call.arguments) == (True, {"code": "1", "language": "PYTHON"})


@pytest.mark.parametrize("args", ["{}", [1], 7])
def test_arguments_that_are_no_object_are_not_passed_over(args: Any) -> None:
    assert statuses(drive(VENDOR, [calls({"name": "f", "args": args})])) == ["invalid"]


def test_a_call_that_goes_on_is_not_whole() -> None:
    going_on = {"name": "f", "args": {"a": 1}, "willContinue": True}
    assert statuses(drive(VENDOR, [calls(going_on)])) == ["incomplete"]


@pytest.mark.parametrize(
    "other",
    [
        {"setupComplete": {}},
        {"sessionResumptionUpdate": {"resumable": True}},
        {"goAway": {"timeLeft": "9s"}},
        {"usageMetadata": {}},
        content(interrupted=True),
        content(modelTurn={"parts": None}),
        {"toolCall": None, "serverContent": None},
        {"toolCall": {"functionCalls": None}, "toolCallCancellation": {"ids": None}},
        {},
    ],
)
def test_what_is_no_call(other: Any) -> None:
    accumulator = drive(VENDOR, [other, calls({"name": "f"}), other])
    assert [call.name for call in accumulator.ready()] == ["f"]


def test_sdk_objects_read_as_the_wire_does() -> None:
    wire = [
        {"setupComplete": {}},
        calls({"id": "1", "name": "f", "args": {"a": 1}}, {"id": "2", "name": "g"}),
        cancelled("2"),
        content(modelTurn={"parts": [{"executableCode": {"code": "1", "language": "PYTHON"}}]}),
        content(turnComplete=True, turnCompleteReason="NEED_MORE_INPUT"),
    ]
    typed = [types.LiveServerMessage.model_validate(message) for message in wire]
    for vendor in (VENDOR, "auto"):
        for messages in (wire, typed):
            accumulator = drive(vendor, messages)
            assert statuses(accumulator) == ["complete", "aborted", "complete"]
            assert accumulator.calls[0].arguments == {"a": 1}
            assert accumulator.finish_reason == "NEED_MORE_INPUT"


def test_tool_result() -> None:
    (call,) = drive(VENDOR, [calls({"id": "1", "name": "f"})]).calls
    tool_result = vendors.gemini_live.tool_result
    assert tool_result(call, {"t": 1}) == {"id": "1", "name": "f", "response": {"t": 1}}
    assert tool_result(call, "bad", is_error=True)["response"] == {"error": "bad"}
    types.FunctionResponse.model_validate(tool_result(call, "x"))
