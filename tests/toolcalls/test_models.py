"""Checking calls against pydantic models: what pydantic's own leniency leaves provable."""

import datetime
import enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AnyUrl,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    RootModel,
    StrictInt,
    TypeAdapter,
    constr,
    create_model,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic_core import PydanticOmit, core_schema
from test_schema import MARK, checked, cuts, positions, violations, written
from typing_extensions import TypedDict


class Mode(enum.Enum):
    ON = "on"
    OFF = "off"


class Kind(enum.Enum):
    ONE = "one"

    @classmethod
    def _missing_(cls, value: object) -> "Kind":
        return cls.ONE


class Made(BaseModel):
    a: int

    def __init__(self, a: Any) -> None:
        super().__init__(a=len(a))


def or_zero(source: Any, handler: Any) -> Any:
    return core_schema.with_default_schema(handler(source), default=0, on_error="default")


Lenient = Annotated[int, GetPydanticSchema(or_zero)]


class Row(BaseModel):
    n: int
    tag: str = ""
    rows: list["Row"] = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str


class Tags(TypedDict):
    a: int


@dataclass
class Point:
    x: int
    y: int = 0


def first(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


def a(kind: Any, *, config: Any = None, **options: Any) -> Any:
    """A model with a field ``a``."""
    return create_model("A", __config__=config, a=(kind, Field(**options)))


def small(value: int) -> int:
    if value > 9:
        raise PydanticOmit
    return value


def forbidding(**more: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", **more)


INTEGER = "Input should be a valid integer"
PARSED = "Input should be a valid integer, unable to parse string as an integer"
STRING = "Input should be a valid string"
OBJECT = "Input should be an object"
ARRAY = "Input should be a valid array"
NONE_FITS = "Input should fit one of several types, and fits none of them"

CASES: list[tuple[str, Any, str, list[tuple[str, str]]]] = [
    ("a string may be an integer", a(int), '{"a":"3"}', []),
    ("a string that is none", a(int), '{"a":"x"¦}', [("$.a", PARSED)]),
    ("true may be an integer", a(int), '{"a":true}', []),
    ("null is no integer", a(int), '{"a":n¦ull}', [("$.a", INTEGER)]),
    ("an array is no integer", a(int), '{"a":[¦1]}', [("$.a", INTEGER)]),
    ("strict", a(StrictInt), '{"a":"¦3"}', [("$.a", INTEGER)]),
    ("strict by configuration", a(int, config=ConfigDict(strict=True)), '{"a":"¦3"}',
     [("$.a", INTEGER)]),
    ("a strict date comes as a string", a(datetime.date, config=ConfigDict(strict=True)),
     '{"a":"2026-11-30"}', []),
    ("a date", a(datetime.date), '{"a":"2026-13-01"¦}',
     [("$.a", "Input should be a valid date or datetime, month value is outside expected range "
              "of 1-12")]),
    ("a number is no string", a(str), '{"a":1¦2}', [("$.a", STRING)]),
    ("but it can be made one", a(str, config=ConfigDict(coerce_numbers_to_str=True)), '{"a":12}',
     []),
    ("range", a(int, ge=3), '{"a":2,¦"b":0}',
     [("$.a", "Input should be greater than or equal to 3")]),
    ("max_length", a(str, max_length=2), '{"a":"abc¦d"}',
     [("$.a", "String should have at most 2 characters")]),
    ("max_length of what is stripped first", a(constr(max_length=2, strip_whitespace=True)),
     '{"a":" ab  "}', []),
    ("max_length of bytes is not one of characters",
     a(bytes, config=ConfigDict(val_json_bytes="base64"), max_length=2), '{"a":"aGk="}', []),
    ("max_length of a URL", a(AnyUrl, max_length=12), '{"a":"https://a.b  "}', []),
    ("min_length", a(str, min_length=2), '{"a":"x"¦}',
     [("$.a", "String should have at least 2 characters")]),
    ("literal", a(Literal["on", "off"]), '{"a":"ou¦t"}',
     [("$.a", "Input should be 'on' or 'off'")]),
    ("enum", a(Mode), '{"a":"x¦"}', [("$.a", "Input should be 'on' or 'off'")]),
    ("optional", a(int | None), '{"a":null}', []),
    ("optional, another type", a(int | None), '{"a":[¦]}', [("$.a", NONE_FITS)]),
    ("optional, inside it", a(Row | None), '{"a":{"n":[¦]}}', [("$.a.n", INTEGER)]),
    ("union", a(int | str), '{"a":n¦ull}', [("$.a", NONE_FITS)]),
    ("union, by its literal", a(Cat | Dog), '{"a":{"kind":"cat","lives":[¦]}}',
     [("$.a.lives", INTEGER)]),
    ("tagged union", a(Annotated[Cat | Dog, Field(discriminator="kind")]),
     '{"a":{"kind":"co¦w","lives":1}}', [("$.a", NONE_FITS)]),
    ("list", a(list[int]), '{"a":{¦}}', [("$.a", ARRAY)]),
    ("items", a(list[int]), '{"a":["1",2,"x"¦]}', [("$.a[2]", PARSED)]),
    ("max_length of a list", a(list[int], max_length=1), '{"a":[1,2¦,3]}',
     [("$.a", "List should have at most 1 item after validation")]),
    ("tuple", a(tuple[int, str]), '{"a":[1,2¦]}', [("$.a[1]", STRING)]),
    ("set", a(set[int]), '{"a":[[¦]]}', [("$.a[0]", INTEGER)]),
    ("dict", a(dict[str, int]), '{"a":{"x":"y"¦}}', [("$.a.x", PARSED)]),
    ("nested and recursive", a(Row), '{"a":{"n":1,"rows":[{"n":1,"rows":[{"n":{¦}}]}]}}',
     [("$.a.rows[0].rows[0].n", INTEGER)]),
    ("typed dictionary", a(Tags), '{"a":{}¦}', [("$.a.a", "Field required")]),
    ("dataclass", a(Point), '{"a":{"y":"z"¦}¦}', [("$.a.y", PARSED), ("$.a.x", "Field required")]),
    ("root model", RootModel[list[int]], '["x"¦]', [("$[0]", PARSED)]),
    ("adapter", TypeAdapter(list[Row]), '[{"n":[¦]}]', [("$[0].n", INTEGER)]),
    ("missing", Row, '{"tag":"x"}¦', [("$.n", "Field required")]),
    ("extra", a(int, config=forbidding()), '{"a":1,"b":"¦x"}',
     [("$.b", "Extra inputs are not permitted")]),
    ("extra that is allowed", a(int), '{"a":1,"b":2}', []),
    ("alias", a(int, config=forbidding(), alias="A"), '{"A":[¦]}', [("$.A", INTEGER)]),
    ("alias, and the name as well", a(int, config=forbidding(populate_by_name=True), alias="A"),
     '{"a":1}', []),
    ("one of several aliases", a(int, config=forbidding(), validation_alias=AliasChoices("x", "y")),
     '{"y":1}', []),
    ("alias that is a path", a(int, config=forbidding(), validation_alias=AliasPath("x", 1)),
     '{"x":[[],1]}', []),
    ("no object", Row, "[¦]", [("", OBJECT)]),
    ("lone half of a pair", a(str), '{"a":"\\ud83d"}',
     [("", "Invalid JSON: unexpected end of hex escape at line 1 column 14")]),
    # What functions stand in front of, or decide, is left to the close.
    ("validator before", a(Annotated[int, BeforeValidator(first)]), '{"a":[1]}', []),
    ("validator before that does not help", a(Annotated[int, BeforeValidator(first)]),
     '{"a":["x"]}', [("$.a", PARSED)]),
    ("validator after", a(Annotated[int, AfterValidator(even)]), '{"a":1}',
     [("$.a", "Value error, odd")]),
    ("validator after, before which it fails", a(Annotated[int, AfterValidator(even)]),
     '{"a":[¦]}', [("$.a", INTEGER)]),
    ("validator after that leaves items out", a(list[Annotated[int, AfterValidator(small)]],
                                                max_length=1), '{"a":[1,20,30]}', []),
    ("enum with a say of its own", a(Kind), '{"a":"whatever"}', []),
    ("model made by its own function", Made, '{"a":[]}', []),
    ("wrong values replaced by the default", a(Lenient), '{"a":[]}', []),
    ("alias that is not used", a(int, config=ConfigDict(validate_by_alias=False,
                                                        validate_by_name=True), alias="A"),
     '{"a":1,"A":[]}', []),
    ("adapter with a configuration that lets more through",
     TypeAdapter(list[str], config=ConfigDict(coerce_numbers_to_str=True)), "[1]", []),
    ("adapter with a configuration", TypeAdapter(list[int], config=ConfigDict(strict=True)),
     '["1"]', [("$[0]", INTEGER)]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_what_is_told_is_told_at_the_first_character_that_proves_it(case: Any) -> None:
    _, model, marked, expected = case
    text = marked.replace(MARK, "")
    at = positions(marked)
    at += [len(text) + 1] * (len(expected) - len(at))
    for fragments in cuts(text):
        call, events = checked(fragments, {"f": model})
        told, count = [], 0
        for fragment, its in zip(["", *fragments, "!"], events, strict=True):
            before, count = count, count + len(fragment)
            for violation in violations(its):
                told.append((written(violation.path), violation.message))
                assert before < at[len(told) - 1] <= count, fragments
        assert told == expected
        assert call.status == ("invalid" if expected else "complete")
        assert [(written(each.path), each.message) for each in call.violations] == expected


def test_model_that_changes_its_input_is_left_to_the_close() -> None:
    class Renamed(BaseModel):
        model_config = forbidding()
        query: str

        @model_validator(mode="before")
        @classmethod
        def rename(cls, value: Any) -> Any:
            return {"query": str(value["q"])}

    call, events = checked(['{"q":[1]}'], {"f": Renamed})
    assert call.status == "complete"
    assert violations(event for its in events for event in its) == []


def test_validator_that_raises_anything_else_is_contained() -> None:
    class Brittle(BaseModel):
        n: int

        @model_validator(mode="after")
        def fail(self) -> "Brittle":
            raise KeyError("n")

    call, _ = checked(['{"n":1}'], {"f": Brittle})
    assert call.status == "invalid"
    assert [each.message for each in call.violations] == ["could not be checked: KeyError('n')"]


def test_every_violation_is_named_at_the_close() -> None:
    call, events = checked(['{"n":"x","rows":[{"tag":1}]}'], {"f": Row})
    places = [written(each.path) for each in call.violations]
    assert places == ["$.n", "$.rows[0].tag", "$.rows[0].n"]
    assert len(violations(event for its in events for event in its)) == 3
