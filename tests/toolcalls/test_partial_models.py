"""Arguments that are still being written, as a pydantic model."""

import datetime
import json
import sys
from typing import Annotated, Any, Literal

import pytest
from chat import begin, chunk, more, whole
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from schema_strategies import models, objects
from strategies import examples
from test_schema_properties import has_repeated_member
from typing_extensions import TypedDict

from fragjson.toolcalls import Accumulator, ToolCall


class Row(BaseModel):
    n: int
    tag: str = "none"


class Options(TypedDict):
    mode: Literal["on", "off"]
    level: int


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float


class Report(BaseModel):
    title: Annotated[str, Field(min_length=2)]
    rows: list[Row] = Field(default=[], min_length=2)
    first: Row | None = None
    day: datetime.date | None = None
    number: int | str | None = None
    options: Options | None = None
    names: dict[str, Row] = {}
    some: set[int] = set()
    shape: Circle | Square | None = None
    anything: Any = None


def call_of(text: str) -> ToolCall:
    accumulator = Accumulator("openai_chat")
    accumulator.feed(chunk(begin()))
    accumulator.feed(chunk(more(text)))
    return accumulator.calls[0]


def shown(text: str, model: type[BaseModel] = Report) -> Any:
    """Give the fields that have come by the end of a text."""
    return (
        call_of(text).partial_as(model).model_dump(mode="json", exclude_unset=True, warnings=False)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("{", {}),
        ("[", {}),
        ('{"title', {}),
        ('{"title": "', {}),
        ('{"title": "A', {}),  # too short yet
        ('{"title": "A r', {"title": "A r"}),
        ('{"title": "A report"', {"title": "A report"}),
        ('{"rows": [', {"rows": []}),
        ('{"rows": [{', {"rows": [{}]}),
        ('{"rows": [{"n": 1', {"rows": [{}]}),
        ('{"rows": [{"n": 1, "tag": "x', {"rows": [{"n": 1, "tag": "x"}]}),
        ('{"rows": [{"n": 1}, {"n"', {"rows": [{"n": 1}, {}]}),
        ('{"rows": [{"n": "2"}, ', {"rows": [{"n": 2}]}),
        ('{"first": {"n": 1, ', {"first": {"n": 1}}),
        ('{"first": nu', {}),
        ('{"first": null, ', {"first": None}),
        ('{"day": "2026-11-30', {}),  # a date in the end, so a string is not shown for it
        ('{"day": "2026-11-30"', {"day": "2026-11-30"}),
        ('{"number": "12', {"number": "12"}),
        ('{"number": 12', {}),
        ('{"number": 12 ', {"number": 12}),
        ('{"options": {"mode": "o', {"options": {}}),
        ('{"options": {"mode": "on', {"options": {"mode": "on"}}),
        ('{"options": {"level": "3"', {"options": {"level": 3}}),
        ('{"names": {"x": {"n": 1}, "y": {"tag": "', {"names": {"x": {"n": 1}, "y": {"tag": ""}}}),
        ('{"some": [1, 2', {}),
        ('{"some": [1, 2]', {"some": [1, 2]}),
        ('{"shape": {', {}),
        ('{"shape": {"kind": "squ', {}),
        ('{"shape": {"kind": "square"', {"shape": {"kind": "square"}}),
        ('{"anything": {"deep": [1, "ab', {"anything": {"deep": [1, "ab"]}}),
        ('{"unknown": {"n": 1', {}),
    ],
)
def test_what_has_come_is_shown(text: str, expected: Any) -> None:
    assert shown(text) == expected


