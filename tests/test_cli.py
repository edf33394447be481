"""The command line: what it prints and the status it exits with."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fragjson._cli import main

STREAMS = Path(__file__).parent / "data" / "streams"
VENDORS = ("anthropic", "gemini", "openai_chat", "openai_responses")


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


def test_replay_prints_as_it_happens() -> None:
    """Each line of the stream is answered before the next one is read."""
    lines = (STREAMS / "anthropic.jsonl").read_text("utf-8").splitlines(keepends=True)
    command = [sys.executable, "-m", "fragjson", "replay", "-", "--vendor", "anthropic"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
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


def test_replay_of_a_cut_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = (STREAMS / "openai_chat.jsonl").read_text("utf-8").splitlines()
    cut = tmp_path / "cut.jsonl"
    cut.write_text("\n".join(lines[:-6]), "utf-8")
    assert main(["replay", str(cut), "--vendor", "openai_chat"]) == 1
    first, second = capsys.readouterr().out.splitlines()[-2:]
    assert first == '#1 unconfirmed (eof): {"port": "Tromsø", "days": 2}'
    assert second.startswith("#2 incomplete (eof; ")


def test_replay_of_a_failing_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = tmp_path / "failing.txt"
    stream.write_text(': comment\n\ndata: {"error": {"message": "Overloaded"}}\n', "utf-8")
    assert main(["replay", str(stream)]) == 1
    assert capsys.readouterr().out == "the stream failed: Overloaded\n"


def test_replay_of_what_is_no_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream = tmp_path / "bad.jsonl"
    stream.write_text('{"choices": []}\n{"choices": [}\n', "utf-8")
    assert main(["replay", str(stream), "--vendor", "openai_chat"]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"fragjson: {stream}, line 2: Expecting value")
    assert error.count("\n") == 1
    stream.write_bytes(b'{"choices": []}\n"\xff"\n')
    assert main(["replay", str(stream), "--vendor", "openai_chat"]) == 3
    assert ", line 2: " in capsys.readouterr().err


def test_replay_of_a_stream_of_nobody_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = tmp_path / "other.jsonl"
    stream.write_text('{"word": "x"}\n', "utf-8")
    assert main(["replay", str(stream)]) == 3
    error = capsys.readouterr().err
    assert error.startswith(f"fragjson: {stream}: vendor: 'auto' knows none that sends a dict with")


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing")
    for command in ("replay", "parse"):
        assert main([command, missing]) == 3
        assert capsys.readouterr().err == f"fragjson: {missing}: No such file or directory\n"


@pytest.mark.parametrize("arguments", [[], ["replay"], ["replay", "x", "--vendor", "y"], ["eat"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("usage: fragjson")


@pytest.mark.parametrize(
    ("text", "status", "out", "err"),
    [
        ('{"a": [1, "é"]} ', 0, '{"a": [1, "é"]}\n', "complete\n"),
        ('{"a": [1, "é', 1, '{"a": [1, "é"]}\n', "incomplete: Unterminated string starting at: "
         "line 1 column 11 (char 10), stopped at 12 in $.a[1]\n"),
        ('{"b c": [1}', 2, '{"b c": [1]}\n', "malformed: Expecting ',' delimiter: "
         "line 1 column 11 (char 10), stopped at 10 in $['b c']\n"),
        ("", 1, "", "incomplete: Expecting value: line 1 column 1 (char 0), stopped at 0 in $\n"),
        ("12", 0, "12\n", "complete\n"),
        ("[" * 501, 2, None, None),
    ],
)  # fmt: skip
def test_parse(
    text: str, status: int, out: str | None, err: str | None, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    file = tmp_path / "text.json"
    file.write_text(text, "utf-8")
    assert main(["parse", str(file)]) == status
    printed = capsys.readouterr()
    assert out is None or printed.out == out
    assert err is None or printed.err == err


def test_parse_of_stdin() -> None:
    for arguments in (["parse"], ["parse", "-"]):
        command = [sys.executable, "-m", "fragjson", *arguments]
        done = subprocess.run(command, input=b'{"a": "b', capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (1, b'{"a": "b"}\n')
