"""What is chosen by its name: one that there is not is told, with those that there are."""

from collections.abc import Mapping
from typing import TypeVar

__all__ = ["chosen"]

_T = TypeVar("_T")


def chosen(what: str, name: str, choices: Mapping[str, _T]) -> _T:
    """Return the choice of this name.

    Raises:
        ValueError: there is none; the message names ``what`` was to be chosen, and the choices.

    >>> chosen("size", "small", {"s": 1, "m": 2})
    Traceback (most recent call last):
        ...
    ValueError: size: 'small' is none of s, m
    """
    if name not in choices:
        raise ValueError(f"{what}: {name!r} is none of {', '.join(choices)}")
    return choices[name]
