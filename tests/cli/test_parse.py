"""``fragjson parse``, and what all commands have in common."""

import subprocess
import sys
from pathlib import Path

import pytest
from terminals import run

from fragjson._cli import main


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing = str(tmp_path / "missing")
    for command in ("replay", "parse"):
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
        (["--help"], ("replay", "parse")),
        (["replay", "--help"], ("--speed", "--vendor", "--json", "--tools", "Exit status: 0 ")),
        (["parse", "--help"], ("--path", "--status", "Exit status: 0 ")),
    ):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
        out = capsys.readouterr().out
        assert [word for word in words if word not in out] == []


CUT = '{"rows": [{"id": 1, "name": "Tromsø"}, {"id": 2, "name": "Bod'


@pytest.mark.parametrize(
    ("text", "status", "out", "err"),
    [
        ('{"a": [1, "é"]} ', 0, '{"a": [1, "é"]}\n', "complete\n"),
        ('{"a": [1, "é', 1, '{"a": [1, "é"]}\n', "incomplete: Unterminated string starting at: "
         "line 1 column 11 (char 10), stopped at 12 in $.a[1]\n"),
        ('{"b c": [1}', 2, '{"b c": [1]}\n', "malformed: Expecting ',' delimiter: "
         "line 1 column 11 (char 10), stopped at 10 in $['b c']\n"
         '{"b c": [1}\n          ^\n'),
        ("", 1, "", "incomplete: Expecting value: line 1 column 1 (char 0), stopped at 0 in $\n"),
        ("12", 0, "12\n", "complete\n"),
        ("null", 0, "null\n", "complete\n"),
        ('"\\u001b[2J\x7f\x9b\u202e"', 0, '"\\u001b[2J\\u007f\\u009b\\u202e"\n', "complete\n"),
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
        ("[1}", 2, "malformed"),
        ("[" * 501, 2, "beyond a limit"),
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


def test_only_drawing_loads_rich() -> None:
    code = "import sys, fragjson._cli; sys.exit('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
