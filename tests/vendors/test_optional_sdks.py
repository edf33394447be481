"""The SDKs that the tests can do without: each is skipped where it is not installed.

As in ``test_sdk_objects``, they are run against a server that says what was recorded, or what we
ship, and what they yield is fed as it comes.
"""

import contextlib
import functools
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from recordings import OWN, RECORDINGS, Recording, check

from fragjson import vendors
from fragjson.testing.provider import MockProvider, Playback
from fragjson.toolcalls import Accumulator

MESSAGES: Any = [{"role": "user", "content": "hello"}]
UNTOLD = ("groq/groq-gptoss-error-mid-stream",)
"""Recordings of a failure, which the SDK raises."""


@contextlib.contextmanager
def cohere(url: str, recording: Recording) -> Iterator[Any]:
    sdk = pytest.importorskip("cohere")
    with sdk.ClientV2(api_key="none", base_url=url) as client:
        yield client.chat_stream(model="m", messages=MESSAGES)


@contextlib.contextmanager
def mistral(url: str, recording: Recording) -> Iterator[Any]:
    sdk = pytest.importorskip("mistralai.client")
    with sdk.Mistral(api_key="none", server_url=url) as client:
        if recording.name.startswith("own/"):
            with warnings.catch_warnings():  # of what the SDK imports here, from 3.12 on
                warnings.filterwarnings("ignore", r"ast\.", DeprecationWarning)
                conversations = client.beta.conversations
            yield conversations.start_stream(model="m", inputs="hello")
        else:
            yield client.chat.stream(model="m", messages=MESSAGES)


@contextlib.contextmanager
def mistral_data(url: str, recording: Recording) -> Iterator[Any]:
    """What is in the SDK's events, as its documentation has it."""
    with mistral(url, recording) as stream:
        yield (event.data for event in stream)


@contextlib.contextmanager
def groq(url: str, recording: Recording) -> Iterator[Any]:
    sdk = pytest.importorskip("groq")
    with sdk.Groq(api_key="none", base_url=url, max_retries=0) as client:
        yield client.chat.completions.create(model="m", messages=MESSAGES, stream=True)


@contextlib.contextmanager
def ollama(url: str, recording: Recording) -> Iterator[Any]:
    sdk = pytest.importorskip("ollama")
    with contextlib.closing(sdk.Client(host=url)) as client:
        yield client.chat(model="m", messages=MESSAGES, stream=True)


@functools.cache
def bedrock_client(url: str) -> Any:
    return pytest.importorskip("boto3").client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="eu-north-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )


@contextlib.contextmanager
def bedrock(url: str, recording: Recording) -> Iterator[Any]:
    client = bedrock_client(url)
    if "invoke" in recording.name:
        yield client.invoke_model_with_response_stream(modelId="m", body="{}")["body"]
    else:
        message = {"role": "user", "content": [{"text": "hello"}]}
        yield client.converse_stream(modelId="m", messages=[message])["stream"]


@contextlib.contextmanager
def interactions(url: str, recording: Recording) -> Iterator[Any]:
    from google import genai  # noqa: PLC0415 - beside the others

    options = genai.types.HttpOptions(base_url=url)
    client = genai.Client(api_key="none", http_options=options)
    yield client.interactions.create(model="m", input="hello", stream=True)
    client.close()


Opened = Callable[[str, Recording], contextlib.AbstractContextManager[Any]]
WAYS: dict[str, list[Opened]] = {
    "bedrock": [bedrock],
    "cohere": [cohere],
    "gemini_interactions": [interactions],
    "groq": [groq],
    "mistral": [mistral, mistral_data],
    "ollama": [ollama],
}


def every_way() -> Iterator[Any]:
    for recording in OWN + RECORDINGS:
        for way in WAYS.get(recording.vendor, ()):
            if recording.name not in UNTOLD:
                yield pytest.param(recording, way, id=f"{recording.name}-{way.__name__}")


@pytest.mark.parametrize("vendor", ["named", "auto"])
@pytest.mark.parametrize(("recording", "way"), list(every_way()))
def test_streams_of_the_sdk(
    recording: Recording, way: Opened, vendor: str, provider: MockProvider
) -> None:
    provider.play(recording.playback)
    accumulator = Accumulator(recording.vendor if vendor == "named" else "auto")
    with way(provider.base_url, recording) as stream, accumulator.stream(stream) as events:
        for _ in events:
            pass
    if way is ollama:  # the SDK drops ids
        calls = [{**call, "id": None} for call in recording.expected]
        recording = replace(recording, expected=calls)
    check(accumulator, recording)
    assert accumulator.outcome.state == "ended"


