"""A pydantic model of arguments that are still being written.

pydantic's own partial validation knows no models, and overlooks a fault in whatever comes last,
finished or not. So here the parser says what is still open: that is one value and the containers
around it. Promised: every finished value is validated as pydantic always does, and is an error
where it is wrong; an open one shows as far as it is certain, and is left out where nothing is. What
is left out:

* an open string that is no string to the model, or not a valid one yet;
* an open object or array where several types are possible, where a function of the user's is to
  see it, or of a kind that cannot be had in part (sets, tuples, dataclasses);
* what validators of an open model, after its fields, would do: they run when it is whole.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from fragjson.toolcalls.schema._pydantic import Core, needed_for_models, validator_of
from fragjson.toolcalls.schema.model_rules import ATOMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from fragjson._types import Path

__all__ = ["partial_model"]

Model = TypeVar("Model")

_Show: TypeAlias = "Callable[[Any, tuple[Any, ...], Path], Any]"
"""Shows an open value: given it, the way from it to the innermost open value, and its own path."""

_LEFT_OUT: Any = object()
_WRONG: Any = object()
"""Instead of a value: there is nothing to show; and there never can be, for the type is another."""
_NEVER_TEXT = ("dict", "list", "model", "none", "set", "tuple", "typed-dict")
_MODELS = 64
"""What is made for a model is kept for the next time, for that many."""


def partial_model(model: type[Model], value: Any, open_path: "Path | None") -> Model:
    """Return the model with the fields that have come.

    Args:
        model: a subclass of ``pydantic.BaseModel``.
        value: the value so far; ``None`` if there is none.
        open_path: the path of the innermost value that is open; ``None`` if all is finished.

    Raises:
        pydantic.ValidationError: something finished is not what the model wants.
        TypeError: it is no such model.
    """
    pydantic = needed_for_models("pydantic")
    if not (isinstance(model, type) and issubclass(model, pydantic.BaseModel)):
        raise TypeError(f"a subclass of pydantic.BaseModel is wanted, not {model!r}")
    found: Any = _LEFT_OUT
    if open_path is None:
        found = pydantic.TypeAdapter(model).validate_json(json.dumps(value))
    elif value is not None:
        key: Any = model
        try:
            found = _places_of(key).show(value, open_path, ())
        except RecursionError:  # nested too deep to be shown, which is no fault of the value
            found = _LEFT_OUT
    shown: Model = found if _is_shown(found) else _instance(model, {}, {})
    return shown


@lru_cache(_MODELS)
def _places_of(model: Any) -> "_Places":
    adapter = needed_for_models("pydantic").TypeAdapter(model)
    return _Places(adapter.core_schema, model.__name__)


class _Places:
    """Makes what shows open values, for each place of one core schema."""

    def __init__(self, core: Core, title: str) -> None:
        self._title = title
        self._definitions: list[Core] = []
        self._made: dict[str, _Show] = {}
        if core["type"] == "definitions":
            self._definitions, core = core["definitions"], core["schema"]
        self.show = self._place(core, {})

    def _place(self, core: Core, config: Core) -> _Show:
        inner, last_word = core, False
        while inner["type"] in ("default", "function-after", "nullable"):
            last_word |= inner["type"] == "function-after"
            inner = inner["schema"]
        # Of a function after a model it can be said that it returns one; not so of others.
        make = None if last_word and inner["type"] != "model" else _MAKE.get(inner["type"])
        container: _Show = _wrong if inner["type"] in ATOMS else _left_out
        if make is not None:
            container = make(self, inner, config)
        text = self._text(core, config) if _is_sure_of_text(inner, config) else _left_out

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            return (text if type(value) is str else container)(value, way, path)

        return show

    def _anything(self, _: Core, __: Core) -> _Show:
        return lambda value, way, path: json.loads(json.dumps(value))  # not the live one

    def _reference(self, core: Core, _: Core) -> _Show:
        name = core["schema_ref"]

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            if name not in self._made:  # not before: a model can refer to itself
                (found,) = (each for each in self._definitions if each["ref"] == name)
                self._made[name] = self._place(found, {})
            return self._made[name](value, way, path)

        return show

    def _text(self, core: Core, config: Core) -> _Show:
        validate = self._validator(core, config)

        def show(value: str, _: tuple[Any, ...], path: "Path") -> Any:
            try:
                found = validate(value, path)
            except Exception:  # half a text, at which a validator of the user's may fail anyhow
                return _LEFT_OUT
            return found if type(found) is str else _LEFT_OUT

        return show

    def _model(self, core: Core, config: Core) -> _Show:
        model, config = core["cls"], core.get("config", {})
        if core.get("root_model"):
            inner = self._place(core["schema"], config)

            def show_root(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
                root = inner(value, way, path)
                return _instance(model, {"root": root}, {}) if _is_shown(root) else root

            return show_root
        if core["schema"]["type"] != "model-fields" or core.get("custom_init"):
            return _left_out
        fields = self._fields(core["schema"], config)

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            found = fields(value, way, path)
            if not _is_shown(found):
                return found
            own = {name: found.pop(name) for name in model.model_fields if name in found}
            return _instance(model, own, found)

        return show

    def _fields(self, core: Core, config: Core) -> _Show:
        config = core.get("config", config)
        known = {
            name: {**each, "type": "typed-dict-field", "schema": _bare(each), "required": False}
            for name, each in core["fields"].items()
        }
        words = ("extra_behavior", "extras_schema", "extras_keys_schema", "strict")
        rest = {"config": config, **{word: core[word] for word in words if word in core}}
        finished = self._validator({"type": "typed-dict", "fields": known, **rest}, config)
        places = {
            alias: (name, self._place(each["schema"], config))
            for name, each in known.items()
            if isinstance(alias := each.get("validation_alias", name), str)
        }

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            if type(value) is not dict:
                return _WRONG
            name = way[0] if way else None
            found = finished({key: value[key] for key in value if key != name}, path)
            if name in value and name in places:
                field, place = places[name]
                shown = place(value[name], way[1:], (*path, name))
                if _is_shown(shown):
                    found[field] = shown
            return found

        return show

    def _list(self, core: Core, config: Core) -> _Show:
        items = core.get("items_schema", {"type": "any"})
        finished = self._validator({"type": "list", "items_schema": items}, config)
        place = self._place(items, config)

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            if type(value) is not list:
                return _WRONG
            is_open = bool(way) and way[0] < len(value)
            found = finished(value[:-1] if is_open else value, path)
            if is_open:
                shown = place(value[-1], way[1:], (*path, way[0]))
                found += [shown] if _is_shown(shown) else []
            return found

        return show

    def _dict(self, core: Core, config: Core) -> _Show:
        values = core.get("values_schema", {"type": "any"})
        keys = core.get("keys_schema", {"type": "str"})
        bare = {"type": "dict", "keys_schema": keys, "values_schema": values}
        finished, place = self._validator(bare, config), self._place(values, config)

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            if type(value) is not dict:
                return _WRONG
            name: Any = way[0] if way else None
            found = finished({key: value[key] for key in value if key != name}, path)
            if name in value and keys == {"type": "str"}:
                shown = place(value[name], way[1:], (*path, name))
                if _is_shown(shown):
                    found[name] = shown
            return found

        return show

    def _union(self, core: Core, config: Core) -> _Show:
        places = [self._place(each, config) for each in _ways(core)]

        def show(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
            found, error = [], None
            for place in places:
                try:
                    shown = place(value, way, path)
                except _validation_error() as wrong:
                    error = wrong
                else:
                    found += [] if shown is _WRONG else [shown]
            if error is not None and not found:
                raise error
            return found[0] if len(found) == 1 else _LEFT_OUT

        return show

    def _validator(self, core: Core, config: Core) -> "Callable[[Any, Path], Any]":
        """Make what validates finished values; its errors name their place in the document."""
        made: list[Any] = []

        def validate(value: Any, path: "Path") -> Any:
            if not made:
                known = {"type": "definitions", "schema": core, "definitions": self._definitions}
                made.append(validator_of(known if self._definitions else core, config))
            try:
                return made[0].validate_json(json.dumps(value))
            except _validation_error() as error:
                raise _moved(error, path, self._title) from None

        return validate


_MAKE: "dict[str, Callable[[_Places, Core, Core], _Show]]" = {
    "any": _Places._anything,
    "definition-ref": _Places._reference,
    "dict": _Places._dict,
    "list": _Places._list,
    "model": _Places._model,
    "tagged-union": _Places._union,
    "typed-dict": _Places._fields,
    "union": _Places._union,
}


def _left_out(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
    return _LEFT_OUT


def _wrong(value: Any, way: tuple[Any, ...], path: "Path") -> Any:
    return _WRONG


def _is_shown(found: Any) -> bool:
    return found is not _LEFT_OUT and found is not _WRONG


def _is_sure_of_text(core: Core, config: Core) -> bool:
    """Whether a string cannot turn out to be another type of several as it grows."""
    if core["type"] not in ("union", "tagged-union"):
        return True
    ways = _ways(core)
    is_smart = core["type"] == "union" and core.get("mode", "smart") == "smart"
    if is_smart and {"type": "str"} in ways and not any(word.startswith("str_") for word in config):
        return True  # any string is this one exactly
    return all(each["type"] in ("str", *_NEVER_TEXT) for each in ways)


def _ways(core: Core) -> list[Core]:
    choices = core["choices"]
    ways = choices.values() if isinstance(choices, Mapping) else choices
    return [each[0] if isinstance(each, tuple) else each for each in ways]


def _bare(field: Core) -> Core:
    """Return the schema of a field without its default: what has not come is unset."""
    schema: Core = field["schema"]
    return schema["schema"] if schema["type"] == "default" else schema


def _validation_error() -> type[Exception]:
    error: type[Exception] = needed_for_models("pydantic").ValidationError
    return error


def _moved(error: Any, path: "Path", title: str) -> Exception:
    """Return an error as of the whole document."""
    core = needed_for_models("pydantic_core")
    lines = []
    for each in error.errors(include_url=False):
        line = {"type": each["type"], "loc": (*path, *each["loc"]), "input": each["input"]}
        try:
            core.PydanticKnownError(each["type"], each.get("ctx"))
            line["ctx"] = each.get("ctx", {})
        except KeyError:  # of a validator of the user's
            line["type"] = core.PydanticCustomError(each["type"], each["msg"])
        lines.append(line)
    moved: Exception = core.ValidationError.from_exception_data(title, lines, input_type="json")
    return moved


def _instance(model: Any, fields: dict[str, Any], extra: dict[str, Any]) -> Any:
    """Make a model of validated fields, without what a constructor would run."""
    found = model.__new__(model)
    values = dict(fields)
    for name, field in model.model_fields.items():
        needs_others = getattr(field, "default_factory_takes_validated_data", False)
        if name not in fields and not field.is_required() and not needs_others:
            values[name] = field.get_default(call_default_factory=True)
    object.__setattr__(found, "__dict__", values)
    object.__setattr__(found, "__pydantic_fields_set__", {*fields, *extra})
    allows_extra = model.model_config.get("extra") == "allow"
    object.__setattr__(found, "__pydantic_extra__", extra if allows_extra else None)
    object.__setattr__(found, "__pydantic_private__", None)
    return found
