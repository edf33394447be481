"""``fragjson parse``, and what all commands have in common."""

import errno
import io
import json
import math
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from terminals import COMMAND, STREAMS, run

from fragjson._cli import main
from fragjson._cli.fitting import cells
from fragjson._cli.wording import json_text, portable


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing")
    for command in ("replay", "parse", "serve"):
        assert main([command, missing]) == 3
        assert capsys.readouterr().err == f"fragjson: {missing}: No such file or directory\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["replay"], ["replay", "x", "--vendor", "y"], ["eat"], ["parse", "--path", "$..a"],
        ["parse", "--path", "$.a", "--status"],
        *(["replay", "x", "--speed", speed] for speed in ("-1", "nan", "inf", "fast")),
    ],
)  # fmt: skip
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert capsys.readouterr().err.startswith("usage: fragjson")


def test_help_names_every_command_and_status(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["--help"], ("replay", "parse", "serve", "2 wrong", "130 interrupted", "141 who")),
        (["replay", "--help"], ("--speed", "--vendor", "--json", "--tools", "Exit status: 0 ")),
        (["parse", "--help"], ("--path", "--status", "Exit status: 0 ", " 4 malformed", "1e999")),
        (["serve", "--help"], ("--vendor", "--port", "--speed", "Exit status: 0 ")),
    ):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
        out = " ".join(capsys.readouterr().out.split())
        assert [word for word in words if word not in out] == []


CUT = '{"rows": [{"id": 1, "name": "Tromsø"}, {"id": 2, "name": "Bod'


