"""Anthropic: blocks by index, placeholders, missing stops, the late stop reason, retractions."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import ToolCall, vendors
from fragjson.toolcalls import Accumulator, CallAborted

VENDOR = "anthropic"
START = {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "content": []}}
END = {"type": "message_stop"}


def block(index: int, kind: str = "tool_use", **more: Any) -> Any:
    content = {"type": kind, "id": f"t{index}", "name": f"f{index}", "input": {}}
    return {"type": "content_block_start", "index": index, "content_block": {**content, **more}}


def delta(index: int, text: str) -> Any:
    part = {"type": "input_json_delta", "partial_json": text}
    return {"type": "content_block_delta", "index": index, "delta": part}


def stop(index: int) -> Any:
    return {"type": "content_block_stop", "index": index}


def reason(word: str) -> Any:
    return {"type": "message_delta", "delta": {"stop_reason": word}, "usage": {}}


def told(*events: Any, word: str = "tool_use") -> Accumulator:
    return drive(VENDOR, [START, *events, reason(word), END])


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_interleaved_blocks() -> None:
    accumulator = told(
        block(0), block(2), delta(0, '{"a":'), delta(2, '{"b":'), delta(0, "1}"), stop(0),
        delta(2, "2}"), stop(2),
    )  # fmt: skip
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [call.index for call in accumulator.calls] == [0, 2]


def test_whole_call_closes_with_its_block() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (START, block(0), delta(0, '{"a":1}')):
        accumulator.feed(event)
    assert accumulator.ready() == []
    assert [event.type for event in accumulator.feed(stop(0))] == ["tool_call_closed"]
    (call,) = accumulator.ready()
    assert call.reason == "content_block_stop"


def test_placeholder_input_is_nothing() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(block(0))
    assert accumulator.calls[0].partial is None
    accumulator.feed(delta(0, ""))
    assert accumulator.calls[0].partial is None


def test_input_named_at_the_start_counts_if_there_are_no_deltas() -> None:
    accumulator = told(block(0, input={"path": "x"}), delta(0, ""), stop(0))
    (call,) = accumulator.calls
    assert (call.arguments, call.text) == ({"path": "x"}, "")


def test_input_named_at_the_start_loses_against_deltas() -> None:
    accumulator = told(block(0, input={"path": "x"}), delta(0, '{"path":"y"}'), stop(0))
    assert arguments(accumulator) == [{"path": "y"}]


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_use"])
def test_what_the_vendor_runs_is_never_ready(kind: str) -> None:
    extra = {"server_name": "db", "caller": {"type": "direct"}}
    accumulator = told(block(0, kind=kind, **extra), delta(0, '{"q":1}'), stop(0), word="end_turn")
    (call,) = accumulator.calls
    assert (call.server_side, call.arguments) == (True, {"q": 1})
    assert call.extra == {"type": kind, **extra}
    assert accumulator.ready() == []


@pytest.mark.parametrize("kind", ["text", "thinking", "web_search_tool_result", "mcp_tool_listing"])
def test_other_blocks_are_no_calls(kind: str) -> None:
    accumulator = told(block(0, kind=kind), stop(0), word="end_turn")
    assert accumulator.calls == []


def test_other_deltas_are_no_arguments() -> None:
    accumulator = told(
        block(0),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x"}},
        {"type": "input_json", "partial_json": '{"a":', "snapshot": {}},
        {"type": "ping"},
        {"type": "something_new"},
        delta(0, "{}"),
        stop(0),
    )
    assert arguments(accumulator) == [{}]


def test_without_block_stops_the_stop_reason_closes() -> None:
    accumulator = drive(VENDOR, [START, block(0), delta(0, '{"a":1}'), reason("tool_use")])
    assert [(call.status, call.reason) for call in accumulator.calls] == [("complete", "tool_use")]


def test_without_any_stop_it_is_unconfirmed() -> None:
    accumulator = drive(VENDOR, [START, block(0), delta(0, '{"a":1}'), block(1), delta(1, "{")])
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]


def test_block_that_stops_unfinished_is_incomplete_whatever_the_reason() -> None:
    accumulator = told(block(0), delta(0, '{"a":'), stop(0), word="tool_use")
    (call,) = accumulator.calls
    assert (call.status, call.reason) == ("incomplete", "tool_use")
    assert call.error is not None


def test_deltas_after_the_stop_are_not_glued_on() -> None:
    before = [delta(0, character) for character in '{"a":']
    accumulator = told(block(0), *before, stop(0), delta(0, "1}"))
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.calls[0].text == '{"a":'
    assert accumulator.calls[0].notes == ["what came after the close of the call was ignored"]


def test_one_id_for_two_calls_hides_neither() -> None:
    accumulator = told(
        block(0, id="t", name="find"), delta(0, '{"q":1}'), stop(0),
        block(1, id="t", name="delete"), delta(1, '{"id":2}'), stop(1),
    )  # fmt: skip
    find, delete = accumulator.ready()
    assert (find.name, find.arguments) == ("find", {"q": 1})
    assert (delete.name, delete.arguments) == ("delete", {"id": 2})
    assert delete.notes == ["its id is that of the call of find, too"]
    assert find.key[2] == find.id == delete.id == "t"
    assert delete.key[2] == "#1"
    for call in (find, delete):
        assert ToolCall.from_record(call.to_record()).key == call.key


def test_no_arguments_wait_for_the_stop_reason() -> None:
    """The block stops, too, where the response is cut before its first character."""
    accumulator = Accumulator(VENDOR)
    for event in (START, block(0), stop(0)):
        accumulator.feed(event)
    assert accumulator.calls[0].status == "streaming"
    accumulator.feed(reason("tool_use"))
    assert arguments(accumulator) == [{}]
    assert statuses(told(block(0), stop(0), word="max_tokens")) == ["incomplete"]
    assert statuses(told(block(0), stop(0), block(1), word="max_tokens")) == [
        "complete", "incomplete",
    ]  # fmt: skip
    assert statuses(drive(VENDOR, [START, block(0), stop(0)])) == ["incomplete"]


@pytest.mark.parametrize("word", ["max_tokens", "model_context_window_exceeded"])
def test_cut_responses_keep_what_was_closed(word: str) -> None:
    accumulator = told(block(0), delta(0, "{}"), stop(0), block(1), delta(1, '{"a'), word=word)
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.calls[1].reason == word


def test_refusal_keeps_what_was_closed() -> None:
    accumulator = told(block(0), delta(0, "{}"), stop(0), block(1), delta(1, "{}"), word="refusal")
    assert statuses(accumulator) == ["complete", "incomplete"]


def test_malformed_arguments_are_invalid_at_the_stop() -> None:
    accumulator = Accumulator(VENDOR)
    for event in (START, block(0), delta(0, '{"a": x')):
        accumulator.feed(event)
    assert accumulator.calls[0].error is not None
    assert accumulator.calls[0].status == "streaming"
    accumulator.feed(delta(0, "}"))
    accumulator.feed(stop(0))
    assert (statuses(accumulator), accumulator.calls[0].text) == (["invalid"], '{"a": x}')


def test_error_event() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    accumulator = drive("auto", [START, block(0), delta(0, "{}"), stop(0), block(1), error])
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.error is not None
    assert accumulator.error.code == "overloaded_error"
    assert drive("auto", [error]).outcome.reason == "Overloaded"


def test_message_that_already_holds_blocks() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "t1", "name": "f1"}]
    accumulator = drive(
        VENDOR,
        [
            {"type": "message_start", "message": {"id": "m", "content": content}},
            delta(1, '{"a":1}'),
            stop(1),
        ],
    )
    assert arguments(accumulator) == [{"a": 1}]


def test_second_message_is_an_error_and_the_next_turn_is_not() -> None:
    accumulator = told(block(0), stop(0))
    accumulator = Accumulator(VENDOR)
    accumulator.feed(START)
    with pytest.raises(ValueError, match="second message_start"):
        accumulator.feed(START)
    accumulator.reset()
    accumulator.feed(START)


def test_block_told_again_is_the_same_call() -> None:
    call = [block(0), delta(0, '{"a":1}'), stop(0)]
    accumulator = told(*call, *call)
    assert arguments(accumulator) == [{"a": 1}]
    assert accumulator.calls[0].duplicates == 1


def test_delta_of_a_block_that_never_started() -> None:
    accumulator = told(delta(4, '{"a":1}'))
    (call,) = accumulator.calls
    assert (call.name, call.status, call.partial) == (None, "incomplete", {"a": 1})


def test_fallback_takes_back_what_another_model_was_writing() -> None:
    """The stop of the block just before the seam may be the SDK's own."""
    seam = {"type": "content_block_start", "index": 2, "content_block": {"type": "fallback"}}
    accumulator = Accumulator(VENDOR)
    before = [block(0), delta(0, "{}"), stop(0), block(1), delta(1, '{"a":1}'), stop(1)]
    for event in (START, *before):
        accumulator.feed(event)
    events = accumulator.feed(seam)
    assert events == [CallAborted(accumulator.calls[1], "fallback")]
    for event in (stop(2), block(3), delta(3, "{}"), stop(3), reason("tool_use"), END):
        accumulator.feed(event)
    assert statuses(accumulator) == ["complete", "aborted", "complete"]
    assert [call.name for call in accumulator.ready()] == ["f0", "f3"]


def test_tool_result() -> None:
    (call,) = told(block(0), stop(0)).calls
    tool_result = vendors.anthropic.tool_result
    assert tool_result(call, "12 °C") == {
        "type": "tool_result", "tool_use_id": "t0", "content": "12 °C",
    }  # fmt: skip
    parts = [{"type": "text", "text": "x"}]
    assert tool_result(call, parts, is_error=True) == {
        "type": "tool_result", "tool_use_id": "t0", "content": parts, "is_error": True,
    }  # fmt: skip
    assert tool_result(call, {"a": 1})["content"] == '{"a": 1}'


def test_input_that_json_cannot_say_is_invalid_and_raises_nothing() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "find", "input": {"query": {"tides"}}}
    accumulator = Accumulator("anthropic")
    accumulator.feed({"type": "content_block_start", "index": 0, "content_block": block})
    accumulator.feed({"type": "content_block_stop", "index": 0})
    accumulator.close()
    (call,) = accumulator.calls
    assert call.status == "invalid"
    assert "No JSON value" in str(call.error)
