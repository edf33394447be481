"""The accumulator's own part: options, readiness, endings, cancelling, and the next turn."""

import contextlib
import gc
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from chat import DONE, begin, chunk, more, whole

from fragjson import LimitExceededError
from fragjson.toolcalls import (
    Accumulator,
    CallAborted,
    CallClosed,
    CallDelta,
    CallNotReadyError,
    CallStarted,
    FieldClosed,
    FieldDelta,
    FieldStarted,
)
from fragjson.toolcalls.call import Timing

VENDOR = "openai_chat"
FIELDS = (FieldStarted, FieldDelta, FieldClosed)


def fed(*chunks: Any, **options: Any) -> Accumulator:
    accumulator = Accumulator(VENDOR, **options)
    for each in chunks:
        accumulator.feed(each)
    return accumulator


def events_of(text: str, **options: Any) -> list[Any]:
    accumulator = Accumulator(VENDOR, **options)
    chunks = [chunk(begin()), *(chunk(more(character)) for character in text)]
    return [event for each in chunks for event in accumulator.feed(each)]


# Options


@pytest.mark.parametrize(
    ("options", "error", "name"),
    [
        ({"vendor": "none"}, ValueError, "vendor"),
        ({"events": {"begin"}}, ValueError, "events"),
        ({"paths": "rows"}, ValueError, "path"),
        ({"max_depth": -1}, ValueError, "max_depth"),
        ({"max_bytes": "9"}, TypeError, "max_bytes"),
        ({"max_string": -2}, ValueError, "max_string"),
        ({"tools": 5}, TypeError, "tools"),
        ({"clock": 1.5}, TypeError, "clock is callable, not float"),
        ({"repair": "json_repair"}, TypeError, "repair is callable, not str"),
        ({"seen": "c0"}, TypeError, "seen is a set, not str"),
        ({"seen": ["c0"]}, TypeError, "seen is a set, not list"),
        ({"trust_eof": "no"}, TypeError, "trust_eof is a bool, not str"),
        ({"trust_eof": None}, TypeError, "trust_eof is a bool, not NoneType"),
    ],
)
def test_wrong_options_are_named(options: Any, error: type[Exception], name: str) -> None:
    with pytest.raises(error, match=name):
        Accumulator(**options)


@pytest.mark.parametrize("options", [{"events": ("start", "end")}, {"paths": ("$.a", "$.b")}])
def test_an_iterator_serves_for_all_calls_of_all_turns(options: dict[str, Any]) -> None:
    once = Accumulator(VENDOR, **{name: iter(value) for name, value in options.items()})
    often = Accumulator(VENDOR, **options)
    for _ in range(2):
        told = []
        for accumulator in (once, often):
            for index in (0, 1):
                accumulator.feed(chunk(begin(index)))
                accumulator.feed(chunk(more('{"a":"x', index)))
            events = accumulator.feed(chunk(more('"', 0), more('","b":1', 1)))
            told.append([(event.type, getattr(event, "path", None)) for event in events])
            accumulator.reset()
        assert told[0] == told[1]
        assert ("field_closed", ("a",)) in told[0]


def test_field_events_are_chosen_in_the_parsers_words() -> None:
    text = '{"a":["x"]}'
    assert {type(event) for event in events_of(text)} == {CallStarted, CallDelta, FieldClosed}
    none = [event for event in events_of(text, events=()) if isinstance(event, FIELDS)]
    assert none == []
    every = [e for e in events_of(text, events={"start", "delta", "end"}) if isinstance(e, FIELDS)]
    assert [(event.type, event.path) for event in every] == [
        ("field_started", ("a",)),
        ("field_started", ("a", 0)),
        ("field_delta", ("a", 0)),
        ("field_closed", ("a", 0)),
        ("field_closed", ("a",)),
    ]


def test_paths_limit_field_events() -> None:
    text = '{"a":{"x":1,"y":2},"b":{"x":3}}'
    for paths in ("$.*.x", ["$.a.x", "$.b.x"], iter(["$.*.x"])):
        closed = [event for event in events_of(text, paths=paths) if isinstance(event, FieldClosed)]
        assert [(event.path, event.value) for event in closed] == [(("a", "x"), 1), (("b", "x"), 3)]


