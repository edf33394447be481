"""OpenAI Responses: three names for one call, final texts, items of many types, resumed streams."""

from typing import Any

import pytest
from driving import arguments, check_own_stream, drive, statuses

from fragjson import vendors
from fragjson.toolcalls import Accumulator, FieldClosed, FieldDelta

VENDOR = "openai_responses"


def item(call_id: str = "call_1", kind: str = "function_call", name: str = "f", **more: Any) -> Any:
    return {"type": kind, "id": f"fc_{call_id}", "call_id": call_id, "name": name, **more}


def added(item: Any, index: int = 0) -> Any:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(item: Any, index: int = 0, status: str | None = "completed") -> Any:
    item = {**item, "status": status}
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def delta(
    text: str, index: int | None = 0, stem: str = "function_call_arguments", **more: Any
) -> Any:
    return {"type": f"response.{stem}.delta", "output_index": index, "delta": text, **more}


def final(text: str, index: int = 0, **more: Any) -> Any:
    kind = "response.function_call_arguments.done"
    return {"type": kind, "output_index": index, "arguments": text, **more}


def completed(*output: Any, status: str = "completed", **more: Any) -> Any:
    response = {"id": "resp_1", "status": status, "output": list(output), **more}
    return {"type": f"response.{status}", "response": response}


def test_own_stream() -> None:
    check_own_stream(VENDOR)


# Names


def test_call_id_is_the_one_to_answer_with() -> None:
    call = item("call_9", arguments="{}", namespace="files", caller={"type": "program"})
    accumulator = drive(VENDOR, [added({**call, "arguments": ""}, 3), done(call, 3)])
    (found,) = accumulator.calls
    assert (found.id, found.index) == ("call_9", 3)
    assert found.extra == {
        "type": "function_call", "status": "completed", "item_id": "fc_call_9", "output_index": 3,
        "namespace": "files", "caller": {"type": "program"},
    }  # fmt: skip


def test_index_wins_over_a_made_up_item_id() -> None:
    accumulator = drive(
        VENDOR,
        [
            added(item("call_a"), 0),
            added(item("call_b"), 1),
            delta("{}", 0, item_id="fc_call_b"),
            delta('{"b":1}', 1, item_id="zzz"),
            completed(),
        ],
    )
    assert arguments(accumulator) == [{}, {"b": 1}]


def test_item_id_leads_where_there_is_no_index() -> None:
    accumulator = drive(
        VENDOR,
        [
            added(item("call_a"), 0),
            added(item("call_b"), 1),
            delta('{"a":1}', None, item_id="fc_call_a"),
            delta('{"b":1}', None, item_id="fc_call_b"),
            completed(),
        ],
    )
    assert arguments(accumulator) == [{"a": 1}, {"b": 1}]


def test_call_id_that_changes_is_still_one_call() -> None:
    first, last = item("tmp", "tool_search_call"), item("call_1", "tool_search_call")
    accumulator = drive(VENDOR, [added(first), done({**last, "arguments": {"q": 1}}), completed()])
    (call,) = accumulator.calls
    assert (call.arguments, call.server_side, call.text) == ({"q": 1}, True, None)


# Arguments


def test_arguments_only_in_the_final_text() -> None:
    accumulator = drive(VENDOR, [added(item()), final('{"a":1}'), done(item()), completed()])
    assert [(call.arguments, call.text) for call in accumulator.calls] == [({"a": 1}, '{"a":1}')]


def test_arguments_only_in_the_item() -> None:
    accumulator = drive(VENDOR, [added(item()), done(item(arguments='{"a":1}'))])
    assert arguments(accumulator) == [{"a": 1}]


def test_call_only_in_the_response() -> None:
    accumulator = drive(VENDOR, [completed(item(arguments='{"a":1}', status="completed"))])
    assert arguments(accumulator) == [{"a": 1}]


def test_final_text_that_goes_on_after_the_deltas() -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(added(item()))
    accumulator.feed(delta('{"a":"x'))
    events = accumulator.feed(final('{"a":"xyz"}'))
    assert [event.type for event in events] == ["tool_call_delta", "field_closed"]
    assert accumulator.calls[0].partial == {"a": "xyz"}


