"""OpenAI Chat: what its many servers do to ids, indexes, names, arguments and endings."""

from typing import Any

import pytest
from driving import DONE, arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator, CallStarted

VENDOR = "openai_chat"


def chunk(*entries: Any, finish: str | None = None, choice: int = 0, **delta: Any) -> Any:
    if entries:
        delta["tool_calls"] = list(entries)
    return {
        "id": "chatcmpl-1",
        "choices": [{"index": choice, "delta": delta, "finish_reason": finish}],
    }


def entry(
    arguments: Any = None, name: str | None = None, call_id: Any = None, index: Any = 0
) -> Any:
    function = {"name": name, "arguments": arguments}
    given = {key: value for key, value in function.items() if value is not None}
    return {"index": index, "id": call_id, "function": given}


def ended(*chunks: Any, finish: str = "tool_calls", **options: Any) -> Accumulator:
    return drive(VENDOR, [*chunks, chunk(finish=finish), DONE], **options)


def test_own_stream() -> None:
    check_own_stream(VENDOR, done=True)


# Identity


@pytest.mark.parametrize("no_id", [None, "", "null"])
def test_what_is_no_id_follows_the_index(no_id: str | None) -> None:
    accumulator = ended(
        chunk(entry('{"a":', "f", "c1", 0)),
        chunk(entry('{"b":', "g", "c2", 1)),
        chunk(entry("1}", None, no_id, 0)),
        chunk(entry("2}", "", no_id, 1)),
    )
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]
    assert [call.id for call in accumulator.calls] == ["c1", "c2"]


def test_known_id_wins_over_the_index() -> None:
    accumulator = ended(
        chunk(entry('{"a":', "f", "c1", 0)),
        chunk(entry('{"b":', "g", "c2", 0)),
        chunk(entry("1}", None, "c1", 0)),
        chunk(entry("2}", None, "c2", 7)),
    )
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]


def test_after_a_known_id_its_new_index_leads_to_it() -> None:
    accumulator = ended(
        chunk(entry('{"a":', "f", "c1", 0)),
        chunk(entry("[", None, "c1", 5)),
        chunk(entry("]}", None, None, 5)),
    )
    assert arguments(accumulator) == [{"a": []}]


def test_reused_index_belongs_to_its_latest_owner() -> None:
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1", 0)),
        chunk(entry('{"a":', "f", "c2", 0)),
        chunk(entry("2}", None, None, 0)),
    )
    assert arguments(accumulator) == [{"a": 1}, {"a": 2}]


def test_without_index_it_is_the_latest_call() -> None:
    accumulator = ended(
        chunk(entry('{"a":', "f", "c1", None)),
        chunk(entry("1}", None, None, None)),
        chunk(entry('{"b":', "g", "c2", None)),
        chunk(entry("2}", None, None, None)),
    )
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]


def test_named_calls_without_id_and_index() -> None:
    accumulator = ended(chunk(entry("{}", "f", index=None), entry('{"b":1}', "f", index=None)))
    assert arguments(accumulator) == [{}, {"b": 1}]


def test_new_id_without_name_after_a_whole_call_is_another_call() -> None:
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1")),
        chunk(entry(None, None, "c2")),
        chunk(entry(None, "g")),
        chunk(entry('{"b":2}')),
    )
    assert [call.name for call in accumulator.calls] == ["f", "g"]
    assert [call.id for call in accumulator.calls] == ["c1", "c2"]
    assert arguments(accumulator) == [{"a": 1}, {"b": 2}]


def test_name_repeated_after_the_whole_begins_nothing() -> None:
    """vLLM repeats the name in the chunk with the finish reason."""
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1")), chunk(entry("", "f")), chunk(entry(None, "f", "c1"))
    )
    assert arguments(accumulator) == [{"a": 1}]


def test_mention_of_an_index_that_comes_to_nothing_is_no_call() -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1")), chunk(entry("", None, "c9")))
    assert [call.id for call in accumulator.calls] == ["c1"]


def test_late_id_is_taken() -> None:
    accumulator = ended(
        chunk(entry("", "f")), chunk(entry('{"a":', "f", "c1")), chunk(entry("1}", None, "c1"))
    )
    assert [(call.id, call.arguments) for call in accumulator.calls] == [("c1", {"a": 1})]