def test_limits_make_a_call_invalid() -> None:
    for options in ({"max_depth": 1}, {"max_bytes": 5}, {"max_string": 2}):
        accumulator = fed(*whole('{"a":["xyz"]}'), **options)
        (call,) = accumulator.calls
        assert call.status == "invalid"
        assert type(call.error).__name__ in ("DepthLimitError", "LimitExceededError")
        assert call.text == '{"a":["xyz"]}'


def test_raw_control_characters_are_accepted_and_noted_unless_strict() -> None:
    text = '{"a":"line\nbreak"}'
    (call,) = fed(*whole(text)).calls
    assert call.arguments == {"a": "line\nbreak"}
    assert call.notes == ["raw control characters in a string were accepted"]
    assert [call.status for call in fed(*whole(text), strict=True).calls] == ["invalid"]
    (call,) = fed(*whole('{\n"a":\t"x"}\n')).calls
    assert call.notes == []


def test_clock_gives_the_timing() -> None:
    times = [0.0]
    accumulator = Accumulator(VENDOR, clock=lambda: times[-1])
    steps = [
        (1.0, chunk({"index": 0, "id": "c0"})),
        (2.0, chunk(begin())),
        (3.0, chunk(more('{"a":'))),
        (4.0, chunk(more("1}"))),
        (5.0, chunk(finish="stop")),
    ]
    for time, each in steps:
        times.append(time)
        accumulator.feed(each)
    (call,) = accumulator.calls
    assert call.timing == Timing(started=1.0, named=2.0, first_delta=3.0, closed=5.0)


# Repair


def test_repair_is_for_malformed_arguments_only() -> None:
    asked = []

    def repair(text: str) -> Any:
        asked.append(text)
        return json.loads(text.replace("'", '"'))

    broken, cut, fine = "{'a':1}", '{"a":', '{"a":1}'
    (call,) = fed(*whole(broken), repair=repair).calls
    assert (call.status, call.arguments, call.text) == ("complete", {"a": 1}, broken)
    assert call.notes[0].startswith("repaired; it was not valid JSON: Expecting property name")
    for text, finish in ((cut, "stop"), (fine, "stop"), (broken, "length"), (broken, "error")):
        fed(*whole(text, finish), DONE, repair=repair)
    fed(*whole(broken, None), repair=repair).close()
    assert asked == [broken]
    assert fed(*whole(broken, "length"), repair=repair).calls[0].status == "invalid"


def test_repair_never_decides_between_two_sets_of_arguments() -> None:
    (call,) = fed(*whole('{"a":1}{"a":2}'), repair=lambda text: {"a": 2}).calls
    assert call.status == "invalid"


def test_repair_that_fails_is_noted() -> None:
    (call,) = fed(*whole("{'}"), repair=json.loads).calls
    assert call.status == "invalid"
    assert call.notes[0].startswith("repair failed: JSONDecodeError")


@pytest.mark.parametrize(
    "text",
    ["{'path': '/tmp/fo", "{'a': {'b': 1}", "{'a': [1}", "{'a': 1", "I cannot do that", "{'a': 1,"],
)
def test_repair_is_not_asked_about_what_may_be_cut_as_well(text: str) -> None:
    """The vendor's word is not enough: some say that all is well of calls that they have cut."""
    (call,) = fed(*whole(text), repair=lambda text: pytest.fail("it was")).calls
    assert (call.status, call.notes) == ("invalid", ["not repaired, since it may be cut as well"])


@pytest.mark.parametrize("text", ["{'a': 1}", "{'a': 1}}", "```json\n{'a': [1]}\n```", "{'a': 1]}"])
def test_repair_is_asked_about_what_ends_as_an_object_does(text: str) -> None:
    (call,) = fed(*whole(text), repair=lambda text: {"a": 1}).calls
    assert (call.status, call.arguments) == ("complete", {"a": 1})


