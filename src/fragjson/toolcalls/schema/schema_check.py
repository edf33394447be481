"""Whether a JSON Schema is one: before anything is judged by it, not in the middle of a stream."""

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.schema._extras import needed
from fragjson.toolcalls.schema.schema_faults import shortened

if TYPE_CHECKING:
    from fragjson._types import Path

__all__ = ["BadSchemaError", "check", "needed_for_schemas"]

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class BadSchemaError(ValueError):
    """What is wrong with a schema, and where in it."""

    def __init__(self, path: "Iterable[str | int]", message: str) -> None:
        super().__init__(message)
        self.path = tuple(path)


def needed_for_schemas(module: str) -> Any:
    """Import a module of ``jsonschema`` or of what it brings.

    Raises:
        ImportError: it is not installed, or older than what brings it.
    """
    return needed(module, extra="schema", why="to check JSON Schemas")


def check(kind: Any, schema: Any) -> None:
    """Refuse what is no schema to this class of ``jsonschema``, or can never be decided.

    Raises:
        BadSchemaError: it breaks a rule of its draft, or a reference leads nowhere, to what is no
            schema, or back to where it stands without a step into the value.
    """
    _check_form(kind, schema)
    _check_references(kind, schema)


def _check_form(kind: Any, schema: Any) -> None:
    errors = needed_for_schemas("jsonschema.exceptions")
    try:
        kind.check_schema(schema)
    except errors.SchemaError as error:
        raise BadSchemaError(error.absolute_path, shortened(error.message)) from None


def _check_references(kind: Any, schema: Any) -> None:
    """Refuse references that lead nowhere, or to what is no schema, or round in a circle."""
    dialects = needed_for_schemas("referencing.jsonschema")
    dialect = dialects.specification_with(kind.ID_OF(kind.META_SCHEMA))
    root = dialect.create_resource(schema)
    known = needed_for_schemas("jsonschema_specifications").REGISTRY
    todo = [(root, known.resolver_with_root(root))]
    references: list[tuple[Any, str, Any]] = []
    words = {*kind.VALIDATORS, "then", "else"}  # these two are judged by what judges "if"
    same_value: dict[int, list[int]] = {}
    """Which schemas each one applies to the same value."""
    while todo or references:
        if todo:
            resource, resolver = todo.pop()
            inside = resource.contents
            if isinstance(inside, dict) and id(inside) not in same_value:
                used = {word: inside[word] for word in inside if word in words}
                same_value[id(inside)] = [id(each) for each in _for_the_same_value(used)]
                references += [(inside, word, resolver) for word in _REFERENCES if word in used]
                todo += [(each, resolver.in_subresource(each)) for each in resource.subresources()]
            continue
        inside, word, resolver = references.pop()
        place = (*_place_of(inside, schema), word)
        try:
            found = resolver.lookup(inside[word])
        except Exception as error:  # of many kinds, Python's own among them
            raise BadSchemaError(place, f"{inside[word]!r} leads nowhere ({error!r})") from None
        same_value[id(inside)].append(id(found.contents))
        if id(found.contents) not in same_value:
            try:
                _check_form(kind, found.contents)
            except BadSchemaError as error:
                raise BadSchemaError(place, f"{inside[word]!r} is no schema: {error}") from None
            todo.append((dialect.create_resource(found.contents), found.resolver))
    try:
        TopologicalSorter(same_value).prepare()
    except CycleError:
        raise BadSchemaError((), "a $ref leads back to itself for the same value") from None


def _for_the_same_value(schema: dict[str, Any]) -> Iterator[Any]:
    for word in ("not", "if", *(("then", "else") if "if" in schema else ())):
        if word in schema:
            yield schema[word]
    for word in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(word, ())
    for word in ("dependentSchemas", "dependencies"):
        yield from schema.get(word, {}).values()


def _place_of(wanted: Any, schema: Any) -> "Path":
    todo: list[tuple[Path, Any]] = [((), schema)]
    while todo:
        path, inside = todo.pop()
        if inside is wanted:
            return path
        if isinstance(inside, dict):
            todo += [((*path, name), each) for name, each in inside.items()]
        elif isinstance(inside, list):
            todo += [((*path, index), each) for index, each in enumerate(inside)]
    return ()
