"""Figures about calls, turns and early runs: plain numbers, for any logger.

Nothing here is paid for while a stream runs. The figures of a call are derived from what it keeps
anyway, when they are asked for. Only the gaps between fragments need a look at the clock for each
of them. To time them costs about as much again as a fragment itself; so they have an observer of
their own, ``GapMeter``.

``to_dict()`` gives numbers only, under fixed names. What is not known, or not yet, is left out.
"""

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from fragjson._engine import CallDelta
from fragjson._errors import IncompleteJSONError
from fragjson.toolcalls.verdict import CallStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.turn import LiveCall

__all__ = ["CallMetrics", "GapMeter", "Gaps", "SpeculationMetrics", "TurnMetrics"]

Numbers: TypeAlias = "dict[str, int | float]"

_TOO_EARLY = 0.70
_TOO_LATE = 0.95
_ENOUGH = 20
"""Early runs from which on one miss more or less no longer takes the rate across the good band."""


@dataclass(frozen=True, slots=True)
class CallMetrics:
    """The figures of one call; times in seconds of the accumulator's clock.

    Attributes:
        name: the tool's name, for a label.
        status: how far the call is, for a label.
        fragments: the pieces of argument text that came; each was a ``CallDelta``.
        bytes: the argument text in UTF-8; ``None`` where the vendor sends objects.
        name_seconds: from the call's first mention to its name: nearly always zero.
        argument_seconds: from its name to its verdict.
        parse_failures: fragments at which the arguments became malformed: 0 or 1, since nothing
            is parsed after that. To be held against ``fragments``.
        duplicates: how many times the vendor sent the whole call again.
    """

    name: str | None
    status: CallStatus
    fragments: int
    bytes: int | None
    name_seconds: float | None
    argument_seconds: float | None
    parse_failures: int
    duplicates: int

    @classmethod
    def of(cls, call: "LiveCall") -> "CallMetrics":
        """Return the figures as they are now. Costs joining and encoding the argument text."""
        timing, text, error = call.timing, call.text, call.error
        return cls(
            name=call.name,
            status=call.status,
            fragments=call.content.count,
            bytes=None if text is None else len(text.encode("utf-8", "surrogatepass")),
            name_seconds=_between(timing.started, timing.named),
            argument_seconds=_between(timing.named, timing.closed),
            parse_failures=int(error is not None and not isinstance(error, IncompleteJSONError)),
            duplicates=call.duplicates,
        )

    def to_dict(self) -> Numbers:
        """Return the figures by name, without the labels."""
        return _known(
            fragments=self.fragments,
            bytes=self.bytes,
            name_seconds=self.name_seconds,
            argument_seconds=self.argument_seconds,
            parse_failures=self.parse_failures,
            duplicates=self.duplicates,
        )


@dataclass(frozen=True, slots=True)
class TurnMetrics:
    """The figures of a turn.

    Attributes:
        first_call_seconds: from the beginning of the turn (``Accumulator(...)`` or ``reset()``) to
            the first mention of a tool call: the time to the first tool token.
        calls: the figures of each call, in order of arrival.
    """

    first_call_seconds: float | None
    calls: tuple[CallMetrics, ...]

    @classmethod
    def of(cls, calls: "Sequence[LiveCall]", begun: float) -> "TurnMetrics":
        """Return the figures of these calls, the turn having begun at that time."""
        first = calls[0].timing.started if calls else None
        return cls(_between(begun, first), tuple(CallMetrics.of(call) for call in calls))

    def to_dict(self) -> Numbers:
        """Return the figures by name: sums over the calls, and how many calls have which status.

        ``malformed`` are the ``invalid`` ones. ``argument_seconds`` is that of the slowest call.
        """
        calls = self.calls
        statuses = [call.status for call in calls]
        durations = [c.argument_seconds for c in calls if c.argument_seconds is not None]
        sizes = [call.bytes for call in calls if call.bytes is not None]
        return _known(
            first_call_seconds=self.first_call_seconds,
            argument_seconds=max(durations, default=None),
            calls=len(calls),
            complete=statuses.count(CallStatus.COMPLETE),
            unconfirmed=statuses.count(CallStatus.UNCONFIRMED),
            incomplete=statuses.count(CallStatus.INCOMPLETE),
            malformed=statuses.count(CallStatus.INVALID),
            aborted=statuses.count(CallStatus.ABORTED),
            fragments=sum(call.fragments for call in calls),
            bytes=sum(sizes) if sizes or not calls else None,
            parse_failures=sum(call.parse_failures for call in calls),
            duplicates=sum(call.duplicates for call in calls),
        )


