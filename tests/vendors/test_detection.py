"""``vendor="auto"``: whose a stream is, is told by its own chunks, and never wrongly.

That no guess can be wrong is shown over all pairs: no chunk of any recorded or written stream is
recognised by the adapter of another vendor. Those who copy OpenAI's chat format cannot all be told
apart; whichever of their adapters is chosen, the calls are the same.
"""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from recordings import OWN, RECORDINGS
from test_vendors import Shouting

from fragjson import vendors
from fragjson.testing import WRITERS, replay
from fragjson.testing.expecting import FIRST, SECOND
from fragjson.toolcalls import Accumulator

CHAT = {"openai_chat", "groq", "mistral"}
READ_TOO = {
    ("openai_responses", "openai_realtime"),
    ("openai_realtime", "openai_responses"),
    ("bedrock", "anthropic"),
}
"""Adapters, and whose streams they can read besides their own."""


def streams() -> Iterator[Any]:
    for recording in OWN + RECORDINGS:
        yield pytest.param(recording.vendor, recording.lines, id=recording.name)
    for name, writer in WRITERS.items():
        for end in ("success", "error"):
            lines = writer.write(FIRST, SECOND, end=end)
            yield pytest.param(writer.vendor, lines, id=f"written-{name}-{end}")


every_stream = pytest.mark.parametrize(("vendor", "lines"), list(streams()))


@every_stream
def test_every_chunk_is_its_own_vendors_or_nobodys(vendor: str, lines: list[str]) -> None:
    family = CHAT if vendor in CHAT else {vendor}
    for form in (dict, SimpleNamespace):
        hook = lambda members, form=form: form(**members)  # noqa: E731
        chunks = [json.loads(line, object_hook=hook) for line in lines if line != "[DONE]"]
        found = {vendors.detect(chunk) for chunk in chunks} - {None}
        assert found
        assert found <= family
        for other in set(vendors.names()) - family - {"litellm"}:
            assert not any(map(vendors.adapter(other).recognises, chunks)), other


@every_stream
def test_in_a_family_it_does_not_matter_who_is_chosen(vendor: str, lines: list[str]) -> None:
    # Of Mistral's, the events of conversations are in a format of their own.
    if vendor in CHAT and '"choices"' in lines[0]:
        told = [told_by(name, lines) for name in sorted(CHAT)]
        assert all(each == told[0] for each in told)
        # Not even where the chunk is lost that would have told.
        assert told_by("auto", lines[1:]) == told_by(vendor, lines[1:])


@every_stream
def test_a_stream_of_another_vendor_than_the_named_one_does_not_pass_for_an_empty_one(
    vendor: str, lines: list[str]
) -> None:
    family = CHAT if vendor in CHAT else {vendor}
    for name in set(vendors.names()) - family - {"litellm"}:
        accumulator = Accumulator(name)
        for line in lines:
            accumulator.feed(line)
        if accumulator.error is None and (name, vendor) not in READ_TOO:
            for _ in range(2):  # the turn stays open
                with pytest.raises(ValueError, match=f"the stream is not '{name}', but") as caught:
                    accumulator.close()
                assert any(repr(each) in str(caught.value) for each in family)
            assert accumulator.outcome.state == "streaming"
        else:
            accumulator.close()


@every_stream
def test_a_stream_of_the_named_vendor_may_end_anywhere(vendor: str, lines: list[str]) -> None:
    chat = vendor in CHAT and '"choices"' in lines[0]
    for name in {*CHAT, "litellm"} if chat else {vendor}:
        for size in range(min(len(lines), 8)):
            assert replay(lines[:size], name).outcome.state in ("ended", "failed")


CALLED = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
NOT_STREAMED = {
    "openai_chat": {
        "id": "r", "object": "chat.completion",
        "choices": [{"message": {"tool_calls": [CALLED]}, "finish_reason": "tool_calls"}],
    },
    "anthropic": {
        "id": "m", "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {}}],
    },
    "openai_responses": {"id": "r", "object": "response", "status": "completed", "output": []},
}  # fmt: skip
NOT_STREAMED |= dict.fromkeys(("groq", "mistral"), NOT_STREAMED["openai_chat"])


@pytest.mark.parametrize("form", [dict, SimpleNamespace])
@pytest.mark.parametrize("vendor", NOT_STREAMED)
def test_a_response_that_was_not_streamed_does_not_pass_for_an_empty_stream(
    vendor: str, form: Any
) -> None:
    response = form(**NOT_STREAMED[vendor])
    with pytest.raises(ValueError, match="was not streamed: ask the vendor for stream=True"):
        Accumulator(vendor).feed(response)
    for made in (Accumulator(vendor).stream, Accumulator(vendor).astream):
        with pytest.raises(ValueError, match="was not streamed: ask the vendor for stream=True"):
            made(response)  # an SDK's model can be iterated: by its fields
    accumulator = replay([response])  # which aborts it for a ValueError
    assert accumulator.calls == []
    assert accumulator.outcome.state == "aborted"


