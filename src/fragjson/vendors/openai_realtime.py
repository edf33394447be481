"""OpenAI's Realtime API: the events of Responses, several responses on one connection.

Every event names its response, so each response has an adapter of ``openai_responses`` to itself.
Arguments are also said to be done where the model was interrupted: what counts is the status of
the item, and after it that of the response.
"""

from typing import TYPE_CHECKING, Any

from fragjson.vendors import openai_responses
from fragjson.vendors._reading import as_text, given, read
from fragjson.vendors._writing import content_of
from fragjson.vendors.openai_responses import WORDS

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

_EVENTS = (
    "response.", "session.", "conversation.", "input_audio_buffer.", "output_audio_buffer.",
    "rate_limits.", "error",
)  # fmt: skip


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._responses: dict[str | None, openai_responses.Adapter] = {}

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Responses has no event_id, nor has anyone else with events of these names.
        kind = as_text(read(chunk, "type"))
        return kind.startswith(_EVENTS) and read(chunk, "event_id") is not None

    def feed(self, chunk: Any) -> None:
        # Left out: the conversation's items, which say again what the response's do, or what the
        # client itself has put there; and errors, which are answers to what the client did wrong.
        # A response that fails says so in its status.
        if not as_text(read(chunk, "type")).startswith("response."):
            return
        name = given(read(chunk, "response_id")) or given(read(read(chunk, "response"), "id"))
        if name not in self._responses:
            self._responses[name] = openai_responses.Adapter(self._turn)
        self._responses[name].feed(chunk)


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the client's event that answers a call; the model goes on at a ``response.create``.

    ``content`` other than a ``str`` is sent as JSON. The format has no flag for errors, so an error
    is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="call_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")["item"]
    {'type': 'function_call_output', 'call_id': 'call_1', 'output': '3.1 m at 06:12'}
    """
    output = content_of(content, str, is_error=is_error)
    item = {"type": "function_call_output", "call_id": call.id, "output": output}
    return {"type": "conversation.item.create", "item": item}
