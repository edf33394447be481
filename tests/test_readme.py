"""The README's loops run as written: the real SDKs, talking to a mock provider.

It plays the vendor's small stream of ours (``tests/data/streams``).
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from readme import block

from fragjson.testing import read_stream
from fragjson.testing.provider import MockProvider

STREAMS = Path(__file__).parent / "data" / "streams"
PROSE = '{"port": "Tromsø", "high": ["06:12", "18:40"]}'


def run(code: str, stream: Sequence[str], folder: Path, *arguments: str) -> str:
    (folder / "act.py").write_text(block("def act("), "utf-8")
    (folder / "early.py").write_text(block("def answer("), "utf-8")
    (folder / "loop.py").write_text(code, "utf-8")
    with MockProvider(stream) as provider:
        environment = os.environ | provider.environment | {"PYTHONIOENCODING": "utf-8"}
        done = subprocess.run(
            [sys.executable, "-W", "always::ResourceWarning", "loop.py", *arguments],
            cwd=folder, env=environment, capture_output=True, encoding="utf-8",
            check=False, timeout=60,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Everything is closed, but for the idle connections that a client keeps for its next request:
    # these are there until the end. CPython may tell of them then, and from 3.14 on mostly does.
    told = [line for line in done.stderr.splitlines() if "ResourceWarning" in line]
    assert [line for line in told if not line.startswith(("<sys>:0: ", "sys:1: "))] == []
    return done.stdout


def own(vendor: str) -> list[str]:
    return read_stream(STREAMS / f"{vendor}.jsonl")


def content(text: str) -> list[str]:
    """Write a stream of OpenAI's with this text as its message, a few characters in each chunk."""
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    kind = "chat.completion.chunk"
    return [
        json.dumps({"object": kind, "choices": [{"index": 0, "delta": {"content": piece}}]})
        for piece in pieces
    ] + ["[DONE]"]


VENDORS = ["openai_chat", "openai_responses", "anthropic", "gemini"]


@pytest.mark.parametrize("vendor", VENDORS)
def test_the_loop_of_each_vendor_runs_as_written(vendor: str, tmp_path: Path) -> None:
    printed = run(block(f'Accumulator("{vendor}").stream'), own(vendor), tmp_path)
    assert "get_tides ..." in printed
    assert "get_tides: ('port',) is 'Tromsø'" in printed
    assert "run get_tides({'port': 'Tromsø', 'days': 2})" in printed
    assert printed.count("run ") == 2


def test_the_loop_for_structured_output_runs_as_written(tmp_path: Path) -> None:
    printed = run(block("json_object"), content(PROSE), tmp_path)
    assert "('port',) Tromsø" in printed
    assert printed.endswith("{'port': 'Tromsø', 'high': ['06:12', '18:40']}\n")


@pytest.mark.parametrize("vendor", VENDORS)
def test_tools_run_early_as_written(vendor: str, tmp_path: Path) -> None:
    printed = run(block("AsyncAnthropic"), own(vendor), tmp_path, vendor)
    assert "get_tides ...\n" in printed
    assert "high water in Tromsø: 06:12, 18:40 (2 days)\n" in printed
    assert "'started': 1, 'hit': 1, 'miss': 0" in printed


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_wrong_type_stops_the_stream_as_written(vendor: str, tmp_path: Path) -> None:
    wanted = '{"properties": {"days": {"type": "string"}}}'
    schemas = f'{{"get_tides": {wanted}, "write_note": {{}}}}'
    code = block("AsyncAnthropic").replace('", source)', f'", source, {schemas})')
    printed = run(code, own(vendor), tmp_path, vendor)
    assert "stopped at ('days',): expected string, not number" in printed
    assert "high water" not in printed


def test_a_turn_log_tells_the_next_process_as_written(tmp_path: Path) -> None:
    first = run(block("TurnLog("), own("openai_chat"), tmp_path)
    second = run(block("TurnLog("), own("openai_chat"), tmp_path)
    assert (first, second.count("it was run")) == ("", 2)
