"""A whole stream as an iterator of events that cannot end unnoticed.

Both classes promise the same: when their ``with`` block is left, for whatever reason, the turn is
closed or aborted and the source is closed. They are context managers because only leaving a
``with`` block tells at once that a consumer has stopped in the middle.
"""

import inspect
from typing import TYPE_CHECKING, Any

from fragjson.vendors._reading import refuse_whole

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable
    from types import TracebackType

    from fragjson.toolcalls.accumulator import Accumulator
    from fragjson.toolcalls.events import StreamEvent

__all__ = ["AsyncEventStream", "EventStream"]


class EventStream:
    """The events of a stream; made by ``Accumulator.stream``."""

    def __init__(self, accumulator: "Accumulator", chunks: "Iterable[Any]") -> None:
        _check(chunks, "__iter__")
        self._accumulator = accumulator
        self._source = _Source(chunks, "close")
        self._events = _events(accumulator, chunks, self._source)

    def __repr__(self) -> str:
        return f"<EventStream of {self._accumulator!r}>"

    def __iter__(self) -> "Generator[StreamEvent, None, None]":
        return self._events

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        self._accumulator.abort(_why(error))
        self._source.__exit__(kind, error, traceback)
        self._events.close()


class AsyncEventStream:
    """The events of an asynchronous stream; made by ``Accumulator.astream``."""

    def __init__(self, accumulator: "Accumulator", chunks: "AsyncIterable[Any]") -> None:
        _check(chunks, "__aiter__")
        self._accumulator = accumulator
        # Generators have an aclose(), the SDKs' streams a close() to be awaited.
        self._source = _Source(chunks, "aclose", "close")
        self._events = _async_events(accumulator, chunks, self._source)

    def __repr__(self) -> str:
        return f"<AsyncEventStream of {self._accumulator!r}>"

    def __aiter__(self) -> "AsyncGenerator[StreamEvent, None]":
        return self._events

    async def __aenter__(self) -> "AsyncEventStream":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        self._accumulator.abort(_why(error))
        await self._source.__aexit__(kind, error, traceback)
        await self._events.aclose()


def _check(chunks: Any, method: str) -> None:
    """Refuse a source that cannot be iterated in this way, before anything is begun."""
    plain = method == "__iter__"
    refuse_whole(chunks)
    if hasattr(chunks, "__await__"):
        hint = ": it is to be awaited first"
    elif isinstance(chunks, str | bytes | bytearray | dict):
        hint = ": one chunk is for feed"
    elif hasattr(chunks, method):
        return
    elif hasattr(chunks, "__aiter__" if plain else "__iter__"):
        hint = f": it is for {'astream' if plain else 'stream'}"
    elif hasattr(chunks, "__enter__") or hasattr(chunks, "__aenter__"):
        hint = ": what its with block gives is"
    else:
        hint = ""
    wanted = "a plain iterable" if plain else "an asynchronous iterable"
    raise TypeError(f"chunks is {wanted}, not {type(chunks).__name__}{hint}")


def _events(
    accumulator: "Accumulator", chunks: "Iterable[Any]", source: "_Source"
) -> "Generator[StreamEvent, None, None]":
    last: list[StreamEvent] = []
    try:
        with source:
            try:
                for chunk in chunks:
                    yield from accumulator.feed(chunk)
                    if accumulator.is_over:  # by an abort of the consumer's
                        break
                last = accumulator.close()
            except Exception as error:
                yield from accumulator.abort(_why(error))
                raise
            except BaseException as error:  # the consumer has stopped, or must not be waited for
                accumulator.abort(_why(error))
                raise
    finally:  # the connection is free by then, and whether it closed well changes no verdict
        yield from last


async def _async_events(
    accumulator: "Accumulator", chunks: "AsyncIterable[Any]", source: "_Source"
) -> "AsyncGenerator[StreamEvent, None]":
    last: list[StreamEvent] = []
    try:
        async with source:
            try:
                async for chunk in chunks:
                    for event in accumulator.feed(chunk):
                        yield event
                    if accumulator.is_over:
                        break
                last = accumulator.close()
            except Exception as error:
                for event in accumulator.abort(_why(error)):
                    yield event
                raise
            except BaseException as error:  # as above; a cancellation goes on at once
                accumulator.abort(_why(error))
                raise
    finally:
        for event in last:
            yield event


class _Source:
    """Closes a source once, whoever comes first.

    As a context manager; an exception that is on its way goes on, with a note if closing fails too.
    """

    def __init__(self, chunks: Any, *names: str) -> None:
        self._close = next((getattr(chunks, name) for name in names if hasattr(chunks, name)), None)

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            self._closing()
        except Exception as failure:
            _raise_or_note(failure, error)

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            closing = self._closing()
            if inspect.isawaitable(closing):
                await closing
        except Exception as failure:
            _raise_or_note(failure, error)

    def _closing(self) -> Any:
        close, self._close = self._close, None
        return close() if close is not None else None


def _raise_or_note(failure: Exception, error: BaseException | None) -> None:
    if error is None or isinstance(error, GeneratorExit):  # which only says that nobody listens
        raise failure
    error.add_note(f"closing the source failed, too: {failure!r}")


def _why(error: BaseException | None) -> str:
    if error is None or isinstance(error, GeneratorExit):
        return "the consumer stopped"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
