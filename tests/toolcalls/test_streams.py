"""Whole streams: whatever ends them, calls and source are told."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from chat import begin, chunk, more, whole

from fragjson.toolcalls import Accumulator, CallAborted, CallClosed, CallStarted

VENDOR = "openai_chat"
OPEN = [chunk(begin()), chunk(more('{"a":1'))]


class Source:
    """Chunks, then an exception if one is given; knows whether it was closed."""

    def __init__(self, chunks: list[Any], error: BaseException | None = None) -> None:
        self._chunks = iter(chunks)
        self._error = error
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        for each in self._chunks:
            return each
        if self._error is not None:
            raise self._error
        raise StopIteration

    def close(self) -> None:
        self.closed += 1


class AsyncSource(Source):
    """The same, with a ``close`` to be awaited, as the SDKs' streams have."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self  # type: ignore[return-value]

    async def __anext__(self) -> Any:
        await asyncio.sleep(0)
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    async def close(self) -> None:  # type: ignore[override]
        self.closed += 1


def test_stream_that_ends_is_closed() -> None:
    source = Source(whole('{"a":1}', finish=None))
    accumulator = Accumulator(VENDOR)
    with accumulator.stream(source) as events:
        last = list(events)[-1]
    assert isinstance(last, CallClosed)
    assert last.call.status == "unconfirmed"
    assert (accumulator.outcome.state, source.closed) == ("ended", 1)


def test_source_that_raises_aborts_and_the_events_come_first() -> None:
    source = Source(OPEN, ConnectionError("reset by peer"))
    accumulator = Accumulator(VENDOR)
    events: list[Any] = []
    with pytest.raises(ConnectionError), accumulator.stream(source) as stream:
        events.extend(stream)
    assert events[-1] == CallAborted(accumulator.calls[0], "ConnectionError: reset by peer")
    assert accumulator.outcome.reason == "ConnectionError: reset by peer"
    assert source.closed == 1


def test_consumer_that_leaves_aborts() -> None:
    source = Source(OPEN)
    accumulator = Accumulator(VENDOR)
    with accumulator.stream(source) as events:
        for _ in events:
            break
    assert accumulator.calls[0].status == "aborted"
    assert (accumulator.outcome.reason, source.closed) == ("the consumer stopped", 1)


def test_consumer_that_raises_aborts() -> None:
    source = Source(OPEN)
    accumulator = Accumulator(VENDOR)
    with pytest.raises(ZeroDivisionError), accumulator.stream(source) as events:
        _ = [1 / 0 for _ in events]
    assert accumulator.outcome.reason == "ZeroDivisionError: division by zero"
    assert source.closed == 1


def test_stream_that_is_never_iterated_is_closed_too() -> None:
    source = Source(OPEN)
    accumulator = Accumulator(VENDOR)
    with accumulator.stream(source):
        pass
    assert (accumulator.outcome.state, source.closed) == ("aborted", 1)


def test_interrupt_aborts_at_once() -> None:
    source = Source(OPEN, KeyboardInterrupt())
    accumulator = Accumulator(VENDOR)
    with pytest.raises(KeyboardInterrupt), accumulator.stream(source) as events:
        list(events)
    assert accumulator.outcome.reason == "KeyboardInterrupt"
    assert (accumulator.calls[0].status, source.closed) == ("aborted", 1)


def test_without_with_an_iterator_that_is_dropped_still_aborts() -> None:
    source = Source(OPEN)
    accumulator = Accumulator(VENDOR)
    iterator = iter(accumulator.stream(source))
    next(iterator)
    del iterator
    assert (accumulator.outcome.state, source.closed) == ("aborted", 1)


def test_sources_without_a_close() -> None:
    accumulator = Accumulator(VENDOR)
    with accumulator.stream(whole("{}")) as events:
        list(events)
    assert len(accumulator.ready()) == 1


