"""What does a stable value cost while a list of closed rows grows?

``snapshot()`` copies the containers still open and shares what is closed, so with closed rows in
an open list it should cost what a shallow copy of that list costs, not a deep one.
"""

import copy
import json
from typing import Any

from corpora import records
from measure import Cost, Work, race, same
from report import Table, show

from fragjson import Parser

LIMIT = 1.5

ROWS = (10, 100, 1_000, 10_000)


def grown(rows: list[Any]) -> Parser:
    """Return a parser in the middle of a list, after a closed row."""
    parser = Parser()
    parser.feed("[")
    for row in rows:
        parser.feed(f"{json.dumps(row)}, ")
    return parser


def tables() -> list[Table]:
    table = Table(
        "snapshot() of a growing list of closed rows ÷ a shallow copy of the list",
        ("rows", "÷ list.copy()", "copy.deepcopy() ÷ snapshot()", "ns a snapshot"),
    )
    pool = json.loads(records(100_000))["rows"]
    for count in ROWS:
        parser = grown([pool[at % len(pool)] for at in range(count)])
        works = {
            "snapshot": Work(Parser.snapshot, same(parser)),
            "shallow": Work(list.copy, same(parser.value)),
            "deep": Work(copy.deepcopy, same(parser.value)),
        }
        best = race(works)
        ratio = best["snapshot"] / best["shallow"]
        table.add(
            f"{count:,}",
            table.judged(f"snapshot ÷ shallow copy, {count:,} rows", ratio, LIMIT),
            Cost(best["deep"] / best["snapshot"]),
            f"{best['snapshot'] * 1e9:,.0f}",
        )
    return [table]


if __name__ == "__main__":
    show(tables)
