"""What is in a line of a stream, as far as it can be read."""

from typing import Any

from fragjson.vendors._reading import decode_sse

__all__ = ["decoded"]


def decoded(line: str) -> Any:
    """Return the JSON in a line, ``None`` if it has none, or is damaged.

    >>> decoded('data: {"type": "ping"}'), decoded('data: {"type'), decoded(": keep-alive")
    ({'type': 'ping'}, None, None)
    """
    try:
        return decode_sse(line)
    except ValueError:
        return None
