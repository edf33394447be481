"""Cases from the field: inputs on which other parsers went wrong, with the right results.

Each line of ``data/handed.jsonl`` for the parser or for ``loads`` runs here. What a case expects
in data (values after each feed, closed fields, errors) is checked by the runner, for the
fragments as given and, where the input is small, in total for every other fragmentation of it;
what it expects in words is a function below, named in ``IN_WORDS``. A key the runner does not know
fails, and so does a case that is left over.
"""

import gc
import json
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from comparison import error_of, exactly, feed_all, follow
from fragmentation import fragmentations

import fragjson
from fragjson import (  # fmt: skip
    IncompleteJSONError,
    JSONDecodeError,
    LimitExceededError,
    MalformedJSONError,
    Parser,
    Status,
)
from fragjson.testing import Data

Case = dict[str, Any]

LINES = (Path(__file__).parent / "data" / "handed.jsonl").read_text("utf-8").splitlines()
CASES: dict[str, Case] = {
    case["id"]: case for case in map(json.loads, LINES) if case["level"] in ("parser", "loads")
}
KINDS = {
    "invalid": MalformedJSONError,
    "incomplete": IncompleteJSONError,
    "too_deep": LimitExceededError,
}
SMALL = 2000


def fragments_of(case: Case) -> Iterator[Data]:
    for fragment in case["fragments"]:
        if isinstance(fragment, str):
            yield fragment
        elif "hex" in fragment:
            yield bytes.fromhex(fragment["hex"])
        elif "repeat" in fragment:
            for _ in range(fragment["times"]):
                yield fragment["repeat"]
        else:
            yield fragment["concat"] * fragment["times"]


def whole(case: Case) -> str | bytes:
    fragments = list(fragments_of(case))
    return fragments[0][:0].join(fragments)


