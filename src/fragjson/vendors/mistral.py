"""Mistral: OpenAI's chat chunks with the SDK's defaults undone, and the events of conversations.

A chat chunk on the wire is read as ``openai_chat`` reads it. The SDK wraps it, and fills in what is
not there: an ``index`` of 0 and an ``id`` of ``"null"``, which must not tell calls apart.

In a conversation, each event of a call repeats its ids and its name beside a piece of the
arguments. A call of ours has no close but that of the whole response; the connectors that Mistral
runs have one. (The endpoint that copies OpenAI's Responses is read by ``openai_responses``.)
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors import openai_chat
from fragjson.vendors._reading import as_index, as_text, failure, given, json_safe, read, sdk_of
from fragjson.vendors._writing import content_of
from fragjson.vendors.openai_chat import WORDS

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

_FUNCTION = "function.call"
_EXECUTION = "tool.execution"
_STEMS = (_FUNCTION, _EXECUTION, "conversation.response", "message.output", "agent.handoff")


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)
        self._chat = openai_chat.Adapter(turn)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # A chat chunk as it is on the wire could be OpenAI's, and is read as one.
        stem = as_text(read(chunk, "type")).rpartition(".")[0]
        return stem in _STEMS or sdk_of(chunk) == "mistralai"

    def feed(self, chunk: Any) -> None:
        chunk = json_safe(read(chunk, "data") or chunk)  # without what the SDK has filled in
        kind = as_text(read(chunk, "type"))
        stem, _, step = kind.rpartition(".")
        if stem in (_FUNCTION, _EXECUTION):
            self._call(chunk, stem, step)
        elif kind == "conversation.response.done":
            self._turn.finish(self._lane, kind, Word.SUCCESS)
            self._turn.end(kind, Word.SUCCESS, self._lane)
        elif kind == "conversation.response.error":
            self._turn.fail(failure(chunk))
        else:
            self._chat.feed(chunk)

    def _call(self, event: Any, stem: str, step: str) -> None:
        ours, entry = stem == _FUNCTION, given(read(event, "id"))
        index, arguments = as_index(read(event, "output_index")), read(event, "arguments")
        call = self._turn.call(
            self._lane,
            entry or index,
            given(read(event, "tool_call_id")) if ours else entry,
            given(read(event, "name")),
            blank=not arguments,
            server_side=not ours,
        )
        if index is not None:
            call.index = index
        call.extra["type"] = stem
        if ours and entry:
            call.extra["entry_id"] = entry
        if confirmation := read(event, "confirmation_status"):
            # A tool that Mistral runs once it is allowed to: it waits for a word, for no result.
            call.extra["confirmation_status"] = confirmation
            call.server_side = True
        if isinstance(arguments, str):
            self._turn.append(call, arguments)
        elif arguments is not None:
            self._turn.whole(call, arguments)
        if step == "done":
            self._turn.close(call, f"{stem}.done")


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return what answers a call: a message of role ``tool``, or in a conversation an entry.

    ``content`` other than a ``str`` is sent as JSON. The formats have no flag for errors, so an
    error is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="D681PevKs", name="find", extra={"type": "function.call"})
    >>> tool_result(call, "3.1 m at 06:12")  # of a ToolCall in real life
    {'type': 'function.result', 'tool_call_id': 'D681PevKs', 'result': '3.1 m at 06:12'}
    """
    if call.extra.get("type") != _FUNCTION:
        return {**openai_chat.tool_result(call, content, is_error=is_error), "name": call.name}
    result = content_of(content, str, is_error=is_error)
    return {"type": "function.result", "tool_call_id": call.id, "result": result}
