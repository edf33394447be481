"""A call by itself: what may be read when, its records, and what to tell the model."""

import copy
import json
import pickle
from typing import Any

import pytest
from chat import DONE, begin, chunk, more, whole

from fragjson.toolcalls import Accumulator, CallNotReadyError, CallStatus, ToolCall


def call_of(*chunks: Any, **options: Any) -> ToolCall:
    accumulator = Accumulator("openai_chat", **options)
    for each in chunks:
        accumulator.feed(each)
    return accumulator.calls[0]


def ended(text: str, finish: str | None = "tool_calls") -> ToolCall:
    accumulator = Accumulator("openai_chat")
    for each in whole(text, finish):
        accumulator.feed(each)
    accumulator.close()
    return accumulator.calls[0]


EVERY_STATUS = {
    "streaming": lambda: call_of(chunk(begin()), chunk(more('{"a":'))),
    "complete": lambda: ended('{"a":1}'),
    "unconfirmed": lambda: ended('{"a":1}', None),
    "incomplete": lambda: ended('{"a":'),
    "invalid": lambda: ended('{"a":x}'),
}


def aborted() -> ToolCall:
    accumulator = Accumulator("openai_chat")
    for each in (chunk(begin()), chunk(more('{"a":'))):
        accumulator.feed(each)
    accumulator.abort("user")
    return accumulator.calls[0]


EVERY_STATUS["aborted"] = aborted


def test_every_status_is_here() -> None:
    assert set(EVERY_STATUS) == {str(status) for status in CallStatus}


@pytest.mark.parametrize("status", EVERY_STATUS)
def test_arguments_can_be_read_only_when_complete(status: str) -> None:
    call = EVERY_STATUS[status]()
    assert call.status == status
    if status == "complete":
        assert call.arguments == {"a": 1}
    else:
        with pytest.raises(CallNotReadyError, match=f"the call of f is {status}"):
            _ = call.arguments
    assert call.text is not None
    assert call.partial in ({}, {"a": 1})
    assert f"f id='c0' {status}" in repr(call)


@pytest.mark.parametrize("record", [None, [], "{}", 5, {}, {"text": ""}])
def test_what_is_no_record_is_refused(record: Any) -> None:
    with pytest.raises(ValueError, match=r"^not the record of a call: "):
        ToolCall.from_record(record)


def test_a_name_that_the_model_has_made_up_is_shown_escaped() -> None:
    accumulator = Accumulator("openai_chat")
    accumulator.feed(chunk(begin(name="\x1b[2J\u202ef")))
    (call,) = accumulator.calls
    for shown in (repr(call), repr(accumulator)):
        assert r"\u001b[2J\u202ef streaming" in shown.replace(" id='c0'", "")
    with pytest.raises(CallNotReadyError, match=r"the call of \\u001b\[2J"):
        _ = call.arguments


def test_incomplete_call_says_where_it_was_cut() -> None:
    call = ended('{"a":[1, ')
    assert call.error is not None
    assert (call.error.msg, call.error.stopped_at) == ("Expecting value", 9)
    assert call.error.path == ("a",)
    assert type(call.error).__name__ == "IncompleteJSONError"


def test_number_at_the_root_is_whole_at_the_end() -> None:
    call = call_of(*whole("12"), DONE)
    assert (call.status, call.arguments) == ("complete", 12)


# Records


@pytest.mark.parametrize("status", EVERY_STATUS)
def test_record_survives_json_and_is_never_more_than_it_was(status: str) -> None:
    call = EVERY_STATUS[status]()
    record = json.loads(json.dumps(call.to_record()))
    assert record == call.to_record()
    again = ToolCall.from_record(record)
    for name in ("id", "name", "index", "key", "format", "server_side", "text", "partial",
                 "error", "notes", "duplicates", "extra", "timing"):  # fmt: skip
        assert getattr(again, name) == getattr(call, name)
    if status == "complete":
        assert again.arguments == {"a": 1}
    else:
        assert again.status == ("aborted" if status == "streaming" else status)
        with pytest.raises(CallNotReadyError):
            _ = again.arguments
    expected = record | {"status": str(again.status), "reason": again.reason}
    assert again.to_record() == expected


def through_pickle(call: ToolCall) -> Any:
    return pickle.loads(pickle.dumps(call))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, through_pickle])
@pytest.mark.parametrize("status", sorted(EVERY_STATUS.keys() - {"streaming"}))
def test_a_copy_is_the_call_as_it_is_now(status: str, copied: Any) -> None:
    call = EVERY_STATUS[status]()
    assert copied(call).to_record() == call.to_record()


def test_a_copy_does_not_go_on_growing() -> None:
    accumulator = Accumulator("openai_chat")
    accumulator.feed(chunk(begin()))
    event, *_ = accumulator.feed(chunk(more('{"a":"b')))
    kept = copy.copy(event.call)
    accumulator.feed(chunk(more('c"}')))
    assert (kept.text, kept.partial, kept.status) == ('{"a":"b', {"a": "b"}, "aborted")
    assert event.call.partial == {"a": "bc"}


def test_record_is_a_copy() -> None:
    call = call_of(chunk(begin()), chunk(more('{"a":[')))
    record = call.to_record()
    record["partial"]["a"].append(1)
    assert call.partial == {"a": []}


def test_deep_arguments_can_be_recorded() -> None:
    text = '{"a":' + "[" * 990 + "]" * 990 + "}"
    record = call_of(*whole(text)).to_record()
    assert record["status"] == "complete"
    assert ToolCall.from_record(record).arguments["a"] == record["arguments"]["a"]


@pytest.mark.parametrize(
    "change",
    [
        {"status": "done"},
        {"error": {"type": "KeyError"}},
        {"error": {"type": "MalformedJSONError"}},
        {"key": ["a"]},
        {"timing": {"x": 1}},
        {"notes": None},
    ],
)
def test_other_records_are_refused(change: dict[str, Any]) -> None:
    record = ended('{"a":1}').to_record()
    with pytest.raises(ValueError, match="not the record of a call"):
        ToolCall.from_record(record | change)
    without = {name: value for name, value in record.items() if name != "arguments"}
    with pytest.raises(ValueError, match="'arguments'"):
        ToolCall.from_record(without)


# Corrections


def test_correction_says_what_where_and_the_text_around_it() -> None:
    text = '{"memo": "They say "halt" to all", "n": 1}'
    correction = ended(text).correction()
    assert "The call of f was not run." in correction
    assert "Expecting ',' delimiter: line 1 column 21 (char 20)" in correction
    assert '{"memo": "They say ">>>halt" to all", "n": 1}' in correction
    long = '{"a": "' + "x" * 100 + '" y ' + "z" * 100
    assert "x" * 38 + '" >>>y ' in ended(long).correction()
    assert len(ended(long).correction()) < 400


def test_correction_of_cut_and_unfinished_calls() -> None:
    assert "were cut off before they were finished (length)" in ended("{", "length").correction()
    assert "was not finished (eof)" in ended('{"a":1}', None).correction()
    assert "was not finished (user)" in aborted().correction()


@pytest.mark.parametrize("status", ["complete", "streaming"])
def test_nothing_to_correct(status: str) -> None:
    with pytest.raises(ValueError, match=f"nothing to correct: the call is {status}"):
        EVERY_STATUS[status]().correction()
