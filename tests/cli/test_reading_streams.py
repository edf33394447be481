"""The chunks of a stream are the same however the stream was kept, and come one by one."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from fragjson._cli.reading import UnreadableError, chunks

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
CHUNKS = st.lists(st.dictionaries(st.text(), VALUES, max_size=3), min_size=1, max_size=5)

Kept = Callable[[list[Any]], str]


def lines(said: list[Any]) -> str:
    return "".join(json.dumps(chunk, ensure_ascii=False) + "\n" for chunk in said)


def spread(said: list[Any]) -> str:
    return "\n\n".join(json.dumps(chunk, indent=1) for chunk in said)


def array(said: list[Any]) -> str:
    return json.dumps(said, indent=2)


def array_in_one_line(said: list[Any]) -> str:
    return json.dumps(said)


def events(said: list[Any]) -> str:
    body = "".join(
        f"id: {place}\nevent: x\ndata: {json.dumps(chunk)}\nretry: 3\n\n: ping\n\n"
        for place, chunk in enumerate(said)
    )
    return f"\ufeff: begin\n\n{body}"


def events_in_several_lines(said: list[Any]) -> str:
    whole = (json.dumps(chunk, indent=1).replace("\n", "\ndata:") for chunk in said)
    return "".join(f"data:{data}\n\n" for data in whole)


def events_without_blank_lines(said: list[Any]) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n" for chunk in said)


def with_crlf(kept: Kept) -> Kept:
    def both(said: list[Any]) -> str:
        return kept(said).replace("\n", "\r\n")

    both.__name__ = f"{kept.__name__} with CRLF"
    return both


WAYS = [
    lines, spread, array, array_in_one_line, events, events_in_several_lines,
    events_without_blank_lines,
]  # fmt: skip


def read(text: str) -> list[Any]:
    return [chunk for _, chunk in chunks(text.encode().splitlines(keepends=True), "it")]


@pytest.mark.parametrize("kept", [*WAYS, *map(with_crlf, WAYS)], ids=lambda kept: kept.__name__)
@examples(15)
@given(said=CHUNKS)
def test_every_way_of_keeping_a_stream_gives_the_same_chunks(kept: Kept, said: list[Any]) -> None:
    text = kept(said)
    assert read(text) == said
    if not kept.__name__.startswith("array"):
        assert read(f"{text}\n\ndata: [DONE]\n\n") == [*said, "[DONE]"]


@pytest.mark.parametrize("kept", WAYS, ids=lambda kept: kept.__name__)
def test_a_chunk_comes_before_the_next_one_is_read(kept: Kept) -> None:
    said = [{"a": 1}, {"b": [1, {"c": 2}]}, {"d": "e"}]
    so_far: list[bytes] = []

    def source() -> Iterator[bytes]:
        for line in kept(said).encode().splitlines(keepends=True):
            so_far.append(line)
            yield line

    found = chunks(source(), "it")
    for place, chunk in enumerate(said):
        line, read_chunk = next(found)
        assert read_chunk == chunk
        assert line <= len(so_far)
        text = b"".join(so_far)
        assert [key.encode() in text for key in ('"a"', '"b"', '"d"')] == [
            at <= place or kept is array_in_one_line for at in range(3)
        ]


@pytest.mark.parametrize(
    ("text", "before", "why"),
    [
        ('{"a": 1}\n{"b": }\n', 1, "it, line 2: Expecting value: line 1 column 7 (char 6)"),
        ('{"a": 1}\n\n{"b": 1', 1, "it, line 3: Expecting ',' delimiter"),
        ('data: {"a":\n\ndata: 1}\n', 0, "it, line 1: Expecting value"),
        ('[{"a": 1}, {"b": 2}, 3x]', 3, "it, line 1: Expecting ',' delimiter"),
        ("<html>", 0, "it, line 1: Expecting value"),
        ('{"a": 1} {"b": 2}', 0, "it, line 1: Extra data"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, before: int, why: str) -> None:
    found = chunks(text.encode().splitlines(keepends=True), "it")
    for _ in range(before):
        next(found)
    with pytest.raises(UnreadableError) as error:
        next(found)
    assert str(error.value).startswith(why)
