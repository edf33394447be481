"""Gemini: calls as parts, values set by path and all the ways such a call can end."""

import base64
import json
from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses
from google.genai import types

from fragjson import vendors
from fragjson.toolcalls import Accumulator, FieldClosed

VENDOR = "gemini"


def chunk(*parts: Any, finish: str | None = None, **more: Any) -> Any:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "responseId": "r1"}


def called(**fields: Any) -> Any:
    return {"functionCall": fields}


def setting(path: str, kind: str, value: Any, more: bool = False) -> Any:
    return {"jsonPath": path, f"{kind}Value": value, **({"willContinue": True} if more else {})}


def values(*settings: Any, more: bool = True) -> Any:
    fields: dict[str, Any] = {"partialArgs": list(settings)} if settings else {}
    return chunk(called(**fields, **({"willContinue": True} if more else {})))


OPEN = chunk(called(name="f", willContinue=True))
STOP = chunk(finish="STOP")


def test_own_stream() -> None:
    check_own_stream(VENDOR)


# Whole calls


def test_whole_calls_stay_apart_without_ids() -> None:
    same = called(name="f", args={})
    accumulator = drive(VENDOR, [chunk(same, same), chunk(called(name="f", args={"a": 1})), STOP])
    assert arguments(accumulator) == [{}, {}, {"a": 1}]
    assert len({call.key for call in accumulator.calls}) == 3
    assert [call.id for call in accumulator.calls] == [None, None, None]


@pytest.mark.parametrize("args", ['{"a":1}', [1], 7])
def test_arguments_that_are_no_object_are_not_passed_over(args: Any) -> None:
    server_side = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": args}}
    accumulator = drive(VENDOR, [chunk(called(name="f", args=args)), chunk(server_side), STOP])
    assert statuses(accumulator) == ["invalid", "invalid"]


def test_whole_call_closes_at_the_next_one_the_finish_reason_or_never() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(chunk(called(name="f", args={"a": 1})))
    assert accumulator.calls[0].partial == {"a": 1}
    assert accumulator.ready() == []
    accumulator.feed(chunk(called(name="g", args={"b": 1})))
    assert [call.name for call in accumulator.ready()] == ["f"]
    accumulator.feed(STOP)
    assert [call.name for call in accumulator.ready()] == ["f", "g"]
    assert statuses(drive(VENDOR, [chunk(called(name="f", args={}))])) == ["unconfirmed"]


def test_members_of_a_nameless_part_are_merged_the_later_ones_win() -> None:
    accumulator = drive(
        VENDOR,
        [
            chunk(called(name="f", args={"a": 1, "b": [1]})),
            chunk(called(args={"b": [1], "c": 2, "a": 3})),
            STOP,
        ],
    )
    assert arguments(accumulator) == [{"a": 3, "b": [1], "c": 2}]


def test_finish_reason_before_more_parts() -> None:
    accumulator = drive(
        VENDOR, [chunk(called(name="f", args={}), finish="STOP"), chunk(called(name="g")), STOP]
    )
    assert statuses(accumulator) == ["complete", "complete"]


def test_known_id_again_is_a_duplicate() -> None:
    call = called(id="g1", name="f", args={"a": 1})
    accumulator = drive(VENDOR, [chunk(call), chunk(call), STOP])
    assert [(call.arguments, call.duplicates) for call in accumulator.calls] == [({"a": 1}, 1)]
    other = called(id="g1", name="f", args={"a": 2})
    accumulator = drive(VENDOR, [chunk(call), chunk(other), STOP])
    assert arguments(accumulator) == [{"a": 1}]
    assert accumulator.calls[0].notes == ["the call came again with other arguments: ignored"]


def test_whole_calls_have_the_field_events_of_a_text_call() -> None:
    accumulator = Accumulator(VENDOR, paths="$.rows[*].n")
    events = accumulator.feed(chunk(called(name="f", args={"rows": [{"n": 1.5}, {"n": "x"}]})))
    events += accumulator.feed(STOP)
    closed = [(event.path, event.value) for event in events if isinstance(event, FieldClosed)]
    assert closed == [(("rows", 0, "n"), 1.5), (("rows", 1, "n"), "x")]
    text = "".join(event.text for event in events if event.type == "tool_call_delta")
    assert json.loads(text) == accumulator.calls[0].arguments
    assert accumulator.calls[0].text is None


