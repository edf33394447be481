"""The assertions find what they are there for, and say it so that it can be repeated."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest

from fragjson import Accumulator, Event, Parser
from fragjson.testing import (
    WRITERS,
    assert_never_runs_half_a_call,
    assert_same_under_fragmentation,
    broken,
    chunks,
)

TEXT = '{"port": "Tromsø 😀", "days": [1, 25]}'
Run = Callable[[str, Any], None]


def parsed(fragments: list[Any]) -> Any:
    parser = Parser()
    for fragment in fragments:
        parser.feed(fragment)
    return parser.close()


@pytest.mark.parametrize("text", [TEXT, "[1, 2", "[tru]", '{"a": "\\ud83d\\ude00"}', "", "7"])
def test_what_does_not_depend_on_the_cut_passes_errors_included(text: str) -> None:
    assert_same_under_fragmentation(parsed, text)
    assert_same_under_fragmentation(parsed, text.encode())


def test_a_result_that_depends_on_the_cut_is_told_with_both_results() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_same_under_fragmentation(lambda pieces: [p for p in pieces if "25" in p] != [], TEXT)
    assert str(caught.value).splitlines() == [
        "the result depends on how the input is cut",
        f"  cut at 34:   {TEXT[:34]!r} | {TEXT[34:]!r}",
        "  gives:       False",
        "  instead of:  True",
    ]


def test_an_exception_is_a_result() -> None:
    def whole_only(pieces: list[str]) -> Any:
        return [json.loads(piece) for piece in pieces]

    with pytest.raises(AssertionError, match="gives:       JSONDecodeError: Expecting"):
        assert_same_under_fragmentation(whole_only, TEXT)


def test_the_type_makes_a_difference_nan_does_not() -> None:
    with pytest.raises(AssertionError, match=r"gives: +1\.0\n +instead of: +1$"):
        assert_same_under_fragmentation(lambda pieces: 1 if len(pieces) == 1 else 1.0, TEXT)
    assert_same_under_fragmentation(lambda pieces: [float("nan")], TEXT)


class Point(NamedTuple):
    x: Any


@dataclass
class Told:
    path: Any
    at: float = field(default=0.0, compare=False)


WITHIN: list[Callable[[Any], Any]] = [
    lambda value: value,
    lambda value: [value],
    lambda value: {"a": value},
    lambda value: (value, 2),
    lambda value: {"a": [(0, (value,))]},
    Point,
    lambda value: [Told((value,))],
    lambda value: (Event("end", ("a",), "number", value),),
]
"""What results are made of: values, events, paths."""


@pytest.mark.parametrize("within", WITHIN)
def test_however_deep_it_is_the_type_makes_a_difference_nan_does_not(
    within: Callable[[Any], Any],
) -> None:
    for other in (1.0, True, "1"):
        with pytest.raises(AssertionError, match="depends on how the input is cut"):
            assert_same_under_fragmentation(
                lambda pieces, other=other: within(1 if len(pieces) == 1 else other), TEXT
            )
    assert_same_under_fragmentation(lambda pieces: within(float("nan")), TEXT)


def test_containers_of_other_lengths_differ_and_what_is_not_compared_does_not() -> None:
    for other in ((1, 2), (), [1]):
        with pytest.raises(AssertionError, match="depends on"):
            assert_same_under_fragmentation(
                lambda pieces, other=other: (1,) if len(pieces) == 1 else other, TEXT
            )
    assert_same_under_fragmentation(lambda pieces: Told((), at=len(pieces)), TEXT)


def test_of_long_results_what_is_around_the_difference_is_shown() -> None:
    long = "x" * 5000

    def read(pieces: list[str]) -> str:
        return long + ("|" if len(pieces) > 1 else "-") + long

    with pytest.raises(AssertionError) as caught:
        assert_same_under_fragmentation(read, TEXT)
    message = str(caught.value)
    assert "x|x" in message
    assert "x-x" in message
    assert len(message) < 1000


def test_a_seed_finds_what_only_some_random_cuts_show() -> None:
    def odd(pieces: list[str]) -> bool:
        return len(pieces) > 2 and {"a", "bc"} <= set(pieces)

    failing = []
    for seed in range(20):
        try:
            assert_same_under_fragmentation(odd, "abcdefgh", seed=seed)
        except AssertionError as error:
            failing.append((seed, str(error)))
    assert 0 < len(failing) < 20
    seed, message = failing[0]
    with pytest.raises(AssertionError) as caught:
        assert_same_under_fragmentation(odd, "abcdefgh", seed=seed)
    assert str(caught.value) == message
    assert "random" in message


def with_accumulator(lines: list[str], run: Run) -> None:
    accumulator = Accumulator()
    with accumulator.stream(chunks(lines)) as events:
        for _ in events:
            pass
    for call in accumulator.ready():
        run(str(call.name), call.arguments)


def gathered(lines: list[str]) -> tuple[dict[int, Any], bool]:
    """Names and texts, keyed as they should be, and whether the stream says that it is finished."""
    calls: dict[int, Any] = {}
    finished = False
    for chunk in chunks(lines):
        for choice in chunk.get("choices", []):
            for piece in choice["delta"].get("tool_calls") or []:
                call = calls.setdefault(piece["index"], [piece["function"].get("name"), ""])
                call[1] += piece["function"]["arguments"]
            finished |= choice.get("finish_reason") == "tool_calls"
    return calls, finished


def careful(lines: list[str], run: Run) -> None:
    calls, finished = gathered(lines)
    read = [(name, json.loads(text)) for name, text in calls.values() if finished and name]
    for name, arguments in read:
        run(name, arguments)


def heedless(lines: list[str], run: Run) -> None:
    for name, text in gathered(lines)[0].values():
        run(name, json.loads(text))


def mending(lines: list[str], run: Run) -> None:
    """Takes what there is of arguments for all there is."""
    for name, text in gathered(lines)[0].values():
        parser = Parser()
        parser.feed(text)
        run(name, parser.value)


def eager(lines: list[str], run: Run) -> None:
    """Runs what the stream says, as often as it says so."""
    for _ in range(2 if sum('finish_reason": "tool' in line for line in lines) > 1 else 1):
        careful(lines, run)


def idle(lines: list[str], run: Run) -> None:
    """Does nothing, and so nothing wrong."""


def half_raising(lines: list[str], run: Run) -> None:
    heedless(lines, run)
    raise ConnectionError("after it has run them")


@pytest.mark.parametrize("vendor", WRITERS)
def test_an_accumulator_never_runs_half_a_call(vendor: str) -> None:
    assert_never_runs_half_a_call(with_accumulator, vendor)


def test_a_program_of_ones_own_that_is_careful_passes() -> None:
    assert_never_runs_half_a_call(careful, "openai_chat", places=100)
    assert_never_runs_half_a_call(careful, WRITERS["openai_chat"], seed=7)


@pytest.mark.parametrize(
    ("harness", "options", "says"),
    [
        (heedless, {}, r"^find\(.*was run, though the vendor has not said that it is finished: "),
        (mending, {}, r"^find\(.*was run, though the vendor has not said"),
        (mending, {"trust_eof": True}, "was run, which nobody has said: the stream ends as"),
        (eager, {}, r"was run again: the stream has the fault '\w+' \(seed \d+\)"),
        (idle, {}, "(?s)were not run as they were sent.*run:     none$"),
    ],
)
def test_one_that_is_not_is_told_what_it_ran(harness: Any, options: Any, says: str) -> None:
    with pytest.raises(AssertionError, match=says):
        assert_never_runs_half_a_call(harness, "openai_chat", **options)


def test_what_was_run_before_an_exception_counts() -> None:
    with pytest.raises(AssertionError, match="though the vendor has not said"):
        assert_never_runs_half_a_call(half_raising, "openai_chat")


def test_the_message_of_a_fault_says_how_to_have_it_again() -> None:
    streams: list[list[str]] = []

    def noting(lines: list[str], run: Run) -> None:
        streams.append(lines)
        eager(lines, run)

    with pytest.raises(AssertionError) as caught:
        assert_never_runs_half_a_call(noting, "openai_chat")
    told = re.findall(r"the fault '(\w+)' \(seed (\d+)\)", str(caught.value))
    fault, seed = told[0]
    assert any(broken(whole, fault, int(seed)) == streams[-1] for whole in streams[:2])


def test_chunks_are_what_an_sdk_hands_on() -> None:
    lines = [": ping", "event: x", 'data: {"a": 1}', "", "data:", '{"b": 2}', "data: [DONE]", "{}"]
    assert list(chunks(lines)) == [{"a": 1}, {"b": 2}]
    found = []
    with pytest.raises(json.JSONDecodeError):
        found.extend(chunks(['{"a": 1}', "{"]))
    assert list(chunks([])) == []