@pytest.mark.parametrize("chunk", [[], [{"choices": []}], ("id", "x"), 5, 1.5, True, {1}], ids=repr)
@pytest.mark.parametrize("vendor", [name for name in vendors.names() if name != "langchain"])
def test_what_is_no_chunk_at_all_is_refused(vendor: str, chunk: Any) -> None:
    with pytest.raises(TypeError, match=f"a chunk is .* not {type(chunk).__name__}"):
        Accumulator(vendor).feed(chunk)


def test_an_adapter_of_ones_own_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))

    class Mine(Shouting):
        def feed(self, chunk: Any) -> None:
            assert chunk == {"choices": []}

        @staticmethod
        def recognises(chunk: Any) -> bool:
            return False

    vendors.register("mine", Mine)
    assert replay([json.dumps({"choices": []})], "mine").outcome.state == "ended"


def told_by(name: str, lines: list[str]) -> Any:
    accumulator = replay(lines, name)
    calls = [(c.id, c.name, c.text, c.status, c.reason, c.partial) for c in accumulator.calls]
    return calls, accumulator.finish_reason, str(accumulator.error)


@pytest.mark.parametrize(
    ("chunk", "vendor"),
    [
        ({"choices": []}, "openai_chat"),
        ({"type": "chunk", "chunk": {}}, "openai_chat"),
        ({"type": "message_start", "message": {}}, "anthropic"),
        ({"type": "content_block_start"}, "anthropic"),
        ({"type": "response.created"}, "openai_responses"),
        ({"candidates": []}, "gemini"),
        ({"promptFeedback": {}}, "gemini"),
        ({"usageMetadata": {}}, None),  # of Gemini's, or of the Live API's
        ({"setupComplete": {}}, "gemini_live"),
        ({"toolCall": {"functionCalls": []}}, "gemini_live"),
        ({"toolCallCancellation": {"ids": []}}, "gemini_live"),
        ({"serverContent": {}, "usageMetadata": {}}, "gemini_live"),
        ({"event_type": "interaction.created"}, "gemini_interactions"),
        ({"event_type": "step.start", "index": 0}, "gemini_interactions"),
        ({"event_type": "stream-start"}, None),  # the first version of Cohere's
        ({"messageStart": {"role": "assistant"}}, "bedrock"),
        ({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {}}}, "bedrock"),
        ({"throttlingException": {}}, "bedrock"),
        ({"chunk": {"bytes": "e30="}}, "bedrock"),
        ({"chunk": {"text": "x"}}, None),
        ({"metadata": {"usage": {}}}, None),
        ({"type": "message-start", "delta": {"message": {}}}, "cohere"),
        ({"type": "tool-call-start", "index": 0, "delta": {}}, "cohere"),
        ({"type": "message-start", "role": "ai"}, None),
        ({"type": "content-block-delta", "delta": {}}, None),
        ({"type": "function.call.delta", "id": "x"}, "mistral"),
        ({"type": "conversation.response.started"}, "mistral"),
        ({"choices": [], "x_groq": {}}, "groq"),
        ({"message": {"role": "assistant"}, "done": False}, "ollama"),
        ({"response": "x", "done": False}, None),  # not of a chat
        ({"type": "response.created", "event_id": "e"}, "openai_realtime"),
        ({"type": "session.created", "event_id": "e"}, "openai_realtime"),
        ({"type": "RUN_STARTED"}, "ag_ui"),
        ({"type": "tool-input-start"}, "vercel_ui"),
        ({"type": "error", "errorText": "x"}, "vercel_ui"),
        ({"type": "AIMessageChunk", "usage_metadata": {}}, "langchain"),
        ({"type": "ping"}, None),
        ({"type": "error", "error": {}}, None),
        ({"type": "error", "code": "x", "message": "y"}, None),
        ({"error": {"message": "x", "type": "y"}}, None),
        ({"error": {"code": 400, "message": "x", "status": "INVALID_ARGUMENT"}}, None),
        ({}, None),
        (None, None),
        ([], None),
        ({"type": 7}, None),
    ],
)
def test_detection(chunk: Any, vendor: str | None) -> None:
    assert vendors.detect(chunk) == vendor
    if isinstance(chunk, dict):
        assert vendors.detect(SimpleNamespace(**chunk)) == vendor