@pytest.mark.parametrize(
    ("repair", "why"),
    [
        (lambda text: "", "arguments are an object, not str"),
        (lambda text: None, "arguments are an object, not NoneType"),
        (lambda text: [{}], "arguments are an object, not list"),
        (lambda text: {"a": {1, 2}}, "No JSON value"),
        (lambda text: {"a": [[[[]]]]}, "Nesting deeper than max_depth"),
        (lambda text: {"a": "x" * 100}, "More than max_bytes"),
    ],
)
def test_what_repair_returns_has_to_be_arguments_within_the_limits(repair: Any, why: str) -> None:
    (call,) = fed(*whole("{'a': 1}"), repair=repair, max_depth=3, max_bytes=50).calls
    assert call.status == "invalid"
    assert call.notes[0].startswith("repair failed: ")
    assert why in call.notes[0]
    json.dumps(call.to_record())


def test_what_repair_returns_is_the_callers_no_more() -> None:
    meant = {"a": [1, (2, 3)]}
    (call,) = fed(*whole("{'a': 1}"), repair=lambda text: meant).calls
    meant["a"].append(4)
    assert call.arguments == {"a": [1, [2, 3]]}


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ('{"a": "' + "x" * 50 + '"}', {"max_bytes": 10}),
        ('{"a": ' + "[" * 50 + "]" * 50 + "}", {"max_depth": 10}),
        ('{"a": "' + "x" * 50 + '"}', {"max_string": 10}),
    ],
)
def test_repair_cannot_lift_a_limit(text: str, limits: Any) -> None:
    (call,) = fed(*whole(text), repair=json.loads, **limits).calls
    assert call.status == "invalid"
    assert "not valid JSON" not in call.correction()
    assert f"{call.error}" in call.correction()


@pytest.mark.parametrize(
    ("use", "given"),
    [
        ("feed", [chunk(finish="stop")]),
        ("feed", [DONE]),
        ("close", []),
        ("abort", []),
        ("reset", []),
    ],
)
def test_repair_cannot_use_the_accumulator(use: str, given: list[Any]) -> None:
    refused = []

    def repair(text: str) -> Any:
        try:
            getattr(accumulator, use)(*given)
        except RuntimeError as error:
            refused.append(str(error))
        return {"a": 1}

    accumulator = Accumulator("openai_chat", repair=repair)
    events = [event for each in whole("{'a': 1}") for event in accumulator.feed(each)]
    assert refused == ["repair cannot use the accumulator that has called it"]
    assert [event.type for event in events].count("tool_call_closed") == 1
    assert accumulator.ready()[0].arguments == {"a": 1}
    assert accumulator.close() == []
    assert accumulator.outcome.state == "ended"


@pytest.mark.parametrize("key", ["c0", ("x",), 5, ("r1", 0, "c0", 1)])
def test_what_is_no_key_is_not_taken_for_one(key: Any) -> None:
    with pytest.raises(TypeError, match=r"seen holds the key of each call, which .* is not"):
        Accumulator("openai_chat", seen={key})
    seen: set[Any] = set()
    accumulator = fed(*whole("{}"), seen=seen)
    seen.add(key)
    with pytest.raises(TypeError, match="seen holds the key of each call"):
        accumulator.ready()


def test_what_is_wrong_is_told_with_the_status_and_shown_in_the_whole_text() -> None:
    accumulator = Accumulator("openai_chat", max_depth=9)
    for each in (chunk(begin()), *(chunk(more(part)) for part in ('{"a"', ": 1", ", 2}"))):
        accumulator.feed(each)
    accumulator.feed(chunk(finish="stop"))
    (call,) = accumulator.calls
    assert call.error is not None
    assert call.error.excerpt == '{"a": 1, 2}\n         ^'
    with pytest.raises(CallNotReadyError, match=r"the call of f is invalid \(Expecting property"):
        _ = call.arguments


def test_text_that_is_no_line_is_told_what_a_chunk_is() -> None:
    with pytest.raises(ValueError, match="Expecting") as caught:
        Accumulator("openai_chat").feed("It is high water")
    assert caught.value.__notes__ == [
        "a chunk that is fed as text is the whole text of one data: line"
    ]


# The user's own clock and set


class SometimesDown(set[Any]):
    """A set that cannot always be asked."""

    down = False

    def __contains__(self, key: object) -> bool:
        if self.down:
            raise ConnectionError("down")
        return super().__contains__(key)