def test_thought_signature_stays_with_its_call() -> None:
    signed = {**called(name="f"), "thoughtSignature": "c2ln"}
    accumulator = drive(VENDOR, [chunk(signed, called(name="g")), STOP])
    assert [call.extra for call in accumulator.calls] == [{"thought_signature": "c2ln"}, {}]


def test_candidates_are_apart() -> None:
    first, second = chunk(called(name="f", args={})), chunk(called(name="g"), index=1)
    accumulator = drive(VENDOR, [first, second, STOP, chunk(index=1, finish="OTHER")])
    assert statuses(accumulator) == ["complete", "incomplete"]


def test_server_side_parts() -> None:
    code = {"executableCode": {"code": "print(1)", "language": "PYTHON"}}
    search = {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "args": {"q": "x"}, "id": "s1"}}
    accumulator = drive(VENDOR, [chunk(code), chunk(search, {"toolResponse": {}}), STOP])
    assert [(call.name, call.arguments) for call in accumulator.calls] == [
        ("executableCode", {"code": "print(1)", "language": "PYTHON"}),
        ("GOOGLE_SEARCH_WEB", {"q": "x"}),
    ]
    assert accumulator.ready() == []


# Values set by path


def test_strings_in_pieces_show_as_they_come() -> None:
    accumulator = Accumulator(VENDOR, events={"start", "delta", "end"})
    accumulator.feed(OPEN)
    assert accumulator.calls[0].partial == {}
    events = []
    for piece, more in (('He said "h', True), ('i" 😀\n', True), ("", False)):
        events += accumulator.feed(values(setting("$.a['b.c'][0]", "string", piece, more)))
    assert accumulator.calls[0].partial == {"a": {"b.c": ['He said "hi" 😀\n']}}
    told = [(e.type, e.path, e.value) for e in events if e.type.startswith("field")]
    path = ("a", "b.c", 0)
    assert [t for t in told if t[1] == path] == [
        ("field_started", path, ""),
        ("field_delta", path, 'He said "h'),
        ("field_delta", path, 'i" 😀\n'),
        ("field_closed", path, 'He said "hi" 😀\n'),
    ]


def test_all_kinds_of_values() -> None:
    accumulator = drive(
        VENDOR,
        [
            OPEN,
            values(setting("$.i", "number", 50.0), setting("$.f", "number", 0.25)),
            values(setting("$.big", "number", 2.0**60), setting("$.neg", "number", -3.0)),
            values(setting("$.t", "bool", True), setting("$.f2", "bool", False)),
            values(setting("$.n", "null", None), setting("$.n2", "null", "NULL_VALUE")),
            values(setting("$.s", "string", ""), {"jsonPath": "$.nothing"}),
            values(setting('$.o["x"].y[0]', "number", 1), setting("$.o.x.y[1]", "number", 2)),
            values(more=False),
        ],
    )
    (call,) = accumulator.calls
    assert json.dumps(call.arguments) == json.dumps(
        {
            "i": 50, "f": 0.25, "big": 2.0**60, "neg": -3, "t": True, "f2": False, "n": None,
            "n2": None, "s": "", "o": {"x": {"y": [1, 2]}},
        }
    )  # fmt: skip


def test_containers_close_when_a_path_leads_out_of_them() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(OPEN)
    accumulator.feed(values(setting("$.rows[0].a", "number", 1)))
    events = accumulator.feed(values(setting("$.rows[1].a", "number", 2)))
    closed = [(event.path, event.value) for event in events if isinstance(event, FieldClosed)]
    assert closed == [(("rows", 0), {"a": 1}), (("rows", 1, "a"), 2)]


