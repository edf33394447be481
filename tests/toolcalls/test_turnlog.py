"""The log of turns: whatever the moment at which a process dies, nothing is lost or run twice."""

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from chat import DONE, begin, chunk, more, whole

from fragjson import loads
from fragjson.toolcalls import Accumulator, CallNotReadyError, ToolCall
from fragjson.toolcalls.turnlog import History, Result, TurnLog, TurnLogError, _json, read

TIMES = iter(range(10**9)).__next__


def log_turn(log: TurnLog, *chunks: Any, end: Any = Accumulator.close) -> Accumulator:
    """Run a turn that is logged as a harness should."""
    accumulator = Accumulator("openai_chat", seen=log.seen)
    for each in chunks:
        for event in accumulator.feed(each):
            log.feed(event)
    for event in end(accumulator):
        log.feed(event)
    log.turn(accumulator.outcome)
    return accumulator


def response(name: str, *entries: Any, finish: str | None = None) -> Any:
    return {**chunk(*entries, finish=finish), "id": name}


def eventful_log(path: Path) -> None:
    """Calls of every status, some dispatched, some with an outcome."""
    with TurnLog(path, clock=TIMES) as log:
        three = [
            begin(i, f"tool_{i}", f'{{"n": {i}, "text": "é\\ud83d \\n{i}"}}') for i in range(3)
        ]
        accumulator = log_turn(log, response("r1", *three, finish="tool_calls"))
        one, two, _ = accumulator.ready()
        log.dispatched(one)
        log.outcome(one, {"found": ["a", None]})
        log.dispatched(two)
        log.outcome(two, "no such file", ok=False)
        accumulator = log_turn(log, response("r2", begin(0, "third"), more("{}"), finish="stop"))
        log.dispatched(accumulator.ready()[0])
        log_turn(log, response("r3", begin(0, "cut"), more('{"a"')), DONE)
        log_turn(log, response("r4", begin(0, "odd"), more("{]")))
        log_turn(log, response("r5", begin(0, "vague"), more("{}")))
        log_turn(log, response("r6", begin(0, "gone"), more('{"a"')), end=Accumulator.abort)
        log_turn(log, response("r7", begin(0, "last"), more('{"z":1}'), finish="stop"))


def short_log(path: Path) -> None:
    """A line of every kind, ready calls and others: short, for it is read once for every byte."""
    with TurnLog(path, clock=TIMES) as log:
        accumulator = log_turn(
            log,
            response("r1", begin(0, "é", '{"a":1}'), begin(1, "g", '{"a":"\\n"}'), finish="stop"),
        )
        log.dispatched(accumulator.ready()[0])
        log.outcome(accumulator.calls[0], [1])
        log_turn(log, response("r2", begin(0), more('{"a"')), DONE)


def known(history: History) -> list[Any]:
    """All that a log tells, for comparing."""
    return [
        [(call.to_record(), history.why_not(call)) for call in history.calls],
        history.dispatched,
        history.results,
        history.turns,
    ]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turns.jsonl"


def test_history_says_of_each_call_whether_it_may_be_run_and_why_not(path: Path) -> None:
    eventful_log(path)
    history = read(path)
    assert [(call.name, history.why_not(call)) for call in history.calls] == [
        ("tool_0", "it was run"),
        ("tool_1", "it was run, and failed"),
        ("tool_2", None),
        ("third", "it was dispatched, and what came of it is not known: it may have run"),
        ("cut", "it is incomplete ([DONE])"),
        ("odd", "it is invalid (eof)"),
        ("vague", "it is unconfirmed (eof)"),
        ("gone", "it is aborted (aborted)"),
        ("last", None),
    ]
    assert [call.arguments for call in history.ready()] == [
        {"n": 2, "text": "é\ud83d \n2"},
        {"z": 1},
    ]
    assert list(history.results.values()) == [
        Result(ok=True, content={"found": ["a", None]}),
        Result(ok=False, content="no such file"),
    ]
    assert [state for state, _ in history.turns] == [*["ended"] * 5, "aborted", "ended"]
    for call in history.calls:
        if call.status != "complete":
            with pytest.raises(CallNotReadyError):
                _ = call.arguments


def test_calls_come_back_as_they_were(path: Path) -> None:
    with TurnLog(path) as log:
        accumulator = log_turn(log, *whole('{"a": [1, 2.5, NaN, 123456789012345678901234567890]}'))
    assert [json.dumps(call.to_record()) for call in read(path).calls] == [
        json.dumps(call.to_record()) for call in accumulator.calls
    ]


def test_server_side_calls_are_not_ready(path: Path) -> None:
    block = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    accumulator = Accumulator("anthropic")
    with TurnLog(path) as log:
        for each in (
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        ):
            for event in accumulator.feed(each):
                log.feed(event)
    history = read(path)
    assert [history.why_not(call) for call in history.calls] == ["the vendor runs it"]


