"""What is said of a value that does not fit a JSON Schema, and where.

The text is made from the keyword alone wherever the fault can be told early, so that it reads the
same whenever it is found. What ``jsonschema`` says is used for the rest, shortened: it quotes the
value, however long.
"""

import json
import re
from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.schema.rules import OF_CONSTANT, OF_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fragjson._types import JSONType, Path

__all__ = [
    "MISSING", "NOTHING", "SAY", "TYPES", "UNKNOWN", "allowed_types", "any_of_patterns",
    "faults_of", "none_of", "not_in", "not_of_type", "shortened",
]  # fmt: skip

TYPES: "dict[type, JSONType]" = {
    dict: "object", list: "array", str: "string", int: "number", float: "number",
    bool: "boolean", type(None): "null",
}  # fmt: skip
_LONG = 200
"""Characters of a text that quotes the value or the schema."""

NOTHING = "nothing is allowed here"
UNKNOWN = "unknown property"
MISSING = "required property is missing"
SAY: "dict[str, Callable[[Any], str]]" = {
    "maxItems": "more than {} items".format,
    "maxLength": "longer than {} characters".format,
    "maxProperties": "more than {} properties".format,
    "minItems": "fewer than {} items".format,
    "minLength": "shorter than {} characters".format,
    "minProperties": "fewer than {} properties".format,
    "pattern": "does not match the pattern {}".format,
}


def faults_of(error: Any) -> "Iterator[tuple[Path, str]]":
    """Turn an error of ``jsonschema`` into faults: for names and items refused, one for each."""
    path, schema, value = tuple(error.absolute_path), error.schema, error.instance
    if error.validator_value is False and error.validator == "additionalProperties":
        fits = any_of_patterns(schema.get("patternProperties", ()))
        for name in value:
            if name not in schema.get("properties", ()) and not (fits and fits.search(name)):
                yield (*path, name), UNKNOWN
    elif error.validator == "required":  # an error for each, that does not say for which
        yield from (((*path, name), MISSING) for name in schema["required"] if name not in value)
    elif error.validator_value is False and error.validator in ("items", "additionalItems"):
        first = schema.get("prefixItems" if error.validator == "items" else "items", ())
        for index in range(len(first), len(value)):
            yield (*path, index), NOTHING
    elif error.validator in ("anyOf", "oneOf") and len(left := _meant(error)) == 1:
        for inner in left[0]:
            yield from faults_of(inner)
    else:
        yield path, _say(error)


def _meant(error: Any) -> list[list[Any]]:
    """Return the errors of each branch, but for those that the value was not meant for."""
    return [errors for errors in _branches(error) if max(map(_reach, errors)) < 0]


def _branches(error: Any) -> list[list[Any]]:
    branches: dict[Any, list[Any]] = {}
    for each in error.context:
        # The error of a branch that is ``false`` does not say which one it was.
        which = each.schema_path[0] if each.schema_path else object()
        branches.setdefault(which, []).append(each)
    return list(branches.values())


def _reach(error: Any) -> int:
    """Return how many steps above it an error tells alternatives apart, as ``Fault`` has it."""
    if error.validator in ("enum", "const"):
        reach = OF_CONSTANT
    elif error.validator is None or (
        error.validator == "type"
        and _kind_of(error.instance) not in allowed_types(error.validator_value)
    ):
        reach = OF_TYPE
    elif error.context:
        reach = min(max(map(_reach, errors)) for errors in _branches(error))
    else:
        reach = -1
    return reach - len(error.relative_path)


def _say(error: Any) -> str:
    word, wanted, value = error.validator, error.validator_value, error.instance
    if word is None:
        return NOTHING
    if word == "type":
        found = _kind_of(value)
        return not_of_type(wanted, repr(value) if found in allowed_types(wanted) else found)
    if word in ("enum", "const"):
        return not_in(wanted if word == "enum" else [wanted])
    if word in ("anyOf", "oneOf"):
        return none_of(wanted) if error.context else "fits more than one of the alternatives"
    return SAY[word](wanted) if word in SAY else shortened(error.message)


def not_of_type(wanted: str | list[str], found: str) -> str:
    words = wanted if isinstance(wanted, str) else " or ".join(wanted)
    return f"expected {words}, not {found}"


def _kind_of(value: Any) -> str:
    return TYPES.get(type(value)) or type(value).__name__


def allowed_types(types: str | list[str]) -> frozenset[str]:
    """Return the JSON types that the value of a ``type`` keyword allows."""
    words = [types] if isinstance(types, str) else types
    return frozenset("number" if word == "integer" else word for word in words)


def any_of_patterns(patterns: "Iterable[str]") -> re.Pattern[str] | None:
    """Join patterns as ``jsonschema`` does, also where that changes their meaning."""
    joined = "|".join(patterns)
    return re.compile(joined) if joined else None


def not_in(values: list[Any]) -> str:
    listed = ", ".join(json.dumps(each, ensure_ascii=False, default=str) for each in values)
    return shortened(f"expected one of {listed}" if len(values) > 1 else f"expected {listed}")


def none_of(schemas: list[Any]) -> str:
    return shortened(f"fits none of: {'; '.join(map(_outline, schemas))}")


def _outline(schema: Any) -> str:
    """Say in a word or two what a schema takes."""
    if isinstance(schema, bool):
        return "anything" if schema else "nothing"
    constants = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if constants:
        return not_in(constants).removeprefix("expected ")
    name = schema.get("title") or str(schema.get("$ref", "")).rpartition("/")[2]
    kinds = schema.get("type", "something else")
    members = ", ".join(schema.get("required", ()))
    outline = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return name or (f"{outline} with {members}" if members else outline)


def shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 3]}..."