@pytest.mark.parametrize("broken", ['{"a":"lost', '{"a" 1', '{"a":2}'])
def test_final_text_that_contradicts_the_deltas_counts(broken: str) -> None:
    accumulator = Accumulator(VENDOR)
    events = accumulator.feed(added(item())) + accumulator.feed(delta(broken))
    events = accumulator.feed(final('{"a":1}'))
    assert events == [FieldClosed(accumulator.calls[0], ("a",), 1)]
    accumulator.feed(done(item(arguments='{"a":1}')))
    (call,) = accumulator.calls
    assert (call.arguments, call.text) == ({"a": 1}, '{"a":1}')
    assert call.notes == ["the final text contradicts the fragments: the final text counts"]


def test_final_text_that_is_not_whole_does_not_undo_whole_deltas() -> None:
    accumulator = drive(VENDOR, [added(item()), delta('{"a":1}'), final("{'a'"), done(item())])
    assert arguments(accumulator) == [{"a": 1}]
    assert accumulator.calls[0].notes


def test_final_text_that_only_looks_different_says_nothing() -> None:
    events = [added(item()), delta('{"a":1}'), final('{ "a": 1 }'), done(item())]
    accumulator = drive(VENDOR, events)
    (call,) = accumulator.calls
    assert (call.text, call.notes) == ('{"a":1}', [])


@pytest.mark.parametrize(
    ("seed", "deltas"),
    [
        ('{"a":', ["1}"]),  # gone on with
        ('{"a":', ['{"a":', "1}"]),  # said again
        ('{"a":1}', ['{"a":1}']),  # all of it said again
        ('{"a":1}', []),  # all there is
        ('{"b":0}', ['{"a":1}']),  # whole, so not gone on with
    ],
)
def test_arguments_named_at_the_start(seed: str, deltas: list[str]) -> None:
    accumulator = drive(
        VENDOR, [added(item(arguments=seed)), *map(delta, deltas), done(item()), completed()]
    )
    assert [(call.arguments, call.text) for call in accumulator.calls] == [({"a": 1}, '{"a":1}')]


def test_no_arguments() -> None:
    chunks = [added(item(arguments="")), final(""), done(item(arguments=""))]
    assert arguments(drive(VENDOR, [*chunks, completed()])) == [{}]
    assert statuses(drive(VENDOR, chunks)) == ["incomplete"]


def test_object_arguments_of_a_function() -> None:
    accumulator = drive(VENDOR, [added(item()), done(item(arguments={"a": 1}))])
    assert [(call.arguments, call.text) for call in accumulator.calls] == [({"a": 1}, None)]


# Items


def test_custom_tool_without_a_final_text() -> None:
    custom = item(kind="custom_tool_call", input="")
    accumulator = drive(
        VENDOR,
        [
            added(custom),
            delta("*** {", stem="custom_tool_call_input"),
            done({**custom, "input": "*** {\n"}),
        ],
    )
    (call,) = accumulator.calls
    assert (call.format, call.arguments, call.server_side) == ("text", "*** {\n", False)


def test_mcp_call_is_named_and_not_ours_to_run() -> None:
    mcp = {"type": "mcp_call", "id": "mcp_1", "name": "query", "server_label": "db"}
    accumulator = drive(
        VENDOR, [added(mcp), delta('{"q":1}', stem="mcp_call_arguments"), done(mcp), completed()]
    )
    (call,) = accumulator.calls
    assert (call.id, call.name, call.arguments) == ("mcp_1", "query", {"q": 1})
    assert call.extra["server_label"] == "db"
    assert accumulator.ready() == []


def test_code_is_text_and_named_by_its_type() -> None:
    code = {"type": "code_interpreter_call", "id": "ci_1", "code": "", "container_id": "c"}
    accumulator = drive(
        VENDOR,
        [
            added(code),
            delta("x = {", stem="code_interpreter_call_code"),
            delta("}", stem="code_interpreter_call_code"),
            done({**code, "code": "x = {}"}),
        ],
    )
    (call,) = accumulator.calls
    assert (call.name, call.arguments) == ("code_interpreter_call", "x = {}")
    assert call.server_side