ENDINGS = {
    "empty part": [values(setting("$.a", "number", 1)), values(more=False)],
    "last value": [values(setting("$.a", "number", 1), more=False)],
    "next call": [values(setting("$.a", "number", 1)), chunk(called(name="g"))],
    "finish reason": [values(setting("$.a", "number", 1)), STOP],
    "empty part with the finish reason": [
        values(setting("$.a", "number", 1)), chunk(called(), finish="STOP"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_ways_to_end(ending: str) -> None:
    accumulator = Accumulator(VENDOR)
    for event in (OPEN, *ENDINGS[ending]):
        accumulator.feed(event)
    assert accumulator.ready()[0].arguments == {"a": 1}


def test_end_of_the_stream_while_more_was_to_come_is_a_cut() -> None:
    accumulator = drive(VENDOR, [OPEN, values(setting("$.a", "number", 1))])
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.calls[0].partial == {"a": 1}


@pytest.mark.parametrize("ending", [values(more=False), chunk(called(name="g")), STOP])
def test_string_with_more_to_come_is_a_cut_whatever_ends_the_call(ending: Any) -> None:
    accumulator = drive(VENDOR, [OPEN, values(setting("$.a", "string", "lo", True)), ending, STOP])
    assert accumulator.calls[0].status == "incomplete"
    assert accumulator.calls[0].partial == {"a": "lo"}


def test_keep_alive_and_no_arguments() -> None:
    accumulator = drive(VENDOR, [OPEN, values(), values(), values(more=False), values(more=False)])
    assert arguments(accumulator) == [{}]


def test_name_and_id_in_every_part_are_one_call() -> None:
    accumulator = drive(
        VENDOR,
        [
            chunk(called(name="f", id="g1", willContinue=True)),
            chunk(
                called(
                    name="f", id="g1", partialArgs=[setting("$.a", "number", 1)], willContinue=True
                )
            ),
            chunk(called()),
        ],
    )
    assert [(call.id, call.arguments) for call in accumulator.calls] == [("g1", {"a": 1})]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ([setting("$.rows[2].a", "number", 1)], "item 2 where item 0 is next"),
        ([setting("$.rows[99999999999]", "number", 1)], "item 99999999999 where"),
        ([setting("$.a[0]", "number", 1), setting("$.a.b", "number", 1)], "an array is used as"),
        ([setting("$.a.b", "number", 1), setting("$.a[0]", "number", 1)], "an array is used as"),
        ([setting("$[0]", "number", 1)], "an array is used as"),
        ([setting("$.a", "number", 1), setting("$.a.b", "number", 1)], "had been left"),
        (
            [setting("$.a.b", "number", 1), setting("$.c", "number", 1),
             setting("$.a.d", "number", 1)],
            "'a' had been left",
        ),
        ([setting("$.a", "string", "x"), setting("$.b", "number", 1),
          setting("$.a", "string", "y")], "'a' had been left"),
        ([{"jsonPath": "$.a", "structValue": {"b": 1}}], "a value of an unknown kind: $.a"),
        # Its last piece never came, so the string may be cut.
        ([setting("$.a", "string", "x", True), setting("$.b", "number", 1)], "was to go on"),
        ([setting("$.a[*]", "number", 1)], "not the path of one value"),
        ([setting("$", "number", 1)], "not the path of one value"),
        ([setting("a.b", "number", 1)], "a path starts with"),
        ([setting("$.a[-1]", "number", 1)], "not a path"),
    ],
)  # fmt: skip
def test_paths_that_cannot_be_followed_are_invalid(settings: list[Any], why: str) -> None:
    accumulator = drive(
        VENDOR, [chunk(called(name="ok", args={})), OPEN, values(*settings), values(more=False)]
    )
    assert statuses(accumulator) == ["complete", "invalid"]
    assert why in str(accumulator.calls[1].error)


def test_values_that_belong_to_no_call_are_kept() -> None:
    accumulator = drive(VENDOR, [values(setting("$.a", "number", 1)), STOP])
    (call,) = accumulator.calls
    assert (call.name, call.status, call.partial) == (None, "incomplete", {"a": 1})


# Endings


@pytest.mark.parametrize("word", ["MAX_TOKENS", "SAFETY", "UNEXPECTED_TOOL_CALL"])
def test_words_that_are_no_success(word: str) -> None:
    calls = [chunk(called(name="f", args={})), chunk(called(name="g", args={"a": 1}))]
    accumulator = drive(VENDOR, [*calls, chunk(finish=word)])
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.calls[1].reason == accumulator.finish_reason == word


def test_malformed_function_call_is_told_although_there_is_no_part() -> None:
    accumulator = Accumulator(VENDOR)
    events = accumulator.feed(
        chunk(finish="MALFORMED_FUNCTION_CALL", finishMessage="Malformed function call: f(")
    )
    assert [event.type for event in events] == ["stream_failed"]
    assert accumulator.error is not None
    assert accumulator.error.code == "MALFORMED_FUNCTION_CALL"
    assert accumulator.outcome.reason == "Malformed function call: f("


def test_unknown_word_is_no_word() -> None:
    accumulator = drive(VENDOR, [chunk(called(name="f", args={})), chunk(finish="CONTINUATION")])
    assert [(call.status, call.reason) for call in accumulator.calls] == [
        ("unconfirmed", "CONTINUATION")
    ]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, "503"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "SAFETY"),
    ],
)
def test_failures(bad: Any, code: str) -> None:
    accumulator = drive("auto", [bad])
    assert accumulator.error is not None
    assert accumulator.error.code == code