@pytest.mark.parametrize("operation", ["own/bedrock", "invoke"])
def test_exceptions_that_boto3_raises_abort(operation: str, provider: MockProvider) -> None:
    """What another client hands over as an event, boto3 raises."""
    pytest.importorskip("boto3")
    events = [{"throttlingException": {"message": "slow down"}}]
    if operation == "own/bedrock":
        (recording,) = (each for each in OWN if each.name == operation)
        events = [*recording.chunks[:12], *events]
    provider.play(Playback([json.dumps(event) for event in events], vendor="bedrock"))
    accumulator = Accumulator("bedrock")
    with (
        pytest.raises(Exception, match="slow down"),
        bedrock(provider.base_url, Recording(operation, "bedrock", [], [])) as stream,
        accumulator.stream(stream) as turn,
    ):
        list(turn)
    assert accumulator.outcome.state == "aborted"
    assert "slow down" in (accumulator.outcome.reason or "")
    assert {call.status for call in accumulator.calls} <= {"aborted"}


def test_a_call_that_groq_rejects_is_raised_by_its_sdk(provider: MockProvider) -> None:
    sdk = pytest.importorskip("groq")
    error = {"message": "Tool call validation failed", "code": "tool_use_failed"}
    provider.play(Playback([json.dumps({"error": error})], vendor="groq"))
    accumulator = Accumulator("groq")
    with (
        pytest.raises(sdk.APIError, match="validation failed"),
        groq(provider.base_url, Recording("groq", "groq", [], [])) as stream,
        accumulator.stream(stream) as events,
    ):
        list(events)
    assert accumulator.outcome.state == "aborted"


@pytest.mark.parametrize("vendor", ["mistral", "auto"])
@pytest.mark.parametrize("unwrapped", [False, True], ids=["events", "chunks"])
def test_what_mistrals_sdk_makes_up_tells_no_calls_apart(vendor: str, unwrapped: bool) -> None:
    """It fills in an index of 0 and an id of "null"."""
    types = pytest.importorskip("mistralai.client.models")
    accumulator = Accumulator(vendor)
    for entry in (
        {"id": "x", "index": 0, "function": {"name": "f", "arguments": ""}},
        {"id": "y", "index": 1, "function": {"name": "g", "arguments": ""}},
        {"function": {"name": "", "arguments": '{"b":2}'}},
        None,
    ):
        delta = {"tool_calls": [entry]} if entry else {}
        choice = {"index": 0, "delta": delta, "finish_reason": None if entry else "tool_calls"}
        event = types.CompletionEvent(data={"id": "r1", "model": "m", "choices": [choice]})
        accumulator.feed(event.data if unwrapped else event)
    accumulator.close()
    assert [(call.id, call.arguments) for call in accumulator.calls] == [("x", {}), ("y", {"b": 2})]


# Results


def result(vendor: str, content: Any, **extra: str) -> Any:
    call = SimpleNamespace(id="c1", name="f", extra=extra)  # a ToolCall in real life
    return getattr(vendors, vendor).tool_result(call, content, is_error=True)


@pytest.mark.parametrize("content", ["bad", {"t": 1}, [{"type": "text", "text": "x"}], 7])
def test_results_are_what_the_sdks_take(content: Any) -> None:
    cohere = pytest.importorskip("cohere")
    mistral = pytest.importorskip("mistralai.client.models")
    ollama = pytest.importorskip("ollama")
    assert cohere.ToolMessageV2(**result("cohere", content)).tool_call_id == "c1"
    assert mistral.ToolMessage(**result("mistral", content)).tool_call_id == "c1"
    entry = result("mistral", content, type="function.call")
    assert mistral.FunctionResultEntry(**entry).tool_call_id == "c1"
    assert ollama.Message(**result("ollama", content)).tool_name == "f"


@pytest.mark.parametrize("content", ["bad", {"t": 1}, [{"text": "x"}], 7])
def test_results_are_what_boto3_sends(content: Any, provider: MockProvider) -> None:
    """It checks what it sends against the model of the service."""
    provider.play(Playback([], vendor="bedrock"))
    message = {"role": "user", "content": [result("bedrock", content)]}
    client = bedrock_client(provider.base_url)
    assert list(client.converse_stream(modelId="m", messages=[message])["stream"]) == []
