"""Bedrock: ConverseStream's blocks, what proxies leave out, failures, InvokeModel's chunks."""

import base64
import json
from typing import Any

import pytest
from driving import STREAMS, arguments, check_own_stream, drive, statuses

from fragjson import JSONDecodeError, vendors
from fragjson.toolcalls import Accumulator

VENDOR = "bedrock"
BEGIN = {"messageStart": {"role": "assistant"}}
TEXT = {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "x"}}}


def start(index: int, **tool: Any) -> Any:
    tool = {"toolUseId": f"t{index}", "name": f"f{index}", **tool}
    return {"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": tool}}}


def delta(index: int, arguments: Any) -> Any:
    part = {"toolUse": {"input": arguments}}
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": part}}


def stop(index: int) -> Any:
    return {"contentBlockStop": {"contentBlockIndex": index}}


def end(reason: str) -> Any:
    return {"messageStop": {"stopReason": reason}}


def told(*events: Any, reason: str = "tool_use") -> Accumulator:
    return drive(VENDOR, [BEGIN, *events, end(reason), {"metadata": {"usage": {}}}])


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_interleaved_blocks() -> None:
    accumulator = told(
        start(0), start(2), delta(0, '{"a":'), delta(2, '{"b":'), delta(0, "1}"), stop(0),
        delta(2, "2}"), stop(2),
    )  # fmt: skip
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [(call.id, call.index) for call in accumulator.calls] == [("t0", 0), ("t2", 2)]


def test_whole_call_closes_with_its_block() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (BEGIN, start(0), delta(0, '{"a":1}')):
        accumulator.feed(event)
    assert accumulator.ready() == []
    assert [event.type for event in accumulator.feed(stop(0))] == ["tool_call_closed"]
    assert [call.reason for call in accumulator.ready()] == ["contentBlockStop"]


@pytest.mark.parametrize(
    "before",
    [
        [TEXT],  # text has no start
        [{"contentBlockStart": {"contentBlockIndex": 0, "start": {}}}, TEXT],
        [{"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolResult": {}}}}],
        [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolResult": [{}]}}}],
        [{"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {}}}}],
        [{"metadata": {"usage": {}}}],  # before the stop of the message, too
        [{"something": {}}, {}],
    ],
)
def test_what_is_no_call(before: list[Any]) -> None:
    accumulator = told(*before, stop(0), start(1), delta(1, "{}"), stop(1))
    assert [call.name for call in accumulator.ready()] == ["f1"]


@pytest.mark.parametrize("deltas", [[], [delta(0, "")], [delta(0, "null")]])
def test_no_arguments(deltas: list[Any]) -> None:
    assert arguments(told(start(0), *deltas, stop(0))) == [{}]
    assert statuses(told(start(0), *deltas, stop(0), reason="max_tokens")) == ["incomplete"]


def test_what_the_vendor_runs_is_never_ready() -> None:
    tool = start(0, type="server_tool_use")
    accumulator = told(tool, delta(0, "{}"), stop(0), start(1, type="tool_use"), stop(1))
    assert [call.server_side for call in accumulator.calls] == [True, False]
    assert [call.name for call in accumulator.ready()] == ["f1"]
    assert accumulator.calls[0].extra == {"type": "server_tool_use"}


def test_without_stops_of_blocks_the_message_closes() -> None:
    accumulator = told(start(0), delta(0, '{"a":1}'), start(1))
    assert arguments(accumulator) == [{"a": 1}, {}]
    assert [call.reason for call in accumulator.calls] == ["tool_use", "tool_use"]


def test_without_any_word_it_is_unconfirmed() -> None:
    accumulator = drive(VENDOR, [BEGIN, start(0), delta(0, '{"a":1}'), start(1), delta(1, "{")])
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]


@pytest.mark.parametrize(
    ("reason", "open_one"),
    [
        ("tool_use", "complete"),
        ("end_turn", "complete"),
        ("max_tokens", "incomplete"),
        ("model_context_window_exceeded", "incomplete"),
        ("guardrail_intervened", "incomplete"),
        ("content_filtered", "incomplete"),
        ("malformed_model_output", "incomplete"),
        ("malformed_tool_use", "incomplete"),
        ("a new reason", "unconfirmed"),
    ],
)
def test_stop_reasons(reason: str, open_one: str) -> None:
    events = [start(0), delta(0, "{}"), stop(0), start(1), delta(1, '{"a":1}')]
    accumulator = told(*events, reason=reason)
    assert statuses(accumulator) == ["complete", open_one]
    assert accumulator.finish_reason == reason
    malformed = reason.startswith("malformed")
    assert accumulator.outcome.state == ("failed" if malformed else "ended")


