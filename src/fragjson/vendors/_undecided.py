"""``vendor="auto"``: a stream is held back until a chunk tells whose it is.

A wrong guess is impossible, since nothing is guessed: the first chunk that exactly one adapter
recognises decides, and what came before it is fed to that adapter first, but for signs of life:
those have a type at most. An error is the same for all of them, so it is told at once.
"""

from typing import TYPE_CHECKING, Any

from fragjson.vendors._reading import as_text, failure, read

if TYPE_CHECKING:
    from fragjson.toolcalls.turn import Turn

__all__ = ["Undecided"]

_MOST = 100
"""Chunks that are held back; streams tell whose they are with their first or second."""
_SHOWN = 12


class Undecided:
    """The chunks of a stream whose vendor is not known yet."""

    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._held: list[Any] = []

    def hold(self, chunk: Any) -> None:
        """Keep a chunk that does not tell the vendor, unless it is a mere sign of life.

        Raises:
            ValueError: it would be too many; the message names what the first one is like.
        """
        error = read(chunk, "error")
        if error or as_text(read(chunk, "type")) == "error":
            self._turn.fail(failure(error or chunk))
        elif len(self._held) >= _MOST:
            self.check()
        elif chunk is not None and _members(chunk) not in ([], ["type"]):
            self._held.append(chunk)

    def release(self) -> list[Any]:
        """Return what was held back, now that the vendor is known."""
        held, self._held = self._held, []
        return held

    def check(self) -> None:
        """Raise if something was held back.

        Raises:
            ValueError: no vendor sends this; the message names its members.
        """
        if not self._held:
            return
        raise ValueError(
            f"vendor: 'auto' knows none that sends a {_described(self._held[0])}"
            ": name the vendor, or register an adapter for it"
        )


def _described(chunk: Any) -> str:
    what, kind, members = type(chunk).__name__, as_text(read(chunk, "type")), _members(chunk)
    if kind:
        what += f" of type {kind!r}"
    return f"{what} with {', '.join(members[:_SHOWN])}" if members else what


def _members(chunk: Any) -> "list[str] | None":
    """Return the names of the members, ``None`` for what has none: a list, a number."""
    members = chunk if isinstance(chunk, dict) else getattr(chunk, "__dict__", None)
    return None if members is None else sorted(map(str, members))
