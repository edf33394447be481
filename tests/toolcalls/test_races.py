"""Early runs when two things happen at once: nothing runs twice, nothing is left behind."""

import asyncio
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
import virtual_time
from speculating import SAFE, Echo, Gate, Shut, Turn, begun, gated, result_of, started, task_tool

from fragjson.toolcalls import CallAborted, CallStatus, FieldClosed
from fragjson.toolcalls.running import ToolRun
from fragjson.toolcalls.speculation import AsyncSpeculator, Speculator, Tool


@pytest.mark.parametrize("early", [True, False])
def test_call_is_run_once_also_when_many_ask_at_once(
    early: bool, gate: Gate, executor: Executor
) -> None:
    with gated(gate, executor, limit=int(early)) as speculator, ThreadPoolExecutor() as others:
        turn = Turn(speculator)
        turn.begin()
        turn.text('{"a":1}')
        (call,) = turn.finish()
        barrier = threading.Barrier(4)

        def ask() -> Any:
            barrier.wait(10)
            return speculator.run(call)

        asked = [others.submit(ask) for _ in range(4)]
        assert gate.entered.acquire(timeout=10)
        gate.go.set()
        results = [each.result() for each in asked if each.exception(10) is None]
        refusals = [each.exception() for each in asked if each.exception() is not None]
    assert results == gate.given == [{"a": 1}]
    assert all(isinstance(error, RuntimeError) for error in refusals)


def test_a_turn_that_ends_leaves_alone_what_is_being_waited_for(
    gate: Gate, executor: Executor
) -> None:
    speculator = gated(gate, executor)
    turn = started(speculator, gate, '{"x":0,"a":1')
    (run,) = speculator.speculations
    turn.text('"a":1}')
    (call,) = turn.finish()
    asked = executor.submit(speculator.run, call)
    while run.used is None:
        time.sleep(0.001)
    speculator.reset()
    assert run.outcome is None
    gate.go.set()
    assert asked.result(10) == {"x": 0, "a": 1}
    assert run.outcome == "hit"
    assert gate.given == [{"x": 0, "a": 1}]


@pytest.mark.parametrize("kind", [FieldClosed, CallAborted])
def test_events_after_the_result_was_asked_for_come_too_late(kind: Any) -> None:
    async def slow(a: int) -> int:
        await asyncio.sleep(1)
        return a

    async def main() -> None:
        async with task_tool(slow) as speculator:
            turn = begun(speculator, '{"a":1}')
            (call,) = turn.finish()
            asked = asyncio.get_running_loop().create_task(speculator.run(call))
            await asyncio.sleep(0)
            if kind is FieldClosed:
                speculator.feed(FieldClosed(call, ("a",), 2))
            else:
                call.status = CallStatus.ABORTED
                speculator.feed(CallAborted(call, "withdrawn"))
            assert await asked == 1
            assert [run.outcome for run in speculator.speculations] == ["hit"]

    virtual_time.run(main)


# The executor


