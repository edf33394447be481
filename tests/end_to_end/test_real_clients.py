"""Whole streams, through the vendors' real clients and the README's own loops."""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import anthropic
import openai
import pytest
from google.genai import errors as genai_errors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loops import HOW, NOTE, TIDES, VENDORS, Loops, written
from recordings import ABSENT, OWN, RECORDINGS, Recording, check

from fragjson.testing import WRITERS, fragments
from fragjson.testing.provider import MockProvider, Playback, Refusal

FAILED = "openai-compat/groq-gptoss-error-mid-stream"
WITHOUT_A_WORD = "openai-compat/openrouter-kimi-k2-id-name-repeated"
"""Ends with ``[DONE]`` alone, which the SDK keeps to itself."""

every_vendor = pytest.mark.parametrize("vendor", VENDORS)
both_ways = pytest.mark.parametrize("how", HOW)


def cut(seed: int, longest: int = 40) -> Any:
    return partial(fragments, seed=seed, longest=longest)


@pytest.fixture
def provider() -> Iterator[MockProvider]:
    with MockProvider() as provider:
        yield provider


def streams() -> Iterator[Any]:
    for recording in OWN + RECORDINGS:
        if recording.vendor in VENDORS and recording.name not in (FAILED, WITHOUT_A_WORD):
            yield pytest.param(recording, id=recording.name)
    if not RECORDINGS:
        yield pytest.param(None, id="recorded", marks=pytest.mark.skip(reason=ABSENT))


@pytest.mark.parametrize("recording", list(streams()))
@both_ways
def test_recorded_streams(
    recording: Recording, how: str, loops: Loops, provider: MockProvider
) -> None:
    seed = zlib.crc32(recording.name.encode())
    provider.play(replace(recording.playback, cut=cut(seed, longest=400)))
    loops.use(provider)
    turn = loops.run(recording.vendor, how)
    assert turn.error is None
    assert provider.requests[0].wait() == "whole"
    check(turn.accumulator, recording)
    assert turn.accumulator.outcome.state == "ended"
    ready = turn.accumulator.ready()
    runs = [f"run {call.name}({call.arguments})" for call in ready]
    assert turn.runs == [run.splitlines()[0] for run in runs]


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
@both_ways
def test_a_stream_without_a_word_runs_nothing(
    how: str, loops: Loops, provider: MockProvider
) -> None:
    (recording,) = (each for each in RECORDINGS if each.name == WITHOUT_A_WORD)
    provider.play(recording.playback)
    loops.use(provider)
    turn = loops.run("openai_chat", how)
    assert turn.error is None
    assert " is unconfirmed: The call of " in turn.printed
    assert "It was not finished (eof)." in turn.printed
    assert turn.runs == []


WRITTEN = {vendor: WRITERS[vendor].write(TIDES, NOTE) for vendor in VENDORS}
WRITTEN["gemini_values"] = WRITERS["gemini_values"].write(TIDES, NOTE)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(sorted(WRITTEN)), st.sampled_from(HOW), st.integers(0), st.integers(1, 90))
def test_every_cut_gives_the_same(
    provider: MockProvider, loops: Loops, name: str, how: str, seed: int, longest: int
) -> None:
    provider.play(Playback(WRITTEN[name], cut=cut(seed, longest)))
    loops.use(provider)
    turn = loops.run(WRITERS[name].vendor, how)
    assert turn.error is None
    assert provider.requests[0].wait() == "whole"
    assert turn.runs == [f"run {name}({arguments})" for name, arguments in (TIDES, NOTE)]


@every_vendor
@both_ways
def test_pauses_change_nothing(vendor: str, how: str, loops: Loops) -> None:
    with MockProvider(Playback(WRITTEN[vendor], pause=0.002)) as provider:
        loops.use(provider)
        turn = loops.run(vendor, how)
    assert len(turn.runs) == 2


