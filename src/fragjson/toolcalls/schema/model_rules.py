"""Rules from pydantic's core schemas: what a beginning proves against a model.

What a model accepts is not what its JSON Schema says: by default ``"3"`` is an ``int``, and a
validator that runs before can turn anything into anything. So the rules are made from the core
schema, for the kinds below; the others, and whatever a function stands in front of, are left to the
verdict. A finished string, number, boolean or null is judged by pydantic itself.
"""

import enum
import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.schema._pydantic import (
    Core,
    errors_of,
    first_message,
    message,
    say,
    too_long,
    validator_of,
)
from fragjson.toolcalls.schema.rules import Choice, Kinds, Limit, Rule, Texts

if TYPE_CHECKING:
    from fragjson._types import JSONType

__all__ = ["ATOMS", "NONE_FITS", "rule_of"]

ATOMS: "dict[str, set[JSONType]]" = {
    **{kind: {"string", "number", "boolean"} for kind in (
        "bool", "date", "datetime", "decimal", "float", "int", "time", "timedelta")},
    **{kind: {"string"} for kind in ("bytes", "multi-host-url", "str", "url", "uuid")},
    **{kind: {"string", "number", "boolean", "null"} for kind in ("enum", "literal")},
    "none": {"null"},
}  # fmt: skip
"""Which JSON types these kinds can take at all."""
_STRICT_ATOMS: "dict[str, set[JSONType]]" = {
    "bool": {"boolean"}, "float": {"number"}, "int": {"number"},
}  # fmt: skip
_ARRAYS = ("frozenset", "list", "set", "tuple")
_MAY_HAVE_DEFAULT = ("chain", "default", "definition-ref", "json-or-python", "lax-or-strict")
_WITH_FIELDS = ("dataclass-args", "model-fields", "typed-dict")
_SAMPLES: "dict[JSONType, str]" = {
    "string": '""', "number": "0.5", "boolean": "true", "null": "null", "array": "[]",
    "object": "{}",
}  # fmt: skip
_PLAIN_CONSTANTS = (str, int, bool, type(None))
_NO_BEARING = ("metadata", "ref", "serialization")

NONE_FITS = "Input should fit one of several types, and fits none of them"


def rule_of(core: Core) -> Rule:
    """Return the rule of a core schema."""
    return _Compiler().rule(core, {})


