"""The schemas of Gemini's function declarations, a dialect of OpenAPI's, as JSON Schema.

Their types are upper case, ``nullable`` takes the place of a type, lengths may be strings (they are
64 bits wide), and so are the numbers of an ``enum``. The SDK spells words in snake_case.
"""

from typing import Any

from fragjson.toolcalls.schema.schema_faults import TYPES
from fragjson.vendors._reading import as_text, json_safe

__all__ = ["as_json_schema"]

_WORDS = {
    "additional_properties": "additionalProperties", "any_of": "anyOf", "defs": "$defs",
    "max_items": "maxItems", "max_length": "maxLength", "max_properties": "maxProperties",
    "min_items": "minItems", "min_length": "minLength", "min_properties": "minProperties",
    "prefix_items": "prefixItems", "ref": "$ref",
}  # fmt: skip
_COUNTS = (
    "maxItems", "maxLength", "maxProperties", "minItems", "minLength", "minProperties",
)  # fmt: skip
_NUMBERS = {"integer": int, "number": float}


def as_json_schema(schema: Any) -> Any:
    """Return the JSON Schema that says the same.

    >>> as_json_schema({"type": "ARRAY", "items": {"type": "STRING", "nullable": True}})
    {'type': 'array', 'items': {'anyOf': [{'type': 'string'}, {'type': 'null'}]}}
    """
    given = json_safe(schema)
    if not isinstance(given, dict):
        return given
    found: dict[Any, Any] = {
        _WORDS.get(word, word): value for word, value in given.items() if value is not None
    }
    nullable = found.pop("nullable", False)
    for word in ("items", "additionalProperties"):
        if word in found:
            found[word] = as_json_schema(found[word])
    for word in ("anyOf", "prefixItems"):
        if isinstance(found.get(word), list):
            found[word] = [as_json_schema(each) for each in found[word]]
    for word in ("properties", "$defs"):
        if isinstance(found.get(word), dict):
            found[word] = {name: as_json_schema(each) for name, each in found[word].items()}
    for word in _COUNTS:
        if isinstance(found.get(word), str):
            found[word] = _number(found[word], int)
    if isinstance(found.get("$ref"), str):
        found["$ref"] = found["$ref"].replace("#/defs/", "#/$defs/", 1)
    _spell_type(found)
    if not nullable:
        return found
    definitions = {"$defs": found.pop("$defs")} if "$defs" in found else {}
    return {**definitions, "anyOf": [found, {"type": "null"}]}


def _spell_type(found: dict[str, Any]) -> None:
    kind = as_text(found.get("type"))
    if kind.lower() in (*TYPES.values(), "integer"):
        kind = found["type"] = kind.lower()
    elif kind == "TYPE_UNSPECIFIED":
        del found["type"]
    if kind in _NUMBERS and isinstance(found.get("enum"), list):
        found["enum"] = [
            _number(each, _NUMBERS[kind]) if isinstance(each, str) else each
            for each in found["enum"]
        ]


def _number(text: str, kind: type[int] | type[float]) -> Any:
    try:
        return kind(text)
    except ValueError:
        return text  # which the check of the schema will refuse, where it matters