def test_same_id_in_two_choices_is_two_calls() -> None:
    accumulator = drive(
        VENDOR,
        [
            chunk(entry('{"a":1', "f", "same"), choice=0),
            chunk(entry('{"a":2', "f", "same"), choice=1),
            chunk(entry("}"), choice=1),
            chunk(entry("}"), choice=0),
            chunk(finish="tool_calls", choice=1),
            chunk(finish="length", choice=0),
            DONE,
        ],
    )
    first, second = accumulator.calls
    assert (first.status, first.reason, first.partial) == ("incomplete", "length", {"a": 1})
    assert (second.status, second.arguments) == ("complete", {"a": 2})
    assert first.key != second.key


def test_id_inside_the_function() -> None:
    """llama.cpp puts it there."""
    function = {"id": "c1", "name": "f", "arguments": "{}"}
    accumulator = ended(chunk({"index": 0, "function": function}))
    assert accumulator.calls[0].id == "c1"


# Names


def test_name_in_every_chunk_is_one_name() -> None:
    accumulator = ended(*(chunk(entry(text, "wx", "c1")) for text in ('{"a"', ":", "1}")))
    assert [(call.name, call.arguments) for call in accumulator.calls] == [("wx", {"a": 1})]


def test_name_in_pieces_before_the_arguments_is_joined() -> None:
    accumulator = ended(
        chunk(entry("", "edit_ex", "c1")), chunk(entry(None, "isting_file")), chunk(entry("{}"))
    )
    assert accumulator.calls[0].name == "edit_existing_file"


def test_another_name_among_the_arguments_is_noted() -> None:
    accumulator = ended(chunk(entry('{"a":', "f", "c1")), chunk(entry("1}", "g", "c1")))
    (call,) = accumulator.calls
    assert (call.name, call.arguments) == ("f", {"a": 1})
    assert call.notes == ["another name came later: g"]


def test_arguments_before_the_name_are_kept_and_announced_with_it() -> None:
    accumulator = Accumulator(VENDOR)
    assert accumulator.feed(chunk(entry('{"a":', None, None))) == []
    assert accumulator.feed(chunk(entry("1", None, "c1"))) == []
    assert accumulator.calls[0].partial == {}
    events = accumulator.feed(chunk(entry(', "b":2}', "f", None)))
    assert [event.type for event in events] == [
        "tool_call_started", "tool_call_delta", "tool_call_delta", "tool_call_delta",
        "field_closed", "field_closed",
    ]  # fmt: skip
    accumulator.feed(chunk(finish="stop"))
    assert arguments(accumulator) == [{"a": 1, "b": 2}]


def test_call_without_a_name_is_never_complete() -> None:
    accumulator = ended(chunk(entry('{"a":1}', None, "c1")))
    (call,) = accumulator.calls
    assert call.status == "incomplete"
    assert call.notes == ["the name of the tool never came"]
    assert call.partial == {"a": 1}


# Shapes


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": []},
        {"choices": None},
        {},
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
        {"choices": [{"index": 0, "finish_reason": None}]},
        chunk(content="", role="assistant"),
        chunk(tool_calls=None),
        chunk(tool_calls=[]),
        chunk({"index": 0, "function": None}),
        chunk({"index": 0}),
        chunk(entry(None)),
        {"choices": [], "usage": {"total_tokens": 3}},
        None,
        "",
        ": comment",
    ],
)
def test_odd_chunks_change_nothing(odd: Any) -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(odd)
    accumulator.feed(chunk(entry('{"a":', "f", "c1")))
    assert accumulator.feed(odd) == []
    accumulator.feed(chunk(entry("1}")))
    accumulator.feed(odd)
    accumulator.feed(chunk(finish="stop"))
    assert arguments(accumulator) == [{"a": 1}]


def test_object_arguments_are_taken_once() -> None:
    accumulator = ended(chunk(entry({"a": 1}, "f", "c1")), chunk(entry({"a": 1}, None, "c1")))
    (call,) = accumulator.calls
    assert (call.arguments, call.text, call.duplicates) == ({"a": 1}, None, 1)


@pytest.mark.parametrize("more", ['{"b":2}', {"b": 2}])
def test_more_after_object_arguments_is_a_conflict(more: Any) -> None:
    accumulator = ended(chunk(entry({"a": 1}, "f", "c1")), chunk(entry(more)))
    (call,) = accumulator.calls
    assert call.status == "invalid"
    assert call.error is not None
    assert call.error.msg == "Extra data"


