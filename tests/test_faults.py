"""Whatever breaks in a recorded stream, no call comes out complete with arguments nobody sent.

Each fault of ``fragjson.testing`` is injected into each recorded stream at several places. A call
that comes out ``complete`` must have the arguments that were recorded for it. One exception, by a
rule: where the edited text is itself valid JSON, and the vendor sends neither a snapshot nor a
sequence number that could tell, it must be that text's value. Those are counted apart.
FRAGJSON_HARDER=10 tries ten times as many places; ``python tests/test_faults.py`` prints the
counts.
"""

import base64
import contextlib
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent / "vendors"))

from isolated.running import HARDER
from recordings import ABSENT, RECORDINGS, Recording

from fragjson.paths import parse_path
from fragjson.testing import FAULTS, broken, fragments, is_finish, read_stream, replay
from fragjson.toolcalls import Accumulator, ToolCall

STREAMS = Path(__file__).parent / "data" / "streams"
OWN = [
    Recording(path.stem, path.stem, read_stream(path), json.loads(
        path.with_suffix("").with_suffix(".expected.json").read_text("utf-8")
    ))
    for path in sorted(STREAMS.glob("*.jsonl"))
]  # fmt: skip
PLACES = 12 * HARDER
"""How many places of each stream each fault is tried at."""
DONE = "[DONE]"
CUT_IN_LAST_LINE = "mistral/ministral-truncated"


def lines_of(recording: Recording) -> list[str]:
    return [*recording.lines, DONE] if recording.done else recording.lines


def recorded(recording: Recording) -> list[tuple[str | None, Any]]:
    """Name and arguments of what was sent; the arguments of text calls are their text."""
    found = []
    for call in recording.expected:
        text = str(call.get("status")).startswith("text")
        value = call.get("raw") if text else call["arguments"]
        found.append((call["name"], {} if value is None else value))
    return found


def check(recording: Recording, lines: list[str], accumulator: Accumulator) -> Counter[str]:
    """Count the calls by what they came to; AssertionError for a wrong one that is complete."""
    counts: Counter[str] = Counter()
    sent = recorded(recording)
    for call in accumulator.calls:
        assert call.status != "streaming"
        if call.status != "complete":
            counts[f"not complete: {call.status}"] += 1
            assert call not in accumulator.ready()
        elif (call.name, call.arguments) in sent:
            counts["complete and right"] += 1
        else:
            assert is_of_edited_text(recording, lines, call), (
                f"{call.name}: {call.arguments!r}, text {call.text!r}, notes {call.notes}"
            )
            counts["complete by the rule"] += 1
    return counts


def is_of_edited_text(recording: Recording, lines: list[str], call: ToolCall) -> bool:
    """Whether the stream as it was edited says exactly this, by the plainest reading there is."""
    chunks = [chunk for line in lines if isinstance(chunk := decoded(line), dict)]
    wanted = call.arguments
    return any(
        value == wanted
        for text in PLAIN_READERS[recording.vendor](chunks)
        for value in (text, *([decoded(text)] if isinstance(text, str) else []))
    ) or (wanted == {} and call.text in ("", "null", None))


