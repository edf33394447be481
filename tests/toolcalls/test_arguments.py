"""Comparing and writing values, where the type of each counts."""

from typing import Any

import pytest

from fragjson.toolcalls.arguments import same, written


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0), (1, True), (0, False), (None, False), ("1", 1), ([1], [1.0]), ([], {}),
        ({"a": 1}, {"b": 1}), ([1, 2], [2, 1]), ([1], [1, 2]), ({"a": [None]}, {"a": [[]]}),
        (float("nan"), 1.0),
    ],
)  # fmt: skip
def test_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert not same(other, one)
    assert same(one, one)


def test_same() -> None:
    assert same({"a": [1, {"b": "x"}], "c": None}, {"c": None, "a": [1, {"b": "x"}]})
    assert same([float("nan")], [float("nan")])
    one: Any = []
    other: Any = []
    for _ in range(100_000):
        one, other = [one], [other]
    assert same(one, other)


def test_numbers_are_written_as_finished() -> None:
    assert [written(value) for value in (1, -0.5, 1e400, "1", [1], None, True)] == [
        "1 ", "-0.5 ", "Infinity", '"1"', "[1]", "null", "true",
    ]  # fmt: skip