def test_a_set_that_raises_takes_no_close_and_no_word_away() -> None:
    seen = SometimesDown()
    accumulator = Accumulator("openai_chat", seen=seen)
    accumulator.feed(chunk(begin(0, arguments='{"a": 1}'), begin(1, arguments='{"b": 2}')))
    seen.down = True
    with pytest.raises(ConnectionError):
        accumulator.feed(chunk(finish="tool_calls"))
    seen.down = False
    assert accumulator.ready() == []
    assert [type(event) for event in accumulator.close()] == [CallClosed, CallClosed]
    assert [call.status for call in accumulator.ready()] == ["complete", "complete"]


def test_an_end_that_fails_can_be_said_again() -> None:
    seen = SometimesDown()
    accumulator = Accumulator("openai_chat", seen=seen, trust_eof=True)
    accumulator.feed(chunk(begin(0, arguments='{"a": 1}'), begin(1, arguments='{"b": 2}')))
    seen.down = True
    with pytest.raises(ConnectionError):
        accumulator.close()
    assert accumulator.outcome.state == "streaming"
    seen.down = False
    assert [type(event) for event in accumulator.close()] == [CallClosed, CallClosed]
    assert (len(accumulator.ready()), accumulator.outcome.state) == (2, "ended")


@pytest.mark.parametrize("fails_at", range(8))
def test_a_clock_that_raises_makes_no_call_ready_of_whose_end_nobody_was_told(
    fails_at: int,
) -> None:
    ticks = iter(range(100))

    def clock() -> float:
        if (tick := next(ticks)) == fails_at:
            raise OSError("no time")
        return float(tick)

    closed = []
    try:
        accumulator = Accumulator("openai_chat", clock=clock)
    except OSError:
        return
    for each in whole('{"a": 1}'):
        with contextlib.suppress(OSError):
            closed += [event for event in accumulator.feed(each) if isinstance(event, CallClosed)]
        assert set(accumulator.ready()) <= {event.call for event in closed}
    closed += [event for event in accumulator.close() if isinstance(event, CallClosed)]
    assert [event.call for event in closed] == accumulator.calls


# Limits on what is kept


@pytest.mark.parametrize("start", ['{"a": "', "{'a': 1}", '{"a": 1}}', "[1,,"])
def test_limits_bound_the_text_that_is_kept(start: str) -> None:
    accumulator = Accumulator("openai_chat", max_bytes=1000)
    accumulator.feed(chunk(begin(arguments=start)))
    for _ in range(500):
        accumulator.feed(chunk(more("é" * 100)))
    accumulator.feed(chunk(finish="stop"))
    (call,) = accumulator.calls
    assert call.status == "invalid"
    assert "text beyond a limit was not kept" in call.notes
    assert len((call.text or "").encode()) <= 1200


def test_free_text_has_a_limit_that_no_cut_moves() -> None:
    text = "# é漢😀\n" * 20
    for limit in (0, 1, 9, 40, len(text.encode()) - 1):
        shown = text.encode()[:limit].decode(errors="ignore")
        for size in (1, 3, 1000):
            accumulator = Accumulator("openai_chat", max_bytes=limit)
            for at in range(0, len(text), size):
                entry = {"index": 0, "id": "c0", "type": "custom"}
                entry["custom"] = {"name": "run", "input": text[at : at + size]}
                accumulator.feed(chunk(entry))
            accumulator.feed(chunk(finish="stop"))
            (call,) = accumulator.calls
            assert (call.status, call.text) == ("invalid", shown)
            assert isinstance(call.error, LimitExceededError)
            assert call.error.pos == len(shown)


# What the arguments are, and whose


@pytest.mark.parametrize("text", ['"{\\"a\\": 1}"', "[1]", "12", "true", '""'])
def test_arguments_that_are_no_object_are_noted(text: str) -> None:
    (call,) = fed(*whole(text), DONE).calls
    assert (call.status, call.notes) == ("complete", ["the arguments are no object"])


def test_a_call_without_a_name_is_told_as_such() -> None:
    (call,) = fed(chunk(more("{}")), chunk(finish="stop")).calls
    assert call.correction().startswith("A call was not run. It does not name a tool.")