def test_executor_that_is_shut_down_before_starts_nothing_and_says_so() -> None:
    echo = Echo()
    executor = ThreadPoolExecutor()
    executor.shutdown()
    speculator = Speculator([Tool("f", echo, early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.begin()
    turn.text('{"a":1}')
    assert speculator.speculations == []
    (call,) = turn.finish()
    for _ in range(2):  # it did not run, so it may be asked for again
        with pytest.raises(RuntimeError, match="cannot schedule new futures"):
            speculator.run(call)
    assert echo.given == []
    assert speculator.metrics.started == 0


@pytest.mark.parametrize("when", ["before it is asked for", "while it is waited for"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_executor_that_drops_an_early_run(when: str, asynchronous: bool) -> None:
    executor = Shut()
    kind = AsyncSpeculator if asynchronous else Speculator
    speculator = kind([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.begin()
    turn.text('{"a":1}')
    (call,) = turn.finish()
    (run,) = speculator.speculations

    def drop() -> None:
        run.future.cancel()
        while len(executor.held) < 2:
            time.sleep(0.001)
        executor.held[1].set_result("properly")

    thread = threading.Thread(target=drop)
    if when == "before it is asked for":
        run.future.cancel()
    thread.start()
    result = result_of(speculator, call)
    thread.join()
    assert (result, run.outcome, len(executor.held)) == ("properly", "miss", 2)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_executor_that_is_shut_down_in_between(asynchronous: bool) -> None:
    executor = Shut()
    kind = AsyncSpeculator if asynchronous else Speculator
    speculator = kind([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.begin()
    turn.text('{"a":1}')
    (call,) = turn.finish()
    executor.shut = True
    executor.held[0].cancel()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="cannot schedule new futures"):
            result_of(speculator, call)
    assert len(executor.held) == 1


def test_real_executor_that_is_shut_down_while_an_early_run_is_waited_for(gate: Gate) -> None:
    with ThreadPoolExecutor(1) as executor, ThreadPoolExecutor() as others:
        speculator = gated(gate, executor, limit=2)
        turn = Turn(speculator)
        for index in range(2):  # the first takes the only thread, the second waits for it
            turn.begin(index)
            turn.text('{"a":1}', index)
        asked = [others.submit(speculator.run, call) for call in turn.finish()]
        while any(run.used is None for run in speculator.speculations):
            time.sleep(0.001)
        executor.shutdown(wait=False, cancel_futures=True)
        with pytest.raises(RuntimeError, match="cannot schedule new futures"):
            asked[1].result(10)
        gate.go.set()
        assert asked[0].result(10) == {"a": 1}
    assert gate.given == [{"a": 1}]


def test_interrupt_while_waiting_gives_the_run_up(
    gate: Gate, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(run: ToolRun) -> None:
        raise KeyboardInterrupt

    with gated(gate, executor) as speculator:
        turn = started(speculator, gate)
        turn.text('"a":1}')
        (call,) = turn.finish()
        monkeypatch.setattr("fragjson.toolcalls.speculation.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            speculator.run(call)
        (run,) = speculator.speculations
        assert run.future.result(10) == "stopped"  # type: ignore[call-arg]
        assert run.outcome == "cancelled"


# Cancelling at every await point. What there is to cancel in: a hit that is waited for, a miss
# whose early run is being cancelled, the end of the turn; with tools that take time to clean up.


async def busy(ran: list[Any], members: dict[str, Any]) -> dict[str, Any]:
    ran.append(members)
    try:
        for _ in range(3):
            await asyncio.sleep(0)
        return members
    finally:
        await asyncio.sleep(0)


async def agrees(turn: Turn, speculator: AsyncSpeculator) -> Any:
    turn.text('{"a":1,')
    await asyncio.sleep(0)
    turn.text('"a":1}')
    (call,) = turn.finish()
    return await speculator.run(call)


async def disagrees(turn: Turn, speculator: AsyncSpeculator) -> Any:
    turn.text('{"a":1,')
    for _ in range(2):
        await asyncio.sleep(0)
    turn.text('"b":2}')
    (call,) = turn.finish()
    return await speculator.run(call)


async def never_asked_for(turn: Turn, speculator: AsyncSpeculator) -> Any:
    turn.text('{"a":1}')
    for _ in range(2):
        await asyncio.sleep(0)


async def aborted(turn: Turn, speculator: AsyncSpeculator) -> Any:
    turn.text('{"a":1')
    turn.text(",")
    await asyncio.sleep(0)
    turn.abort()
    await asyncio.sleep(0)


async def asked_for_twice(turn: Turn, speculator: AsyncSpeculator) -> Any:
    turn.text('{"a":1}')
    (call,) = turn.finish()
    both = await asyncio.gather(speculator.run(call), speculator.run(call), return_exceptions=True)
    results = [each for each in both if not isinstance(each, BaseException)]
    assert len(results) == 1
    return results[0]


def test_coroutine_that_is_closed_while_it_waits_gives_the_run_up() -> None:
    async def slow(a: int) -> None:
        await asyncio.sleep(3600)

    async def main() -> None:
        async with task_tool(slow) as speculator:
            (call,) = begun(speculator, '{"a":1}').finish()
            asked = speculator.run(call)
            asked.send(None)
            asked.close()
            assert [run.outcome for run in speculator.speculations] == ["cancelled"]

    virtual_time.run(main)


def plain_function(ran: list[Any]) -> Any:
    def function(**members: Any) -> Any:
        ran.append(members)
        return members

    return function


def async_function(ran: list[Any]) -> Any:
    async def function(**members: Any) -> Any:
        return await busy(ran, members)

    return function


def cancelled_after(steps: int, story: Any, function: Any) -> bool:
    """Live through a turn whose task is cancelled after so many steps of the loop, if it still is.

    ``virtual_time.run`` asserts that nothing was lost; that no task is left is asserted at the
    very moment at which the turn is over.
    """

    async def live(executor: Executor) -> None:
        tool = Tool("f", function, early=("a",), **SAFE)
        async with AsyncSpeculator([tool], executor) as speculator:
            turn = Turn(speculator)
            turn.begin()
            await story(turn, speculator)

    async def main() -> bool:
        with ThreadPoolExecutor(1) as executor:
            task = asyncio.get_running_loop().create_task(live(executor))
            for _ in range(steps):
                await asyncio.sleep(0)
            in_time = task.cancel()
            await asyncio.wait([task])
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert task.cancelled() == in_time
            assert in_time or task.exception() is None
            return in_time

    return virtual_time.run(main)


@pytest.mark.parametrize("story", [agrees, disagrees, never_asked_for, aborted, asked_for_twice])
def test_cancelling_at_every_await_point_leaves_nothing_behind(story: Any) -> None:
    for steps in count():
        ran: list[Any] = []
        in_time = cancelled_after(steps, story, async_function(ran))
        assert [ran.count(members) for members in ran] == [1] * len(ran), steps
        if not in_time:
            break
    assert steps > 3


@pytest.mark.parametrize("story", [agrees, disagrees])
def test_cancelling_while_a_thread_is_waited_for_leaves_nothing_behind(story: Any) -> None:
    for steps in range(15):  # how many it takes to the end is up to the thread
        ran: list[Any] = []
        cancelled_after(steps, story, plain_function(ran))
        assert [ran.count(members) for members in ran] == [1] * len(ran), steps
