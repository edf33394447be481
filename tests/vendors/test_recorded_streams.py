"""Every recorded stream gives its calls: as dicts, as lines, and with the vendor unnamed."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from recordings import ABSENT, BEGUN_AGAIN, RECORDINGS, Recording, check

from fragjson.toolcalls import (
    Accumulator,
    CallAborted,
    CallClosed,
    CallDelta,
    CallStarted,
    FieldClosed,
    SchemaViolation,
)

pytestmark = pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
both_ways = pytest.mark.parametrize("how", ["named", "auto"])
every_recording = pytest.mark.parametrize("recording", RECORDINGS, ids=lambda r: r.name)


def run(accumulator: Accumulator, chunks: Iterable[Any], *, done: bool = False) -> list[Any]:
    events = [event for chunk in chunks for event in accumulator.feed(chunk)]
    if done:
        events += accumulator.feed("[DONE]")
    return events + accumulator.close()


@every_recording
@both_ways
def test_as_dicts(recording: Recording, how: str) -> None:
    accumulator = Accumulator(recording.vendor if how == "named" else "auto")
    run(accumulator, recording.chunks, done=recording.done)
    check(accumulator, recording)


@every_recording
@both_ways
def test_as_lines(recording: Recording, how: str) -> None:
    accumulator = Accumulator(recording.vendor if how == "named" else "auto")
    lines = [": a comment", "", *(f"data: {line}" for line in recording.lines)]
    run(accumulator, lines, done=recording.done)
    check(accumulator, recording)


@every_recording
def test_events_tell_the_same_as_the_calls(recording: Recording) -> None:
    accumulator = Accumulator(recording.vendor)
    events = run(accumulator, recording.chunks, done=recording.done)
    for call in accumulator.calls:
        own = [event for event in events if getattr(event, "call", None) is call]
        assert isinstance(own[0], CallStarted)
        assert [isinstance(event, CallClosed | CallAborted) for event in own].count(True) == 1
        assert isinstance(own[-1], CallClosed)
        text = "".join(event.text for event in own if isinstance(event, CallDelta))
        if call.text is not None:
            assert text == call.text
        elif call.status == "complete":
            assert json.loads(text) == call.arguments
        if call.status == "complete" and call.format == "json":
            closed = {e.path: e.value for e in own if isinstance(e, FieldClosed)}
            assert closed == dict(fields(call.arguments))


def fields(value: Any, path: tuple[str | int, ...] = ()) -> Iterable[tuple[Any, Any]]:
    if path:
        yield path, value
    if isinstance(value, dict | list):
        for step, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from fields(child, (*path, step))


@every_recording
def test_cutting_a_stream_short_completes_nothing_new(recording: Recording) -> None:
    """Wherever the connection breaks, no call is ready that had not been so by then."""
    chunks = recording.chunks
    for length in range(0, len(chunks), max(1, len(chunks) // 20)):
        accumulator = Accumulator(recording.vendor)
        for chunk in chunks[:length]:
            accumulator.feed(chunk)
        ready = accumulator.ready()
        accumulator.abort("broken")
        assert accumulator.ready() == ready
        assert all(call.status != "streaming" for call in accumulator.calls)


@every_recording
def test_records_survive_json(recording: Recording) -> None:
    accumulator = Accumulator(recording.vendor)
    run(accumulator, recording.chunks, done=recording.done)
    for record in accumulator.outcome.calls:
        assert json.loads(json.dumps(record)) == record


def test_the_stream_that_fails_says_so() -> None:
    (recording,) = (r for r in RECORDINGS if r.name == "openai-compat/groq-gptoss-error-mid-stream")
    accumulator = Accumulator("openai_chat")
    events = run(accumulator, recording.chunks)
    assert [event.type for event in events] == ["stream_failed"]
    assert accumulator.error is not None
    assert accumulator.error.code == "tool_use_failed"
    assert accumulator.outcome.state == "failed"


def test_a_call_begun_again_under_its_id_is_the_same_call() -> None:
    (recording,) = (r for r in RECORDINGS if r.name == BEGUN_AGAIN)
    accumulator = Accumulator("ag_ui")
    run(accumulator, recording.chunks)
    ids = [call["id"] for call in recording.expected]
    assert ids[0] == ids[1]
    assert [call.id for call in accumulator.calls] == ids[1:]
    assert accumulator.calls[0].notes == ["the call came again with other arguments: ignored"]


def seen(accumulator: Accumulator, events: Iterable[Any]) -> list[Any]:
    """Give all that is told and known, but for the calls themselves and the times."""
    records = accumulator.outcome.calls
    for record in records:
        del record["timing"], record["key"]
    fields = ("path", "value", "text", "reason", "message")
    told = [(event.type, *(getattr(event, name, None) for name in fields)) for event in events]
    return [told, json.dumps(records)]


@every_recording
def test_checking_changes_nothing_of_calls_that_fit(recording: Recording) -> None:
    names = {call["name"] for call in recording.expected}
    results = []
    for tools in (None, {name: {"type": "object"} for name in names if name}):
        accumulator = Accumulator(recording.vendor, tools=tools, events=("start", "delta", "end"))
        results.append(seen(accumulator, run(accumulator, recording.chunks, done=recording.done)))
    assert results[0] == results[1]


@every_recording
def test_calls_of_tools_that_there_are_not_are_told_of(recording: Recording) -> None:
    accumulator = Accumulator(recording.vendor, tools=[])
    events = run(accumulator, recording.chunks, done=recording.done)
    told = [event.call for event in events if isinstance(event, SchemaViolation)]
    for call in accumulator.calls:
        if call.name and call.format == "json" and not call.server_side:
            assert told.count(call) == 1
            assert call.status not in ("complete", "unconfirmed")
        elif call.id not in recording.run_there:  # which is said only after the verdict
            assert call.status != "invalid" or call.error is not None