@pytest.mark.parametrize("container", [True, False])
def test_shell_commands_are_shown_while_they_come(container: bool) -> None:
    shell = {"type": "shell_call", "id": "sh_1", "call_id": "c1", "action": {"commands": []}}
    if container:
        shell["environment"] = {"type": "container_reference"}
    accumulator = Accumulator(VENDOR, events={"delta", "end"})
    events = []

    def command(step: str, index: int, **fields: str) -> None:
        kind = f"response.shell_call_command.{step}"
        chunk = {"type": kind, "output_index": 0, "command_index": index, **fields}
        events.extend(accumulator.feed(chunk))

    accumulator.feed(added(shell))
    command("added", 0, command="")
    command("delta", 0, delta="ls")
    assert accumulator.calls[0].partial == {"commands": ["ls"]}
    command("delta", 0, delta=" -a")
    command("done", 0, command="ls -a")
    command("added", 1, command="")
    command("delta", 1, delta="pwd")
    command("done", 1, command="pwd")
    whole = {"commands": ["ls -a", "pwd"], "timeout_ms": None}
    events += accumulator.feed(done({**shell, "action": whole}))
    (call,) = accumulator.calls
    assert (call.arguments, call.text, call.duplicates) == (whole, None, 0)
    assert [e.value for e in events if isinstance(e, FieldDelta)] == ["ls", " -a", "pwd"]
    closed = [(e.path, e.value) for e in events if isinstance(e, FieldClosed)]
    assert closed == [
        (("commands", 0), "ls -a"),
        (("commands", 1), "pwd"),
        (("commands",), ["ls -a", "pwd"]),
        (("timeout_ms",), None),
    ]
    assert bool(accumulator.ready()) != container


def test_items_that_we_run_are_ready() -> None:
    for kind, field in (
        ("local_shell_call", "action"),
        ("computer_call", "action"),
        ("apply_patch_call", "operation"),
    ):
        accumulator = drive(VENDOR, [done({**item(kind=kind), "name": None, field: {"type": "x"}})])
        (call,) = accumulator.ready()
        assert (call.name, call.arguments) == (kind, {"type": "x"})


def test_unknown_kinds_of_calls_are_shown() -> None:
    accumulator = drive(VENDOR, [done({"type": "weather_call", "id": "w1"}), completed()])
    (call,) = accumulator.calls
    assert (call.name, call.server_side, call.arguments) == ("weather_call", True, {})


def test_other_items_and_events_are_no_calls() -> None:
    accumulator = drive(
        VENDOR,
        [
            added({"type": "message", "id": "m"}),
            {"type": "response.output_text.delta", "output_index": 0, "delta": "{"},
            {"type": "response.something.new"},
            {"type": None},
            done({"type": "reasoning", "id": "r"}),
            done({"type": "function_call_output", "call_id": "c"}),
            completed({"type": "message", "id": "m"}),
        ],
    )
    assert accumulator.calls == []


# Endings


def test_final_text_alone_does_not_close() -> None:
    """The item may still say that it was cut."""
    accumulator = Accumulator(VENDOR)
    for event in (added(item()), delta('{"a":1}'), final('{"a":1}')):
        accumulator.feed(event)
    assert accumulator.ready() == []
    accumulator.feed(done(item(), status="incomplete"))
    assert accumulator.ready() == []
    details = {"reason": "max_output_tokens"}
    accumulator.feed(completed(status="incomplete", incomplete_details=details))
    (call,) = accumulator.calls
    assert (call.status, call.reason) == ("incomplete", "max_output_tokens")


def test_item_done_while_in_progress_is_done() -> None:
    """Calls made inside a program are told so."""
    accumulator = drive(VENDOR, [done(item(arguments="{}"), status="in_progress")])
    assert statuses(accumulator) == ["complete"]


@pytest.mark.parametrize(
    ("end", "status", "reason"),
    [
        (completed(), "complete", "completed"),
        (completed(status="incomplete", incomplete_details={"reason": "steered"}),
         "incomplete", "steered"),
        (completed(status="incomplete", incomplete_details={"reason": "content_filter"}),
         "incomplete", "content_filter"),
        (completed(status="cancelled"), "incomplete", "cancelled"),
        ({"type": "response.done", "response": {"status": "completed"}}, "complete", "completed"),
    ],
)  # fmt: skip
def test_end_of_the_response(end: Any, status: str, reason: str) -> None:
    accumulator = Accumulator(VENDOR)
    for event in (added(item()), delta('{"a":1}'), end):
        accumulator.feed(event)
    assert [(call.status, call.reason) for call in accumulator.calls] == [(status, reason)]
    assert accumulator.finish_reason == reason


