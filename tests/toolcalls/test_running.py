"""Single runs of tools: what may be declared, what becomes of tools that misbehave."""

import asyncio
import contextlib
import threading
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from typing import Any

import pytest
import virtual_time
from speculating import (
    SAFE,
    WAYS,
    Echo,
    Turn,
    all_ways,
    begun,
    cut_by_length,
    made_malformed,
    task_tool,
)

from fragjson.toolcalls.running import ToolRun
from fragjson.toolcalls.speculation import AsyncSpeculator, Speculator, Tool, ToolTimeoutError


def test_tools_that_are_declared_wrongly_are_refused() -> None:
    with pytest.raises(TypeError, match="f: early and irrelevant are tuples"):
        Tool("f", print, early="query", **SAFE)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="f: both early and irrelevant: a, b"):
        Tool("f", print, early=("a", "b", "c"), irrelevant=("b", "a"), **SAFE)
    with pytest.raises(ValueError, match="f: timeout must be positive, not 0"):
        Tool("f", print, timeout=0)
    with pytest.raises(TypeError, match="f: run is callable, not int"):
        Tool("f", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="f: early names what run does not take: harbour"):
        Tool("f", lambda port: port, early=("harbour", "port"), **SAFE)
    Tool("f", lambda **given: given, early=("harbour",), **SAFE)
    with pytest.raises(TypeError, match=r"tools are made with Tool\(name, run\), not function"):
        AsyncSpeculator([lambda: None])  # type: ignore[list-item]
    for name in ("", None, print):
        with pytest.raises(TypeError, match="name is a text that is not empty, not"):
            Tool(name, print)  # type: ignore[arg-type]


def test_callable_objects_are_told_apart() -> None:
    class Asynchronous:
        async def __call__(self) -> None: ...

    assert Tool("f", Asynchronous()).is_async
    assert not Tool("f", Echo()).is_async


def test_tool_may_change_its_arguments() -> None:
    def spoil(a: list[Any]) -> int:
        a.append("spoilt")
        return len(a)

    for declared in ({}, SAFE | {"early": ("a",)}):
        for way in WAYS:
            result, runs = way(spoil, ['{"a":[1]', "}"], **declared)
            assert result == 2
            assert [(run.arguments, run.call.arguments) for run in runs] in (
                [],
                [({"a": [1]}, {"a": [1]})],
            )


@all_ways
@pytest.mark.parametrize("text", ['{"a":1}', '{"a":1,"b":2}'])
def test_exception_surfaces_only_where_the_result_is_used(way: Any, text: str) -> None:
    def picky(a: int, b: int = 0) -> int:
        if not b:
            raise LookupError(f"no {a}")
        return a + b

    if "b" in text:
        result, (run,) = way(picky, [text], early=("a",), **SAFE)
        assert (result, run.outcome) == (3, "miss")
    else:
        with pytest.raises(LookupError, match="no 1"):
            way(picky, [text], early=("a",), **SAFE)


@all_ways
def test_arguments_that_the_tool_does_not_take_are_its_exception(way: Any) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'b'"):
        way(lambda a: a, ['{"a":1,"b":2}'], early=("a",), **SAFE)
    with pytest.raises(TypeError, match="missing 1 required"):
        way(lambda a, b: a, ['{"a":1}'], early=("a",), **SAFE)


def test_failed_hit_is_counted_and_saves_nothing(executor: Executor) -> None:
    with Speculator([Tool("f", lambda a: 1 / a, early=("a",), **SAFE)], executor) as speculator:
        turn = Turn(speculator)
        turn.begin()
        turn.text('{"a":0}')
        (call,) = turn.finish()
        with pytest.raises(ZeroDivisionError):
            speculator.run(call)
    figures = speculator.metrics
    assert (figures.hit, figures.failed, figures.saved_seconds) == (1, 1, 0.0)


@pytest.mark.parametrize("early", [True, False])
def test_thread_that_hangs_is_given_up_and_what_it_returns_late_is_not_lost(
    early: bool, executor: Executor
) -> None:
    go = threading.Event()
    tool = Tool("f", lambda a: go.wait(60) and a, early=("a",), timeout=0.02, **SAFE)
    with Speculator([tool], executor, limit=int(early)) as speculator:
        turn = Turn(speculator)
        turn.begin()
        turn.text('{"a":1}')
        (call,) = turn.finish()
        with pytest.raises(ToolTimeoutError, match=r"f did not end within 0\.02 s") as caught:
            speculator.run(call)
        run = caught.value.run
        assert speculator.lingering == [run]
        assert run.early == early
        go.set()
        assert run.future.result(10) == 1  # type: ignore[call-arg]
        assert speculator.lingering == []
        assert speculator.metrics.failed == int(early)


def test_late_result_that_is_there_when_asked_for_is_used(executor: Executor) -> None:
    clock = iter([0.0, 100.0, 101.0]).__next__  # started, finished, used
    tool = Tool("f", lambda a: a, early=("a",), timeout=1, **SAFE)
    with Speculator([tool], executor, clock=clock) as speculator:
        turn = Turn(speculator)
        turn.begin()
        turn.text('{"a":1,')
        (run,) = speculator.speculations
        run.future.result(10)  # type: ignore[call-arg]
        turn.text('"a":1}')
        (call,) = turn.finish()
        run._clock = lambda: 101.0
        assert speculator.run(call) == 1
        assert speculator.metrics.saved_seconds == 100.0


# Under asyncio, in virtual time


