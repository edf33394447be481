"""Arguments that arrive as values set by path (Gemini's ``partialArgs``) or as whole members.

Each value is turned into the JSON text that writes it and goes through the same parser as any
text, so the live value, the field events, the limits and ``paths`` are those of a text call. An
object or array closes when a path first leads out of it; nothing can be written into it after
that, because what was announced as closed must not change. A path that tries is a fault of the
stream, as are an array that skips an index and a container used as both kinds.
"""

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fragjson._types import Path
from fragjson.paths import parse_path
from fragjson.toolcalls.arguments import SECOND_LOOK, JSONArguments, Piece, same, written
from fragjson.toolcalls.verdict import Word

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fragjson._engine import Intake, Parser

__all__ = ["PathArguments"]


class _Level:
    """An open container: its step from the parent, its closing bracket, what it holds so far."""

    __slots__ = ("bracket", "count", "names", "step")

    def __init__(self, step: str | int | None, bracket: str) -> None:
        self.step = step
        self.bracket = bracket
        self.count = 0
        self.names: set[str] = set()


class PathArguments(JSONArguments):
    """An object written value by value; there is no text to show for it."""

    __slots__ = ("_levels", "_string", "more")

    def __init__(self, new_parser: "Callable[[], Parser]", max_bytes: int | None) -> None:
        super().__init__(new_parser, max_bytes)
        self.objects = True
        self.more = False
        """The vendor has said that more is to come, so the mere end of the stream is a cut."""
        self._levels: list[_Level] = []
        """The containers that are open, from the root; none before the start and after the end."""
        self._string: Path | None = None
        """Where the open string stands, if one is open."""

    def begin(self) -> list[Piece]:
        """Open the object itself: a call without any arguments has an empty one."""
        self._levels = [_Level(None, "}")]
        return self._feed("{", keep=False)

    def set(self, path: str, value: Any, *, more: bool) -> list[Piece]:
        """Set the value at a path; a string that has ``more`` is gone on with by the next one."""
        if not self._levels:
            self.note(f"a value at {path} came after the end and was ignored")
            return []
        try:
            steps = self._steps(path)
            goes_on = isinstance(value, str) and steps == self._string
            # The last piece of a string says that no more comes. Without that it may be cut, and
            # closing it here would make a whole value of a piece.
            left = self._string is not None and not goes_on
            text = "" if goes_on else self._way_to(steps)
            if left:
                raise _FaultyPathError("a string that was to go on was left")
        except _FaultyPathError as fault:
            self._fault(f"{fault}: {path}")
            return []
        if not isinstance(value, str):
            return self._feed_value(value, before=text)
        text += ("" if goes_on else '"') + written(value)[1:-1] + ("" if more else '"')
        self._string = steps if more else None
        return self._feed(text, keep=False)

    def unreadable(self, why: str) -> list[Piece]:
        """Take it that something came that cannot be understood: no call may miss it in silence."""
        self._fault(why)
        return []

    def whole(self, value: "Mapping[str, Any]") -> list[Piece]:
        """Set whole members of the root; of two with one name the later counts."""
        if not self._levels:
            if same(value, self.parser.value):
                self.duplicates += 1
            else:
                self.note("the call came again with other arguments: ignored")
            return []
        if self._string is not None:  # as in set: closing it would make a whole value of a piece
            self._fault("a string that was to go on was left: members came as a whole")
            return []
        pieces = self._feed(self._leave(1), keep=False)
        for name, member in value.items():
            shown = self.parser.value
            if name in shown and same(shown[name], member):
                continue
            self._levels[0].names.discard(name)
            pieces += self._feed_value(member, before=self._enter(name))
        return pieces

    def intake(self) -> "Intake":
        return SECOND_LOOK

    def take(self, text: str) -> list[Piece]:
        self.note("text among values was ignored")
        return []

    def settle(self, word: Word) -> list[Piece]:
        cut = self.more and word is not Word.SUCCESS
        if self._string is not None or cut:
            return []
        return self._feed(self._leave(0), keep=False)

    def _steps(self, path: str) -> Path:
        try:
            steps = parse_path(path)
        except ValueError as error:
            raise _FaultyPathError(str(error)) from None
        if not steps or None in steps:
            raise _FaultyPathError("not the path of one value")
        return tuple(step for step in steps if step is not None)

    def _way_to(self, steps: Path) -> str:
        """Write what leads from the open place to a new value: brackets, commas, names."""
        depth = 1
        for level, step in zip(self._levels[1:], steps[:-1], strict=False):
            if level.step != step:
                break
            depth += 1
        text = self._leave(depth)
        for step, inner in pairwise(steps[depth - 1 :]):
            brackets = "{}" if isinstance(inner, str) else "[]"
            text += self._enter(step) + brackets[0]
            self._levels.append(_Level(step, brackets[1]))
        return text + self._enter(steps[-1])

    def _leave(self, depth: int) -> str:
        text = '"' if self._string is not None else ""
        self._string = None
        text += "".join(level.bracket for level in reversed(self._levels[depth:]))
        del self._levels[depth:]
        return text

    def _enter(self, step: str | int) -> str:
        level = self._levels[-1]
        comma = "," if level.count else ""
        if isinstance(step, str) != (level.bracket == "}"):
            raise _FaultyPathError("an array is used as an object or the other way round")
        if isinstance(step, str):
            if step in level.names:
                raise _FaultyPathError(f"{step!r} had been left and cannot be changed")
            level.names.add(step)
            comma += json.dumps(step, ensure_ascii=False) + ":"
        elif step != level.count:
            raise _FaultyPathError(f"item {step} where item {level.count} is next")
        level.count += 1
        return comma


class _FaultyPathError(Exception):
    """A path that cannot be written after what has been written."""
