"""Checking calls against schemas while they stream: what is told, and when, and the verdict."""

import json
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import pytest
from chat import DONE, begin, chunk, more, whole
from fragmentation import fragmentations
from schema_cases import CASES, CLOSED, KINDS, MENDED, Case

from fragjson.toolcalls import (
    Accumulator,
    SchemaViolation,
    ToolCall,
)

MARK = "¦"


def checked(texts: Iterable[str], tools: Any, **options: Any) -> tuple[ToolCall, list[Any]]:
    """Stream a call of ``f``; give it, and the events of each chunk."""
    accumulator = Accumulator("openai_chat", tools=tools, **options)
    chunks = [chunk(begin()), *(chunk(more(text)) for text in texts)]
    events = [accumulator.feed(each) for each in chunks]
    events.append(accumulator.feed(chunk(finish="tool_calls")) + accumulator.feed(DONE))
    return accumulator.calls[0], events


def violations(events: Iterable[Any]) -> list[SchemaViolation]:
    return [event for event in events if isinstance(event, SchemaViolation)]


def written(path: tuple[str | int, ...]) -> str:
    steps = (f".{step}" if str(step).isidentifier() else f"[{json.dumps(step)}]" for step in path)
    return f"${''.join(steps)}" if path else ""


def positions(text: str) -> list[int]:
    """Give for each mark how many characters are before it."""
    found, at = [], -1
    while (at := text.find(MARK, at + 1)) >= 0:
        found.append(at - len(found))
    return found


def cuts(text: str) -> Iterator[list[str]]:
    for name, fragments in fragmentations(text):
        texts = [fragment for fragment in fragments if isinstance(fragment, str)]
        # A second fragment that repeats the first is held back until the third decides about it.
        repeats = len(texts) > 1 and texts[1].startswith(texts[0])
        if not name.startswith("mixed") and not repeats:
            yield texts


