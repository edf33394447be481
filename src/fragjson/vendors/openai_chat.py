"""OpenAI Chat Completions, and the servers and libraries that copy it, with their deviations.

A call has no close of its own: only the finish reason of its choice, ``[DONE]``, or nothing. Ids
and indexes are what ``identity`` has its rules for. A choice is a lane: with ``n > 1`` the same id
in two choices is two calls.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import (
    as_index,
    as_list,
    as_text,
    failure,
    given,
    json_safe,
    read,
    sdk_of,
)
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.identity import Lane
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    # "stop" also ends calls: OpenAI says it where tool_choice names the tool, many servers always.
    **dict.fromkeys(("tool_calls", "stop", "function_call", "tool_use", "end_turn"), Word.SUCCESS),
    **dict.fromkeys(("length", "max_tokens", "model_length"), Word.CUT),
    **dict.fromkeys(("content_filter", "refusal", "error"), Word.REFUSED),
}
_EXTRA = ("type", "extra_content", "provider_specific_fields")
"""The last two hold thought signatures: in Gemini's compatible API, and in LiteLLM's chunks."""
_LEGACY = "function_call"
"""The type of the deprecated single call, which has neither index nor id."""


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lanes: dict[int | None, Lane] = {}
        self._refused: set[Lane] = set()

    @staticmethod
    def recognises(chunk: Any) -> bool:
        kind = read(chunk, "type")
        # Of those who copy the format, two have an adapter of their own, and can be told.
        if read(chunk, "x_groq") is not None or sdk_of(chunk) == "mistralai":
            return False
        return bool(kind == "chunk") if kind is not None else read(chunk, "choices") is not None

    def fragment(self, chunk: dict[str, Any]) -> "list[StreamEvent] | None":
        try:
            (choice,) = chunk["choices"]
            delta = choice["delta"]
            (entry,) = delta["tool_calls"]
            function = entry["function"]
            # An index and arguments, no id, no name, and nothing beside them that counts.
            if (
                len(entry) > 2 or len(function) > 1
                or choice["finish_reason"] or "error" in chunk
                or (len(delta) > 1 and (delta.get("refusal") or delta.get("function_call")))
            ):  # fmt: skip
                return None
            lane = self._lanes[choice["index"]]
            call, text = lane.owners[entry["index"]], function["arguments"]
            events = call.intake.take(call, text)
        except (KeyError, TypeError, ValueError):
            return None
        if events is None:
            return self._turn.look_again(call, text)
        lane.latest = call
        return events

    def feed(self, chunk: Any) -> None:
        if read(chunk, "type") == "chunk":
            # The SDK's helper stream wraps the chunks, among events that say the same again.
            chunk = read(chunk, "chunk")
        if self._turn.response is None:
            self._turn.response = given(read(chunk, "id"))
        # Errors come alone, or beside choices (OpenRouter's, and Groq's in a place of its own).
        error = read(chunk, "error") or read(read(chunk, "x_groq"), "error")
        error = error or (read(chunk, "object") == "error" and chunk)
        # Usage and filter chunks have no choices.
        for choice in as_list(read(chunk, "choices")):
            number = as_index(read(choice, "index"))
            if number not in self._lanes:
                self._lanes[number] = self._turn.lane(number)
            lane = self._lanes[number]
            delta = read(choice, "delta")  # None in Azure's filter chunks
            entries = read(delta, "tool_calls")  # an object, no list, from old TGI servers
            # Several entries in one chunk, even for one index, are deltas in their order.
            for entry in as_list([entries] if isinstance(entries, dict) else entries):
                self._enter(lane, entry, read(entry, "function"))
            # Some say one call in the new form and the old.
            if not entries and (function := read(delta, "function_call")) is not None:
                self._enter(lane, {"type": _LEGACY}, function)
            if read(delta, "refusal"):
                self._refused.add(lane)
            # After the delta: the last arguments can stand beside the reason.
            reason = as_text(read(choice, "finish_reason"))
            if reason and not error:  # beside an error it is no word on any call
                # A refusal ends with "stop" like any text, but finishes no call.
                if WORDS.get(reason) is Word.SUCCESS and lane in self._refused:
                    reason = "refusal"
                self._turn.finish(lane, reason, WORDS.get(reason))
        if error:
            self._turn.fail(failure(error))

    def _enter(self, lane: "Lane", entry: Any, function: Any) -> None:
        custom = read(entry, "custom")  # free text: not typed in the SDK, a plain dict there
        body, field = (custom, "input") if custom is not None else (function, "arguments")
        arguments = read(body, field)
        call = self._turn.call(
            lane,
            as_index(read(entry, "index")),
            given(read(entry, "id")) or given(read(body, "id")),  # llama.cpp: in the function
            given(read(body, "name")),
            blank=not arguments or (isinstance(arguments, str) and not arguments.strip()),
            format="text" if custom is not None else "json",
        )
        for name in _EXTRA:
            if (value := read(entry, name)) is not None:
                call.extra.setdefault(name, json_safe(value))
        if isinstance(arguments, str):
            self._turn.append(call, arguments)
        elif arguments is not None:  # some servers send the decoded object instead of its text
            self._turn.whole(call, json_safe(arguments))


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the message that answers a call: one message of role ``tool`` per call.

    ``content`` other than a ``str`` is sent as JSON. The format has no flag for errors, so an error
    is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="call_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'role': 'tool', 'tool_call_id': 'call_1', 'content': '3.1 m at 06:12'}
    """
    text = content_of(content, str, is_error=is_error)
    if call.extra.get("type") == _LEGACY:
        return {"role": "function", "name": call.name, "content": text}
    return {"role": "tool", "tool_call_id": call.id, "content": text}
