"""Parse JSON while it arrives, fragment by fragment.

``Parser`` takes fragments and gives the live value and events, ``loads`` is ``json.loads`` for
buffers that may be cut, ``Accumulator`` gathers tool calls from any vendor's stream.
"""

from fragjson import vendors
from fragjson._engine import Event, Parser, loads
from fragjson._errors import (
    IncompleteJSONError,
    JSONDecodeError,
    LimitExceededError,
    MalformedJSONError,
)
from fragjson._iterate import aiterparse, iterparse
from fragjson._types import Allow, EventKind, JSONType, Status
from fragjson.toolcalls import Accumulator, CallNotReadyError, CallStatus, ToolCall

__all__ = [
    "Accumulator",
    "Allow",
    "CallNotReadyError",
    "CallStatus",
    "Event",
    "EventKind",
    "IncompleteJSONError",
    "JSONDecodeError",
    "JSONType",
    "LimitExceededError",
    "MalformedJSONError",
    "Parser",
    "Status",
    "ToolCall",
    "aiterparse",
    "iterparse",
    "loads",
    "vendors",
]

__version__ = "0.1.0"  # the one place: pyproject.toml reads it here
