"""OpenAI's Realtime API: responses on one connection, interruptions, what is not the model's."""

from itertools import count
from typing import Any

import pydantic
import pytest
from driving import STREAMS, arguments, check_own_stream, drive, statuses
from openai.types.realtime import RealtimeServerEvent

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "openai_realtime"
numbers = count()


def event(kind: str, of: str | None = "r1", **fields: Any) -> Any:
    own = {"type": kind, "event_id": f"event_{next(numbers)}", **fields}
    return own if of is None else {**own, "response_id": of}


def created(id_: str = "r1") -> Any:
    return event("response.created", None, response={"id": id_, "status": "in_progress"})


def item(index: int, arguments: str, status: str) -> Any:
    ids = {"id": f"i{index}", "call_id": f"c{index}", "name": f"f{index}"}
    return {**ids, "type": "function_call", "arguments": arguments, "status": status}


def added(index: int, response: str = "r1") -> Any:
    whole = item(index, "", "in_progress")
    return event("response.output_item.added", response, output_index=index, item=whole)


def place(index: int) -> Any:
    return {"output_index": index, "item_id": f"i{index}", "call_id": f"c{index}"}


def delta(index: int, text: str, response: str = "r1") -> Any:
    kind = "response.function_call_arguments.delta"
    return event(kind, response, delta=text, **place(index))


def written(index: int, text: str, response: str = "r1") -> Any:
    kind = "response.function_call_arguments.done"
    return event(kind, response, arguments=text, name=f"f{index}", **place(index))


def done(index: int, text: str, status: str = "completed", response: str = "r1") -> Any:
    whole = item(index, text, status)
    return event("response.output_item.done", response, output_index=index, item=whole)


def ended(status: str = "completed", id_: str = "r1", **details: Any) -> Any:
    response = {"id": id_, "status": status, "status_details": details or None, "output": []}
    return event("response.done", None, response=response)


CALL = [added(0), delta(0, '{"a":'), delta(0, "1}"), written(0, '{"a":1}'), done(0, '{"a":1}')]


def told(*events: Any, end: Any = None) -> Accumulator:
    return drive(VENDOR, [created(), *events, end or ended()])


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_whole_call_closes_with_its_item() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (created(), *CALL[:-1]):
        accumulator.feed(each)
    assert accumulator.ready() == []
    assert [each.type for each in accumulator.feed(CALL[-1])] == ["tool_call_closed"]
    (call,) = accumulator.ready()
    assert (call.id, call.arguments, call.key) == ("c0", {"a": 1}, ("r1", None, "c0"))


def test_responses_that_overlap_keep_to_themselves() -> None:
    accumulator = drive(
        VENDOR,
        [
            created("r1"), created("r2"), added(0, "r1"), added(0, "r2"),
            delta(0, '{"a":', "r1"), delta(0, '{"b":', "r2"), delta(0, "1}", "r1"),
            delta(0, "2}", "r2"), done(0, '{"a":1}', "completed", "r1"), ended(id_="r1"),
            done(0, '{"b":2}', "completed", "r2"), ended(id_="r2"),
        ],
    )  # fmt: skip
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [call.key[0] for call in accumulator.calls] == ["r1", "r2"]


@pytest.mark.parametrize(
    ("status", "details", "reason", "open_one"),
    [
        ("completed", {}, "completed", "complete"),
        ("incomplete", {"reason": "max_output_tokens"}, "max_output_tokens", "incomplete"),
        ("incomplete", {"reason": "content_filter"}, "content_filter", "incomplete"),
        ("cancelled", {"reason": "turn_detected"}, "turn_detected", "incomplete"),
        ("cancelled", {"reason": "client_cancelled"}, "client_cancelled", "incomplete"),
        ("failed", {"error": {"code": "x", "message": "y"}}, "failed", "incomplete"),
    ],
)
def test_statuses_of_the_response(status: str, details: Any, reason: str, open_one: str) -> None:
    accumulator = told(*CALL, added(1), delta(1, "{}"), end=ended(status, **details))
    assert statuses(accumulator) == ["complete", open_one]
    assert accumulator.finish_reason == reason
    assert accumulator.outcome.state == ("failed" if status == "failed" else "ended")
    if status == "failed":
        assert accumulator.error is not None
        assert (accumulator.error.code, accumulator.error.message) == ("x", "y")


@pytest.mark.parametrize("text", ['{"a":', '{"a":1}', ""])
def test_what_is_done_because_it_was_interrupted_is_not_complete(text: str) -> None:
    """Both done events come then, too: only the statuses tell."""
    interrupted = [added(0), delta(0, text), written(0, text), done(0, text, "incomplete")]
    accumulator = told(*interrupted, end=ended("cancelled", reason="turn_detected"))
    assert statuses(accumulator) == ["incomplete"]


def test_no_arguments() -> None:
    assert arguments(told(added(0), written(0, ""), done(0, ""))) == [{}]


def test_call_whose_item_was_never_announced_is_known_by_the_ids_of_its_deltas() -> None:
    (call,) = told(delta(0, '{"a":1}'), written(0, '{"a":1}')).calls
    assert (call.id, call.name, call.arguments) == ("c0", "f0", {"a": 1})


@pytest.mark.parametrize(
    "other",
    [
        event("session.created", None, session={}),
        event("conversation.item.added", None, item=item(0, "", "in_progress")),
        # The client can put calls of its own into the conversation.
        event("conversation.item.created", None, item=item(8, "{}", "completed")),
        event("conversation.item.done", None, item=item(8, "{}", "completed")),
        event("error", None, error={"type": "invalid_request_error", "message": "x"}),
        event("response.output_text.delta", delta="x", output_index=1, item_id="m"),
        event("rate_limits.updated", None, rate_limits=[]),
        event("something.new", None),
    ],
)
def test_what_is_no_call_of_the_model(other: Any) -> None:
    accumulator = told(other, *CALL, other)
    assert arguments(accumulator) == [{"a": 1}]
    assert accumulator.error is None


def test_without_any_word_it_is_unconfirmed() -> None:
    accumulator = drive(VENDOR, [created(), *CALL[:-1], added(1), delta(1, "{")])
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]


def test_sdk_objects_read_as_the_wire_does() -> None:
    lines = (STREAMS / f"{VENDOR}.jsonl").read_text("utf-8").splitlines()
    adapter: Any = pydantic.TypeAdapter(RealtimeServerEvent)
    typed = [adapter.validate_json(line) for line in lines]
    for vendor in (VENDOR, "auto"):
        assert arguments(drive(vendor, typed)) == arguments(drive(VENDOR, lines))


def test_tool_result() -> None:
    (call,) = told(*CALL).calls
    tool_result = vendors.openai_realtime.tool_result
    assert tool_result(call, "ok") == {
        "type": "conversation.item.create",
        "item": {"type": "function_call_output", "call_id": "c0", "output": "ok"},
    }
    assert tool_result(call, "bad", is_error=True)["item"]["output"] == '{"error": "bad"}'
    assert tool_result(call, [1])["item"]["output"] == "[1]"
