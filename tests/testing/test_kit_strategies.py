"""What the strategies draw is what they say."""

import json
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from strategies import examples

from fragjson.testing import FAULTS, WRITERS, Writer, chunks, replay
from fragjson.testing.strategies import (
    CutText,
    Stream,
    cut_texts,
    fragments_of,
    json_texts,
    json_values,
    mixed_fragments_of,
    streams,
    tool_calls,
)
from fragjson.toolcalls import Accumulator, Key

GENERATE = settings(
    max_examples=3000, database=None, derandomize=True, deadline=None, phases=[Phase.generate]
)
"""For ``find``: any example will do, it need not be the smallest."""


def depth(value: Any) -> int:
    if isinstance(value, dict | list):
        children = value.values() if isinstance(value, dict) else value
        return 1 + max(map(depth, children), default=0)
    return 0


def refused(constant: str) -> None:
    raise ValueError(constant)


@given(json_texts())
@examples(100)
def test_texts_are_json_that_every_encoding_can_hold(text: str) -> None:
    value = json.loads(text, parse_constant=refused)
    json.dumps(value, ensure_ascii=False).encode()
    text.encode()


@pytest.mark.parametrize("most", [0, 1, 2, 4, 7])
def test_texts_are_no_deeper_than_asked_and_may_be_deep(most: int) -> None:
    @given(json_texts(max_depth=most))
    @examples(50)
    def no_deeper(text: str) -> None:
        counts = accumulate((char in "[{") - (char in "]}") for char in outside_strings(text))
        assert max(counts, default=0) <= most

    no_deeper()
    find(
        json_texts(max_depth=most),
        lambda t: depth(json.loads(t)) >= (most + 1) // 2,
        settings=GENERATE,
    )


def outside_strings(text: str) -> str:
    """Duplicate keys hide containers from who looks at the value."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text):
        if text[at] == '"':
            at = decoder.raw_decode(text, at)[1]
        else:
            found.append(text[at])
            at += 1
    return "".join(found)


def has_half(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def plain(text: str) -> str:
    return json.dumps(json.loads(text), ensure_ascii=False)


@pytest.mark.parametrize(
    ("options", "has"),
    [
        ({"constants": True}, lambda text: "NaN" in text),
        (
            {"surrogates": "escaped"},
            lambda text: has_half(plain(text)),
        ),
        ({"surrogates": "raw"}, has_half),
        ({}, lambda text: "\\u" in text),
        ({}, lambda text: len(text.encode()) > len(text)),
    ],
)
def test_what_is_asked_for_is_among_them(options: Any, has: Any) -> None:
    find(json_texts(**options), has, settings=GENERATE)


@given(cut_texts(), st.data())
@examples(50)
def test_cuts_and_fragments_are_of_the_text(cut: CutText, data: st.DataObject) -> None:
    json.loads(cut.whole)
    assert cut.whole.startswith(cut.text)
    assert "".join(data.draw(fragments_of(cut.text))) == cut.text
    encoded = cut.text.encode()
    assert b"".join(data.draw(fragments_of(encoded))) == encoded
    mixture = data.draw(mixed_fragments_of(cut.text))
    assert b"".join(p.encode() if isinstance(p, str) else p for p in mixture) == encoded


@given(json_values(), tool_calls())
@examples(50)
def test_values_are_read_back_as_they_were(value: Any, call: tuple[str, Any]) -> None:
    assert json.loads(json.dumps(value)) == value
    assert isinstance(call[1], dict)


@given(streams())
@examples(80)
def test_of_a_whole_stream_every_call_is_ready(stream: Stream) -> None:
    assert (stream.end, stream.fault) == ("success", None)
    ready = replay(stream.lines, stream.vendor).ready()
    assert [(call.name, call.arguments) for call in ready] == stream.calls


@pytest.mark.parametrize("name", [name for name in WRITERS if WRITERS[name].interleaves])
@pytest.mark.parametrize("lost", [0, 1, 9])
def test_an_end_is_inside_the_last_call_also_if_they_alternate(name: str, lost: int) -> None:
    writer, meant = WRITERS[name], [("find", {"a": None}), ("find", {"a": 1})]
    for end in writer.ends[1:]:
        stream = writer.write(*meant, end=end, lost=lost, interleaved=True, cut=list)
        for call in replay(stream, writer.vendor).ready():
            assert (call.name, call.arguments) in meant


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_a_second_turn_is_no_repetition_of_the_first_with_ids_of_its_own(writer: Writer) -> None:
    seen: set[Key] = set()
    for first in (0, 1):
        accumulator = Accumulator(writer.vendor, seen=seen)
        with accumulator.stream(chunks(writer.write(("find", {"a": 1}), first=first))) as events:
            list(events)
        (call,) = accumulator.ready()
        seen.add(call.key)


@given(streams(broken=True))
@examples(80)
def test_of_a_stream_that_ends_otherwise_nothing_else_is_ready(stream: Stream) -> None:
    if stream.fault is None:
        for call in replay(stream.lines, stream.vendor).ready():
            assert (call.name, call.arguments) in stream.calls


def test_every_fault_and_every_end_of_a_vendor_is_drawn() -> None:
    writer = WRITERS["openai_chat"]
    drawn: set[str | None] = set()

    @given(streams(writer, broken=True, max_calls=1))
    @settings(GENERATE, max_examples=300)
    def draw(stream: Stream) -> None:
        drawn.update((stream.fault, stream.end))

    draw()
    assert drawn == {None, *FAULTS, *writer.ends}
