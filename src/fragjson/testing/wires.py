"""How each vendor's streams travel over HTTP: paths, content types, framing, and bodies of errors.

What a ``MockProvider`` has to know of a vendor beyond the lines of its streams.
"""

import json
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fragjson import vendors
from fragjson.testing.lines import decoded

__all__ = ["WIRES", "Wire", "vendor_of", "wire_at"]


def _cohere_error(status: int, message: str) -> Any:
    return {"message": message}


def _mistral_error(status: int, message: str) -> Any:
    kind = "internal_server_error" if status >= 500 else "invalid_request_error"
    kind, code = ("rate_limited", "1300") if status == 429 else (kind, None)
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def _openai_error(status: int, message: str) -> Any:
    kind = "server_error" if status >= 500 else "invalid_request_error"
    kind, code = ("tokens", "rate_limit_exceeded") if status == 429 else (kind, None)
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _groq_error(status: int, message: str) -> Any:
    if status == 429:
        return {"error": {"message": message, "type": "tokens", "code": "rate_limit_exceeded"}}
    kind = "internal_server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind}}


def _anthropic_error(status: int, message: str) -> Any:
    kinds = {
        401: "authentication_error", 403: "permission_error", 404: "not_found_error",
        413: "request_too_large", 429: "rate_limit_error", 529: "overloaded_error",
    }  # fmt: skip
    kind = kinds.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _google_error(status: int, message: str) -> Any:
    words = {
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
        404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
    }  # fmt: skip
    word = words.get(status, "UNKNOWN")
    return {"error": {"code": status, "message": message, "status": word}}


def _amazon_error(status: int, message: str) -> Any:
    kinds = {429: "ThrottlingException", 500: "InternalServerException"}
    return {"__type": kinds.get(status, "ValidationException"), "message": message}


def _ollama_error(status: int, message: str) -> Any:
    return {"error": message}


def _sse(line: str, kind: str | None) -> bytes:
    """Write a line as a server-sent event, named by this member; one that is sent as it is, so."""
    if line.startswith(("event:", "id:", "retry:")) or not line:
        return f"{line}\n".encode()
    if line.startswith(("data:", ":")):
        return f"{line}\n\n".encode()
    name = _chunk(line).get(kind) if kind else None
    return f"event: {name}\ndata: {line}\n\n".encode() if name else f"data: {line}\n\n".encode()


def _json_line(line: str, kind: str | None) -> bytes:
    return f"{line}\n".encode()


def _aws_messages(line: str, kind: str | None) -> bytes:
    """Write the events of a line, each under its kind, as messages of Amazon's event streams."""
    events = json.loads(line)
    if not isinstance(events, dict):
        raise ValueError("it is no object of events by their kinds")
    return b"".join(_aws_message(kind, event) for kind, event in events.items())


