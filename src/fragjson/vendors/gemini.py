"""Gemini's generateContent: calls as parts, whole or set value by value.

A part with a name starts a call, a part without one goes on with it. There is no index and mostly
no id: calls are told apart by their order, so two of one name stay two. The wire spells fields in
camelCase, the SDK in snake_case; both are read.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import (
    as_index,
    as_list,
    as_text,
    either,
    failure,
    given,
    json_safe,
    read,
)

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.identity import Lane
    from fragjson.toolcalls.turn import LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    "STOP": Word.SUCCESS,  # after calls, too: there is no reason of their own
    "MAX_TOKENS": Word.CUT,
    **dict.fromkeys(
        (
            "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII",
            "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL",
            "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MODEL_ARMOR", "ESCALATION",
        ),
        Word.REFUSED,
    ),
}  # fmt: skip
_LOST_CALL = ("MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE")
"""The model's output is not in the parts: all there is of it is the finish message."""

_NOTHING = object()
_NO_VALUES = frozenset(("jsonPath", "json_path", "willContinue", "will_continue"))
_EXACT = 2**53
"""Numbers come as doubles: up to here an integral one is the integer that was meant."""


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._candidates: dict[int, _Candidate] = {}

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Not by its usage: that of the Live API looks the same.
        return (
            read(chunk, "candidates") is not None
            or either(chunk, "prompt_feedback", "promptFeedback") is not None
        )

    def feed(self, chunk: Any) -> None:
        if self._turn.response is None:
            self._turn.response = given(either(chunk, "response_id", "responseId"))
        for candidate in as_list(read(chunk, "candidates")):
            state = self._candidate(as_index(read(candidate, "index")) or 0)
            for part in as_list(read(read(candidate, "content"), "parts")):
                self._part(state, part)
            # A finish reason can come before more parts: it ends the calls there are, not the turn.
            if reason := as_text(either(candidate, "finish_reason", "finishReason")):
                self._finish(state, reason, either(candidate, "finish_message", "finishMessage"))
        if (error := read(chunk, "error")) is not None:
            self._turn.fail(failure(error))
        feedback = either(chunk, "prompt_feedback", "promptFeedback")
        if reason := as_text(either(feedback, "block_reason", "blockReason")):
            self._turn.fail(StreamError("the prompt was blocked", code=reason))

    def _candidate(self, number: int) -> "_Candidate":
        if number not in self._candidates:
            self._candidates[number] = _Candidate(self._turn.lane(number))
        return self._candidates[number]

    def _part(self, state: "_Candidate", part: Any) -> None:
        # The SDK turns {} into an object whose fields are all None: still a part, and a sign.
        if (called := either(part, "function_call", "functionCall")) is not None:
            call = self._function_call(state, called)
        elif (called := either(part, "tool_call", "toolCall")) is not None:
            name = as_text(either(called, "tool_type", "toolType"))
            call = self._whole_call(state, called, name, read(called, "args"), server_side=True)
        elif (code := either(part, "executable_code", "executableCode")) is not None:
            values = {"code": read(code, "code"), "language": as_text(read(code, "language"))}
            call = self._whole_call(state, code, "executableCode", values, server_side=True)
        else:
            return
        signature = either(part, "thought_signature", "thoughtSignature")
        if signature is not None and call is not None:
            call.extra["thought_signature"] = json_safe(signature)

    def _function_call(self, state: "_Candidate", called: Any) -> "LiveCall | None":
        name, args = given(read(called, "name")), read(called, "args")
        settings = as_list(either(called, "partial_args", "partialArgs"))
        more = bool(either(called, "will_continue", "willContinue"))
        call = state.open
        if call is None and name is None and not args and not settings:
            return None  # the end of a call that has ended already
        if call is None or (name is not None and not state.goes_on(called)):
            call = self._begin(state, called, name)
        self._take(call, args)
        for setting in settings:
            value = _value_of(setting)
            path = str(either(setting, "json_path", "jsonPath"))
            if value is _NOTHING:
                if isinstance(setting, dict) and not _NO_VALUES.issuperset(setting):
                    self._turn.unreadable(call, f"a value of an unknown kind: {path}")
                continue
            again = bool(either(setting, "will_continue", "willContinue"))
            self._turn.set(call, path, value, more=again)
        # Nothing says that a whole call has ended: its arguments may come in a part of their own.
        # One that is set by values ends with the first part that announces no more, be it an
        # empty one or the one with the last value.
        state.by_values = state.by_values or more or bool(settings)
        self._turn.expect(call, more=more)
        if state.by_values and not more:
            self._turn.close(call, "no more values")
            state.open = None
        return call

    def _whole_call(
        self, state: "_Candidate", called: Any, name: str | None, args: Any, *, server_side: bool
    ) -> "LiveCall":
        call = self._begin(state, called, name, server_side=server_side)
        self._take(call, args)
        self._turn.close(call, "whole call")
        state.open = None
        return call

    def _take(self, call: "LiveCall", args: Any) -> None:
        if isinstance(args, dict):
            self._turn.whole(call, args)
        elif args is not None:  # gateways that send the text of the object, for one
            self._turn.unreadable(call, "arguments that are not an object")

    def _begin(
        self, state: "_Candidate", called: Any, name: str | None, *, server_side: bool = False
    ) -> "LiveCall":
        if state.open is not None:
            self._turn.close(state.open, "next call")
        state.count += 1
        state.by_values = False
        state.open = self._turn.call(
            state.lane,
            f"part {state.count}",
            given(read(called, "id")),
            name,
            format="paths",
            server_side=server_side,
        )
        return state.open

    def _finish(self, state: "_Candidate", reason: str, message: Any) -> None:
        self._turn.finish(state.lane, reason, WORDS.get(reason))
        if reason in _LOST_CALL:
            self._turn.fail(StreamError(str(message or reason), code=reason))


class _Candidate:
    """Where one candidate is."""

    def __init__(self, lane: "Lane") -> None:
        self.lane = lane
        self.open: LiveCall | None = None
        self.by_values = False
        """The arguments of the open call come value by value."""
        self.count = 0

    def goes_on(self, called: Any) -> bool:
        """Whether a part with a name only names the open call again."""
        id_ = given(read(called, "id"))
        return self.by_values and self.open is not None and id_ is not None and self.open.id == id_


def _value_of(setting: Any) -> Any:
    for snake, camel in (("string_value", "stringValue"), ("bool_value", "boolValue")):
        if (value := either(setting, snake, camel)) is not None:
            return value
    value = either(setting, "number_value", "numberValue")
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
        return int(value)
    if value is not None:
        return value
    # A null can be told from nothing only by having been set.
    fields = setting if isinstance(setting, dict) else getattr(setting, "model_fields_set", ())
    return None if "null_value" in fields or "nullValue" in fields else _NOTHING


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the part that answers a call; all answers go into one content of role ``user``.

    ``content`` other than a ``dict`` is sent as ``{"output": content}``, an error always as
    ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id=None, name="find")  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'functionResponse': {'name': 'find', 'response': {'output': '3.1 m at 06:12'}}}
    """
    if is_error:
        content = {"error": content}
    response = content if isinstance(content, dict) else {"output": content}
    answer = {"name": call.name, "response": response}
    return {"functionResponse": {"id": call.id, **answer} if call.id is not None else answer}
