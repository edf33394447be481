"""AG-UI: the events of an agent's run, whose calls have ids, starts, fragments and ends.

A run holds all the model turns of the agent, and the agent runs most calls itself. That shows when
their result comes: until then such a call is like any other, after it ``server_side``. So take
from ``ready()`` at the end of the run, or take the tools that are yours. The wire spells fields in
camelCase, the SDK in snake_case; both are read. ``MESSAGES_SNAPSHOT`` is not: it repeats the whole
conversation, earlier turns included.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import State, Word
from fragjson.vendors._reading import as_text, either, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.turn import LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    # interrupt: the run waits for someone; what is written is written.
    **dict.fromkeys(("success", "interrupt"), Word.SUCCESS),
    "cancelled": Word.REFUSED,
}
_OWN = (
    "RUN_", "TOOL_CALL_", "TEXT_MESSAGE_", "REASONING_", "THINKING_", "STATE_", "STEP_",
    "MESSAGES_SNAPSHOT", "ACTIVITY_", "SUBAGENT_",
)  # fmt: skip
_EXTRA = (("parent_message_id", "parentMessageId"), ("subagent_run_id", "subagentRunId"))


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)
        self._chunked: LiveCall | None = None
        """The call that TOOL_CALL_CHUNK events are about."""

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return as_text(read(chunk, "type")).startswith(_OWN)

    def fragment(self, chunk: dict[str, Any]) -> "list[StreamEvent] | None":
        try:
            if chunk["type"] != "TOOL_CALL_ARGS":
                return None
            call, text = self._lane.owners[chunk["toolCallId"]], chunk["delta"]
            events = call.intake.take(call, text)
        except (KeyError, TypeError, ValueError):
            return None
        if events is None:
            return self._turn.look_again(call, text)
        self._lane.latest = call
        return events

    def feed(self, chunk: Any) -> None:
        kind = as_text(read(chunk, "type"))
        if kind in ("TOOL_CALL_ARGS", "TOOL_CALL_START", "TOOL_CALL_CHUNK"):
            self._write(chunk, kind)
        elif kind == "TOOL_CALL_END":
            if (call := self._known(chunk)) is not None:
                self._turn.close(call, kind)
        elif kind == "TOOL_CALL_RESULT":
            if (call := self._known(chunk)) is not None:
                call.server_side = True
        elif kind == "RUN_STARTED":
            self._turn.response = given(either(chunk, "run_id", "runId"))
        elif kind == "RUN_FINISHED":
            outcome = as_text(read(read(chunk, "outcome"), "type")) or "success"
            self._turn.finish(self._lane, outcome, WORDS.get(outcome))
            self._turn.end(outcome, WORDS.get(outcome, Word.NONE), self._lane)
        elif kind == "RUN_ERROR":
            message = as_text(read(chunk, "message")) or "the run failed"
            code = given(read(chunk, "code"))
            self._turn.fail(StreamError(message, code=code, payload=json_safe(chunk)))

    def _known(self, chunk: Any) -> "LiveCall | None":
        return self._lane.known(given(either(chunk, "tool_call_id", "toolCallId")))

    def _write(self, chunk: Any, kind: str) -> None:
        id_ = given(either(chunk, "tool_call_id", "toolCallId"))
        name = given(either(chunk, "tool_call_name", "toolCallName"))
        text = as_text(read(chunk, "delta"))
        # The id is the place as well: an unknown one never goes on with another call. A chunk
        # without one goes on with the latest.
        call = self._turn.call(self._lane, id_, id_, name, blank=not text.strip())
        if kind == "TOOL_CALL_CHUNK":
            self._close_chunked(call)
        for snake, camel in _EXTRA:
            if value := given(either(chunk, snake, camel)):
                call.extra[snake] = value
        self._turn.append(call, text)

    def _close_chunked(self, call: "LiveCall") -> None:
        # A new id closes the call before it. But where that is not whole, it may still go on:
        # servers interleave.
        before, self._chunked = self._chunked, call
        if before not in (None, call) and before.content.state() is State.WHOLE:
            self._turn.close(before, "next call")


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the message that answers a call: one message of role ``tool`` per call.

    ``content`` other than a ``str`` is sent as JSON. An error is sent as the content, and said to
    be one.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="call_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")  # doctest: +NORMALIZE_WHITESPACE
    {'id': 'result-call_1', 'role': 'tool', 'toolCallId': 'call_1',
     'content': '3.1 m at 06:12'}
    """
    text = content_of(content, str)
    message = {"id": f"result-{call.id}", "role": "tool", "toolCallId": call.id, "content": text}
    return {**message, "error": text} if is_error else message
