"""The vendors' real SDKs, run against a server that says what was recorded, or what we ship.

What the SDKs yield is fed as it comes: their raw streams and their helper streams, which mix the
vendor's events with events of their own.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types as genai_types
from recordings import ABSENT, OWN, RECORDINGS, Recording, check

from fragjson.testing.provider import MockProvider, Playback
from fragjson.toolcalls import Accumulator

with_recordings = pytest.mark.skipif(not RECORDINGS, reason=ABSENT)

MESSAGES: Any = [{"role": "user", "content": "hello"}]


@contextlib.contextmanager
def chat_stream(url: str) -> Iterator[Any]:
    with openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client:
        yield client.chat.completions.create(model="m", messages=MESSAGES, stream=True)


@contextlib.contextmanager
def chat_helper(url: str) -> Iterator[Any]:
    with (
        openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client,
        client.chat.completions.stream(model="m", messages=MESSAGES) as stream,
    ):
        yield stream


@contextlib.contextmanager
def responses_stream(url: str) -> Iterator[Any]:
    with openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client:
        yield client.responses.create(model="m", input="hello", stream=True)


@contextlib.contextmanager
def responses_helper(url: str) -> Iterator[Any]:
    with (
        openai.OpenAI(api_key="none", base_url=url, max_retries=0) as client,
        client.responses.stream(model="m", input="hello") as stream,
    ):
        yield stream


@contextlib.contextmanager
def messages_stream(url: str) -> Iterator[Any]:
    with anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client:
        yield client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True)


@contextlib.contextmanager
def messages_helper(url: str) -> Iterator[Any]:
    with (
        anthropic.Anthropic(api_key="none", base_url=url, max_retries=0) as client,
        client.messages.stream(model="m", max_tokens=9, messages=MESSAGES) as stream,
    ):
        yield stream


@contextlib.contextmanager
def gemini_stream(url: str) -> Iterator[Any]:
    options = genai_types.HttpOptions(base_url=url)
    client = genai.Client(api_key="none", http_options=options)
    yield client.models.generate_content_stream(model="m", contents="hello")
    client.close()


Opened = Callable[[str], contextlib.AbstractContextManager[Any]]
WAYS: dict[str, list[Opened]] = {
    "openai_chat": [chat_stream, chat_helper],
    "openai_responses": [responses_stream, responses_helper],
    "anthropic": [messages_stream, messages_helper],
    "gemini": [gemini_stream],
}
FAILED = "openai-compat/groq-gptoss-error-mid-stream"
UNFINISHED = "openai-compat/openrouter-kimi-k2-id-name-repeated"
HELPER_FAULTS = {
    "openai-compat/anthropic-compat-index-from-1": "takes the index for a place in a list",
    "openai-compat/ollama-llama31-no-index": "takes the index for a place in a list",
    "openai-compat/writer-palmyra-7-calls": "wants the type in every entry",
    "openai-compat/copilot-gpt4o-parallel-zero-arg": "drops chunks that do not name their object",
}
"""Recordings at which the helper stream of the openai package itself fails."""


def every_way() -> Iterator[Any]:
    for recording in OWN + RECORDINGS:
        for way in WAYS.get(recording.vendor, ()):
            name = f"{recording.name}-{way.__name__}"
            why = HELPER_FAULTS.get(recording.name) if way is chat_helper else None
            if recording.name == FAILED:
                continue
            marks = pytest.mark.xfail(strict=True, reason=f"the SDK's helper {why}") if why else ()
            yield pytest.param(recording, way, id=name, marks=marks)


@pytest.mark.parametrize("vendor", ["named", "auto"])
@pytest.mark.parametrize(("recording", "way"), list(every_way()))
def test_streams_of_the_sdk(
    recording: Recording, way: Opened, vendor: str, provider: MockProvider
) -> None:
    provider.play(recording.playback)
    accumulator = Accumulator(
        recording.vendor if vendor == "named" else "auto",
        # The SDK keeps [DONE] to itself, and this one has no other word.
        trust_eof=recording.name == UNFINISHED,
    )
    with way(provider.base_url) as stream, accumulator.stream(stream) as events:
        for _ in events:
            pass
    check(accumulator, recording)
    assert accumulator.outcome.state == "ended"


@with_recordings
def test_a_stream_without_a_word_is_unconfirmed(provider: MockProvider) -> None:
    (recording,) = (r for r in RECORDINGS if r.name == UNFINISHED)
    provider.play(recording.playback)
    accumulator = Accumulator("openai_chat")
    with chat_stream(provider.base_url) as stream, accumulator.stream(stream) as events:
        list(events)
    assert [call.status for call in accumulator.calls] == ["unconfirmed"]


@with_recordings
def test_an_error_of_the_sdk_aborts(provider: MockProvider) -> None:
    """What a raw stream shows as an error chunk, the SDK raises."""
    (recording,) = (r for r in RECORDINGS if r.name == FAILED)
    provider.play(Playback(recording.lines, vendor="openai_chat"))
    accumulator = Accumulator("openai_chat")
    with (
        pytest.raises(openai.APIError, match="validation failed"),
        chat_stream(provider.base_url) as stream,
        accumulator.stream(stream) as events,
    ):
        list(events)
    assert accumulator.outcome.state == "aborted"
    assert "validation failed" in (accumulator.outcome.reason or "")


def test_asynchronous_streams(provider: MockProvider) -> None:
    async def chat(accumulator: Accumulator) -> None:
        async with openai.AsyncOpenAI(
            api_key="none", base_url=provider.base_url, max_retries=0
        ) as client:
            stream = await client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            async with accumulator.astream(stream) as events:
                async for _ in events:
                    pass

    async def messages(accumulator: Accumulator) -> None:
        async with anthropic.AsyncAnthropic(
            api_key="none", base_url=provider.base_url, max_retries=0
        ) as client:
            stream = await client.messages.create(
                model="m", max_tokens=9, messages=MESSAGES, stream=True
            )
            async with accumulator.astream(stream) as events:
                async for _ in events:
                    pass

    for vendor, run in (("openai_chat", chat), ("anthropic", messages)):
        (recording,) = (r for r in OWN if r.vendor == vendor)
        provider.play(recording.playback)
        accumulator = Accumulator(vendor)
        asyncio.run(run(accumulator))
        check(accumulator, recording)