@pytest.mark.parametrize(
    ("text", "status", "out", "err"),
    [
        ('{"a": [1, "é"]} ', 0, '{"a": [1, "é"]}\n', "complete\n"),
        ('{"a": [1, "é', 1, '{"a": [1, "é"]}\n', "incomplete: Unterminated string starting at: "
         "line 1 column 11 (char 10), stopped at 12 in $.a[1]\n"),
        ('{"b c": [1}', 4, '{"b c": [1]}\n', "malformed: Expecting ',' delimiter: "
         "line 1 column 11 (char 10), stopped at 10 in $['b c']\n"
         '{"b c": [1}\n          ^\n'),
        ("", 1, "", "incomplete: Expecting value: line 1 column 1 (char 0), stopped at 0 in $\n"),
        ("12", 0, "12\n", "complete\n"),
        ("null", 0, "null\n", "complete\n"),
        ('"\\u001b[2J\x7f\x9b\u202e"', 0, '"\\u001b[2J\\u007f\\u009b\\u202e"\n', "complete\n"),
        ("[" * 501, 4, None, None),
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


@pytest.mark.parametrize(
    ("text", "path", "status", "out"),
    [
        (CUT, "$.rows[*].name", 1, '"Tromsø"\n"Bod"\n'),
        (CUT, "$.rows[0].id", 1, "1\n"),
        (CUT, "$.rows[*]['id']", 1, "1\n2\n"),
        (CUT, "$.nothing", 1, ""),
        (CUT, "$.rows[0].id.deeper", 1, ""),
        ('{"a": null, "b": [1]}', "$.*", 0, "null\n[1]\n"),
        ("[3, 4]", "$", 0, "[3, 4]\n"),
        ("", "$", 1, ""),
    ],
)
def test_parse_at_a_path(
    text: str, path: str, status: int, out: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "text.json"
    file.write_text(text, "utf-8")
    assert main(["parse", str(file), "--path", path]) == status
    assert capsys.readouterr().out == out


@pytest.mark.parametrize(
    ("text", "status", "word"),
    [
        ("[1]", 0, "complete"),
        ("[1", 1, "incomplete"),
        ("[1}", 4, "malformed"),
        ("[" * 501, 4, "beyond a limit"),
    ],
)
def test_parse_for_the_status_alone(
    text: str, status: int, word: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "text.json"
    file.write_text(text)
    assert main(["parse", str(file), "--status"]) == status
    assert capsys.readouterr() == (f"{word}\n", "")


def test_parse_of_stdin() -> None:
    for arguments in (["parse"], ["parse", "-"]):
        done = run(*arguments, given=b'{"a": "b')
        assert (done.returncode, done.stdout) == (1, b'{"a": "b"}\n')


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("[NaN, Infinity, -Infinity]", "[null, 1e999, -1e999]\n"),
        ("[1e400, -1e400]", "[1e999, -1e999]\n"),
        ("-Infinity", "-1e999\n"),
        (r'{"NaN": "a\"Infinity", "b": "\\\\"}', r'{"NaN": "a\"Infinity", "b": "\\\\"}' + "\n"),
    ],
)
def test_what_is_printed_is_json_for_every_reader(
    text: str, out: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "text.json"
    file.write_text(text)
    assert main(["parse", str(file)]) == 0
    assert capsys.readouterr().out == out


@examples(100)
@given(
    st.recursive(
        st.none() | st.floats() | st.text() | st.sampled_from(["NaN", '"Infinity\\']),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_only_what_json_does_not_have_is_written_otherwise(value: Any) -> None:
    def refused(word: str) -> None:
        raise AssertionError(word)

    without_nan = json.loads(json.dumps(value), parse_constant=lambda word: _CONSTANTS[word])
    assert json.loads(portable(json_text(value)), parse_constant=refused) == without_nan


_CONSTANTS = {"NaN": None, "Infinity": math.inf, "-Infinity": -math.inf}


@pytest.mark.parametrize(
    "text",
    ["[" * 501, "[0, " * 400 + "}", '{"' + "k" * 9000 + '": [}', '{"\x1b\\u001b": ' * 99 + "}"],
)
def test_a_long_path_is_shortened_between_its_ends(
    text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "text.json"
    file.write_text(text.replace("\x1b", ""))
    assert main(["parse", str(file)]) == 4
    (told,) = re.findall(r"stopped at \d+ in (\$.*)", capsys.readouterr().err)
    assert "…" in told
    assert cells(told) <= 60


HAS_SHELL = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")


def in_shell(line: str) -> tuple[int, str, str]:
    """Run a line, with ``fragjson`` for the command; the status, what is printed, what is told."""
    command = f'fragjson() {{ {shlex.join(COMMAND)} "$@"; }}; {line}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


STREAM = shlex.quote(str(STREAMS / "anthropic.jsonl"))


@HAS_SHELL
@pytest.mark.parametrize("command", ["parse", "replay -", "replay --json -"])
def test_a_closed_stdin_cannot_be_read(command: str) -> None:
    told = "fragjson: -: standard input is closed\n"
    assert in_shell(f"fragjson {command} <&-") == (3, "", told)


@HAS_SHELL
@pytest.mark.parametrize("command", ["parse", "replay", "replay --json", "serve"])
def test_a_folder_cannot_be_read(command: str) -> None:
    assert in_shell(f"fragjson {command} /") == (3, "", "fragjson: /: Is a directory\n")


class Failing(io.RawIOBase):
    """A file on a medium that is broken after its first line."""

    def __init__(self) -> None:
        self._pieces = [b'{"choices": []}\n']

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._pieces:
            raise OSError(errno.EIO, "Input/output error")
        piece = self._pieces.pop()
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize("command", [["parse"], ["replay"], ["replay", "--json"]])
def test_an_input_that_fails_in_the_middle(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Failing())))
    assert main([*command, "-"]) == 3
    assert capsys.readouterr().err == "fragjson: -: Input/output error\n"


@HAS_SHELL
@pytest.mark.parametrize(
    ("line", "status", "out", "err"),
    [
        ("echo '[1' | fragjson parse >&-", 1, "", "incomplete: "),
        ("echo '[1' | fragjson parse 2>&-", 1, "[1]\n", ""),
        ("echo '[1' | fragjson parse --status >&- 2>&-", 1, "", ""),
        (f"fragjson replay {STREAM} >&-", 0, "", ""),
        (f"fragjson replay {STREAM} --json >&-", 0, "", ""),
        ("fragjson replay nothing >&-", 3, "", "fragjson: nothing: "),
        ("fragjson replay nothing 2>&-", 3, "", ""),
        ("fragjson serve nothing >&-", 3, "", "fragjson: nothing: "),
        ("fragjson >&-", 2, "", "usage: "),
        ("fragjson 2>&-", 2, "", ""),
    ],
)
def test_an_output_that_is_closed_leaves_the_status(
    line: str, status: int, out: str, err: str
) -> None:
    told = in_shell(line)
    assert told[:2] == (status, out)
    assert told[2].startswith(err)
    assert bool(told[2]) == bool(err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("command", ["parse", "replay", "replay --json"])
def test_an_output_that_cannot_be_written(command: str) -> None:
    told = "fragjson: the output cannot be written: No space left on device\n"
    text = "echo '{\"choices\": []}'"
    assert in_shell(f"{text} | fragjson {command} - > /dev/full") in (
        (5, "", told), (5, "", f"complete\n{told}"),
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("fragjson parse nothing 2>/dev/full", 3),
        ("echo '[1]' | fragjson parse 2>/dev/full", 5),
        ("echo '[1]' | fragjson parse >/dev/full 2>&1", 5),
    ],
)
def test_what_cannot_even_be_told_leaves_the_status(line: str, status: int) -> None:
    assert in_shell(line)[0] == status


def test_only_drawing_loads_rich() -> None:
    code = "import sys, fragjson._cli; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
