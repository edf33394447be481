"""Cutting loses nothing, cuts everywhere, and can be repeated."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from fragjson import testing
from fragjson.testing import (
    WAYS,
    WRITERS,
    assert_never_runs_half_a_call,
    broken,
    cut,
    fragmentations,
    fragments,
    mixed,
    splits,
    tokens,
    units,
)
from fragjson.testing.strategies import json_texts

anything = st.one_of(st.text(), st.text(' \n{}[]:,"ab1é😀', max_size=200), st.binary())


def joined(pieces: Sequence[object], whole: str | bytes) -> str | bytes:
    if isinstance(whole, bytes):
        return b"".join(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
    encoded = (
        piece.encode("utf-8", "surrogatepass") if isinstance(piece, str) else bytes(piece)
        for piece in pieces
    )
    return b"".join(encoded).decode("utf-8", "surrogatepass")


@given(anything, st.integers())
@examples(100)
def test_every_way_to_cut_keeps_everything_and_its_type(data: str | bytes, seed: int) -> None:
    ways = dict(fragmentations(data, seed))
    assert next(iter(ways)) == "whole"
    for pieces in [*ways.values(), *splits(data), tokens(data), units(data), fragments(data, seed)]:
        assert data[:0].join(pieces) == data
        assert {type(piece) for piece in pieces} <= {type(data)}


@given(anything | st.text(st.characters(), min_size=1), st.integers())
@examples(100)
def test_a_mixture_of_types_means_the_same(data: str | bytes, seed: int) -> None:
    assert joined(mixed(data, seed), data) == data


def test_a_mixture_has_every_type_unless_that_would_mean_something_else() -> None:
    def types(data: str | bytes) -> set[type]:
        return {type(piece) for seed in range(30) for piece in mixed(data, seed) if piece}

    assert types("plain text") == {str, bytes, bytearray, memoryview}
    assert types(b"plain text") == {bytes, bytearray, memoryview}
    assert types("a lone \ud83d half") == types("\ufeffwith a BOM") == {str}


def test_it_is_cut_in_two_at_each_place_or_at_so_many_of_them() -> None:
    few, many = "abcdef", "x" * 500
    assert [[*each] for each in splits(few)] == [[few[:at], few[at:]] for at in range(1, 6)]
    names = [name for name, _ in fragmentations(few)]
    assert names == ["whole", *(f"cut at {at}" for at in range(1, 6)), *list(WAYS)[1:]]
    assert len(dict(fragmentations(many, most_splits=7))) == len(WAYS) + 7
    assert len(dict(fragmentations(many, most_splits=1000))) == len(WAYS) + 499


def test_the_same_seed_gives_the_same_and_another_one_another() -> None:
    text = "the quick brown fox " * 9
    for way in WAYS:
        assert cut(text, way, 1) == cut(text, way, 1)
        assert (cut(text, way, 1) != cut(text, way, 2)) == way.startswith("random")
    assert len({tuple(cut(text, f"random {turn}", 1)) for turn in range(3)}) == 3
    assert mixed(text, 5) == mixed(text, random.Random(5))
    assert fragments(text, 5) == fragments(text, random.Random(5))


def test_tokens_are_about_as_long_as_those_of_models_and_begin_where_words_do() -> None:
    text = "High water in Tromsø is at 06:12, according to the tables; take an umbrella. " * 9
    for data in (text, text.encode()):
        assert 3 < len(data) / len(tokens(data)) < 5
    assert tokens("take an umbrella") == ["take", " an", " umbrella"]


@pytest.mark.parametrize(
    ("choose", "says"),
    [
        (lambda: cut("text", "sideways"), "way: 'sideways' is none of whole, one by one, "),
        (lambda: broken(["{}"], "burn"), "fault: 'burn' is none of drop, repeat, "),
        (
            lambda: assert_never_runs_half_a_call(print, "openai"),
            "writer: 'openai' is none of ag_ui, .*openai_chat",
        ),
        (
            lambda: WRITERS["anthropic"].write(("find", {}), end="bang"),
            "end: 'bang' is none of success, cut, refused, error, eof$",
        ),
        (
            lambda: json_texts(surrogates="half"),
            "surrogates: 'half' is none of paired, escaped, raw$",
        ),
    ],
)
def test_a_name_that_there_is_not_is_told_with_those_that_there_are(choose: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        choose()


def test_all_names_of_the_kit_are_there_and_no_others() -> None:
    for name in testing.__all__:
        assert getattr(testing, name) is not None
    with pytest.raises(AttributeError, match=r"'fragjson\.testing' has no attribute 'fragment'"):
        _ = testing.fragment


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: WRITERS["openai_chat"].write("find", {}), "a call is a pair of .*, not 'find'"),
        (lambda: WRITERS["openai_chat"].write(("find",)), "a call is a pair of .*, not "),
        (lambda: broken([{"a": 1}], "drop"), "stream is a list of lines"),
        (lambda: broken("data: {}", "drop"), "stream is a list of lines"),
        (
            lambda: assert_never_runs_half_a_call("openai_chat", print),
            "harness is what reads a stream, not str",
        ),
    ],
)
def test_what_is_given_in_the_wrong_way_is_told(wrong: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        wrong()