def decoded(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def glued(pieces: list[tuple[Any, str]]) -> Iterator[str]:
    """The texts of each place joined: all of them, and each stretch that could be one call."""
    for place in {place for place, _ in pieces}:
        own = [text for other, text in pieces if other == place]
        for start in range(len(own)):
            text = ""
            for piece in own[start:]:
                text += piece
                yield text


def plain_chat(chunks: list[Any]) -> Iterator[Any]:
    pieces = []
    for chunk in chunks:
        for choice in listed(chunk.get("choices")):
            delta = choice.get("delta") or {}
            for entry in listed(delta.get("tool_calls")) + listed([delta.get("function_call")]):
                body = entry.get("function") or entry.get("custom") or entry
                text = body.get("arguments") if "arguments" in body else body.get("input")
                if isinstance(text, str):
                    pieces.append(((choice.get("index"), entry.get("index")), text))
                else:
                    yield text
    yield from glued(pieces)


def plain_anthropic(chunks: list[Any]) -> Iterator[Any]:
    pieces = []
    for chunk in chunks:
        text = (chunk.get("delta") or {}).get("partial_json")
        if isinstance(text, str):
            pieces.append((chunk.get("index"), text))
        yield (chunk.get("content_block") or {}).get("input")
    yield from glued(pieces)


GEMINI_CALLS = ("functionCall", "toolCall", "executableCode")
GEMINI_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


def plain_gemini(chunks: list[Any]) -> Iterator[Any]:
    calls: list[Any] = []
    for chunk in chunks:
        for candidate in listed(chunk.get("candidates")):
            for part in listed((candidate.get("content") or {}).get("parts")):
                calls += listed([part.get(name) for name in GEMINI_CALLS])
    for at, called in enumerate(calls):
        yield called.get("args")
        yield {key: value for key, value in called.items() if key in ("code", "language")}
        yield {"code": called.get("code"), "language": called.get("language", "")}
        with contextlib.suppress(Exception):  # a path or a value is what was corrupted
            yield settings_of(calls[at:])


def settings_of(parts: list[Any]) -> Any:
    """What values set by path come to, up to where the vendor's calls end; None if unfinished.

    They end with the part that announces no more, before the next name, and with the stream.
    """
    root: Any = {}
    unfinished: str | None = None
    for number, part in enumerate(parts):
        if number and part.get("name"):
            break
        for setting in listed(part.get("partialArgs")):
            path = setting["jsonPath"]
            if unfinished not in (None, path):
                return None
            value = [setting[name] for name in GEMINI_VALUES if name in setting]
            if not value:
                continue  # of a kind that nobody knows: it is skipped
            put(root, parse_path(path), value[0], unfinished == path)
            unfinished = path if setting.get("willContinue") else None
        if not part.get("willContinue"):
            break
    return None if unfinished else root


def put(here: Any, steps: tuple[Any, ...], value: Any, goes_on: bool) -> None:
    for step, inner in pairwise(steps):
        if isinstance(here, list):
            here += [type({} if isinstance(inner, str) else [])()] * (step == len(here))
            here = here[step]
        else:
            here = here.setdefault(step, {} if isinstance(inner, str) else [])
    last = steps[-1]
    if goes_on:
        here[last] += value
    elif isinstance(here, list):
        here[last:] = [value]
    else:
        here[last] = value


def plain_converse(chunks: list[Any]) -> Iterator[Any]:
    """Of Bedrock: ConverseStream's events, or the events of Anthropic's in their chunks."""
    pieces = []
    for chunk in chunks:
        block = chunk.get("contentBlockDelta") or {}
        text = ((block.get("delta") or {}).get("toolUse") or {}).get("input")
        if isinstance(text, str):
            pieces.append((block.get("contentBlockIndex"), text))
    yield from glued(pieces)
    inner = [
        each["bytes"]
        for each in listed([chunk.get("chunk") for chunk in chunks])
        if "bytes" in each
    ]
    yield from plain_anthropic(listed([decoded(base64.b64decode(each)) for each in inner]))


def plain_cohere(chunks: list[Any]) -> Iterator[Any]:
    pieces = []
    for chunk in chunks:
        message = (chunk.get("delta") or {}).get("message") or {}
        entry = message.get("tool_calls") or {}
        if chunk.get("type") in ("tool-call-start", "tool-call-delta") and "function" in entry:
            text = entry["function"].get("arguments")
            if isinstance(text, str):
                pieces.append((chunk.get("index"), text))
    yield from glued(pieces)


def plain_interactions(chunks: list[Any]) -> Iterator[Any]:
    pieces = []
    for chunk in chunks:
        if chunk.get("event_type") not in ("step.start", "step.delta"):
            continue
        for part in listed([chunk.get("delta"), chunk.get("step")]):
            if isinstance(part.get("arguments"), str):
                pieces.append((chunk.get("index"), part["arguments"]))
            else:
                yield part.get("arguments")
    yield from glued(pieces)


def plain_live(chunks: list[Any]) -> Iterator[Any]:
    for chunk in chunks:
        for called in listed((chunk.get("toolCall") or {}).get("functionCalls")):
            yield called.get("args")


def plain_mistral(chunks: list[Any]) -> Iterator[Any]:
    events = [
        chunk
        for chunk in chunks
        if isinstance(chunk.get("arguments"), str)
        and str(chunk.get("type")).startswith(("function.call.", "tool.execution."))
    ]
    for mark in ("id", "tool_call_id", "output_index"):
        yield from glued([(event.get(mark), event["arguments"]) for event in events])
    yield from plain_chat(chunks)


def plain_ollama(chunks: list[Any]) -> Iterator[Any]:
    for chunk in chunks:
        for entry in listed((chunk.get("message") or {}).get("tool_calls")):
            yield (entry.get("function") or {}).get("arguments")


def plain_responses(chunks: list[Any]) -> Iterator[Any]:
    """The vendor's snapshots only: what the fragments say is not to be believed against them."""
    for chunk in chunks:
        items = [chunk, chunk.get("item"), *listed((chunk.get("response") or {}).get("output"))]
        for item in listed(items):
            for field in ("arguments", "input", "code", "action", "operation", "queries"):
                yield item.get(field)
                yield {field: item.get(field)}


def plain_ag_ui(chunks: list[Any]) -> Iterator[Any]:
    written = [c for c in chunks if c.get("type") in ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK")]
    yield from glued([(c.get("toolCallId"), c["delta"]) for c in written if is_text(c, "delta")])


def plain_vercel(chunks: list[Any]) -> Iterator[Any]:
    """The whole input; of calls that have none, what the fragments say."""
    whole = {chunk.get("toolCallId") for chunk in chunks if "input" in chunk}
    said = [
        (c.get("toolCallId"), c["inputTextDelta"]) for c in chunks if is_text(c, "inputTextDelta")
    ]
    yield from glued([piece for piece in said if piece[0] not in whole])
    for chunk in chunks:
        yield chunk.get("input")


def plain_langchain(chunks: list[Any]) -> Iterator[Any]:
    entries = [entry for chunk in chunks for entry in listed(chunk.get("tool_call_chunks"))]
    yield from glued([(e.get("index"), e["args"]) for e in entries if is_text(e, "args")])


def is_text(members: Any, name: str) -> bool:
    return isinstance(members.get(name), str)


def listed(value: Any) -> list[Any]:
    return [each for each in value or () if isinstance(each, dict)]


PLAIN_READERS = {
    "ag_ui": plain_ag_ui,
    "anthropic": plain_anthropic,
    "bedrock": plain_converse,
    "cohere": plain_cohere,
    "gemini": plain_gemini,
    "gemini_interactions": plain_interactions,
    "gemini_live": plain_live,
    "groq": plain_chat,
    "langchain": plain_langchain,
    "mistral": plain_mistral,
    "ollama": plain_ollama,
    "openai_chat": plain_chat,
    "openai_realtime": plain_responses,
    "openai_responses": plain_responses,
    "vercel_ui": plain_vercel,
}


def break_all(recording: Recording, fault: str, places: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    lines = lines_of(recording)
    for seed in range(places):
        edited = broken(lines, fault, seed)
        accumulator = replay(edited, recording.vendor)
        try:
            found = check(recording, edited, accumulator)
        except AssertionError as error:
            raise AssertionError(f"{recording.name}, {fault}, seed {seed}: {error}") from None
        counts += found
        counts["streams broken"] += 1
    return counts


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("recording", OWN, ids=lambda recording: recording.name)
def test_faults_in_our_own_streams(recording: Recording, fault: str) -> None:
    break_all(recording, fault, PLACES)


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_in_recorded_streams(fault: str) -> None:
    for recording in RECORDINGS:
        break_all(recording, fault, PLACES)


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
def test_without_a_word_of_the_vendor_nothing_is_complete() -> None:
    # Where the next call ends the one before, that is a word, too; Ollama's calls come closed.
    calls_end_calls = ("gemini/", "ollama/", "ag-ui/llamaindex-openai-chunk")
    for recording in RECORDINGS:
        if not recording.name.startswith(calls_end_calls):
            calls = replay(broken(lines_of(recording), "lose_finish"), recording.vendor).calls
            assert [call for call in calls if call.status == "complete"] == []


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
@pytest.mark.parametrize("fault", ["stall", "duplicate_finish"])
def test_faults_that_change_nothing(fault: str) -> None:
    for recording in RECORDINGS:
        if recording.vendor == "gemini" and fault == "duplicate_finish":
            continue  # its last line can hold a call without an id, which then is another call
        if recording.name == CUT_IN_LAST_LINE and fault == "duplicate_finish":
            continue  # and this one a piece of text, which then is there twice
        lines = lines_of(recording)
        right = [(c.name, c.status, c.text) for c in replay(lines, recording.vendor).calls]
        for seed in range(5):
            calls = replay(broken(lines, fault, seed), recording.vendor).calls
            assert [(c.name, c.status, c.text) for c in calls] == right, (recording.name, seed)


# The kit itself


def test_faults_leave_the_stream_alone_and_are_the_same_for_a_seed() -> None:
    lines = OWN[0].lines
    before = list(lines)
    for fault in FAULTS:
        assert broken(lines, fault, 7) == broken(lines, fault, 7)
        assert lines == before
    assert {fault for fault in FAULTS if broken(lines, fault, 7) == lines} <= {"reorder"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_stream_of_no_line_or_one_can_have_any_fault(fault: str) -> None:
    for lines in ([], [""], [DONE]):
        for seed in range(9):
            assert len(broken(lines, fault, seed)) <= len(lines) + 9  # keep-alives


def test_fragments_are_the_whole() -> None:
    rng = random.Random(1)
    for seed in range(200):
        text = "aé水😀"[seed % 4] * rng.randrange(50)
        assert "".join(fragments(text, seed)) == text
        assert b"".join(fragments(text.encode(), seed)) == text.encode()


def test_lines_that_finish() -> None:
    for recording in OWN:
        assert any(map(is_finish, recording.lines)), recording.name


def main() -> None:
    total: Counter[str] = Counter()
    places = int(sys.argv[1]) if len(sys.argv) > 1 else PLACES
    for fault in FAULTS:
        counts: Counter[str] = Counter()
        for recording in [*OWN, *RECORDINGS]:
            counts += break_all(recording, fault, places)
        print(fault, dict(sorted(counts.items())))
        total += counts
    print(f"{len(OWN) + len(RECORDINGS)} streams, {len(FAULTS)} faults, {places} places each:")
    print(dict(sorted(total.items())), "wrong and complete: 0", sep="\n")


if __name__ == "__main__":
    main()
