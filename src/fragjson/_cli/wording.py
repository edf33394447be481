r"""Values, paths and figures in words: one line each, and safe to print anywhere.

What a model writes goes to the user's terminal, and must not be able to move the cursor, set the
title or turn the text around. So whatever is not seen as itself is written as JSON writes it:

>>> print(visible("\x1b[2J \x9b2J \u202eabc"), json_text({"a": "\x7f"}))
\u001b[2J \u009b2J \u202eabc {"a": "\u007f"}
"""

import json
import unicodedata
from typing import Any

from fragjson._types import Path

__all__ = ["MAX_DEPTH", "counted", "json_text", "path_text", "seconds", "visible"]

MAX_DEPTH = 500
"""Deeper values cannot be printed by the ``json`` of every interpreter."""
_JOINERS = "\u200c\u200d"
"""Not seen themselves, but part of how some scripts and emoji are written."""


def visible(text: str) -> str:
    """Return text with everything escaped that controls, hides or reorders what is shown."""
    if text.isprintable():
        return text
    return "".join(char if _is_seen(char) else json.dumps(char)[1:-1] for char in text)


def json_text(value: Any) -> str:
    """Return a value as JSON, which reads back as the same value."""
    return visible(json.dumps(value, ensure_ascii=False))


def path_text(path: Path) -> str:
    r"""Return a path as JSONPath, which ``paths.parse_path`` reads back.

    >>> print(path_text(("rows", 0, "a.b", "it's")))
    $.rows[0]['a.b']['it\'s']
    """
    return "$" + "".join(map(_step_text, path))


def _step_text(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    inside = json_text(step)[1:-1].replace('\\"', '"').replace("'", r"\'")
    return f"['{inside}']"


def seconds(time: float | None) -> str:
    """Return a time in seconds, to the millisecond."""
    return "-" if time is None else f"{time:.3f} s"


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "call"), counted(1204, "character")
    ('1 call', '1,204 characters')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _is_seen(char: str) -> bool:
    return char.isprintable() or char in _JOINERS or unicodedata.category(char) == "Zs"