def test_call_that_the_vendor_takes_back_is_not_ready(path: Path) -> None:
    accumulator = Accumulator("openai_chat")
    with TurnLog(path) as log:
        for each in whole("{}"):
            for event in accumulator.feed(each):
                log.feed(event)
        assert len(read(path).ready()) == 1
        accumulator._turn.events = events = []
        accumulator._turn.retract(accumulator._turn.calls[0], "withdrawn")
        for event in events:
            log.feed(event)
    history = read(path)
    assert [history.why_not(call) for call in history.calls] == ["it is aborted (withdrawn)"]


# Torn at every byte


def test_log_cut_at_any_byte_loses_no_whole_line_and_makes_nothing_executable(path: Path) -> None:
    short_log(path)
    data = path.read_bytes()
    places = [at for at in range(len(data)) if data[at : at + 1] == b"\n"]
    at_lines = {}  # what there is to know after each whole line
    for place in (-1, *places):
        path.write_bytes(data[: place + 1])
        at_lines[place] = known(read(path))
    for size in range(len(data) + 1):
        path.write_bytes(data[:size])
        # A line is whole without its newline, too: no beginning of an object is an object.
        last = max(place for place in (-1, *places) if place <= size)
        history = read(path)
        assert known(history) == at_lines[last]
        assert history.torn == data[last + 1 : size]


def test_log_cut_at_any_byte_can_be_gone_on_with(path: Path) -> None:
    short_log(path)
    data = path.read_bytes()
    for size in range(0, len(data) + 1, 7):
        path.write_bytes(data[:size])
        before = read(path)
        with TurnLog(path) as log:
            assert log.seen == before.dispatched
            accumulator = log_turn(
                log, response("r9", begin(0, "after"), more("{}"), finish="stop")
            )
            (call,) = accumulator.ready()
            log.dispatched(call)
        history = read(path)
        assert history.torn == b""
        assert [call.key for call in history.calls] == [
            *(call.key for call in before.calls),
            call.key,
        ]
        assert history.dispatched == before.dispatched | {call.key}


def test_torn_line_in_the_middle_is_an_error_that_names_it(path: Path) -> None:
    eventful_log(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for damage in (lines[2][:40] + b"\n", b"\n", b"\0\0\0\0\n", lines[2][:-1] + lines[2]):
        path.write_bytes(b"".join([*lines[:2], damage, *lines[3:]]))
        for use in (read, TurnLog):
            with pytest.raises(TurnLogError, match=r"turns\.jsonl, line 3: not JSON") as caught:
                use(path)
            assert (caught.value.path, caught.value.line) == (path, 3)


@pytest.mark.parametrize(
    "line",
    [
        "1",
        "[]",
        "{}",
        '{"type": "call", "call": {"name": "f"}}',
        '{"type": "dispatched", "key": ["a"]}',
        '{"type": "outcome", "key": ["a", null, "b"]}',
        '{"type": "other"}',
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_whole_line_that_is_no_line_of_a_log_is_an_error_also_at_the_end(
    line: str, end: str, path: Path
) -> None:
    path.write_text(line + end)
    with pytest.raises(TurnLogError, match=r"line 1: no line of a log"):
        read(path)


# Once


def test_restart_does_not_offer_what_was_dispatched(path: Path) -> None:
    stream = [response("r1", begin(0), begin(1), more("{}", 0), more("{}", 1), finish="stop")]
    with TurnLog(path) as log:
        accumulator = log_turn(log, *stream)
        log.dispatched(accumulator.ready()[0])
        assert [call.id for call in accumulator.ready()] == ["c1"]
    with TurnLog(path) as log:  # another process, to which the vendor sends the same again
        assert [call.id for call in log.history.ready()] == ["c1"]
        accumulator = log_turn(log, *stream)
        assert [call.id for call in accumulator.ready()] == ["c1"]
        for call in accumulator.calls[:1], log.history.calls[:1]:
            with pytest.raises(RuntimeError, match="was dispatched before"):
                log.dispatched(*call)
    assert len(read(path).calls) == 2


def test_only_complete_calls_are_dispatched(path: Path) -> None:
    with TurnLog(path) as log:
        accumulator = log_turn(log, response("r1", begin(0), more("{")))
        with pytest.raises(CallNotReadyError):
            log.dispatched(accumulator.calls[0])
        assert log.seen == set()


def test_outcome_counts_as_dispatched(path: Path) -> None:
    with TurnLog(path) as log:
        accumulator = log_turn(log, *whole("{}"))
        (call,) = accumulator.calls
        log.outcome(call, None)
        assert accumulator.ready() == []
    assert read(path).dispatched == {call.key}
    assert read(path).ready() == []


def test_outcome_that_json_cannot_say_writes_nothing(path: Path) -> None:
    with TurnLog(path) as log:
        accumulator = log_turn(log, *whole("{}"))
        size = path.stat().st_size
        with pytest.raises(TypeError):
            log.outcome(accumulator.calls[0], object())
        assert path.stat().st_size == size
        assert len(accumulator.ready()) == 1


def test_calls_of_a_cancelled_turn_have_a_line_too(path: Path) -> None:
    with TurnLog(path) as log:
        accumulator = Accumulator("openai_chat")
        with accumulator.stream([response("r1", begin(0), more('{"a":1'))]) as events:
            for event in events:
                log.feed(event)
                break
        log.turn(accumulator.outcome)
    history = read(path)
    assert [call.partial for call in history.calls] == [{}]
    assert history.turns == [("aborted", "the consumer stopped")]


def test_each_turn_has_its_own_lines(path: Path) -> None:
    with TurnLog(path) as log:
        for _ in range(2):  # of a server that gives every response one name, and one call one id
            accumulator = Accumulator("openai_chat")
            for each in whole("{}"):
                accumulator.feed(each)
            log.turn(accumulator.outcome)
    kinds = [loads(line)["type"] for line in path.read_bytes().splitlines()]
    assert kinds == ["call", "turn"] * 2


# The file


def test_each_line_is_one_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    synced: list[int] = []
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: written.append(data) or real(fd, data))
    monkeypatch.setattr(os, "fsync", synced.append)
    with TurnLog(path, fsync=True) as log:
        log_turn(log, *whole("{}"))
    assert len(written) == len(synced) == 2
    assert all(data.endswith(b"\n") and data.count(b"\n") == 1 for data in written)


def test_full_disk_leaves_no_torn_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    with TurnLog(path) as log:
        log_turn(log, *whole("{}"))
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:20]))
        with pytest.raises(OSError, match="only 20 of") as caught:
            log.dispatched(read(path).calls[0])
        assert caught.value.errno == errno.ENOSPC
        assert path.read_bytes() == before
        assert log.seen == set()
        monkeypatch.undo()
        log.dispatched(read(path).calls[0])
    assert len(read(path).dispatched) == 1


