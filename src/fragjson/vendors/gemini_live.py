"""Gemini's Live API: whole calls in messages of their own, which can be taken back.

A session has many turns, and so can an accumulator. What the model writes beside its calls are the
parts of generateContent: the calls among them (code that Google runs) are left to that adapter.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import Word
from fragjson.vendors import gemini
from fragjson.vendors._reading import as_list, as_text, either, given, read

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    # Calls come whole, so these only say what the turn came to.
    **dict.fromkeys(("turnComplete", "NEED_MORE_INPUT"), Word.SUCCESS),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "RESPONSE_REJECTED"), Word.REFUSED),
}
_OWN = (
    ("tool_call", "toolCall"),
    ("tool_call_cancellation", "toolCallCancellation"),
    ("server_content", "serverContent"),
    ("setup_complete", "setupComplete"),
    ("session_resumption_update", "sessionResumptionUpdate"),
)


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)
        self._gemini = gemini.Adapter(turn)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return any(either(chunk, *names) is not None for names in _OWN)

    def feed(self, chunk: Any) -> None:
        message = either(chunk, "tool_call", "toolCall")
        for called in as_list(either(message, "function_calls", "functionCalls")):
            self._whole_call(called)
        cancelled = either(chunk, "tool_call_cancellation", "toolCallCancellation")
        for id_ in as_list(read(cancelled, "ids")):
            if (call := self._lane.known(given(id_))) is not None:
                self._turn.retract(call, "toolCallCancellation")
        if (content := either(chunk, "server_content", "serverContent")) is not None:
            self._content(content)

    def _whole_call(self, called: Any) -> None:
        place = f"call {len(self._turn.calls)}"  # ids are not always given
        id_, name = given(read(called, "id")), given(read(called, "name"))
        call = self._turn.call(self._lane, place, id_, name, format="paths")
        args = read(called, "args")
        if isinstance(args, dict):
            self._turn.whole(call, args)
        elif args is not None:
            self._turn.unreadable(call, "arguments that are not an object")
        # The type allows for it, though none has been seen: a call that goes on is not whole.
        more = bool(either(called, "will_continue", "willContinue"))
        self._turn.expect(call, more=more)
        if not more:
            self._turn.close(call, "whole call")

    def _content(self, content: Any) -> None:
        if (turn := either(content, "model_turn", "modelTurn")) is not None:
            self._gemini.feed({"candidates": [{"content": turn}]})
        reason = as_text(either(content, "turn_complete_reason", "turnCompleteReason"))
        if either(content, "turn_complete", "turnComplete"):
            reason = reason or "turnComplete"
            self._turn.finish(self._lane, reason, WORDS.get(reason))
        if reason == "MALFORMED_FUNCTION_CALL":  # it is not sent, so all there is of it is this
            self._turn.fail(StreamError("the model's call was malformed", code=reason))


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the function response that answers a call, one of those in a tool response.

    ``content`` other than a ``dict`` is sent as ``{"output": content}``, an error always as
    ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="fc_1", name="find")  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'id': 'fc_1', 'name': 'find', 'response': {'output': '3.1 m at 06:12'}}
    """
    part = gemini.tool_result(call, content, is_error=is_error)
    response: dict[str, Any] = part["functionResponse"]
    return response
