"""OpenAI Responses: output items by index, with deltas, a final text, and a done event.

Three names meet here: ``output_index`` (the place), ``item_id``, and ``call_id`` (the one to
answer with). Deltas carry the first two, and gateways leave out or invent the second. The done
event of an item closes its call; the status of the item says whether it was cut.
"""

from typing import TYPE_CHECKING, Any

from fragjson.toolcalls.verdict import Word
from fragjson.vendors._reading import as_index, as_list, as_text, failure, given, json_safe, read
from fragjson.vendors._writing import content_of

if TYPE_CHECKING:
    from fragjson.toolcalls.call import ToolCall
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.identity import Lane
    from fragjson.toolcalls.turn import Format, LiveCall, Turn

__all__ = ["WORDS", "Adapter", "tool_result"]

WORDS = {
    "completed": Word.SUCCESS,
    **dict.fromkeys(("max_output_tokens", "max_messages", "steered", "incomplete"), Word.CUT),
    **dict.fromkeys(("content_filter", "cancelled"), Word.REFUSED),
    **dict.fromkeys(("turn_detected", "client_cancelled"), Word.REFUSED),  # Realtime only
}
_ITEMS: "dict[str, tuple[str, Format, bool]]" = {
    # Type of item: the field of its arguments, how they come, whether the vendor runs it.
    "function_call": ("arguments", "json", False),
    "custom_tool_call": ("input", "text", False),
    "local_shell_call": ("action", "paths", False),
    "shell_call": ("action", "paths", False),
    "computer_call": ("action", "paths", False),
    "apply_patch_call": ("operation", "paths", False),
    "mcp_call": ("arguments", "json", True),
    "mcp_approval_request": ("arguments", "json", True),
    "code_interpreter_call": ("code", "text", True),
    "program": ("code", "text", True),
    "web_search_call": ("action", "paths", True),
    "file_search_call": ("queries", "paths", True),
}
_TEXTS: "dict[str, tuple[str, Format]]" = {
    # Stem of the delta and done events: the field of the whole text, how it comes.
    "response.function_call_arguments": ("arguments", "json"),
    "response.mcp_call_arguments": ("arguments", "json"),
    "response.custom_tool_call_input": ("input", "text"),
    "response.code_interpreter_call_code": ("code", "text"),
}
_DELTAS = frozenset(f"{stem}.delta" for stem in _TEXTS)
_STRINGS = {
    # Stem of the events of one string: where it stands in the arguments.
    "response.shell_call_command": "$.commands[{}]",
    "response.apply_patch_call_operation_diff": "$.diff",
}
_ENDS = frozenset(
    f"response.{word}" for word in ("completed", "incomplete", "failed", "cancelled", "done")
)
_NUMBER = "sequence_number"
_EXTRA = (
    "type", "status", "namespace", "caller", "server_label", "container_id", "environment",
    "approval_request_id",
)  # fmt: skip


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._streams: dict[str | None, _Stream] = {}

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Realtime sends events of the same names, each with an id.
        kind = as_text(read(chunk, "type"))
        return kind.startswith("response.") and read(chunk, "event_id") is None

    def fragment(self, chunk: dict[str, Any]) -> "list[StreamEvent] | None":
        try:
            if chunk["type"] not in _DELTAS or "stream_id" in chunk:
                return None
            stream, index, number = self._streams[None], chunk["output_index"], chunk[_NUMBER]
            if number <= stream.last or stream.places[chunk["item_id"]] != index:
                return None
            call = stream.lane.owners[index]
            events = call.intake.take(call, chunk["delta"])
        except (KeyError, TypeError, ValueError):
            return None
        if events is not None:
            stream.last, stream.lane.latest = number, call
        return events

    def feed(self, chunk: Any) -> None:
        # By its string: the SDK decodes unknown types into wrong classes, but keeps the string.
        kind = as_text(read(chunk, "type"))
        stream = self._stream(given(read(chunk, "stream_id")), kind)
        number = read(chunk, _NUMBER)
        if isinstance(number, int) and kind != "error":
            if number <= stream.last:  # a resumed stream says again what came before
                return
            stream.last = number
        stem, _, step = kind.rpartition(".")
        if stem in _TEXTS:
            self._text(stream, chunk, stem, step)
        elif stem in _STRINGS:
            call = self._written(stream, chunk, "paths")
            path = _STRINGS[stem].format(read(chunk, "command_index"))
            text = as_text(read(chunk, "delta")) if step == "delta" else ""
            self._turn.set(call, path, text, more=step != "done")
        elif stem == "response.output_item":
            index = as_index(read(chunk, "output_index"))
            self._item(stream, read(chunk, "item"), index, done=step == "done")
        elif kind in _ENDS:
            self._end(stream, read(chunk, "response"), step)
        elif kind == "response.created":
            name = given(read(read(chunk, "response"), "id"))
            self._turn.response = stream.lane.response = name
        elif kind == "error":
            self._turn.fail(failure(read(chunk, "error") or chunk))

    def _stream(self, name: str | None, kind: str) -> "_Stream":
        # A socket can carry several responses at a time, told apart by stream_id, and one after
        # the other: a steered response is followed by its successor.
        stream = self._streams.get(name)
        if stream is None or (kind == "response.created" and stream.ended):
            stream = self._streams[name] = _Stream(self._turn.lane(name))
        return stream

    def _text(self, stream: "_Stream", chunk: Any, stem: str, step: str) -> None:
        field, format_ = _TEXTS[stem]
        call = self._written(stream, chunk, format_)
        if step == "delta":
            self._turn.append(call, as_text(read(chunk, "delta")))
        else:
            # Not a close yet: the item may still turn out to be incomplete.
            if name := given(read(chunk, "name")):
                self._turn.name(call, name)
            # All there is, from servers that send no deltas.
            if text := as_text(read(chunk, field)):
                self._turn.snapshot(call, text)

    def _written(self, stream: "_Stream", chunk: Any, format_: "Format") -> "LiveCall":
        place = stream.place(as_index(read(chunk, "output_index")), given(read(chunk, "item_id")))
        call = stream.lane.owners.get(place)
        if call is None:  # the item was never announced: its name and id come with its done event
            id_ = given(read(chunk, "call_id"))  # in Realtime each event has it
            call = self._turn.call(stream.lane, place, id_, None, format=format_)
        return call

    def _item(self, stream: "_Stream", item: Any, index: int | None, *, done: bool) -> None:
        kind = as_text(read(item, "type"))
        if kind not in _ITEMS and not kind.endswith("_call"):
            return
        field, format_, server_side = _ITEMS.get(kind, ("arguments", "paths", True))
        if isinstance(read(item, "arguments"), str):
            field, format_ = "arguments", "json"  # xAI sends even its searches so
        item_id = given(read(item, "id"))
        call = self._turn.call(
            stream.lane,
            stream.place(index, item_id),
            given(read(item, "call_id")) or item_id,
            given(read(item, "name")) or (None if format_ != "paths" and not server_side else kind),
            blank=not read(item, field),
            format=format_,
            server_side=server_side or _in_container(item),
            trust_index=done,  # the call_id of some items is another when they are done
        )
        for name in _EXTRA:
            if (value := read(item, name)) is not None:
                call.extra[name] = json_safe(value)
        call.extra["item_id"] = item_id
        if index is not None:
            call.extra["output_index"] = index
        arguments = read(item, field)
        if not done:
            # Some servers put the first arguments here, or all of them.
            if isinstance(arguments, str) and arguments:
                self._turn.seed(call, arguments)
            return
        if isinstance(arguments, str) and arguments:
            self._turn.snapshot(call, arguments)
        elif arguments and not call.over:
            values = json_safe(arguments)
            self._turn.whole(call, values if isinstance(values, dict) else {field: values})
        status = as_text(read(item, "status"))
        self._turn.close(call, status or "done", cut=status == "incomplete")

    def _end(self, stream: "_Stream", response: Any, step: str) -> None:
        stream.ended = True
        status = as_text(read(response, "status")) or step
        # What has not come so far may still be in here, known by its id; or the list is empty.
        for item in as_list(read(response, "output")):
            named = given(read(item, "call_id")) or given(read(item, "id"))
            said = read(item, "status")
            if named and said != "in_progress":
                # To be listed is no close where the response has failed or is cut.
                self._item(stream, item, None, done=said is not None or status == "completed")
        details = read(response, "incomplete_details") or read(response, "status_details")
        reason = as_text(read(details, "reason")) or status
        word = WORDS.get(reason)
        self._turn.finish(stream.lane, reason, word)
        if status == "failed":
            error = read(response, "error") or read(details, "error")  # Realtime: in the details
            self._turn.fail(failure(error), stream.lane)
        self._turn.end(reason, word or Word.NONE, stream.lane)


