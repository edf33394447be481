"""Anthropic Messages: content blocks by index, each with a start, deltas and a stop.

The stop of a block is a close, but not the last word: the stop reason, which says whether the
response was cut, comes after all blocks have stopped.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_index, as_list, as_text, failure, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.turn import LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    # pause_turn: the loop of server tools rests; what is closed is closed.
    **dict.fromkeys(("tool_use", "end_turn", "stop_sequence", "pause_turn"), Word.SUCCESS),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), Word.CUT),
    "refusal": Word.REFUSED,
}


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)
        self._owners = self._lane.owners
        self._started = False
        self._just_stopped: LiveCall | None = None

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return as_text(read(chunk, "type")).startswith(("message_", "content_block_"))

    def fragment(self, chunk: dict[str, Any]) -> "list[StreamEvent] | None":
        try:
            call, text = self._owners[chunk["index"]], chunk["delta"]["partial_json"]
            events = call.intake.take(call, text)
        except (KeyError, TypeError, ValueError):
            return None
        if events is None:
            return self._turn.look_again(call, text)
        self._lane.latest = call
        return events

    def feed(self, chunk: Any) -> None:
        kind = as_text(read(chunk, "type"))
        if kind == "content_block_start":
            self._start(as_index(read(chunk, "index")), read(chunk, "content_block"))
        elif kind == "content_block_stop":
            stopped = self._owners.get(as_index(read(chunk, "index")))
            if stopped is not None:
                self._turn.close(stopped, kind)
                self._just_stopped = stopped
        elif kind == "message_start":
            self._begin(read(chunk, "message"))
        elif kind == "message_delta":
            if reason := as_text(read(read(chunk, "delta"), "stop_reason")):
                self._turn.finish(self._lane, reason, WORDS.get(reason))
        elif kind == "message_stop":
            self._turn.end(kind, Word.SUCCESS)
        elif kind == "error":
            self._turn.fail(failure(read(chunk, "error")))
        # By what it carries, whatever it is called: no text is let go of for a garbled type. The
        # SDK's helper stream adds an "input_json" event for the same bytes, which has no delta.
        elif text := as_text(read(read(chunk, "delta"), "partial_json")):
            index = as_index(read(chunk, "index"))
            known = self._owners.get(index)
            # A delta whose block never started is kept, without a name.
            self._turn.append(known or self._turn.call(self._lane, index, None, None), text)

    def _begin(self, message: Any) -> None:
        if self._started:
            raise ValueError("a second message_start in one turn: reset() starts the next turn")
        self._started = True
        self._turn.response = given(read(message, "id"))
        # A resumed message already holds blocks.
        for index, block in enumerate(as_list(read(message, "content"))):
            self._start(index, block)

    def _start(self, index: int | None, block: Any) -> None:
        kind = as_text(read(block, "type"))
        if kind == "fallback":
            self._fall_back()
        self._just_stopped = None
        if not kind.endswith("tool_use"):
            return
        # server_tool_use and mcp_tool_use are run by the vendor.
        server_side = kind != "tool_use"
        id_, name = given(read(block, "id")), given(read(block, "name"))
        call = self._turn.call(self._lane, index, id_, name, server_side=server_side)
        for field in ("type", "caller", "server_name", "toolset_name"):
            if (value := read(block, field)) is not None:
                call.extra[field] = json_safe(value)
        # {} is only a placeholder. But calls made from code come with all of their input here and
        # have no deltas; where there are deltas, they win.
        if arguments := read(block, "input"):
            self._turn.seed(call, arguments)

    def _fall_back(self) -> None:
        # Another model takes over from one that refused. Blocks that were open have just been
        # stopped by the SDK on its own account, so such a stop proves nothing.
        for call in [*self._turn.calls]:
            if not call.over or call is self._just_stopped:
                self._turn.retract(call, "fallback")


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the block that answers a call; all answers go into one message of role ``user``.

    ``content`` is a ``str`` or a list of blocks, which have a ``type``; anything else is sent as
    JSON.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="toolu_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "no such port", is_error=True)
    {'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': 'no such port', 'is_error': True}
    """
    content = content_of(content, str, parts=True)
    block = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    return {**block, "is_error": True} if is_error else block
