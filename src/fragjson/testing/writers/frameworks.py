"""The streams of frameworks, whichever vendor is behind them."""

from typing import Any

from fragjson.testing.writing import Words, Writer, WrittenCall

__all__ = ["AGUI", "AGUIChunks", "LangChain", "VercelUI"]


class AGUI(Writer):
    vendor = "ag_ui"
    words = Words(success="success", cut=None, refused="cancelled")

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
        if cut:
            return []
        known = {"toolCallId": call.id, "toolName": call.name}
        return [{"type": "tool-input-available", **known, "input": call.arguments}]

    def finish(self, word: str) -> list[Any]:
        return [{"type": "finish-step"}, {"type": "finish", "finishReason": word}, "[DONE]"]

    def error(self, message: str) -> list[Any]:
        return [{"type": "error", "errorText": message}]
