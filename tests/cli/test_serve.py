"""``fragjson serve``, as a process that others talk to."""

import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from fragjson._cli import main

STREAMS = Path(__file__).parents[1] / "data" / "streams"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
def test_a_stream_is_played_until_interrupted() -> None:
    stream = STREAMS / "openai_chat.jsonl"
    command = [sys.executable, "-m", "fragjson", "serve", str(stream), "--speed", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            url = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert url is not None
            variables = [process.stdout.readline() for _ in range(2)]
            assert f"export OPENAI_BASE_URL={url[0]}/v1\n" in variables
            body = b'{"model": "m", "messages": [], "stream": true}'
            with urlopen(Request(f"{url[0]}/v1/chat/completions", body)) as answer:
                sent = answer.read().decode().split()
            assert [line for line in sent if line != "data:"] == stream.read_text("utf-8").split()
            assert process.stdout.readline().startswith("POST /v1/chat/completions: ")
            process.send_signal(signal.SIGINT)
            assert process.stdout.read() == "stopped\n"
            assert process.wait(10) == 0
        finally:
            process.kill()  # whatever has failed, it does not stay


def test_what_cannot_be_played_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = tmp_path / "none.jsonl"
    assert main(["serve", str(nothing)]) == 3
    assert str(nothing) in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        main(["serve", str(nothing), "--speed", "-1"])
    assert stop.value.code == 2


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert re.fullmatch(r"fragjson \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)
