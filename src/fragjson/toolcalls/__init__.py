"""The tool-call layer: identity, verdicts and events, the same for every vendor."""

from fragjson.toolcalls.accumulator import Accumulator, Outcome
from fragjson.toolcalls.call import CallNotReadyError, ToolCall, Violation
from fragjson.toolcalls.events import (
    CallAborted,
    CallClosed,
    CallDelta,
    CallStarted,
    FieldClosed,
    FieldDelta,
    FieldStarted,
    SchemaViolation,
    StreamError,
    StreamEvent,
    StreamFailed,
)
from fragjson.toolcalls.verdict import CallStatus, Word

__all__ = [
    "Accumulator",
    "CallAborted",
    "CallClosed",
    "CallDelta",
    "CallNotReadyError",
    "CallStarted",
    "CallStatus",
    "FieldClosed",
    "FieldDelta",
    "FieldStarted",
    "Outcome",
    "SchemaViolation",
    "StreamError",
    "StreamEvent",
    "StreamFailed",
    "ToolCall",
    "Violation",
    "Word",
]
