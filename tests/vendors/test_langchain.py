"""LangChain: messages as lanes, ids of two kinds, any vendor's finish reason."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator

VENDOR = "langchain"


def message(*entries: Any, id: str | None = "lc_run--1", **members: Any) -> Any:  # noqa: A002
    return {"type": "AIMessageChunk", "id": id, "tool_call_chunks": list(entries), **members}


def entry(args: Any, name: str | None = None, call_id: Any = None, index: Any = 0) -> Any:
    return {"name": name, "args": args, "id": call_id, "index": index, "type": "tool_call_chunk"}


def finished(reason: str = "tool_calls", **members: Any) -> Any:
    return message(response_metadata={"finish_reason": reason}, **members)


def test_own_stream() -> None:
    check_own_stream(VENDOR)


def test_messages_that_alternate() -> None:
    """Subgraphs stream at the same time; indexes mean something within a message only."""
    one, other = {"id": "lc_run--1"}, {"id": "lc_run--2"}
    accumulator = drive(
        VENDOR,
        [
            message(entry('{"a":', "f", "c1"), **one),
            message(entry('{"b":', "g", "c2"), **other),
            message(entry("1}"), **one),
            message(entry("2}"), **other),
            finished(**one),
            finished("length", **other),
        ],
    )
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.calls[0].arguments == {"a": 1}
    assert accumulator.calls[1].partial == {"b": 2}
    assert [call.key[0] for call in accumulator.calls] == ["lc_run--1", "lc_run--2"]


@pytest.mark.parametrize("ids", [("resp_1", "lc_run--1"), ("lc_run--1", "msg_1"), (None, "msg_1")])
def test_two_ids_of_one_message(ids: tuple[str | None, str]) -> None:
    first, rest = ids
    accumulator = drive(
        VENDOR,
        [
            message(entry('{"a":', "f", "c1"), id=first),
            message(entry("1"), id=rest),
            message(entry("}"), id=None),
            finished(id=rest),
        ],
    )
    assert arguments(accumulator) == [{"a": 1}]


def test_messages_one_after_the_other_with_two_ids_each() -> None:
    accumulator = Accumulator(VENDOR)
    for number in (1, 2):
        run = f"lc_run--{number}"
        for each in (
            message(id=f"resp_{number}"),
            message(entry(f'{{"a":{number}}}', "f", "same"), id=run),
            finished(id=run),
        ):
            accumulator.feed(each)
    assert arguments(accumulator) == [{"a": 1}, {"a": 2}]
    assert [call.key[0] for call in accumulator.calls] == ["resp_1", "resp_2"]


def test_pairs_of_langgraph() -> None:
    human = {"type": "human", "content": "?"}
    pairs = [human, message(entry('{"a":1}', "f", "c1")), finished()]
    assert arguments(drive("auto", [(each, {"node": "x"}) for each in pairs])) == [{"a": 1}]
    assert arguments(drive("auto", [[each, {"node": "x"}] for each in pairs])) == [{"a": 1}]


def test_a_call_whose_answer_comes_is_run_there() -> None:
    accumulator = Accumulator(VENDOR)
    for each in (message(entry("{}", "f", "c1")), message(entry("{}", "g", "c2", 1)), finished()):
        accumulator.feed(each)
    accumulator.feed({"type": "tool", "tool_call_id": "c1", "content": "done"})
    assert [call.name for call in accumulator.ready()] == ["g"]


@pytest.mark.parametrize("index", [None, "lc_tc_0", 3])
def test_indexes(index: Any) -> None:
    chunks = [message(entry('{"a":', "f", "c1", index)), message(entry("1}", index=index))]
    assert arguments(drive(VENDOR, [*chunks, finished()])) == [{"a": 1}]


def test_arguments_as_objects() -> None:
    chunks = [message(entry({"a": 1}, "f", "c1")), message(entry(None)), finished()]
    assert arguments(drive(VENDOR, chunks)) == [{"a": 1}]


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        ({"finish_reason": "tool_calls"}, "complete"),
        ({"finish_reason": "STOP"}, "complete"),
        ({"stop_reason": "tool_use"}, "complete"),
        ({"stopReason": "tool_use"}, "complete"),
        ({"done_reason": "stop"}, "complete"),
        ({"finish_reason": "TOOL_CALL"}, "complete"),
        ({"status": "completed", "incomplete_details": None}, "complete"),
        ({"finish_reason": "MAX_TOKENS"}, "incomplete"),
        ({"stop_reason": "max_tokens"}, "incomplete"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "incomplete",
        ),
        ({"finish_reason": "SAFETY"}, "incomplete"),
        ({"stop_reason": "refusal"}, "incomplete"),
        ({"finish_reason": "because"}, "unconfirmed"),
        ({"model_name": "m"}, "unconfirmed"),
        (None, "unconfirmed"),
    ],
)
def test_finish_reasons_of_all_vendors(metadata: Any, status: str) -> None:
    chunks = [message(entry("{}", "f", "c1")), message(response_metadata=metadata)]
    assert statuses(drive(VENDOR, chunks)) == [status]


def test_the_last_chunk_alone_is_no_word() -> None:
    """LangChain marks it when the stream ends, however it ended."""
    chunks = [message(entry("{}", "f", "c1")), message(chunk_position="last")]
    accumulator = Accumulator(VENDOR)
    for each in chunks:
        accumulator.feed(each)
    assert statuses(accumulator) == ["unconfirmed"]
    assert statuses(drive(VENDOR, chunks, trust_eof=True)) == ["complete"]


def test_the_last_chunk_settles_what_had_no_arguments() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(message(entry("", "f", "c1")))
    accumulator.feed(finished(chunk_position="last"))
    assert arguments(accumulator) == [{}]


def test_tool_result() -> None:
    (call,) = drive(VENDOR, [message(entry("{}", "f", "c1")), finished()]).calls
    tool_result = vendors.langchain.tool_result
    answer = {"role": "tool", "tool_call_id": "c1", "name": "f"}
    assert tool_result(call, {"ok": "é"}) == {**answer, "content": '{"ok": "é"}'}
    blocks = [{"type": "text", "text": "x"}]
    assert tool_result(call, blocks, is_error=True) == {
        **answer, "content": blocks, "status": "error",
    }  # fmt: skip
