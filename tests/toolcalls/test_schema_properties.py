"""What holds for any schema, any document and any cutting: early verdicts never contradict."""

import json
from typing import Any

import jsonschema
import pydantic
from chat import DONE, begin, chunk, more
from hypothesis import assume, given
from hypothesis import strategies as st
from schema_strategies import cut, documents, json_schemas, models, objects
from strategies import examples

from fragjson.toolcalls import Accumulator, SchemaViolation, ToolCall
from fragjson.toolcalls.schema.schema_check import BadSchemaError, check

JUDGES = {
    "2020-12": jsonschema.Draft202012Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "7": jsonschema.Draft7Validator,
}


def checked(fragments: list[str], schema: Any) -> tuple[ToolCall, list[SchemaViolation]]:
    """Stream a call whose fragments all count as they come; give it and what is told of it."""
    accumulator = Accumulator("openai_chat", tools={"f": schema})
    events = accumulator.feed(chunk(begin()))
    # White space before keeps fragments from being taken for repetitions of what came.
    for text in [" ", *fragments]:
        events += accumulator.feed(chunk(more(text)))
    early = [event for event in events if isinstance(event, SchemaViolation)]
    accumulator.feed(chunk(finish="stop"))
    accumulator.feed(DONE)
    return accumulator.calls[0], early


def has_repeated_member(text: str) -> bool:
    repeated = []

    def hook(pairs: list[tuple[str, Any]]) -> Any:
        repeated.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    json.loads(text, object_pairs_hook=hook)
    return any(repeated)


def compare(text: str, schema: Any, is_valid: bool, data: st.DataObject) -> None:
    fragments = data.draw(cut(text))
    call, early = checked([text], schema)
    for other in (fragments, list(text)):
        _, told = checked(other, schema)
        assert [each.path for each in told] == [each.path for each in early]
        assert [each.message for each in told] == [each.message for each in early]
    assert (call.status == "complete") == is_valid
    assert (call.violations == []) == is_valid
    if is_valid:
        assert not any(violation.final for violation in early)
        assert not early or has_repeated_member(text)


def as_judged(value: Any) -> Any:
    return {} if value is None else value  # how servers send no arguments


@examples(200)
@given(st.sampled_from(sorted(JUDGES)), documents | objects, st.data())
def test_early_verdicts_never_contradict_jsonschema(
    draft: str, text: str, data: st.DataObject
) -> None:
    schema = data.draw(json_schemas(draft))
    try:
        check(JUDGES[draft], schema)
    except BadSchemaError:  # it leads back to itself
        assume(False)
    try:
        is_valid = JUDGES[draft](schema).is_valid(as_judged(json.loads(text)))
    except (TypeError, ValueError):  # faults of jsonschema: NaN, a bool for items
        assume(False)
    compare(text, schema, is_valid, data)


@examples(400)
@given(objects | documents, st.data())
def test_early_verdicts_never_contradict_pydantic(text: str, data: st.DataObject) -> None:
    adapter = pydantic.TypeAdapter(data.draw(models()))
    try:
        adapter.validate_json(json.dumps(as_judged(json.loads(text))))
        is_valid = True
    except pydantic.ValidationError:
        is_valid = False
    compare(text, adapter, is_valid, data)