def test_threads_may_share_it(path: Path) -> None:
    with TurnLog(path) as log:

        def work(number: int) -> None:
            for turn in range(20):
                name = f"r{number}-{turn}"
                accumulator = log_turn(log, response(name, begin(0), more("{}"), finish="stop"))
                log.dispatched(accumulator.ready()[0])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    history = read(path)
    assert len(history.calls) == len(history.dispatched) == len(history.turns) == 80


def test_closed_log_and_missing_file(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(path)
    log = TurnLog(path)
    assert (log.history.calls, log.history.torn) == ([], b"")
    log.close()
    log.close()
    with pytest.raises(ValueError, match="the log is closed"):
        log_turn(log, *whole("{}"))


def test_process_that_is_killed_leaves_whole_lines(path: Path) -> None:
    code = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_turnlog import *
with TurnLog({str(path)!r}) as log:
    accumulator = log_turn(log, response("r1", begin(0), more("{{}}"), finish="stop"))
    log.dispatched(accumulator.ready()[0])
    os.kill(os.getpid(), signal.SIGKILL)
"""
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.path]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}
    killed = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert killed.returncode == -9
    history = read(path)
    assert (len(history.calls), len(history.dispatched), history.ready()) == (1, 1, [])


# Deep values


@pytest.mark.parametrize("depth", [3, 1500])
def test_deep_arguments_are_logged(depth: int, path: Path) -> None:
    text = '{"a": ' + "[" * depth + '{"b": [1, "x"], "c": {}}' + "]" * depth + "}"
    with TurnLog(path) as log:
        accumulator = Accumulator("openai_chat", max_depth=2000)
        for each in whole(text):
            for event in accumulator.feed(each):
                log.feed(event)
    (call,) = read(path).ready()
    found, wanted = call.arguments["a"], loads(text, max_depth=2000)["a"]
    for _ in range(depth):
        (found,), (wanted,) = found, wanted
    assert found == wanted


@pytest.mark.parametrize(
    "value",
    [{}, [], {"a": {}, "é": [1, "x", None, {"b": []}]}, ("t", {"u": ()}), "s", [[], [[]]]],
)
def test_writing_without_recursion_is_writing(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted, real = json.dumps(value), json.dumps

    def limited(item: Any) -> str:
        if isinstance(item, dict | list | tuple):
            raise RecursionError
        return real(item)

    monkeypatch.setattr(json, "dumps", limited)
    assert _json(value) == wanted


def test_record_of_a_reloaded_call_can_be_logged_again(path: Path) -> None:
    eventful_log(path)
    calls = read(path).calls
    assert all(
        json.dumps(ToolCall.from_record(loads(_json(call.to_record()))).to_record())
        == json.dumps(call.to_record())
        for call in calls
    )