def test_async_stream_that_ends_is_closed() -> None:
    async def main() -> None:
        source = AsyncSource(whole('{"a":1}'))
        accumulator = Accumulator(VENDOR)
        async with accumulator.astream(source) as events:
            types = [event.type async for event in events]
        assert types[-1] == "tool_call_closed"
        assert (accumulator.outcome.state, source.closed) == ("ended", 1)

    asyncio.run(main())


def test_async_source_that_raises_aborts_and_the_events_come_first() -> None:
    async def main() -> None:
        source = AsyncSource(OPEN, ConnectionError("gone"))
        accumulator = Accumulator(VENDOR)
        events: list[Any] = []

        async def consume() -> None:
            async with accumulator.astream(source) as stream:
                async for event in stream:
                    events.append(event)  # noqa: PERF401 - kept up to the exception

        with pytest.raises(ConnectionError):
            await consume()
        assert isinstance(events[-1], CallAborted)
        assert source.closed == 1

    asyncio.run(main())


def test_async_consumer_that_leaves_aborts() -> None:
    async def main() -> None:
        source = AsyncSource(OPEN)
        accumulator = Accumulator(VENDOR)
        async with accumulator.astream(source) as events:
            async for _ in events:
                break
        assert accumulator.outcome.reason == "the consumer stopped"
        assert source.closed == 1

    asyncio.run(main())


@pytest.mark.parametrize("where", ["in the source", "in the body"])
def test_cancelled_task_aborts(where: str) -> None:
    closed = []

    async def source() -> AsyncIterator[Any]:
        try:
            for each in OPEN:
                yield each
            await asyncio.sleep(60 if where == "in the source" else 0)
            yield chunk()
            yield chunk(more("}"))
            await asyncio.sleep(60)
        finally:
            closed.append(True)

    async def consume(accumulator: Accumulator) -> None:
        async with accumulator.astream(source()) as events:
            async for event in events:
                if where == "in the body" and event.type == "tool_call_delta":
                    await asyncio.sleep(60)

    async def main() -> None:
        accumulator = Accumulator(VENDOR)
        task = asyncio.create_task(consume(accumulator))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert accumulator.outcome.state == "aborted"
        assert [call.status for call in accumulator.calls] == ["aborted"]
        assert accumulator.calls[0].partial == {}
        assert closed == [True]

    asyncio.run(main())


def test_async_stream_that_is_never_iterated_is_closed_too() -> None:
    async def main() -> None:
        source = AsyncSource(OPEN)
        accumulator = Accumulator(VENDOR)
        async with accumulator.astream(source):
            pass
        assert (accumulator.outcome.state, source.closed) == ("aborted", 1)

    asyncio.run(main())


# Sources that cannot be closed


class Stuck(Source):
    def close(self) -> None:
        super().close()
        raise OSError("stuck")


class AsyncStuck(AsyncSource):
    async def close(self) -> None:
        await super().close()
        raise OSError("stuck")


async def in_async(accumulator: Accumulator, source: AsyncSource, take: Any) -> None:
    async with accumulator.astream(source) as events:
        async for event in events:
            if take(event):
                break


def in_sync(accumulator: Accumulator, source: Source, take: Any) -> None:
    with accumulator.stream(source) as events:
        for event in events:
            if take(event):
                break


def run_stuck(
    how: str, accumulator: Accumulator, chunks: list[Any], error: Any, take: Any
) -> Source:
    source = AsyncStuck(chunks, error) if how == "async" else Stuck(chunks, error)
    try:
        if isinstance(source, AsyncSource):
            asyncio.run(in_async(accumulator, source, take))
        else:
            in_sync(accumulator, source, take)
    finally:
        assert source.closed == 1
    return source


both_ways = pytest.mark.parametrize("how", ["sync", "async"])


@both_ways
def test_a_source_that_cannot_be_closed_takes_no_verdict_away(how: str) -> None:
    accumulator, told = Accumulator(VENDOR), []
    with pytest.raises(OSError, match="stuck"):
        run_stuck(how, accumulator, whole('{"a":1}', finish=None), None, told.append)
    assert [type(event) for event in told][-1] is CallClosed
    assert accumulator.calls[0].status == "unconfirmed"
    assert accumulator.outcome.state == "ended"


