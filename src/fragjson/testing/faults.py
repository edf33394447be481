"""What goes wrong with streams between the vendor and you, by name, to be injected into one."""

import base64
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from fragjson.testing.choosing import chosen
from fragjson.testing.lines import decoded

__all__ = ["FAULTS", "Fault", "broken", "is_finish"]

Fault: TypeAlias = Callable[[Sequence[str], random.Random], list[str]]

_ENDINGS = (
    "finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason", "turnComplete",
    "messageStop", "contentBlockStop",
)  # fmt: skip
_KINDS = ("type", "event_type")
_FINISHING = (
    "_stop", ".stop", "-end", ".done", ".completed", ".incomplete", ".failed", ".cancelled",
    "CALL_END", "RUN_FINISHED", "finish", "tool-input-available", "tool-input-error",
    "tool-approval-request",
)  # fmt: skip
_PLACES = ("output_index", "index", "contentBlockIndex", "toolCallId")
_KEEP_ALIVES = (": keep-alive", "", "event: ping")


def broken(stream: Sequence[str], fault: str, seed: int = 0) -> list[str]:
    """Return the stream with a fault of this name (see ``FAULTS``) at a random place.

    Raises:
        ValueError: there is no such fault.
        TypeError: the stream is no list of lines.
    """
    if isinstance(stream, str) or not all(isinstance(line, str) for line in stream):
        raise TypeError("stream is a list of lines: JSON texts, or data: lines")
    return chosen("fault", fault, FAULTS)(stream, random.Random(seed))


def _drop(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Lose one line."""
    at = _somewhere(stream, rng)
    return [*stream[:at], *stream[at + 1 :]]


def _repeat(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Send one to three lines twice."""
    at = _somewhere(stream, rng)
    again = stream[at : at + rng.randint(1, 3)]
    return [*stream[: at + len(again)], *again, *stream[at + len(again) :]]


def _reorder(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Let a line overtake those of other calls, never one of its own call or one for all."""
    places = [_place(line) for line in stream]
    movable = [
        at
        for at in range(1, len(stream))
        if places[at] and places[at - 1] and places[at] != places[at - 1]
    ]
    if not movable:
        return list(stream)
    at = rng.choice(movable)
    to = at - 1
    while to > 0 and places[to - 1] not in ((), places[at]) and rng.random() < 0.7:
        to -= 1
    return [*stream[:to], stream[at], *stream[to:at], *stream[at + 1 :]]


def _cut(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Break the connection: the stream just ends."""
    return list(stream[: _somewhere(stream, rng)])


def _corrupt(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Change one character: the line may not be JSON any more, or say something else."""
    if not stream:
        return []
    at = _somewhere(stream, rng)
    line = stream[at]
    place = rng.randrange(len(line)) if line else 0
    wrong = chr(rng.randrange(0x20, 0x7F))
    return [*stream[:at], line[:place] + wrong + line[place + 1 :], *stream[at + 1 :]]


def _stall(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Send nothing but keep-alive lines for a while, and then the rest."""
    at = _somewhere(stream, rng)
    return [*stream[:at], *rng.choices(_KEEP_ALIVES, k=rng.randint(1, 9)), *stream[at:]]


def _duplicate_finish(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Send a line that ends a call or the stream again, at once or at the very end."""
    finishing = [at for at, line in enumerate(stream) if is_finish(line)]
    if not finishing:
        return list(stream)
    at = rng.choice(finishing)
    to = rng.choice([at, len(stream)])
    return [*stream[:to], stream[at], *stream[to:]]


def _lose_finish(stream: Sequence[str], rng: random.Random) -> list[str]:
    """Lose every line that ends a call or the stream."""
    return [line for line in stream if not is_finish(line)]


FAULTS: dict[str, Fault] = {
    "drop": _drop,
    "repeat": _repeat,
    "reorder": _reorder,
    "cut": _cut,
    "corrupt": _corrupt,
    "stall": _stall,
    "duplicate_finish": _duplicate_finish,
    "lose_finish": _lose_finish,
}
"""What goes wrong with streams, by name."""


def is_finish(line: str) -> bool:
    """Whether a line says that a call, a response or the stream is over, in any vendor's way.

    >>> is_finish('{"type": "content_block_stop", "index": 0}'), is_finish('{"type": "ping"}')
    (True, False)
    """
    if line.endswith("[DONE]"):
        return True
    for name, value in _members(_event(line)):
        if name in _ENDINGS and value:
            return True
        if name in _KINDS and isinstance(value, str) and value.endswith(_FINISHING):
            return True
    return False


def _somewhere(stream: Sequence[str], rng: random.Random) -> int:
    """Return the index of a line; 0 where there is none, as in a stream broken off at once."""
    return rng.randrange(len(stream) or 1)


def _place(line: str) -> tuple[str, ...]:
    """Return the indexes of the call a line belongs to; ``()`` if it is about all of them."""
    if is_finish(line):
        return ()
    return tuple(str(value) for name, value in _members(_event(line)) if name in _PLACES)


def _event(line: str) -> Any:
    chunk = decoded(line)
    if isinstance(chunk, dict) and "chunk" in chunk:
        # Bedrock's, with the event of another vendor inside.
        try:
            return decoded(base64.b64decode(chunk["chunk"]["bytes"]).decode())
        except (KeyError, TypeError, ValueError):
            return None
    return chunk


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield all members of all objects within a decoded line."""
    if isinstance(value, dict):
        yield from value.items()
        value = list(value.values())
    for child in value if isinstance(value, list) else ():
        yield from _members(child)