class _Stream:
    """One response after the other, on a connection of its own or as one of several."""

    def __init__(self, lane: "Lane") -> None:
        self.lane = lane
        self.last = -1
        self.ended = False
        self.places: dict[str | None, int] = {}
        """The index that came with an item_id."""

    def place(self, index: int | None, item_id: str | None) -> int | str | None:
        """Return where a call stands; an item_id stands in where there is no index.

        The index counts: some gateways make up an item_id for every event, others send none.
        """
        if index is None:
            return self.places.get(item_id, item_id)
        self.places.setdefault(item_id, index)
        return index


def _in_container(item: Any) -> bool:
    return as_text(read(read(item, "environment"), "type")).startswith("container")


def tool_result(call: "ToolCall", content: Any, *, is_error: bool = False) -> dict[str, Any]:
    """Return the input item that answers a call, in the type that its item asks for.

    ``content`` is a ``str`` or a list of parts, which have a ``type``; all else is sent as JSON.
    The format has no flag for errors, so an error is sent as ``{"error": content}``.

    >>> from types import SimpleNamespace
    >>> call = SimpleNamespace(id="call_1", name="find", extra={})  # a ToolCall in real life
    >>> tool_result(call, {"height": 3.1})
    {'type': 'function_call_output', 'call_id': 'call_1', 'output': '{"height": 3.1}'}
    """
    kind = call.extra.get("type", "function_call")
    output = content_of(content, str, parts=True, is_error=is_error)
    name = "id" if kind == "local_shell_call" else "call_id"
    return {"type": f"{kind}_output", name: call.id, "output": output}
