"""The README's loops run as written: the real SDKs, talking to a server on this machine.

The server answers any request with the vendor's small stream of ours (``tests/data/streams``).
"""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from readme import block

STREAMS = Path(__file__).parent / "data" / "streams"
PROSE = '{"port": "Tromsø", "high": ["06:12", "18:40"]}'


def served(path: str, body: str) -> str:
    """The stream that a request gets: which API it is shows in its path."""
    if "json_object" in body:
        pieces = [PROSE[at : at + 4] for at in range(0, len(PROSE), 4)]
        chunk = '{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%s}}]}'
        lines = [chunk % ('"' + piece.replace('"', '\\"') + '"') for piece in pieces]
        return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])
    name = next(
        name
        for part, name in (
            ("chat/completions", "openai_chat"),
            ("responses", "openai_responses"),
            ("messages", "anthropic"),
            ("streamGenerateContent", "gemini"),
        )
        if part in path
    )
    lines = (STREAMS / f"{name}.jsonl").read_text().splitlines()
    events = []
    for line in lines:
        kind = re.match(r'\{"type":"([^"]+)"', line)
        events.append(f"event: {kind[1]}\n" if kind else "")
        events.append(f"data: {line}\n\n")
    return "".join(events)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            answer = served(self.path, body).encode()
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_address[1]}"
    http.shutdown()
    thread.join()
    http.server_close()


def run(code: str, server: str, folder: Path, *arguments: str) -> str:
    (folder / "act.py").write_text(block("def act("))
    (folder / "early.py").write_text(block("def answer("))
    (folder / "loop.py").write_text(code)
    keys = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
    urls = {
        "OPENAI_BASE_URL": f"{server}/v1",
        "ANTHROPIC_BASE_URL": server,
        "GOOGLE_GEMINI_BASE_URL": server,
    }
    environment = os.environ | urls | dict.fromkeys(keys, "test") | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "loop.py", *arguments],
        cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


VENDORS = ["openai_chat", "openai_responses", "anthropic", "gemini"]


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_loop_of_each_vendor_runs_as_written(vendor: str, server: str, tmp_path: Path) -> None:
    printed = run(block(f'Accumulator("{vendor}").stream'), server, tmp_path)
    assert "get_tides ..." in printed
    assert "get_tides: ('port',) is 'Tromsø'" in printed
    assert "run get_tides({'port': 'Tromsø', 'days': 2})" in printed
    assert printed.count("run ") == 2


def test_the_loop_for_structured_output_runs_as_written(server: str, tmp_path: Path) -> None:
    printed = run(block("json_object"), server, tmp_path)
    assert "('port',) Tromsø" in printed
    assert printed.endswith("{'port': 'Tromsø', 'high': ['06:12', '18:40']}\n")


@pytest.mark.parametrize("vendor", VENDORS)
def test_tools_run_early_as_written(vendor: str, server: str, tmp_path: Path) -> None:
    printed = run(block("AsyncAnthropic"), server, tmp_path, vendor)
    assert "get_tides ...\n" in printed
    assert "high water in Tromsø: 06:12, 18:40 (2 days)\n" in printed
    assert "'started': 1, 'hit': 1, 'miss': 0" in printed


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_wrong_type_stops_the_stream_as_written(vendor: str, server: str, tmp_path: Path) -> None:
    wanted = '{"properties": {"days": {"type": "string"}}}'
    code = block("AsyncAnthropic").replace(
        "await source()", f'await source(), {{"get_tides": {wanted}, "write_note": {{}}}}'
    )
    printed = run(code, server, tmp_path, vendor)
    assert "stopped at ('days',): expected string, not number" in printed
    assert "high water" not in printed


def test_a_turn_log_tells_the_next_process_as_written(server: str, tmp_path: Path) -> None:
    first = run(block("TurnLog("), server, tmp_path)
    second = run(block("TurnLog("), server, tmp_path)
    assert (first, second.count("it was run")) == ("", 2)
