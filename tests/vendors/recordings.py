"""Streams of all vendors, and what their calls have to come out as.

``RECORDINGS`` are real ones. They are third-party material and stay outside the project, in a
folder beside it; where that folder is absent there are none. ``OWN`` are the small ones that the
project ships.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fragjson.toolcalls import Accumulator, CallStatus, ToolCall

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "streams"
OWN_FOLDER = Path(__file__).parents[1] / "data" / "streams"
ABSENT = f"no recorded streams in {FOLDER}"

VENDORS = {
    "openai-chat": "openai_chat",
    "openai-compat": "openai_chat",
    "azure": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
}
STATUS = {
    "complete": "complete",
    "empty": "complete",
    "truncated": "incomplete",
    "text": "complete",
    "text-truncated": "incomplete",
}
"""The verdict for each kind of text. An empty one that was cut by length would be incomplete."""


@dataclass(frozen=True)
class Recording:
    name: str
    vendor: str
    lines: list[str]
    expected: list[dict[str, Any]]

    @property
    def chunks(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]


def read(path: Path) -> Recording:
    return Recording(
        name=f"{path.parent.name}/{path.stem}",
        vendor=VENDORS[path.parent.name],
        lines=path.read_text("utf-8").splitlines(),
        expected=json.loads(path.with_suffix(".expected.json").read_text("utf-8")),
    )


def read_own(vendor: str) -> Recording:
    path = OWN_FOLDER / f"{vendor}.jsonl"
    calls = json.loads(path.with_suffix(".expected.json").read_text("utf-8"))
    return Recording(
        name=f"own/{vendor}",
        vendor=vendor,
        lines=path.read_text("utf-8").splitlines(),
        expected=[
            {**call, "raw": call["text"], "status": "complete", "kind": "function"}
            for call in calls
        ],
    )


OWN = [read_own(vendor) for vendor in sorted(set(VENDORS.values()))]
RECORDINGS = [read(path) for name in VENDORS for path in sorted((FOLDER / name).glob("*.jsonl"))]


def check(accumulator: Accumulator, recording: Recording) -> None:
    """Assert that the calls are the expected ones, in order, each with one verdict."""
    # Server tools that have no arguments in the protocol may or may not be calls.
    absent = {call["id"] for call in recording.expected if call["status"] == "absent"}
    wanted = [call for call in recording.expected if call["id"] not in absent or not call["id"]]
    calls = [call for call in accumulator.calls if call.id not in absent or not call.id]
    assert [call.name for call in calls] == [call["name"] for call in wanted]
    for call, want in zip(calls, wanted, strict=True):
        check_call(call, want)


def check_call(call: ToolCall, want: dict[str, Any]) -> None:
    assert call.id == want["id"]
    assert call.text == want["raw"]
    assert call.status == STATUS[want["status"]]
    text_call = want["status"] in ("text", "text-truncated")
    assert call.format == ("text" if text_call else "json")
    if call.status is CallStatus.COMPLETE:
        # No text, or a bare null, with a word of success: no arguments.
        arguments = want["raw"] if text_call else want["arguments"]
        assert call.arguments == ({} if arguments is None else arguments)
    if want["kind"] in ("function", "custom"):
        assert not call.server_side
    elif want["kind"] in ("server", "mcp") or want["kind"].startswith("server:"):
        # What is called a server's tool here can still be ours to run: a local shell.
        assert call.server_side == (want["kind"] != "server:local_shell_call")
