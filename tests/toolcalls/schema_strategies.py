"""Hypothesis strategies for schemas, models, and documents that nearly fit them.

json_schemas(draft)  schemas that use every keyword now and then, and refer to each other
documents            the text of small documents, members that come twice among them
objects              those that are objects with a member or more
models               pydantic models, of types and with settings that are handled differently
cut(text)            a text in fragments
"""

import datetime
import decimal
import enum
import uuid
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import pydantic as p
from hypothesis import strategies as st
from typing_extensions import TypedDict

NAMES = ["a", "b", "ab", "c", "kind"]
names = st.sampled_from(NAMES)
constants = st.sampled_from(
    [0, 1, 1.0, True, False, None, "", "a", "ab", "abc", "b", [1], [True], {"a": 1}, 1.5, -1]
)
TYPES = ["string", "integer", "number", "boolean", "null", "array", "object"]
counts = st.integers(0, 2)
DRAFTS = {
    "2020-12": None,
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "7": "http://json-schema.org/draft-07/schema#",
}
REFERENCES = ["#", "#/$defs/x", "#/$defs/y"]


def keywords(inner: Any, draft: str) -> dict[str, Any]:
    many = st.lists(inner, min_size=1, max_size=3)
    words = {
        "type": st.sampled_from(TYPES) | st.lists(st.sampled_from(TYPES), min_size=1, unique=True),
        "enum": st.lists(constants, min_size=1, max_size=3),
        "const": constants,
        "pattern": st.sampled_from(["^a", "b$", "a"]),
        "minLength": counts,
        "maxLength": counts,
        "minimum": st.integers(-1, 2),
        "maximum": st.integers(-1, 2),
        "exclusiveMinimum": st.integers(-1, 2),
        "exclusiveMaximum": st.integers(-1, 2),
        "multipleOf": st.sampled_from([1, 2]),
        "format": st.just("email"),
        "properties": st.dictionaries(names, inner, max_size=3),
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=2),
        "additionalProperties": st.just(False) | inner,
        "propertyNames": inner,
        "required": st.lists(names, max_size=2, unique=True),
        "minProperties": counts,
        "maxProperties": counts,
        "items": inner,
        "contains": inner,
        "minItems": counts,
        "maxItems": counts,
        "uniqueItems": st.booleans(),
        "allOf": many,
        "anyOf": many,
        "oneOf": many,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "$ref": st.sampled_from(REFERENCES),
    }
    if draft == "2020-12":
        words |= {"prefixItems": many, "items": st.just(False) | inner}
    else:
        words |= {"items": many | inner, "additionalItems": st.just(False) | inner}
    if draft != "7":
        words |= {
            "dependentRequired": st.dictionaries(names, st.lists(names, unique=True), max_size=2),
            "unevaluatedProperties": st.just(False),
            "unevaluatedItems": st.just(False),
        }
    return words


@st.composite
def schemas(draw: st.DrawFn, draft: str, depth: int = 0) -> Any:
    if draw(st.integers(0, 15)) == 0:
        return draw(st.booleans())
    if depth > 2:
        return draw(st.fixed_dictionaries({}, optional={"type": st.sampled_from(TYPES)}))
    words = keywords(schemas(draft, depth + 1), draft)
    chosen = draw(st.lists(st.sampled_from(sorted(words)), max_size=4, unique=True))
    return {word: draw(words[word]) for word in chosen}


@st.composite
def json_schemas(draw: st.DrawFn, draft: str) -> Any:
    schema = draw(schemas(draft))
    if isinstance(schema, bool):
        return schema
    if DRAFTS[draft] is not None:
        schema["$schema"] = DRAFTS[draft]
    return {**schema, "$defs": {name: draw(schemas(draft, 2)) for name in "xy"}}


ATOMS = [
    "0", "1", "1.0", "true", "false", "null", '""', '"a"', '"ab"', '"abc"', '"b"', '"1"', '"true"',
    '" a "', '"\\u0061b"', '"2020-01-01"', '"cat"', '"dog"', '"[1]"', "-1", "2", "1.5",
    "1e400", "NaN",
]  # fmt: skip
atoms = st.sampled_from(ATOMS)


def arrays(inner: Any) -> Any:
    return st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]")


def members(inner: Any, least: int = 0) -> Any:
    pairs = st.lists(st.builds('"{}":{}'.format, names, inner), min_size=least, max_size=4)
    return pairs.map(lambda found: f"{{{','.join(found)}}}")