def start(**more: Any) -> Any:
    block = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
    return {"type": "content_block_start", "index": 0, "content_block": block, **more}


def test_what_came_before_is_fed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Recorder(Shouting):
        def feed(self, chunk: Any) -> None:
            seen.append(chunk)

        @staticmethod
        def recognises(chunk: Any) -> bool:
            return chunk == "mine"

    monkeypatch.setattr(vendors, "_known", {**vendors._known, "recorder": Recorder})
    accumulator = Accumulator()
    for chunk in ({"type": "ping"}, None, ": comment", {"x": 1}, [2], '"mine"', '"last"'):
        accumulator.feed(chunk)
    assert seen == [{"x": 1}, [2], "mine", "last"]


def test_what_does_not_tell_is_skipped_until_something_does() -> None:
    accumulator = Accumulator()
    for chunk in ({"type": "ping"}, None, ": comment", "data: {}", {}):
        assert accumulator.feed(chunk) == []
    accumulator.feed(start())
    assert [call.name for call in accumulator.calls] == ["f"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ({"error": {"message": "busy", "type": "x"}}, "busy"),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, "busy"),
        ({"type": "error", "code": "x", "message": "busy"}, "busy"),
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, "busy"),
        ({"error": "busy"}, "busy"),
    ],
)
def test_an_error_is_told_at_once_whoever_sent_it(error: Any, message: str) -> None:
    accumulator = Accumulator()
    (event,) = accumulator.feed(error)
    assert event.type == "stream_failed"
    assert str(accumulator.error) == message
    assert accumulator.close() == []
    assert accumulator.outcome.state == "failed"


def test_a_stream_that_no_vendor_sends_is_an_error_at_its_end() -> None:
    accumulator = Accumulator()
    accumulator.feed({"type": "ping"})
    accumulator.feed({"type": "tool", "tool_name": "f", "tool_input": "{}"})
    for _ in range(2):
        with pytest.raises(ValueError, match="dict of type 'tool' with tool_input, tool_name, ty"):
            accumulator.close()
    accumulator.abort("given up")
    assert accumulator.close() == []
    assert (accumulator.outcome.state, accumulator.outcome.reason) == ("aborted", "given up")


def test_a_stream_that_no_vendor_sends_is_not_held_back_for_ever() -> None:
    accumulator = Accumulator()
    for _ in range(100):
        accumulator.feed(SimpleNamespace(word="x"))
    for _ in range(2):
        with pytest.raises(ValueError, match="'auto' knows none that sends a SimpleNamespace with"):
            accumulator.feed({"word": "x"})
    accumulator.feed(start())  # but what tells still tells
    assert [call.name for call in accumulator.calls] == ["f"]


def test_signs_of_life_do_not_count() -> None:
    accumulator = Accumulator()
    for chunk in [{"type": "ping"}] * 200 + [{"word": "x"}]:
        accumulator.feed(chunk)
    with pytest.raises(ValueError, match="a dict with word: name the vendor"):
        accumulator.close()


@pytest.mark.parametrize("chunk", [[1], "7", (1, 2), object(), {1: 2}])
def test_chunks_of_any_kind_can_be_unknown(chunk: Any) -> None:
    accumulator = Accumulator()
    accumulator.feed(chunk)
    with pytest.raises(ValueError, match="'auto' knows none that sends a"):
        accumulator.close()


def test_the_stream_context_passes_the_error_on() -> None:
    accumulator = Accumulator()
    with (
        pytest.raises(ValueError, match="register an adapter"),
        accumulator.stream([{"word": "x"}]) as events,
    ):
        list(events)
    assert accumulator.outcome.state == "aborted"
    assert "register an adapter" in (accumulator.outcome.reason or "")


@pytest.mark.parametrize("chunks", [[], [None], [{"type": "ping"}], ["", ": comment", "[DONE]"]])
def test_signs_of_life_alone_are_no_error(chunks: list[Any]) -> None:
    accumulator = Accumulator()
    for chunk in chunks:
        accumulator.feed(chunk)
    assert accumulator.close() == []
    assert accumulator.outcome.state == "ended"


def test_where_two_adapters_claim_a_chunk_it_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    class Greedy(Shouting):
        @staticmethod
        def recognises(chunk: Any) -> bool:
            return True

    monkeypatch.setattr(vendors, "_known", {**vendors._known, "greedy": Greedy})
    assert vendors.detect({"choices": []}) is None
    assert vendors.detect({"unheard": "of"}) == "greedy"
