"""The exceptions, all of them ``json.JSONDecodeError``, so code written for ``json`` catches them.

JSONDecodeError            the base; itself only where a hook or want of memory stopped a parser
├── IncompleteJSONError    the text ended too early; more text could have completed it
├── MalformedJSONError     no continuation can make the text JSON
└── LimitExceededError     a limit of the caller or of the interpreter was reached
    └── DepthLimitError    ... of nesting; also a RecursionError, which json.loads raises there
"""

import json
from typing import TYPE_CHECKING, Any

from fragjson._showing import cells, visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fragjson._engine import Event
    from fragjson._types import Path

__all__ = [
    "DepthLimitError",
    "IncompleteJSONError",
    "JSONDecodeError",
    "LimitExceededError",
    "MalformedJSONError",
]


class JSONDecodeError(json.JSONDecodeError):
    """What is wrong, where, and what was certain before it.

    Attributes:
        msg: the message, as the running interpreter's ``json`` words it.
        doc: the text if it was kept (``loads`` always has it), else the fragment that failed.
        doc_start: code points of the input before ``doc``.
        pos: code points from the start of the whole input to the place ``json`` would name.
        lineno, colno: the same place, both counted from 1.
        stopped_at: index of the first code point that cannot be, or the length of the input
            when the input ended. ``pos`` can lie before it: ``[tru]`` fails at index 4, and
            ``json`` names the start of the word, index 1.
        value: the best-effort value at that moment; ``None`` if there was none.
        path: where in the document parsing stopped.
        events: the events the failing ``feed`` had caused before the error; none where a later
            call raises it again.

    Two errors are equal when everything but ``value`` and ``events`` is.

    >>> JSONDecodeError("Expecting value", "[}", 1, stopped_at=1, value=[])
    JSONDecodeError('Expecting value: line 1 column 2 (char 1)')
    """

    __module__ = "fragjson"  # as it is imported, for tracebacks to say

    def __init__(
        self,
        msg: str,
        doc: str,
        pos: int,
        *,
        doc_start: int = 0,
        lineno: int | None = None,
        colno: int | None = None,
        stopped_at: int | None = None,
        value: Any = None,
        path: "Path" = (),
        events: "Sequence[Event]" = (),
    ) -> None:
        # Not json's own __init__: it would count lines in doc, which may be one fragment only.
        if lineno is None:
            lineno = doc.count("\n", 0, pos) + 1
        if colno is None:
            colno = pos - doc.rfind("\n", 0, pos)
        ValueError.__init__(self, f"{msg}: line {lineno} column {colno} (char {pos})")
        self.msg = msg
        self.doc = doc
        self.doc_start = doc_start
        self.pos = pos
        self.lineno = lineno
        self.colno = colno
        self.stopped_at = pos if stopped_at is None else stopped_at
        self.value = value
        self.path = path
        self.events = tuple(events)

    @property
    def excerpt(self) -> str:
        """The line of ``doc`` around ``pos``, and a caret below that place, to be printed.

        Of a long line, what is near; what a terminal could take as a command is escaped. ``""``
        where the place is not in ``doc``: of a parser without ``keep_text=True`` that is the last
        fragment only, and at its close nothing.

        >>> from fragjson import loads
        >>> try:
        ...     loads('{"limit" 10}')
        ... except JSONDecodeError as error:
        ...     print(error.excerpt)
        {"limit" 10}
                 ^
        """
        at = self.pos - self.doc_start
        if not self.doc or not 0 <= at <= len(self.doc):
            return ""
        before, after = around(self.doc, at)
        before = _on_one_line(before.rpartition("\n")[2])
        after = _on_one_line(after.partition("\n")[0].removesuffix("\r"))
        return f"{before}{after}\n{' ' * cells(before)}^"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.msg, self.doc, self.pos), self.__dict__

    def __setstate__(self, state: dict[str, Any] | None) -> None:
        if state:
            self.__dict__.update(state)
        ValueError.__init__(
            self, f"{self.msg}: line {self.lineno} column {self.colno} (char {self.pos})"
        )

    def _identity(self) -> tuple[Any, ...]:
        return (
            type(self), self.msg, self.doc, self.pos,
            self.lineno, self.colno, self.stopped_at, self.path,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JSONDecodeError):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


_AROUND = 40
"""Characters of a text that are shown on each side of a place in it."""


def around(text: str, at: int) -> tuple[str, str]:
    """Return what is near a place in a text: before it, and from it on."""
    return text[max(0, at - _AROUND) : at], text[at : at + _AROUND]


def _on_one_line(text: str) -> str:
    return visible(text.replace("\t", " "))


def _restore(kind: type[JSONDecodeError], msg: str, doc: str, pos: int) -> JSONDecodeError:
    return kind(msg, doc, pos)


class IncompleteJSONError(JSONDecodeError):
    """The text ended before its value did; everything so far could still become JSON."""

    __module__ = "fragjson"


class MalformedJSONError(JSONDecodeError):
    """The text is not JSON, whatever may follow: raised when the first impossible character comes.

    Text that follows a complete value ("Extra data") and invalid UTF-8 are malformed too.
    """

    __module__ = "fragjson"


class LimitExceededError(JSONDecodeError):
    """A limit was reached: ``max_depth``, ``max_bytes``, ``max_string`` or the integer digits.

    The digit limit is the interpreter's (``sys.set_int_max_str_digits``).
    """

    __module__ = "fragjson"


class DepthLimitError(LimitExceededError, RecursionError):
    """Nested deeper than ``max_depth``; a ``RecursionError`` as well, as from ``json.loads``."""
