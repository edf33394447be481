"""Reading what the user names: a file or stdin, and the chunks in it, however they were kept.

A chunk is given as soon as its last line is there: nothing waits for a buffer to fill.
"""

import codecs
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from fragjson._engine import Parser
from fragjson._errors import JSONDecodeError
from fragjson._types import Status

__all__ = ["Input", "UnreadableError", "chunks", "opened"]

_DONE = b"[DONE]"
_FIELDS = (b"", b"data", b"event", b"id", b"retry")
"""The fields of server-sent events; the one without a name is a comment."""


class UnreadableError(Exception):
    """The input cannot be read; the message is for the user."""


class Input:
    """What the user has named, open for reading: all that goes wrong is an ``UnreadableError``."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or all; fewer where they end."""
        with _told(self._name):
            return self._file.read(size)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines."""
        while line := self._line():
            yield line

    def _line(self) -> bytes:
        with _told(self._name):
            return self._file.readline()


@contextmanager
def opened(name: str) -> Iterator[Input]:
    """Open a file, or stdin for ``-``.

    Raises:
        UnreadableError: there is no such file, or it is not for us; or later, while it is read.
    """
    if name == "-":
        if sys.stdin is None:
            raise UnreadableError(f"{name}: standard input is closed")
        yield Input(sys.stdin.buffer, name)
        return
    with _told(name):
        file = open(name, "rb")  # noqa: SIM115
    with file:
        yield Input(file, name)


@contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UnreadableError(f"{name}: {error.strerror}") from error


def chunks(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, Any]]:
    r"""Yield the chunks of a stream, each with the number of its first line.

    The lines may be JSON texts, a line each or spread over several; a JSON array of chunks, of
    which each is given when it closes, with the number of its last line; or the body of a
    server-sent stream, with all its fields, with blank lines between the events or without them.

    Raises:
        UnreadableError: it is none of these, or is cut inside a chunk; the message names the line,
            and what it is a line of.

    >>> body = b'event: a\ndata: {"x":\ndata: 1}\n\n: ping\n\ndata: {"x": 2}\r\n\r\ndata: [DONE]\n'
    >>> list(chunks(body.splitlines(keepends=True), "body"))
    [(2, {'x': 1}), (7, {'x': 2}), (9, '[DONE]')]
    >>> list(chunks([b'[{"x": 1}\n', b',\n', b'{"x": 2}]'], "body"))
    [(1, {'x': 1}), (3, {'x': 2})]
    """
    # Items of an array end one by one. Members of an object match, too, and are passed over.
    parser = Parser(events={"end"}, paths="$[*]")
    began, is_event = 0, False
    for number, line in enumerate(lines, start=1):
        data = _data(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)
        if data is None:
            continue
        if not began:
            if not data.strip():
                continue
            if data.strip() == _DONE:
                yield number, _DONE.decode()
                continue
            began, is_event = number, line.startswith(b"data")
        elif is_event and not line.strip():
            data = b""  # the event is over, so it has to be whole
        try:
            yield from _items(parser.feed(data), number)
            if is_event and not data:
                parser.close()
        except JSONDecodeError as error:
            yield from _items(error.events, number)
            raise UnreadableError(f"{name}, line {began}: {error}") from error
        if parser.status is Status.COMPLETE:
            if not isinstance(parser.value, list):
                yield began, parser.value
            parser.reset()
            began = 0
    if began:
        try:
            last = parser.close()
        except JSONDecodeError as error:
            raise UnreadableError(f"{name}, line {began}: {error}") from error
        yield began, last


def _data(line: bytes) -> bytes | None:
    """Return the JSON in a line, ``None`` where its field is not for it."""
    field, colon, rest = line.partition(b":")
    if colon and field in _FIELDS:
        return rest if field == b"data" else None
    return line


def _items(events: Iterable[Any], line: int) -> Iterator[tuple[int, Any]]:
    return ((line, event.value) for event in events if type(event.path[0]) is int)