def _aws_message(kind: str, event: Any) -> bytes:
    sort = "exception" if kind.endswith("Exception") else "event"
    headers = b"".join(
        bytes((len(name),)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in (
            (f":{sort}-type", kind),
            (":content-type", "application/json"),
            (":message-type", sort),
        )
    )
    payload = json.dumps(event).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack("!I", zlib.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack("!I", zlib.crc32(message))


@dataclass(frozen=True, slots=True)
class Wire:
    """How one vendor's streams travel.

    Attributes:
        path: what the path of a request for a stream ends with, as a regular expression.
        kind: the member of a chunk that names its server-sent event; ``None``: they have no names.
        flagged: requests for a stream say ``"stream": true``, others do not want one.
        content_type: of the answer.
        frame: writes a line of a stream, given that line and ``kind``.
        error: gives the body of an error, for its status and message.
        environment: the variables by which the vendor's SDK finds a server and its key, with
            ``{url}`` for the address.
    """

    path: str
    kind: str | None = None
    flagged: bool = True
    content_type: str = "text/event-stream; charset=utf-8"
    frame: Callable[[str, str | None], bytes] = _sse
    error: Callable[[int, str], Any] = _openai_error
    environment: Mapping[str, str] = field(default_factory=dict)

    def body(self, stream: Iterable[str]) -> list[bytes]:
        """Return the bytes of each line of a stream.

        Raises:
            ValueError: a line cannot be sent so; the message has its number.
        """
        frames = []
        for number, line in enumerate(stream, 1):
            try:
                frames.append(self.frame(line, self.kind))
            except ValueError as error:
                raise ValueError(f"stream: line {number} cannot be framed: {error}") from error
        return frames

    def answers(self, path: str) -> bool:
        """Whether a request for this path asks for such a stream."""
        return self._found_in(path) is not None

    def known_of(self, path: str) -> int:
        """Return how much of the path of a request it knows."""
        found = self._found_in(path)
        return len(found[0]) if found else 0

    def _found_in(self, path: str) -> re.Match[str] | None:
        return re.search(f"{self.path}$", path.partition("?")[0])


_OPENAI = {"OPENAI_BASE_URL": "{url}/v1", "OPENAI_API_KEY": "none"}

WIRES = {
    "openai_chat": Wire("/chat/completions", environment=_OPENAI),
    "openai_responses": Wire("/responses", "type", environment=_OPENAI),
    "anthropic": Wire(
        "/messages", "type", error=_anthropic_error,
        environment={"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "none"},
    ),
    "gemini": Wire(
        ":streamGenerateContent", flagged=False, error=_google_error,
        environment={"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "none"},
    ),
    "gemini_interactions": Wire(
        "/interactions", "event_type", error=_google_error,
        environment={"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "none"},
    ),
    "groq": Wire(
        "(/openai/v1)?/chat/completions", error=_groq_error,
        environment={"GROQ_BASE_URL": "{url}", "GROQ_API_KEY": "none"},
    ),
    "mistral": Wire("/(chat/completions|conversations)", "type", error=_mistral_error),
    "cohere": Wire(
        "/v[12]/chat", "type", error=_cohere_error,
        environment={"CO_API_URL": "{url}", "CO_API_KEY": "none"},
    ),
    "ollama": Wire(
        "/api/chat", flagged=False, content_type="application/x-ndjson", frame=_json_line,
        error=_ollama_error, environment={"OLLAMA_HOST": "{url}"},
    ),
    "bedrock": Wire(
        "/(converse-stream|invoke-with-response-stream)", flagged=False,
        content_type="application/vnd.amazon.eventstream", frame=_aws_messages,
        error=_amazon_error,
        environment={
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "{url}", "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none", "AWS_DEFAULT_REGION": "eu-north-1",
        },
    ),
}  # fmt: skip
"""By the names of the vendors."""

_ANYWHERE = Wire("", flagged=False)
"""For streams of agents, which have no paths of their own, and of vendors that are registered."""


def vendor_of(stream: Iterable[str]) -> str | None:
    """Return the vendor that a stream can only be of; ``None`` if no line of it tells.

    >>> vendor_of(['data: {"type": "message_start", "message": {}}'])
    'anthropic'
    """
    return next(filter(None, (vendors.detect(_chunk(line)) for line in stream)), None)


def wire_at(path: str, vendor: str | None) -> Wire:
    """Return the wire of a vendor; where it is not known, the one that the path of a request tells.

    That is the one that knows most of it; of two that know the same, the one that is copied.

    >>> wire_at("/v1/messages", None) is WIRES["anthropic"]
    True
    >>> wire_at("/v1/chat/completions", None) is WIRES["openai_chat"]
    True
    """
    if vendor is not None:
        return WIRES.get(vendor, _ANYWHERE)
    best = max(WIRES.values(), key=lambda wire: wire.known_of(path))
    return best if best.known_of(path) else _ANYWHERE


def _chunk(line: str) -> dict[str, Any]:
    """Return the chunk that is in a line; an empty one, if there is none or it is damaged."""
    chunk = decoded(line)
    return chunk if isinstance(chunk, dict) else {}
