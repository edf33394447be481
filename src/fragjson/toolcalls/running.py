"""Tools, and single runs of them: as an asyncio task, or on an executor.

A run ends in a result or an exception, and both stay with it. Or it is given up, because its time
is over or nobody wants its result any more. A task is then cancelled. A thread cannot be: its
function is told by a token, if it takes one, and runs on unheeded if not.
"""

import asyncio
import inspect
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import ref

from fragjson.toolcalls.call import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from weakref import ReferenceType

    from fragjson.toolcalls.call import ToolCall

__all__ = [
    "Future",
    "Tool",
    "ToolRun",
    "ToolTimeoutError",
    "as_task",
    "wait",
    "wait_async",
    "wait_for_tasks",
]

Future: TypeAlias = "futures.Future[Any] | asyncio.Future[Any]"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, and what its author declares of it.

    Attributes:
        name: what the model calls it.
        run: a function or an ``async def``. It is given the members of the arguments as keywords,
            or the text of a text call as its one argument; always a copy of its own.
        early: the members that must have closed for it to run before its call is complete; none:
            it never does. Takes both of the next two.
        read_only: it changes nothing, anywhere: that it ran need never be undone.
        idempotent: to run it twice is as good as once.
        irrelevant: members that make no difference to the result. An early run goes without them.
        timeout: the seconds after which a run is given up by who waits for it, counted from its
            beginning, waiting for a thread included; ``None``: never.
        token: the name of a keyword by which ``run`` takes a ``threading.Event``. It is set when
            the run is given up; a function that looks at it can stop then.

    Raises:
        ValueError, TypeError: a declaration is not what it should be; the message names the tool.

    >>> Tool("delete", print, early=("path",))
    Traceback (most recent call last):
    ValueError: delete: only a tool declared read_only and idempotent may run early
    """

    name: str
    run: "Callable[..., Any]"
    early: tuple[str, ...] = ()
    read_only: bool = False
    idempotent: bool = False
    irrelevant: tuple[str, ...] = ()
    timeout: float | None = None
    token: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise TypeError(f"a tool's name is a text that is not empty, not {self.name!r}")
        if not callable(self.run):
            raise TypeError(f"{self.name}: run is callable, not {type(self.run).__name__}")
        if isinstance(self.early, str) or isinstance(self.irrelevant, str):
            raise TypeError(f"{self.name}: early and irrelevant are tuples of names")
        if self.early and not (self.read_only is True and self.idempotent is True):
            raise ValueError(
                f"{self.name}: only a tool declared read_only and idempotent may run early"
            )
        if both := set(self.early) & set(self.irrelevant):
            raise ValueError(f"{self.name}: both early and irrelevant: {', '.join(sorted(both))}")
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"{self.name}: timeout must be positive, not {self.timeout}")
        if unknown := self._unknown():
            raise ValueError(
                f"{self.name}: early names what run does not take: {', '.join(unknown)}"
            )

    def _unknown(self) -> list[str]:
        """Return the early members that are no parameters of ``run``, where that can be told."""
        try:
            parameters = inspect.signature(self.run).parameters
        except (TypeError, ValueError):  # some that are written in C
            return []
        if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
            return []
        return [name for name in self.early if name not in parameters]

    @property
    def is_async(self) -> bool:
        """Whether ``run`` is an ``async def``, or an object whose ``__call__`` is one."""
        call = getattr(self.run, "__call__", None)  # noqa: B004 - of callable objects
        return inspect.iscoroutinefunction(self.run) or inspect.iscoroutinefunction(call)

    def relevant(self, arguments: Any) -> Any:
        """Return the arguments without the members that make no difference."""
        if not isinstance(arguments, dict):
            return arguments
        return {name: arguments[name] for name in arguments if name not in self.irrelevant}


class ToolTimeoutError(TimeoutError):
    """A tool did not end in its time.

    Attributes:
        run: the run, which was given up. Where it goes on all the same, what it comes to will be
            in ``run.future``.
    """

    def __init__(self, run: "ToolRun") -> None:
        super().__init__(f"{run.tool.name} did not end within {run.tool.timeout} s")
        self.run = run


class ToolRun:
    """One run of a tool, begun as it is made.

    Attributes:
        call: the call it is for.
        tool: what is run.
        arguments: what it was begun with.
        early: the call was not complete then.
        future: an ``asyncio.Task`` for an ``async def``, else a ``concurrent.futures.Future``: its
            result or exception.
        started, finished, used: when it began, when it ended, and when its result was asked for,
            in seconds of the clock; ``None``: not yet.
        outcome: what became of an early run; ``None``: not decided.
    """

    __slots__ = (
        "__weakref__", "_clock", "_token", "arguments", "call", "early", "finished", "future",
        "outcome", "started", "tool", "used",
    )  # fmt: skip

    def __init__(
        self,
        call: "ToolCall",
        tool: Tool,
        arguments: Any,
        *,
        early: bool,
        submit: "Callable[..., Future]",
        clock: "Callable[[], float]",
    ) -> None:
        self.call = call
        self.tool = tool
        self.arguments = arguments
        self.early = early
        self.started = clock()
        self.finished: float | None = None
        self.used: float | None = None
        self.outcome: Literal["hit", "miss", "cancelled"] | None = None
        self._clock = clock
        self._token = None if tool.token is None else Event()
        keywords = {} if tool.token is None else {tool.token: self._token}
        own = copied(arguments)
        if isinstance(own, dict):
            self.future = submit(tool.run, **own | keywords)
        else:
            self.future = submit(tool.run, own, **keywords)
        # Not to hold the run: futures of executors never let go of their callbacks.
        self.future.add_done_callback(partial(_note_end, ref(self)))

    def __repr__(self) -> str:
        state = self.outcome or ("done" if self.future.done() else "running")
        return f"<ToolRun {self.tool.name}{' early' if self.early else ''} {state}>"

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take; ``None``: any time."""
        if self.tool.timeout is None:
            return None
        return max(0.0, self.started + self.tool.timeout - self._clock())

    @property
    def saved_seconds(self) -> float:
        """How much later it would have ended, had it begun when its result was asked for."""
        if self.used is None:
            return 0.0
        ended = self.used if self.finished is None else min(self.finished, self.used)
        return ended - self.started

    def give_up(self) -> None:
        """Cancel it as far as it can be cancelled."""
        if self._token is not None:
            self._token.set()
        self.future.cancel()