def test_fields_that_have_not_come_are_unset() -> None:
    report = call_of('{"rows": [{"n": 1}, {').partial_as(Report)
    assert report.model_fields_set == {"rows"}
    assert not hasattr(report, "title")
    assert report.day is None
    assert [row.model_fields_set for row in report.rows] == [{"n"}, set()]
    assert (report.rows[1].tag, hasattr(report.rows[1], "n")) == ("none", False)
    assert isinstance(report, Report)
    assert "rows=[Row(n=1, tag='none'), Row(tag='none')]" in repr(report)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"title": 5, ', ("title",)),
        ('{"title": "x"', ("title",)),
        ('{"rows": [{"n": "x"', ("rows", 0, "n")),
        ('{"rows": [{"n": "x", "tag": "still op', ("rows", 0, "n")),
        ('{"rows": [{"n": 1}, {"tag": "x"}, {"n', ("rows", 1, "n")),
        ('{"rows": [1, ', ("rows", 0)),
        ('{"rows": [{"n": 1}]', ("rows",)),
        ('{"first": {"n": [], ', ("first", "n")),
        ('{"first": {"tag": "x"}', ("first", "n")),
        ('{"options": {"level": "x", "mode": "', ("options", "level")),
        ('{"names": {"x": {"n": 1, "tag": 2}, "y": {', ("names", "x", "tag")),
        ('{"some": ["x"]', ("some", 0)),
        ('{"shape": {"kind": "oval"', ("shape", "kind")),
        ("[]", ()),
    ],
)
def test_what_is_finished_and_wrong_is_an_error_at_once(text: str, place: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        call_of(text).partial_as(Report)
    assert caught.value.errors()[0]["loc"] == place
    assert caught.value.title == "Report"


def test_error_of_a_users_validator_keeps_its_words() -> None:
    class Odd(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def check(cls, value: int) -> int:
            if value % 2 == 0:
                raise ValueError("{even}")
            return value

    class Odds(BaseModel):
        odds: list[Odd]

    with pytest.raises(ValidationError) as caught:
        call_of('{"odds": [{"n": 1}, {"n": 2, ').partial_as(Odds)
    (error,) = caught.value.errors()
    assert (error["loc"], error["msg"]) == (("odds", 1, "n"), "Value error, {even}")
    assert (error["type"], error["input"]) == ("value_error", 2)


def test_validators_of_what_is_open_wait_until_it_is_whole() -> None:
    class Sum(BaseModel):
        terms: Annotated[list[int], AfterValidator(lambda terms: terms[1:] and terms)]
        total: int
        names: Annotated[list[str], AfterValidator(", ".join)] = Field(default="")

        @model_validator(mode="after")
        def check(self) -> "Sum":
            assert sum(self.terms) == self.total
            return self

        def model_post_init(self, context: Any) -> None:
            assert self.total is not None

    assert shown('{"terms": [1', Sum) == {}
    assert shown('{"names": ["a", "b', Sum) == {}
    assert shown('{"names": ["a", "b"]', Sum) == {"names": "a, b"}
    assert shown('{"terms": [1, 2], "total": 3', Sum) == {"terms": [1, 2]}
    assert shown('{"terms": [1, 2], "total": 3}', Sum) == {"terms": [1, 2], "total": 3}
    with pytest.raises(ValidationError, match="Assertion failed"):
        shown('{"terms": [1, 2], "total": 4}', Sum)


def test_model_that_changes_its_input_shows_when_it_is_whole() -> None:
    class Renamed(BaseModel):
        query: str

        @model_validator(mode="before")
        @classmethod
        def rename(cls, value: Any) -> Any:
            return {"query": value["q"]}

    class Outer(BaseModel):
        inner: Renamed

    assert shown('{"q": "x"', Renamed) == {}
    assert shown('{"q": "x"}', Renamed) == {"query": "x"}
    assert shown('{"inner": {"q": "x"', Outer) == {}
    assert shown('{"inner": {"q": "x"}', Outer) == {"inner": {"query": "x"}}


def test_model_made_by_its_own_function_shows_when_it_is_whole() -> None:
    class Made(BaseModel):
        size: int

        def __init__(self, items: list[Any]) -> None:
            super().__init__(size=len(items))

    assert shown('{"items": [1], "size": "x", ', Made) == {}
    assert shown('{"items": [1]}', Made) == {"size": 1}


def test_what_is_nested_too_deep_is_left_out() -> None:
    class Deep(BaseModel):
        inner: "Deep | None" = None
        anything: Any = None

    assert shown('{"inner":' * 900, Deep) == {}
    assert call_of('{"anything":' + "[" * 990).partial_as(Deep).inner is None


def test_validator_that_fails_at_half_a_text_leaves_it_out() -> None:
    class Mail(BaseModel):
        to: Annotated[str, AfterValidator(lambda text: text.split("@")[0] + text.split("@")[1])]

    assert shown('{"to": "ann', Mail) == {}
    assert shown('{"to": "ann@b', Mail) == {"to": "annb"}


def test_string_that_may_become_another_type_is_left_out() -> None:
    class Ordered(BaseModel):
        n: Annotated[int | str, Field(union_mode="left_to_right")]

    assert shown('{"n": "-', Ordered) == {}
    assert shown('{"n": "-1"', Ordered) == {"n": -1}


def test_aliases_settings_and_extra_members() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True, extra="allow")
        day: datetime.date = Field(alias="Day")
        other: str = Field(default="", alias="Other")

    assert shown('{"Day": "2026-11-30", "Other": "x', Strict) == {"day": "2026-11-30", "other": "x"}
    assert shown('{"more": [1], "Other": "', Strict) == {"more": [1], "other": ""}
    with pytest.raises(ValidationError, match="Day"):
        shown('{"Day": 0, ', Strict)

    class Forbidding(BaseModel):
        model_config = ConfigDict(extra="forbid")
        a: int = 0

    assert shown('{"b": [1', Forbidding) == {}
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        shown('{"b": [1]', Forbidding)


def test_defaults_are_made_anew_and_only_where_they_can_be() -> None:
    class Made(BaseModel):
        items: list[int] = Field(default_factory=list)
        of_others: int = Field(default_factory=lambda others: others["items"][0])

    call = call_of("{")
    one, other = call.partial_as(Made), call.partial_as(Made)
    assert one.items == other.items == []
    assert one.items is not other.items
    assert not hasattr(one, "of_others")


def test_validators_see_the_fields_before_them() -> None:
    class Span(BaseModel):
        start: int
        end: int

        @field_validator("end")
        @classmethod
        def check(cls, value: int, info: ValidationInfo) -> int:
            if value < info.data.get("start", 0):
                raise ValueError("ends before it starts")
            return value

    assert shown('{"start": 3, "end": 4, ', Span) == {"start": 3, "end": 4}
    with pytest.raises(ValidationError, match="ends before it starts"):
        shown('{"start": 3, "end": 2, ', Span)


def test_recursive_models_and_root_models() -> None:
    class Tree(BaseModel):
        name: str
        kids: list["Tree"] = []

    text = '{"name": "r", "kids": [{"name": "a", "kids": [{"name": "b'
    inner = {"name": "a", "kids": [{"name": "b"}]}
    assert shown(text, Tree) == {"name": "r", "kids": [inner]}

    rows = RootModel[list[Row]]
    assert shown('[{"n": 1}, {"n": 2, "tag": "x', rows) == [{"n": 1}, {"n": 2, "tag": "x"}]


# What it may be asked of


def test_whole_arguments_are_validated_as_always() -> None:
    accumulator = Accumulator("openai_chat")
    for each in whole('{"n": "3"}'):
        accumulator.feed(each)
    (call,) = accumulator.calls
    assert call.partial_as(Row) == Row(n=3)
    with pytest.raises(ValidationError, match="Field required"):
        call.partial_as(Report)
    again = ToolCall.from_record(call.to_record())
    assert again.partial_as(Row) == Row(n=3)


@pytest.mark.parametrize("finish", ["stop", "length", None])
@pytest.mark.parametrize("text", ['{"n": 3, "tag": "ab', '{"n": 3, "tag": "ab"x'])
def test_cut_and_malformed_arguments_show_what_there_is(text: str, finish: str | None) -> None:
    accumulator = Accumulator("openai_chat")
    for each in whole(text, finish):
        accumulator.feed(each)
    accumulator.close()
    (call,) = accumulator.calls
    assert call.status in ("incomplete", "invalid")
    for each in (call, ToolCall.from_record(call.to_record())):
        assert each.partial_as(Row) == Row(n=3, tag="ab")


def test_reloaded_call_takes_what_came_last_for_unfinished() -> None:
    call = call_of('{"rows": [{"n": "x"')
    again = ToolCall.from_record(call.to_record())
    assert again.partial_as(Report).model_dump(exclude_unset=True) == {"rows": [{}]}
    assert ToolCall.from_record(call_of("").to_record()).partial_as(Row).model_fields_set == set()


def test_calls_with_values_set_by_path() -> None:
    accumulator = Accumulator("gemini")
    arguments = [
        {"jsonPath": "$.n", "numberValue": 3},
        {"jsonPath": "$.tag", "stringValue": "ab", "willContinue": True},
    ]
    for called in ({"name": "f", "willContinue": True},
                   {"partialArgs": arguments, "willContinue": True}):  # fmt: skip
        parts = [{"functionCall": called}]
        accumulator.feed({"candidates": [{"content": {"parts": parts}}]})
    assert accumulator.calls[0].partial_as(Row) == Row(n=3, tag="ab")


def test_what_is_no_model_is_refused() -> None:
    for other in (int, dict, Row(n=1), None):
        with pytest.raises(TypeError, match=r"a subclass of pydantic.BaseModel is wanted, not"):
            call_of("{").partial_as(other)  # type: ignore[type-var]


def test_free_text_is_refused() -> None:
    accumulator = Accumulator("openai_chat")
    entry = {"index": 0, "id": "c0", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}
    accumulator.feed(chunk(entry))
    with pytest.raises(ValueError, match="free text"):
        accumulator.calls[0].partial_as(Row)


def test_missing_pydantic_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    call = call_of("{")
    monkeypatch.setitem(sys.modules, "pydantic", None)
    with pytest.raises(ImportError, match=r"pydantic is needed .* extra 'pydantic'"):
        call.partial_as(Row)


def test_nothing_in_it_is_live() -> None:
    accumulator = Accumulator("openai_chat")
    for each in (begin(), more('{"anything": {"a": [1')):
        accumulator.feed(chunk(each))
    (call,) = accumulator.calls
    report = call.partial_as(Report)
    accumulator.feed(chunk(more(', 2], "b": 3')))
    assert report.anything == {"a": []}


# Any model, any beginning


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """Give the strings and the like of what has been set."""
    if isinstance(value, BaseModel):
        inner = {name: value.__dict__[name] for name in value.model_fields_set & {*value.__dict__}}
    elif isinstance(value, list):
        inner = dict(enumerate(value))
    elif isinstance(value, dict):
        inner = value
    else:
        return {path: value}
    return {
        place: leaf
        for name, each in inner.items()
        for place, leaf in leaves(each, (*path, name)).items()
    }


@examples(250)
@given(objects, st.data())
def test_unfinished_is_never_an_error_and_what_shows_is_a_beginning(
    text: str, data: st.DataObject
) -> None:
    assume(not has_repeated_member(text))
    model = data.draw(models())
    try:
        final = TypeAdapter(model).validate_json(json.dumps(json.loads(text)))
    except ValidationError:
        final = None
    wrong = False
    for end in range(1, len(text) + 1):
        try:
            partial = call_of(text[:end]).partial_as(model)
        except ValidationError:
            wrong = True
            break
        if final is not None:
            whole_leaves = leaves(final)
            for place, leaf in leaves(partial).items():
                last = whole_leaves.get(place)
                assert type(leaf) is type(last)
                is_beginning = isinstance(leaf, str) and last.startswith(leaf)
                assert leaf == last or is_beginning or leaf != leaf  # noqa: PLR0124 - NaN
    assert wrong == (final is None)
