"""``fragjson replay`` as lines: what it prints and the status it exits with."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from recordings import ABSENT, OWN, RECORDINGS, Recording
from terminals import COMMAND, STREAMS, run

from fragjson import vendors
from fragjson._cli import main, replay
from fragjson.testing import WRITERS
from fragjson.toolcalls import Accumulator

VENDORS = ("anthropic", "gemini", "openai_chat", "openai_responses")
TYPES = {
    "tool_call_started", "tool_call_delta", "field_started", "field_delta", "field_closed",
    "tool_call_closed", "summary",
}  # fmt: skip


@pytest.fixture
def stream(tmp_path: Path) -> Callable[[str | bytes], str]:
    """Writes a stream to a file and returns its name."""

    def write(text: str | bytes) -> str:
        file = tmp_path / "stream.jsonl"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(file)

    return write


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("named", [True, False])
def test_replay(vendor: str, named: bool, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--vendor", vendor] if named else []
    assert main(["replay", str(STREAMS / f"{vendor}.jsonl"), *options]) == 0
    first, second = json.loads((STREAMS / f"{vendor}.expected.json").read_text("utf-8"))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"#1 get_tides ({first['id']})" if first["id"] else "#1 get_tides"
    assert '#1 $.port = "Tromsø"' in lines
    assert '#2 $.lines[0] = "High water at \\"Tromsø\\""' in lines
    ends = [line for line in lines if " complete: " in line]
    assert ends == [
        f"#{place} complete: {json.dumps(call['arguments'], ensure_ascii=False)}"
        for place, call in ((1, first), (2, second))
    ]


def test_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    main(["replay", str(STREAMS / "anthropic.jsonl")])
    blank, headline, *table = capsys.readouterr().out.splitlines()[-5:]
    assert blank == ""
    assert headline.startswith("44 chunks, 2 calls (2 complete), the first after 0.")
    assert headline.endswith(" s, ended (tool_use)")
    rows = [line.split() for line in table]
    assert [row[:5] for row in rows] == [
        ["#", "name", "status", "fragments", "bytes"],
        ["1", "get_tides", "complete", "8", "30"],
        ["2", "write_note", "complete", "20", "100"],
    ]
    assert {line.index("complete") for line in table[1:]} == {table[0].index("status")}


def test_a_repeated_call_is_counted(
    stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    entry = {"index": 0, "id": "c1", "function": {"name": "find", "arguments": '{"a": 1}'}}
    choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": "tool_calls"}
    line = json.dumps({"id": "r", "choices": [choice]}) + "\n"
    assert main(["replay", stream(line * 3)]) == 0
    (row,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("1 "))
    assert row.split()[-1] == "2"


def test_violations_are_told(
    stream: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = tmp_path / "tools.json"
    schema = {"properties": {"port": {"type": "string"}, "days": {"maximum": 1}}}
    tools.write_text(json.dumps({"get_tides": schema, "write_note": {}}))
    arguments = ["replay", str(STREAMS / "anthropic.jsonl"), "--tools", str(tools)]
    assert main(arguments) == 1
    assert "#1 $.days is wrong: 2 is greater than" in (out := capsys.readouterr().out)
    assert "#1 invalid (" in out
    assert main([*arguments, "--json"]) == 1
    events = map(json.loads, capsys.readouterr().out.splitlines())
    (violation,) = (event for event in events if event["type"] == "schema_violation")
    assert (violation["call"], violation["path"], violation["final"]) == (1, ["days"], False)


@pytest.mark.parametrize("text", ["{", '{"find": 3}', "7", None])
def test_tools_that_are_none(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = tmp_path / "tools.json"
    if text is not None:
        tools.write_text(text)
    arguments = ["replay", str(STREAMS / "anthropic.jsonl"), "--tools", str(tools)]
    assert main(arguments) == 3
    assert capsys.readouterr().err.startswith(f"fragjson: {tools}: ")


def test_replay_prints_as_it_happens() -> None:
    """Each line of the stream is answered before the next one is read."""
    lines = (STREAMS / "anthropic.jsonl").read_text("utf-8").splitlines(keepends=True)
    with subprocess.Popen(
        [*COMMAND, "replay", "-", "--vendor", "anthropic"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for line in lines:
            process.stdin.write(line)
            process.stdin.flush()
            if '"toolu_T1"' in line:
                assert process.stdout.readline() == "#1 get_tides (toolu_T1)\n"
        process.stdin.close()
        assert process.stdout.read().count("complete: ") == 2
    assert process.returncode == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupt_aborts_the_calls(as_json: bool) -> None:
    lines = (STREAMS / "anthropic.jsonl").read_text("utf-8").splitlines(keepends=True)
    with subprocess.Popen(
        [*COMMAND, "replay", "-", *(["--json"] if as_json else [])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for line in lines:
            process.stdin.write(line)
            process.stdin.flush()
            if '"toolu_T1"' in line:
                break
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        output, error = process.stdout.read(), process.stderr.read()
    assert (process.returncode, error) == (130, "")
    if as_json:
        aborted, summary = map(json.loads, output.splitlines())
        assert (aborted["type"], aborted["reason"]) == ("tool_call_aborted", "interrupted")
        assert (summary["state"], summary["figures"]["aborted"]) == ("aborted", 1)
    else:
        assert output.startswith("#1 aborted (interrupted): ")
        assert "1 call (1 aborted)" in output


def test_who_reads_no_more_ends_it() -> None:
    command = [*COMMAND, "replay", str(STREAMS / "anthropic.jsonl"), "--speed", "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_replay_of_a_cut_stream(
    stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (STREAMS / "openai_chat.jsonl").read_text("utf-8").splitlines()
    assert main(["replay", stream("\n".join(lines[:-6])), "--vendor", "openai_chat"]) == 1
    first, second = (line for line in capsys.readouterr().out.splitlines() if "(eof" in line)
    assert first == '#1 unconfirmed (eof): {"port": "Tromsø", "days": 2}'
    assert second.startswith("#2 incomplete (eof; ")


def test_a_stream_cut_inside_a_chunk_shows_what_was_there(
    stream: Callable[[bytes], str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = stream((STREAMS / "openai_chat.jsonl").read_bytes()[:2000])
    assert main(["replay", name]) == 3
    out, err = capsys.readouterr()
    assert '#1 aborted (the stream cannot be read): {"port": "Tromsø"}\n' in out
    assert "1 call (1 aborted)" in out
    assert err.startswith(f"fragjson: {name}, line 11: ")


def test_replay_of_a_failing_stream(
    stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = stream(': comment\n\ndata: {"error": {"message": "Overloaded"}}\n')
    assert main(["replay", name]) == 1
    assert capsys.readouterr().out == (
        "the stream failed: Overloaded\n\n1 chunk, 0 calls, failed (Overloaded)\n"
    )
    assert main(["replay", name, "--json"]) == 1
    failed, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert failed.pop("time") >= 0
    assert failed == {"type": "stream_failed", "message": "Overloaded", "code": None}
    assert (summary["state"], summary["reason"]) == ("failed", "Overloaded")


def test_replay_of_what_is_no_stream(
    stream: Callable[[str | bytes], str], capsys: pytest.CaptureFixture[str]
) -> None:
    name = stream('{"choices": []}\n{"choices": [}\n')
    assert main(["replay", name, "--vendor", "openai_chat"]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"fragjson: {name}, line 2: Expecting value")
    assert error.count("\n") == 1
    stream(b'{"choices": []}\n"\xff"\n')
    assert main(["replay", name, "--vendor", "openai_chat"]) == 3
    assert ", line 2: " in capsys.readouterr().err


NOBODYS = [
    ("", [], "there is nothing in it"),
    (": ping\n\n\n", [], "there is nothing in it"),
    ('{"type": "x"}\n' * 3, [], "no vendor is known to send this"),
    ('{"type": "x"}\n', ["--vendor", "gemini"], "no vendor is known to send this"),
    ('{"word": "x"}\n', [], "vendor: 'auto' knows none that sends a dict with word: "),
    (
        (STREAMS / "anthropic.jsonl").read_text("utf-8"),
        ["--vendor", "openai_chat"],
        "vendor: the stream is not 'openai_chat', but 'anthropic'",
    ),
]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(("text", "options", "why"), NOBODYS, ids=lambda case: str(case)[:20])
def test_replay_of_a_stream_of_nobody_known(
    text: str, options: list[str], why: str, as_json: bool, stream: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    name = stream(text)
    assert main(["replay", name, *options, *(["--json"] if as_json else [])]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"fragjson: {name}: {why}")
    assert err.count("\n") == 1


def test_a_stream_without_calls_is_none_of_those(capsys: pytest.CaptureFixture[str]) -> None:
    """Text alone is fine, also where only another vendor's adapter is sure to know it."""
    text = b'{"id": "r", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}\n'
    for vendor in ("auto", "openai_chat", "mistral"):
        done = run("replay", "-", "--vendor", vendor, given=text)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode().split() == ["1", "chunk,", "0", "calls,", "ended"]


