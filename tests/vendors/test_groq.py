"""Groq: whole calls in OpenAI's chunks, calls that fail their validation, tools that Groq runs."""

from typing import Any

from driving import DONE, arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.vendors import openai_chat

VENDOR = "groq"


def chunk(finish: str | None = None, x_groq: Any = None, **delta: Any) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "r1", "choices": [choice], **({"x_groq": x_groq} if x_groq else {})}


def called(index: int, text: Any) -> Any:
    function = {"name": f"f{index}", "arguments": text}
    return {"index": index, "id": f"c{index}", "type": "function", "function": function}


BEGIN = chunk(x_groq={"id": "req_1"}, role="assistant")
STOP = chunk("tool_calls", x_groq={"id": "req_1", "usage": {}})


def test_own_stream() -> None:
    check_own_stream(VENDOR, done=True)


def test_whole_calls_wait_for_the_finish_reason() -> None:
    calls = [chunk(tool_calls=[called(0, '{"a":1}')]), chunk(tool_calls=[called(1, "null")])]
    accumulator = drive(VENDOR, [BEGIN, *calls])
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]
    for vendor in (VENDOR, "auto"):
        assert arguments(drive(vendor, [BEGIN, *calls, STOP, DONE])) == [{"a": 1}, {}]


def test_a_call_that_fails_its_validation_is_in_the_error() -> None:
    error = {
        "message": "Tool call validation failed",
        "type": "invalid_request_error",
        "code": "tool_use_failed",
        "failed_generation": '{"name": "f", "arguments": {"b": 1}}',
        "status_code": 400,
    }
    for vendor in (VENDOR, "auto"):
        accumulator = drive(vendor, [BEGIN, chunk(reasoning="x"), {"error": error}])
        assert accumulator.calls == []
        assert accumulator.error is not None
        assert accumulator.error.code == "tool_use_failed"
        assert accumulator.error.payload["failed_generation"] == error["failed_generation"]


def test_a_stream_stopped_early_says_so_in_its_last_chunk() -> None:
    last = chunk(x_groq={"id": "req_1", "error": "over capacity"})
    for vendor in (VENDOR, "openai_chat"):
        accumulator = drive(vendor, [BEGIN, chunk(tool_calls=[called(0, "{}")]), last])
        assert statuses(accumulator) == ["incomplete"]
        outcome = accumulator.outcome
        assert (outcome.state, outcome.reason) == ("failed", "over capacity")


def test_tools_that_groq_runs_are_told_of_twice() -> None:
    tool = {"index": 0, "type": "search", "arguments": '{"query":"x"}'}
    executed = {**tool, "output": "found", "search_results": {"results": []}}
    other = {"index": 1, "type": "python", "arguments": '{"code":"1"}'}
    chunks = [chunk(executed_tools=[tool]), chunk(executed_tools=[executed, other])]
    accumulator = drive(VENDOR, [BEGIN, *chunks, chunk(tool_calls=[called(0, "{}")]), STOP, DONE])
    assert [(call.name, call.server_side, call.arguments) for call in accumulator.calls] == [
        ("search", True, {"query": "x"}),
        ("python", True, {"code": "1"}),
        ("f0", False, {}),
    ]
    assert [call.name for call in accumulator.ready()] == ["f0"]


def test_what_is_openais_is_read_as_openais() -> None:
    assert vendors.groq.tool_result is openai_chat.tool_result
    assert vendors.groq.WORDS is openai_chat.WORDS
