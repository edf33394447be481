"""``fragjson serve``, as a process that others talk to."""

import errno
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn
from urllib.request import Request, urlopen

import pytest

from fragjson import vendors
from fragjson._cli import main
from fragjson.testing import provider
from fragjson.testing.provider import MockProvider
from fragjson.testing.wires import WIRES

STREAMS = Path(__file__).parents[1] / "data" / "streams"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_stream_is_played_until_interrupted(by: signal.Signals) -> None:
    stream = STREAMS / "openai_chat.jsonl"
    command = [sys.executable, "-m", "fragjson", "serve", str(stream), "--speed", "0"]
    in_background = ["sh", "-c", 'trap "" INT; exec "$0" "$@"', *command]  # as shells do it
    with subprocess.Popen(
        in_background, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
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
            process.send_signal(by)
            assert process.stdout.read() == "stopped\n"
            assert process.wait(10) == 0
        finally:
            process.kill()  # whatever has failed, it does not stay


@pytest.fixture
def interrupted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(seconds: float) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(provider, "time", SimpleNamespace(sleep=sleep))


def test_what_cannot_be_read_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = tmp_path / "none.jsonl"
    assert main(["serve", str(nothing)]) == 3
    assert capsys.readouterr().err == f"fragjson: {nothing}: {os.strerror(errno.ENOENT)}\n"


NO_HTTP = {
    "openai_realtime": "they come over a WebSocket",
    "gemini_live": "they come over a WebSocket",
    "langchain": "they are objects inside a program",
    "litellm": "they are objects inside a program",
}


@pytest.mark.parametrize(
    ("text", "options", "why"),
    [
        *(
            (text, [], "no line in it is a chunk that a vendor is known to send")
            for text in ("", "\n", ": ping\n\n", '{"word": "x"}\n', '[{"choices": []}]\n', "?\n")
        ),
        ('{"choices": [', ["--vendor", "openai_chat"], "its first line is no chunk: "),
        ('[\n  {"choices": []}\n]\n', [], "its first line is no chunk: "),
        (
            '[{"choices": []}]\n',
            ["--vendor", "openai_chat"],
            "its first line is no chunk, of which",
        ),
        ("", ["--vendor", "openai_chat"], "its first line is no chunk, of which"),
        *(
            ('{"x": 1}\n', ["--vendor", vendor], f"streams of {vendor} are not played: {why}")
            for vendor, why in NO_HTTP.items()
        ),
    ],
)
@pytest.mark.usefixtures("interrupted_at_once")
def test_what_cannot_be_played_is_said(
    text: str, options: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "stream.jsonl"
    file.write_text(text)
    assert main(["serve", str(file), *options]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"fragjson: {file}: {why}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "file", sorted(STREAMS.glob("*.expected.json")), ids=lambda each: each.name
)
@pytest.mark.usefixtures("interrupted_at_once")
def test_what_is_expected_of_a_stream_is_none(file: Path) -> None:
    assert main(["serve", str(file)]) == 3


@pytest.mark.parametrize("vendor", [name for name in vendors.names() if name not in NO_HTTP])
@pytest.mark.usefixtures("interrupted_at_once")
def test_where_no_variable_leads_there_it_is_said(
    vendor: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "stream.jsonl"
    file.write_text('{"chunk": {}}\n')
    assert main(["serve", str(file), "--vendor", vendor]) == 0
    where, *told, stopped = capsys.readouterr().out.splitlines()
    assert where.startswith(f"{file} is played at http://127.0.0.1:")
    assert stopped == "stopped"
    if vendor in WIRES and WIRES[vendor].environment:
        assert [line for line in told if not line.startswith("export ")] == []
    else:
        assert told[0] == f"no variable leads a client for {vendor} there: give it that address"
        assert [line.split(",")[0] for line in told[1:]] == [
            *(["whatever is asked for"] if vendor not in WIRES else [])
        ]


@pytest.mark.parametrize(
    "option",
    [
        ["--speed", "-1"],
        *(["--port", port] for port in ("99999", "65536", "-1", "x", "1.5", "")),
    ],
)
def test_wrong_options(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["serve", "any", *option])
    assert stop.value.code == 2
    err = capsys.readouterr().err
    assert err.startswith("usage: fragjson serve")
    assert "0 to 65535" in err or option[0] == "--speed"


@pytest.mark.skipif(sys.platform == "win32", reason="a port can be had twice")
def test_a_port_in_use_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with MockProvider() as other:
        port = other.base_url.rpartition(":")[2]
        assert main(["serve", str(STREAMS / "anthropic.jsonl"), "--port", port]) == 3
    assert capsys.readouterr().err == f"fragjson: port {port}: {os.strerror(errno.EADDRINUSE)}\n"


def test_neither_names_nor_requests_do_anything_to_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(seconds: float) -> NoReturn:
        """Ask in place of the wait, and then interrupt."""
        played = r"a\\u202eb\.jsonl is played at http://127\.0\.0\.1:(\d+)"
        (port,) = re.findall(played, capsys.readouterr().out)
        with socket.create_connection(("127.0.0.1", int(port)), timeout=10) as connection:
            connection.sendall(b"GET /\x1b[2J\x9b2J?a=%20 HTTP/1.1\r\nHost: x\r\n")
            connection.sendall(b"Connection: close\r\n\r\n")
            while connection.recv(65536):
                pass
        raise KeyboardInterrupt

    monkeypatch.setattr(provider, "time", SimpleNamespace(sleep=ask))
    file = tmp_path / "a\u202eb.jsonl"
    file.write_bytes((STREAMS / "anthropic.jsonl").read_bytes())
    assert main(["serve", str(file), "--speed", "0"]) == 0
    asked, stopped = capsys.readouterr().out.splitlines()
    assert asked.startswith(r"GET /\u001b[2J\u009b2J?a=%20: refused, 0 of ")
    assert stopped == "stopped"


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert re.fullmatch(r"fragjson \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)
