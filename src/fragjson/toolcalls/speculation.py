"""Early execution: run a tool before its arguments are complete, and keep to what is safe.

A speculator is fed the events of a turn, and runs the calls once they are complete. In between it
may begin a run early, by the rules in ``speculation_rules``: only a tool that is declared read-only
and idempotent, only when the members it waits for have closed, and its result counts only if the
final arguments are the ones it ran with. There is one for threads and one for asyncio, which runs
``async def`` tools as well.
"""

import time
from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.running import (
    Tool,
    ToolRun,
    ToolTimeoutError,
    as_task,
    wait,
    wait_async,
    wait_for_tasks,
)
from fragjson.toolcalls.speculation_rules import BaseSpeculator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor
    from types import TracebackType

    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.running import Future

__all__ = ["AsyncSpeculator", "Speculator", "Tool", "ToolRun", "ToolTimeoutError"]

_GRACE = 1.0
"""Seconds that a cancelled task is waited for; one that will not stop is left to ``lingering``."""


class Speculator(BaseSpeculator):
    """Runs the tools of a turn on an executor, some of them early.

    As a context manager it ends the turn when it is left; ``reset`` does so for those who keep it
    from turn to turn. Its methods may be called from any threads.

    Args:
        tools: what there is to run.
        executor: where they run: any executor of ``concurrent.futures``. It stays yours.
        limit: how many early runs there may be in a turn.
        clock: gives the times of runs and figures, in seconds.

    Raises:
        ValueError, TypeError: an option is not what it should be, or a tool is an ``async def``.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from fragjson import Accumulator
    >>> def search(query, why=""):
    ...     return f"found {query}"
    >>> tool = Tool(
    ...     "search", search, early=("query",), read_only=True, idempotent=True, irrelevant=("why",)
    ... )
    >>> def chunk(text):
    ...     entry = {"index": 0, "id": "c1", "function": {"name": "search", "arguments": text}}
    ...     return {"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]}
    >>> stream = [chunk('{"query": "tides", '), chunk('"why": "asked"}'), "[DONE]"]
    >>> accumulator = Accumulator("openai_chat")
    >>> with ThreadPoolExecutor() as executor, Speculator([tool], executor) as speculator:
    ...     for each in stream:
    ...         for event in accumulator.feed(each):
    ...             speculator.feed(event)
    ...     print(speculator.speculations[0].arguments)
    ...     print([speculator.run(call) for call in accumulator.ready()])
    {'query': 'tides'}
    ['found tides']
    >>> speculator.metrics.hit
    1
    """

    def __init__(
        self,
        tools: "Iterable[Tool]",
        executor: "Executor",
        *,
        limit: int = 1,
        clock: "Callable[[], float]" = time.monotonic,
    ) -> None:
        super().__init__(tools, executor, limit=limit, clock=clock)
        for tool in self._tools.values():
            if tool.is_async:
                raise TypeError(f"{tool.name} is an async def: take AsyncSpeculator")

    def run(self, call: "ToolCall") -> Any:
        """Return what the tool returns for a complete call: at once, if it has run early.

        Raises:
            CallNotReadyError: the call is not complete.
            LookupError: there is no such tool.
            ValueError: the vendor runs it.
            RuntimeError: the call was run before, or the executor is shut down.
            ToolTimeoutError: the tool has not ended in its time; counted from its early start.
            Exception: the tool's own, or the executor's.
        """
        run = self._take(call)
        try:
            wait(run)
            if run.early and run.future.cancelled():
                run = self._instead(run)
                wait(run)
            return self._result(run)
        except BaseException:
            self._drop(run)
            raise

    def reset(self) -> None:
        """End the turn: early runs that nobody asked for are cancelled. Threads go on, if they do.

        What ``run`` is waiting for is left alone.
        """
        self._forget()

    def __enter__(self) -> "Speculator":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        self.reset()


class AsyncSpeculator(BaseSpeculator):
    """Runs the tools of a turn under asyncio, some of them early.

    An ``async def`` runs as a task, a plain function on the executor. As an asynchronous context
    manager it ends the turn when it is left, as ``reset`` does. Everything is to be called in the
    loop's thread.

    Args:
        tools: what there is to run.
        executor: where plain functions run; not needed without any.
        limit, clock: as in ``Speculator``.

    Raises:
        ValueError: an option is not what it should be, or a plain function has no executor.

    >>> import asyncio
    >>> async def main(tool, stream, accumulator):
    ...     async with AsyncSpeculator([tool]) as speculator:
    ...         for each in stream:
    ...             for event in accumulator.feed(each):
    ...                 speculator.feed(event)
    ...         return [await speculator.run(call) for call in accumulator.ready()]
    >>> async def search(query):
    ...     return f"found {query}"
    >>> tool = Tool("search", search, early=("query",), read_only=True, idempotent=True)
    >>> from fragjson import Accumulator
    >>> parts = [{"functionCall": {"name": "search", "args": {"query": "tides"}}}]
    >>> chunk = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    >>> asyncio.run(main(tool, [chunk], Accumulator("gemini")))
    ['found tides']
    """

    def _submit(self, tool: Tool) -> "Callable[..., Future]":
        return as_task if tool.is_async else super()._submit(tool)

    async def run(self, call: "ToolCall") -> Any:
        """Return what the tool returns for a complete call: at once, if it has run early.

        Cancelling it cancels the run. Raises as ``Speculator.run`` does.
        """
        run = self._take(call)
        try:
            await wait_async(run)
            if run.early and run.future.cancelled():
                run = self._instead(run)
                await wait_async(run)
            return self._result(run)
        except BaseException as error:
            self._drop(run)
            if not isinstance(error, GeneratorExit):  # what is being closed cannot wait
                await wait_for_tasks([run], _GRACE)
            raise

    async def reset(self) -> None:
        """End the turn: early runs that nobody asked for are cancelled, and their tasks have ended.

        A task that does not heed its cancelling is waited for one second, and then lingers. What
        ``run`` is waiting for is left alone.
        """
        self._forget()
        await wait_for_tasks(self.lingering, _GRACE)
        self._given_up = self.lingering

    async def __aenter__(self) -> "AsyncSpeculator":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        await self.reset()
