"""The small vocabulary the whole package shares: what may show, how far a parser is, type names."""

from enum import IntFlag, StrEnum
from typing import Literal, TypeAlias

__all__ = ["Allow", "Data", "EventKind", "JSONType", "Path", "Status"]

Path: TypeAlias = tuple[str | int, ...]
"""Where a value stands: member names and item indexes from the root, whose own path is ``()``."""

Data: TypeAlias = str | bytes | bytearray | memoryview
"""What can be fed: text, or UTF-8 bytes."""

EventKind: TypeAlias = Literal["start", "delta", "end"]

JSONType: TypeAlias = Literal["object", "array", "string", "number", "boolean", "null"]
"""JSON Schema's words."""


class Allow(IntFlag):
    """The kinds of JSON value that may show while they are unfinished.

    Members and values are those of ``partial-json-parser``. ``loads`` takes all of them;
    ``Parser`` takes ``STR``, ``ARR`` and ``OBJ``: an unfinished number shown early would change
    later, and a value that has been shown must never change.

    >>> Allow.STR | Allow.COLLECTION
    <Allow.STR|ARR|OBJ: 13>
    """

    STR = 1
    NUM = 2
    ARR = 4
    OBJ = 8
    NULL = 16
    BOOL = 32
    NAN = 64
    INFINITY = 128
    _INFINITY = 256
    INF = INFINITY | _INFINITY
    SPECIAL = NULL | BOOL | INF | NAN
    ATOM = STR | NUM | SPECIAL
    COLLECTION = ARR | OBJ
    ALL = ATOM | COLLECTION


class Status(StrEnum):
    """How far a parser is. Each member is a ``str``, so ``status == "complete"`` works too."""

    EMPTY = "empty"
    """No value yet: nothing was fed, or only what does not show (white space, ``tru``)."""
    PARTIAL = "partial"
    """There is a value and it is not finished."""
    COMPLETE = "complete"
    """The root value is finished. White space may follow, nothing else."""
    INVALID = "invalid"
    """Feeding stopped with an error: malformed text, a limit, or an exception in a hook."""
