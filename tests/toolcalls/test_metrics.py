"""The figures: of calls, of turns, of the gaps between fragments, of early runs."""

from typing import Any

import pytest
from chat import DONE, begin, chunk, more
from hypothesis import given
from strategies import examples
from test_properties import fragmented

from fragjson.testing import replay
from fragjson.toolcalls import Accumulator, CallDelta
from fragjson.toolcalls.metrics import GapMeter, Gaps, SpeculationMetrics

PATH_ARGS = [
    {"functionCall": {"name": "f", "willContinue": True}},
    {
        "functionCall": {
            "partialArgs": [{"jsonPath": "$.a", "stringValue": "x", "willContinue": True}],
            "willContinue": True,
        }
    },
    {"functionCall": {"partialArgs": [{"jsonPath": "$.a", "stringValue": "y"}]}},
]


class Clock:
    """Goes on by what it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def timed(steps: list[tuple[float, Any]]) -> Accumulator:
    """Feed chunks, each so many seconds after the beginning of the turn."""
    clock = Clock()
    accumulator = Accumulator("openai_chat", clock=clock)
    for at, each in steps:
        clock.now = 100.0 + at
        accumulator.feed(each)
    return accumulator


def test_figures_of_a_turn() -> None:
    accumulator = timed(
        [
            (1.0, chunk()),
            (2.0, chunk({"index": 0, "id": "c0"})),
            (2.5, chunk(begin(0))),
            (3.0, chunk(more('{"a": "é'))),
            (3.5, chunk(more('"}'))),
            (4.0, chunk(begin(1), more("{]", 1))),
            (5.0, chunk(finish="tool_calls")),
        ]
    )
    metrics = accumulator.metrics
    assert [call.name for call in metrics.calls] == ["f", "f"]
    assert [call.to_dict() for call in metrics.calls] == [
        {
            "fragments": 2,
            "bytes": 11,
            "name_seconds": 0.5,
            "argument_seconds": 2.5,
            "parse_failures": 0,
            "duplicates": 0,
        },
        {
            "fragments": 1,
            "bytes": 2,
            "name_seconds": 0.0,
            "argument_seconds": 1.0,
            "parse_failures": 1,
            "duplicates": 0,
        },
    ]
    assert metrics.to_dict() == {
        "first_call_seconds": 2.0,
        "argument_seconds": 2.5,
        "calls": 2,
        "complete": 1,
        "unconfirmed": 0,
        "incomplete": 0,
        "malformed": 1,
        "aborted": 0,
        "fragments": 3,
        "bytes": 13,
        "parse_failures": 1,
        "duplicates": 0,
    }


def test_turn_without_calls() -> None:
    figures = timed([(1.0, chunk()), (2.0, DONE)]).metrics.to_dict()
    assert "first_call_seconds" not in figures
    assert "argument_seconds" not in figures
    assert set(figures.values()) == {0}


def test_next_turn_begins_when_the_accumulator_is_reset() -> None:
    clock = Clock()
    accumulator = Accumulator("openai_chat", clock=clock)
    clock.now += 50
    accumulator.reset()
    clock.now += 3
    accumulator.feed(chunk(begin()))
    assert accumulator.metrics.first_call_seconds == 3.0


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (lambda a: a.feed(DONE), "incomplete"),
        (lambda a: a.abort(), "aborted"),
        (lambda a: (a.feed(chunk(more("]"))), a.close()), "malformed"),
        (lambda a: (a.feed(chunk(more("}"))), a.close()), "unconfirmed"),
        (lambda a: (a.feed(chunk(more("}"))), a.feed(DONE)), "complete"),
        (lambda a: None, None),
    ],
)
def test_every_status_is_counted(end: Any, status: str | None) -> None:
    accumulator = timed([(0.0, chunk(begin(arguments='{"a":1')))])
    end(accumulator)
    figures = accumulator.metrics.to_dict()
    names = ("complete", "unconfirmed", "incomplete", "malformed", "aborted")
    assert [name for name in names if figures[name]] == ([status] if status else [])
    assert figures["parse_failures"] == (status == "malformed")
    assert ("argument_seconds" in figures) == (status is not None)


def test_repaired_call_is_a_parse_failure_all_the_same() -> None:
    accumulator = Accumulator("openai_chat", repair=lambda text: {"a": 1})
    for each in (chunk(begin()), chunk(more("{a: 1}")), DONE):
        accumulator.feed(each)
    figures = accumulator.metrics.to_dict()
    assert (figures["complete"], figures["malformed"], figures["parse_failures"]) == (1, 0, 1)


def test_duplicates_are_counted_and_no_fragments() -> None:
    accumulator = timed(
        [(0, chunk(begin())), (0, chunk(more("{}"))), (0, chunk(more("{}"))), (0, DONE)]
    )
    figures = accumulator.metrics.to_dict()
    assert (figures["duplicates"], figures["fragments"]) == (1, 1)


def vendors_of_objects() -> list[list[Any]]:
    whole = {"functionCall": {"name": "f", "args": {"a": "xy"}}}
    return [
        [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
        for parts in (PATH_ARGS, [whole])
    ]


@pytest.mark.parametrize("chunks", vendors_of_objects(), ids=["by path", "whole"])
def test_objects_have_no_text_and_no_bytes(chunks: list[Any]) -> None:
    accumulator = Accumulator("gemini")
    events = [event for each in chunks for event in accumulator.feed(each)]
    events += accumulator.close()
    figures = accumulator.metrics.to_dict()
    assert "bytes" not in figures
    assert figures["fragments"] == sum(isinstance(event, CallDelta) for event in events) > 0


@pytest.mark.parametrize("look", [False, True])
@examples(100)
@given(fragmented)
def test_fragments_are_the_deltas_also_when_the_text_is_read_in_between(
    look: bool, texts: list[str]
) -> None:
    accumulator = Accumulator("openai_chat")
    events = accumulator.feed(chunk(begin()))
    for text in texts:
        events += accumulator.feed(chunk(more(text)))
        if look:
            assert accumulator.calls[0].text is not None
    events += accumulator.feed(DONE)
    deltas = [event.text for event in events if isinstance(event, CallDelta)]
    (figures,) = accumulator.metrics.calls
    assert figures.fragments == len(deltas)
    assert figures.bytes == len("".join(deltas).encode("utf-8", "surrogatepass"))


def test_bytes_of_a_lone_half() -> None:
    accumulator = timed([(0, chunk(begin())), (0, chunk(more('{"a":"\ud83d"}')))])
    assert accumulator.metrics.calls[0].bytes == len('{"a":""}') + 3


def test_text_that_the_vendor_corrects_leaves_the_count_alone() -> None:
    item = {"type": "function_call", "id": "i1", "call_id": "c1", "name": "f", "arguments": ""}
    place = {"output_index": 0, "item_id": "i1"}
    delta = {"type": "response.function_call_arguments.delta", **place}
    lines = [
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({**delta, "delta": text} for text in ('{"a"', ":1", "}")),
        {"type": "response.function_call_arguments.done", **place, "arguments": '{"a":2}'},
    ]
    (call,) = replay(lines, "openai_responses").metrics.calls
    assert (call.fragments, call.bytes) == (3, 7)


# Gaps


def test_gaps_are_those_within_a_call() -> None:
    clock = Clock()
    meter = GapMeter(clock=clock)
    accumulator = Accumulator("openai_chat")
    steps = [
        (0.0, chunk(begin(0))),
        (1.0, chunk(more('{"a"', 0))),
        (1.5, chunk(more(":1", 0))),
        (2.0, chunk(begin(1))),
        (4.0, chunk(more("{", 1))),
        (4.5, chunk(more("}", 0))),
        (4.5, chunk(more("}", 1))),
        (9.0, DONE),
    ]
    for clock.now, each in steps:
        for event in accumulator.feed(each):
            meter.feed(event)
    first, second = accumulator.calls
    assert meter.of(first) == Gaps(2, 3.5, 3.0)
    assert meter.of(second).to_dict() == {
        "gaps": 1,
        "gap_mean_seconds": 0.5,
        "gap_longest_seconds": 0.5,
    }
    assert meter.to_dict() == {
        "gaps": 3,
        "gap_mean_seconds": 4.0 / 3,
        "gap_longest_seconds": 3.0,
    }


def test_no_gap_no_times() -> None:
    meter = GapMeter()
    accumulator = timed([(0, chunk(begin()))])
    for event in accumulator.feed(chunk(more("{"))):
        meter.feed(event)
    assert meter.of(accumulator.calls[0]).to_dict() == meter.to_dict() == {"gaps": 0}


# Early runs


@pytest.mark.parametrize(
    ("hit", "miss", "reading"),
    [
        (0, 0, None),
        (19, 0, None),
        (10, 10, "too early"),
        (69, 31, "too early"),
        (70, 30, "well timed"),
        (95, 5, "well timed"),
        (96, 4, "too late"),
        (20, 0, "too late"),
    ],
)
def test_hit_rate_and_what_it_says(hit: int, miss: int, reading: str | None) -> None:
    metrics = SpeculationMetrics(started=hit + miss + 50, hit=hit, miss=miss, cancelled=50)
    assert metrics.reading == reading
    assert metrics.hit_rate == (hit / (hit + miss) if hit + miss else None)
    assert metrics.to_dict().get("hit_rate") == metrics.hit_rate


def test_figures_of_early_runs() -> None:
    metrics = SpeculationMetrics(5, 3, 1, 1, 1, 2.5)
    assert metrics.to_dict() == {
        "started": 5,
        "hit": 3,
        "miss": 1,
        "cancelled": 1,
        "failed": 1,
        "saved_seconds": 2.5,
        "hit_rate": 0.75,
    }
