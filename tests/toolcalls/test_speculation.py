"""The rules of early runs: what starts one, what cancels it, and when its result counts."""

import json
import weakref
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import pytest
from chat import DONE, begin, chunk, more
from hypothesis import given
from hypothesis import strategies as st
from speculating import (
    SAFE,
    Echo,
    Gate,
    Turn,
    all_ways,
    cut_by_length,
    gated,
    made_malformed,
    started,
)
from strategies import examples
from test_properties import cut, objects

from fragjson.toolcalls import Accumulator, CallNotReadyError, FieldClosed
from fragjson.toolcalls.speculation import AsyncSpeculator, Speculator, Tool

# Agreement. Each case: the arguments as they come, what runs early (or None), and what becomes of
# it. "early" is ("a",), "x" is irrelevant.

AGREEMENT = [
    # exactly what it ran with
    ('{"a":1}', {"a": 1}, "hit"),
    ('{"b":2,"a":1}', {"b": 2, "a": 1}, "hit"),
    ('{"a":{"k":[1,{"l":null}]}}', {"a": {"k": [1, {"l": None}]}}, "hit"),
    ('{"a":NaN}', {"a": float("nan")}, "hit"),
    ('{"a":1,"a":1}', {"a": 1}, "hit"),
    # what is irrelevant makes no difference, before, after, or twice
    ('{"a":1,"x":[1,2]}', {"a": 1}, "hit"),
    ('{"x":1,"a":1,"x":2}', {"a": 1}, "hit"),
    # other members, other values, other types
    ('{"a":1,"b":2}', {"a": 1}, "miss"),
    ('{"b":2,"a":1,"c":3}', {"b": 2, "a": 1}, "miss"),
    ('{"b":2,"a":1,"b":3}', {"b": 2, "a": 1}, "miss"),
    ('{"a":1,"a":2}', {"a": 1}, "miss"),
    ('{"a":1,"a":1.0}', {"a": 1}, "miss"),
    ('{"a":1,"a":true}', {"a": 1}, "miss"),
    ('{"a":[1],"a":[1,2]}', {"a": [1]}, "miss"),
    ('{"a":1,"b":null}', {"a": 1}, "miss"),
    # what never closes by itself, or elsewhere, starts nothing
    ('{"b":1}', None, None),
    ('{"b":{"a":1}}', None, None),
    ('{"x":1}', None, None),
    ("{}", None, None),
    ('{"\\u0061":1}', {"a": 1}, "hit"),
]


@all_ways
@pytest.mark.parametrize(("text", "early", "outcome"), AGREEMENT)
def test_result_is_used_only_if_the_arguments_agree(
    way: Any, text: str, early: Any, outcome: str | None
) -> None:
    echo = Echo()
    result, runs = way(echo, list(text), early=("a",), irrelevant=("x",), **SAFE)
    final = json.loads(text)
    assert [(repr(run.arguments), run.outcome) for run in runs] == (
        [] if early is None else [(repr(early), outcome)]
    )
    assert repr(result) == repr(early if outcome == "hit" else final)
    properly = [repr(given) for given in echo.given if repr(given) != repr(early)]
    assert properly == ([] if outcome == "hit" else [repr(final)])
    assert len(echo.given) <= 2


@all_ways
@examples(60)
@given(objects, st.data())
def test_result_is_that_of_the_final_arguments_however_they_come(
    way: Any, members: dict[str, Any], data: st.DataObject
) -> None:
    early = data.draw(st.lists(st.sampled_from(sorted(members)), min_size=1, unique=True))
    texts = data.draw(cut(json.dumps(members)))
    echo = Echo()
    result, runs = way(echo, texts, early=tuple(early), **SAFE)
    assert json.dumps(result) == json.dumps(members)
    assert len(runs) == 1
    assert all(json.dumps(given) in map(json.dumps, prefixes(members)) for given in echo.given)
    assert sum(json.dumps(given) == json.dumps(members) for given in echo.given) == 1


