"""pydantic models: pydantic itself gives the verdict on a whole call.

It takes the arguments as JSON, since that is what they are: a strict model still takes a date from
a string. What is told before comes from ``model_rules``.
"""

import json
from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.schema._pydantic import Core, errors_of, needed_for_models, say
from fragjson.toolcalls.schema.model_rules import NONE_FITS, rule_of
from fragjson.toolcalls.schema.rules import Rule
from fragjson.toolcalls.schema.schema_check import BadSchemaError
from fragjson.toolcalls.schema.schema_faults import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fragjson._types import Path

__all__ = ["ModelSchema"]


class ModelSchema:
    """What a pydantic model or a ``TypeAdapter`` accepts.

    Raises:
        BadSchemaError: it refers to what is not defined yet.
        ImportError: pydantic is not installed.
    """

    def __init__(self, model: Any) -> None:
        pydantic = needed_for_models("pydantic")
        try:
            is_adapter = isinstance(model, pydantic.TypeAdapter)
            self._adapter = model if is_adapter else pydantic.TypeAdapter(model)
            core: Core = self._adapter.core_schema
            core["type"]  # made only now, if it could not be before
        except pydantic.PydanticUserError as error:
            raise BadSchemaError((), shortened(error.message)) from None
        # A configuration of the adapter's own applies to all of it, and cannot be read.
        own = getattr(self._adapter, "_config", model)
        self.rule = Rule() if own is not None else rule_of(core)

    def verdict(self, value: Any) -> "list[tuple[Path, str]]":
        """Say everything that is wrong with a whole value: where, and what."""
        found = errors_of(self._adapter, json.dumps(value))
        return [(_path_of(error, value), say(error)) for error in found]

    def fresh(
        self, found: "Iterable[tuple[Path, str]]", told: "set[tuple[Path, str]]"
    ) -> "list[tuple[Path, str]]":
        """Return what a verdict found and nobody was told of, be it in other words."""
        return [
            (path, text)
            for path, text in found
            # Of alternatives that fail, pydantic says what is wrong in each.
            if (path, text) not in told
            and not any((path[:depth], NONE_FITS) in told for depth in range(len(path) + 1))
        ]


def _path_of(error: Any, value: Any) -> "Path":
    """Return the place in the document; a location also names branches and functions."""
    path: list[str | int] = []
    for step in error["loc"]:
        inside = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if inside or (isinstance(value, dict) and step in value):
            path.append(step)
            value = value[step]
    if error["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        path.append(error["loc"][-1])
    return tuple(path)
