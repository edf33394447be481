"""The same input cut otherwise; streams fed as a harness would feed them."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from fragjson.toolcalls import Accumulator

__all__ = ["fragments", "read_stream", "replay"]

_Text = TypeVar("_Text", str, bytes)


def fragments(data: _Text, seed: int = 0, longest: int = 8) -> list[_Text]:
    """Cut text or bytes anywhere, into pieces of up to ``longest`` units, some of them empty.

    >>> fragments("abcdefghij", seed=1, longest=4)
    ['a', 'bcde', 'fghi', 'j']
    """
    rng = random.Random(seed)
    found: list[_Text] = []
    at = 0
    while at < len(data):
        size = rng.randint(0 if rng.random() < 0.1 else 1, longest)
        found.append(data[at : at + size])
        at += size
    return found


def read_stream(path: str | Path) -> list[str]:
    """Read a recorded stream, one chunk per line; blank lines are left out."""
    return [line for line in Path(path).read_text("utf-8").splitlines() if line.strip()]


def replay(stream: Iterable[Any], vendor: str = "auto", **options: Any) -> Accumulator:
    """Feed a stream and close the turn; a line that cannot be taken aborts it, as a harness would.

    ``options`` are those of ``Accumulator``.
    """
    accumulator = Accumulator(vendor, **options)
    try:
        for line in stream:
            accumulator.feed(line)
        accumulator.close()
    except ValueError as error:  # a JSONDecodeError is one, too
        accumulator.abort(str(error))
    return accumulator
