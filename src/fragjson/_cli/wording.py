r"""Values, paths and figures in words: one line each, and safe to print anywhere.

>>> print(json_text({"a": "\x7f"}), path_text(("rows", 0, "\x1b")), seconds(1.5))
{"a": "\u007f"} $.rows[0]['\u001b'] 1.500 s
"""

import argparse
import json
import math
import re
from typing import Any

from fragjson import paths
from fragjson._showing import visible
from fragjson._types import Path

__all__ = ["MAX_DEPTH", "counted", "json_text", "path_text", "portable", "seconds", "speed"]

MAX_DEPTH = 500
"""Deeper values cannot be printed by the ``json`` of every interpreter."""
_STRING_OR_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN')
_PORTABLE = {"Infinity": "1e999", "-Infinity": "-1e999", "NaN": "null"}


def json_text(value: Any) -> str:
    """Return a value as JSON, which reads back as the same value.

    For people. It has Python's ``Infinity`` and ``NaN``; ``portable`` is for other readers.
    """
    return visible(json.dumps(value, ensure_ascii=False))


def portable(text: str) -> str:
    """Return Python's JSON as every reader of JSON takes it, without ``Infinity`` and ``NaN``.

    ``1e999`` reads back as infinite. For NaN there is nothing but the ``null`` that JavaScript and
    jq write.

    >>> portable('{"Infinity": [NaN, Infinity, -Infinity, "-Infinity"]}')
    '{"Infinity": [null, 1e999, -1e999, "-Infinity"]}'
    """
    if "Infinity" not in text and "NaN" not in text:
        return text
    return _STRING_OR_WORD.sub(lambda found: _PORTABLE.get(found[0], found[0]), text)


def path_text(path: Path) -> str:
    """Return a path as JSONPath, which ``paths.parse_path`` reads back."""
    return visible(paths.path_text(path))


def speed(text: str) -> float:
    """Return how many a second an option says.

    Raises:
        argparse.ArgumentTypeError: it is no such number.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number a second")
    return number


def seconds(time: float | None) -> str:
    """Return a time in seconds, to the millisecond."""
    return "-" if time is None else f"{time:.3f} s"


def counted(number: int, what: str) -> str:
    """Return a number of things.

    >>> counted(1, "call"), counted(1204, "character")
    ('1 call', '1,204 characters')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
