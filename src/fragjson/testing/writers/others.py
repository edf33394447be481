"""Anthropic, Bedrock, Cohere and Ollama."""

import base64
import json
from typing import Any

from fragjson.testing.writing import Words, Writer, WrittenCall

__all__ = ["Anthropic", "BedrockConverse", "BedrockInvoke", "Cohere", "Ollama"]


class Anthropic(Writer):
    vendor = "anthropic"
    words = Words(success="tool_use", cut="max_tokens", refused="refusal")

    def begin(self) -> list[Any]:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        return [{"type": "message_start", "message": message}]

    def start(self, call: WrittenCall) -> list[Any]:
        block = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        return [{"type": "content_block_start", "index": call.place, "content_block": block}]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        delta = {"type": "input_json_delta", "partial_json": piece}
        return [{"type": "content_block_delta", "index": call.place, "delta": delta}]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [{"type": "content_block_stop", "index": call.place}]

    def finish(self, word: str) -> list[Any]:
        delta = {"stop_reason": word, "stop_sequence": None}
        return [{"type": "message_delta", "delta": delta}, {"type": "message_stop"}]

    def error(self, message: str) -> list[Any]:
        return [{"type": "error", "error": {"type": "overloaded_error", "message": message}}]


class BedrockConverse(Writer):
    vendor = "bedrock"
    words = Words(success="tool_use", cut="max_tokens", refused="guardrail_intervened")

    def begin(self) -> list[Any]:
        return [{"messageStart": {"role": "assistant"}}]

    def start(self, call: WrittenCall) -> list[Any]:
        tool = {"toolUse": {"toolUseId": call.id, "name": call.name}}
        return [{"contentBlockStart": {"contentBlockIndex": call.place, "start": tool}}]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        delta = {"toolUse": {"input": piece}}
        return [{"contentBlockDelta": {"contentBlockIndex": call.place, "delta": delta}}]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [{"contentBlockStop": {"contentBlockIndex": call.place}}]

    def finish(self, word: str) -> list[Any]:
        return [{"messageStop": {"stopReason": word}}, {"metadata": {"usage": {}}}]

    def error(self, message: str) -> list[Any]:
        return [{"throttlingException": {"message": message}}]


class BedrockInvoke(Anthropic):
    """InvokeModel, with Anthropic's events inside."""

    vendor = "bedrock"

    def wrapped(self, chunk: Any) -> Any:
        data = base64.b64encode(json.dumps(chunk).encode()).decode()
        return {"chunk": {"bytes": data}}


class Cohere(Writer):
    vendor = "cohere"
    words = Words(success="TOOL_CALL", cut="MAX_TOKENS", refused="TIMEOUT")

    def begin(self) -> list[Any]:
        message = {"role": "assistant", "content": [], "tool_calls": []}
        return [{"type": "message-start", "id": "msg_1", "delta": {"message": message}}]

    def start(self, call: WrittenCall) -> list[Any]:
        function = {"name": call.name, "arguments": ""}
        return self._call(call, "start", id=call.id, type="function", function=function)

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return self._call(call, "delta", function={"arguments": piece})

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [{"type": "tool-call-end", "index": call.place}]

    def finish(self, word: str) -> list[Any]:
        return [{"type": "message-end", "delta": {"finish_reason": word, "usage": {}}}]

    def error(self, message: str) -> list[Any]:
        return [{"type": "message-end", "delta": {"finish_reason": "ERROR", "error": message}}]

    def _call(self, call: WrittenCall, step: str, **entry: Any) -> list[Any]:
        delta = {"message": {"tool_calls": entry}}
        return [{"type": f"tool-call-{step}", "index": call.place, "delta": delta}]


class Ollama(Writer):
    """Calls whole, each closed as it comes, as older servers and the SDK give them: without ids."""

    vendor = "ollama"
    words = Words(success="stop", cut="length", refused=None)
    fragmentary = False
    interleaves = False
    identified = False

    def start(self, call: WrittenCall) -> list[Any]:
        return []

    def fragment(self, call: WrittenCall, piece: Any) -> list[Any]:
        return []

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        function = {"name": call.name, "arguments": call.arguments}
        return [self._line(tool_calls=[{"function": function}])]

    def finish(self, word: str) -> list[Any]:
        return [{**self._line(), "done": True, "done_reason": word}]

    def error(self, message: str) -> list[Any]:
        return [{"error": message}]

    def _line(self, **more: Any) -> Any:
        message = {"role": "assistant", "content": "", **more}
        return {"model": "m", "message": message, "done": False}