@pytest.mark.parametrize(
    ("takes", "closes_at", "asked_at", "saved"),
    [(3.0, 1.0, 9.0, 3.0), (3.0, 1.0, 2.0, 1.0), (3.0, 1.0, 4.0, 3.0)],
    ids=["it has long ended", "it is still running", "it ends just then"],
)
def test_saved_seconds_are_against_starting_when_asked(
    takes: float, closes_at: float, asked_at: float, saved: float
) -> None:
    async def slow(a: int) -> int:
        await asyncio.sleep(takes)
        return a

    async def main() -> None:
        async with task_tool(slow) as speculator:
            await asyncio.sleep(closes_at)
            turn = begun(speculator)
            await asyncio.sleep(asked_at - closes_at)
            turn.text('"a":1}')
            (call,) = turn.finish()
            assert await speculator.run(call) == 1
            assert virtual_time.now() == max(asked_at, closes_at + takes)
            assert asked_at + takes - virtual_time.now() == saved
            assert speculator.metrics.saved_seconds == saved

    virtual_time.run(main)


@pytest.mark.parametrize("end", [Turn.abort, cut_by_length, made_malformed])
def test_task_is_cancelled_by_what_ends_the_call(end: Any) -> None:
    ended_at = []

    async def hang(a: int) -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended_at.append(virtual_time.now())

    async def main() -> None:
        async with task_tool(hang) as speculator:
            turn = begun(speculator)
            await asyncio.sleep(1)
            end(turn)
            await asyncio.sleep(1)
            assert ended_at == [1.0]

    virtual_time.run(main)


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("asked_at", [0.5, 7.0])
def test_task_that_hangs_is_given_up(early: bool, asked_at: float) -> None:
    cancelled = []

    async def hang(**_: Any) -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.append(virtual_time.now())
            raise

    async def main() -> None:
        async with task_tool(hang, timeout=2.0) as speculator:
            turn = begun(speculator, '{"a":1,' if early else "{")
            await asyncio.sleep(asked_at)
            turn.text('"a":1}')
            (call,) = turn.finish()
            with pytest.raises(ToolTimeoutError, match=r"within 2\.0 s"):
                await speculator.run(call)
            assert cancelled == [max(asked_at, 2.0) if early else asked_at + 2.0]
            assert asyncio.all_tasks() == {asyncio.current_task()}

    virtual_time.run(main)


def test_task_that_does_not_heed_cancelling_lingers_and_what_it_returns_is_not_lost() -> None:
    async def deaf(**_: Any) -> str:
        for _second in range(10):
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(1)
        return "late"

    async def main() -> None:
        async with task_tool(deaf, timeout=2.5) as speculator:
            turn = begun(speculator)
            turn.text('"a":1}')
            (call,) = turn.finish()
            with pytest.raises(ToolTimeoutError) as caught:
                await speculator.run(call)
            assert virtual_time.now() == 3.5  # it was given a second to stop
            run = caught.value.run
            assert speculator.lingering == [run]
        assert virtual_time.now() == 4.5  # and another at the end of the turn
        assert await run.future == "late"  # type: ignore[misc]
        assert speculator.lingering == []

    virtual_time.run(main)


def test_exception_of_a_task_that_nobody_asked_for_is_not_reported_as_lost() -> None:
    async def fail(**_: Any) -> None:
        raise LookupError

    async def main() -> None:
        async with task_tool(fail) as speculator:
            turn = begun(speculator)
            await asyncio.sleep(1)
            turn.abort()
        speculator = task_tool(fail)
        begun(speculator)
        await asyncio.sleep(1)  # and dropped, without an end to the turn

    virtual_time.run(main)


def test_plain_function_that_hangs_under_asyncio_is_given_up() -> None:
    go = threading.Event()

    async def main() -> ToolRun:
        tool = Tool("f", lambda a: go.wait(60) and a, early=("a",), timeout=1, **SAFE)
        async with AsyncSpeculator([tool], executor, clock=virtual_time.now) as speculator:
            turn = begun(speculator)
            turn.text('"a":1}')
            (call,) = turn.finish()
            with pytest.raises(ToolTimeoutError) as caught:
                await speculator.run(call)
            return caught.value.run

    with ThreadPoolExecutor() as executor:
        run = virtual_time.run(main)
        go.set()
        assert run.future.result(10) == 1  # type: ignore[call-arg]


@pytest.mark.parametrize("timeout", [1.0, None])
def test_exception_of_a_plain_function_that_was_waited_for_is_not_reported_as_lost(
    timeout: float | None,
) -> None:
    go = threading.Event()

    def fail(a: int) -> None:
        go.wait(60)
        raise LookupError(a)

    async def main() -> None:
        tool = Tool("f", fail, early=("a",), timeout=timeout, **SAFE)
        async with AsyncSpeculator([tool], executor, clock=virtual_time.now) as speculator:
            turn = begun(speculator, '{"a":1}')
            (run,) = speculator.speculations
            (call,) = turn.finish()
            if timeout is None:
                threading.Timer(0.02, go.set).start()
            with pytest.raises(LookupError if timeout is None else ToolTimeoutError):
                await speculator.run(call)
            go.set()
            wait([run.future])  # type: ignore[list-item]
            await asyncio.sleep(0.1)
            assert isinstance(run.future.exception(), LookupError)

    with ThreadPoolExecutor() as executor:
        virtual_time.run(main)


def test_result_that_is_there_is_given_without_waiting() -> None:
    async def quick(a: int) -> int:
        return a

    async def main() -> None:
        async with task_tool(quick) as speculator:
            turn = begun(speculator, '{"a":1}')
            (call,) = turn.finish()
            await asyncio.sleep(1)
            with pytest.raises(StopIteration) as stopped:  # the first step is the last
                speculator.run(call).send(None)
            assert stopped.value.value == 1

    virtual_time.run(main)
