"""What is drawn of each call: a row for each field, kept up to date event by event.

When a container closes, its row takes the place of those of its members: so there are as many rows
as there are siblings on the way to what is open. Of a value only a beginning is kept, of a string
that is open the end: enough for the widest terminal, and no more work for a long value.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from fragjson._cli.fitting import head, tail
from fragjson._cli.wording import counted, json_text, path_text
from fragjson._showing import cells, visible
from fragjson._types import Path
from fragjson.toolcalls import (
    CallClosed,
    CallDelta,
    CallStatus,
    FieldClosed,
    FieldDelta,
    FieldStarted,
    SchemaViolation,
    StreamEvent,
    ToolCall,
)

__all__ = ["CallRows", "Row"]

_KEPT = 1000
"""Characters of a value that are kept."""
_PIECES = json.JSONEncoder(ensure_ascii=False).iterencode


@dataclass(slots=True)
class Row:
    """A field: its path, and so much of its value as a row may have room for.

    Attributes:
        text: the beginning of the value as JSON; of a string that is open, the end of it.
        is_open: more of the value may come.
        is_cut: there is more of the value than ``text``.
        size: how much the whole is, in words; ``""`` for what has no parts.
    """

    path: str
    text: str
    is_open: bool
    is_cut: bool = False
    size: str = ""

    @classmethod
    def closed(cls, path: Path, value: Any) -> "Row":
        """Return the row of a field that is finished."""
        text, is_cut = _beginning(value)
        return cls(path_text(path), text, False, is_cut, _size(value))

    def value(self, room: int) -> str:
        """Return the value, or what fits of it, and then how much the whole is.

        >>> Row.closed(("note",), "high water at noon, and again at midnight").value(36)
        '"high water at noo…  (41 characters)'
        """
        if not self.is_cut and cells(self.text) <= room:
            return self.text
        size = f"  ({self.size})" if self.size else ""
        if len(size) > room // 2:
            size = ""
        fit = tail if self.is_open and self.size else head
        return fit(self.text, room - len(size), is_cut=self.is_cut) + size


@dataclass(slots=True)
class CallRows:
    """A call with its rows, in the order in which the fields began."""

    call: ToolCall
    number: int
    fragments: int = 0
    violations: list[str] = field(default_factory=list)
    _rows: dict[Path, Row] = field(default_factory=dict)
    _open: dict[Path, "_OpenString"] = field(default_factory=dict)

    @property
    def rows(self) -> list[Row]:
        """The rows as they are now."""
        for path, string in self._open.items():
            self._rows[path] = string.row(path)
        return list(self._rows.values())

    def take(self, event: StreamEvent) -> None:
        """Take an event of this call."""
        match event:
            case CallDelta(call, text):
                self.fragments += 1
                if call.format == "text":
                    self._open.setdefault((), _OpenString()).grow(text)
            case FieldStarted(_, path, str()):
                self._open[path] = _OpenString()
            case FieldStarted(_, path, value):
                opening = "{" if isinstance(value, dict) else "["
                self._rows[path] = Row(path_text(path), opening, is_open=True, is_cut=True)
            case FieldDelta(_, path, value):
                self._open.setdefault(path, _OpenString()).grow(value)
            case FieldClosed(_, path, value):
                self._close(path, value)
            case CallClosed(call) if call.format == "text" and call.status is CallStatus.COMPLETE:
                self._close((), call.arguments)
            case SchemaViolation(_, path, message):
                self.violations.append(f"{path_text(path)}: {visible(message)}")

    def _close(self, path: Path, value: Any) -> None:
        self._open.pop(path, None)
        while (last := next(reversed(self._rows), ()))[: len(path)] == path and last != path:
            del self._rows[last]
        self._rows[path] = Row.closed(path, value)


class _OpenString:
    """A string that grows: its end, and how long it is."""

    def __init__(self) -> None:
        self._end = ""
        self._length = 0

    def grow(self, text: str) -> None:
        self._end = (self._end + text[-_KEPT:])[-_KEPT:]
        self._length += len(text)

    def row(self, path: Path) -> Row:
        is_cut = self._length > len(self._end)
        text = json_text(self._end)[is_cut:-1]  # without the quote that has not come
        size = f"{counted(self._length, 'character')} so far"
        return Row(path_text(path), text, True, is_cut, size)


def _beginning(value: Any) -> tuple[str, bool]:
    """Return the beginning of a value as JSON, and whether there is more."""
    if isinstance(value, str):
        text = json_text(value[:_KEPT])
        return (text[:-1], True) if len(value) > _KEPT else (text, False)
    text = ""
    for piece in _PIECES(value):
        text += piece[:_KEPT]
        if len(text) > _KEPT:
            return visible(text), True
    return visible(text), False


def _size(value: Any) -> str:
    match value:
        case str():
            return counted(len(value), "character")
        case list():
            return counted(len(value), "item")
        case dict():
            return counted(len(value), "member")
        case _:
            return ""