def test_failed_response() -> None:
    end = completed(status="failed", error={"code": "server_error", "message": "went wrong"})
    accumulator = drive(VENDOR, [added(item()), delta('{"a":1}'), end])
    assert statuses(accumulator) == ["incomplete"]
    assert accumulator.error is not None
    assert (str(accumulator.error), accumulator.error.code) == ("went wrong", "server_error")


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "code": "rate_limit", "message": "slow down", "sequence_number": 0},
        {"type": "error", "error": {"code": "rate_limit", "message": "slow down"}},
    ],
)
def test_error_event(error: Any) -> None:
    accumulator = drive(VENDOR, [added(item()), error])
    assert str(accumulator.error) == "slow down"
    assert statuses(accumulator) == ["incomplete"]


def test_without_an_end_a_whole_call_is_unconfirmed() -> None:
    accumulator = drive(VENDOR, [added(item()), delta('{"a":1}'), final('{"a":1}')])
    assert statuses(accumulator) == ["unconfirmed"]


def test_resumed_stream_says_again_what_came_before() -> None:
    events = [added(item()), delta('{"a":"x'), delta('y"}'), done(item()), completed()]
    numbered = [{**event, "sequence_number": place} for place, event in enumerate(events)]
    accumulator = drive(VENDOR, [*numbered[:3], *numbered[1:]])
    (call,) = accumulator.calls
    assert (call.arguments, call.duplicates, call.notes) == ({"a": "xy"}, 0, [])


def test_responses_on_one_socket_are_apart() -> None:
    def on(stream: str, event: Any) -> Any:
        return {**event, "stream_id": stream}

    accumulator = drive(
        VENDOR,
        [
            on("s1", added(item("call_1"))),
            on("s2", added(item("call_1"))),
            on("s1", delta('{"a":1}')),
            on("s2", delta('{"b":')),
            on("s1", completed()),
            on("s2", delta("2}")),
            on("s2", completed(status="failed", error={"message": "x"})),
        ],
    )
    assert statuses(accumulator) == ["complete", "incomplete"]
    assert accumulator.calls[0].arguments == {"a": 1}


def test_successor_of_a_steered_response_starts_anew() -> None:
    def created(name: str) -> Any:
        return {"type": "response.created", "response": {"id": name}, "sequence_number": 0}

    steered = completed(status="incomplete", incomplete_details={"reason": "steered"})
    accumulator = drive(
        VENDOR,
        [
            created("r1"), added(item("call_1")), delta('{"a":'), steered,
            created("r2"), added(item("call_1")), delta('{"b":1}'), completed(),
        ],
    )  # fmt: skip
    assert statuses(accumulator) == ["incomplete", "complete"]
    assert [call.key[0] for call in accumulator.calls] == ["r1", "r2"]


def test_tool_result() -> None:
    def answer(call: Any, content: Any, **more: Any) -> Any:
        (found,) = drive(VENDOR, [done(call)]).calls
        return vendors.openai_responses.tool_result(found, content, **more)

    assert answer(item(arguments="{}"), {"t": 1}) == {
        "type": "function_call_output", "call_id": "call_1", "output": '{"t": 1}',
    }  # fmt: skip
    assert answer(item(kind="custom_tool_call", input="x"), "ok", is_error=True) == {
        "type": "custom_tool_call_output", "call_id": "call_1", "output": '{"error": "ok"}',
    }  # fmt: skip
    shell = answer({**item(kind="local_shell_call"), "action": {"command": []}}, "out")
    assert shell == {"type": "local_shell_call_output", "id": "call_1", "output": "out"}


@pytest.mark.parametrize("status", ["failed", "incomplete", "cancelled"])
@pytest.mark.parametrize("announced", [True, False])
def test_to_be_listed_in_a_response_that_is_not_completed_is_no_close(
    status: str, announced: bool
) -> None:
    call = item(arguments='{"a":1}')
    begun = [added({**call, "arguments": ""}), delta('{"a":1}', item_id=call["id"])]
    for listed, right in ((call, "incomplete"), ({**call, "status": "completed"}, "complete")):
        end = completed(listed, status=status)
        accumulator = drive(VENDOR, [*(begun if announced else []), end])
        assert [found.status for found in accumulator.calls] == [right]
        assert accumulator.calls[0].text == '{"a":1}'
