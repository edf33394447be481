"""Streams read from files, and fed as a harness would feed them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fragjson.toolcalls import Accumulator
from fragjson.vendors._reading import DONE, decode_sse

__all__ = ["chunks", "read_stream", "replay"]


def read_stream(path: str | Path) -> list[str]:
    """Read a recorded stream, one chunk per line; blank lines are left out."""
    return [line for line in Path(path).read_text("utf-8").splitlines() if line.strip()]


def chunks(stream: Iterable[str]) -> Iterator[Any]:
    """Yield what an SDK would hand on: the JSON of each line, up to ``[DONE]``; no keep-alives.

    Raises:
        JSONDecodeError: a line is not JSON. What came before it has been yielded.

    >>> list(chunks([": keep-alive", 'data: {"a": 1}', "", "[DONE]"]))
    [{'a': 1}]
    """
    for line in stream:
        chunk = decode_sse(line)
        if chunk == DONE:
            return
        if chunk is not None:
            yield chunk


def replay(stream: Iterable[Any], vendor: str = "auto", **options: Any) -> Accumulator:
    """Feed a stream and close the turn; a line that cannot be taken aborts it, as a harness would.

    ``options`` are those of ``Accumulator``.
    """
    accumulator = Accumulator(vendor, **options)
    try:
        for line in stream:
            accumulator.feed(line)
        accumulator.close()
    except ValueError as error:  # a JSONDecodeError is one, too
        accumulator.abort(str(error))
    return accumulator
