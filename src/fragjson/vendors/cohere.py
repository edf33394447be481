"""Cohere, version 2 of its API: calls by index, each with a start, deltas and an end.

The end of a call is a close. What ended the response comes after it, with ``message-end``.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_index, as_text, failure, given, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    **dict.fromkeys(("TOOL_CALL", "COMPLETE", "STOP_SEQUENCE"), Word.SUCCESS),
    "MAX_TOKENS": Word.CUT,
    **dict.fromkeys(("ERROR", "TIMEOUT"), Word.REFUSED),
}
_WITH_DELTA = (
    "message-start", "message-end", "tool-plan-delta", "tool-call-start", "tool-call-delta",
    "content-start", "content-delta", "citation-start",
)  # fmt: skip


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Others have events of some of these names, but not with a delta.
        return as_text(read(chunk, "type")) in _WITH_DELTA and read(chunk, "delta") is not None

    def feed(self, chunk: Any) -> None:
        kind, index = as_text(read(chunk, "type")), as_index(read(chunk, "index"))
        delta = read(chunk, "delta")
        if kind in ("tool-call-delta", "tool-call-start"):
            # One object, although the name is that of a list.
            entry = read(read(delta, "message"), "tool_calls")
            function = read(entry, "function")
            call = self._lane.owners.get(index)
            # A delta whose call never started is kept, without a name.
            if call is None or kind == "tool-call-start":
                id_, name = given(read(entry, "id")), given(read(function, "name"))
                call = self._turn.call(self._lane, index, id_, name)
            self._turn.append(call, as_text(read(function, "arguments")))
        elif kind == "tool-call-end":
            if (ended := self._lane.owners.get(index)) is not None:
                self._turn.close(ended, kind)
        elif kind == "message-start":
            self._begin(given(read(chunk, "id")))
        elif kind == "message-end":
            self._end(as_text(read(delta, "finish_reason")), read(delta, "error"))

    def _begin(self, response: str | None) -> None:
        if self._turn.response not in (None, response):
            raise ValueError("a second message-start in one turn: reset() starts the next turn")
        self._turn.response = response

    def _end(self, reason: str, error: Any) -> None:
        word = WORDS.get(reason)
        if reason:
            self._turn.finish(self._lane, reason, word)
        if error or reason == "ERROR":
            self._turn.fail(failure(error))
        self._turn.end(reason or "message-end", word or Word.NONE)


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the message that answers a call: one message of role ``tool`` per call.

    ``content`` is a ``str`` or a list of blocks, which have a ``type``; all else is sent as JSON.
    The format has no flag for errors, so an error is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="find_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, {"height": 3.1})
    {'role': 'tool', 'tool_call_id': 'find_1', 'content': '{"height": 3.1}'}
    """
    content = content_of(content, str, parts=True, is_error=is_error)
    return {"role": "tool", "tool_call_id": call.id, "content": content}
