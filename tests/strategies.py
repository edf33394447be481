"""Hypothesis strategies for JSON as text: whole documents, damaged and cut ones, and fragments.

documents(raw_halves=...)   whole documents, written character by character, so also what no
                            encoder writes: any spelling of an escape, odd numbers, duplicate
                            keys, white space anywhere, every width of character
damaged_documents()         a few characters removed, put in, replaced or swapped: usually not
                            JSON any more
cut_documents()             the beginning of a document
inputs()                    any of these, as str or bytes
fragments_of(data)          one random fragmentation, in any mixture that means the same
examples(count)             settings: that many examples, times FRAGJSON_HARDER if it is set
"""

import os
from typing import Any

from fragmentation import Data, can_be_mixed
from generator import DAMAGE, DAMAGED_BYTES, ESCAPES, HALVES, LITERALS, NUMBERS, RAW_HALVES
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

HARDER = int(os.environ.get("FRAGJSON_HARDER", "1"))


def examples(count: int) -> settings:
    return settings(
        max_examples=count * HARDER,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


white_space = st.text(" \t\n\r", max_size=2)

plain_text = st.one_of(
    st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7F, exclude_characters='"\\')),
    st.text(st.characters(min_codepoint=0x80, max_codepoint=0xFF)),
    st.text(st.characters(min_codepoint=0x100, max_codepoint=0xFFFF, exclude_categories=["Cs"])),
    st.text(st.characters(min_codepoint=0x10000)),
    st.builds(str.__mul__, st.sampled_from(["x", "é", "水", "😀"]), st.integers(1, 90)),
)
escapes = st.one_of(
    st.sampled_from(ESCAPES),
    st.builds("\\u{:04x}".format, st.integers(0, 0xFFFF)),
    st.builds("\\u{:04X}".format, st.integers(0xD800, 0xDFFF)),
    st.sampled_from(HALVES[:-2]),
)
raw_halves = st.one_of(
    st.sampled_from(RAW_HALVES),
    st.sampled_from(HALVES[-2:]),
    st.builds(chr, st.integers(0xD800, 0xDFFF)),
)

numbers = st.one_of(
    st.sampled_from(NUMBERS),
    st.integers().map(str),
    st.integers(-(10**40), 10**40).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)
atoms = numbers | st.sampled_from(LITERALS)


def strings(with_raw_halves: bool) -> st.SearchStrategy[str]:
    pieces = plain_text | escapes | raw_halves if with_raw_halves else plain_text | escapes
    return st.lists(pieces, max_size=6).map(lambda parts: f'"{"".join(parts)}"')


def spaced(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("{}{}{}".format, white_space, texts, white_space)


def documents(*, raw_halves: bool = True) -> st.SearchStrategy[str]:
    keys = st.sampled_from(['"a"', '"b"', '"id"', '""', r'"\u0061"', '"é"', '"x.y"']) | strings(
        raw_halves
    )
    values = st.recursive(
        atoms | strings(raw_halves),
        lambda children: st.one_of(
            st.lists(spaced(children), max_size=5).map(lambda parts: f"[{','.join(parts)}]"),
            st.lists(st.builds("{}:{}".format, spaced(keys), spaced(children)), max_size=5).map(
                lambda parts: f"{{{','.join(parts)}}}"
            ),
            st.sampled_from(["[]", "{}", "[ ]", "{\n}"]),
        ),
        max_leaves=12,
    )
    return spaced(values | st.builds(nested, st.integers(1, 60), values, st.booleans()))


def nested(depth: int, value: str, in_objects: bool) -> str:
    if in_objects:
        return '{"a":' * depth + value + "}" * depth
    return "[" * depth + value + "]" * depth


@st.composite
def damaged_documents(draw: st.DrawFn, *, raw_halves: bool = True) -> str:
    text = draw(documents(raw_halves=raw_halves))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 2))
        damage = DAMAGE if raw_halves else [each for each in DAMAGE if not is_surrogate(each)]
        added = draw(st.sampled_from(["", *damage]))
        text = text[:at] + added + text[at + removed :]
    return text


def is_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


@st.composite
def cut_documents(draw: st.DrawFn, *, raw_halves: bool = True) -> str:
    text = draw(documents(raw_halves=raw_halves))
    return text[: draw(st.integers(0, len(text)))]


def texts(*, raw_halves: bool = True) -> st.SearchStrategy[str]:
    return st.one_of(
        documents(raw_halves=raw_halves),
        damaged_documents(raw_halves=raw_halves),
        cut_documents(raw_halves=raw_halves),
    )


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    data = draw(documents()).encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.sampled_from(DAMAGED_BYTES)) + data[at + draw(st.integers(0, 1)) :]


@st.composite
def cut_bytes(draw: st.DrawFn) -> bytes:
    bom = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    data = bom + draw(documents()).encode("utf-8", "surrogatepass")
    return data[: draw(st.integers(0, len(data)))]


def as_bytes(of_texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return of_texts.map(lambda text: text.encode("utf-8", "surrogatepass"))


def inputs() -> st.SearchStrategy[str | bytes]:
    return st.one_of(texts(), as_bytes(texts()), damaged_bytes(), cut_bytes())


@st.composite
def fragments_of(draw: st.DrawFn, data: str | bytes) -> list[Data]:
    pieces = draw(cuts(data))
    if isinstance(data, bytes):
        types = st.sampled_from([bytes, bytearray, memoryview])
        return [draw(types)(piece) for piece in pieces]
    if not can_be_mixed(data):
        return pieces
    fragments: list[Data] = []
    for piece in pieces:
        if draw(st.booleans()):
            fragments += draw(cuts(piece.encode()))
        else:
            fragments.append(piece)
    return fragments


@st.composite
def cuts(draw: st.DrawFn, data: Any) -> list[Any]:
    """Consecutive slices of the data, some of them empty."""
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]
