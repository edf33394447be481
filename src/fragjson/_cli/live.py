"""What ``replay`` draws in a terminal: the calls as they grow, and at the end all of them.

While the stream runs it has a screen of its own, drawn anew several times a second, so that
resizing it, or what other programs write there, does no lasting harm. Afterwards the calls and the
summary are printed where the terminal was, to stay.
"""

import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from fragjson._cli.fitting import head, tail
from fragjson._cli.rows import CallRows, Row
from fragjson._cli.views import COLUMNS, WORDS, View, headline, summary, why
from fragjson._cli.wording import counted, seconds
from fragjson._showing import cells, visible
from fragjson.toolcalls import Accumulator, CallStatus, StreamEvent, StreamFailed, ToolCall

__all__ = ["LiveView"]

_FRAMES = 15
"""How often a second it is drawn."""
_PRINTED = 20
"""Rows of a call that are printed at the end."""
_BETWEEN = "  "
"""What stands between columns."""
_SHORTEST_NAME = 12
"""Cells that a name has in the table, whatever else has to go."""
_FEWEST_COLUMNS = 3
"""Number, name and status are always there."""
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
"""Whether what is too long for a line goes on in the next one: a screen would come to pieces."""
_STYLES = {
    CallStatus.STREAMING: "cyan",
    CallStatus.COMPLETE: "green",
    CallStatus.UNCONFIRMED: "yellow",
    CallStatus.INCOMPLETE: "yellow",
    CallStatus.INVALID: "red",
    CallStatus.ABORTED: "red",
}


