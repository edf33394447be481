"""The connection breaks, anywhere: no call is complete that the vendor has not finished by then."""

import random
from itertools import accumulate
from typing import Any

import openai
import pytest
from google.genai import errors as genai_errors
from loops import HOW, NOTE, TIDES, VENDORS, Loops, Turn, written

from fragjson import Accumulator, CallNotReadyError
from fragjson.testing.provider import MockProvider, Playback
from fragjson.testing.wires import WIRES

PLACES = 20
"""How many each vendor's stream is broken at, in each way."""


def finished(vendor: str, lines: list[str]) -> list[str]:
    """Return what a loop runs that has read these lines, and nothing more of the vendor's words."""
    accumulator = Accumulator(vendor)
    for line in lines:
        if line != "[DONE]":  # which the SDKs keep to themselves
            accumulator.feed(line)
    return [f"run {call.name}({call.arguments})" for call in accumulator.ready()]


def places(body: int, ends: list[int], rng: random.Random) -> list[int]:
    """Return where to break: at the end of some line, just before and after it, and anywhere."""
    at_ends = [
        end + off for end in rng.sample(ends, min(len(ends), PLACES // 4)) for off in (-1, 0, 1)
    ]
    anywhere = [rng.randrange(1, body) for _ in range(PLACES - len(at_ends))]
    return [min(place, body) for place in at_ends + anywhere]


@pytest.mark.parametrize("way", ["close", "reset", "end"])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("vendor", VENDORS)
def test_nothing_is_complete_that_was_not_finished(
    vendor: str, how: str, way: Any, loops: Loops
) -> None:
    stream = written(vendor, TIDES, NOTE)
    ends = list(accumulate(map(len, WIRES[vendor].body(stream))))
    cuts = places(ends[-1], ends, random.Random(f"{vendor} {how} {way}"))
    with MockProvider(*(Playback(stream, break_at=cut, how=way) for cut in cuts)) as provider:
        loops.use(provider)
        for request, cut in enumerate(cuts):
            turn = loops.run(vendor, how)
            assert provider.requests[request].wait() == "broken"
            sure = [line for line, end in zip(stream, ends, strict=True) if end <= cut]
            # An event whose blank line is missing may count, or not: the SDKs differ.
            most = [line for line, end in zip(stream, ends, strict=True) if end - 2 <= cut]
            assert set(turn.runs) <= set(finished(vendor, most))
            if way != "reset":  # which may take with it what was sent, but not read yet
                assert set(turn.runs) >= set(finished(vendor, sure))
            expect_verdicts(turn)
            if way == "end":
                expect_no_failure(vendor, turn)
            elif cut < ends[-2]:
                expect_failure(vendor, turn)


def expect_verdicts(turn: Turn) -> None:
    accumulator = turn.accumulator
    assert [f"run {call.name}({call.arguments})" for call in accumulator.ready()] == turn.runs
    for call in accumulator.calls:
        assert call.status in ("complete", "incomplete", "unconfirmed", "aborted")
        if call.status != "complete":
            with pytest.raises(CallNotReadyError):
                _ = call.arguments


def expect_failure(vendor: str, turn: Turn) -> None:
    """The SDK raises, and whoever runs the loop sees it."""
    assert turn.error is not None
    assert turn.accumulator.outcome.state == "aborted"
    assert type(turn.error).__name__ in (turn.accumulator.outcome.reason or "")
    if vendor.startswith("openai"):
        assert isinstance(turn.error, openai.APIConnectionError)
    else:  # of the two others, it is the HTTP client that raises
        assert type(turn.error).__name__ in ("ReadError", "RemoteProtocolError")
    assert {call.status for call in turn.accumulator.calls} <= {"complete", "aborted"}
    told = [line for line in turn.printed.splitlines() if " is aborted: " in line]
    aborted = [call for call in turn.accumulator.calls if call.status == "aborted"]
    assert told == [
        f"{call.name} is aborted: {turn.accumulator.outcome.reason}" for call in aborted
    ]


def expect_no_failure(vendor: str, turn: Turn) -> None:
    """A body that ends too early, but as bodies do, is no error to the SDKs."""
    if isinstance(turn.error, genai_errors.UnknownApiResponseError):
        assert vendor == "gemini"  # it takes the half event for a whole one
        return
    assert turn.error is None
    assert turn.accumulator.outcome.state == "ended"
    assert {call.status for call in turn.accumulator.calls} <= {
        "complete", "incomplete", "unconfirmed",
    }  # fmt: skip