documents = st.recursive(atoms, lambda inner: arrays(inner) | members(inner), max_leaves=8)
objects = members(documents, least=1)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    places = draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=8, unique=True))
    borders = [0, *sorted(place for place in places if place < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


# Models


class Letter(enum.Enum):
    A = "a"
    AB = "ab"


class Figure(enum.IntEnum):
    ONE = 1
    TWO = 2


class Anything(enum.Enum):
    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> "Anything":
        return cls.A


class Odd(enum.Enum):
    ONE = [1]  # noqa: RUF012
    NONE = None


class Loose(TypedDict, total=False):
    __pydantic_config__ = p.ConfigDict(extra="forbid", strict=True)  # type: ignore[misc]
    a: int
    b: str


class Tight(TypedDict):
    a: int


@dataclass
class Data:
    a: int
    b: str = "x"


class Tree(p.BaseModel):
    a: int
    b: list["Tree"] = []
    c: "Tree | None" = None


class Cat(p.BaseModel):
    kind: Literal["cat"]
    a: int


class Dog(p.BaseModel):
    kind: Literal["dog"]
    a: str


def first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def same(value: Any) -> Any:
    return value


LEAVES: list[Any] = [
    int, float, str, bool, bytes, decimal.Decimal, datetime.date, datetime.datetime,
    datetime.timedelta, uuid.UUID, None, Any, p.JsonValue, p.SecretStr, p.Json, p.AnyUrl,
    Letter, Figure, Anything, Odd, Literal["a", "ab"], Literal[1, "a", True], Literal[Letter.A],
    Tree, Tight, Loose, Data, Cat | Dog, Annotated[Cat | Dog, p.Field(discriminator="kind")],
    p.StrictInt, p.StrictStr, p.StrictBool, p.conint(ge=1, le=2), p.constr(max_length=2),
    p.constr(strip_whitespace=True, max_length=2), p.constr(to_lower=True, max_length=2),
    p.constr(pattern="^a"), set[int], frozenset[str], p.RootModel[list[int]], p.RootModel[int],
    Annotated[int, p.BeforeValidator(first)], Annotated[int, p.PlainValidator(same)],
    Annotated[str, p.WrapValidator(lambda value, inner: inner(str(value)))],
]  # fmt: skip
SETTINGS = {
    "strict": True, "str_strip_whitespace": True, "coerce_numbers_to_str": True,
    "str_max_length": 1, "use_enum_values": True, "str_to_lower": True, "populate_by_name": True,
}  # fmt: skip


def several(inner: Any) -> Any:
    return (
        inner.map(lambda kind: list[kind])
        | st.builds(lambda kind, most: p.conlist(kind, max_length=most), inner, counts)
        | inner.map(lambda kind: dict[str, kind])
        | inner.map(lambda kind: kind | None if kind is not None else kind)
        | st.tuples(inner, inner).map(lambda kinds: tuple[kinds])
        | st.tuples(inner, inner).map(lambda kinds: kinds[0] | kinds[1] if all(kinds) else int)
        | inner.map(lambda kind: Annotated[kind, p.AfterValidator(same)])
    )


types = st.recursive(st.sampled_from(LEAVES), several, max_leaves=3)
aliases = st.sampled_from(
    [None, None, None, "c", "z", p.AliasChoices("y", "z"), p.AliasPath("c", 0)]
)


@st.composite
def models(draw: st.DrawFn) -> type[p.BaseModel]:
    settings = {
        name: SETTINGS[name]
        for name in draw(st.sets(st.sampled_from(sorted(SETTINGS)), max_size=1))
    }
    if draw(st.booleans()):
        settings["extra"] = draw(st.sampled_from(["ignore", "forbid", "allow"]))
    fields = {}
    for name in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        options: dict[str, Any] = {"validation_alias": draw(aliases)}
        if draw(st.booleans()):
            options["default"] = None
        fields[name] = (draw(types), p.Field(**options))
    before = {"v": p.model_validator(mode="before")(classmethod(lambda cls, value: value))}
    after = {"v": p.model_validator(mode="after")(lambda self: self)}
    return p.create_model(
        "Model",
        __config__=p.ConfigDict(**settings),
        __validators__=draw(st.sampled_from([{}, {}, before, after])),
        **fields,
    )