@dataclass(slots=True)
class Gaps:
    """The times between fragments. ``count`` is one less than the fragments of a call."""

    count: int = 0
    total_seconds: float = 0.0
    longest_seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one gap."""
        self.count += 1
        self.total_seconds += seconds
        self.longest_seconds = max(self.longest_seconds, seconds)

    def to_dict(self) -> Numbers:
        """Return the figures by name; without any gap, only that there is none."""
        return _known(
            gaps=self.count,
            gap_mean_seconds=self.total_seconds / self.count if self.count else None,
            gap_longest_seconds=self.longest_seconds if self.count else None,
        )


class GapMeter:
    """Times the gaps between the fragments of each call of a turn, as the events pass.

    A gap is the time between two ``CallDelta`` of one call when they are fed here. So what the
    consumer does between two events counts too: feed each event before acting on it.

    Args:
        clock: gives the time in seconds.

    >>> from fragjson.toolcalls import Accumulator
    >>> accumulator = Accumulator("openai_chat")
    >>> meter = GapMeter(clock=iter([0.0, 0.25, 1.25]).__next__)
    >>> for text in ('{"query":', ' "tides', '"}'):
    ...     entry = {"index": 0, "id": "c1", "function": {"name": "find", "arguments": text}}
    ...     for event in accumulator.feed({"choices": [{"delta": {"tool_calls": [entry]}}]}):
    ...         meter.feed(event)
    >>> meter.to_dict()
    {'gaps': 2, 'gap_mean_seconds': 0.625, 'gap_longest_seconds': 1.0}
    """

    def __init__(self, *, clock: "Callable[[], float]" = time.monotonic) -> None:
        self._clock = clock
        self._latest: dict[ToolCall, float] = {}
        self._gaps: dict[ToolCall, Gaps] = {}

    def feed(self, event: "StreamEvent") -> None:
        """Take an event of the stream; costs a look at the clock for a ``CallDelta``."""
        if isinstance(event, CallDelta):
            call, now = event.call, self._clock()
            if call in self._gaps:
                self._gaps[call].add(now - self._latest[call])
            else:
                self._gaps[call] = Gaps()
            self._latest[call] = now

    def of(self, call: "ToolCall") -> Gaps:
        """Return the gaps of one call, as they are so far."""
        return self._gaps.get(call, Gaps())

    def to_dict(self) -> Numbers:
        """Return the figures over all calls, to go beside those of the turn."""
        over_all = Gaps()
        for gaps in self._gaps.values():
            over_all.count += gaps.count
            over_all.total_seconds += gaps.total_seconds
            over_all.longest_seconds = max(over_all.longest_seconds, gaps.longest_seconds)
        return over_all.to_dict()


@dataclass(slots=True)
class SpeculationMetrics:
    """The figures of early runs, over all turns of a speculator.

    Attributes:
        started: early runs begun.
        hit: those whose call came to the same arguments, and whose result was used.
        miss: those whose call came to other arguments.
        cancelled: those whose call was aborted, cut or malformed, or that nobody asked for.
        failed: hits whose tool raised or ran out of time.
        saved_seconds: how much earlier results were there than if the tools had begun when the
            results were asked for; the sum over the hits that did not fail.
    """

    started: int = 0
    hit: int = 0
    miss: int = 0
    cancelled: int = 0
    failed: int = 0
    saved_seconds: float = 0.0

    @property
    def hit_rate(self) -> float | None:
        """Hits among hits and misses: what was cancelled says nothing. ``None`` without any."""
        settled = self.hit + self.miss
        return self.hit / settled if settled else None

    @property
    def reading(self) -> Literal["too early", "well timed", "too late"] | None:
        """What the rate says: ``None`` for fewer than 20 hits and misses, which say nothing yet.

        Below 0.70 too much is run in vain: name more fields to wait for. Above 0.95 it could have
        started earlier nearly as safely: name fewer, or fields that close sooner.

        >>> SpeculationMetrics(started=20, hit=12, miss=8).reading
        'too early'
        """
        rate = self.hit_rate
        if rate is None or self.hit + self.miss < _ENOUGH:
            return None
        if rate < _TOO_EARLY:
            return "too early"
        return "too late" if rate > _TOO_LATE else "well timed"

    def to_dict(self) -> Numbers:
        """Return the figures by name."""
        return _known(**asdict(self), hit_rate=self.hit_rate)


def _between(earlier: float | None, later: float | None) -> float | None:
    return None if earlier is None or later is None else later - earlier


def _known(**numbers: int | float | None) -> Numbers:
    return {name: number for name, number in numbers.items() if number is not None}