@pytest.mark.parametrize("placeholder", [{}, [], "", None])
def test_placeholder_before_the_text(placeholder: Any) -> None:
    accumulator = ended(chunk(entry(placeholder, "f", "c1")), chunk(entry('{"a":1}')))
    assert arguments(accumulator) == [{"a": 1}]


@pytest.mark.parametrize("value", [{"a": 1}, [None], 7, True])
def test_object_amid_text_is_never_glued_into_it(value: Any) -> None:
    """Not even inside a string, where anything could stand."""
    before, after = entry('{"s":"x', "f", "c1"), entry('y"}')
    (call,) = ended(chunk(before), chunk(entry(value)), chunk(after)).calls
    assert (call.status, call.partial) == ("invalid", {"s": "x"})
    assert call.error is not None
    assert "in the middle of the text" in call.error.msg


def test_tool_calls_as_an_object() -> None:
    accumulator = ended(chunk(tool_calls=entry({"a": 1}, "f", "c1")))
    assert arguments(accumulator) == [{"a": 1}]


def test_custom_tools_take_free_text() -> None:
    def custom(**fields: Any) -> Any:
        return {"index": 0, "type": "custom", "custom": fields}

    accumulator = ended(
        chunk({**custom(name="sql", input="SEL"), "id": "c1"}), chunk(custom(input='ECT "{')),
    )  # fmt: skip
    (call,) = accumulator.calls
    assert (call.format, call.arguments, call.text) == ("text", 'SELECT "{', 'SELECT "{')
    assert call.extra["type"] == "custom"


@pytest.mark.parametrize(("finish", "status"), [("length", "incomplete"), (None, "incomplete")])
def test_free_text_is_whole_only_by_the_vendors_word(finish: str | None, status: str) -> None:
    custom = {"index": 0, "id": "c1", "custom": {"name": "sql", "input": "SELECT"}}
    accumulator = drive(VENDOR, [chunk(custom), *([chunk(finish=finish)] if finish else [])])
    assert statuses(accumulator) == [status]
    assert accumulator.calls[0].partial == "SELECT"


def test_legacy_function_call() -> None:
    accumulator = ended(
        chunk(function_call={"name": "f", "arguments": ""}),
        chunk(function_call={"arguments": '{"a":'}),
        chunk(function_call={"arguments": "1}"}),
        finish="function_call",
    )
    (call,) = accumulator.calls
    assert (call.id, call.index, call.arguments) == (None, None, {"a": 1})
    assert vendors.openai_chat.tool_result(call, "done") == {
        "role": "function", "name": "f", "content": "done",
    }  # fmt: skip


def test_thought_signatures_of_the_compatible_api_are_kept() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    accumulator = ended(chunk({**entry("{}", "f", "c1"), "extra_content": extra}))
    assert accumulator.calls[0].extra["extra_content"] == extra


# Repeated arguments


def test_same_call_again_after_the_whole_is_a_duplicate() -> None:
    """GPT-4.1-nano sends two blocks with one index and one id."""
    block = [chunk(entry("", "f", "c1")), chunk(entry('{"a":')), chunk(entry("[1]}"))]
    accumulator = ended(*block, *block)
    (call,) = accumulator.calls
    assert (call.arguments, call.text, call.duplicates) == ({"a": [1]}, '{"a":[1]}', 1)


def test_other_arguments_for_one_call_are_a_conflict() -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1")), chunk(entry('{"a":2}', "f", "c1")))
    (call,) = accumulator.calls
    assert call.status == "invalid"
    assert call.text == '{"a":1}{"a":2}'
    assert call.error is not None
    assert (call.error.msg, call.error.pos) == ("Extra data", 7)


def test_repetition_that_breaks_off_is_a_conflict() -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1")), chunk(entry('{"a":', "f", "c1")))
    assert statuses(accumulator) == ["invalid"]
    assert accumulator.calls[0].text == '{"a":1}{"a":'


def test_number_and_boolean_are_not_the_same_argument() -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1")), chunk(entry('{"a":true}', "f", "c1")))
    assert statuses(accumulator) == ["invalid"]


def test_after_the_verdict_other_arguments_are_only_noted() -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1"), finish="stop"), chunk(entry('{"a":2}')))
    (call,) = accumulator.calls
    assert (call.arguments, call.text) == ({"a": 1}, '{"a":1}')
    assert call.notes == ["the call came again with other arguments: ignored"]


