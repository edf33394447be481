"""Amazon Bedrock: ConverseStream's events, and InvokeModel's chunks with another format inside.

An event of ConverseStream has one key, its kind. Content blocks have an index, and those of calls a
start, deltas and a stop. As with Anthropic the stop is a close, but not the last word: the stop
reason comes after it.

A chunk of InvokeModel holds the bytes of one event as the model's vendor writes it. Nova's look
like ConverseStream's; any others are taken for Anthropic's.
"""

import base64
from typing import TYPE_CHECKING, Any

from fragjson._engine import loads
from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import Word
from fragjson.vendors import anthropic
from fragjson.vendors._reading import as_index, as_text, given, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

_MALFORMED = ("malformed_model_output", "malformed_tool_use")
"""The model's output could not be made into blocks, so a call may be missing altogether."""
WORDS = {
    **dict.fromkeys(("tool_use", "end_turn", "stop_sequence"), Word.SUCCESS),
    **dict.fromkeys(("max_tokens", "model_context_window_exceeded"), Word.CUT),
    **dict.fromkeys(("guardrail_intervened", "content_filtered", *_MALFORMED), Word.REFUSED),
}
_EVENTS = (
    "messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop",
)  # fmt: skip
_EXCEPTIONS = (
    "internalServerException", "modelStreamErrorException", "validationException",
    "throttlingException", "serviceUnavailableException",
    "modelTimeoutException",  # InvokeModel only
)  # fmt: skip


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)
        self._started = False
        self._anthropic = anthropic.Adapter(turn)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Not by "metadata", a name that others use, too.
        return read(read(chunk, "chunk"), "bytes") is not None or any(
            read(chunk, name) is not None for name in _EVENTS + _EXCEPTIONS
        )

    def feed(self, chunk: Any) -> None:
        payload = read(read(chunk, "chunk"), "bytes")
        if payload is not None:
            chunk = _decoded(payload)
        if (block := read(chunk, "contentBlockDelta")) is not None:
            self._delta(block)
        elif (block := read(chunk, "contentBlockStart")) is not None:
            self._start(block)
        elif (block := read(chunk, "contentBlockStop")) is not None:
            call = self._lane.owners.get(as_index(read(block, "contentBlockIndex")))
            if call is not None:  # blocks of text have a stop, too
                self._turn.close(call, "contentBlockStop")
        elif (message := read(chunk, "messageStop")) is not None:
            self._end(as_text(read(message, "stopReason")))
        elif read(chunk, "messageStart") is not None:
            if self._started:
                raise ValueError("a second messageStart in one turn: reset() starts the next turn")
            self._started = True
        else:
            self._other(chunk)

    def _start(self, block: Any) -> None:
        # Text mostly has no start at all, or an empty one; results have another.
        tool = read(read(block, "start"), "toolUse")
        if tool is None:
            return
        kind = as_text(read(tool, "type"))
        call = self._turn.call(
            self._lane,
            as_index(read(block, "contentBlockIndex")),
            given(read(tool, "toolUseId")),
            given(read(tool, "name")),
            server_side=kind == "server_tool_use",
        )
        if kind:
            call.extra["type"] = kind

    def _delta(self, block: Any) -> None:
        arguments = read(read(read(block, "delta"), "toolUse"), "input")
        if arguments is None or arguments == "":
            return
        index = as_index(read(block, "contentBlockIndex"))
        call = self._lane.owners.get(index)
        if call is None:  # its start never came: it is kept, without a name
            call = self._turn.call(self._lane, index, None, None)
        if isinstance(arguments, str):
            self._turn.append(call, arguments)
        else:  # proxies that take the object of a response that was not streamed
            self._turn.whole(call, arguments)

    def _end(self, reason: str) -> None:
        word = WORDS.get(reason)
        if reason:
            self._turn.finish(self._lane, reason, word)
        if reason in _MALFORMED:
            self._turn.fail(StreamError("the model's output was malformed", code=reason))
        # Proxies leave out the stops of blocks: nothing but metadata follows, so it ends here.
        self._turn.end(reason or "messageStop", word or Word.NONE)

    def _other(self, chunk: Any) -> None:
        for name in _EXCEPTIONS:
            # boto3 raises them; other clients hand them over as events.
            if (fault := read(chunk, name)) is not None:
                said = read(fault, "message") or read(fault, "originalMessage") or name
                self._turn.fail(StreamError(str(said), code=name, payload=chunk))
                return
        self._anthropic.feed(chunk)


def _decoded(payload: Any) -> Any:
    """Decode what a chunk holds: bytes from boto3, base64 where they have been through JSON.

    Raises:
        ValueError: it is not base64, or not JSON (then a JSONDecodeError).
    """
    if isinstance(payload, str):
        try:
            payload = base64.b64decode(payload, validate=True)
        except ValueError as error:
            raise ValueError(f"chunk.bytes is neither bytes nor base64: {error}") from error
    return loads(payload, allow_partial=False) if isinstance(payload, bytes | bytearray) else None


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the block that answers a call; all answers go into one message of role ``user``.

    ``content`` is a ``str``, a ``dict`` (sent as JSON) or a list of content blocks; anything else
    is sent as the text of its JSON, because only objects are taken as JSON. The block is
    Converse's: for InvokeModel, see the module of the model's own vendor.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="tooluse_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'toolResult': {'toolUseId': 'tooluse_1', 'content': [{'text': '3.1 m at 06:12'}]}}
    """
    if isinstance(content, dict):
        content = [{"json": content}]
    elif not isinstance(content, list):
        content = [{"text": content_of(content, str)}]
    result = {"toolUseId": call.id, "content": content}
    return {"toolResult": {**result, "status": "error"} if is_error else result}