def plain(value: Any) -> Any:
    """The value a case means: ``{"$": "no_value"}`` is None, ``{"$float": "inf"}`` a float."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"$float"}:
            return float(value["$float"])
        return None if value.keys() == {"$"} else {key: plain(item) for key, item in value.items()}
    return value


def run_on_parser(case: Case) -> None:
    expected = dict(case["expected"])
    partials = expected.pop("partials", [])
    partials = expected.pop("partials_if_unfinished_numbers_hidden", partials)
    error = expected.pop("error", None)
    final = expected.pop("final", None)
    closed = expected.pop("closed", None)
    last_good = expected.pop("last_good", None)
    if "partials_if_unfinished_numbers_hidden" in case["expected"] and error and "at" in error:
        last_good = partials[-1]
    expected.pop("final_check", None)
    assert not expected, "the runner does not know what these ask for"

    parser = Parser(events={"end"})
    found: list[Any] = []
    failed_at: int | str | None = None
    ending: JSONDecodeError | None = None
    for at, fragment in enumerate(fragments_of(case)):
        try:
            events = parser.feed(fragment)
        except JSONDecodeError as caught:
            ending, failed_at, events = caught, at, caught.events
        found += [[at, list(event.path), exactly(event.value)] for event in events]
        if ending is not None:
            break
        if at < len(partials):
            no_value = partials[at] == {"$": "no_value"}
            assert (parser.status is Status.EMPTY) == no_value
            assert exactly(parser.value) == exactly(plain(partials[at]))
            assert exactly(parser.snapshot()) == exactly(plain(partials[at]))
    assert ending is not None or at + 1 >= len(partials)
    if ending is None:
        ending, failed_at = error_of(parser.close), "close"
    if ending is None and parser.path == () and closed and closed[-1][0] == "close":
        found.append(["close", [], exactly(parser.close())])
    if closed is not None:
        assert found == [[at, path, exactly(plain(value))] for at, path, value in closed]
    if final is not None:
        assert ending is None
        assert exactly(parser.close()) == exactly(plain(final))
    if error is not None:
        assert isinstance(ending, KINDS[error["kind"]])
        assert failed_at == error.get("at_fragment", error.get("at", failed_at))
        if "too_deep" not in error["kind"]:
            assert ending.stopped_at == error.get("offset", error.get("offset_bytes"))
    elif final is None and "final_check" not in case["expected"]:
        assert type(ending) is IncompleteJSONError
    if last_good is not None:
        assert exactly(parser.value) == exactly(ending.value) == exactly(last_good)


def run_on_every_fragmentation(case: Case) -> None:
    data = whole(case)
    right = None
    for name, fragments in fragmentations(data):
        total = follow(Parser(events={"start", "delta", "end"}), fragments).total
        right = right or total
        assert total == right, name


def run_on_loads(case: Case) -> None:
    expected = dict(case["expected"])
    text = whole(case)
    for key in ("also", "also_ok", "with strict=False", "final_check", "incomplete", "invalid_at"):
        expected.pop(key, None)
    if "value" in expected:
        assert expected.pop("complete") is True
        right = exactly(plain(expected.pop("value")))
        assert exactly(fragjson.loads(text)) == right
        assert exactly(fragjson.loads(text, allow_partial=False)) == right
        assert exactly(json.loads(text)) == right
    error = expected.pop("error", None)
    if error is not None:
        for allowed in (True, False):
            ours = error_of(fragjson.loads, text, allow_partial=allowed)
            assert isinstance(ours, KINDS[error["kind"]])
            if "offset" in error:
                assert ours.stopped_at == error["offset"]
                assert ours.doc == text
    assert expected.keys() <= {"complete"}


# What the cases ask for in words


def objects_begun_before_an_error_are_released(case: Case) -> None:
    """B027."""
    text = whole(case)

    def fail() -> None:
        assert exactly(error_of(Parser().feed, text).value) == exactly([{"ok": 1}, {}])

    assert growth(fail, 10_000) < 20_000


def an_empty_text_has_no_value(case: Case) -> None:
    """B031."""
    assert case["expected"]["also_ok"].keys() == {""}
    assert type(error_of(fragjson.loads, "")) is IncompleteJSONError
    parser = Parser()
    parser.feed("")
    assert parser.status is Status.EMPTY
    assert type(error_of(parser.close)) is IncompleteJSONError


def each_malformed_number_is_refused_at_its_fault(case: Case) -> None:
    """B059."""
    also = case["expected"]["also"]
    assert len(also) == 7
    for text, stopped_at in also.items():
        with pytest.raises(json.JSONDecodeError) as right:
            json.loads(text)
        for error in (error_of(fragjson.loads, text), error_of(Parser().feed, text)):
            assert type(error) is MalformedJSONError
            assert (error.stopped_at, error.msg, error.pos) == (
                stopped_at, right.value.msg, right.value.pos
            )  # fmt: skip


def ten_million_brackets_raise_a_depth_error_and_leave_nothing_behind(case: Case) -> None:
    """B061."""
    text = whole(case)
    assert len(text) == 20_000_000
    tracemalloc.start()
    try:
        error = error_of(fragjson.loads, text)
        assert isinstance(error, RecursionError)
        assert error.pos == error.stopped_at == 1000
        del error
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()


def eleven_hundred_levels_are_parsed_if_max_depth_says_so(case: Case) -> None:
    """B063."""
    text = whole(case)
    assert isinstance(error_of(fragjson.loads, text), RecursionError)
    value = fragjson.loads(text, max_depth=1100)
    depth = 0
    while value:
        (value,) = value
        depth += 1
    assert depth == 1099


def the_depth_rule_holds_for_parts_nobody_subscribed_to(case: Case) -> None:
    """B065."""
    positions = set()
    for options in ({}, {"events": {"end"}, "paths": "$.model"}, {"allow_partial": False}):
        error = error_of(feed_all, Parser(**options), fragments_of(case))
        assert isinstance(error, LimitExceededError)
        assert isinstance(error, RecursionError)
        positions.add((error.pos, error.stopped_at))
    assert positions == {(5 + 999, 5 + 999)}


def depth_is_that_of_now_not_of_all_that_was_opened(case: Case) -> None:
    """B067."""
    parser = Parser(max_depth=4)
    feed_all(parser, fragments_of(case))
    value = parser.close()
    assert len(value) == 50_001
    assert value[:2] == [[[[1]]], [[[1]]]]
    assert type(error_of(feed_all, Parser(max_depth=3), fragments_of(case))).__mro__[1] is (
        LimitExceededError
    )


def a_string_fed_letter_by_letter_is_not_copied_at_each_letter(case: Case) -> None:
    """B068."""
    parser = Parser()
    feeds = moves = 0
    before = None
    for fragment in fragments_of(case):
        parser.feed(fragment)
        now = id(parser.value["content"])
        feeds += 1
        moves += now != before
        before = now
    assert feeds == 116_669
    assert parser.close() == {"content": "x" * 116_667}
    assert moves < feeds // 20


def many_rows_are_not_rebuilt_when_the_value_is_read(case: Case) -> None:
    """B070."""
    parser = Parser()
    lengths = []
    items = None
    for fragment in fragments_of(case):
        parser.feed(fragment)
        items = items if items is not None else parser.value["items"]
        assert parser.value["items"] is items
        lengths.append(len(items))
    assert lengths == [*range(50_001), 50_001]
    final = parser.close()
    assert final["items"] is items
    assert final["items"][0] == {"id": 1, "name": "abc"}
    assert final["items"][-1] == {"id": 2}


def consumed_text_is_released(case: Case) -> None:
    """B074: memory is that of the value, not of value and text."""
    fragments = list(fragments_of({"fragments": case["fragments"]}))
    assert len(fragments) == 1_000_002
    tracemalloc.start()
    try:
        parser = Parser()
        feed_all(parser, fragments)
        used, peak = tracemalloc.get_traced_memory()
        count = len(parser.value)
        parser = None
        released = used - tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert count == 1_000_001
    row = sys.getsizeof({"k": "v"})
    assert used < count * (row + 32) + 1_000_000
    assert peak < used * 1.25
    assert released > used * 0.95


def errors_leak_nothing(case: Case) -> None:
    """B076."""
    assert case["fragments"][0]["repeat"].startswith("<")

    def stop(_: Any) -> None:
        raise ZeroDivisionError

    def fail_in_hook() -> None:
        parser = Parser(object_hook=stop)
        try:
            parser.feed('[{"a":[1]}]')
        except ZeroDivisionError:
            return
        raise AssertionError("the hook's exception did not come through")

    def fail_at_once() -> None:
        assert error_of(Parser().feed, "XXX") is not None

    def fail_inside() -> None:
        assert error_of(Parser().feed, '[{"a":[tru!') is not None

    assert growth(fail_at_once, 200_000) < 20_000
    assert growth(fail_inside, 20_000) < 20_000
    assert growth(fail_in_hook, 20_000) < 20_000


def object_hooks_run_as_in_json_and_leak_nothing(case: Case) -> None:
    """B078."""
    text = whole(case)

    def calls_of(loads: Callable[..., Any]) -> list[Any]:
        calls: list[Any] = []

        def hook(members: dict[str, Any]) -> Any:
            calls.append(dict(members))
            return ("td", members["__td__"]) if "__td__" in members else members

        calls.append(loads(text, object_hook=hook))
        return calls

    def stop(_: Any) -> None:
        raise ZeroDivisionError("mine")

    def load() -> None:
        fragjson.loads(text, object_hook=dict)

    assert exactly(calls_of(fragjson.loads)) == exactly(calls_of(json.loads))
    with pytest.raises(ZeroDivisionError, match="mine"):
        fragjson.loads(text, object_hook=stop)
    assert growth(load, 100_000) < 20_000


def each_text_is_of_the_class_named(case: Case) -> None:
    """B081."""
    expected = case["expected"]
    assert [len(expected[key]) for key in ("incomplete", "invalid_at", "complete")] == [13, 10, 5]
    for text in expected["incomplete"]:
        assert type(error_of(fragjson.loads, text, allow_partial=False)) is IncompleteJSONError
    for text, stopped_at in expected["invalid_at"].items():
        for allowed in (True, False):
            error = error_of(fragjson.loads, text, allow_partial=allowed)
            assert type(error) is MalformedJSONError
            assert error.stopped_at == stopped_at
    for text in expected["complete"]:
        assert exactly(fragjson.loads(text, allow_partial=False)) == exactly(json.loads(text))


def a_record_is_complete_only_at_its_brace(case: Case) -> None:
    """B085."""
    parser = Parser()
    finished = []
    for fragment in fragments_of(case):
        parser.feed(fragment)
        finished.append([parser.is_complete((0,)), parser.is_complete((1,))])
    assert finished == [[False, False], [True, False], [True, False]]


def the_value_is_live_and_a_snapshot_is_not(case: Case) -> None:
    """B093: the rule is the live object, with ``snapshot()`` for those who keep values."""
    parser = Parser()
    live, kept = [], []
    for fragment in fragments_of(case):
        parser.feed(fragment)
        live.append(parser.value)
        kept.append(parser.snapshot())
    final = {"a": [1, 2, {"b": "xy"}]}
    assert parser.close() == final
    assert all(value is parser.value for value in live)
    assert kept == [{"a": [1]}, {"a": [1, 2, {"b": "x"}]}, final]
    kept[0]["a"].append(99)
    kept[1]["a"][2]["b"] = "changed"
    assert parser.value == final


def control_characters_pass_with_strict_false(case: Case) -> None:
    """B097."""
    expected = case["expected"]["with strict=False"]
    assert expected["complete"] is True
    text = whole(case)
    assert fragjson.loads(text, strict=False, allow_partial=False) == expected["value"]
    for code in range(0x20):
        spelled = f'{{"k": "a{chr(code)}"}}'
        for strict in (True, False):
            error = error_of(Parser(strict=strict).feed, spelled)
            assert type(error) is (MalformedJSONError if strict else type(None))
        assert fragjson.loads(spelled, strict=False) == {"k": "a" + chr(code)}


def a_cut_string_is_kept_with_strict_false(case: Case) -> None:
    """B099."""
    expected = case["expected"]["with strict=False"]
    assert expected["complete"] is False
    text = whole(case)
    assert fragjson.loads(text, strict=False) == expected["value"]
    error = error_of(fragjson.loads, text, strict=False, allow_partial=False)
    assert type(error) is IncompleteJSONError


def one_thread_reads_while_another_feeds(case: Case) -> None:
    """B209."""
    parser = Parser()
    kept = []
    for fragment in fragments_of(case):
        parser.feed(fragment)
        kept.append((parser.snapshot(), exactly(parser.snapshot())))
    assert [exactly(snapshot) for snapshot, _ in kept] == [text for _, text in kept]

    parser = Parser()
    parser.feed('{"rows":[')
    rows_fed = 20_000
    done = threading.Event()
    read = [0]

    def reader() -> None:
        while not done.is_set():
            try:
                read[0] += sum(len(row) for row in parser.value["rows"])
                read[0] += len(parser.value)
            except RuntimeError as error:
                assert "changed size" in str(error)  # noqa: PT017

    thread = threading.Thread(target=reader)
    thread.start()
    try:
        for number in range(rows_fed):
            parser.feed(f'{{"id":{number},"te')
            parser.feed('xt":"abc"},')
        parser.feed("{}]}")
    finally:
        done.set()
        thread.join()
    assert len(parser.close()["rows"]) == rows_fed + 1
    assert read[0] > 0


def growth(action: Callable[[], None], times: int) -> int:
    """Bytes that stay allocated after so many runs of an action that has run before."""
    for _ in range(100):
        action()
    tracemalloc.start()
    try:
        action()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            action()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


IN_WORDS: dict[str, Callable[[Case], None]] = {
    "B027": objects_begun_before_an_error_are_released,
    "B031": an_empty_text_has_no_value,
    "B059": each_malformed_number_is_refused_at_its_fault,
    "B061": ten_million_brackets_raise_a_depth_error_and_leave_nothing_behind,
    "B063": eleven_hundred_levels_are_parsed_if_max_depth_says_so,
    "B065": the_depth_rule_holds_for_parts_nobody_subscribed_to,
    "B067": depth_is_that_of_now_not_of_all_that_was_opened,
    "B068": a_string_fed_letter_by_letter_is_not_copied_at_each_letter,
    "B070": many_rows_are_not_rebuilt_when_the_value_is_read,
    "B074": consumed_text_is_released,
    "B076": errors_leak_nothing,
    "B078": object_hooks_run_as_in_json_and_leak_nothing,
    "B081": each_text_is_of_the_class_named,
    "B085": a_record_is_complete_only_at_its_brace,
    "B093": the_value_is_live_and_a_snapshot_is_not,
    "B097": control_characters_pass_with_strict_false,
    "B099": a_cut_string_is_kept_with_strict_false,
    "B209": one_thread_reads_while_another_feeds,
}
WORDS = ("final_check", "also", "also_ok", "with strict=False", "incomplete", "invalid_at")
IN_WORDS_ONLY = {"B067", "B068", "B070", "B074", "B076", "B081"}
ON_PARSER = [i for i, case in CASES.items() if case["level"] == "parser" and i not in IN_WORDS_ONLY]
ON_LOADS = [i for i, case in CASES.items() if case["level"] == "loads" and i not in IN_WORDS_ONLY]


@pytest.mark.parametrize("case_id", ON_PARSER)
def test_case_on_the_parser(case_id: str) -> None:
    case = CASES[case_id]
    run_on_parser(case)
    if len(whole(case)) <= SMALL:
        run_on_every_fragmentation(case)


@pytest.mark.parametrize("case_id", ON_LOADS)
def test_case_on_loads(case_id: str) -> None:
    case = CASES[case_id]
    run_on_loads(case)
    if len(whole(case)) <= SMALL:
        run_on_every_fragmentation(case)


@pytest.mark.parametrize("case_id", IN_WORDS)
def test_case_in_words(case_id: str) -> None:
    IN_WORDS[case_id](CASES[case_id])


def test_no_case_is_left_over() -> None:
    assert len(CASES) == 50
    assert {*ON_PARSER, *ON_LOADS, *IN_WORDS} == set(CASES)
    in_words = {i for i, case in CASES.items() if any(key in case["expected"] for key in WORDS)}
    assert in_words <= set(IN_WORDS)
