"""Cases from the field at the level of vendor events: streams that other clients got wrong.

Each line of ``data/handed.jsonl`` for a vendor runs here: its events are fed in order and the
calls compared. What a case expects in words is a function below, named in ``IN_WORDS``; which of
several right answers is ours, where a case leaves it to judgement, stands in ``CHOICES`` and is
asserted with it. A key that the runner does not know fails, and so does a case that is left over.
"""

import asyncio
import json
import threading
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from fragjson.toolcalls import (
    Accumulator,
    CallAborted,
    CallClosed,
    CallNotReadyError,
    CallStarted,
    CallStatus,
    FieldClosed,
    ToolCall,
)

Case = dict[str, Any]

VENDORS = {"openai_chat", "openai_responses", "anthropic", "gemini"}
HANDED = Path(__file__).parents[1] / "data" / "handed.jsonl"
ALL = [json.loads(line) for line in HANDED.read_text("utf-8").splitlines()]
CASES: dict[str, Case] = {case["id"]: case for case in ALL if case["level"] in VENDORS}

CHOICES: dict[str, str] = {
    "B111": "a call without an id has id None; its key is unique all the same",
    "B125": "calls are listed in order of arrival, so t_b before t_a",
    "B135": "the same arguments again are a duplicate, counted and not in the text",
    "B144": "'stop' completes pending calls as 'tool_calls' does",
    "B146": "[DONE] without a finish reason is the vendor's word: complete",
    "B159": "a tail after the arguments makes them invalid; partial still shows the value",
    "B163": "a JSON string is the value, not unwrapped; extra needs no flag: it is a str",
    "B170": "cut by length right after the brace: incomplete, and the reason says length",
    "B174": "the earlier call is complete; the finish reason tells of the cut",
    "B197": "a nameless part goes on with the latest call",
    "B199": "an integral double is an int",
    "B201": "skipped indexes and containers of two kinds are invalid",
}
ABORTED = {"incomplete": "aborted", "unconfirmed": "aborted"}


def feed(accumulator: Accumulator, level: str, event: Any) -> list[Any]:
    match event:
        case {"$": "end"} if level == "openai_chat":
            return accumulator.feed("[DONE]") + accumulator.close()
        case {"$": "end"} | {"$": "eof"}:
            return accumulator.close()
        case {"$": "abort"}:
            return accumulator.abort("user")
        case {"$": action}:
            raise AssertionError(f"unknown action {action}")
        case _:
            return accumulator.feed(event)


def run(case: Case, vendor: str) -> tuple[Accumulator, list[list[Any]], list[Any]]:
    """Feed the case; return the events and the value of the first call after each feed."""
    accumulator = Accumulator(vendor)
    events, partials = [], []
    for event in case["events"]:
        events.append(feed(accumulator, case["level"], event))
        partials.append(accumulator.calls[0].partial if accumulator.calls else None)
        partials[-1] = json.loads(json.dumps(partials[-1]))
    if not any("$" in event for event in case["events"]):
        events.append(accumulator.close())
    return accumulator, events, partials


@pytest.mark.parametrize("vendor", ["named", "auto"])
@pytest.mark.parametrize("id_", [id_ for id_, case in CASES.items() if "calls" in case["expected"]])
def test_calls(id_: str, vendor: str) -> None:
    case = CASES[id_]
    accumulator, events, partials = run(case, case["level"] if vendor == "named" else "auto")
    check(case, accumulator, events, partials)
    if case["judgement"]:
        assert id_ in CHOICES
    IN_WORDS.get(id_, lambda accumulator, events: None)(accumulator, events)


