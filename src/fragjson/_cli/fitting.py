r"""Cutting text to a width in terminal cells: wide characters count double, marks do not count.

Nothing is cut in two: no escape, and no character from the marks and joiners that belong to it.
Terminals do not agree how wide such sequences are, so the widest reading counts: text may come out
a little short, but never runs over.

>>> head("潮汐 table", 7), tail("潮汐 table\\n", 7)
('潮汐 t…', '…able\\n')
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from fragjson._showing import cells

__all__ = ["head", "middle", "tail"]

_TOKEN = re.compile(r"(?:\\ud[89ab]..\\ud[cdef]..)|\\u[0-9a-f]{4}|\\.|.", re.DOTALL)
_JOINER = "\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_ROOM = 1
"""Cells that the ellipsis takes."""


def head(text: str, width: int, *, is_cut: bool = False) -> str:
    """Return as much of the beginning as fits, with an ellipsis if that, or the text, is cut."""
    _, rest = _fitting(_units(text), width)
    if not rest and not is_cut:
        return text
    found, _ = _fitting(_units(text), width - _ROOM)
    return "".join(found) + "…"[:width]


def tail(text: str, width: int, *, is_cut: bool = False) -> str:
    """Return as much of the end as fits, with an ellipsis if that, or the text, is cut."""
    units = list(_units(text))[::-1]
    _, rest = _fitting(units, width)
    if not rest and not is_cut:
        return text
    found, _ = _fitting(units, width - _ROOM)
    return "…"[:width] + "".join(found[::-1])


def middle(text: str, width: int) -> str:
    """Return as much of both ends as fits, with an ellipsis between them if that is not all.

    >>> middle("$[0][1][2][3]", 8)
    '$[0]…[3]'
    """
    if cells(text) <= width:
        return text
    ends, _ = _fitting(list(_units(text))[::-1], (width - _ROOM) // 2)
    return head(text, width - sum(map(cells, ends)), is_cut=True) + "".join(ends[::-1])


def _fitting(units: Iterable[str], width: int) -> tuple[list[str], bool]:
    """Return the first units that fit, and whether there are others."""
    found: list[str] = []
    for unit in units:
        width -= cells(unit)
        if width < 0:
            return found, True
        found.append(unit)
    return found, False


def _units(text: str) -> Iterator[str]:
    unit = ""
    for token in _TOKEN.findall(text):
        if unit and (unit.endswith(_JOINER) or _belongs_to_the_last(token)):
            unit += token
        else:
            if unit:
                yield unit
            unit = token
    if unit:
        yield unit


def _belongs_to_the_last(token: str) -> bool:
    first = token[0]
    is_mark = unicodedata.category(first)[0] == "M"
    return is_mark or first in "\u200c\u200d" or ord(first) in _SKIN_TONES