def prefixes(members: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for count in range(1, len(members) + 1):
        yield dict(list(members.items())[:count])


@all_ways
def test_nothing_runs_early_that_is_not_declared_to(way: Any) -> None:
    echo = Echo()
    result, runs = way(echo, ['{"a":1,', '"b":2}'])
    assert (result, runs, echo.given) == ({"a": 1, "b": 2}, [], [{"a": 1, "b": 2}])


@pytest.mark.parametrize(
    "declared", [{}, {"read_only": True}, {"idempotent": True}, SAFE | {"read_only": "yes"}]
)
def test_only_what_is_read_only_and_idempotent_may_run_early(declared: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="send: only a tool declared read_only and idempotent"):
        Tool("send", print, early=("to",), **declared)


def test_speculators_that_cannot_work_are_refused() -> None:
    async def asynchronous() -> None: ...

    with ThreadPoolExecutor() as executor:
        with pytest.raises(TypeError, match="f is an async def: take AsyncSpeculator"):
            Speculator([Tool("f", asynchronous)], executor)
        with pytest.raises(ValueError, match="two tools are named f"):
            Speculator([Tool("f", print), Tool("f", max)], executor)
        with pytest.raises(ValueError, match="limit must not be negative"):
            Speculator([], executor, limit=-1)
    with pytest.raises(ValueError, match="f is a plain function: it needs an executor"):
        AsyncSpeculator([Tool("f", print)])


# Step by step


def test_it_starts_as_soon_as_the_named_members_have_closed(gate: Gate, executor: Executor) -> None:
    with Speculator(
        [Tool("f", gate, early=("a", "b"), token="stop", **SAFE)], executor
    ) as speculator:
        turn = Turn(speculator)
        turn.begin()
        for text in ('{"b":', '"x"', ', "c": 0, "a": 1', "2"):
            turn.text(text)
            assert speculator.speculations == []
        turn.text(" ")
        (run,) = speculator.speculations
        assert run.arguments == {"b": "x", "c": 0, "a": 12}
        assert turn.accumulator.calls[0].status == "streaming"


def test_disagreement_cancels_at_once(gate: Gate, executor: Executor) -> None:
    with gated(gate, executor) as speculator:
        turn = started(speculator, gate)
        turn.text('"b":2,')
        (run,) = speculator.speculations
        assert run.outcome == "miss"
        assert run.future.result(10) == "stopped"  # type: ignore[call-arg]
        turn.text('"c":3}')
        (call,) = turn.finish()
        gate.go.set()
        assert speculator.run(call) == {"a": 1, "b": 2, "c": 3}
        assert gate.given == [{"a": 1}, {"a": 1, "b": 2, "c": 3}]
        assert len(speculator.speculations) == 1


def just_ended(turn: Turn) -> None:
    turn.text('"a":1}')
    for event in turn.accumulator.close():
        turn._speculator.feed(event)


def failed(turn: Turn) -> None:
    turn.feed({"error": {"message": "overloaded"}})


ENDINGS = [Turn.abort, cut_by_length, made_malformed, just_ended, failed]


@pytest.mark.parametrize("end", ENDINGS, ids=lambda end: end.__name__)
def test_whatever_ends_the_call_otherwise_cancels_it(
    end: Any, gate: Gate, executor: Executor
) -> None:
    with gated(gate, executor) as speculator:
        turn = started(speculator, gate)
        end(turn)
        (run,) = speculator.speculations
        assert run.outcome == "cancelled"
        assert run.future.result(10) == "stopped"  # type: ignore[call-arg]
        assert turn.accumulator.ready() == []
        with pytest.raises(CallNotReadyError):
            speculator.run(turn.accumulator.calls[0])
    assert gate.given == [{"a": 1}]
    assert speculator.metrics.to_dict()["cancelled"] == 1


def test_call_that_the_vendor_takes_back_cancels_it(gate: Gate, executor: Executor) -> None:
    with gated(gate, executor) as speculator:
        turn = started(speculator, gate, '{"x":0,"a":1')
        turn.text('"a":1}')
        (call,) = turn.finish()
        turn.accumulator._turn.events = events = []
        turn.accumulator._turn.retract(call, "withdrawn")  # type: ignore[arg-type]
        for event in events:
            speculator.feed(event)
        assert speculator.speculations[0].outcome == "cancelled"


def test_leaving_the_turn_cancels_what_nobody_asked_for(gate: Gate, executor: Executor) -> None:
    speculator = gated(gate, executor)
    started(speculator, gate)
    (run,) = speculator.speculations
    with pytest.raises(KeyError, match="consumer"), speculator:
        raise KeyError("consumer")
    assert run.outcome == "cancelled"
    assert run.future.result(10) == "stopped"  # type: ignore[call-arg]
    assert speculator.lingering == speculator.speculations == []


def test_limit_is_per_turn_and_counts_what_was_cancelled(gate: Gate, executor: Executor) -> None:
    for limit in (0, 1, 2):
        with gated(gate, executor, limit=limit) as speculator:
            for _ in range(2):  # turns
                turn = Turn(speculator)
                for index in range(3):
                    turn.begin(index)
                for index in range(3):
                    turn.text('{"a":1,', index)
                    turn.text('"b":1,' if index == 0 else " ", index)
                calls = turn.accumulator.calls
                assert [run.call for run in speculator.speculations] == calls[:limit]
                turn.abort()
                speculator.reset()
            assert speculator.metrics.started == 2 * limit


def test_two_early_runs_at_the_limit_both_hit(gate: Gate, executor: Executor) -> None:
    with gated(gate, executor, limit=2) as speculator:
        turn = Turn(speculator)
        for index in range(2):
            turn.begin(index)
            turn.text(f'{{"a":{index}}}', index)
            assert gate.entered.acquire(timeout=10)
        calls = turn.finish()
        gate.go.set()
        assert [speculator.run(call) for call in calls] == [{"a": 0}, {"a": 1}]
    assert gate.given == [{"a": 0}, {"a": 1}]
    assert speculator.metrics.hit == 2


def test_next_turn_knows_nothing_of_the_last(executor: Executor) -> None:
    answers = iter(["first", "second"])
    tool = Tool("f", lambda **_: next(answers), early=("a",), **SAFE)
    speculator = Speculator([tool], executor)
    for answer in ("first", "second"):  # the same call by all that the vendor says of it
        turn = Turn(speculator)
        turn.begin()
        turn.text('{"a":1}')
        (call,) = turn.finish()
        assert speculator.run(call) == answer
        speculator.reset()
        with pytest.raises(RuntimeError, match="was run before"):
            speculator.run(call)
    assert (speculator.metrics.started, speculator.metrics.hit) == (2, 2)


@pytest.mark.parametrize("text", ['{"a":1}', '{"a":1,"b":2}'])
def test_a_turn_that_ends_lets_go_of_its_calls(text: str, executor: Executor) -> None:
    speculator = Speculator([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.begin()
    turn.text(text)
    (call,) = turn.finish()
    speculator.run(call)
    speculator.reset()
    gone = weakref.ref(call)
    del turn, call
    assert gone() is None


def test_call_that_is_complete_already_has_no_early_run(executor: Executor) -> None:
    speculator = Speculator([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.feed(chunk(begin(arguments='{"a":1}'), finish="tool_calls"))
    assert speculator.speculations == []
    assert speculator.run(*turn.accumulator.ready()) == {"a": 1}


def test_call_that_the_vendor_runs_has_no_early_run(executor: Executor) -> None:
    speculator = Speculator([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    block = {"type": "server_tool_use", "id": "s1", "name": "f", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": '{"a":1,'}
    accumulator = Accumulator("anthropic")
    events = accumulator.feed({"type": "content_block_start", "index": 0, "content_block": block})
    events += accumulator.feed({"type": "content_block_delta", "index": 0, "delta": delta})
    assert any(isinstance(event, FieldClosed) for event in events)
    for event in events:
        speculator.feed(event)
    assert speculator.speculations == []


@pytest.mark.parametrize("text", ['{"a":1,"b":"', '{"b":"","a":1,'])
def test_violation_of_the_schema_cancels_and_nothing_is_begun_after_it(
    text: str, gate: Gate, executor: Executor
) -> None:
    schema = {"type": "object", "properties": {"b": {"type": "number"}}}
    accumulator = Accumulator("openai_chat", tools={"f": schema})
    with gated(gate, executor) as speculator:
        for each in (chunk(begin()), *(chunk(more(character)) for character in text)):
            for event in accumulator.feed(each):
                speculator.feed(event)
        assert len(accumulator.calls[0].violations) == 1
        outcomes = [run.outcome for run in speculator.speculations]
        assert outcomes == (["cancelled"] if text.startswith('{"a"') else [])


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("final", [{"a": 1}, {"a": 1.0}, {"a": True}, {}, {"b": 1}])
def test_final_arguments_decide_whatever_the_events_said(
    final: Any, told: bool, executor: Executor
) -> None:
    """Repaired arguments can be any object; a harness may feed no more than the closed fields."""
    accumulator = Accumulator("openai_chat", repair=lambda text: final)
    with Speculator([Tool("f", Echo(), early=("a",), **SAFE)], executor) as speculator:
        for each in (chunk(begin()), chunk(more('{"a":1,')), chunk(more("!}")), DONE):
            for event in accumulator.feed(each):
                if told or isinstance(event, FieldClosed):
                    speculator.feed(event)
        (run,) = speculator.speculations
        assert repr(speculator.run(*accumulator.ready())) == repr(final)
        assert run.outcome == ("hit" if repr(final) == "{'a': 1}" else "miss")


def test_what_is_no_object_is_the_one_argument(executor: Executor) -> None:
    speculator = Speculator([Tool("f", Echo(), early=("a",), **SAFE)], executor)
    turn = Turn(speculator)
    turn.begin()
    turn.text("[1,2]")
    (call,) = turn.finish()
    assert speculator.speculations == []
    with pytest.raises(TypeError):
        Speculator([Tool("f", lambda: 0)], executor).run(call)
    assert speculator.run(call) == [1, 2]


def test_what_cannot_be_run_is_refused(executor: Executor) -> None:
    speculator = Speculator([], executor)
    turn = Turn(speculator)
    turn.begin()
    call = turn.accumulator.calls[0]
    with pytest.raises(CallNotReadyError):
        speculator.run(call)
    turn.text("{}")
    turn.finish()
    with pytest.raises(LookupError, match="there is no tool named f"):
        speculator.run(call)
    call.server_side = True
    with pytest.raises(ValueError, match="the vendor runs f"):
        speculator.run(call)