def check(
    case: Case, accumulator: Accumulator, events: list[list[Any]], partials: list[Any]
) -> None:
    expected = dict(case["expected"])
    calls = accumulator.calls
    wanted = expected.pop("calls")
    if case["id"] == "B125":
        wanted = wanted[::-1]
    aborted = {"$": "abort"} in case["events"]
    assert len(calls) == len(wanted)
    for call, want in zip(calls, wanted, strict=True):
        check_call(call, want, aborted=aborted)
    flat = [event for batch in events for event in batch]
    over = [event.call for event in flat if isinstance(event, CallClosed | CallAborted)]
    assert sorted(over, key=id) == sorted(calls, key=id), "one verdict each"
    closings = [
        [e.call for e in batch if isinstance(e, CallClosed) and e.call.status == "complete"]
        for batch in events
    ]
    for key, value in expected.items():
        if key == "ready_events":
            assert sum(map(len, closings)) == value
            assert len(accumulator.ready()) == value
        elif key == "ready_after_event":
            assert [len(batch) for batch in closings].index(1) == value
            assert sum(map(len, closings)) == 1
        elif key in ("partials_after_each_event", "partials_after_first_events"):
            shown = [None if value == {"$": "no_value"} else value for value in value]
            assert partials[: len(shown)] == shown
        elif key == "closed_paths":
            assert [list(e.path) for e in flat if isinstance(e, FieldClosed)] == value
        else:
            raise AssertionError(f"{key} is not checked")


def check_call(call: ToolCall, want: Case, *, aborted: bool) -> None:
    want = dict(want)
    status = want.pop("status")
    assert call.status == (ABORTED.get(status, status) if aborted else status)
    if call.status is CallStatus.COMPLETE:
        assert exact(call.arguments) == exact(want["arguments"])
    else:
        with pytest.raises(CallNotReadyError):
            _ = call.arguments
    for key, value in want.items():
        match key:
            case "id" | "name":
                assert getattr(call, key) == value
            case "raw":
                assert call.text == value
            case "preview":
                assert call.partial == value
            case "type" | "thought_signature":
                assert call.extra[key] == value
            case "object":
                assert isinstance(call.arguments, dict) == value
            case "arguments" | "note" | "id_rule":
                pass  # checked above, and in words below
            case _:
                raise AssertionError(f"{key} is not checked")


def exact(value: Any) -> str:
    """Compare with types: an int is no float, an object no string."""
    return json.dumps(value, sort_keys=True)


def of(accumulator: Accumulator, place: int = 0) -> ToolCall:
    return accumulator.calls[place]


def ids_are_none_and_keys_differ(accumulator: Accumulator, _: object) -> None:
    first, second = accumulator.calls
    assert (first.id, second.id) == (None, None)
    assert first.key != second.key


def duplicate_is_counted(accumulator: Accumulator, _: object) -> None:
    assert of(accumulator).duplicates == 1


def fault_at(position: int) -> Callable[[Accumulator, object], None]:
    def assertion(accumulator: Accumulator, _: object) -> None:
        error = of(accumulator).error
        assert error is not None
        assert error.stopped_at == position

    return assertion


def reason_is(reason: str) -> Callable[[Accumulator, object], None]:
    def assertion(accumulator: Accumulator, _: object) -> None:
        assert accumulator.calls[-1].reason == reason
        assert accumulator.finish_reason == reason

    return assertion


def vendor_runs_it(accumulator: Accumulator, _: object) -> None:
    assert of(accumulator).server_side
    assert accumulator.ready() == []


def started_once_named(_: object, events: list[list[Any]]) -> None:
    started = [event for batch in events for event in batch if isinstance(event, CallStarted)]
    assert [event.call.name for event in started] == ["w"]
    assert not [event for batch in events[:2] for event in batch]


def says_what_is_wrong(accumulator: Accumulator, _: object) -> None:
    assert "an array is used as an object" in str(of(accumulator).error) or "item 2" in str(
        of(accumulator).error
    )


IN_WORDS: dict[str, Callable[[Accumulator, Any], None]] = {
    "B111": ids_are_none_and_keys_differ,
    "B127": duplicate_is_counted,
    "B135": duplicate_is_counted,
    "B150": vendor_runs_it,
    "B155": fault_at(10),
    "B157": fault_at(20),
    "B159": fault_at(9),
    "B161": fault_at(0),
    "B170": reason_is("length"),
    "B172": reason_is("max_tokens"),
    "B174": reason_is("length"),
    "B176": reason_is("max_output_tokens"),
    "B201": says_what_is_wrong,
    "B205": started_once_named,
}