@both_ways
def test_a_source_that_cannot_be_closed_hides_no_exception(how: str) -> None:
    for error, take in ((KeyError("real"), lambda event: False), (None, lambda event: 1 / 0)):
        accumulator = Accumulator(VENDOR)
        with pytest.raises((KeyError, ZeroDivisionError)) as caught:
            run_stuck(how, accumulator, OPEN, error, take)
        assert caught.value.__notes__ == ["closing the source failed, too: OSError('stuck')"]
        assert accumulator.calls[0].status == "aborted"


@both_ways
def test_a_source_that_cannot_be_closed_is_told_to_who_has_left(how: str) -> None:
    accumulator = Accumulator(VENDOR)
    with pytest.raises(OSError, match="stuck"):
        run_stuck(how, accumulator, OPEN, None, lambda event: True)
    assert accumulator.outcome.reason == "the consumer stopped"


# Sources that are none


async def coroutine() -> Any:
    return Source(OPEN)


async def asynchronous() -> AsyncIterator[Any]:
    yield OPEN[0]


@pytest.mark.parametrize(
    ("made", "chunks", "message"),
    [
        ("stream", coroutine, "a plain iterable, not coroutine: it is to be awaited first"),
        ("astream", coroutine, "an asynchronous iterable, not coroutine: it is to be awaited"),
        ("stream", asynchronous, "not async_generator: it is for astream"),
        ("astream", lambda: Source(OPEN), "not Source: it is for stream"),
        ("astream", lambda: OPEN, "not list: it is for stream"),
        ("stream", contextlib.nullcontext, "not nullcontext: what its with block gives is"),
        ("stream", lambda: "data: {}", "not str: one chunk is for feed"),
        ("astream", lambda: b"data: {}", "not bytes: one chunk is for feed"),
        ("stream", lambda: OPEN[0], "not dict: one chunk is for feed"),
        ("stream", lambda: None, "a plain iterable, not NoneType$"),
    ],
)
def test_a_source_that_cannot_be_read_is_refused_at_once(
    made: str, chunks: Any, message: str
) -> None:
    source = chunks()
    accumulator = Accumulator(VENDOR)
    with pytest.raises(TypeError, match=f"^chunks is .*{message}"):
        getattr(accumulator, made)(source)
    assert accumulator.outcome.state == "streaming"
    if hasattr(source, "__await__"):
        source.close()  # or Python warns that it was never awaited


def in_both_ways(accumulator: Accumulator, chunks: list[Any], take: Any, how: str) -> None:
    source = AsyncSource(chunks) if how == "async" else Source(chunks)
    if isinstance(source, AsyncSource):
        asyncio.run(in_async(accumulator, source, take))
    else:
        in_sync(accumulator, source, take)
    assert source.closed == 1


@both_ways
def test_an_abort_of_the_consumers_ends_the_loop_and_keeps_its_reason(how: str) -> None:
    accumulator = Accumulator(VENDOR)
    told: list[Any] = []

    def stop(event: Any) -> None:
        told.append(event)
        if isinstance(event, CallStarted):
            told.extend(accumulator.abort("a bad port"))

    in_both_ways(accumulator, whole('{"a":1}'), stop, how)
    assert [type(event) for event in told] == [CallStarted, CallAborted]
    assert accumulator.is_over
    assert accumulator.outcome.to_dict()["reason"] == "a bad port"


def test_a_stream_says_whose_it_is() -> None:
    accumulator = Accumulator(VENDOR)
    assert repr(accumulator.stream(OPEN)) == "<EventStream of <Accumulator openai_chat: no calls>>"
    source = AsyncSource([])
    assert repr(accumulator.astream(source)).startswith("<AsyncEventStream of <Accumulator")