def test_each_delta_repeats_everything_so_far() -> None:
    """DeepSeek gateways do: known only once two fragments in a row have extended all before."""
    whole = '{"s":"abc","n":[1,2]}'
    accumulator = Accumulator(VENDOR, events={"start", "delta", "end"})
    events = []
    for length in (4, 7, 8, 8, 13, 19, len(whole), len(whole)):
        events += accumulator.feed(chunk(entry(whole[:length], "f", "c1")))
    accumulator.feed(chunk(finish="stop"))
    (call,) = accumulator.calls
    assert (call.arguments, call.text) == ({"s": "abc", "n": [1, 2]}, whole)
    assert "".join(e.text for e in events if e.type == "tool_call_delta") == whole
    assert [e.value for e in events if e.type == "field_closed"] == ["abc", 1, 2, [1, 2]]


def test_one_extension_of_the_first_fragment_is_nesting() -> None:
    accumulator = ended(*(chunk(entry(text, "f", "c1")) for text in ('{"a":', '{"a":', "1}}")))
    assert arguments(accumulator) == [{"a": {"a": 1}}]
    accumulator = ended(*(chunk(entry(text, "f", "c1")) for text in ('{"a":', '{"a":[', "1]}}")))
    assert arguments(accumulator) == [{"a": {"a": [1]}}]


# Endings


@pytest.mark.parametrize("finish", ["tool_calls", "stop", "function_call"])
def test_success_words(finish: str) -> None:
    accumulator = drive(VENDOR, [chunk(entry('{"a":1}', "f", "c1")), chunk(finish=finish)])
    assert (statuses(accumulator), accumulator.calls[0].reason) == (["complete"], finish)


@pytest.mark.parametrize("finish", ["content_filter", "error"])
def test_refusing_words_complete_nothing(finish: str) -> None:
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1")), finish=finish)
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.ready() == []


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "function_call"])
def test_refusal_completes_nothing_whatever_it_ends_with(finish: str) -> None:
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1")), chunk(refusal="I cannot"), finish=finish
    )
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.finish_reason == "refusal"


def test_an_error_beside_a_reason_completes_nothing() -> None:
    error = {"error": {"code": 502, "message": "Provider returned error"}}
    for first, last in (
        ('{"a":1}', chunk(finish="tool_calls")),
        ('{"a":', chunk(entry("1}"), finish="stop")),
    ):
        accumulator = Accumulator(VENDOR)
        accumulator.feed(chunk(entry(first, "f", "c1")))
        events = accumulator.feed({**last, **error})
        assert [event.type for event in events][-2:] == ["tool_call_closed", "stream_failed"]
        assert statuses(accumulator) == ["incomplete"]


def test_a_call_that_is_said_in_the_old_form_as_well_is_one() -> None:
    legacy = {"name": "f", "arguments": '{"a":1}'}
    accumulator = ended(chunk(entry('{"a":1}', "f", "c1"), function_call=legacy))
    assert [(call.id, call.arguments) for call in accumulator.ready()] == [("c1", {"a": 1})]


def test_without_any_word_a_whole_call_is_unconfirmed() -> None:
    chunks = [chunk(entry('{"a":1}', "f", "c1")), chunk(entry('{"b":', "g", "c2", 1))]
    accumulator = drive(VENDOR, chunks)
    assert statuses(accumulator) == ["unconfirmed", "incomplete"]
    assert [call.reason for call in accumulator.calls] == ["eof", "eof"]
    assert accumulator.ready() == []
    assert statuses(drive(VENDOR, chunks, trust_eof=True)) == ["complete", "incomplete"]


def test_unknown_finish_reason_is_no_word() -> None:
    chunks = [chunk(entry('{"a":1}', "f", "c1")), chunk(finish="because")]
    accumulator = drive(VENDOR, chunks)
    assert statuses(accumulator) == ["unconfirmed"]
    assert accumulator.calls[0].reason == "because"
    assert statuses(drive(VENDOR, [*chunks, DONE])) == ["complete"]


@pytest.mark.parametrize("before", [['{"a":'], ["{", '"a"', ":"], list('{"a":')])
def test_deltas_after_the_finish_reason_still_count(before: list[str]) -> None:
    accumulator = Accumulator(VENDOR)
    for text in before:
        accumulator.feed(chunk(entry(text, "f", "c1")))
    accumulator.feed(chunk(finish="tool_calls"))
    assert accumulator.ready() == []
    events = accumulator.feed(chunk(entry("1}")))
    assert events[-1].type == "tool_call_closed"
    assert [call.arguments for call in accumulator.ready()] == [{"a": 1}]


