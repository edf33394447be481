"""What an ``Accumulator`` says while the calls of a turn arrive: one small class per event.

Every event has ``.type``, a stable name for logs and wires, and all but ``StreamFailed`` have
``.call``, the live ``ToolCall``. They match by position, the call first:

>>> event = FieldClosed("the call", ("query",), "tides in Oslo")
>>> match event:
...     case FieldClosed(call, ("query",), query):
...         print(query)
tides in Oslo

In the life of one call: ``CallStarted``, then ``CallDelta`` and field events in the order of the
text, with a ``SchemaViolation`` wherever something is proved to be wrong, then exactly one of
``CallClosed`` and ``CallAborted``; only a vendor that takes back a finished call adds a
``CallAborted`` after the ``CallClosed``. A call whose name never comes has no ``CallStarted``.
Those that a fragment can cause are made in the engine: in Python that would take as long as all
else that is done for it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from fragjson._engine import CallDelta, FieldClosed, FieldDelta, FieldStarted

if TYPE_CHECKING:
    from fragjson._types import Path
    from fragjson.toolcalls.call import ToolCall

__all__ = [
    "CallAborted",
    "CallClosed",
    "CallDelta",
    "CallStarted",
    "FieldClosed",
    "FieldDelta",
    "FieldStarted",
    "SchemaViolation",
    "StreamError",
    "StreamEvent",
    "StreamFailed",
]


class StreamError(Exception):
    """A failure of the stream itself, as the vendor reported it inside the stream.

    Attributes:
        message: the vendor's sentence.
        code: the vendor's error code or type, if it gave one.
        payload: what the vendor sent, as it came.

    >>> StreamError("Overloaded", code="overloaded_error")
    StreamError('Overloaded')
    """

    def __init__(self, message: str, *, code: str | None = None, payload: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.payload = payload


@dataclass(slots=True)
class CallStarted:
    """A call has begun and its name is known. Its arguments may still be empty.

    A few servers send the name in pieces: it can grow until the first text of the arguments.
    """

    type: ClassVar[Literal["tool_call_started"]] = "tool_call_started"
    call: "ToolCall"


@dataclass(slots=True)
class SchemaViolation:
    """The call cannot be what the schema of its tool wants, and it is certain already.

    Told once, at the earliest character that proves it, before the field event of the value it is
    about; what only the whole can prove is told before ``CallClosed``. The call goes on streaming:
    whether to abort is up to the program.

    Attributes:
        path: where; the place of a member that is not allowed or is missing, too.
        message: what is wrong, in words fit for the model.
        final: nothing that can still come could mend it. What is wrong inside a member could be
            mended, by the same member coming again: of members with one name the last counts.
            Models hardly ever do that, so there is no need to wait for it.
    """

    type: ClassVar[Literal["schema_violation"]] = "schema_violation"
    call: "ToolCall"
    path: "Path"
    message: str
    final: bool


@dataclass(slots=True)
class CallClosed:
    """The verdict on a call is in: see ``call.status``. Only ``complete`` may be run."""

    type: ClassVar[Literal["tool_call_closed"]] = "tool_call_closed"
    call: "ToolCall"


@dataclass(slots=True)
class CallAborted:
    """The call was in flight when the turn was cancelled, or the vendor has taken it back."""

    type: ClassVar[Literal["tool_call_aborted"]] = "tool_call_aborted"
    call: "ToolCall"
    reason: str


@dataclass(slots=True)
class StreamFailed:
    """The stream itself has failed; the calls it had opened have got their verdicts before."""

    type: ClassVar[Literal["stream_failed"]] = "stream_failed"
    error: StreamError


StreamEvent: TypeAlias = (
    CallStarted
    | CallDelta
    | FieldStarted
    | FieldDelta
    | FieldClosed
    | SchemaViolation
    | CallClosed
    | CallAborted
    | StreamFailed
)
