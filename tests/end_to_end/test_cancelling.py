"""The client's stream is cancelled in the middle of calls: they are aborted, and kept as such.

The provider goes silent in the middle of the second call, so the client has all that was sent, and
what it does then is all that can happen. Nothing here waits for a time to pass but the test of the
clients' own timeouts.
"""

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from loops import HOW, NOTE, TIDES, VENDORS, Loops, written

from fragjson import Accumulator, CallNotReadyError, ToolCall
from fragjson.testing.provider import MockProvider, Playback
from fragjson.toolcalls import CallAborted, CallDelta
from fragjson.toolcalls.turnlog import TurnLog, read

every_vendor = pytest.mark.parametrize("vendor", VENDORS)
both_ways = pytest.mark.parametrize("how", HOW)

CLOSES = {"openai_chat": False, "openai_responses": True, "anthropic": True, "gemini": True}
"""Whether the first call is closed by the vendor's word when the second has begun."""


def in_the_second(accumulator: Accumulator) -> bool:
    calls = accumulator.calls
    return len(calls) == 2 and "path" in (calls[1].partial or {})


class Turn:
    """A turn with its log, for as long as it lasts."""

    def __init__(self, vendor: str, log: TurnLog) -> None:
        self.accumulator = Accumulator(vendor)
        self.log = log
        self.events: list[Any] = []

    def take(self, event: Any) -> bool:
        """Take an event; whether all has come that is sent."""
        self.events.append(event)
        self.log.feed(event)
        return isinstance(event, CallDelta) and in_the_second(self.accumulator)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turns.jsonl"


@pytest.fixture
def playback(vendor: str) -> Playback:
    """Return a stream that stalls when a part of the second call has come."""
    stream = written(vendor, TIDES, NOTE)
    accumulator = Accumulator(vendor)
    for number, line in enumerate(stream, 1):
        accumulator.feed(line)
        if in_the_second(accumulator):
            return Playback(stream, stall=number)
    raise AssertionError("it never comes to the second call")


@pytest.fixture
def provider(playback: Playback, loops: Loops) -> Iterator[MockProvider]:
    with MockProvider(playback) as provider:
        loops.use(provider)
        yield provider


@pytest.fixture
def turn(vendor: str, path: Path) -> Iterator[Turn]:
    with TurnLog(path) as log:
        yield Turn(vendor, log)


def expect_aborted(vendor: str, turn: Turn, path: Path, reason: str) -> None:
    """See that what was in flight is aborted, now and when it is read back."""
    first, second = turn.accumulator.calls
    assert first.status == ("complete" if CLOSES[vendor] else "aborted")
    assert second.status == "aborted"
    assert turn.accumulator.ready() == ([first] if CLOSES[vendor] else [])
    outcome = turn.accumulator.outcome
    assert outcome.state == "aborted"
    assert reason in (outcome.reason or "")

    turn.log.turn(outcome)
    history = read(path)
    assert history.turns == [("aborted", outcome.reason)]
    assert [call.status for call in history.calls] == [first.status, second.status]
    assert [call.name for call in history.ready()] == (["get_tides"] if CLOSES[vendor] else [])
    for call, kept in zip((first, second), history.calls, strict=True):
        assert kept.partial == call.partial
        assert kept.text == call.text
    expect_never_executed(history.calls[1], turn.log)


def expect_never_executed(call: ToolCall, log: TurnLog) -> None:
    assert "tides.txt".startswith(call.partial["path"])
    with pytest.raises(CallNotReadyError):
        _ = call.arguments
    with pytest.raises(CallNotReadyError):
        log.dispatched(call)
    with pytest.raises(CallNotReadyError):
        _ = ToolCall.from_record(call.to_record()).arguments


def expect_left(provider: MockProvider, playback: Playback) -> None:
    """See that the connection was closed, when all lines up to the silence had come."""
    (request,) = provider.requests
    assert request.wait() == "left"
    assert request.lines_sent == playback.stall


async def expect_left_soon(vendor: str, provider: MockProvider, playback: Playback) -> None:
    """See the same, while the event loop goes on."""
    seen = asyncio.create_task(asyncio.to_thread(expect_left, provider, playback))
    while vendor == "gemini" and not seen.done():
        # google-genai has the response and its iterator in a cycle: what closing the stream leaves
        # open is closed by the collector and the event loop, by and by.
        gc.collect()
        for _ in range(50):
            await asyncio.sleep(0)
    await seen


def expect_told(vendor: str, turn: Turn, reason: str) -> None:
    """See that each call in flight got its event."""
    aborted = [event for event in turn.events if isinstance(event, CallAborted)]
    assert [event.call for event in aborted] == turn.accumulator.calls[CLOSES[vendor] :]
    assert all(reason in event.reason for event in aborted)


# Leaving the block


class BoredError(Exception):
    """Raised by who reads the events."""


def leave(turn: Turn) -> None:
    pass


def raise_bored(turn: Turn) -> None:
    raise BoredError("it is enough")


def abort(turn: Turn) -> None:
    turn.events += turn.accumulator.abort("the user has pressed stop")


