"""Streams of all vendors, and what their calls have to come out as.

``RECORDINGS`` are real ones. They are third-party material and stay outside the project, in a
folder beside it; where that folder is absent there are none. ``OWN`` are the small ones that the
project ships.
"""

import csv
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fragjson.testing.provider import Playback
from fragjson.toolcalls import Accumulator, CallStatus, ToolCall

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "streams"
OWN_FOLDER = Path(__file__).parents[1] / "data" / "streams"
ABSENT = (
    f"{FOLDER} is not there: the vendors' recorded streams, which are not part of the project; "
    "what is written in the vendors' ways is tested all the same"
)

VENDORS = {
    "openai-chat": "openai_chat",
    "openai-compat": "openai_chat",
    "azure": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "gemini-interactions": "gemini_interactions",
    "bedrock": "bedrock",
    "cohere": "cohere",
    "mistral": "mistral",
    "ollama": "ollama",
    "ag-ui": "ag_ui",
    "vercel-ui": "vercel_ui",
}
RUN_THERE = ("TOOL_CALL_RESULT", "tool-output-", "tool-approval-")
BEGUN_AGAIN = "ag-ui/langgraph-anthropic-id-restarted"
"""Begins calls again when the tools have run, under their ids: here that is the same call."""
STATUS = {
    "complete": "complete",
    "invalid": "invalid",
    "empty": "complete",
    "cut": "incomplete",
    "truncated": "incomplete",
    "text": "complete",
    "text-truncated": "incomplete",
}
"""The verdict for each kind of text; ``cut`` is an empty one in a response that was cut."""


@dataclass(frozen=True)
class Recording:
    name: str
    vendor: str
    lines: list[str]
    expected: list[dict[str, Any]]

    @property
    def done(self) -> bool:
        """Whether the stream ends with ``[DONE]``, which is not one of the lines."""
        return json.loads(self.lines[0]).get("choices") is not None  # OpenAI's chat format

    @property
    def playback(self) -> Playback:
        """What a mock provider sends: all that was sent."""
        return Playback(self.lines + ["[DONE]"] * self.done, vendor=self.vendor)

    @property
    def chunks(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]

    @property
    def run_there(self) -> set[Any]:
        """The ids of calls that the agent runs itself: their results are in the stream, too."""
        return {
            chunk.get("toolCallId")
            for chunk in self.chunks
            if str(chunk.get("type")).startswith(RUN_THERE)
        }


def read(path: Path, finish: str) -> Recording:
    calls = json.loads(path.with_suffix(".expected.json").read_text("utf-8"))
    for call in calls:
        if call["status"] == "empty" and finish in ("length", "max_tokens"):
            call["status"] = "cut"
    return Recording(
        name=f"{path.parent.name}/{path.stem}",
        vendor=VENDORS[path.parent.name],
        lines=path.read_text("utf-8").splitlines(),
        expected=calls,
    )


def read_all() -> list[Recording]:
    if not FOLDER.exists():
        return []
    with (FOLDER / "MANIFEST.tsv").open(encoding="utf-8") as manifest:
        rows = [
            row
            for row in csv.DictReader(manifest, delimiter="\t")
            if row["file"].split("/")[0] in VENDORS
        ]
    found = [read(FOLDER / row["file"], row["finish"]) for row in rows]
    # Groq's are among those who copy OpenAI's format; its own adapter gets them, too.
    groq = [each for each in found if each.name.startswith("openai-compat/groq-")]
    return found + [
        replace(each, vendor="groq", name=each.name.replace("openai-compat", "groq"))
        for each in groq
    ]


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


OWN = [read_own(path.stem) for path in sorted(OWN_FOLDER.glob("*.jsonl"))]
RECORDINGS = read_all()


def check(accumulator: Accumulator, recording: Recording) -> None:
    """Assert that the calls are the expected ones, in order, each with one verdict."""
    # Server tools that have no arguments in the protocol may or may not be calls.
    absent = {call["id"] for call in recording.expected if call["status"] == "absent"}
    wanted = [call for call in recording.expected if call["id"] not in absent or not call["id"]]
    calls = [call for call in accumulator.calls if call.id not in absent or not call.id]
    if recording.name == BEGUN_AGAIN:
        del wanted[1]
    assert [call.name for call in calls] == [call["name"] for call in wanted]
    for call, want in zip(calls, wanted, strict=True):
        check_call(call, want, run_there=want["id"] in recording.run_there)


def check_call(call: ToolCall, want: dict[str, Any], *, run_there: bool) -> None:
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
        assert call.server_side == run_there
    elif want["kind"] in ("server", "mcp") or want["kind"].startswith("server:"):
        # What is called a server's tool here can still be ours to run: a local shell.
        assert call.server_side == (want["kind"] != "server:local_shell_call")
