"""A chunk in other shapes: as an SDK makes it, and with something missing."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

__all__ = ["as_object", "with_nulls"]

_OBJECTS = ("args", "arguments", "input")
"""Where vendors send arguments as objects: what is in there is the model's, and a dict in SDKs."""


def with_nulls(value: Any) -> Iterator[Any]:
    """Yield the chunk with each value within set to null, one at a time."""
    keys: Any = ()
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
    for key in keys:
        for poorer in (None, *(() if key in _OBJECTS else with_nulls(value[key]))):
            copy = value.copy()
            copy[key] = poorer
            yield copy


def as_object(value: Any) -> Any:
    """Return the chunk with attributes for its members."""
    if isinstance(value, dict):
        members = {
            name: child if name in _OBJECTS else as_object(child) for name, child in value.items()
        }
        return _Object(**members)
    return [as_object(child) for child in value] if isinstance(value, list) else value


class _Object(SimpleNamespace):
    """A chunk as pydantic makes it: it knows which members have been set."""

    @property
    def model_fields_set(self) -> set[str]:
        return set(vars(self))