class _Compiler:
    """Makes the rules of one core schema."""

    def __init__(self) -> None:
        self._known: dict[str, Core] = {}
        self._made: dict[str, Rule] = {}

    def rule(self, core: Core, config: Core) -> Rule:
        """Return the rule of a core schema; one that says nothing for kinds that are not known."""
        kind = core["type"]
        if kind in ATOMS:
            return self._atom(core, config)
        if kind in _ARRAYS:
            return self._array(core, config)
        if kind in _WITH_FIELDS:
            return self._fields(core, core.get("config", config))
        fill = _FILL.get(kind)
        return fill(self, core, config) if fill is not None else Rule()

    def _atom(self, core: Core, config: Core) -> Rule:
        kind = core["type"]
        if kind in ("enum", "literal") and not _is_plain(core):
            return Rule()
        takes = set(ATOMS[kind])
        if core.get("strict", config.get("strict")):
            takes = _STRICT_ATOMS.get(kind, takes)
        if kind == "str" and core.get("coerce_numbers_to_str", config.get("coerce_numbers_to_str")):
            takes.add("number")
        own = {word: core[word] for word in core if word not in _NO_BEARING}
        rule = _taking(takes, own, config)
        rule.judge = _judge(own, config)
        constants = _constants(core)
        if constants and all(type(each) is str for each in constants):
            rule.texts.append(Texts(constants, first_message(own, config, '""')))
        elif kind == "str" and "max_length" in core and not _changes_length(core, config):
            text = message("string_too_long", max_length=core["max_length"])
            rule.max_length = Limit(core["max_length"], text)
        return rule

    def _array(self, core: Core, config: Core) -> Rule:
        rule = _taking({"array"}, {"type": "list"}, config)
        items = core.get("items_schema")
        if core["type"] == "tuple":
            first = items or ()
            if "variadic_item_index" in core:
                first = first[: core["variadic_item_index"]]
            rule.first = [self.rule(each, config) for each in first]
        elif items is not None:
            rule.rest = self.rule(items, config)
            # Functions can leave items out, and a set those that are there already.
            if core["type"] == "list" and "max_length" in core and items["type"] in ATOMS:
                rule.max_items = Limit(core["max_length"], too_long("List", core["max_length"]))
        return rule

    def _dict(self, core: Core, config: Core) -> Rule:
        rule = _taking({"object"}, {"type": "dict"}, config)
        if "values_schema" in core:
            rule.others = self.rule(core["values_schema"], config)
        return rule

    def _fields(self, core: Core, config: Core) -> Rule:
        rule = _taking({"object"}, {"type": "dict"}, config)
        fields = core["fields"]
        named = fields.items() if isinstance(fields, Mapping) else [(f["name"], f) for f in fields]
        for name, each in named:
            alias = each.get("validation_alias", name)
            for known in (name, *_heads(alias)):
                rule.members.setdefault(known, Rule())
            by_alias = alias == name or config.get("validate_by_alias", True)
            if isinstance(alias, str) and by_alias and each.get("init", True):
                rule.members[alias].also.append(self.rule(each["schema"], config))
                by_name = alias != name and config.get("validate_by_name")
                if not by_name and self._is_required(core, each):
                    rule.required[alias] = message("missing")
        if core.get("extra_behavior", config.get("extra_fields_behavior")) == "forbid":
            rule.closed = message("extra_forbidden")
        return rule

    def _is_required(self, core: Core, each: Core) -> bool:
        if core["type"] == "typed-dict":
            return bool(each.get("required"))
        inner = each["schema"]
        while inner["type"] not in _MAY_HAVE_DEFAULT and isinstance(inner.get("schema"), Mapping):
            inner = inner["schema"]
        return inner["type"] not in _MAY_HAVE_DEFAULT

    def _model(self, core: Core, config: Core) -> Rule:
        if core.get("custom_init"):
            return Rule()
        return self.rule(core["schema"], core.get("config", {}))

    def _dataclass(self, core: Core, config: Core) -> Rule:
        return self.rule(core["schema"], core.get("config", config))

    def _default(self, core: Core, config: Core) -> Rule:
        if core.get("on_error", "raise") != "raise":
            return Rule()
        return self.rule(core["schema"], config)

    def _function_after(self, core: Core, config: Core) -> Rule:
        return self.rule(core["schema"], config)

    def _json_or_python(self, core: Core, config: Core) -> Rule:
        return self.rule(core["json_schema"], config)

    def _nullable(self, core: Core, config: Core) -> Rule:
        ways = [{"type": "none"}, core["schema"]]
        return Rule(choices=[Choice([self.rule(each, config) for each in ways], NONE_FITS)])

    def _union(self, core: Core, config: Core) -> Rule:
        if "custom_error_type" in core:
            return Rule()
        ways = [each[0] if isinstance(each, tuple) else each for each in core["choices"]]
        return Rule(choices=[Choice([self.rule(each, config) for each in ways], NONE_FITS)])

    def _tagged_union(self, core: Core, config: Core) -> Rule:
        return self._union({**core, "choices": list(core["choices"].values())}, config)

    def _definitions(self, core: Core, config: Core) -> Rule:
        self._known.update((each["ref"], each) for each in core["definitions"])
        return self.rule(core["schema"], config)

    def _definition_ref(self, core: Core, _: Core) -> Rule:
        name = core["schema_ref"]
        if name not in self._made:
            rule = self._made[name] = Rule()
            definition = self._known.get(name, {"type": "any"})
            if definition["type"] in ("model", "dataclass", "typed-dict", "enum"):
                rule.also.append(self.rule(definition, {}))
        return self._made[name]


_FILL: dict[str, Callable[[_Compiler, Core, Core], Rule]] = {
    "dataclass": _Compiler._dataclass,
    "default": _Compiler._default,
    "definition-ref": _Compiler._definition_ref,
    "definitions": _Compiler._definitions,
    "dict": _Compiler._dict,
    "function-after": _Compiler._function_after,
    "json-or-python": _Compiler._json_or_python,
    "model": _Compiler._model,
    "nullable": _Compiler._nullable,
    "tagged-union": _Compiler._tagged_union,
    "union": _Compiler._union,
}


def _taking(takes: "set[JSONType]", sample_of: Core, config: Core) -> Rule:
    @cache
    def fault(found: "JSONType") -> str:
        return first_message(sample_of, config, _SAMPLES[found])

    return Rule(kinds=[Kinds(frozenset(takes), fault)])


def _judge(core: Core, config: Core) -> Callable[[Any], list[str]]:
    validator = validator_of(core, config)

    def judge(value: Any) -> list[str]:
        errors = errors_of(validator, json.dumps(value))
        # A lone half of a surrogate pair is a fault of the whole document to pydantic.
        return [say(error) for error in errors if error["type"] != "json_invalid"]

    return judge


def _constants(core: Core) -> list[Any]:
    if core["type"] == "enum":
        return [each.value for each in core["members"]]
    return list(core.get("expected", ()))


def _is_plain(core: Core) -> bool:
    """Whether constants are all there is to an enum or literal."""
    missing = getattr(core.get("cls"), "_missing_", enum.Enum._missing_)
    has_hook = getattr(missing, "__func__", None) is not enum.Enum._missing_.__func__  # type: ignore[attr-defined]
    return not has_hook and all(type(each) in _PLAIN_CONSTANTS for each in _constants(core))


def _changes_length(core: Core, config: Core) -> bool:
    words = ("strip_whitespace", "to_lower", "to_upper")
    return any(core.get(word) or config.get(f"str_{word}") for word in words)


def _heads(alias: Any) -> Iterator[str]:
    """Give the names of members that an alias may lead to."""
    if isinstance(alias, str):
        yield alias
    elif alias and isinstance(alias[0], str):
        yield alias[0]
    else:
        yield from (each[0] for each in alias)
