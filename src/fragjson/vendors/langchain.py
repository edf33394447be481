"""LangChain: the ``tool_call_chunks`` of ``AIMessageChunk``, whichever vendor is behind them.

Takes what a model's ``stream`` yields, the (message, metadata) pairs of LangGraph's ``messages``
mode, and either of them dumped. Each message is a lane of its own, so messages may alternate. A
call has no close; the finish reason is passed on by most integrations, in the vendor's word.
``chunk_position`` says no more than that the stream ended, so without a reason a whole call is
``unconfirmed`` (see ``trust_eof``). A whole ``AIMessage``, from a model that does not stream, has
its ``tool_calls`` and needs nothing of this.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_list, as_text, given, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.identity import Lane
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    # Of all vendors, in lower case.
    **dict.fromkeys(
        (
            "stop", "tool_calls", "tool_call", "tool_use", "function_call", "end_turn",
            "stop_sequence", "pause_turn", "complete", "completed",
        ),
        Word.SUCCESS,
    ),
    **dict.fromkeys(
        (
            "length", "max_tokens", "model_length", "max_output_tokens", "incomplete",
            "model_context_window_exceeded",
        ),
        Word.CUT,
    ),
    **dict.fromkeys(
        (
            "content_filter", "content_filtered", "guardrail_intervened", "refusal", "error",
            "failed", "cancelled", "safety", "recitation", "blocklist", "prohibited_content",
            "spii", "malformed_function_call", "malformed_tool_use",
        ),
        Word.REFUSED,
    ),
}  # fmt: skip
_REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
_RUN = ("lc_run", "run-")
"""How the ids begin that LangChain gives to messages, for want of one of the vendor's."""


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lanes: dict[str | None, Lane] = {}
        self._latest: str | None = None

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return as_text(read(_message(chunk), "type")) == "AIMessageChunk"

    def feed(self, chunk: Any) -> None:
        message = _message(chunk)
        kind = as_text(read(message, "type"))
        if kind == "tool":
            self._answered(given(read(message, "tool_call_id")))
        if kind != "AIMessageChunk":
            return
        lane = self._lane(given(read(message, "id")))
        for entry in as_list(read(message, "tool_call_chunks")):
            self._enter(lane, entry)
        metadata = read(message, "response_metadata")
        if reason := _reason(metadata):
            self._turn.finish(lane, reason, WORDS.get(reason.lower()))
        if read(message, "chunk_position") == "last":
            self._turn.end("last chunk", Word.NONE, lane)

    def _lane(self, id_: str | None) -> "Lane":
        id_ = id_ or self._latest
        if id_ not in self._lanes:
            self._lanes[id_] = self._other_id(id_) or self._turn.lane(None, id_)
        self._latest = id_
        return self._lanes[id_]

    def _other_id(self, id_: str | None) -> "Lane | None":
        # A message can have two ids: some integrations give the vendor's to the first chunk only,
        # and the rest is then given the run's.
        latest = self._lanes.get(self._latest)
        ids = [known for known, lane in self._lanes.items() if lane is latest]
        return latest if len(ids) == 1 and _is_runs(ids[0]) != _is_runs(id_) else None

    def _enter(self, lane: "Lane", entry: Any) -> None:
        index, args = read(entry, "index"), read(entry, "args")
        call = self._turn.call(
            lane,
            index if isinstance(index, int | str) else None,
            given(read(entry, "id")),
            given(read(entry, "name")),
            blank=not args or (isinstance(args, str) and not args.strip()),
        )
        if isinstance(args, str):
            self._turn.append(call, args)
        elif args is not None:
            self._turn.whole(call, args)

    def _answered(self, id_: str | None) -> None:
        for lane in self._lanes.values():
            if (call := lane.known(id_)) is not None:
                call.server_side = True  # the graph has run it


def _message(chunk: Any) -> Any:
    return chunk[0] if isinstance(chunk, tuple | list) and chunk else chunk


def _is_runs(id_: str | None) -> bool | None:
    return None if id_ is None else id_.startswith(_RUN)


def _reason(metadata: Any) -> str | None:
    """Return the finish reason, wherever the integration keeps it."""
    for name in _REASONS:
        if reason := as_text(read(metadata, name)):
            return reason
    details = as_text(read(read(metadata, "incomplete_details"), "reason"))
    return details or as_text(read(metadata, "status")) or None


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the message that answers a call, as models and graphs take it: of role ``tool``.

    ``content`` is a ``str`` or a list of blocks, which have a ``type``; anything else is sent as
    JSON.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="call_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "no such port", is_error=True)  # doctest: +NORMALIZE_WHITESPACE
    {'role': 'tool', 'tool_call_id': 'call_1', 'name': 'find', 'content': 'no such port',
     'status': 'error'}
    """
    sent = content_of(content, str, parts=True)
    message = {"role": "tool", "tool_call_id": call.id, "name": call.name, "content": sent}
    return {**message, "status": "error"} if is_error else message
