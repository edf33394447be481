"""Ollama's own chat: each line an object, each call whole, with its arguments as an object.

Calls are known by their order: the server gives them ids only lately, and its SDK drops those, as
it drops the index, which for long was 0 for all. There is nothing to wait for within a call, so it
is closed where it stands.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_index, as_list, as_text, failure, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    "stop": Word.SUCCESS,  # after calls, too
    "done": Word.SUCCESS,  # what we say for the old servers that give no reason
    "length": Word.CUT,
}


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Its errors, {"error": "..."}, could be any server's.
        return isinstance(read(chunk, "done"), bool) and read(chunk, "message") is not None

    def feed(self, chunk: Any) -> None:
        for entry in as_list(read(read(chunk, "message"), "tool_calls")):
            self._call(entry, read(entry, "function"))
        if (error := read(chunk, "error")) is not None:
            self._turn.fail(failure(error))
        if read(chunk, "done"):
            reason = as_text(read(chunk, "done_reason")) or "done"
            word = WORDS.get(reason)
            self._turn.finish(self._lane, reason, word)
            self._turn.end(reason, word or Word.NONE)

    def _call(self, entry: Any, function: Any) -> None:
        arguments = json_safe(read(function, "arguments"))
        call = self._turn.call(
            self._lane,
            f"call {len(self._turn.calls)}",
            given(read(entry, "id")),
            given(read(function, "name")),
            format="paths" if isinstance(arguments, dict) else "json",
        )
        call.index = as_index(read(function, "index"))
        if isinstance(arguments, str):  # servers that copy this one after OpenAI's manner
            self._turn.append(call, arguments)
        elif arguments is not None:
            self._turn.whole(call, arguments)
        self._turn.close(call, "whole call")


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the message that answers a call: one message of role ``tool`` per call.

    ``content`` other than a ``str`` is sent as JSON. The format has no flag for errors, so an error
    is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id=None, name="find")  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'role': 'tool', 'tool_name': 'find', 'content': '3.1 m at 06:12'}
    """
    text = content_of(content, str, is_error=is_error)
    message = {"role": "tool", "tool_name": call.name, "content": text}
    return {**message, "tool_call_id": call.id} if call.id is not None else message
