"""OpenAI's formats, and those made after them."""

import json
from typing import Any

from fragjson.testing.writing import Words, Writer, WrittenCall

__all__ = [
    "Groq", "Mistral", "MistralConversations", "OpenAIChat", "OpenAIRealtime", "OpenAIResponses",
]  # fmt: skip


class OpenAIChat(Writer):
    vendor = "openai_chat"
    words = Words(success="tool_calls", cut="length", refused="content_filter")
    closes = False

    def start(self, call: WrittenCall) -> list[Any]:
        function = {"name": call.name, "arguments": ""}
        return self._delta(index=call.place, id=call.id, type="function", function=function)

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return self._delta(index=call.place, function={"arguments": piece})

    def finish(self, word: str) -> list[Any]:
        return [self._chunk({}, word), "[DONE]"]

    def error(self, message: str) -> list[Any]:
        return [{"error": {"message": message, "type": "server_error", "code": None}}]

    def _delta(self, **entry: Any) -> list[Any]:
        return [self._chunk({"tool_calls": [entry]}, None)]

    def _chunk(self, delta: Any, finish_reason: str | None) -> Any:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]}


class Mistral(OpenAIChat):
    """As on the wire, where it is OpenAI's; the SDK's chunks are other ones."""

    vendor = "mistral"


class Groq(OpenAIChat):
    """Calls whole, one chunk each."""

    vendor = "groq"
    fragmentary = False

    def begin(self) -> list[Any]:
        return [{**self._chunk({"role": "assistant"}, None), "x_groq": {"id": "req_1"}}]

    def start(self, call: WrittenCall) -> list[Any]:
        return []

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        text = json.dumps(call.arguments, ensure_ascii=False)
        function = {"name": call.name, "arguments": text}
        return self._delta(index=call.place, id=call.id, type="function", function=function)

    def finish(self, word: str) -> list[Any]:
        return [{**self._chunk({}, word), "x_groq": {"id": "req_1"}}, "[DONE]"]


class MistralConversations(Writer):
    vendor = "mistral"
    words = Words(success="done", cut=None, refused=None)
    closes = False

    def begin(self) -> list[Any]:
        return [{"type": "conversation.response.started", "conversation_id": "conv_1"}]

    def start(self, call: WrittenCall) -> list[Any]:
        return self.fragment(call, "")

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        ids = {"id": f"fc_{call.place}", "tool_call_id": call.id, "output_index": call.place}
        return [{"type": "function.call.delta", **ids, "name": call.name, "arguments": piece}]

    def finish(self, word: str) -> list[Any]:
        return [{"type": f"conversation.response.{word}", "usage": {}}]

    def error(self, message: str) -> list[Any]:
        return [{"type": "conversation.response.error", "message": message, "code": 3000}]


class OpenAIResponses(Writer):
    vendor = "openai_responses"
    words = Words(success="completed", cut="max_output_tokens", refused="content_filter")

    def begin(self) -> list[Any]:
        return [self._event("response.created", response={"id": "resp_1", "output": []})]

    def start(self, call: WrittenCall) -> list[Any]:
        return [self._item("added", call, {"status": "in_progress"})]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        kind = "response.function_call_arguments.delta"
        return [self._event(kind, **self._place(call), delta=piece)]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        if cut:
            return [self._item("done", call, {"status": "incomplete"})]
        whole = {"arguments": json.dumps(call.arguments, ensure_ascii=False)}
        kind = "response.function_call_arguments.done"
        said = self._event(kind, **self._place(call), **whole)
        return [said, self._item("done", call, {"status": "completed", **whole})]

    def finish(self, word: str) -> list[Any]:
        if word == "completed":
            return self._response("completed")
        return self._response("incomplete", incomplete_details={"reason": word})

    def error(self, message: str) -> list[Any]:
        return self._response("failed", error={"code": "server_error", "message": message})

    def _response(self, status: str, **more: Any) -> list[Any]:
        response = {"id": "resp_1", "status": status, "output": [], **more}
        return [self._event(f"response.{status}", response=response)]

    def _event(self, kind: str, **members: Any) -> Any:
        return {"type": kind, **members}

    def _place(self, call: WrittenCall) -> Any:
        return {"output_index": call.place, "item_id": f"item_{call.place}"}

    def _item(self, step: str, call: WrittenCall, more: Any) -> Any:
        item = {"type": "function_call", "id": f"item_{call.place}", "call_id": call.id}
        item |= {"name": call.name, "arguments": "", **more}
        return self._event(f"response.output_item.{step}", output_index=call.place, item=item)


class OpenAIRealtime(OpenAIResponses):
    vendor = "openai_realtime"

    def _response(self, status: str, **more: Any) -> list[Any]:
        details = more.pop("incomplete_details", {"type": status, **more})
        response = {"id": "resp_1", "status": status, "status_details": details, "output": []}
        return [self._event("response.done", response=response)]

    def _event(self, kind: str, **members: Any) -> Any:
        return {"type": kind, "event_id": "event_1", "response_id": "resp_1", **members}
