"""Streams with their rhythm: each chunk after the pause that it came after, in real or other time.

>>> clock = VirtualClock()
>>> for chunk in paced(["{", '"a": 1', "}"], pauses([17.2, 17.5, 19.0]), sleep=clock.sleep):
...     print(f"{clock():.1f} s: {chunk}")
0.0 s: {
0.3 s: "a": 1
1.8 s: }

The times are as you noted them, say with ``time.monotonic()`` at each chunk that came.
"""

import asyncio
import time
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from itertools import pairwise, repeat
from typing import TypeVar

__all__ = ["VirtualClock", "apaced", "paced", "pauses"]

_T = TypeVar("_T")


def pauses(times: Sequence[float], *, start: float | None = None) -> list[float]:
    """Return how long it took for each chunk to come, in seconds.

    Args:
        times: when they came, in seconds, by any clock.
        start: when the first one was begun to be waited for; otherwise it came at once.

    Raises:
        ValueError: a chunk came before the one before it.
    """
    ordered = [*times[:1], *times] if start is None else [start, *times]
    found = [later - earlier for earlier, later in pairwise(ordered)]
    if any(pause < 0 for pause in found):
        raise ValueError("times: one is earlier than the one before it")
    return found


def paced(
    chunks: Iterable[_T],
    pause: float | Iterable[float],
    *,
    speed: float = 1.0,
    sleep: Callable[[float], object] = time.sleep,
) -> Generator[_T, None, None]:
    """Yield each chunk after its pause; what the consumer does meanwhile takes its time on top.

    Args:
        chunks: of any kind.
        pause: seconds before each chunk: one number, or one for each.
        speed: 2 is twice as fast; ``inf`` does not pause.
        sleep: takes the seconds; that of a ``VirtualClock`` takes no time.

    Raises:
        ValueError: ``speed`` is not above 0; or, when it comes to that, there are more chunks than
            pauses, or fewer.
    """
    return _paced(_with_waits(chunks, pause, speed), sleep)


def apaced(
    chunks: Iterable[_T],
    pause: float | Iterable[float],
    *,
    speed: float = 1.0,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> AsyncGenerator[_T, None]:
    """Yield each chunk after its pause, as ``paced`` does; ``sleep`` is awaited."""
    return _apaced(_with_waits(chunks, pause, speed), sleep)


class VirtualClock:
    """A clock that nobody has to wait for: it goes on when something sleeps by it.

    To be called for its time in seconds, as a ``clock`` for an ``Accumulator``.
    """

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        """Return the seconds slept so far."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Go on by so many seconds."""
        self._now += seconds

    async def asleep(self, seconds: float) -> None:
        """Go on by so many seconds, and let the other tasks have a turn."""
        self._now += seconds
        await asyncio.sleep(0)


def _paced(
    waits: Iterable[tuple[_T, float]], sleep: Callable[[float], object]
) -> Generator[_T, None, None]:
    for chunk, wait in waits:
        if wait:
            sleep(wait)
        yield chunk


async def _apaced(
    waits: Iterable[tuple[_T, float]], sleep: Callable[[float], Awaitable[object]]
) -> AsyncGenerator[_T, None]:
    for chunk, wait in waits:
        if wait:
            await sleep(wait)
        yield chunk


def _with_waits(
    chunks: Iterable[_T], pause: float | Iterable[float], speed: float
) -> Iterator[tuple[_T, float]]:
    if not speed > 0:
        raise ValueError(f"speed: {speed} is not above 0")
    if isinstance(pause, int | float):
        return zip(chunks, repeat(pause / speed))
    return zip(chunks, (each / speed for each in pause), strict=True)
