"""The Vercel AI SDK's UI message stream: calls by id, with a start, deltas, and their whole input.

A stream holds all steps of the message, a step being one response of the model. Tools that the
server runs show by their output, or by the question for the user's approval; such a call is
``server_side`` from then on. ``reset-step`` takes back what the step has said so far.
"""

from typing import TYPE_CHECKING, Any

from fragjson._errors import JSONDecodeError
from fragjson.toolcalls.arguments import written
from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import State, Word
from fragjson.vendors._reading import as_text, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.turn import LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    **dict.fromkeys(("finish", "stop", "tool-calls"), Word.SUCCESS),
    "length": Word.CUT,
    **dict.fromkeys(("content-filter", "error"), Word.REFUSED),
}
_OWN = ("tool-input-", "tool-output-", "tool-approval-", "text-", "reasoning-")
_OWN_STEPS = ("start", "start-step", "finish-step", "reset-step", "finish", "abort")
_RUN_THERE = (
    "tool-output-available", "tool-output-error", "tool-output-denied", "tool-approval-request",
)  # fmt: skip
_EXTRA = ("dynamic", "title", "providerMetadata", "toolMetadata", "approvalId", "errorText")


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lanes = [turn.lane(0)]
        self._of_step: list[LiveCall] = []

    @staticmethod
    def recognises(chunk: Any) -> bool:
        kind = as_text(read(chunk, "type"))
        if kind == "error":
            return read(chunk, "errorText") is not None
        return kind in _OWN_STEPS or kind.startswith(_OWN)

    def fragment(self, chunk: dict[str, Any]) -> "list[StreamEvent] | None":
        try:
            if chunk["type"] != "tool-input-delta" or len(chunk) > 3:
                return None
            lane, text = self._lanes[-1], chunk["inputTextDelta"]
            call = lane.owners[chunk["toolCallId"]]
            events = call.intake.take(call, text)
        except (KeyError, TypeError, ValueError):
            return None
        if events is None:
            return self._turn.look_again(call, text)
        lane.latest = call
        return events

    def feed(self, chunk: Any) -> None:
        kind = as_text(read(chunk, "type"))
        if kind.startswith("tool-input-"):
            self._input(chunk, kind)
        elif kind in _RUN_THERE:
            self._run_there(chunk, kind)
        elif kind == "start":
            self._turn.response = given(read(chunk, "messageId"))
        elif kind == "start-step":
            self._of_step = []
        elif kind == "reset-step":
            self._reset_step()
        elif kind == "finish":
            self._finish(as_text(read(chunk, "finishReason")) or kind)
        elif kind == "abort":
            self._turn.abort(as_text(read(chunk, "reason")) or kind)
        elif kind == "error":
            message = as_text(read(chunk, "errorText")) or "the stream failed"
            self._turn.fail(StreamError(message, payload=json_safe(chunk)))

    def _input(self, chunk: Any, kind: str) -> None:
        id_, name = given(read(chunk, "toolCallId")), given(read(chunk, "toolName"))
        call = self._known(id_)
        if call is None or name is not None:
            # The id is the place as well: an unknown one never goes on with another call.
            call = self._turn.call(self._lanes[-1], id_, id_, name)
            if call not in self._of_step:
                self._of_step.append(call)
        if read(chunk, "providerExecuted"):
            call.server_side = True
        _keep(call, chunk)
        if kind == "tool-input-delta":
            self._turn.append(call, as_text(read(chunk, "inputTextDelta")))
        elif kind == "tool-input-available":
            self._whole(call, read(chunk, "input"))
            self._turn.close(call, kind)
        elif kind == "tool-input-error":
            self._refused(call, read(chunk, "input"), kind)

    def _whole(self, call: "LiveCall", value: Any) -> None:
        if value and not call.content.begun:
            self._turn.whole(call, json_safe(value))
        elif value is not None and not call.over:
            # The last word on deltas. And {} as an object would be taken for a placeholder.
            try:
                text = written(json_safe(value))
            except JSONDecodeError:
                self._turn.whole(call, value)  # to be told what is wrong with it
            else:
                self._turn.snapshot(call, text)

    def _refused(self, call: "LiveCall", value: Any, kind: str) -> None:
        # Text that could not be read, or a value that is not what the tool takes.
        if isinstance(value, str) and not call.over:
            self._turn.snapshot(call, value)
        else:
            self._whole(call, value)
        self._turn.close(call, kind, cut=True)
        if call.content.state() is State.WHOLE:
            self._turn.retract(call, as_text(call.extra.get("errorText")) or kind)

    def _run_there(self, chunk: Any, kind: str) -> None:
        call = self._known(given(read(chunk, "toolCallId")))
        if call is None:  # one of an earlier message
            return
        call.server_side = True
        _keep(call, chunk)
        if kind == "tool-approval-request":  # which is for a call that has all of its input
            self._turn.close(call, kind)

    def _known(self, id_: str | None) -> "LiveCall | None":
        found = (lane.known(id_) for lane in reversed(self._lanes))
        return next((call for call in found if call is not None), None)

    def _reset_step(self) -> None:
        for call in self._of_step:
            self._turn.retract(call, "reset-step")
        # The step is said anew, possibly with the same ids: those are other calls.
        self._of_step = []
        self._lanes.append(self._turn.lane(len(self._lanes)))

    def _finish(self, reason: str) -> None:
        word = WORDS.get(reason)
        for lane in self._lanes:
            self._turn.finish(lane, reason, word)
        if word is not None:
            self._turn.end(reason, word)


def _keep(call: "LiveCall", chunk: Any) -> None:
    for field in _EXTRA:
        if (value := read(chunk, field)) is not None:
            call.extra[field] = json_safe(value)


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the part that answers a call: it takes the place of the call's part in the message.

    ``content`` is any JSON value; an error other than a ``str`` is sent as JSON.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="c1", name="find", extra={}, partial={"query": "tides"})
    >>> tool_result(call, "3.1 m at 06:12")  # doctest: +NORMALIZE_WHITESPACE
    {'type': 'tool-find', 'toolCallId': 'c1', 'input': {'query': 'tides'},
     'state': 'output-available', 'output': '3.1 m at 06:12'}
    """
    part = {"type": f"tool-{call.name}"}
    if call.extra.get("dynamic"):
        part = {"type": "dynamic-tool", "toolName": str(call.name)}
    answered = {**part, "toolCallId": call.id, "input": call.partial or {}}
    if not is_error:
        return {**answered, "state": "output-available", "output": content}
    return {**answered, "state": "output-error", "errorText": content_of(content, str)}
