"""Turns, tools and executors for the tests of early runs."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest
import virtual_time
from chat import DONE, begin, chunk, more

from fragjson.toolcalls import Accumulator, ToolCall
from fragjson.toolcalls.speculation import AsyncSpeculator, Speculator, Tool

SAFE: dict[str, Any] = {"read_only": True, "idempotent": True}


class Turn:
    """Feeds a speculator what an accumulator says of chat chunks."""

    def __init__(self, speculator: Speculator | AsyncSpeculator, name: str = "f") -> None:
        self.accumulator = Accumulator("openai_chat")
        self._speculator = speculator
        self._name = name

    def begin(self, index: int = 0) -> None:
        self.feed(chunk(begin(index, self._name)))

    def text(self, text: str, index: int = 0) -> None:
        self.feed(chunk(more(text, index)))

    def finish(self, reason: str = "tool_calls") -> list[ToolCall]:
        self.feed(chunk(finish=reason))
        return self.accumulator.ready()

    def feed(self, each: Any) -> None:
        self._tell(self.accumulator.feed(each))

    def abort(self) -> None:
        self._tell(self.accumulator.abort("user"))

    def _tell(self, events: list[Any]) -> None:
        for event in events:
            self._speculator.feed(event)


class Echo:
    """A tool that returns what it was given, and remembers it."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def __call__(self, *text: str, **members: Any) -> Any:
        given = text[0] if text else members
        self.given.append(given)
        return given


# What the tool is, and what is to be done with a turn of one call: both kinds of speculator.


def on_threads(tool: Callable[..., Any], texts: list[str], **declared: Any) -> Any:
    with (
        ThreadPoolExecutor() as executor,
        Speculator([Tool("f", tool, **declared)], executor) as speculator,
    ):
        turn = Turn(speculator)
        turn.begin()
        for text in texts:
            turn.text(text)
        (call,) = turn.finish()
        return speculator.run(call), speculator.speculations


def as_tasks(tool: Callable[..., Any], texts: list[str], **declared: Any) -> Any:
    async def asynchronous(*args: Any, **members: Any) -> Any:
        return tool(*args, **members)

    async def main() -> Any:
        async with AsyncSpeculator([Tool("f", asynchronous, **declared)]) as speculator:
            turn = Turn(speculator)
            turn.begin()
            for text in texts:
                turn.text(text)
                await asyncio.sleep(0)
            (call,) = turn.finish()
            return await speculator.run(call), speculator.speculations

    return virtual_time.run(main)


def on_threads_of_a_loop(tool: Callable[..., Any], texts: list[str], **declared: Any) -> Any:
    async def main() -> Any:
        with ThreadPoolExecutor() as executor:
            async with AsyncSpeculator([Tool("f", tool, **declared)], executor) as speculator:
                turn = Turn(speculator)
                turn.begin()
                for text in texts:
                    turn.text(text)
                (call,) = turn.finish()
                return await speculator.run(call), speculator.speculations

    return virtual_time.run(main)


WAYS = [on_threads, as_tasks, on_threads_of_a_loop]
all_ways = pytest.mark.parametrize("way", WAYS)


class Gate:
    """A tool that tells when it is in, and waits until it is let go or told to stop."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.go = threading.Event()
        self.given: list[Any] = []
        self.stopped: list[Any] = []

    def __call__(self, stop: threading.Event, **members: Any) -> Any:
        self.given.append(members)
        self.entered.release()
        while not self.go.wait(0.001):
            if stop.is_set():
                self.stopped.append(members)
                return "stopped"
        return members


def gated(gate: Gate, executor: Executor, **options: Any) -> Speculator:
    tool = Tool("f", gate, early=("a",), token="stop", timeout=60, **SAFE)
    return Speculator([tool], executor, **options)


def started(speculator: Speculator, gate: Gate, text: str = '{"a":1') -> Turn:
    """A turn in which a tool is running early."""
    turn = Turn(speculator)
    turn.begin()
    turn.text(text + ",")
    assert gate.entered.acquire(timeout=10)
    return turn


def cut_by_length(turn: Turn) -> None:
    turn.text('"x":1')
    turn.finish("length")
    turn.feed(DONE)


def made_malformed(turn: Turn) -> None:
    turn.text("]")
    turn.finish()


def task_tool(run: Any, **declared: Any) -> AsyncSpeculator:
    tool = Tool("f", run, early=("a",), **SAFE, **declared)
    return AsyncSpeculator([tool], clock=virtual_time.now)


def begun(speculator: AsyncSpeculator, text: str = '{"a":1,') -> Turn:
    turn = Turn(speculator)
    turn.begin()
    turn.text(text)
    return turn


class Shut(Executor):
    """An executor that holds what it is given, until it drops it."""

    def __init__(self) -> None:
        self.held: list[Future[Any]] = []
        self.shut = False

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        self.held.append(Future())
        return self.held[-1]


def result_of(speculator: Speculator | AsyncSpeculator, call: ToolCall) -> Any:
    if isinstance(speculator, AsyncSpeculator):
        return virtual_time.run(lambda: speculator.run(call))
    return speculator.run(call)
