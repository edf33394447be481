"""What ``replay`` writes: lines for people, lines for machines. See ``replay`` for the latter."""

import json
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from fragjson._cli.fitting import head, middle
from fragjson._cli.rows import Row
from fragjson._cli.wording import counted, path_text, portable, seconds
from fragjson._showing import visible
from fragjson.toolcalls import (
    Accumulator,
    CallAborted,
    CallClosed,
    CallDelta,
    CallStarted,
    CallStatus,
    FieldClosed,
    FieldDelta,
    FieldStarted,
    SchemaViolation,
    StreamEvent,
    StreamFailed,
    ToolCall,
)

if TYPE_CHECKING:
    from fragjson._types import EventKind, Path

__all__ = ["COLUMNS", "WORDS", "JSONView", "PlainView", "View", "headline", "summary", "why"]

COLUMNS = ("#", "name", "status", "fragments", "bytes", "time", "duplicates")
"""What the closing summary tells of each call. ``time``: from its name to its verdict."""
_LONGEST = 500
"""Cells of a value, or of a path, that a line shows."""
WORDS = ("name", "status")
"""Columns that are aligned to the left; the others are numbers."""


class View(ABC):
    """Shows the events of one turn; a context manager, for those that change the terminal.

    Attributes:
        events: the field events it wants to see.
    """

    events: "ClassVar[frozenset[EventKind]]" = frozenset({"start", "delta", "end"})

    def __init__(self, accumulator: Accumulator) -> None:
        self.accumulator = accumulator
        self.chunks = 0  # counted by who feeds them
        self._numbers: dict[ToolCall, int] = {}

    def __enter__(self) -> "View":
        return self

    def __exit__(self, *_: object) -> None:  # noqa: B027 - most have nothing to undo
        """Leave the terminal as it was."""

    def number(self, call: ToolCall) -> int:
        """Return the place of a call in order of arrival, from 1."""
        if call not in self._numbers:
            calls = self.accumulator.calls
            self._numbers = {each: place for place, each in enumerate(calls, start=1)}
        return self._numbers[call]

    def take(self, step: Callable[..., Sequence[StreamEvent]], *given: Any) -> None:
        """Let the accumulator take a step, such as a chunk, and show what that has caused."""
        for event in step(*given):
            self.tell(event)

    @abstractmethod
    def tell(self, event: StreamEvent) -> None:
        """Show an event."""

    @abstractmethod
    def finish(self) -> None:
        """Write the summary, after the end."""


class PlainView(View):
    """A line for each thing that has happened, at once; a table at the end.

    Of long values the beginning: ``--json`` has all of them.
    """

    events = frozenset({"end"})

    def tell(self, event: StreamEvent) -> None:
        """Print the event."""
        if isinstance(event, StreamFailed):
            print(f"the stream failed: {visible(str(event.error))}", flush=True)
            return
        label = f"#{self.number(event.call)}"
        match event:
            case CallStarted(call):
                identity = [f"({visible(call.id)})"] if call.id else []
                print(label, visible(str(call.name)), *identity, flush=True)
            case FieldClosed(_, path, value):
                print(label, f"{_path(path)} = {_shortened(value)}", flush=True)
            case SchemaViolation(_, path, message):
                told = head(visible(message), _LONGEST)
                print(label, f"{_path(path)} is wrong: {told}", flush=True)
            case CallClosed(call) | CallAborted(call):
                if call.status is CallStatus.COMPLETE:
                    print(label, f"complete: {_shortened(call.arguments)}", flush=True)
                else:
                    told = f"{call.status} ({why(call)})"
                    print(label, f"{told}: {_shortened(call.partial)}", flush=True)

    def finish(self) -> None:
        """Print the table, columns aligned."""
        print()
        for call in self.accumulator.calls:
            for note in call.notes:
                print(f"#{self.number(call)} note: {visible(note)}")
        print(headline(self))
        rows = [COLUMNS, *summary(self)]
        if len(rows) == 1:
            return
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = zip(COLUMNS, row, widths, strict=True)
            aligned = [
                cell.ljust(width) if column in WORDS else cell.rjust(width)
                for column, cell, width in cells
            ]
            print("  ".join(aligned))


