"""JSON Schema: rules for what a beginning proves, and ``jsonschema`` for the verdict.

The keywords of ``_FILL`` are followed while the value streams, the others are left to the verdict.
A finished string, number, boolean or null is judged at once, by ``jsonschema`` itself, so the two
cannot disagree. Drafts 3 and 4, and subschemas with an ``$id`` or ``$schema`` of their own, are
left to the verdict altogether. ``format`` is an annotation, and nothing is ever fetched.
"""

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from fragjson.toolcalls.schema.rules import OF_CONSTANT, Choice, Kinds, Limit, Rule, Texts
from fragjson.toolcalls.schema.schema_check import BadSchemaError, check, needed_for_schemas
from fragjson.toolcalls.schema.schema_faults import (
    MISSING,
    NOTHING,
    SAY,
    TYPES,
    UNKNOWN,
    allowed_types,
    any_of_patterns,
    faults_of,
    none_of,
    not_in,
    not_of_type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fragjson._types import Path

__all__ = ["JSONSchema"]

_OF_ATOMS = frozenset(
    ("type", "enum", "const", "pattern", "minLength", "maxLength", "minimum", "maximum",
     "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "oneOf", "not", "if", "then", "else")
)  # fmt: skip
"""Keywords that say all about a string, number, boolean or null that ``also`` and ``choices`` do
not say; of ``oneOf`` that is whether more than one fits."""


class JSONSchema:
    """A JSON Schema of the draft its ``$schema`` names, by default 2020-12.

    Raises:
        BadSchemaError: see ``check``.
        ImportError: ``jsonschema`` is not installed.
    """

    def __init__(self, schema: Any) -> None:
        validators = needed_for_schemas("jsonschema.validators")
        kind = validators.validator_for(schema, default=validators.Draft202012Validator)
        try:
            check(kind, schema)
            known = needed_for_schemas("jsonschema_specifications").REGISTRY
            self._validator = kind(schema, registry=known)  # with a registry it fetches nothing
            self.rule = _Compiler(self._validator).rule(schema)
        except RecursionError:
            raise BadSchemaError((), "nested too deep") from None

    def verdict(self, value: Any) -> "list[tuple[Path, str]]":
        """Say everything that is wrong with a whole value: where, and what."""
        errors = self._validator.iter_errors(value)
        return [fault for error in errors for fault in faults_of(error)]

    def fresh(
        self, found: "Iterable[tuple[Path, str]]", told: "set[tuple[Path, str]]"
    ) -> "list[tuple[Path, str]]":
        """Return what a verdict found and nobody was told of, be it in other words."""
        # Of a member or item that may not be there, jsonschema names only what it is in.
        refused = {(path[:-1], NOTHING) for path, text in told if path and text == NOTHING}
        return [fault for fault in found if fault not in told and fault not in refused]


class _Compiler:
    """Makes the rules of one schema, each subschema once."""

    def __init__(self, validator: Any) -> None:
        self._validator = validator
        self._root = validator.schema
        names = frozenset(validator.VALIDATORS)
        self._words = names if "const" in names else frozenset()  # draft 6 or later
        self._reference_alone = "unevaluatedItems" not in names  # before 2019-09
        self._rules: dict[int, Rule] = {}

    def rule(self, schema: Any) -> Rule:
        if isinstance(schema, bool):
            return Rule() if schema else Rule(kinds=[Kinds(frozenset(), lambda _: NOTHING)])
        if id(schema) not in self._rules:
            rule = self._rules[id(schema)] = Rule()
            if schema is self._root or not ("$id" in schema or "$schema" in schema):
                self._fill(rule, schema)
        return self._rules[id(schema)]

    def _fill(self, rule: Rule, schema: dict[str, Any]) -> None:
        words = self._words.intersection(schema)
        if self._reference_alone and "$ref" in words:
            words = frozenset(("$ref",))
        for word in sorted(words & _FILL.keys()):
            _FILL[word](self, rule, schema[word], schema)
        own = {word: schema[word] for word in schema if word in words and word in _OF_ATOMS}
        if own.keys() - {"type"} or "integer" in own.get("type", ()):
            rule.judge = self._judge(own)

    def _judge(self, schema: dict[str, Any]) -> "Callable[[Any], list[str]]":
        validator = self._validator.evolve(schema=schema)

        def judge(value: Any) -> list[str]:
            try:
                errors = list(validator.iter_errors(value))
                return [text for error in errors for _, text in faults_of(error)]
            except Exception:  # arithmetic on a huge number, for one: the verdict tells of it
                return []

        return judge

    def target(self, reference: str) -> Any:
        """Return what a reference into this very document leads to; elsewhere: anything."""
        if reference != "#" and not reference.startswith("#/"):
            return True
        found = self._root
        for step in unquote(reference).split("/")[1:]:
            if found is not self._root and "$id" in found:
                return True
            name = step.replace("~1", "/").replace("~0", "~")
            found = found[int(name) if isinstance(found, list) else name]
        return found


def _type(_: _Compiler, rule: Rule, value: Any, __: Any) -> None:
    rule.kinds.append(Kinds(allowed_types(value), lambda found: not_of_type(value, found)))


def _enum(_: _Compiler, rule: Rule, value: Any, __: Any) -> None:
    _one_of(rule, value, not_in(value))


def _const(_: _Compiler, rule: Rule, value: Any, __: Any) -> None:
    _one_of(rule, [value], not_in([value]))


def _one_of(rule: Rule, values: list[Any], fault: str) -> None:
    if all(type(each) in TYPES for each in values):  # not so where a schema holds Python's own
        allowed = frozenset(TYPES[type(each)] for each in values)
        rule.kinds.append(Kinds(allowed, lambda _: fault, OF_CONSTANT))
        rule.texts.append(Texts([each for each in values if type(each) is str], fault))


def _properties(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.members = {name: compiler.rule(each) for name, each in value.items()}


def _pattern_properties(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.patterns = [(re.compile(each), compiler.rule(inner)) for each, inner in value.items()]
    rule.named = any_of_patterns(value)


def _additional_properties(compiler: _Compiler, rule: Rule, value: Any, schema: Any) -> None:
    if value is False:
        rule.closed = UNKNOWN
    else:
        rule.others = compiler.rule(value)


def _required(_: _Compiler, rule: Rule, value: Any, __: Any) -> None:
    rule.required = dict.fromkeys(value, MISSING)


def _prefix_items(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.first = [compiler.rule(each) for each in value]


def _items(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    if isinstance(value, list):  # before 2020-12
        rule.first = [compiler.rule(each) for each in value]
    else:
        rule.rest = compiler.rule(value)


def _additional_items(compiler: _Compiler, rule: Rule, value: Any, schema: Any) -> None:
    if isinstance(schema.get("items"), list):
        rule.rest = compiler.rule(value)


def _limit(name: str, word: str) -> "Callable[[_Compiler, Rule, Any, Any], None]":
    def fill(_: _Compiler, rule: Rule, value: Any, __: Any) -> None:
        setattr(rule, name, Limit(value, SAY[word](value)))

    return fill


def _reference(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.also.append(compiler.rule(compiler.target(value)))


def _all_of(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.also += [compiler.rule(each) for each in value]


def _any_of(compiler: _Compiler, rule: Rule, value: Any, _: Any) -> None:
    rule.choices.append(Choice([compiler.rule(each) for each in value], none_of(value)))


_FILL: "dict[str, Callable[[_Compiler, Rule, Any, Any], None]]" = {
    "$ref": _reference,
    "additionalItems": _additional_items,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "const": _const,
    "enum": _enum,
    "items": _items,
    "maxItems": _limit("max_items", "maxItems"),
    "maxLength": _limit("max_length", "maxLength"),
    "maxProperties": _limit("max_members", "maxProperties"),
    "minItems": _limit("min_items", "minItems"),
    "minProperties": _limit("min_members", "minProperties"),
    "oneOf": _any_of,
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "required": _required,
    "type": _type,
}