def chat_deltas(fragments: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Give each fragment as one arguments delta of one call."""
    yield chat_delta(id="c", function={"name": "write", "arguments": ""})
    for fragment in fragments:
        yield chat_delta(function={"arguments": fragment})


def chat_delta(**entry: Any) -> dict[str, Any]:
    delta = {"tool_calls": [{"index": 0, **entry}]}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def fragments_of_b072(times: int) -> Iterator[str]:
    first, repeated, last = CASES["B072"]["fragments"]
    yield first
    for _ in range(times):
        yield "".join(list(repeated["repeat"]))  # a string of its own each time
    yield last


def test_many_fragments_cost_linear_time_and_memory() -> None:
    """B072: keeping the raw text too must not cost what appending to a string does."""
    times = CASES["B072"]["fragments"][1]["times"]
    per_delta, per_delta_of_few = time_of(times) / times, time_of(times // 10) / (times // 10)
    assert per_delta < 5 * per_delta_of_few  # quadratic: 10 times

    whole = "".join(fragments_of_b072(times))
    accumulator = Accumulator("openai_chat")
    tracemalloc.start()
    for chunk in chat_deltas(fragments_of_b072(times)):
        accumulator.feed(chunk)
    accumulator.feed("[DONE]")
    (call,) = accumulator.calls
    assert call.text == whole
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert call.arguments == json.loads(whole)
    assert peak < 8 * len(whole)  # the fragments themselves are 4 times the text, as strings


def time_of(times: int) -> float:
    best = float("inf")
    for _ in range(3):
        chunks = list(chat_deltas(fragments_of_b072(times)))
        accumulator = Accumulator("openai_chat")
        begin = process_time()
        for chunk in chunks:
            accumulator.feed(chunk)
        best = min(best, process_time() - begin)
    return best


def streams_of_b207() -> tuple[dict[str, list[Any]], dict[str, list[Case]]]:
    case = CASES["B207"]
    return case["streams"], case["expected"]


def test_streams_fed_in_turn_do_not_mix() -> None:
    """B207: no state is shared between accumulators."""
    streams, expected = streams_of_b207()
    accumulators = {name: Accumulator("openai_chat") for name in streams}
    for step in CASES["B207"]["events"]:
        name, place = step[0], int(step[1:])
        feed(accumulators[name], "openai_chat", streams[name][place])
    for name, accumulator in accumulators.items():
        for call, want in zip(accumulator.calls, expected[name], strict=True):
            check_call(call, want, aborted=False)


def test_streams_of_many_tasks_do_not_mix() -> None:
    streams, expected = streams_of_b207()

    async def one(name: str) -> None:
        accumulator = Accumulator("openai_chat")
        for event in streams[name]:
            feed(accumulator, "openai_chat", event)
            await asyncio.sleep(0)
        check_call(of(accumulator), expected[name][0], aborted=False)

    async def all_of_them() -> None:
        await asyncio.gather(*(one("AB"[number % 2]) for number in range(64)))

    asyncio.run(all_of_them())


def test_streams_of_many_threads_do_not_mix() -> None:
    streams, expected = streams_of_b207()
    failures: list[BaseException] = []

    def one(name: str) -> None:
        try:
            for _ in range(50):
                accumulator = Accumulator("openai_chat")
                for event in streams[name]:
                    feed(accumulator, "openai_chat", event)
                check_call(of(accumulator), expected[name][0], aborted=False)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=("AB"[number % 2],)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_every_case_of_a_vendor_runs() -> None:
    ran = {id_ for id_, case in CASES.items() if "calls" in case["expected"]} | {"B072", "B207"}
    assert ran == set(CASES)
    assert {id_ for id_, case in CASES.items() if case["judgement"]} == set(CHOICES)
    assert set(IN_WORDS) <= ran