def test_no_arguments_are_known_only_at_the_end() -> None:
    """After the finish reason there may still come some."""
    accumulator = Accumulator(VENDOR)
    accumulator.feed(chunk(entry("", "f", "c1"), finish="tool_calls"))
    assert accumulator.calls[0].status == "streaming"
    accumulator.feed(chunk(entry('{"a":1}')))
    assert arguments(accumulator) == [{"a": 1}]


@pytest.mark.parametrize("blank", ["", "  \n", "null", None])
def test_blank_arguments_are_an_empty_object_by_a_word_of_success(blank: str | None) -> None:
    call = chunk(entry(blank, "f", "c1"))
    accumulator = ended(call)
    assert arguments(accumulator) == [{}]
    assert accumulator.calls[0].notes == ["no arguments came: taken as {}"]
    assert accumulator.calls[0].partial is None
    for finish in ("length", "content_filter"):
        assert statuses(ended(call, finish=finish)) == ["incomplete"]
    assert statuses(drive(VENDOR, [call])) == ["incomplete"]
    assert arguments(drive(VENDOR, [call], trust_eof=True)) == [{}]


def test_length_cuts_only_the_last_call() -> None:
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1", 0)),
        chunk(entry("", "g", "c2", 1)),
        chunk(entry('{"b":2}', "h", "c3", 2)),
        finish="length",
    )
    # Without a close of its own, nothing says that the second was to have no arguments.
    assert statuses(accumulator) == ["complete", "incomplete", "incomplete"]
    assert accumulator.finish_reason == "length"


def test_length_inside_the_announcement_of_a_call() -> None:
    accumulator = ended(
        chunk(entry('{"a":1}', "f", "c1", 0)), chunk(entry("", "g", "c2", 1)), finish="length"
    )
    assert statuses(accumulator) == ["complete", "incomplete"]


def test_call_that_begins_after_the_finish_reason_needs_another_word() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(chunk(entry("{}", "f", "c1"), finish="tool_calls"))
    accumulator.feed(chunk(entry("{}", "g", "c2", 1)))
    assert [call.name for call in accumulator.ready()] == ["f"]
    accumulator.feed(DONE)
    assert [call.name for call in accumulator.ready()] == ["f", "g"]


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "Overloaded", "type": "server_error", "code": None}},
        {"object": "error", "message": "Overloaded", "type": "server_error"},
        {
            "error": {"message": "Overloaded", "code": "server_error"},
            "choices": [{"index": 0, "delta": {}, "finish_reason": "error"}],
        },
    ],
)
def test_error_in_the_stream(error: Any) -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(chunk(entry('{"a":1}', "f", "c1"), entry('{"b":', "g", "c2", 1)))
    events = accumulator.feed(error)
    assert events[-1].type == "stream_failed"
    assert statuses(accumulator) == ["incomplete", "incomplete"]
    assert accumulator.error is not None
    assert (str(accumulator.error), accumulator.error.code) == ("Overloaded", "server_error")
    assert accumulator.outcome.state == "failed"


def test_error_that_is_only_a_sentence() -> None:
    accumulator = drive("auto", [{"error": "out of memory"}])
    assert str(accumulator.error) == "out of memory"


def test_helper_streams_of_the_sdk_wrap_chunks() -> None:
    accumulator = drive(
        "auto",
        [
            {"type": "chunk", "chunk": chunk(entry("{}", "f", "c1")), "snapshot": {}},
            {"type": "tool_calls.function.arguments.delta", "arguments_delta": "{}"},
            {"type": "chunk", "chunk": chunk(finish="stop"), "snapshot": {}},
        ],
    )
    assert arguments(accumulator) == [{}]


def test_starts_are_told_once() -> None:
    accumulator = Accumulator(VENDOR)
    started = [
        event
        for text in ('{"a"', ":1", "}", '{"a":1}')
        for event in accumulator.feed(chunk(entry(text, "f", "c1")))
        if isinstance(event, CallStarted)
    ]
    assert len(started) == 1


def test_tool_result() -> None:
    (call,) = ended(chunk(entry("{}", "f", "c1"))).calls
    tool_result = vendors.openai_chat.tool_result
    assert tool_result(call, {"ok": True}) == {
        "role": "tool", "tool_call_id": "c1", "content": '{"ok": true}',
    }  # fmt: skip
    assert tool_result(call, "é")["content"] == "é"
    assert tool_result(call, "gone", is_error=True)["content"] == '{"error": "gone"}'
