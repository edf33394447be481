"""How long does one thing take beside another, on a machine that is busy with other things?

Nothing here is judged by absolute time. What is compared runs interleaved in one process: each
round takes one sample of every work, in an order shuffled anew, and each work keeps its best
sample. Noise only ever adds time, so the best samples are the steadiest thing to divide. Rounds go
on until the best samples have stopped improving, or the budget is used up.

Samples are CPU time of this process, where its clock is fine enough, so being scheduled away
costs nothing. The cyclic garbage collector is off while a sample runs (as in timeit). Inputs are
made fresh before each sample, outside it. Freeing the result is part of the sample.
"""

import gc
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

Name = TypeVar("Name")

SAMPLE_SECONDS = 0.001
"""A sample repeats its work until it is about this long."""

STEADY_ROUNDS = 8
"""Stop after so many rounds in which no best sample improved by more than ``IMPROVEMENT``."""

IMPROVEMENT = 0.003

if time.get_clock_info("process_time").resolution <= 1e-6:
    clock = time.process_time
else:
    clock = time.perf_counter


@dataclass(frozen=True)
class Work:
    """What is timed: ``run(prepare())``, of which only ``run`` counts."""

    run: Callable[[Any], object]
    prepare: Callable[[], Any]


def same(value: Any) -> Callable[[], Any]:
    """Return the ``prepare`` of an input that need not be fresh."""
    return lambda: value


@dataclass
class Runner:
    """One work in a race."""

    work: Work
    repeats: int = 1
    best: float = field(default=float("inf"))

    def calibrate(self) -> None:
        # Twice: the first run also pays for what is set up once.
        sample(self.work, 1)
        self.repeats = max(1, round(SAMPLE_SECONDS / max(sample(self.work, 3), 1e-9)))

    def improve(self) -> bool:
        before, now = self.best, sample(self.work, self.repeats)
        self.best = min(before, now)
        return now < before * (1 - IMPROVEMENT)


def sample(work: Work, repeats: int) -> float:
    """Return the seconds of one run, the mean of ``repeats``."""
    prepared = [work.prepare() for _ in range(repeats)]
    run = work.run
    gc.collect(0)
    gc.disable()
    try:
        start = clock()
        for each in prepared:
            run(each)
        return (clock() - start) / repeats
    finally:
        gc.enable()


def race(works: Mapping[Name, Work], budget: float = 2.0) -> dict[Name, float]:
    """Return the best seconds of one run of each work.

    Args:
        works: by name.
        budget: seconds of the whole race, preparations included; it may be exceeded to give
            every work three samples.
    """
    runners = {name: Runner(work) for name, work in works.items()}
    for runner in runners.values():
        runner.calibrate()
    rng = random.Random(0)
    order = list(runners.values())
    deadline = time.monotonic() + budget
    rounds = steady = 0
    while rounds < 3 or (steady < STEADY_ROUNDS and time.monotonic() < deadline):
        rng.shuffle(order)
        improved = [runner.improve() for runner in order]
        steady = 0 if any(improved) else steady + 1
        rounds += 1
    return {name: runner.best for name, runner in runners.items()}


@dataclass(frozen=True)
class Cost:
    """Seconds of something that may be too slow to be run to its end."""

    seconds: float
    how: Literal["measured", "sampled", "at least"] = "measured"

    def __truediv__(self, seconds: float) -> "Cost":
        return Cost(self.seconds / seconds, self.how)

    def __str__(self) -> str:
        sign = {"measured": "", "sampled": "~", "at least": "> "}[self.how]
        return f"{sign}{self.seconds:,.2f}" if self.seconds < 10 else f"{sign}{self.seconds:,.0f}"


class TooSlowError(Exception):
    """The deadline passed while fragments were still to come."""


def until(deadline: float, pieces: Sequence[Any], stride: int = 16) -> Iterator[Any]:
    """Yield the pieces; raise ``TooSlowError`` once the clock has passed the deadline."""
    for at in range(0, len(pieces), stride):
        if clock() > deadline:
            raise TooSlowError
        yield from pieces[at : at + stride]


def cost_of_stream(stream: Callable[[Any], object], pieces: Sequence[Any], limit: float) -> Cost:
    """Run a stream once, under a limit, and again for the best of three if it was quick."""
    start = clock()
    try:
        stream(until(start + limit, pieces))
    except TooSlowError:
        return Cost(clock() - start, "at least")
    seconds = clock() - start
    if seconds < limit / 4:
        work = Work(stream, same(pieces))
        seconds = min(seconds, *(sample(work, max(1, round(0.0005 / seconds))) for _ in range(3)))
    return Cost(seconds)


def cost_of_reparsing(
    parse: Callable[[str], object], text: str, ends: Sequence[int], limit: float
) -> Cost:
    """Estimate what parsing every prefix of a text anew costs, from prefixes spread evenly.

    Such a parser keeps nothing between fragments, so the cost of a fragment is the cost of its
    prefix, whatever was parsed before. At least eight prefixes are parsed; gathering the text
    into a growing buffer is not counted, which favours the parser.
    """
    total = 0.0
    count = 0
    start = clock()
    while count < 8 or (clock() - start < limit and count < len(ends)):
        prefix = text[: ends[int(spread(count) * len(ends))]]
        before = clock()
        parse(prefix)
        total += clock() - before
        count += 1
    return Cost(total / count * len(ends), "sampled")


def spread(number: int) -> float:
    """Return the van der Corput sequence in base 2: 1/2, 1/4, 3/4, 1/8, ... evenly in [0, 1)."""
    value, step = 0.0, 0.5
    number += 1
    while number:
        number, bit = divmod(number, 2)
        value += bit * step
        step /= 2
    return value
