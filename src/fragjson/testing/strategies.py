"""Hypothesis strategies: JSON as text, cut anywhere, and the streams of tool calls.

Needs ``hypothesis``; nothing else of ``fragjson.testing`` imports this module.

``json_texts`` are written character by character, so they have what no encoder writes: any spelling
of an escape, odd numbers, duplicate keys, white space anywhere, every width of character. A text
that only ``json.loads`` could tell from what you expected is the kind that finds a bug:

    @given(json_texts().flatmap(fragments_of))
    def test_my_parser(fragments):
        assert parsed_by_mine(fragments) == json.loads("".join(fragments))

``streams`` are what a harness gets from any vendor:

    @given(streams(broken=True))
    def test_my_harness(stream):
        assert all(call in stream.calls for call in calls_run_by_mine(stream.lines))
"""

from collections.abc import Iterable
from typing import Any, AnyStr, Literal, NamedTuple, TypeAlias, get_args

from hypothesis import strategies as st

from fragjson.testing.choosing import chosen
from fragjson.testing.faults import FAULTS
from fragjson.testing.fragmenting import Data, can_be_mixed
from fragjson.testing.spelling import (
    CONSTANTS,
    ESCAPES,
    LITERALS,
    LONE_ESCAPED,
    LONE_RAW,
    MIXED_HALVES,
    NUMBERS,
)
from fragjson.testing.writers import WRITERS
from fragjson.testing.writing import End, Writer

__all__ = [
    "CutText", "Stream", "Surrogates", "cut_texts", "fragments_of", "json_numbers", "json_strings",
    "json_texts", "json_values", "mixed_fragments_of", "streams", "tool_calls",
]  # fmt: skip

Surrogates: TypeAlias = Literal["paired", "escaped", "raw"]
"""Which surrogates a text may have: whole pairs, as every encoder writes them; escaped ones that
are alone, too, which is JSON, but text that cannot be encoded; also such characters of ``str``
themselves, which is a text that cannot be encoded."""

_BRANCHING = 4
"""The depth down to which values have several children; below that they have one."""


class CutText(NamedTuple):
    """The beginning of a text: cut off after so many characters, perhaps none, perhaps all."""

    whole: str
    at: int

    @property
    def text(self) -> str:
        """What there is of it."""
        return self.whole[: self.at]


class Stream(NamedTuple):
    """A stream of tool calls, and what it was made of.

    Attributes:
        lines: what was sent.
        vendor: whose it is: the name of the adapter that reads it.
        calls: the name and the arguments of each call that was meant.
        end: how it ends (see ``Writer.write``).
        fault: what was done to it afterwards, of ``FAULTS``; ``None``: nothing.
    """

    lines: list[str]
    vendor: str
    calls: list[tuple[str, Any]]
    end: End
    fault: str | None


def json_numbers() -> st.SearchStrategy[str]:
    """Numbers as text: small, huge, exact, with any exponent."""
    digits = r"-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?"
    return st.one_of(
        st.sampled_from(NUMBERS),
        st.integers().map(str),
        st.integers(-(10**40), 10**40).map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.from_regex(digits, fullmatch=True),
    )


def json_strings(*, surrogates: Surrogates = "paired") -> st.SearchStrategy[str]:
    """Strings as text, with their quotation marks.

    Raises:
        ValueError: there are no such surrogates.
    """
    chosen("surrogates", surrogates, dict.fromkeys(get_args(Surrogates)))
    pieces = _plain_text() | _escapes(surrogates)
    return st.lists(pieces, max_size=6).map(lambda parts: f'"{"".join(parts)}"')


def json_texts(
    *, max_depth: int = 20, constants: bool = False, surrogates: Surrogates = "paired"
) -> st.SearchStrategy[str]:
    """Whole documents as text.

    Args:
        max_depth: the most containers that are open at once; 0: no container at all.
        constants: also ``NaN`` and the infinities, which ``json`` reads, though they are not JSON.
        surrogates: which of them there may be.
    """
    literals = LITERALS + CONSTANTS if constants else LITERALS
    strings = json_strings(surrogates=surrogates)
    leaves = json_numbers() | st.sampled_from(literals) | strings
    keys = st.sampled_from(['"a"', '"b"', '"id"', '""', r'"\u0061"', '"é"', '"x.y"']) | strings
    values = leaves
    for _ in range(min(max_depth, _BRANCHING)):
        values = leaves | _containers(keys, values)
    if max_depth > _BRANCHING:
        depths = st.integers(1, max_depth - _BRANCHING)
        values |= st.builds(_nested, depths, values, st.booleans())
    return _spaced(values)


def cut_texts(texts: st.SearchStrategy[str] | None = None) -> st.SearchStrategy[CutText]:
    """Documents cut off anywhere; ``texts``: of these, instead of ``json_texts()``."""
    return (json_texts() if texts is None else texts).flatmap(
        lambda text: st.builds(CutText, st.just(text), st.integers(0, len(text)))
    )


@st.composite
def fragments_of(draw: st.DrawFn, data: AnyStr) -> list[AnyStr]:
    """Text or bytes in consecutive fragments, some of them empty."""
    places: list[int] = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


