r"""The ways to cut one input: text or bytes, into fragments of the same type.

``fragments`` cuts at random, ``units`` everywhere, ``tokens`` where a language model would,
``splits`` in two, at each place there is. ``fragmentations`` is all of that, under names:

>>> for way, cut_so in fragmentations("[12, 3]", most_splits=1):
...     print(f"{way}: {cut_so}")
whole: ['[12, 3]']
cut at 4: ['[12,', ' 3]']
one by one: ['[', '1', '2', ',', ' ', '3', ']']
one by one, with empty ones: ['', '[', '', '1', '', '2', '', ',', '', ' ', '', '3', '', ']', '']
by tokens: ['[', '12', ',', ' 3', ']']
random 0: ['[12', ', 3]']
random 1: ['[12', ',', ' 3]']
random 2: ['[', '1', '2', ', ', '3', ']']

Bytes are cut inside of characters, too. ``mixed`` is for parsers that take more types than one: it
goes on as bytes where it was text, and as text again.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, AnyStr, TypeAlias

from fragjson.testing.choosing import chosen

__all__ = [
    "WAYS", "Data", "can_be_mixed", "cut", "fragmentations", "fragments", "mixed", "splits",
    "tokens", "units",
]  # fmt: skip

Data: TypeAlias = str | bytes | bytearray | memoryview

_BYTES_TYPES: tuple[Callable[[Any], Data], ...] = (bytes, bytearray, memoryview)
_LONGEST = (2, 4, 8, 40)
"""Random fragments are mostly short, now and then long."""
# Letters, digits and punctuation each with one blank before them, as in the vocabularies of models.
_TOKEN = r" ?[A-Za-z]{1,8}| ?[0-9]{1,3}| ?[!-/:-@\[-`{-~]{1,3}|[^\x00-\x7f]{1,3}|\s{1,8}|[\s\S]"
_TOKEN_OF_TEXT, _TOKEN_OF_BYTES = re.compile(_TOKEN), re.compile(_TOKEN.encode())


def fragments(data: AnyStr, seed: int | random.Random = 0, longest: int = 8) -> list[AnyStr]:
    """Cut text or bytes anywhere, into pieces of up to ``longest`` units, some of them empty.

    ``seed`` may also be a generator, to be drawn from.

    >>> fragments("abcdefghij", seed=1, longest=4)
    ['a', 'bcde', 'fghi', 'j']
    """
    rng = _generator(seed)
    found: list[AnyStr] = []
    at = 0
    while at < len(data):
        size = rng.randint(0 if rng.random() < 0.1 else 1, longest)
        found.append(data[at : at + size])
        at += size
    return found


def units(data: AnyStr) -> list[AnyStr]:
    r"""Cut into single characters, or bytes.

    >>> units("né"), units("né".encode())
    (['n', 'é'], [b'n', b'\xc3', b'\xa9'])
    """
    return [data[at : at + 1] for at in range(len(data))]


def tokens(data: AnyStr) -> list[AnyStr]:
    r"""Cut as the tokenisers of language models do: at the beginnings of words, long ones within.

    Three to four characters each; what is not ASCII is cut finer, in bytes also within a character.

    >>> tokens('{"city": "Tromsø", "nights": 14}')
    ['{"', 'city', '":', ' "', 'Troms', 'ø', '",', ' "', 'nights', '":', ' 14', '}']
    """
    token: Any = _TOKEN_OF_TEXT if isinstance(data, str) else _TOKEN_OF_BYTES
    found: list[AnyStr] = token.findall(data)
    return found


def splits(data: AnyStr) -> Iterator[list[AnyStr]]:
    """Cut in two, at each place there is.

    >>> list(splits("[1]"))
    [['[', '1]'], ['[1', ']']]
    """
    for at in range(1, len(data)):
        yield [data[:at], data[at:]]


def cut(data: AnyStr, way: str, seed: int = 0) -> list[AnyStr]:
    """Return the fragments of a way of this name (see ``WAYS``).

    Raises:
        ValueError: there is no such way.
    """
    # Seeded by its name, too, so that the random ones differ; and by text, since hashes of it vary.
    found: list[AnyStr] = chosen("way", way, WAYS)(data, random.Random(f"{way}, {seed}"))
    return found


def fragmentations(
    data: AnyStr, seed: int = 0, *, most_splits: int = 64
) -> Iterator[tuple[str, list[AnyStr]]]:
    """Yield the ways to cut it, each with its name; the first one is the whole.

    Args:
        data: text or bytes.
        seed: the same one gives the same ways.
        most_splits: how many of the cuts in two there are; of more places so many are drawn.
    """
    # The cuts in two before the others: they show best where a fault is.
    places: Sequence[int] = range(1, len(data))
    if len(places) > most_splits:
        places = sorted(random.Random(seed).sample(places, most_splits))
    yield "whole", [data]
    for at in places:
        yield f"cut at {at}", [data[:at], data[at:]]
    for way in WAYS:
        if way != "whole":
            yield way, cut(data, way, seed)


def mixed(data: str | bytes, seed: int | random.Random = 0) -> list[Data]:
    """Cut at random, in a random mixture of types that means the same; some are empty.

    Text goes on as UTF-8 and as text again; with lone surrogates, or a BOM, it stays text, since
    that would mean something else in bytes. Bytes come as any type that holds bytes.

    >>> mixed("[12, 345]", seed=4)
    ['[12,', b' ', '345', bytearray(b''), ']']
    """
    rng = _generator(seed)
    can_be_bytes = isinstance(data, str) and can_be_mixed(data)
    found: list[Data] = []
    for piece in _random_length(data, rng):
        if isinstance(piece, str) and not (can_be_bytes and rng.random() < 0.5):
            found.append(piece)
        else:
            encoded = piece.encode() if isinstance(piece, str) else piece
            found += [rng.choice(_BYTES_TYPES)(each) for each in _random_length(encoded, rng)]
        if rng.random() < 0.1:
            found.append(rng.choice(("", b"", bytearray(), memoryview(b""))))
    return found


def can_be_mixed(text: str) -> bool:
    """Whether its bytes mean the same: halves join only in text, and only bytes have a BOM."""
    return not text.startswith("\ufeff") and not any("\ud800" <= char <= "\udfff" for char in text)


def _generator(seed: int | random.Random) -> random.Random:
    return seed if isinstance(seed, random.Random) else random.Random(seed)


def _random_length(data: Any, rng: random.Random) -> list[Any]:
    return fragments(data, rng, rng.choice(_LONGEST))


def _units_and_empties(data: Any) -> list[Any]:
    empty = data[:0]
    return [empty, *(each for unit in units(data) for each in (unit, empty))]


WAYS: dict[str, Callable[[Any, random.Random], list[Any]]] = {
    "whole": lambda data, _: [data],
    "one by one": lambda data, _: units(data),
    "one by one, with empty ones": lambda data, _: _units_and_empties(data),
    "by tokens": lambda data, _: tokens(data),
    "random 0": _random_length,
    "random 1": _random_length,
    "random 2": _random_length,
}
"""The ways to cut any input, by name: all that ``fragmentations`` has but the cuts in two."""
