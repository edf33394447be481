r"""Text that is safe to show anywhere: escaped where it must be, and its width in a terminal.

What a model writes reaches terminals, logs and debuggers, and must not be able to move the cursor,
set the title or turn the text around. So whatever is not seen as itself is written as JSON writes
it:

>>> print(visible("\x1b[2J \x9b2J \u202eabc"))
\u001b[2J \u009b2J \u202eabc
"""

import json
import unicodedata

__all__ = ["cells", "visible"]

_AS_EMOJI = "\ufe0f"
_JOINERS = "\u200c\u200d"
"""Not seen themselves, but part of how some scripts and emoji are written."""


def visible(text: str) -> str:
    """Return text with everything escaped that controls, hides or reorders what is shown."""
    if text.isprintable():
        return text
    return "".join(char if _is_seen(char) else json.dumps(char)[1:-1] for char in text)


def cells(text: str) -> int:
    """Return how many cells of a terminal text takes at most: they do not agree on sequences.

    >>> cells("潮汐"), cells("e\u0301"), cells("👍🏽")
    (4, 1, 4)
    """
    return len(text) if text.isascii() else sum(map(_cells, text))


def _is_seen(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"


def _cells(char: str) -> int:
    if char == _AS_EMOJI:
        return 1  # it makes the one before it wide
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
