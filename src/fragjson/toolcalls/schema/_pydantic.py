"""What checking calls and showing them in part both need of pydantic."""

import sys
from collections.abc import Mapping
from typing import Any, TypeAlias

from fragjson.toolcalls.schema._extras import needed

__all__ = [
    "Core", "errors_of", "first_message", "message", "needed_for_models", "say", "too_long",
    "validator_of",
]  # fmt: skip

Core: TypeAlias = Mapping[str, Any]
"""A core schema, or the configuration that applies where it stands."""

_OLDEST = (2, 11)


def needed_for_models(module: str) -> Any:
    """Import a module of pydantic or its core.

    Raises:
        ImportError: it is not installed, or its core schemas are not yet those known here.
    """
    pydantic = needed("pydantic", extra="pydantic", why="for models")
    if tuple(map(int, pydantic.VERSION.split(".")[:2])) < _OLDEST:
        raise ImportError(
            f"pydantic {pydantic.VERSION} is too old: {'.'.join(map(str, _OLDEST))} is needed"
        )
    return needed(module, extra="pydantic", why="for models")


def validator_of(core: Core, config: Core) -> Any:
    """Make pydantic's validator of a core schema that stands alone."""
    pydantic_core = needed_for_models("pydantic_core")
    return pydantic_core.SchemaValidator(core, config or None)


def errors_of(validator: Any, text: str) -> list[Any]:
    """Validate JSON, and return what is wrong with it, as pydantic's ``errors()`` gives it."""
    try:
        validator.validate_json(text)
    except sys.modules["pydantic_core"].ValidationError as error:  # imported with the validator
        return list(error.errors(include_url=False, include_input=False))
    return []


def first_message(core: Core, config: Core, sample: str) -> str:
    """Return the first thing that is said of a JSON text."""
    errors = errors_of(validator_of(core, config), sample)
    return say(errors[0]) if errors else ""


def say(error: Any) -> str:
    """Return what is said of an error, whenever it is found."""
    if error["type"] == "too_long":  # the message has a count that grows
        return too_long(error["ctx"]["field_type"], error["ctx"]["max_length"])
    return str(error["msg"])


def too_long(kind: str, most: int) -> str:
    """Return what is said of too many items."""
    return f"{kind} should have at most {most} item{'s' if most != 1 else ''} after validation"


def message(kind: str, **context: Any) -> str:
    """Return what pydantic says of a kind of error."""
    core = needed_for_models("pydantic_core")
    return str(core.PydanticKnownError(kind, context or None).message())