def test_lines_for_people_show_the_beginning_of_what_is_long_and_json_all_of_it(
    stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = "潮" * 4000
    name = stream("\n".join(WRITERS["openai_chat"].write(("note", {"text": text, "n": 1}))))
    assert main(["replay", name]) == 0
    lines = capsys.readouterr().out.splitlines()
    (field,) = (line for line in lines if " $.text = " in line)
    (whole,) = (line for line in lines if " complete: " in line)
    assert field.endswith("潮…  (4,000 characters)")
    assert whole.endswith("潮…  (2 members)")
    assert max(map(len, lines)) < 600
    assert main(["replay", name, "--json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert text in [event.get("value") for event in events if event["type"] == "field_closed"]


def test_json_tells_every_event(capsys: pytest.CaptureFixture[str]) -> None:
    path = STREAMS / "openai_chat.jsonl"
    assert main(["replay", str(path), "--json"]) == 0
    text = capsys.readouterr().out
    assert text.isascii()
    lines = [json.loads(line) for line in text.splitlines()]
    accumulator = Accumulator(events={"start", "delta", "end"})
    events = [event for line in path.read_text().splitlines() for event in accumulator.feed(line)]
    events += accumulator.close()
    assert [line["type"] for line in lines] == [*(event.type for event in events), "summary"]
    assert {line["type"] for line in lines} == TYPES
    times = [line["time"] for line in lines]
    assert times == sorted(times)
    assert {line["call"] for line in lines[:-1]} == {1, 2}
    shown: dict[str, dict[str, Any]] = {line["type"]: line for line in lines}
    assert {key: shown["tool_call_started"][key] for key in ("id", "name", "format")} == {
        "id": "call_N2", "name": "write_note", "format": "json",
    }  # fmt: skip
    started = [
        (line["path"], line["json_type"]) for line in lines if line["type"] == "field_started"
    ]
    assert started == [
        (["port"], "string"), (["path"], "string"), (["lines"], "array"),
        (["lines", 0], "string"), (["lines", 1], "string"),
    ]  # fmt: skip
    grown = [line["value"] for line in lines if line["type"] == "field_delta"]
    assert "".join(grown).startswith("Tromsønotes/tides.md")
    closed = {line["call"]: line["record"] for line in lines if line["type"] == "tool_call_closed"}
    assert {call.name for call in accumulator.calls} == {each["name"] for each in closed.values()}
    assert closed[2]["arguments"] == accumulator.calls[1].arguments
    assert shown["summary"]["chunks"] == 37
    assert [call["status"] for call in shown["summary"]["calls"]] == ["complete", "complete"]


@pytest.mark.parametrize("end", ["tool_calls", "length"])
@pytest.mark.parametrize("member", ["m", "m" * 9000])
def test_no_line_for_people_is_long(
    member: str, end: str, stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = {member: "x" * 9000, "rows": [{"a": "x" * 9000}] * 20}
    function = {"name": "write", "arguments": json.dumps(arguments)}
    entry = {"index": 0, "id": "c1", "function": function}
    choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": end}
    name = stream(json.dumps({"id": "r", "choices": [choice]}))
    main(["replay", name])
    assert max(map(len, capsys.readouterr().out.splitlines())) < 1100
    main(["replay", name, "--json"])
    assert json.dumps(arguments) in capsys.readouterr().out


def test_json_is_json_for_every_reader(
    stream: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    function = {"name": "find", "arguments": '{"a": [1e400, NaN, "NaN"]}'}
    entry = {"index": 0, "id": "c1", "function": function}
    choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": "tool_calls"}
    assert main(["replay", stream(json.dumps({"id": "r", "choices": [choice]})), "--json"]) == 0
    out = capsys.readouterr().out
    assert '"arguments": {"a": [1e999, null, "NaN"]}' in out
    for line in out.splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_speed_is_chunks_per_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    def source() -> Iterator[int]:
        for place in range(4):
            now[0] += 0.05  # the source takes its time, too: that is not added
            yield place

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    seen = [(place, now[0]) for place in replay._paced(source(), 4)]
    assert seen == [(place, pytest.approx(100.05 + place / 4)) for place in range(4)]
    now[0] = 0.0
    assert [now[0] for _ in replay._paced(source(), 0)] == pytest.approx([0.05, 0.1, 0.15, 0.2])


@pytest.mark.parametrize("recording", [*OWN, *RECORDINGS], ids=lambda each: each.name)
@pytest.mark.parametrize("named", [True, False])
def test_every_recorded_stream_replays(
    recording: Recording, named: bool, stream: Callable[[str], str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    lines = [*recording.lines, *(["[DONE]"] if recording.done else [])]
    vendor = recording.vendor if named else "auto"
    accumulator = Accumulator(vendor)
    for line in lines:
        accumulator.feed(line)
    accumulator.close()
    name = stream("\n".join(lines))
    status = main(["replay", name, "--vendor", vendor])
    text = capsys.readouterr().out
    calls = accumulator.calls
    whole = all(call.status == "complete" for call in calls) and accumulator.error is None
    assert status == (0 if whole else 1)
    assert f" {len(calls)} call" in text
    assert [call.name for call in calls if call.name] == [
        line.split()[1] for line in text.splitlines() if _starts(line)
    ]
    assert main(["replay", name, "--vendor", vendor, "--json"]) == status
    *events, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert summary["figures"]["calls"] == len(calls)
    records = {event["call"]: event["record"] for event in events if "record" in event}
    assert len(records) == len(calls)
    for place, call in enumerate(calls, start=1):
        expected = json.loads(json.dumps(call.to_record()))
        told = records[place]
        for member in ("id", "name", "status", "reason", "text", "partial", "arguments"):
            assert told.get(member) == expected.get(member)


def _starts(line: str) -> bool:
    """Whether a line is that of a call's start: a number and a name, and nothing but an id."""
    label, *rest = line.split(" ")
    return label[:1] == "#" and label[1:].isdigit() and (
        len(rest) == 1 or (len(rest) == 2 and rest[1].startswith("("))
    )  # fmt: skip


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
def test_the_recordings_are_there() -> None:
    assert {recording.vendor for recording in RECORDINGS} <= set(vendors.names())
