"""The rules by which a tool may run before its arguments are complete.

1. Only a tool declared read-only *and* idempotent runs early; any other waits for its call to be
   complete.
2. It begins when the members named by ``early`` have closed, with all members closed by then, and
   at most ``limit`` times a turn; never twice for one call.
3. Its result is used only if the final arguments are exactly what it ran with: the same members
   with the same values, to the type. Members declared ``irrelevant`` do not count. When a
   member closes that it did not run with, it is cancelled, and the complete call runs properly.
4. Whatever ends a call otherwise cancels it: an abort, a cut, a fault, the end of the turn. So
   does a violation of its schema; after one, nothing is begun for that call.
5. Its exception surfaces only where its result would have been used.

And every call is run once: asking a second time is an error.
"""

import time
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakSet

from fragjson.toolcalls.arguments import same
from fragjson.toolcalls.events import CallAborted, CallClosed, FieldClosed, SchemaViolation
from fragjson.toolcalls.metrics import SpeculationMetrics
from fragjson.toolcalls.running import Tool, ToolRun, ToolTimeoutError
from fragjson.toolcalls.verdict import CallStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor

    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.running import Future

__all__ = ["BaseSpeculator"]


class BaseSpeculator:
    """Keeps the rules; how runs are waited for is up to the two kinds of speculator."""

    def __init__(
        self,
        tools: "Iterable[Tool]",
        executor: "Executor | None" = None,
        *,
        limit: int = 1,
        clock: "Callable[[], float]" = time.monotonic,
    ) -> None:
        if limit < 0:
            raise ValueError(f"limit must not be negative, is {limit}")
        self._tools: dict[str | None, Tool] = {}
        for tool in tools:
            if not isinstance(tool, Tool):
                raise TypeError(f"tools are made with Tool(name, run), not {type(tool).__name__}")
            if tool.name in self._tools:
                raise ValueError(f"two tools are named {tool.name}")
            if executor is None and not tool.is_async:
                raise ValueError(f"{tool.name} is a plain function: it needs an executor")
            self._tools[tool.name] = tool
        self._executor = executor
        self._limit = limit
        self._clock = clock
        self._lock = RLock()
        self.metrics = SpeculationMetrics()
        """The figures over all turns."""
        self._taken: WeakSet[ToolCall] = WeakSet()
        """Calls that are run, or were."""
        self._members: dict[ToolCall, dict[str | int, Any]] = {}
        """The members of each call that have closed, without irrelevant ones."""
        self._early: dict[ToolCall, ToolRun] = {}
        self._given_up: list[ToolRun] = []

    @property
    def speculations(self) -> list[ToolRun]:
        """The early runs of this turn, in order."""
        return list(self._early.values())

    @property
    def lingering(self) -> list[ToolRun]:
        """Runs that were given up and have not ended: what they take up is still taken up."""
        with self._lock:
            return [run for run in self._given_up if not run.future.done()]

    def feed(self, event: "StreamEvent") -> None:
        """Take an event of the turn. Closed fields and ends of calls matter; others cost little.

        So the accumulator must tell of the ``end`` of the members in question, as it does unless
        its ``events`` or ``paths`` say otherwise.

        Never raises on what a tool does. Where an early run cannot be begun, because the executor
        is shut down or no loop is running, there is none.
        """
        if isinstance(event, FieldClosed):
            if len(event.path) == 1:
                self._take_member(event.call, event.path[0], event.value)
        elif isinstance(event, CallClosed | CallAborted | SchemaViolation):
            self._check(event.call)

    def _take_member(self, call: "ToolCall", name: str | int, value: Any) -> None:
        tool = self._tools.get(call.name)
        if tool is None or not tool.early or call.server_side or name in tool.irrelevant:
            return
        with self._lock:
            members = self._members.setdefault(call, {})
            members[name] = value
            run = self._early.get(call)
            if run is not None:
                if run.used is None and not same(members, run.arguments):
                    self._settle(run, "miss")
            elif (
                len(self._early) < self._limit
                and call.status is CallStatus.STREAMING
                and not call.violations
                and members.keys() >= set(tool.early)
            ):
                self._begin_early(call, tool, dict(members))

    def _check(self, call: "ToolCall") -> None:
        """Cancel the early run of a call that cannot come to its result any more."""
        with self._lock:
            run = self._early.get(call)
            if run is not None and run.used is None:
                if call.status is not CallStatus.COMPLETE:
                    self._settle(run, "cancelled")
                elif not same(run.tool.relevant(call.arguments), run.arguments):
                    self._settle(run, "miss")

    def _begin_early(self, call: "ToolCall", tool: Tool, arguments: Any) -> None:
        try:
            self._early[call] = self._begin(call, tool, arguments, early=True)
        except RuntimeError:  # nothing to run it on, as ``run`` will say if it is asked
            return
        self.metrics.started += 1

    def _begin(self, call: "ToolCall", tool: Tool, arguments: Any, *, early: bool) -> ToolRun:
        submit = self._submit(tool)
        return ToolRun(call, tool, arguments, early=early, submit=submit, clock=self._clock)

    def _submit(self, tool: Tool) -> "Callable[..., Future]":
        assert self._executor is not None
        return self._executor.submit

    def _take(self, call: "ToolCall") -> ToolRun:
        """Give the run whose result is the call's: the early one, if it agrees, or a proper one."""
        arguments, tool = call.arguments, self._tools.get(call.name)
        if call.server_side:
            raise ValueError(f"the vendor runs {call.name}, not the client")
        if tool is None:
            raise LookupError(f"there is no tool named {call.name}")
        with self._lock:
            if call in self._taken:
                raise RuntimeError(f"{call!r} was run before: a call is run once")
            self._check(call)
            run = self._early.get(call)
            if run is None or run.outcome is not None:
                run = self._begin(call, tool, arguments, early=False)
            run.used = self._clock()
            self._taken.add(call)
            return run

    def _instead(self, run: ToolRun) -> ToolRun:
        """Run properly what the executor, or whoever cancels tasks, dropped before it had ended."""
        with self._lock:
            self._settle(run, "miss")
            self._taken.discard(run.call)
            return self._take(run.call)

    def _result(self, run: ToolRun) -> Any:
        in_time = run.future.done()
        if run.early:
            self._settle(run, "hit", failed=not in_time or run.future.exception() is not None)
        if not in_time:
            raise ToolTimeoutError(run)
        return run.future.result()

    def _drop(self, run: ToolRun) -> None:
        """Give up a run that nobody waits for any more."""
        if run.early:
            self._settle(run, "cancelled")
        if not run.future.done():
            self._give_up(run)

    def _settle(
        self, run: ToolRun, outcome: Literal["hit", "miss", "cancelled"], *, failed: bool = False
    ) -> None:
        """Decide what became of an early run, once."""
        with self._lock:
            if run.outcome is not None:
                return
            run.outcome = outcome
            figures = self.metrics
            if outcome == "hit":
                figures.hit += 1
                figures.failed += failed
                figures.saved_seconds += 0.0 if failed else run.saved_seconds
                return
            if outcome == "miss":
                figures.miss += 1
            else:
                figures.cancelled += 1
            self._give_up(run)

    def _give_up(self, run: ToolRun) -> None:
        with self._lock:
            run.give_up()
            if not run.future.done():
                self._given_up.append(run)

    def _forget(self) -> None:
        with self._lock:
            for run in self._early.values():
                if run.used is None:
                    self._settle(run, "cancelled")
            self._early.clear()
            self._members.clear()
            self._given_up = self.lingering