@pytest.mark.parametrize("reason", [None, 5])
def test_the_reason_of_an_abort_is_a_text(reason: Any) -> None:
    accumulator = Accumulator("openai_chat")
    with pytest.raises(TypeError, match="reason is a str, not"):
        accumulator.abort(reason)
    assert accumulator.outcome.state == "streaming"


# Ready once


def test_ready_until_seen() -> None:
    seen: set[Any] = set()
    accumulator = fed(*whole('{"a":1}'), seen=seen)
    (call,) = accumulator.ready()
    assert accumulator.ready() == [call]
    seen.add(call.key)
    assert accumulator.ready() == []
    again = fed(*whole('{"a":1}'), seen=seen)
    assert again.ready() == []
    assert [(call.status, call.duplicates) for call in again.calls] == [("complete", 1)]
    assert call.duplicates == 0


def test_ids_mean_something_only_within_their_response() -> None:
    seen: set[Any] = set()
    for response in ("r1", "r2"):
        accumulator = Accumulator(VENDOR, seen=seen)
        for each in whole("{}"):
            accumulator.feed({**each, "id": response})
        (call,) = accumulator.ready()
        assert call.key == (response, 0, "c0")
        seen.add(call.key)


def test_without_response_ids_turns_of_one_accumulator_are_apart() -> None:
    accumulator = Accumulator(VENDOR)
    keys = set()
    for _ in range(2):
        for each in whole("{}"):
            accumulator.feed({**each, "id": None})
        keys.add(accumulator.ready()[0].key)
        accumulator.reset()
    assert len(keys) == 2


def test_calls_without_ids_have_keys_that_a_replay_gives_again() -> None:
    nameless = [chunk({**begin(arguments="{}"), "id": None}), chunk(finish="stop")]
    assert fed(*nameless).calls[0].key == fed(*nameless).calls[0].key == ("r1", 0, "#0")
    anonymous = [{**each, "id": ""} for each in nameless]
    assert fed(*anonymous).calls[0].key != fed(*anonymous).calls[0].key


# Ending


def test_not_ready_before_the_vendors_word() -> None:
    accumulator = fed(chunk(begin()), chunk(more('{"a":1}')))
    (call,) = accumulator.calls
    assert (call.status, call.partial, accumulator.ready()) == ("streaming", {"a": 1}, [])
    with pytest.raises(CallNotReadyError, match="the call of f is streaming"):
        _ = call.arguments


def test_close_gives_every_verdict_once() -> None:
    accumulator = fed(chunk(begin(0), begin(1)), chunk(more("{", 0), more("{}", 1)))
    assert [type(event) for event in accumulator.close()] == [CallClosed, CallClosed]
    assert [call.status for call in accumulator.calls] == ["incomplete", "unconfirmed"]
    assert accumulator.close() == []
    assert accumulator.abort() == []
    assert accumulator.outcome.state == "ended"


def test_feeding_after_the_end_is_an_error() -> None:
    accumulator = fed()
    accumulator.close()
    with pytest.raises(ValueError, match=r"feed\(\) on a turn that is closed"):
        accumulator.feed(chunk())
    accumulator.reset()
    accumulator.feed(chunk())
    accumulator.abort()
    with pytest.raises(ValueError, match=r"feed\(\) on a turn that is aborted"):
        accumulator.feed(chunk())


def test_abort_touches_only_calls_in_flight() -> None:
    accumulator = fed(*whole('{"a":1}'), chunk(begin(1)), chunk(more("{}", 1)), chunk(begin(2)))
    done, *flying = accumulator.calls
    events = accumulator.abort("the user stopped")
    assert events == [CallAborted(call, "the user stopped") for call in flying]
    assert (done.status, accumulator.ready()) == ("complete", [done])
    assert [call.status for call in flying] == ["aborted", "aborted"]
    assert flying[0].partial == {}
    assert accumulator.abort("again") == []
    assert accumulator.close() == []
    outcome = accumulator.outcome
    assert (outcome.state, outcome.reason) == ("aborted", "the user stopped")
    assert [record["status"] for record in outcome.calls] == ["complete", "aborted", "aborted"]


