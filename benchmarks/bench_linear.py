"""Does a fragment cost the same at 10 MB as at 1 KB, with the value read after each?

One long string and many rows, fragments of about 4 characters. A document is the same block of
10 KB over and over, and so are its fragments, as objects: otherwise a long document would mostly
measure how fast the machine reads the fragments themselves, 14 times the text, from memory. The
naive loop is measured beside it as a control: what rises there too is the machine.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from corpora import file_write, fragments, records
from loops import feed_and_value, naive
from measure import Work, race, same
from report import Table, show

BLOCK = 10_000
SIZES = {"1 KB": 1_000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000, "10 MB": 10_000_000}
LIMIT = 1.2


@dataclass(frozen=True)
class Shape:
    """A document that is a head, a block repeated, and a tail."""

    name: str
    head: str
    block: Callable[[int], str]
    tail: str

    def pieces(self, size: int) -> list[str]:
        block = fragments(self.block(min(size, BLOCK)))
        repeats = max(1, round(size / BLOCK))
        return [self.head, *block * repeats, self.tail]


def plain_block(size: int) -> str:
    return ("lorem ipsum " * (size // 12 + 1))[:size]


def code_block(size: int) -> str:
    return json.dumps(json.loads(file_write(size))["content"])[1:-1]


def rows_block(size: int) -> str:
    rows = json.loads(records(size))["rows"]
    return "".join(f"{json.dumps(row)}, " for row in rows)


SHAPES = (
    Shape("one long string", '{"text": "', plain_block, '"}'),
    Shape("one long string, escapes", '{"text": "', code_block, '"}'),
    Shape("many rows", '{"rows": [', rows_block, "null]}"),
)


def tables() -> list[Table]:
    table = Table(
        "Cost of a fragment ÷ its cost at 10 KB, value read after each",
        ("document", *SIZES, "ns at 10 KB"),
        notes=["1 MB is judged; the naive loop is the control"],
    )
    for shape in SHAPES:
        add(table, shape)
    return [table]


def add(table: Table, shape: Shape) -> None:
    works = {}
    counts = {}
    for size, length in SIZES.items():
        pieces = shape.pieces(length)
        counts[size] = len(pieces)
        works["ours", size] = Work(feed_and_value, same(pieces))
        works["naive", size] = Work(naive, same(pieces))
    best = race(works, budget=8.0)
    for who, name in (("ours", shape.name), ("naive", f"{shape.name}: naive loop")):
        each = {size: best[who, size] / counts[size] for size in SIZES}
        ratios = {size: each[size] / each["10 KB"] for size in SIZES}
        cells: dict[str, str | float] = {**ratios}
        if who == "ours":
            what = f"fragment at 1 MB ÷ at 10 KB, {shape.name}"
            cells["1 MB"] = table.judged(what, ratios["1 MB"], LIMIT)
        table.add(name, *cells.values(), f"{each['10 KB'] * 1e9:.0f}")


if __name__ == "__main__":
    show(tables)