class LiveView(View):
    """Draws the calls while they grow; prints them, and a table, when they have ended."""

    def __init__(self, accumulator: Accumulator, console: Console | None = None) -> None:
        super().__init__(accumulator)
        self._console = console or Console(highlight=False)
        self._live = Live(
            self,
            console=self._console,
            screen=True,
            refresh_per_second=_FRAMES,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        # Frames are drawn from a thread of rich's, so that time goes on while a stream stalls. They
        # show the calls themselves as well as what is noted here, so none is drawn during a step.
        self._lock = threading.Lock()
        self._calls: dict[ToolCall, CallRows] = {}
        self._latest: CallRows | None = None
        self._failures: list[str] = []
        self._begun = time.monotonic()
        self._first_call: float | None = None
        self._on_term: Any = None

    def __enter__(self) -> "LiveView":
        # Whatever ends the program, the terminal gets its screen and its cursor back.
        self._on_term = signal.signal(signal.SIGTERM, _terminated)
        self._live.start()
        self._control(_NO_WRAP)
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        self._control(_WRAP)
        signal.signal(signal.SIGTERM, self._on_term)

    def _control(self, sequence: str) -> None:
        self._console.file.write(sequence)
        self._console.file.flush()

    def take(self, step: Callable[..., Sequence[StreamEvent]], *given: Any) -> None:
        """Take a step and note what it has caused; it is drawn with the next frame."""
        with self._lock:
            super().take(step, *given)

    def tell(self, event: StreamEvent) -> None:
        """Note an event."""
        if isinstance(event, StreamFailed):
            self._failures.append(f"the stream failed: {visible(str(event.error))}")
            return
        call = event.call
        if not self._calls:
            self._first_call = self.accumulator.metrics.first_call_seconds
        if call not in self._calls:
            self._calls[call] = CallRows(call, self.number(call))
        self._latest = self._calls[call]
        self._latest.take(event)

    def finish(self) -> None:
        """Print all calls and the summary."""
        show = self._console.print
        width = self._console.width
        for each in self._ordered():
            rows = each.rows
            show(_title(each, width))
            for line in (*_faults(each), *_drawn(each, rows[:_PRINTED], width)):
                show(line)
            if len(rows) > _PRINTED:
                show(_aside(f"and {counted(len(rows) - _PRINTED, 'more field')}"))
            for note in each.call.notes:
                show(_aside(f"note: {visible(note)}"))
        for failure in self._failures:
            show(Text(failure, "red"))
        show()
        show(Text(headline(self)))
        if self._calls:
            show(_table(self, width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self._lock:
            lines = self._frame(options.max_width, options.height or console.height)
        yield Text("\n", no_wrap=True, overflow="crop").join(lines)

    def _frame(self, width: int, height: int) -> list[Text]:
        """Return the lines of a screen."""
        now = time.monotonic()
        parts = [counted(self.chunks, "chunk"), counted(len(self._calls), "call")]
        if self._first_call is not None:
            parts.append(f"the first after {seconds(self._first_call)}")
        top = Text(head(f"{', '.join(parts)}; {seconds(now - self._begun)}", width), "bold")
        bottom = [Text(head(failure, width), "red") for failure in self._failures]
        return [top, *self._fitted(width, height - 1 - len(bottom)), *bottom]

    def _fitted(self, width: int, height: int) -> list[Text]:
        """Return the lines of the calls: all, or what fits of them around the one that grows."""
        calls = self._ordered()
        blocks = [_block(each, width, height) for each in calls]
        if self._latest is None or sum(map(len, blocks)) <= height:
            return [line for block in blocks for line in block]
        grown = calls.index(self._latest)
        room = max(height - len(calls) + 1, min(len(blocks[grown]), height * 2 // 3))
        titles = [block[:1] for block in blocks]
        titles[grown] = _block(self._latest, width, room)
        hidden = max(0, len(calls) - 1 - (height - room))
        if not hidden:
            return [line for block in titles for line in block]
        hidden += 1  # for the line that says so
        others = [place for place in range(len(calls)) if place != grown]
        for place in others[:hidden]:
            titles[place] = []
        aside = _aside(f"and {counted(hidden, 'more call')}")
        return [aside, *(line for block in titles for line in block)]

    def _ordered(self) -> list[CallRows]:
        return sorted(self._calls.values(), key=lambda each: each.number)


def _block(each: CallRows, width: int, height: int) -> list[Text]:
    """Return the lines of a call, not more than fit: of its rows the latest."""
    top = [_title(each, width)]
    top += [Text(head(line.plain, width), line.style) for line in _faults(each)]
    rows, room = each.rows, max(0, height - len(top))
    if len(rows) > room:
        kept = max(0, room - 1)
        top.append(_aside(f"after {counted(len(rows) - kept, 'earlier field')}"))
        rows = rows[len(rows) - kept :]
    return [*top, *_drawn(each, rows, width)][: max(1, height)]


def _title(each: CallRows, width: int) -> Text:
    """Return who is called, and how it stands."""
    call = each.call
    named, closed = call.timing.named, call.timing.closed
    now = time.monotonic() if closed is None else closed
    time_taken = seconds(None if named is None else now - named)
    number, name = f"#{each.number} ", visible(str(call.name))
    told = (str(call.status), counted(each.fragments, "fragment"), time_taken)
    rights = [f"  {', '.join(told[:kept])}" for kept in (3, 2, 1)]
    # The figures make room for a name that is whole without them.
    wanted = width - cells(number + name)
    right = next((text for text in rights if len(text) <= wanted), rights[0])
    room = max(width // 2, width - len(right)) - len(number)
    left = Text.assemble((number, "dim"), (head(name, max(0, room)), "bold"))
    room = width - cells(left.plain) - len(right)
    if call.id and room > len(" (…)"):
        left.append(f" ({head(visible(call.id), room - len(' ()'))})", "dim")
    return left.append(head(right, width - cells(left.plain)), _STYLES[call.status])


def _faults(each: CallRows) -> list[Text]:
    """Return what is wrong with a call, a line each."""
    call, faults = each.call, [f"   wrong   {violation}" for violation in each.violations]
    said_enough = bool(faults) and call.error is None and call.status is CallStatus.INVALID
    if call.status not in (CallStatus.STREAMING, CallStatus.COMPLETE) and not said_enough:
        faults.append(f"   why     {why(call)}")
    return [Text(fault, "red") for fault in faults]


def _drawn(each: CallRows, rows: list[Row], width: int) -> list[Text]:
    """Return the rows, each one line: state, path, value."""
    longest = max((cells(row.path) for row in rows), default=0)
    path_width = min(longest, width // 3)
    unfinished = "open" if each.call.status is CallStatus.STREAMING else "cut"
    lines = []
    for row in rows:
        state, style = (unfinished, "yellow") if row.is_open else ("closed", "dim")
        path = tail(row.path, path_width)
        line = Text.assemble((f"   {state:<6}  ", style), (path, "cyan"))
        line.append(" " * (path_width - cells(path) + 2))
        lines.append(line.append(row.value(width - cells(line.plain))))
    return lines


def _table(view: View, width: int) -> Table:
    """Return the summary; where there is no room for all of it, without its last columns."""
    rows = summary(view)
    needed = [max(map(cells, column)) for column in zip(COLUMNS, *rows, strict=True)]
    name = COLUMNS.index("name")
    needed[name] = min(needed[name], _SHORTEST_NAME)
    kept = len(COLUMNS)
    while kept > _FEWEST_COLUMNS and sum(needed[:kept]) + len(_BETWEEN) * (kept - 1) > width:
        kept -= 1
    room = width - sum(needed[:kept]) - len(_BETWEEN) * (kept - 1) + needed[name]
    table = Table(box=None, padding=(0, len(_BETWEEN), 0, 0), pad_edge=False, header_style="dim")
    for column in COLUMNS[:kept]:
        justify: JustifyMethod = "left" if column in WORDS else "right"
        table.add_column(column, justify=justify, no_wrap=True)
    for row in rows:
        shown = [head(cell, room) if at == name else cell for at, cell in enumerate(row[:kept])]
        table.add_row(*map(Text, shown))
    return table


def _aside(text: str) -> Text:
    return Text(f"   … {text}", "dim")


def _terminated(signal_number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + signal_number)