def test_there_are_cases_enough() -> None:
    assert len(CASES) >= 60
    assert len({case[0] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_what_is_told_is_told_at_the_first_character_that_proves_it(case: Case) -> None:
    name, schema, marked, expected = case
    text = marked.replace(MARK, "")
    end = len(text) + 1
    at = positions(marked)
    at += [end] * (len(expected) - len(at))
    for fragments in cuts(text):
        call, events = checked(fragments, {"f": schema})
        told, count = [], 0
        for fragment, its in zip(["", *fragments, "!"], events, strict=True):
            before, count = count, count + len(fragment)
            for violation in violations(its):
                told.append((written(violation.path), violation.message))
                assert before < at[len(told) - 1] <= count, fragments
                assert violation.final or count < end
        assert told == expected
        assert call.status == ("invalid" if expected and name not in MENDED else "complete")
        assert len(call.violations) == (0 if name in MENDED else len(expected))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_correction_names_every_violation(case: Case) -> None:
    _, schema, marked, expected = case
    call, _ = checked([marked.replace(MARK, "")], {"f": schema})
    if call.status == "invalid":
        correction = call.correction()
        assert correction.startswith("The call of f was not run. It is not what the tool takes: ")
        for place, message in expected:
            assert f"{place}: {message}" if place else message in correction


# The tool


def started(*names: str, tools: Any = ("find", "find_all"), index: int = 0) -> list[Any]:
    """Feed the pieces of a name; give the violations of each chunk."""
    accumulator = Accumulator("openai_chat", tools=dict.fromkeys(tools, True))
    entries = [begin(index, names[0])]
    entries += [{"index": index, "function": {"name": name}} for name in names[1:]]
    found = [violations(accumulator.feed(chunk(each))) for each in entries]
    found.append(violations(accumulator.feed(chunk(more("{}")))))
    found.append(violations(accumulator.feed(chunk(finish="stop"))))
    return [[(event.path, event.message, event.final) for event in each] for each in found]


def unknown(name: str) -> Any:
    return [((), f"there is no tool named {name!r}; there are: find, find_all", True)]


def test_unknown_tool_is_told_at_the_start() -> None:
    assert started("lost") == [unknown("lost"), [], []]
    assert started("find") == started("find_all") == [[], [], []]


def test_name_that_may_still_grow_is_not_judged_yet() -> None:
    assert started("find", "_all") == [[], [], [], []]
    assert started("fin", "d") == [[], [], [], []]
    assert started("fin", "al") == [[], unknown("final"), [], []]
    assert started("fin") == [[], unknown("fin"), []]
    assert started("find", "er") == [[], unknown("finder"), [], []]


def test_name_without_arguments_is_judged_at_the_close() -> None:
    accumulator = Accumulator("openai_chat", tools={"find": True})
    accumulator.feed(chunk(begin(name="fin")))
    accumulator.feed(chunk(finish="stop"))
    (violation, closed) = accumulator.feed(DONE)
    assert (violation.type, closed.type) == ("schema_violation", "tool_call_closed")
    assert violation.message == "there is no tool named 'fin'; there are: find"
    assert accumulator.ready() == []


def test_call_of_an_unknown_tool_is_invalid_and_says_what_there_is() -> None:
    accumulator = Accumulator("openai_chat", tools=[])
    for each in whole("{}"):
        accumulator.feed(each)
    (call,) = accumulator.calls
    assert call.status == "invalid"
    assert "there is no tool named 'f'; there are: none." in call.correction()


def test_arguments_before_the_name_are_checked_when_it_comes() -> None:
    accumulator = Accumulator("openai_chat", tools={"f": KINDS})
    nameless = {"index": 0, "id": "c0", "function": {"arguments": '{"a":"x", "s'}}
    assert accumulator.feed(chunk(nameless)) == []
    events = accumulator.feed(chunk({"index": 0, "function": {"name": "f"}}))
    assert [event.type for event in events] == [
        "tool_call_started", "tool_call_delta", "schema_violation", "field_closed",
    ]  # fmt: skip
    (violation,) = violations(accumulator.feed(chunk(more('":1'))))
    assert violation.path == ("s",)


def test_name_that_comes_after_arguments_cannot_grow() -> None:
    accumulator = Accumulator("openai_chat", tools={"find": True})
    accumulator.feed(chunk({"index": 0, "id": "c0", "function": {"arguments": "{"}}))
    events = accumulator.feed(chunk({"index": 0, "function": {"name": "fin"}}))
    assert [event.type for event in events][:2] == ["tool_call_started", "schema_violation"]


def test_call_without_a_name_is_no_call_of_an_unknown_tool() -> None:
    for finish in (None, "stop"):
        calls = []
        for tools in (None, {"f": KINDS}):
            accumulator = Accumulator("openai_chat", tools=tools)
            entry = {"index": 0, "id": "c0", "function": {"arguments": '{"a":"x"}'}}
            accumulator.feed(chunk(entry, finish=finish))
            accumulator.close()
            calls.append(accumulator.calls[0])
        assert calls[0].status == calls[1].status
        assert (calls[1].notes, calls[1].violations) == (calls[0].notes, [])


def test_calls_of_the_vendor_and_of_free_text_are_not_checked() -> None:
    accumulator = Accumulator("openai_chat", tools={"f": KINDS})
    entry = {"index": 0, "id": "c0", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}
    accumulator.feed(chunk(entry))
    accumulator.feed(DONE)
    block = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": '{"query": 1}'}
    server = Accumulator("anthropic", tools={"f": KINDS}, paths="$.none")
    server.feed({"type": "content_block_start", "index": 0, "content_block": block})
    events = server.feed({"type": "content_block_delta", "index": 0, "delta": delta})
    server.feed({"type": "content_block_stop", "index": 0})
    server.feed({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})
    assert [event.type for event in events] == ["tool_call_delta"]
    for call in (*accumulator.calls, *server.calls):
        assert (call.status, call.violations) == ("complete", [])


# The events


def test_violation_comes_before_the_field_event_of_its_value() -> None:
    every = ("start", "delta", "end")
    _, events = checked(['{"a":"x","s":"y","b":1}'], {"f": CLOSED}, events=every)
    assert [(event.type, *getattr(event, "path", ())) for event in events[1]] == [
        ("tool_call_delta",),
        ("schema_violation", "a"), ("field_started", "a"), ("field_delta", "a"),
        ("field_closed", "a"),
        ("schema_violation", "s"), ("field_started", "s"), ("field_delta", "s"),
        ("field_closed", "s"),
        ("schema_violation", "b"), ("field_closed", "b"),
    ]  # fmt: skip


def test_events_match_by_position() -> None:
    call, events = checked(['{"a":"x"}'], {"f": KINDS})
    match violations(events[1]):
        case [SchemaViolation(its, ("a",), message, final)]:
            assert its is call
            assert (message, final) == ("expected integer, not string", False)
        case _:
            pytest.fail("no such violation")


@pytest.mark.parametrize("paths", [None, "$.o.*", ["$.a", "$.rows[*]"], "$"])
@pytest.mark.parametrize("kinds", [(), ("end",), ("start", "end"), ("start", "delta", "end")])
def test_field_events_are_those_that_were_asked_for(kinds: Any, paths: Any) -> None:
    text = '{"o":{"x":"abc","y":[1]},"a":"é","rows":[1,"z",{}],"n":null}'
    for fragments in ([text], list(text)):
        with_tools, without = (
            [
                repr(event)
                for its in checked(fragments, tools, events=kinds, paths=paths)[1]
                for event in its
            ]
            for tools in ({"f": True}, None)
        )
        assert with_tools == without


def test_call_goes_on_after_a_violation_and_the_program_may_abort_it() -> None:
    accumulator = Accumulator("openai_chat", tools={"f": KINDS})
    accumulator.feed(chunk(begin()))
    (_, violation) = accumulator.feed(chunk(more('{"a": "')))
    assert (violation.call.status, violation.call.partial) == ("streaming", {"a": ""})
    assert [event.type for event in accumulator.feed(chunk(more('x"')))] == [
        "tool_call_delta", "field_closed",
    ]  # fmt: skip
    accumulator.abort(violation.message)
    assert violation.call.status == "aborted"
    assert violation.call.correction() == (
        "The call of f was not run. It is not what the tool takes: $.a: expected integer, not "
        "string. If it is still needed, send the whole arguments as valid JSON."
    )


# The verdict


def ended(text: str, tools: Any, finish: str | None, **options: Any) -> ToolCall:
    accumulator = Accumulator("openai_chat", tools=tools, **options)
    for each in whole(text, finish):
        accumulator.feed(each)
    accumulator.close()
    return accumulator.calls[0]


@pytest.mark.parametrize(
    ("text", "finish", "status"),
    [
        ('{"a":1}', "stop", "complete"),
        ('{"a":1}', None, "unconfirmed"),
        ('{"a":"x"}', "stop", "invalid"),
        ('{"a":"x"}', None, "invalid"),
        ('{"a":"x"}', "length", "incomplete"),
        ('{"a":"x"', "stop", "incomplete"),
        ('{"a":"x",}', "stop", "invalid"),
        ("", "stop", "complete"),
    ],
)
def test_verdict(text: str, finish: str | None, status: str) -> None:
    call = ended(text, {"f": KINDS}, finish)
    assert call.status == status
    assert [each.message for each in call.violations] == (
        ["expected integer, not string"] if "x" in text else []
    )
    if "x" in text:
        assert "$.a: expected integer, not string" in call.correction()
        assert ("were cut off" in call.correction()) == (text == '{"a":"x"')
        assert ("It was not finished" in call.correction()) == (finish == "length")
        assert ("not valid JSON" in call.correction()) == (text == '{"a":"x",}')


def test_what_a_member_that_came_again_has_mended_is_no_violation_in_the_end() -> None:
    call, events = checked(['{"a":"x","a":1,"s":1}'], {"f": KINDS})
    told = violations(event for its in events for event in its)
    assert [(each.path, each.final) for each in told] == [(("a",), False), (("s",), True)]
    assert [each.path for each in call.violations] == [("s",)]


def test_no_arguments_are_checked_as_an_empty_object() -> None:
    call = ended("", {"f": {"required": ["a"]}}, "stop")
    assert (call.status, call.partial) == ("invalid", None)
    assert [(each.path, each.final) for each in call.violations] == [(("a",), True)]


def test_repaired_arguments_are_checked_as_they_are_after_it() -> None:
    broken = "{'a':'x'}"
    fine = ended(broken, {"f": KINDS}, "stop", repair=lambda text: {"a": 1})
    assert (fine.status, fine.arguments, fine.violations) == ("complete", {"a": 1}, [])
    wrong = ended(broken, {"f": KINDS}, "stop", repair=lambda text: {"a": "x"})
    assert (wrong.status, len(wrong.violations)) == ("invalid", 1)
    strange = ended(broken, {"f": KINDS}, "stop", repair=lambda text: {"a": (1, 2)})
    assert [each.message for each in strange.violations] == ["expected integer, not array"]


def test_final_text_of_the_vendor_is_checked_in_place_of_the_fragments() -> None:
    item = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": ""}
    accumulator = Accumulator("openai_responses", tools={"f": KINDS})
    accumulator.feed({"type": "response.output_item.added", "output_index": 0, "item": item})
    delta = {"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "i"}
    assert len(violations(accumulator.feed({**delta, "delta": '{"a":"x", "s":'}))) == 1
    done = {"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "i"}
    events = accumulator.feed({**done, "arguments": '{"s":1,"a":2}'})
    assert [event.path for event in violations(events)] == [("s",)]
    (call,) = accumulator.calls
    assert [each.path for each in call.violations] == [("s",)]
    accumulator.feed({"type": "response.completed", "response": {"status": "completed"}})
    assert (call.status, [each.path for each in call.violations]) == ("invalid", [("s",)])


def test_record_keeps_the_violations() -> None:
    call = ended('{"a":"x","b":1}', {"f": CLOSED}, "stop")
    record = json.loads(json.dumps(call.to_record()))
    again = ToolCall.from_record(record)
    assert again.violations == call.violations
    assert again.correction() == call.correction()


def test_what_jsonschema_fails_at_makes_the_call_invalid() -> None:
    call = ended(
        '{"a":1' + "0" * 400 + "}", {"f": {"properties": {"a": {"multipleOf": 0.1}}}}, "stop"
    )
    assert call.status == "invalid"
    assert call.violations[0].message.startswith("could not be checked: OverflowError")


def test_deep_arguments_are_invalid_where_they_cannot_be_checked() -> None:
    deep = '{"kids":[' * 400 + "]}" * 400
    tree = {"properties": {"kids": {"items": {"$ref": "#"}}}}
    call = ended(deep, {"f": tree}, "stop")
    assert call.status == "invalid"
    assert [each.message for each in call.violations] == ["nested too deep to be checked"]


def test_long_values_are_not_quoted_whole() -> None:
    call = ended(json.dumps({"a": "x" * 10_000}), {"f": {"properties": {"a": {"not": {}}}}}, "stop")
    assert len(call.violations[0].message) == 200


def test_constants_may_be_of_pythons_own_types() -> None:
    class Mode(StrEnum):
        ON = "on"

    schema = {"properties": {"mode": {"enum": [Mode.ON]}}}
    assert ended('{"mode":"on"}', {"f": schema}, "stop").status == "complete"
    assert ended('{"mode":"off"}', {"f": schema}, "stop").status == "invalid"


def test_schemas_that_say_the_same_twice_are_followed_once() -> None:
    twice = {
        f"d{number}": {"allOf": [{"$ref": f"#/$defs/d{number + 1}"}] * 2} for number in range(60)
    }
    schema = {"$defs": {**twice, "d60": {"type": "array"}}, "$ref": "#/$defs/d0"}
    call, events = checked(["{"], {"f": schema})
    assert [each.message for each in violations(events[1])] == ["expected array, not object"]
    assert call.status == "incomplete"


def test_alternatives_in_alternatives_are_not_followed_without_end() -> None:
    names = [f"k{number}" for number in range(5)]
    tree = {
        "$defs": {
            "any": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]},
            **{
                name: {"properties": {"x": {"$ref": "#/$defs/any"}, name: {"type": "null"}}}
                for name in names
            },
        },
        "$ref": "#/$defs/any",
    }
    depth = 60  # 5 to the power of it, if nothing were left out
    text = '{"x":' * depth + "1" + "}" * (depth - 1)
    call, _ = checked([text], {"f": tree})
    assert call.status == "incomplete"