# The SDK's objects


def test_sdk_objects_read_as_the_wire_does() -> None:
    """Snake case, enumerations, bytes, nulls that exist only as set, empty parts as objects."""
    wire = [
        chunk({**called(name="f", willContinue=True), "thoughtSignature": "c2ln"}),
        values(setting("$.n", "null", "NULL_VALUE"), setting("$.i", "number", 50)),
        values(setting("$.s", "string", "x", True)),
        values(setting("$.s", "string", "")),
        chunk(called()),
        chunk({"executableCode": {"code": "1", "language": "PYTHON"}}, finish="STOP"),
    ]
    typed = [types.GenerateContentResponse.model_validate(event) for event in wire]
    for events in (wire, typed):
        accumulator = drive("auto", events)
        assert arguments(accumulator) == [
            {"n": None, "i": 50, "s": "x"}, {"code": "1", "language": "PYTHON"},
        ]  # fmt: skip
        signature = accumulator.calls[0].extra["thought_signature"]
        assert base64.b64decode(signature) == b"sig"
        assert accumulator.finish_reason == "STOP"
        assert accumulator.calls[0].key[0] == "r1"


def test_tool_result() -> None:
    calls = [chunk(called(name="f", id="g1")), chunk(called(name="g")), STOP]
    first, second = drive(VENDOR, calls).calls
    tool_result = vendors.gemini.tool_result
    assert tool_result(first, {"t": 1}) == {
        "functionResponse": {"id": "g1", "name": "f", "response": {"t": 1}}
    }
    assert tool_result(second, "ok") == {
        "functionResponse": {"name": "g", "response": {"output": "ok"}}
    }
    error = tool_result(second, "bad", is_error=True)["functionResponse"]["response"]
    assert error == {"error": "bad"}
    types.Part.model_validate(tool_result(first, "x"))


@pytest.mark.parametrize("members", [{}, {"x": 1}, {"cmd": "rm -rf /tmp/build"}])
def test_a_string_that_was_to_go_on_is_not_made_whole_by_members(members: Any) -> None:
    open_string = {"jsonPath": "$.cmd", "stringValue": "rm -rf /tm", "willContinue": True}
    accumulator = Accumulator("gemini")
    accumulator.feed(chunk(called(name="sh", willContinue=True)))
    accumulator.feed(chunk(called(partialArgs=[open_string], willContinue=True)))
    accumulator.feed(chunk(called(args=members), finish="STOP"))
    accumulator.close()
    assert accumulator.ready() == []
    assert [call.status for call in accumulator.calls] == ["invalid"]
    assert accumulator.calls[0].partial == {"cmd": "rm -rf /tm"}