def test_delta_of_a_block_that_never_started() -> None:
    (call,) = told(delta(4, '{"a":1}')).calls
    assert (call.name, call.status, call.partial) == (None, "incomplete", {"a": 1})


def test_arguments_as_an_object() -> None:
    assert arguments(told(start(0), delta(0, {"a": 1}), stop(0))) == [{"a": 1}]


@pytest.mark.parametrize(
    "name",
    [
        "internalServerException", "modelStreamErrorException", "validationException",
        "throttlingException", "serviceUnavailableException", "modelTimeoutException",
    ],
)  # fmt: skip
def test_exceptions_in_the_stream(name: str) -> None:
    failure = {name: {"message": "no more"}}
    accumulator = drive(
        "auto", [BEGIN, start(0), delta(0, "{}"), stop(0), start(1), delta(1, "{}"), failure]
    )
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.error is not None
    assert (accumulator.error.code, accumulator.error.message) == (name, "no more")
    assert accumulator.error.payload == failure


def test_message_of_the_model_in_an_exception() -> None:
    failure = {"modelStreamErrorException": {"originalMessage": "x", "originalStatusCode": 400}}
    assert drive(VENDOR, [failure]).outcome.reason == "x"
    assert drive(VENDOR, [{"throttlingException": {}}]).outcome.reason == "throttlingException"


def test_second_message_is_an_error() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(BEGIN)
    with pytest.raises(ValueError, match="second messageStart"):
        accumulator.feed(BEGIN)


# InvokeModel


def wrapped(event: Any, *, raw: bool) -> Any:
    data = json.dumps(event).encode()
    return {"chunk": {"bytes": data if raw else base64.b64encode(data).decode(), "p": "abc"}}


@pytest.mark.parametrize("raw", [True, False], ids=["bytes", "base64"])
@pytest.mark.parametrize("inner", ["anthropic", "bedrock"])
@pytest.mark.parametrize("vendor", [VENDOR, "auto"])
def test_events_in_chunks(inner: str, raw: bool, vendor: str) -> None:
    """Anthropic's models write as Anthropic does, Nova as ConverseStream does."""
    lines = (STREAMS / f"{inner}.jsonl").read_text("utf-8").splitlines()
    accumulator = drive(vendor, [wrapped(json.loads(line), raw=raw) for line in lines])
    assert arguments(accumulator) == arguments(drive(inner, lines))
    assert accumulator.ready() == accumulator.calls


def test_the_bytes_alone() -> None:
    lines = (STREAMS / "anthropic.jsonl").read_bytes().splitlines()
    assert len(drive(VENDOR, lines).ready()) == 2


@pytest.mark.parametrize("payload", [None, 7, [], {}])
def test_chunks_that_hold_nothing_readable_are_skipped(payload: Any) -> None:
    assert drive(VENDOR, [{"chunk": {"bytes": payload}}, {"chunk": payload}]).calls == []


@pytest.mark.parametrize(
    ("payload", "error", "message"),
    [
        (b'{"type":', JSONDecodeError, "Expecting value"),
        (base64.b64encode(b"x").decode(), JSONDecodeError, "Expecting value"),
        ("{}", ValueError, "neither bytes nor base64"),
        (b"\xff", ValueError, "utf-8"),
    ],
)
def test_chunks_that_cannot_be_read(payload: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Accumulator(VENDOR).feed({"chunk": {"bytes": payload}})


# Results


def test_tool_result() -> None:
    (call,) = told(start(0), stop(0)).calls
    tool_result = vendors.bedrock.tool_result

    def result(**more: Any) -> Any:
        return {"toolResult": {"toolUseId": "t0", **more}}

    assert tool_result(call, "12 °C") == result(content=[{"text": "12 °C"}])
    assert tool_result(call, {"t": 12}) == result(content=[{"json": {"t": 12}}])
    assert tool_result(call, 12) == result(content=[{"text": "12"}])
    blocks = [{"text": "x"}]
    assert tool_result(call, blocks, is_error=True) == result(content=blocks, status="error")
