"""``vendor="auto"``: a stream is held back until a chunk tells whose it is.

A wrong guess is impossible, since nothing is guessed: the first chunk that exactly one adapter
recognises decides, and what came before it is fed to that adapter first. An error is the same for
all of them, so it is told at once.
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
        """Keep a chunk that does not tell the vendor.

        Raises:
            ValueError: it would be too many; the message names what the first one is like.
        """
        error = read(chunk, "error")
        if error or as_text(read(chunk, "type")) == "error":
            self._turn.fail(failure(error or chunk))
        elif len(self._held) >= _MOST:
            self.check()
        elif chunk is not None:
            self._held.append(chunk)

    def release(self) -> list[Any]:
        """Return what was held back, now that the vendor is known."""
        held, self._held = self._held, []
        return held

    def check(self) -> None:
        """Raise if something was held back that is more than a sign of life.

        Raises:
            ValueError: no vendor sends this; the message names its members.
        """
        for chunk in self._held:
            names = _names(chunk)
            if names not in ([], ["type"]):
                kind = as_text(read(chunk, "type"))
                raise ValueError(
                    f"vendor: 'auto' knows none that sends a {type(chunk).__name__}"
                    f"{f' of type {kind!r}' if kind else ''} with {', '.join(names[:_SHOWN])}"
                    ": name the vendor, or register an adapter for it"
                )


def _names(chunk: Any) -> "list[str]":
    members = chunk if isinstance(chunk, dict) else getattr(chunk, "__dict__", ())
    return sorted(name for name in members if isinstance(name, str))
