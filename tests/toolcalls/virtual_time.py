"""An event loop whose time does not pass but jumps: to wait for an hour takes no time.

``run`` also asserts what asyncio would only log: no task is left, no exception was lost.
"""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        really_select = self._selector.select  # type: ignore[attr-defined]

        def select(timeout: float | None) -> Any:
            if timeout is None:  # nothing is due: a thread may still have to say something
                return really_select(None)
            self._now += timeout
            return really_select(0)

        self._selector.select = select  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now


loops: list[VirtualLoop] = []


def run(main: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    loop = VirtualLoop()
    loops[:] = [loop]
    complaints: list[Any] = []
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        result = loop.run_until_complete(main())
        assert asyncio.all_tasks(loop) == set()
    finally:
        gc.collect(1)  # what is as young as the loop: all of it would take longer than most tests
        loop.close()
    assert complaints == []
    return result


def now() -> float:
    """The time of the latest loop, in any thread: a clock for speculators."""
    return loops[0].time()
