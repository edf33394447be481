"""Ollama: whole calls in lines, known by their order."""

import json
from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "ollama"


def line(*calls: Any, done: bool = False, **more: Any) -> Any:
    message = {"role": "assistant", "content": "", **({"tool_calls": [*calls]} if calls else {})}
    return {"model": "m", "message": message, "done": done, **more}


def called(name: str, arguments: Any = None, id_: str | None = None, **function: Any) -> Any:
    entry = {"function": {"name": name, "arguments": arguments or {}, **function}}
    return entry if id_ is None else {"id": id_, **entry}


STOP = line(done=True, done_reason="stop")


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_whole_call_is_closed_at_once() -> None:
    accumulator = Accumulator(VENDOR)
    events = accumulator.feed(line(called("f", {"a": [1, {}]}, "c1", index=3)))
    assert events[-1].type == "tool_call_closed"
    (call,) = accumulator.ready()
    assert (call.id, call.index, call.text) == ("c1", 3, None)
    assert (call.arguments, call.reason) == ({"a": [1, {}]}, "whole call")


@pytest.mark.parametrize("index", [{}, {"index": 0}])
def test_calls_stay_apart_without_ids(index: Any) -> None:
    same = called("f", {"a": 1}, **index)
    accumulator = drive(VENDOR, [line(same, same), line(same), STOP])
    assert arguments(accumulator) == [{"a": 1}] * 3
    assert len({call.key for call in accumulator.calls}) == 3


def test_the_same_id_again_is_the_same_call() -> None:
    accumulator = drive(VENDOR, [line(called("f", {"a": 1}, "c1"))] * 2 + [STOP])
    assert [call.duplicates for call in accumulator.calls] == [1]


def test_no_arguments() -> None:
    nothing = {"function": {"name": "g"}}
    assert arguments(drive(VENDOR, [line(called("f"), nothing), STOP])) == [{}, {}]
    # An empty object was sent by the server; that nothing was sent may be because it was cut.
    for reason in ("length", "a new one"):
        cut = line(done=True, done_reason=reason)
        accumulator = drive(VENDOR, [line(called("f"), nothing), cut])
        assert statuses(accumulator) == ["complete", "incomplete"]


@pytest.mark.parametrize(
    ("text", "status"),
    [('{"a":1}', "complete"), ('{"a":', "incomplete"), ("", "complete"), ("{'a'}", "invalid")],
)
def test_arguments_as_text(text: str, status: str) -> None:
    entry = {"function": {"name": "f", "arguments": text}}
    (call,) = drive(VENDOR, [line(entry), STOP]).calls
    assert (call.status, call.text) == (status, text)


@pytest.mark.parametrize("end", [STOP, line(done=True), line(done=True, done_reason="load")])
def test_the_last_line_ends_the_turn(end: Any) -> None:
    accumulator = drive(VENDOR, [line(called("f")), end])
    assert statuses(accumulator) == ["complete"]
    assert accumulator.finish_reason == end.get("done_reason", "done")


def test_error_line() -> None:
    accumulator = drive("auto", [line(called("f")), '{"error":"out of memory"}'])
    assert statuses(accumulator) == ["complete"]
    assert (accumulator.outcome.state, accumulator.outcome.reason) == ("failed", "out of memory")


@pytest.mark.parametrize(
    "other",
    [
        line(),
        {"message": None, "done": False},
        {"message": {"tool_calls": None}, "done": False},
        {"message": {"role": "assistant", "thinking": "x"}, "done": False},
        {},
    ],
)
def test_what_is_no_call(other: Any) -> None:
    assert len(drive(VENDOR, [other, line(called("f")), other, STOP]).ready()) == 1


def test_lines_as_text_and_bytes() -> None:
    lines = [json.dumps(each) + "\n" for each in (line(called("f", {"é": 1})), STOP)]
    for each in (lines, [text.encode() for text in lines], ["", *lines]):
        for vendor in (VENDOR, "auto"):
            assert arguments(drive(vendor, each)) == [{"é": 1}]


def test_tool_result() -> None:
    lines = [line(called("f", {}, "c1"), called("g")), STOP]
    first, second = drive(VENDOR, lines).calls
    tool_result = vendors.ollama.tool_result
    answer = {"role": "tool", "tool_name": "f", "content": "ok", "tool_call_id": "c1"}
    assert tool_result(first, "ok") == answer
    assert tool_result(second, {"t": 1}) == {
        "role": "tool", "tool_name": "g", "content": '{"t": 1}',
    }  # fmt: skip
    assert tool_result(second, "bad", is_error=True)["content"] == '{"error": "bad"}'
