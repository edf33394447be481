"""One tool call: what a harness sees of it, and the records that outlive the process.

The promise kept here: ``arguments`` can be read only when the call is ``complete``, be it live or
reloaded. Everything else may be read at any time, and may change while the call is ``streaming``.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import fragjson._errors as errors
from fragjson._errors import JSONDecodeError
from fragjson._showing import visible
from fragjson.paths import path_text
from fragjson.toolcalls.verdict import CallStatus

if TYPE_CHECKING:
    from fragjson._types import Path

__all__ = [
    "CallNotReadyError", "Key", "Timing", "ToolCall", "Violation", "copied", "shown_name",
]  # fmt: skip

Model = TypeVar("Model")
Key: TypeAlias = tuple[str, str | int | None, str]
"""Response, lane and id: what a call is known by wherever it comes again."""

_ERROR_FIELDS = ("msg", "doc", "doc_start", "pos", "lineno", "colno", "stopped_at")


class CallNotReadyError(RuntimeError):
    """The arguments of a call were asked for that is not, or not yet, complete."""

    __module__ = "fragjson"


class _Content(Protocol):
    """Where a call has its text and value from: a parser, or a record."""

    @property
    def text(self) -> str | None: ...
    @property
    def shown(self) -> Any: ...

    @property
    def open_path(self) -> "Path | None": ...

    error: JSONDecodeError | None
    notes: list[str]
    duplicates: int


@dataclass(frozen=True, slots=True)
class Violation:
    """What is wrong with a call by the schema of its tool; see the event ``SchemaViolation``."""

    path: "Path"
    message: str
    final: bool


@dataclass(slots=True)
class Timing:
    """When things happened, in seconds of the accumulator's clock; ``None``: not yet."""

    started: float | None = None
    named: float | None = None
    first_delta: float | None = None
    closed: float | None = None


