"""The tool-call layer: identity, verdicts and events, the same for every vendor."""

from fragjson.toolcalls.accumulator import Accumulator, Outcome
from fragjson.toolcalls.call import CallNotReadyError, Key, ToolCall, Violation
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
from fragjson.toolcalls.turn import Turn
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
    "Key",
    "Outcome",
    "SchemaViolation",
    "StreamError",
    "StreamEvent",
    "StreamFailed",
    "ToolCall",
    "Turn",
    "Violation",
    "Word",
]