def _note_end(noted: "ReferenceType[ToolRun]", future: Any) -> None:
    if not future.cancelled():
        future.exception()  # asked for, so that asyncio does not report it as never retrieved
    if (run := noted()) is not None:
        run.finished = run._clock()


def as_task(run: "Callable[..., Any]", /, *args: Any, **keywords: Any) -> Future:
    """Run an ``async def`` as a task of the running loop."""
    loop = asyncio.get_running_loop()

    async def started() -> Any:  # so that wrong arguments are the task's exception, too
        return await run(*args, **keywords)

    return loop.create_task(started())


def wait(run: ToolRun) -> None:
    """Wait until a run in a thread has ended or its time is over, whatever it ends in."""
    assert isinstance(run.future, futures.Future)
    # Not by futures.wait, which never hears of it when an executor drops what it has not begun.
    with suppress(futures.CancelledError, TimeoutError):
        run.future.exception(run.seconds_left)


async def wait_async(run: ToolRun) -> None:
    """Wait until any run has ended or its time is over, whatever it ends in."""
    future, seconds = run.future, run.seconds_left
    if future.done():
        return
    if isinstance(future, asyncio.Future):
        await asyncio.wait((future,), timeout=seconds)
        return
    watched = asyncio.wrap_future(future)
    try:
        await asyncio.wait((watched,), timeout=seconds)
    finally:
        if not watched.cancel() and not watched.cancelled():
            watched.exception()  # asked for, as above


async def wait_for_tasks(runs: "Iterable[ToolRun]", seconds: float) -> None:
    """Wait until those that are tasks have ended, so long at most."""
    tasks = [run.future for run in runs if isinstance(run.future, asyncio.Future)]
    if pending := [task for task in tasks if not task.done()]:
        await asyncio.wait(pending, timeout=seconds)
