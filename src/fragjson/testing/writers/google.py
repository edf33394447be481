"""Google's formats: generateContent in its two ways, the Live API, and Interactions."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from fragjson.testing.writing import Cut, Words, Writer, WrittenCall

__all__ = ["Gemini", "GeminiInteractions", "GeminiLive", "GeminiValues"]


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
    empties = False
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
                plain = name.isascii() and name.isidentifier()
                step = f".{name}" if plain else f"[{json.dumps(name)}]"
                yield from _settings(path + step, child)
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


class GeminiLive(Writer):
    """Whole calls. There are no failures in the stream but those of the model's own making."""

    vendor = "gemini_live"
    words = Words(success="turnComplete", cut=None, refused=None)
    fragmentary = False
    interleaves = False

    def begin(self) -> list[Any]:
        return [{"setupComplete": {}}]

    def start(self, call: WrittenCall) -> list[Any]:
        return []

    def fragment(self, call: WrittenCall, piece: Any) -> list[Any]:
        return []

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        called = {"id": call.id, "name": call.name, "args": call.arguments}
        return [{"toolCall": {"functionCalls": [called]}}]

    def finish(self, word: str) -> list[Any]:
        return [{"serverContent": {word: True}}]

    def error(self, message: str) -> list[Any]:
        return []


class GeminiInteractions(Writer):
    vendor = "gemini_interactions"
    words = Words(success="requires_action", cut="incomplete", refused="cancelled")

    def begin(self) -> list[Any]:
        return [self._interaction("created", "in_progress")]

    def start(self, call: WrittenCall) -> list[Any]:
        step = {"type": "function_call", "id": call.id, "name": call.name, "arguments": {}}
        return [{"event_type": "step.start", "index": call.place, "step": step}]

    def fragment(self, call: WrittenCall, piece: str) -> list[Any]:
        delta = {"type": "arguments_delta", "arguments": piece}
        return [{"event_type": "step.delta", "index": call.place, "delta": delta}]

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        return [{"event_type": "step.stop", "index": call.place}]

    def finish(self, word: str) -> list[Any]:
        return [self._interaction("completed", word)]

    def error(self, message: str) -> list[Any]:
        return [{"event_type": "error", "error": {"code": "internal", "message": message}}]

    def _interaction(self, step: str, status: str) -> Any:
        return {
            "event_type": f"interaction.{step}",
            "interaction": {"id": "v1_1", "status": status},
        }
