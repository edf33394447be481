"""Gemini's Interactions: steps by index, each with a start, deltas and a stop.

The arguments of our functions come as text. Google's own tools have theirs as an object, in a
delta of their own kind, and no name but their type. The stop of a step is a close; the status of
the interaction, which says whether it was cut, comes after it.

One stream can hold several interactions: where the service breaks off a long one, the SDK goes on
with the next, whose indexes start again. So each interaction is a lane.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.events import StreamError
from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_index, as_text, failure, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.turn import LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    **dict.fromkeys(("requires_action", "completed"), Word.SUCCESS),
    **dict.fromkeys(("incomplete", "budget_exceeded", "requires_continuation"), Word.CUT),
    **dict.fromkeys(("failed", "cancelled"), Word.REFUSED),
}
_EXTRA = ("type", "signature", "server_name", "search_type", "retrieval_type")


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._lane = turn.lane(None)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return as_text(read(chunk, "event_type")).startswith(("interaction.", "step."))

    def feed(self, chunk: Any) -> None:
        kind, index = as_text(read(chunk, "event_type")), as_index(read(chunk, "index"))
        if kind == "step.delta":
            self._delta(index, read(chunk, "delta"))
        elif kind == "step.start":
            self._start(index, read(chunk, "step"))
        elif kind == "step.stop":
            if (call := self._lane.owners.get(index)) is not None:
                self._turn.close(call, kind)
        elif kind == "interaction.created":
            self._begin(given(read(read(chunk, "interaction"), "id")))
        elif kind == "interaction.completed":
            self._end(as_text(read(read(chunk, "interaction"), "status")) or kind)
        elif kind == "interaction.cancelled":  # it has no status of its own
            self._end("cancelled")
        elif kind == "error":
            self._turn.fail(failure(read(chunk, "error")))

    def _begin(self, interaction: str | None) -> None:
        # The same one again is a stream that is resumed.
        if interaction is None or interaction != self._lane.response:
            self._lane = self._turn.lane(interaction, interaction)
            self._turn.response = interaction

    def _start(self, index: int | None, step: Any) -> None:
        kind = as_text(read(step, "type"))
        if not kind.endswith("_call"):  # text, thoughts, results
            return
        call = self._call(index, kind, given(read(step, "id")), given(read(step, "name")))
        _keep(call, step)
        # {} is only a placeholder. What else stands here counts if no deltas come.
        if arguments := json_safe(read(step, "arguments")):
            if call.server_side:
                self._turn.whole(call, arguments)
            else:
                self._turn.seed(call, arguments)

    def _delta(self, index: int | None, delta: Any) -> None:
        kind, arguments = as_text(read(delta, "type")), read(delta, "arguments")
        if isinstance(arguments, str):
            call = self._lane.owners.get(index)
            if call is None:  # its start never came: it is kept, without a name
                call = self._turn.call(self._lane, index, None, None)
            self._turn.append(call, arguments)
        elif kind.endswith("_call"):
            call = self._call(index, kind, None, given(read(delta, "name")))
            _keep(call, delta)
            values = json_safe(arguments)
            if isinstance(values, dict):
                self._turn.whole(call, values)

    def _call(self, index: int | None, kind: str, id_: str | None, name: str | None) -> "LiveCall":
        ours = kind == "function_call"
        return self._turn.call(
            self._lane,
            index,
            id_,
            name or (None if ours else kind),
            format="json" if ours else "paths",
            server_side=not ours,
        )

    def _end(self, status: str) -> None:
        word = WORDS.get(status)
        self._turn.finish(self._lane, status, word)
        if status == "failed":
            self._turn.fail(StreamError("the interaction failed", code=status), self._lane)
        self._turn.end(status, word or Word.NONE, self._lane)


def _keep(call: "LiveCall", source: Any) -> None:
    for name in _EXTRA:
        if value := read(source, name):
            call.extra[name] = json_safe(value)


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the step that answers a call, to be sent as input of the next interaction.

    ``content`` is a ``str``, a ``dict`` or a list of content parts; anything else is sent as the
    text of its JSON.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="61nz", name="find")  # a ToolCall in real life
    >>> tool_result(call, "3.1 m at 06:12")
    {'type': 'function_result', 'call_id': '61nz', 'name': 'find', 'result': '3.1 m at 06:12'}
    """
    result = content_of(content, str, dict, list)
    step = {"type": "function_result", "call_id": call.id, "name": call.name, "result": result}
    return {**step, "is_error": True} if is_error else step
