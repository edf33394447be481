"""What do the programs being compared look like? Written as their users write them.

The naive loop keeps every fragment, joins them and parses once: it shows nothing before the end.
"""

import json
from collections.abc import Iterable
from typing import Any

from fragjson import Parser


def naive(pieces: Iterable[str]) -> Any:
    buffer = []
    for piece in pieces:
        buffer.append(piece)  # noqa: PERF402 - they arrive one by one
    return json.loads("".join(buffer))


def naive_bytes(pieces: Iterable[bytes]) -> Any:
    buffer = []
    for piece in pieces:
        buffer.append(piece)  # noqa: PERF402
    return json.loads(b"".join(buffer))


def feed_only(pieces: Iterable[str | bytes]) -> Any:
    parser = Parser()
    for piece in pieces:
        parser.feed(piece)
    return parser.close()


def feed_and_value(pieces: Iterable[str | bytes]) -> Any:
    parser = Parser()
    value = None
    for piece in pieces:
        parser.feed(piece)
        value = parser.value
    parser.close()
    return value


def feed_nothing(pieces: Iterable[str | bytes]) -> Any:
    """Call for every fragment, and give nothing to do: what the calls alone cost."""
    parser = Parser()
    value = None
    for _ in pieces:
        parser.feed("")
        value = parser.value
    return value