LEAVING = [
    pytest.param(leave, "the consumer stopped", id="leave"),
    pytest.param(raise_bored, "BoredError: it is enough", id="raise"),
    pytest.param(abort, "the user has pressed stop", id="abort"),
]


@pytest.mark.parametrize(("leaving", "reason"), LEAVING)
@every_vendor
@both_ways
def test_leaving_the_block(
    vendor: str, how: str, leaving: Callable[[Turn], None], reason: str,
    provider: MockProvider, playback: Playback, loops: Loops, turn: Turn, path: Path,
) -> None:  # fmt: skip
    def consume() -> None:
        with (
            contextlib.suppress(BoredError),
            turn.accumulator.stream(loops.ask(vendor)) as events,
        ):
            for event in events:
                if turn.take(event):
                    leaving(turn)
                    break
        expect_left(provider, playback)

    async def consume_async() -> None:
        source = await loops.ask_async(vendor)
        with contextlib.suppress(BoredError):
            async with turn.accumulator.astream(source) as events:
                async for event in events:
                    if turn.take(event):
                        leaving(turn)
                        break
        await expect_left_soon(vendor, provider, playback)

    consume() if how == "sync" else loops.run_async(consume_async())
    if leaving is abort:
        expect_told(vendor, turn, reason)
    expect_aborted(vendor, turn, path, reason)


# Cancelling the task


@pytest.mark.parametrize("by", ["cancel", "timeout"])
@every_vendor
def test_cancelling_the_task(
    vendor: str, by: str, provider: MockProvider, playback: Playback, loops: Loops, turn: Turn,
    path: Path,
) -> None:  # fmt: skip
    async def consume(all_is_here: Callable[[], object]) -> None:
        async with turn.accumulator.astream(await loops.ask_async(vendor)) as events:
            async for event in events:
                if turn.take(event):
                    all_is_here()

    async def cancelled() -> None:
        all_is_here = asyncio.Event()
        task = asyncio.create_task(consume(all_is_here.set))
        await all_is_here.wait()
        task.cancel("shutting down")
        with pytest.raises(asyncio.CancelledError):
            await task
        await expect_left_soon(vendor, provider, playback)

    async def limited() -> None:
        async with asyncio.timeout(None) as limit:
            await consume(lambda: limit.reschedule(0.0))  # which is long past

    async def timed_out() -> None:
        with pytest.raises(TimeoutError):
            await limited()
        await expect_left_soon(vendor, provider, playback)

    loops.run_async(cancelled() if by == "cancel" else timed_out())
    expect_aborted(vendor, turn, path, "CancelledError")


# The client gives up


@every_vendor
@both_ways
def test_the_timeout_of_the_client(
    vendor: str, how: str, provider: MockProvider, playback: Playback, loops: Loops, turn: Turn,
    path: Path,
) -> None:  # fmt: skip
    """The one that is raised, after the events of the abort."""
    loops.options = {"http_options": {"timeout": 150}} if vendor == "gemini" else {"timeout": 0.15}

    def consume() -> None:
        with turn.accumulator.stream(loops.ask(vendor)) as events:
            for event in events:
                turn.take(event)

    async def consume_async() -> None:
        async with turn.accumulator.astream(await loops.ask_async(vendor)) as events:
            async for event in events:
                turn.take(event)

    error = "none"
    try:
        consume() if how == "sync" else loops.run_async(consume_async())
    except Exception as raised:
        error = type(raised).__name__
    # Some SDKs let that of the HTTP client out as it is.
    assert error == ("APITimeoutError" if vendor.startswith("openai") else "ReadTimeout")
    expect_left(provider, playback)
    expect_told(vendor, turn, error)
    expect_aborted(vendor, turn, path, error)


@every_vendor
@both_ways
def test_the_stream_is_closed_under_the_loop(
    vendor: str, how: str, provider: MockProvider, playback: Playback, loops: Loops, turn: Turn,
    path: Path,
) -> None:  # fmt: skip
    def consume() -> None:
        source = loops.ask(vendor)
        with turn.accumulator.stream(source) as events:
            for event in events:
                if turn.take(event):
                    source.close()

    async def consume_async() -> None:
        source = await loops.ask_async(vendor)
        try:
            async with turn.accumulator.astream(source) as events:
                async for event in events:
                    if turn.take(event):
                        await (source.aclose() if vendor == "gemini" else source.close())
        finally:
            await expect_left_soon(vendor, provider, playback)

    error = None
    try:
        consume() if how == "sync" else loops.run_async(consume_async())
    except Exception as raised:
        error = type(raised).__name__
    expect_left(provider, playback)
    if vendor == "gemini":  # its streams are generators, which just end
        assert error is None
        assert [call.status for call in turn.accumulator.calls] == ["complete", "incomplete"]
        assert [call.name for call in turn.accumulator.ready()] == ["get_tides"]
        expect_never_executed(turn.accumulator.calls[1], turn.log)
    else:
        assert error == ("APIConnectionError" if vendor.startswith("openai") else "ReadError")
        expect_told(vendor, turn, error)
        expect_aborted(vendor, turn, path, error)
