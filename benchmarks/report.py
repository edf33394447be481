"""What did a benchmark find, in a form that a person reads and run.py judges?

A script makes tables and calls ``show``. By itself it prints them; with ``--json`` (which run.py
uses) it prints them as one JSON document instead.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

from measure import Cost

NOISE = 0.03
"""What differs by less than this is called equal when losses are listed."""


@dataclass(frozen=True)
class Check:
    """One target: a ratio and what it must not exceed."""

    what: str
    ratio: float
    limit: float

    @property
    def met(self) -> bool:
        """Judged as shown, to two decimals: finer than that no run repeats itself."""
        return round(self.ratio, 2) <= self.limit


@dataclass(frozen=True)
class Loss:
    """Something another program does in less: ``ratio`` is ours divided by theirs."""

    to: str
    what: str
    ratio: float


@dataclass
class Table:
    """The answer to one question.

    Attributes:
        title: the question, with what is divided by what.
        columns: heads; the first is that of the rows' names.
        rows: name and cells, as text.
        checks: the targets this table decides.
        losses: where another program does the same job in less.
        notes: what a reader must know to judge the figures; also what was skipped.
    """

    title: str
    columns: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, name: str, *cells: "Cell") -> None:
        self.rows.append([name, *(show_cell(cell) for cell in cells)])

    def judged(self, what: str, ratio: float, limit: float | None) -> str:
        """Note a target, if there is one, and return the cell that shows ratio and verdict."""
        if limit is None:
            return f"{ratio:.2f}"
        check = Check(what, ratio, limit)
        self.checks.append(check)
        return f"{ratio:.2f} (≤ {limit:.2f} {'met' if check.met else 'MISSED'})"

    def compare(self, to: str, what: str, ratio: float) -> None:
        """Note a comparison with another program, ours divided by theirs, if we lose it."""
        if ratio > 1 + NOISE:
            self.losses.append(Loss(to, what, ratio))


Cell = str | float | Cost | None


def show_cell(cell: Cell) -> str:
    if cell is None:
        return "-"
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def render(table: Table) -> str:
    """Return the table as Markdown that also reads well in a terminal."""
    lines = [list(table.columns), *table.rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(table.columns))]
    ruler = ["-" * width for width in widths]
    ruler[1:] = [f"{dashes[:-1]}:" for dashes in ruler[1:]]
    text = [
        "| "
        + " | ".join(
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in (lines[0], ruler, *lines[1:])
    ]
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *text, *([""] if notes else []), *notes, ""])


def show(tables: Callable[[], list[Table]]) -> None:
    """Print the tables. The exit status says whether every target was met."""
    made = tables()
    if "--json" in sys.argv[1:]:
        print(json.dumps([asdict(table) for table in made]))
        return
    print("\n".join(render(table) for table in made))
    sys.exit(1 if any(not check.met for table in made for check in table.checks) else 0)


def read(text: str) -> list[Table]:
    """Return the tables that a script printed with ``--json``."""
    return [
        Table(
            **{
                **table,
                "checks": [Check(**check) for check in table["checks"]],
                "losses": [Loss(**loss) for loss in table["losses"]],
            }
        )
        for table in json.loads(text)
    ]