def test_abort_of_malformed_arguments_is_an_abort() -> None:
    accumulator = fed(chunk(begin()), chunk(more("{a")))
    accumulator.abort()
    assert [call.status for call in accumulator.calls] == ["aborted"]
    assert accumulator.calls[0].error is not None


def test_abort_keeps_text_that_was_held_back() -> None:
    accumulator = fed(chunk(begin()), chunk(more('{"a":')), chunk(more('{"a":[')))
    assert accumulator.calls[0].text == '{"a":'
    accumulator.abort()
    assert accumulator.calls[0].text == '{"a":{"a":['


def test_abort_drops_mentions_that_came_to_nothing() -> None:
    accumulator = fed(chunk({"index": 0, "id": "c0"}))
    assert accumulator.abort() == []
    assert accumulator.calls == []


def test_outcome_while_it_goes_on() -> None:
    accumulator = fed(chunk(begin()))
    assert (accumulator.outcome.state, accumulator.outcome.reason) == ("streaming", None)


def test_reset_starts_the_next_turn() -> None:
    accumulator = fed({"error": {"message": "x"}}, chunk(begin()), events=())
    accumulator.abort()
    accumulator.reset()
    assert (accumulator.calls, accumulator.error, accumulator.finish_reason) == ([], None, None)
    for each in whole('{"a":1}'):
        accumulator.feed(each)
    assert [call.arguments for call in accumulator.ready()] == [{"a": 1}]


def test_auto_decides_again_after_reset() -> None:
    accumulator = Accumulator()
    accumulator.feed(chunk(begin()))
    accumulator.reset()
    accumulator.feed({"candidates": [{"content": {"parts": [{"functionCall": {"name": "g"}}]}}]})
    assert [call.name for call in accumulator.calls] == ["g"]


def test_list_of_calls_is_the_callers_own() -> None:
    accumulator = fed(chunk(begin()))
    accumulator.calls.clear()
    assert len(accumulator.calls) == 1


@pytest.mark.parametrize("vendor", ["openai_chat", "anthropic", "openai_responses", "gemini"])
@pytest.mark.parametrize("end", ["close", "abort", None])
def test_a_turn_leaves_nothing_to_the_garbage_collector(vendor: str, end: str | None) -> None:
    path = Path(__file__).parents[1] / "data" / "streams" / f"{vendor}.jsonl"
    lines = path.read_text("utf-8").splitlines()
    for name in (vendor, "auto"):  # the first round also fills what is kept for good
        gc.collect()
        gc.disable()
        try:
            accumulator = Accumulator(name)
            for line in lines[: len(lines) - 3]:
                accumulator.feed(line)
            if end is not None:
                getattr(accumulator, end)()
            del accumulator
            assert gc.collect() == 0
        finally:
            gc.enable()


# Events


@pytest.mark.parametrize("kind", [FieldStarted, FieldDelta, FieldClosed])
def test_field_events_are_small_records_matched_by_position(kind: Any) -> None:
    event = kind("the call", ("a", 0), value="x")
    match event:
        case FieldStarted(call, path, value) | FieldDelta(call, path, value):
            assert (call, path, value) == ("the call", ("a", 0), "x")
        case FieldClosed(call, path, value):
            assert (call, path, value) == ("the call", ("a", 0), "x")
        case _:
            pytest.fail("did not match")
    assert repr(event) == f"{kind.__name__}(call='the call', path=('a', 0), value='x')"
    assert event == kind("the call", ("a", 0), "x") == pickle.loads(pickle.dumps(event))
    for other in (kind("the call", ("a", 1), "x"), kind("the call", ("a", 0), "y"), "x"):
        assert event != other
    assert [event == each("the call", ("a", 0), "x") for each in FIELDS].count(True) == 1
    assert event.type in ("field_started", "field_delta", "field_closed")


@pytest.mark.parametrize("kind", [CallDelta, *FIELDS])
def test_events_of_fragments_cannot_be_changed(kind: Any) -> None:
    event = kind(*kind.__match_args__)
    for name in kind.__match_args__:
        assert getattr(event, name) == name
        with pytest.raises((AttributeError, TypeError)):
            setattr(event, name, None)