class JSONView(View):
    """A line of JSON for each event, at once, and one for the summary. Nothing but ASCII."""

    def __init__(self, accumulator: Accumulator) -> None:
        super().__init__(accumulator)
        self._begun = time.monotonic()

    def tell(self, event: StreamEvent) -> None:
        """Write the event."""
        members: dict[str, Any] = {}
        match event:
            case CallStarted(call):
                members = {
                    "id": call.id,
                    "name": call.name,
                    "format": call.format,
                    "server_side": call.server_side,
                }
            case CallDelta(_, text):
                members = {"text": text}
            case FieldStarted(_, path, value):
                members = {"path": path, "json_type": _json_type(value)}
            case FieldDelta(_, path, value) | FieldClosed(_, path, value):
                members = {"path": path, "value": value}
            case SchemaViolation(_, path, message, final):
                members = {"path": path, "message": message, "final": final}
            case CallClosed(call):
                members = {"record": call.to_record()}
            case CallAborted(call, reason):
                members = {"reason": reason, "record": call.to_record()}
            case StreamFailed(error):
                self._write(event.type, message=error.message, code=error.code)
                return
        self._write(event.type, call=self.number(event.call), **members)

    def finish(self) -> None:
        """Write the summary."""
        outcome, metrics = self.accumulator.outcome, self.accumulator.metrics
        self._write(
            "summary",
            chunks=self.chunks,
            state=outcome.state,
            reason=outcome.reason,
            figures=metrics.to_dict(),
            calls=[
                {"name": call.name, "status": call.status, **call.to_dict()}
                for call in metrics.calls
            ],
        )

    def _write(self, type: str, **members: Any) -> None:  # noqa: A002
        line = {"type": type, "time": round(time.monotonic() - self._begun, 6), **members}
        print(portable(json.dumps(line)), flush=True)


def why(call: ToolCall) -> str:
    """Return why a call has its status: the vendor's word, and what is wrong with the arguments."""
    wrong = call.error or next((each.message for each in call.violations), None)
    return visible(f"{call.reason}; {wrong}" if wrong else str(call.reason))


def headline(view: View) -> str:
    """Return the whole turn in one line."""
    outcome, metrics = view.accumulator.outcome, view.accumulator.metrics
    parts = [counted(view.chunks, "chunk"), counted(len(metrics.calls), "call")]
    if metrics.calls:
        statuses = Counter(call.status for call in metrics.calls)
        told = ", ".join(
            f"{statuses[status]} {status}" for status in CallStatus if statuses[status]
        )
        parts[-1] += f" ({told})"
        parts.append(f"the first after {seconds(metrics.first_call_seconds)}")
    why = f" ({visible(outcome.reason)})" if outcome.reason else ""
    return f"{', '.join(parts)}, {outcome.state}{why}"


def summary(view: View) -> list[tuple[str, ...]]:
    """Return a row for each call, in the order of ``COLUMNS``."""
    found = zip(view.accumulator.calls, view.accumulator.metrics.calls, strict=True)
    return [
        (
            str(place),
            visible(str(call.name)),
            str(call.status),
            str(figures.fragments),
            "-" if figures.bytes is None else str(figures.bytes),
            seconds(figures.argument_seconds),
            str(call.duplicates),
        )
        for place, (call, figures) in enumerate(found, start=1)
    ]


def _shortened(value: Any) -> str:
    return Row.closed((), value).value(_LONGEST)


def _path(path: "Path") -> str:
    return middle(path_text(path), _LONGEST)


def _json_type(value: object) -> str:
    if isinstance(value, str):
        return "string"
    return "object" if isinstance(value, dict) else "array"
