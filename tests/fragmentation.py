"""The ways one input can be cut: every promise about fragments is tested through these.

fragmentations(data, seed)   (name, fragments) pairs: whole, unit by unit, every cut in two,
                             seeded random cuts; ``str`` also as a mixture of text and bytes,
                             bytes also as bytearray and memoryview. Empty fragments included.
random_fragments(data, rng)  one random way
join_deltas(events)          events with neighbouring deltas of one value joined, which is
                             the form in which every fragmentation gives the same ones
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

Data = str | bytes | bytearray | memoryview
Event = tuple[str, tuple[str | int, ...], str, Any]

MAX_TWO_WAY_CUTS = 64
BYTES_TYPES = (bytes, bytearray, memoryview)


def fragmentations(data: str | bytes, seed: int = 0) -> Iterator[tuple[str, list[Data]]]:
    rng = random.Random(seed)
    yield "whole", [data]
    yield "unit by unit", units(data)
    yield "unit by unit, empty ones between", with_empties(units(data), rng, chance=1.0)
    for at in cuts_in_two(data, rng):
        yield f"cut at {at}", [data[:at], data[at:]]
    for turn in range(3):
        yield f"random {turn}", random_fragments(data, rng)
    if isinstance(data, bytes):
        for kind in BYTES_TYPES[1:]:
            yield f"random {kind.__name__}", [kind(piece) for piece in pieces(data, rng)]
        yield "random bytes types", [rng.choice(BYTES_TYPES)(each) for each in pieces(data, rng)]
    elif can_be_mixed(data):
        for turn in range(2):
            yield f"mixed {turn}", mixed_fragments(data, rng)


def units(data: str | bytes) -> list[Data]:
    return [data[at : at + 1] for at in range(len(data))]


def cuts_in_two(data: str | bytes, rng: random.Random) -> Sequence[int]:
    every = range(1, len(data))
    return every if len(every) <= MAX_TWO_WAY_CUTS else sorted(rng.sample(every, MAX_TWO_WAY_CUTS))


def random_fragments(data: str | bytes, rng: random.Random) -> list[Data]:
    return with_empties(pieces(data, rng), rng, chance=0.1)


def pieces(data: str | bytes, rng: random.Random) -> list[Data]:
    """Consecutive slices; mostly short, now and then long."""
    found: list[Data] = []
    longest = rng.choice([2, 4, 8, 40])
    at = 0
    while at < len(data):
        size = rng.randint(1, longest)
        found.append(data[at : at + size])
        at += size
    return found


def with_empties(fragments: Iterable[Data], rng: random.Random, chance: float) -> list[Data]:
    empties: list[Data] = ["", b"", bytearray(), memoryview(b"")]
    found: list[Data] = []
    for fragment in fragments:
        if rng.random() < chance:
            found.append(rng.choice(empties))
        found.append(fragment)
    if rng.random() < chance:
        found.append(rng.choice(empties))
    return found


def can_be_mixed(text: str) -> bool:
    """Whether its bytes mean the same: halves join only in text, and only bytes have a BOM."""
    return not text.startswith("\ufeff") and not any("\ud800" <= char <= "\udfff" for char in text)


def mixed_fragments(text: str, rng: random.Random) -> list[Data]:
    """Runs of the text in turn as ``str`` and as UTF-8 bytes, the bytes cut anywhere."""
    found: list[Data] = []
    for run in pieces(text, rng):
        if rng.random() < 0.5:
            found.append(run)
        else:
            encoded = str(run).encode()
            found += [rng.choice(BYTES_TYPES)(piece) for piece in pieces(encoded, rng)]
    return with_empties(found, rng, chance=0.1)


def join_deltas(events: Iterable[Event]) -> list[Event]:
    joined: list[Event] = []
    for kind, path, json_type, value in events:
        if joined and kind == "delta" and joined[-1][:2] == ("delta", path):
            joined[-1] = ("delta", path, json_type, joined[-1][3] + value)
        else:
            joined.append((kind, path, json_type, value))
    return joined