@st.composite
def mixed_fragments_of(draw: st.DrawFn, data: str | bytes) -> list[Data]:
    """Fragments in a mixture of types that means the same (see ``mixed``)."""
    types: Any = st.sampled_from([bytes, bytearray, memoryview])
    if isinstance(data, bytes):
        return [draw(types)(piece) for piece in draw(fragments_of(data))]
    found: list[Data] = []
    for piece in draw(fragments_of(data)):
        if can_be_mixed(data) and draw(st.booleans()):
            found += draw(fragments_of(piece.encode()))
        else:
            found.append(piece)
    return found


def json_values(*, max_leaves: int = 8, empties: bool = True) -> st.SearchStrategy[Any]:
    """Values that every JSON encoder can write, and reads back as they were.

    Args:
        max_leaves: about how many values without children are in one.
        empties: also empty lists and objects.
    """
    numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    leaves = st.none() | st.booleans() | numbers | _encodable()
    return st.recursive(
        leaves,
        lambda children: (
            st.lists(children, min_size=not empties)
            | st.dictionaries(_encodable(), children, min_size=not empties)
        ),
        max_leaves=max_leaves,
    )


def tool_calls(
    names: Iterable[str] = ("find", "get_tides", "write_note"), *, empties: bool = True
) -> st.SearchStrategy[tuple[str, Any]]:
    """Draw the name and the arguments of a call, which are an object; ``empties``: within."""
    arguments = st.dictionaries(_encodable(), json_values(empties=empties), max_size=4)
    return st.tuples(st.sampled_from(list(names)), arguments)


@st.composite
def streams(
    draw: st.DrawFn, writer: Writer | None = None, *, broken: bool = False, max_calls: int = 3
) -> Stream:
    """Streams of one to ``max_calls`` calls, their arguments cut anywhere.

    Args:
        draw: given by hypothesis.
        writer: writes them, instead of any of ``WRITERS``.
        broken: they may also end as the vendor says that it failed, or without a word, and may have
            a fault. Otherwise they are whole, and every call in them should be run.
        max_calls: the most calls of one stream.
    """
    writer = draw(st.sampled_from(list(WRITERS.values()))) if writer is None else writer
    calls = draw(st.lists(tool_calls(empties=writer.empties), min_size=1, max_size=max_calls))
    end = draw(st.sampled_from(writer.ends)) if broken else "success"
    lines = writer.write(
        *calls,
        end=end,
        lost=draw(st.integers(0, 3)),
        interleaved=writer.interleaves and draw(st.booleans()),
        cut=lambda text: draw(fragments_of(text)),
    )
    fault = draw(st.sampled_from([None, *FAULTS])) if broken else None
    if fault is not None:
        lines = FAULTS[fault](lines, draw(st.randoms(use_true_random=False)))
    return Stream(lines, writer.vendor, calls, end, fault)


def _plain_text() -> st.SearchStrategy[str]:
    return st.one_of(
        st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7F, exclude_characters='"\\')),
        st.text(st.characters(min_codepoint=0x80, max_codepoint=0xFF)),
        st.text(
            st.characters(min_codepoint=0x100, max_codepoint=0xFFFF, exclude_categories=["Cs"])
        ),
        st.text(st.characters(min_codepoint=0x10000)),
        st.builds(str.__mul__, st.sampled_from(["x", "é", "水", "😀"]), st.integers(1, 90)),
    )


def _escapes(surrogates: Surrogates) -> st.SearchStrategy[str]:
    units = st.integers(0, 0xD7FF) | st.integers(0xE000, 0xFFFF)
    found = st.sampled_from(ESCAPES) | st.builds("\\u{:04x}".format, units)
    if surrogates != "paired":
        halves = st.builds("\\u{:04X}".format, st.integers(0xD800, 0xDFFF))
        found |= halves | st.sampled_from(LONE_ESCAPED)
    if surrogates == "raw":
        halves = st.builds(chr, st.integers(0xD800, 0xDFFF))
        found |= halves | st.sampled_from(LONE_RAW) | st.sampled_from(MIXED_HALVES)
    return found


def _encodable() -> st.SearchStrategy[str]:
    return st.text(st.characters(exclude_categories=["Cs"]))


def _spaced(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    white_space = st.text(" \t\n\r", max_size=2)
    return st.builds("{}{}{}".format, white_space, texts, white_space)


def _containers(
    keys: st.SearchStrategy[str], values: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    members = st.builds("{}:{}".format, _spaced(keys), _spaced(values))
    return st.one_of(
        st.lists(_spaced(values), max_size=5).map(lambda parts: f"[{','.join(parts)}]"),
        st.lists(members, max_size=5).map(lambda parts: f"{{{','.join(parts)}}}"),
        st.sampled_from(["[]", "{}", "[ ]", "{\n}"]),
    )


def _nested(depth: int, value: str, in_objects: bool) -> str:
    if in_objects:
        return '{"a":' * depth + value + "}" * depth
    return "[" * depth + value + "]" * depth
