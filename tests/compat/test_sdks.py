"""The stream helpers of the openai and anthropic packages give on the shim what they give on jiter.

They parse the growing arguments at each event with ``jiter.from_json``. Here the shim stands in
its place, and every event and every snapshot has to be the same.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import anthropic
import anthropic.lib.streaming
import jiter
import openai
import pydantic
import pytest
from openai.lib.streaming.chat import _completions as openai_chat
from recordings import OWN, RECORDINGS, Recording

from fragjson.compat import jiter as shim
from fragjson.testing.provider import MockProvider, Playback

MESSAGES: Any = [{"role": "user", "content": "hello"}]
LONG = 80
"""Lines of a recording that would take too long: each snapshot is compared as a whole."""
FINE_GRAINED = "fine-grained-tool-streaming-2025-05-14"
ANSWER = json.dumps({"port": "Tromsø", "high": ["06:12", "18:40"], "waves": {"m": 1.25}})


class Answer(pydantic.BaseModel):
    port: str
    high: list[str]
    waves: dict[str, float]


Snapshots = list[dict[str, Any]]


def tools_of(recording: Recording) -> Any:
    """The tools that are called, strict: only then are their arguments parsed."""
    names = dict.fromkeys(call["name"] for call in recording.expected if call["name"])
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    return [
        {"type": "function", "function": {"name": name, "parameters": schema, "strict": True}}
        for name in names
    ]


def chat_helper(url: str, recording: Recording) -> Iterator[dict[str, Any]]:
    structured = {"response_format": Answer} if recording.name == "answer" else {}
    with (
        openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client,
        client.chat.completions.stream(
            model="m", messages=MESSAGES, tools=tools_of(recording), **structured
        ) as stream,
    ):
        for event in stream:
            yield {
                "event": event.to_dict(warnings=False),
                "snapshot": stream.current_completion_snapshot.to_dict(warnings=False),
            }


def responses_helper(url: str, recording: Recording) -> Iterator[dict[str, Any]]:
    with (
        openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client,
        client.responses.stream(model="m", input="hello") as stream,
    ):
        for event in stream:
            yield {"event": event.to_dict(warnings=False)}


def messages_helper(url: str, recording: Recording) -> Iterator[dict[str, Any]]:
    with (
        anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        yield from followed(stream, recording)


def beta_helper(url: str, recording: Recording) -> Iterator[dict[str, Any]]:
    with (
        anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client,
        client.beta.messages.stream(
            model="m", max_tokens=9, messages=MESSAGES, betas=[FINE_GRAINED]
        ) as stream,
    ):
        yield from followed(stream, recording)


def followed(stream: Any, recording: Recording) -> Iterator[dict[str, Any]]:
    for event in stream:
        seen = {
            "event": event.to_dict(warnings=False),
            "snapshot": stream.current_message_snapshot.to_dict(warnings=False),
        }
        if event.type == "text" and recording.name == "answer":
            seen["parsed"] = event.parsed_snapshot()
        yield seen


Helper = Callable[[str, Recording], Iterator[dict[str, Any]]]
HELPERS: dict[str, list[Helper]] = {
    "openai_chat": [chat_helper],
    "openai_responses": [responses_helper],
    "anthropic": [messages_helper, beta_helper],
}


def answers() -> Iterator[Recording]:
    """Structured output as text, three characters at a time."""
    pieces = [ANSWER[at : at + 3] for at in range(0, len(ANSWER), 3)]
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chat = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
        for delta, reason in (
            ({"role": "assistant", "content": ""}, None),
            *(({"content": piece}, None) for piece in pieces),
            ({}, "stop"),
        )
    ]
    own = next(each for each in OWN if each.vendor == "anthropic")
    start, stop = json.loads(own.lines[0]), [json.loads(line) for line in own.lines[-2:]]
    block = {
        "type": "content_block_start",
        "index": 0,
        "content_block": {"type": "text", "text": ""},
    }
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        for piece in pieces
    ]
    messages = [start, block, *deltas, {"type": "content_block_stop", "index": 0}, *stop]
    for vendor, chunks in (("openai_chat", chat), ("anthropic", messages)):
        yield Recording("answer", vendor, [json.dumps(each) for each in chunks], [])


def every_way() -> Iterator[Any]:
    for recording in [*OWN, *answers(), *RECORDINGS]:
        for helper in HELPERS.get(recording.vendor, ()) if len(recording.lines) <= LONG else ():
            name = f"{recording.name}-{recording.vendor}-{helper.__name__}"
            yield pytest.param(recording, helper, id=name)


@contextlib.contextmanager
def in_place_of_jiter(module: Any) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "jiter", module)
        patch.setattr(openai_chat, "from_json", module.from_json)
        for name in ("_types", "_beta_types"):
            patch.setattr(sys.modules[f"anthropic.lib.streaming.{name}"], "jiter", module)
        yield


class Counting(SimpleNamespace):
    """A module's ``from_json``, and how often it was called."""

    def __init__(self, module: Any) -> None:
        super().__init__(module=module, calls=0)

    def from_json(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        return self.module.from_json(*arguments, **options)


def snapshots(helper: Helper, recording: Recording, url: str) -> tuple[Snapshots, str | None]:
    """What came at each event, and with which kind of error it ended, if with one."""
    seen: Snapshots = []
    try:
        # Copies: the SDKs change what they gave before.
        seen.extend(json.loads(json.dumps(each, default=str)) for each in helper(url, recording))
    except Exception as error:  # the SDK's own: some recordings are of failures
        return seen, type(error).__name__
    return seen, None


@pytest.mark.parametrize(("recording", "helper"), list(every_way()))
def test_every_snapshot_is_the_same(
    recording: Recording, helper: Helper, provider: MockProvider
) -> None:
    provider.play(recording.playback)
    results, calls = [], []
    for module in (jiter, shim):
        counting = Counting(module)
        with in_place_of_jiter(counting):
            results.append(snapshots(helper, recording, provider.base_url))
        calls.append(counting.calls)
    (theirs, their_end), (ours, our_end) = results
    assert ours == theirs
    assert our_end == their_end
    assert calls[0] == calls[1]
    if recording in OWN or recording.name == "answer":
        assert our_end is None
        assert bool(calls[1]) == (helper is not responses_helper)


def test_a_call_with_a_comma_missing_is_an_error_and_no_call(provider: MockProvider) -> None:
    """Where jiter takes it for cut, the SDK hands out a call that has lost its other arguments."""
    (own,) = (each for each in OWN if each.vendor == "anthropic")
    lines = [line.replace('romsø\\",', 'romsø\\"') for line in own.lines]
    assert lines != own.lines
    provider.play(Playback(lines, vendor="anthropic"))
    with in_place_of_jiter(jiter):
        seen, end = snapshots(messages_helper, own, provider.base_url)
    assert end is None
    assert [block.get("input") for block in seen[-1]["snapshot"]["content"]][1] == {
        "port": "Tromsø"
    }
    with in_place_of_jiter(shim):
        seen, end = snapshots(messages_helper, own, provider.base_url)
    assert end == "ValueError"  # the SDK's own, which quotes the text


def test_a_program_that_imports_the_sdks_after_the_shim_runs_on_it() -> None:
    program = """
import sys
from fragjson.compat import jiter
sys.modules["jiter"] = jiter
import anthropic.lib.streaming._types, openai.lib.streaming.chat._completions
assert openai.lib.streaming.chat._completions.from_json is jiter.from_json
assert anthropic.lib.streaming._types.jiter is jiter
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
