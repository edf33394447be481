"""The streams of the vendors that the package knows, written for tests: ``WRITERS``, by name.

They are what the vendors document and send when all goes well. What goes wrong is the business of
``faults``; what single servers get wrong, of the tests of their adapters.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from fragjson.testing.writing import Cut, Words, Writer, WrittenCall

__all__ = ["WRITERS"]


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


class OpenAIResponses(Writer):
    vendor = "openai_responses"
    words = Words(success="completed", cut="max_output_tokens", refused="content_filter")

    def begin(self) -> list[Any]:
        return [{"type": "response.created", "response": {"id": "resp_1", "output": []}}]

    def start(self, call: WrittenCall) -> list[Any]:
        return [self._item("added", call, {"status": "in_progress"})]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        kind = "response.function_call_arguments.delta"
        return [{"type": kind, **self._place(call), "delta": piece}]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        if cut:
            return [self._item("done", call, {"status": "incomplete"})]
        whole = {"arguments": json.dumps(call.arguments, ensure_ascii=False)}
        kind = "response.function_call_arguments.done"
        said = {"type": kind, **self._place(call), **whole}
        return [said, self._item("done", call, {"status": "completed", **whole})]

    def finish(self, word: str) -> list[Any]:
        if word == "completed":
            return self._response("completed")
        return self._response("incomplete", incomplete_details={"reason": word})

    def error(self, message: str) -> list[Any]:
        return self._response("failed", error={"code": "server_error", "message": message})

    def _response(self, status: str, **more: Any) -> list[Any]:
        response = {"id": "resp_1", "status": status, "output": [], **more}
        return [{"type": f"response.{status}", "response": response}]

    def _place(self, call: WrittenCall) -> Any:
        return {"output_index": call.place, "item_id": f"item_{call.place}"}

    def _item(self, step: str, call: WrittenCall, more: Any) -> Any:
        item = {"type": "function_call", "id": f"item_{call.place}", "call_id": call.id}
        item |= {"name": call.name, "arguments": "", **more}
        return {"type": f"response.output_item.{step}", "output_index": call.place, "item": item}


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


class Gemini(Writer):
    """Calls as they mostly come: whole, without ids, each ended by the next."""

    vendor = "gemini"
    words = Words(success="STOP", cut="MAX_TOKENS", refused="SAFETY")
    closes = False
    fragmentary = False
    interleaves = False
    identified = False

    def start(self, call: WrittenCall) -> list[Any]:
        return []

    def fragment(self, call: WrittenCall, piece: Any) -> list[Any]:
        return []

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [self._part({"name": call.name, "args": call.arguments})]

    def finish(self, word: str) -> list[Any]:
        content = {"role": "model", "parts": [{"text": ""}]}
        return [{"candidates": [{"index": 0, "content": content, "finishReason": word}]}]

    def error(self, message: str) -> list[Any]:
        return [{"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}}]

    def _part(self, function_call: Any) -> Any:
        content = {"role": "model", "parts": [{"functionCall": function_call}]}
        return {"candidates": [{"index": 0, "content": content}]}


class GeminiValues(Gemini):
    """Calls with ``streamFunctionCallArguments``: value by value. No empty objects and lists."""

    closes = True
    fragmentary = True
    gaps_show = False

    def start(self, call: WrittenCall) -> list[Any]:
        return [self._part({"name": call.name, "willContinue": True})]

    def fragment(self, call: WrittenCall, piece: Any) -> list[Any]:
        return [self._part({"partialArgs": [piece], "willContinue": True})]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [] if cut else [self._part({})]

    def pieces(self, call: WrittenCall, cut: Cut) -> Sequence[Any]:
        return list(_settings("$", call.arguments))


def _settings(path: str, value: Any) -> Iterator[Any]:
    """Yield what sets each value within, strings in two halves."""
    match value:
        case dict():
            for name, child in value.items():
                yield from _settings(f"{path}.{name}", child)
        case list():
            for index, child in enumerate(value):
                yield from _settings(f"{path}[{index}]", child)
        case str():
            half = len(value) // 2
            yield {"jsonPath": path, "stringValue": value[:half], "willContinue": True}
            yield {"jsonPath": path, "stringValue": value[half:]}
        case bool() | None:
            yield {"jsonPath": path, "nullValue" if value is None else "boolValue": value}
        case _:
            yield {"jsonPath": path, "numberValue": value}


class AGUI(Writer):
    vendor = "ag_ui"
    words = Words(success="success", cut="", refused="cancelled")

    def begin(self) -> list[Any]:
        return [self._event("RUN_STARTED", threadId="thread_1", runId="run_1")]

    def start(self, call: WrittenCall) -> list[Any]:
        return [self._event("TOOL_CALL_START", toolCallId=call.id, toolCallName=call.name)]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return [self._event("TOOL_CALL_ARGS", toolCallId=call.id, delta=piece)]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [self._event("TOOL_CALL_END", toolCallId=call.id)]

    def finish(self, word: str) -> list[Any]:
        outcome = {"type": word}
        return [self._event("RUN_FINISHED", threadId="thread_1", runId="run_1", outcome=outcome)]

    def error(self, message: str) -> list[Any]:
        return [self._event("RUN_ERROR", message=message)]

    def _event(self, kind: str, **members: Any) -> Any:
        return {"type": kind, **members}


class AGUIChunks(AGUI):
    """Calls in the shorthand: a chunk opens a call, the next call or the end closes it."""

    def start(self, call: WrittenCall) -> list[Any]:
        return [self._event("TOOL_CALL_CHUNK", toolCallId=call.id, toolCallName=call.name)]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return [self._event("TOOL_CALL_CHUNK", toolCallId=call.id, delta=piece)]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return []


class VercelUI(Writer):
    vendor = "vercel_ui"
    words = Words(success="tool-calls", cut="length", refused="content-filter")

    def begin(self) -> list[Any]:
        return [{"type": "start", "messageId": "msg_1"}, {"type": "start-step"}]

    def start(self, call: WrittenCall) -> list[Any]:
        return [{"type": "tool-input-start", "toolCallId": call.id, "toolName": call.name}]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return [{"type": "tool-input-delta", "toolCallId": call.id, "inputTextDelta": piece}]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        known = {"toolCallId": call.id, "toolName": call.name}
        if cut:
            error = {"input": '{"pla', "errorText": "JSON parsing failed"}
            return [{"type": "tool-input-error", **known, **error}]
        return [{"type": "tool-input-available", **known, "input": call.arguments}]

    def finish(self, word: str) -> list[Any]:
        return [{"type": "finish-step"}, {"type": "finish", "finishReason": word}, "[DONE]"]

    def error(self, message: str) -> list[Any]:
        return [{"type": "error", "errorText": message}]


class LangChain(Writer):
    """What ``langchain_openai`` makes of a chat stream, dumped."""

    vendor = "langchain"
    words = Words(success="tool_calls", cut="length", refused="content_filter")
    closes = False

    def start(self, call: WrittenCall) -> list[Any]:
        return self._chunk(call, name=call.name, args="", id=call.id)

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        return self._chunk(call, name=None, args=piece, id=None)

    def finish(self, word: str) -> list[Any]:
        return [self._message(response_metadata={"finish_reason": word}, chunk_position="last")]

    def error(self, message: str) -> list[Any]:
        return []

    def _chunk(self, call: WrittenCall, **entry: Any) -> list[Any]:
        chunk = {**entry, "index": call.place, "type": "tool_call_chunk"}
        return [self._message(tool_call_chunks=[chunk])]

    def _message(self, **members: Any) -> Any:
        return {"type": "AIMessageChunk", "id": "lc_run--1", "content": "", **members}


WRITERS: dict[str, Writer] = {
    "ag_ui": AGUI(),
    "ag_ui_chunks": AGUIChunks(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
    "gemini_values": GeminiValues(),
    "langchain": LangChain(),
    "openai_chat": OpenAIChat(),
    "openai_responses": OpenAIResponses(),
    "vercel_ui": VercelUI(),
}
"""One for each vendor, and one more for vendors that have two ways to say it."""
