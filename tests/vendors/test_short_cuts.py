"""The short cuts of the adapters: the same as the way that every chunk can take, and taken."""

import random
from typing import Any

import pytest
from recordings import OWN, RECORDINGS, Recording

from fragjson import vendors
from fragjson.toolcalls import Accumulator, CallDelta

every_stream = pytest.mark.parametrize("recording", OWN + RECORDINGS, ids=lambda r: r.name)


class Detour(dict[str, Any]):
    """A chunk that is too strange for a short cut, and says the same."""


def faulty(chunks: list[Any], rng: random.Random) -> list[Any]:
    """Drop, repeat and swap some chunks: what is not the usual must be found by both ways."""
    chunks = list(chunks)
    for _ in range(rng.randrange(4)):
        at, to = rng.randrange(len(chunks)), rng.randrange(len(chunks))
        match rng.randrange(3):
            case 0:
                chunks[at], chunks[to] = chunks[to], chunks[at]
            case 1:
                chunks.insert(to, chunks[at])
            case 2 if len(chunks) > 1:
                del chunks[at]
    return chunks


def story(vendor: str, chunks: list[Any]) -> list[str]:
    """Tell all that happens, chunk by chunk, and what the calls are in the end."""
    accumulator = Accumulator(vendor, events={"start", "delta", "end"})
    told = []
    for chunk in chunks:
        try:
            events = accumulator.feed(chunk)
        except ValueError as error:
            told.append(repr(error))
        else:
            told.append(repr(events))
    told.append(repr(accumulator.close()))
    for record in accumulator.outcome.calls:
        del record["timing"], record["key"]  # a key can be a random one
        told.append(repr(record))
    return told


@every_stream
def test_a_short_cut_changes_nothing(recording: Recording) -> None:
    rng = random.Random(recording.name)
    for round_ in range(4):
        chunks = faulty(recording.chunks, rng) if round_ else recording.chunks
        detours = [Detour(chunk) if isinstance(chunk, dict) else chunk for chunk in chunks]
        assert story(recording.vendor, chunks) == story(recording.vendor, detours)


@pytest.mark.parametrize("vendor", ["anthropic", "openai_chat", "openai_responses"])
def test_most_fragments_take_it(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (recording,) = (r for r in OWN if r.vendor == vendor)
    adapter = vendors.adapter(vendor)
    feed = adapter.feed
    long_way = []

    def feed_and_note(self: Any, chunk: Any) -> None:
        long_way.append(chunk)
        feed(self, chunk)

    monkeypatch.setattr(adapter, "feed", feed_and_note)
    accumulator = Accumulator(vendor)
    of_fragments = [
        chunk
        for chunk in recording.chunks
        if any(isinstance(event, CallDelta) for event in accumulator.feed(chunk))
    ]
    assert len(of_fragments) > 2 * sum(chunk in long_way for chunk in of_fragments)