@every_vendor
@both_ways
def test_turn_after_turn_on_one_connection(vendor: str, how: str, loops: Loops) -> None:
    turns = [written(vendor, TIDES), written(vendor, NOTE), written(vendor, TIDES, NOTE)]
    with MockProvider(*turns) as provider:
        loops.use(provider)
        runs = [len(loops.run(vendor, how).runs) for _ in turns]
    assert runs == [1, 1, 2]
    assert [request.ending for request in provider.requests] == ["whole"] * 3


# What fails


ERRORS = {
    "openai_chat": (openai.APIError, "overloaded"),
    "openai_responses": (None, "overloaded"),
    "anthropic": (anthropic.APIStatusError, "overloaded"),
    "gemini": (genai_errors.APIError, "overloaded"),
}
"""What the SDK makes of an error in a stream; one hands it on as an event."""


@every_vendor
@both_ways
def test_an_error_in_the_stream_surfaces(vendor: str, how: str, loops: Loops) -> None:
    kind, message = ERRORS[vendor]
    with MockProvider(written(vendor, TIDES, NOTE, end="error")) as provider:
        loops.use(provider)
        turn = loops.run(vendor, how)
    accumulator = turn.accumulator
    if kind is None:
        assert turn.error is None
        assert f"the stream failed: {message}" in turn.printed
        assert accumulator.outcome.state == "failed"
        assert accumulator.calls[-1].status == "incomplete"
    else:
        assert isinstance(turn.error, kind)
        assert message in str(turn.error)
        assert accumulator.outcome.state == "aborted"
        assert accumulator.calls[-1].status == "aborted"
    assert message in (accumulator.outcome.reason or "")
    assert not any("write_note" in line for line in turn.runs)


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
@both_ways
def test_a_recorded_error_in_the_stream_surfaces(
    how: str, loops: Loops, provider: MockProvider
) -> None:
    (recording,) = (each for each in RECORDINGS if each.name == FAILED)
    provider.play(recording.playback)
    loops.use(provider)
    turn = loops.run("openai_chat", how)
    assert isinstance(turn.error, openai.APIError)
    assert "validation failed" in str(turn.error)
    assert turn.accumulator.ready() == []


SDK_ERRORS = {
    ("openai_chat", 429): openai.RateLimitError,
    ("openai_chat", 500): openai.InternalServerError,
    ("openai_responses", 429): openai.RateLimitError,
    ("openai_responses", 500): openai.InternalServerError,
    ("anthropic", 429): anthropic.RateLimitError,
    ("anthropic", 500): anthropic.InternalServerError,
    ("gemini", 429): genai_errors.ClientError,
    ("gemini", 500): genai_errors.ServerError,
}


@pytest.mark.parametrize(("vendor", "status"), list(SDK_ERRORS))
@both_ways
def test_an_http_error_surfaces(vendor: str, status: int, how: str, loops: Loops) -> None:
    """Where the SDK is asked for the stream, or for its first chunk."""
    loops.options = {} if vendor == "gemini" else {"max_retries": 0}
    with MockProvider(Refusal(status, "not now"), WRITTEN[vendor]) as provider:
        loops.use(provider)
        turn = loops.run(vendor, how)
        assert type(turn.error) is SDK_ERRORS[vendor, status]
        assert "not now" in str(turn.error)
        assert not any(accumulator.calls for accumulator in turn.accumulators)
        assert provider.requests[0].wait() == "refused"
        assert len(loops.run(vendor, how).runs) == 2


@pytest.mark.parametrize("vendor", [vendor for vendor in VENDORS if vendor != "gemini"])
@both_ways
def test_what_the_sdk_tries_again_succeeds(vendor: str, how: str, loops: Loops) -> None:
    again = {"retry-after-ms": "1"}
    refused = Refusal(429, headers=again), Refusal(500, headers=again)
    with MockProvider(*refused, WRITTEN[vendor]) as provider:
        loops.use(provider)
        turn = loops.run(vendor, how)
    assert turn.error is None
    assert len(turn.runs) == 2
    assert [request.ending for request in provider.requests] == ["refused", "refused", "whole"]