class ToolCall:
    """A call of one tool. Calls are made by an ``Accumulator``, or by ``from_record``.

    Attributes:
        id: the id to answer with; ``None`` if the vendor gave none.
        name: the tool's name; ``None`` until it is known.
        shares_id: the vendor has given the id of a finished call to this one as well.
        index: the vendor's own index, if it has one: to be shown, not to tell calls apart by.
        format: ``"json"``, or ``"text"`` for a tool that takes free text or code.
        server_side: the vendor runs it: shown like any call, never ready to be run here.
        status: see ``CallStatus``. Final once it is not ``streaming``, except that a vendor can
            take back a finished call (``aborted``).
        reason: why it ended, in the vendor's word; ``eof`` where there was none.
        extra: what the vendor wants back or the user may need: ``type``, ``thought_signature``,
            ``item_id``, ``caller`` and the like, as JSON-safe values.
        timing: when it was first seen, when its name came, its first argument text, its verdict.
        violations: what is wrong with it by the schema of its tool, where there is one to check
            it against: while it streams what has been told, once it is ``invalid`` all there is.

    >>> from fragjson.toolcalls import Accumulator
    >>> accumulator = Accumulator("gemini")
    >>> parts = [{"functionCall": {"name": "find", "args": {"query": "tides"}}}]
    >>> _ = accumulator.feed({"candidates": [{"content": {"parts": parts}}]})
    >>> (call,) = accumulator.calls
    >>> call.partial
    {'query': 'tides'}
    >>> call.arguments  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fragjson.CallNotReadyError: the call of find is streaming...
    >>> _ = accumulator.feed({"candidates": [{"finishReason": "STOP"}]})
    >>> call, call.arguments
    (<ToolCall find id=None complete>, {'query': 'tides'})
    """

    __slots__ = (
        "__weakref__", "_content", "_key", "_value", "extra", "format", "id", "index", "name",
        "reason", "server_side", "shares_id", "status", "timing", "violations",
    )  # fmt: skip

    def __init__(
        self,
        content: _Content,
        key: Key,
        id: str | None,  # noqa: A002
        index: int | None,
        format: Literal["json", "text"],  # noqa: A002
        server_side: bool,
    ) -> None:
        self._content = content
        self._key = key
        self._value: Any = None
        self.id = id
        self.shares_id = False
        self.name: str | None = None
        self.index = index
        self.format = format
        self.server_side = server_side
        self.status = CallStatus.STREAMING
        self.reason: str | None = None
        self.extra: dict[str, Any] = {}
        self.timing = Timing()
        self.violations: list[Violation] = []

    def __repr__(self) -> str:
        return f"<ToolCall {shown_name(self)} id={self.id!r} {self.status}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by record: the call as it is now, which does not go on growing.

        So one that was streaming is ``aborted`` in its copy.
        """
        return ToolCall.from_record, (self.to_record(),)

    @property
    def key(self) -> Key:
        """``(response, lane, id)``: the same for the same call in a replayed stream.

        For a call without an id, or with one that was another call's before, its place in the
        response stands in. Where the vendor sends no response id, the key is only as unique as the
        call's own id.
        """
        response, lane, place = self._key
        return response, lane, place if self.id is None or self.shares_id else self.id

    @property
    def arguments(self) -> Any:
        """The final arguments: the value of the JSON, or the text of a text call.

        Raises:
            CallNotReadyError: the call is not ``complete``; see ``partial`` and ``text`` instead.
        """
        if self.status is not CallStatus.COMPLETE:
            why = f" ({visible(wrong)})" if (wrong := self._what_is_wrong()) else ""
            raise CallNotReadyError(
                f"the call of {shown_name(self)} is {self.status}{why}: it has no final arguments"
            )
        return self._value

    @property
    def partial(self) -> Any:
        """The best-effort value, for display only; ``None`` while nothing is certain.

        The live one: it grows in place while the call streams, and is not to be changed.
        """
        return self._content.shown.value

    def partial_as(self, model: "type[Model]") -> "Model":
        """Return the arguments so far as a pydantic model.

        Fields that have not come are unset (``model_fields_set`` has those that have); they have
        their default, if there is one. What has been finished is validated as always. What is
        still open is in it as far as it is certain: strings that may be what they are so far,
        lists and models with what they hold already. The model's own validators run when the value
        they belong to is finished.

        Costs a validation of all there is.

        Raises:
            pydantic.ValidationError: something that is finished is not what the model wants. A
                value that is merely unfinished never is an error.
            TypeError: it is no pydantic model.
            ValueError: the call is of free text.
            ImportError: pydantic is not installed.

        >>> from pydantic import BaseModel
        >>> from fragjson.toolcalls import Accumulator
        >>> class Search(BaseModel):
        ...     query: str
        ...     limit: int
        >>> accumulator = Accumulator("anthropic")
        >>> block = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}
        >>> start = {"type": "content_block_start", "index": 0, "content_block": block}
        >>> delta = {"type": "input_json_delta", "partial_json": '{"query": "tides in Os'}
        >>> for chunk in (start, {"type": "content_block_delta", "index": 0, "delta": delta}):
        ...     _ = accumulator.feed(chunk)
        >>> search = accumulator.calls[0].partial_as(Search)
        >>> search.query, search.model_fields_set
        ('tides in Os', {'query'})
        """
        if self.format == "text":
            raise ValueError("the arguments of this call are free text")
        if self.status is CallStatus.COMPLETE:
            return _partial_model(model, self._value, None)
        whole = self.status is CallStatus.UNCONFIRMED
        return _partial_model(model, self.partial, None if whole else self._content.open_path)

    @property
    def text(self) -> str | None:
        """The argument text as received; ``None`` from a vendor that sends objects.

        Joined when it is asked for, at the cost of all of the text: read it at the end, and
        follow ``CallDelta`` meanwhile. While the call streams, only in the thread that feeds.
        """
        return self._content.text

    @property
    def error(self) -> JSONDecodeError | None:
        """What is wrong with the arguments, and where: set as soon as it is known."""
        return self._content.error

    @property
    def notes(self) -> list[str]:
        """What was out of the ordinary and yet did not decide the verdict, in words."""
        return self._content.notes

    @property
    def duplicates(self) -> int:
        """How many times the vendor sent the whole call again."""
        return self._content.duplicates

    def _what_is_wrong(self) -> str:
        """Return the first thing there is to be said, ``""`` for nothing."""
        if self.violations:
            return f"{_place(self.violations[0].path)}{self.violations[0].message}"
        return str(self.error or "")

    def correction(self) -> str:
        """Say to the model what is wrong with its arguments: what, where, the text around it.

        Names every violation of the schema, also for a call that was aborted because of one.
        Meant as the content of a tool result with ``is_error=True``.

        Raises:
            ValueError: the call is ``complete`` or still ``streaming``; nothing is wrong.

        >>> from fragjson.toolcalls import Accumulator
        >>> accumulator = Accumulator("openai_chat")
        >>> entry = {"index": 0, "id": "c1", "function": {"name": "find", "arguments": "{'query'"}}
        >>> choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": "stop"}
        >>> _ = accumulator.feed({"choices": [choice]})
        >>> print(accumulator.calls[0].correction())  # doctest: +NORMALIZE_WHITESPACE
        The call of find was not run. Its arguments are not valid JSON: Expecting property name
        enclosed in double quotes: line 1 column 2 (char 1). The text there, with >>> before the
        fault: {>>>'query' If it is still needed, send the whole arguments as valid JSON.
        """
        if self.status in (CallStatus.COMPLETE, CallStatus.STREAMING):
            raise ValueError(f"there is nothing to correct: the call is {self.status}")
        error = self.error
        why = []
        if self.violations:
            faults = [f"{_place(each.path)}{each.message}" for each in self.violations]
            why.append(f"It is not what the tool takes: {'; '.join(faults)}.")
        if self.status is CallStatus.INVALID and isinstance(error, errors.LimitExceededError):
            why.append(f"Its arguments are beyond what is taken: {error}.")
        elif self.status is CallStatus.INVALID and error is not None:
            around = _context(self.text, error.pos)
            why.append(f"Its arguments are not valid JSON: {error}.{around}")
        elif self.status is CallStatus.INCOMPLETE and self.name is None:
            why.append("It does not name a tool.")
        elif self.status is CallStatus.INCOMPLETE:
            cut = "Its arguments were cut off before they were finished"
            why.append(f"{cut if error is not None else 'It was not finished'} ({self.reason}).")
        elif not why:
            why.append(f"It was not finished ({self.reason}).")
        wanted = "the whole text" if self.format == "text" else "the whole arguments as valid JSON"
        again = f"If it is still needed, send {wanted}."
        what = "A call" if self.name is None else f"The call of {self.name}"
        return " ".join([f"{what} was not run.", *why, again])

    def to_record(self) -> dict[str, Any]:
        """Return the call as it is now, as JSON-safe values of its own; see ``from_record``.

        NaN and infinite numbers are in it as ``json`` writes them; other readers may not take them.
        Costs a copy of the text and of the value's containers.
        """
        record: dict[str, Any] = {
            "id": self.id,
            "name": self.name,
            "index": self.index,
            "key": list(self.key),
            "format": self.format,
            "server_side": self.server_side,
            "status": str(self.status),
            "reason": self.reason,
            "text": self.text,
            "partial": copied(self.partial),
            "error": _error_record(self.error),
            "notes": list(self.notes),
            "duplicates": self.duplicates,
            "extra": copied(self.extra),
            "timing": asdict(self.timing),
            "violations": [{**asdict(each), "path": list(each.path)} for each in self.violations],
        }
        if self.status is CallStatus.COMPLETE:
            record["arguments"] = copied(self._value)
        return record

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "ToolCall":
        """Return the call a record tells of. Only what was complete is ready to be run.

        A call that was still streaming cannot go on: it comes back ``aborted``.

        Raises:
            ValueError: it is no such record.

        >>> from fragjson.toolcalls import Accumulator
        >>> accumulator = Accumulator("gemini")
        >>> parts = [{"functionCall": {"name": "find", "args": {"query": "tides"}}}]
        >>> _ = accumulator.feed({"candidates": [{"content": {"parts": parts}}]})
        >>> _ = accumulator.abort("the user has left")
        >>> ToolCall.from_record(accumulator.calls[0].to_record())
        <ToolCall find id=None aborted>
        """
        if not isinstance(record, Mapping):
            raise ValueError(f"not the record of a call: {type(record).__name__}")
        try:
            content = _Recorded(
                record["text"],
                record["partial"],
                _restored_error(record["error"]),
                list(record["notes"]),
                record["duplicates"],
            )
            response, lane, last = record["key"]
            call = cls(
                content,
                (response, lane, last),
                record["id"],
                record["index"],
                record["format"],
                record["server_side"],
            )
            call.shares_id = call.id is not None and last != call.id
            call.name = record["name"]
            call.status = CallStatus(record["status"])
            call.reason = record["reason"]
            call.extra = dict(record["extra"])
            call.timing = Timing(**record["timing"])
            call.violations = [
                Violation(tuple(each["path"]), each["message"], each["final"])
                for each in record["violations"]
            ]
            if call.status is CallStatus.COMPLETE:
                call._value = record["arguments"]
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"not the record of a call: {error!r}") from error
        if call.status is CallStatus.STREAMING:
            call.status, call.reason = CallStatus.ABORTED, "reloaded"
        return call


@dataclass(slots=True)
class _Recorded:
    """The content of a reloaded call."""

    text: str | None
    value: Any
    error: JSONDecodeError | None
    notes: list[str]
    duplicates: int

    @property
    def shown(self) -> "_Recorded":
        return self

    @property
    def open_path(self) -> "Path":
        """What came last: nothing tells whether it was finished."""
        path: list[Any] = []
        value = self.value
        while isinstance(value, dict | list) and value:
            path.append(next(reversed(value)) if isinstance(value, dict) else len(value) - 1)
            value = value[path[-1]]
        return tuple(path)


def shown_name(call: ToolCall) -> str:
    """Return the name of a call as it can be shown: the model has written it."""
    return "None" if call.name is None else visible(call.name)


def _partial_model(model: type[Model], value: Any, open_path: "Path | None") -> Model:
    module = import_module("fragjson.toolcalls.schema.partial_models")  # loaded on first use
    shown: Model = module.partial_model(model, value, open_path)
    return shown


def _context(text: str | None, at: int) -> str:
    if text is None:
        return ""
    before, after = errors.around(text, at)
    return f" The text there, with >>> before the fault: {before}>>>{after}"


def _place(path: "Path") -> str:
    """Where it is, for what is not wrong as a whole."""
    return f"{path_text(path)}: " if path else ""


def copied(value: Any) -> Any:
    """Copy the containers of a JSON value, however deep, without recursion."""
    top: list[Any] = [value]
    todo: list[tuple[Any, Any]] = [(top, 0)]
    while todo:
        parent, key = todo.pop()
        value = parent[key]
        if isinstance(value, dict):
            parent[key] = copy = dict(value)
            todo.extend((copy, name) for name in copy)
        elif isinstance(value, list):
            parent[key] = items = list(value)
            todo.extend((items, index) for index in range(len(items)))
    return top[0]


def _error_record(error: JSONDecodeError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    fields = {name: getattr(error, name) for name in _ERROR_FIELDS}
    return {"type": type(error).__name__, **fields, "path": list(error.path)}


def _restored_error(record: Mapping[str, Any] | None) -> JSONDecodeError | None:
    if record is None:
        return None
    if record["type"] not in errors.__all__:
        raise ValueError(f"unknown kind of error {record['type']!r}")
    kind: type[JSONDecodeError] = getattr(errors, record["type"])
    fields = {name: record[name] for name in _ERROR_FIELDS}
    return kind(**fields, path=tuple(record["path"]))
