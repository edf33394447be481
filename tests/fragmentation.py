"""The ways one input can be cut: every promise about fragments is tested through these.

fragmentations(data, seed)   (name, fragments) pairs: those of ``fragjson.testing``, and mixtures
                             of the types that a parser takes
join_deltas(events)          events with neighbouring deltas of one value joined, which is
                             the form in which every fragmentation gives the same ones
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fragjson import testing
from fragjson.testing import Data

Event = tuple[str, tuple[str | int, ...], str, Any]


def fragmentations(data: str | bytes, seed: int = 0) -> Iterator[tuple[str, Sequence[Data]]]:
    yield from testing.fragmentations(data, seed)
    rng = random.Random(seed)
    for turn in range(3):
        yield f"mixed {turn}", testing.mixed(data, rng)


def join_deltas(events: Iterable[Event]) -> list[Event]:
    joined: list[Event] = []
    for kind, path, json_type, value in events:
        if joined and kind == "delta" and joined[-1][:2] == ("delta", path):
            joined[-1] = ("delta", path, json_type, joined[-1][3] + value)
        else:
            joined.append((kind, path, json_type, value))
    return joined
