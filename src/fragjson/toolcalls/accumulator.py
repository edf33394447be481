"""The accumulator: what a harness holds while a model writes its tool calls.

One accumulator per model turn. It finds the adapter of the vendor, feeds it chunk by chunk, and
hands out the events; it knows no vendor itself. Promised here: what is not certainly finished is
never among ``ready()``; what was in flight when a stream broke off is told of, call by call.
"""

import time
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

from fragjson import vendors
from fragjson._engine import Parser
from fragjson._errors import JSONDecodeError
from fragjson.toolcalls.call import shown_name
from fragjson.toolcalls.metrics import TurnMetrics
from fragjson.toolcalls.streams import AsyncEventStream, EventStream
from fragjson.toolcalls.turn import Settings, Turn
from fragjson.toolcalls.verdict import CallStatus, Word
from fragjson.vendors._reading import DONE, decode_sse, refuse_whole
from fragjson.vendors._undecided import Undecided

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Collection, Iterable, Mapping

    from fragjson._types import EventKind
    from fragjson.toolcalls.call import Key, ToolCall
    from fragjson.toolcalls.events import StreamError, StreamEvent
    from fragjson.toolcalls.schema import Tools

__all__ = ["Accumulator", "Outcome"]

_FIELDS_CLOSED: "frozenset[EventKind]" = frozenset({"end"})
_NOTHING_SEEN: "frozenset[Key]" = frozenset()
_TEXT = (str, bytes, bytearray)
_NO_CHUNK = (list, tuple, set, int, float)
_State: TypeAlias = Literal["streaming", "ended", "aborted", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended, for the caller to keep.

    Attributes:
        state: ``streaming`` until it is over; then ``ended``, ``aborted`` or ``failed``.
        reason: the finish reason, what it was aborted for, or the message of the failure.
        calls: the records of all its calls (see ``ToolCall.to_record``).
    """

    state: _State
    reason: str | None
    calls: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-safe values."""
        return {"state": self.state, "reason": self.reason, "calls": self.calls}


class Accumulator:
    """Collects the tool calls of one model turn from a vendor's stream.

    Args:
        vendor: one of ``vendors.names()``, a registered one included, or ``auto``: told by the
            first chunk that leaves no doubt, with what came before it held back until then.
        events: which field events to give: a subset of ``{"start", "delta", "end"}``.
        paths: JSONPath expressions (see ``Parser``) that limit field events to what matches.
        strict: refuse raw control characters in strings; otherwise they are accepted and noted.
        repair: called with the text of malformed arguments that the vendor says are finished, to
            return the object that is meant (``json_repair.loads``, for one); noted on the call.
            Not called where the text does not end as an object does, so that it may be cut, nor
            beyond a limit. It cannot use the accumulator.
        seen: keys of calls that were dispatched before (see ``ToolCall.key``); such a call counts
            as a duplicate and is not ready again. Add the key when you dispatch a call.
        tools: the schemas of the tools, to check calls against while they stream: a mapping of
            names to JSON Schemas, pydantic models or ``TypeAdapter``s, or the list of definitions
            that went to the vendor. Gives ``SchemaViolation`` events; a call that does not fit is
            ``invalid``. Needs the extra ``schema``, for models ``pydantic``.
        trust_eof: take the mere end of the stream as the vendor's word: for servers that say
            neither a finish reason nor ``[DONE]``.
        clock: gives the times in ``ToolCall.timing`` and ``metrics``, in seconds.
        max_depth, max_bytes, max_string: limits on the arguments of each call, as in ``Parser``;
            for those of free text ``max_bytes`` is the one that counts.

    Raises:
        ValueError, TypeError: an option is not what it should be; the message names it, and the
            tool and the place in its schema.
        ImportError: a kind of schema needs what is not installed; the message names the extra.

    Feeding costs what the chunk costs. ``calls`` are live; events refer to them.

    >>> accumulator = Accumulator("openai_chat")
    >>> def chunk(finish_reason=None, **entry):
    ...     delta = {"tool_calls": [{"index": 0, **entry}]} if entry else {}
    ...     return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}
    >>> def show(events):
    ...     print([event.type for event in events])
    >>> show(accumulator.feed(chunk(id="c1", function={"name": "find", "arguments": ""})))
    ['tool_call_started']
    >>> show(accumulator.feed(chunk(function={"arguments": '{"query": "tides'})))
    ['tool_call_delta']
    >>> accumulator.calls[0].partial
    {'query': 'tides'}
    >>> show(accumulator.feed(chunk(function={"arguments": '", "limit": 3}'})))
    ['tool_call_delta', 'field_closed', 'field_closed']
    >>> accumulator.ready()
    []
    >>> show(accumulator.feed(chunk(finish_reason="tool_calls")))
    ['tool_call_closed']
    >>> [call.arguments for call in accumulator.ready()]
    [{'query': 'tides', 'limit': 3}]
    """

    def __init__(
        self,
        vendor: str = "auto",
        *,
        events: "Collection[EventKind]" = _FIELDS_CLOSED,
        paths: "str | Iterable[str] | None" = None,
        strict: bool = False,
        tools: "Mapping[str, Any] | Iterable[Any] | None" = None,
        repair: "Callable[[str], Any] | None" = None,
        seen: "AbstractSet[Key] | None" = None,
        trust_eof: bool = False,
        clock: "Callable[[], float]" = time.monotonic,
        max_depth: int = 1000,
        max_bytes: int | None = None,
        max_string: int | None = None,
    ) -> None:
        self._vendor = vendor
        self._adapter_class = None if vendor == "auto" else vendors.adapter(vendor)
        # Told by a chunk; not asked where the adapter is the user's own, or has been chosen by one.
        told = self._adapter_class is not None and vendors.is_built_in(self._adapter_class)
        self._whose_at_first = None if told else vendor
        if repair is not None and not callable(repair):
            raise TypeError(f"repair is callable, not {type(repair).__name__}")
        if seen is not None and not isinstance(seen, AbstractSet):
            raise TypeError(f"seen is a set, not {type(seen).__name__}")
        if not isinstance(trust_eof, bool):
            raise TypeError(f"trust_eof is a bool, not {type(trust_eof).__name__}")
        if not callable(clock):
            raise TypeError(f"clock is callable, not {type(clock).__name__}")
        if paths is not None and not isinstance(paths, str):
            try:
                paths = tuple(paths)
            except TypeError as error:
                raise TypeError(f"paths: {error}") from None
        limits: Any = {"max_depth": max_depth, "max_bytes": max_bytes, "max_string": max_string}
        model = Parser(events=events, paths=paths, strict=strict, **limits)
        checks: Tools | None = None
        if tools is not None:  # what checks is loaded on first use
            every = Parser(events=("start", "delta", "end"), strict=strict, **limits)
            schema = import_module("fragjson.toolcalls.schema")
            checks = schema.Tools(tools, every._alike, events, paths)
        self._settings = Settings(
            model._alike,
            max_bytes,
            clock,
            trust_eof,
            repair,
            _NOTHING_SEEN if seen is None else seen,
            checks,
        )
        self._check_seen()
        self._turns = 0
        self.reset()

    def __repr__(self) -> str:
        calls = ", ".join(f"{shown_name(call)} {call.status}" for call in self._turn.calls)
        return f"<Accumulator {self._vendor}: {calls or 'no calls'}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an Accumulator can be neither copied nor pickled: keep its outcome, or the calls"
        )

    def reset(self) -> None:
        """Start the next turn; settings and ``seen`` are kept.

        Raises:
            RuntimeError: called by ``repair``.
        """
        self._check_idle()
        self._turn = Turn(self._settings, f"turn-{self._turns}")
        self._turns += 1
        # None while the vendor is not known, and when the turn is over.
        self._adapter: vendors.Adapter | None = None
        self._fragment: Callable[[dict[str, Any]], list[StreamEvent] | None] = _no_fragment
        self._undecided = Undecided(self._turn)
        self._whose = self._whose_at_first
        if self._adapter_class is not None:
            self._adapt(self._adapter_class)
        self._over: Literal["closed", "aborted"] | None = None
        self._abort_reason: str | None = None

    @property
    def calls(self) -> "list[ToolCall]":
        """The calls so far, in order of arrival."""
        return list(self._turn.calls)

    @property
    def finish_reason(self) -> str | None:
        """The vendor's finish reason as it says it; the latest, if it says several."""
        return self._turn.finish_reason

    @property
    def error(self) -> "StreamError | None":
        """A failure of the stream itself; ``None`` while there is none."""
        return self._turn.error

    @property
    def outcome(self) -> Outcome:
        """How the turn ended, with the records of its calls: costs a copy of them."""
        turn = self._turn
        calls = [call.to_record() for call in turn.calls]
        if turn.error is not None:
            return Outcome("failed", turn.error.message, calls)
        if self._over == "aborted":
            return Outcome("aborted", self._abort_reason, calls)
        return Outcome("ended" if self._over else "streaming", turn.finish_reason, calls)

    @property
    def is_over(self) -> bool:
        """Whether the turn has been closed or aborted: nothing more can be fed."""
        return self._over is not None

    @property
    def metrics(self) -> TurnMetrics:
        """Figures about the turn and its calls so far: costs joining their argument texts.

        To be read in the thread that feeds.

        >>> now = 10.0
        >>> accumulator = Accumulator("openai_chat", clock=lambda: now)
        >>> now = 11.5
        >>> entry = {"index": 0, "id": "c1", "function": {"name": "find", "arguments": "{}"}}
        >>> _ = accumulator.feed({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
        >>> figures = accumulator.metrics.to_dict()
        >>> figures["first_call_seconds"], figures["fragments"], figures["bytes"]
        (1.5, 1, 2)
        """
        return TurnMetrics.of(self._turn.calls, self._turn.begun)

    def ready(self) -> "list[ToolCall]":
        """Return the calls to run now: complete, not run by the vendor, not in ``seen``.

        Raises:
            TypeError: ``seen`` holds what is no ``call.key``.
        """
        self._check_seen()
        return [
            call
            for call in self._turn.calls
            if call.status is CallStatus.COMPLETE
            and not call.server_side
            and call.key not in self._settings.seen
        ]

    def feed(self, chunk: Any) -> "list[StreamEvent]":
        """Take one chunk and return the events it caused, in order.

        Args:
            chunk: what the vendor's stream yields: an SDK object, a dict, or the text of a
                server-sent ``data:`` line, ``[DONE]`` included. What tells of no call is skipped.

        Raises:
            ValueError: after ``close()`` or ``abort()``; a second response in the turn, where the
                vendor says that one begins; a response that was not streamed; or, for ``auto``, a
                hundred chunks that no vendor is known to send.
            TypeError: it is no chunk of the vendor's: a list, a number.
            JSONDecodeError: the text of a line is not JSON.
        """
        if type(chunk) is dict or type(chunk := self._decoded(chunk)) is dict:
            fragment = self._fragment  # by itself: as a method it is looked for in the class first
            events = fragment(chunk)
            if events is not None:
                return events
        self._feed_any(chunk)
        return self._turn.told()

    def close(self) -> "list[StreamEvent]":
        """Take it that the stream has ended; every call that has no verdict yet gets it now.

        Without any word of the vendor's, a whole call is ``unconfirmed``. Calling it again is
        harmless.

        Raises:
            ValueError: nothing came of the stream, and it is not from the vendor that was named;
                or, for ``auto``, from none that is known. The turn stays open.
        """
        if self._over is None:
            if self._adapter is None:
                self._undecided.check()
            elif self._whose not in (None, self._vendor) and self._turn.is_untouched:
                raise ValueError(f"vendor: the stream is not {self._vendor!r}, but {self._whose!r}")
        return self._finish("closed", lambda turn: turn.end("eof", Word.NONE))

    def abort(self, reason: str = "aborted") -> "list[StreamEvent]":
        """Cancel the turn: one ``CallAborted`` per call in flight; finished calls stay as they are.

        Calling it again, or after ``close()``, is harmless.

        >>> accumulator = Accumulator("anthropic")
        >>> block = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}
        >>> start = {"type": "content_block_start", "index": 0, "content_block": block}
        >>> _ = accumulator.feed(start)
        >>> accumulator.abort("the user has left")
        [CallAborted(call=<ToolCall find id='t1' aborted>, reason='the user has left')]
        >>> accumulator.outcome.state
        'aborted'
        """
        if not isinstance(reason, str):
            raise TypeError(f"reason is a str, not {type(reason).__name__}")
        if self._over is None:
            self._abort_reason = reason
        return self._finish("aborted", lambda turn: turn.abort(reason))

    def stream(self, chunks: "Iterable[Any]") -> EventStream:
        """Iterate the events of a whole stream, as a context manager.

        Closes the turn when the source ends. Aborts it when the source raises (the events of that
        come before the exception), when the body raises or leaves early. Closes the source either
        way, by its ``close()`` if it has one.

        Raises:
            TypeError: the source is none that a ``for`` loop can read.
            ValueError: it is a response that was not streamed.

        >>> accumulator = Accumulator("anthropic")
        >>> with accumulator.stream([]) as events:
        ...     list(events)
        []
        >>> accumulator.outcome.state
        'ended'
        """
        return EventStream(self, chunks)

    def astream(self, chunks: "AsyncIterable[Any]") -> AsyncEventStream:
        """Iterate the events of a whole asynchronous stream, as ``stream`` does.

        A task that is cancelled aborts the turn; the cancellation goes on at once, and the aborted
        calls are in ``outcome``.

        Raises:
            TypeError: the source is none that an ``async for`` loop can read.
            ValueError: it is a response that was not streamed.

        >>> import asyncio
        >>> async def main(accumulator):
        ...     async def chunks():
        ...         part = {"functionCall": {"name": "find"}}
        ...         yield {"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}
        ...     async with accumulator.astream(chunks()) as events:
        ...         return [event.type async for event in events]
        >>> asyncio.run(main(Accumulator("gemini")))[-1]
        'tool_call_closed'
        """
        return AsyncEventStream(self, chunks)

    def _check_seen(self) -> None:
        for key in self._settings.seen:
            if not (isinstance(key, tuple) and len(key) == 3):
                raise TypeError(f"seen holds the key of each call, which {key!r} is not")
            break  # one for all: there can be very many

    def _check_idle(self) -> None:
        if self._settings.repairing:
            raise RuntimeError("repair cannot use the accumulator that has called it")

    def _decoded(self, chunk: Any) -> Any:
        """Decode a line; ``None`` where it carries nothing more to be fed."""
        if not isinstance(chunk, _TEXT) or self._over is not None:
            return chunk
        try:
            chunk = decode_sse(chunk)
        except JSONDecodeError as error:
            error.add_note("a chunk that is fed as text is the whole text of one data: line")
            raise
        if chunk != DONE:
            return chunk
        self._check_idle()
        self._turn.end(DONE, Word.SUCCESS)
        return None

    def _feed_any(self, chunk: Any) -> None:
        self._check_idle()
        if self._over is not None:
            raise ValueError(f"feed() on a turn that is {self._over}: reset() starts the next one")
        if chunk is None:
            return
        adapter = self._adapter
        if adapter is None:
            name = vendors.detect(chunk)
            if name is None:
                self._undecided.hold(chunk)
                return
            adapter_class = vendors.adapter(name)
            if vendors.is_built_in(adapter_class):
                refuse_whole(chunk)
            adapter = self._adapt(adapter_class)
            for held in self._undecided.release():
                adapter.feed(held)
        elif self._whose is None:
            refuse_whole(chunk)
            if isinstance(chunk, _NO_CHUNK) and vendors.whose(chunk, self._vendor) is None:
                raise TypeError(
                    "a chunk is an object of the SDK, a dict or the text of a data: line, not "
                    f"{type(chunk).__name__}"
                )
        adapter.feed(chunk)
        if self._whose is None:
            # What has begun a call is the vendor's, and need not be looked at again.
            called = self._turn.calls
            self._whose = self._vendor if called else vendors.whose(chunk, self._vendor)

    def _adapt(self, adapter_class: "type[vendors.Adapter]") -> "vendors.Adapter":
        adapter = adapter_class(self._turn)
        self._adapter, self._fragment = adapter, getattr(adapter, "fragment", _no_fragment)
        return adapter

    def _finish(
        self, how: Literal["closed", "aborted"], step: "Callable[[Turn], None]"
    ) -> "list[StreamEvent]":
        self._check_idle()
        if self._over is None:
            step(self._turn)
            self._over = how
            self._adapter, self._fragment = None, _no_fragment
        return self._turn.told()


def _no_fragment(chunk: dict[str, Any]) -> None:
    """Stand in for the short cut of an adapter that has none."""
