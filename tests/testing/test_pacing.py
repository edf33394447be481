"""Streams in their rhythm, in virtual time."""

import asyncio
import math
from typing import Any

import pytest

from fragjson import Accumulator
from fragjson.testing import WRITERS, VirtualClock, apaced, paced, pauses

CHUNKS = ["a", "b", "c"]
TIMES = [10.0, 10.5, 13.5]


def played(**options: Any) -> list[tuple[float, str]]:
    clock = VirtualClock()
    found = paced(CHUNKS, options.pop("pause", pauses(TIMES)), sleep=clock.sleep, **options)
    return [(clock(), chunk) for chunk in found]


def test_each_chunk_comes_after_its_pause() -> None:
    assert played() == [(0.0, "a"), (0.5, "b"), (3.5, "c")]
    assert played(pause=pauses(TIMES, start=8)) == [(2.0, "a"), (2.5, "b"), (5.5, "c")]
    assert played(pause=2) == [(2.0, "a"), (4.0, "b"), (6.0, "c")]
    assert played(speed=0.5) == [(0.0, "a"), (1.0, "b"), (7.0, "c")]
    assert played(speed=math.inf) == [(0.0, "a"), (0.0, "b"), (0.0, "c")]


def test_asynchronously_too_while_others_go_on() -> None:
    clock = VirtualClock()
    others: list[float] = []

    async def another() -> None:
        while True:
            others.append(clock())
            await asyncio.sleep(0)

    async def main() -> list[tuple[float, str]]:
        task = asyncio.create_task(another())
        stream = apaced(CHUNKS, pauses(TIMES), speed=2, sleep=clock.asleep)
        found = [(clock(), chunk) async for chunk in stream]
        task.cancel()
        return found

    assert asyncio.run(main()) == [(0.0, "a"), (0.25, "b"), (1.75, "c")]
    assert others == [0.25, 1.75]


def test_an_accumulator_measures_the_rhythm_by_the_same_clock() -> None:
    clock = VirtualClock()
    stream = WRITERS["anthropic"].write(("find", {"city": "Oslo"}), cut=lambda text: [text])
    accumulator = Accumulator("anthropic", clock=clock)
    with accumulator.stream(paced(stream, 1.5, sleep=clock.sleep)) as events:
        told = [(clock(), event.type) for event in events if event.type.startswith("tool")]
    # The arguments come with the third line, the end of the call with the fourth.
    assert told[0][0] == 1.5 * (1 + next(at for at, x in enumerate(stream) if "tool_use" in x))
    assert told[-1] == (told[0][0] + 3.0, "tool_call_closed")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="times: one is earlier than the one before it"):
        pauses([1.0, 0.5])
    with pytest.raises(ValueError, match="times: one is earlier"):
        pauses([1.0], start=2.0)
    for speed in (0, -1.0, math.nan):
        with pytest.raises(ValueError, match=r"speed: .* is not above 0"):
            played(speed=speed)
        with pytest.raises(ValueError, match=r"speed: .* is not above 0"):
            paced(CHUNKS, 1.0, speed=speed)  # at once, not when it is iterated
        with pytest.raises(ValueError, match=r"speed: .* is not above 0"):
            apaced(CHUNKS, 1.0, speed=speed)
    for pause in ([1.0], [1.0] * 4):
        with pytest.raises(ValueError, match="zip"):
            played(pause=pause)
    assert pauses([]) == []
