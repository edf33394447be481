"""Iterate over the values of a source of fragments, plain or asynchronous.

Both functions promise the same: the live value after each chunk that has one; the final one at the
end; and no silence about how the input ended.
"""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, TypeVar

from fragjson._engine import Parser
from fragjson._types import Data, Status

__all__ = ["aiterparse", "iterparse"]

_Source = TypeVar("_Source")


def iterparse(
    chunks: Iterable[Data], multiple_values: bool = False, **options: Any
) -> Iterator[Any]:
    """Yield the live value after each chunk that has one, and at the end the final value.

    Args:
        chunks: fragments as ``Parser.feed`` takes them.
        multiple_values: yield each document as it completes instead, for NDJSON and for documents
            one after another. Positions in errors are those in the whole input.
        options: those of ``Parser``; events have nowhere to go and are refused.

    Raises:
        IncompleteJSONError: the chunks ended too early. What was yielded last stays true.
        MalformedJSONError, LimitExceededError: as ``Parser.feed``.
        ValueError, TypeError: an option or the source is wrong; at once.

    The value is the same object each time, growing in place; see ``Parser.snapshot``.

    >>> for value in iterparse(['{"query": "ra', 'in", "limit": 1', '0}']):
    ...     print(value)
    {'query': 'ra'}
    {'query': 'rain'}
    {'query': 'rain', 'limit': 10}
    {'query': 'rain', 'limit': 10}
    >>> list(iterparse(['{"id": 1}{"i', 'd": 2} 3'], multiple_values=True))
    [{'id': 1}, {'id': 2}, 3]
    """
    return _values(_new_parser(options), _checked(chunks, "__iter__"), multiple_values)


def aiterparse(
    chunks: AsyncIterable[Data], multiple_values: bool = False, **options: Any
) -> AsyncIterator[Any]:
    """Do as ``iterparse``, over an asynchronous source.

    >>> import asyncio
    >>> async def main():
    ...     async def source():
    ...         yield '["a'
    ...         yield 'b"]'
    ...     async for value in aiterparse(source()):
    ...         print(value)
    >>> asyncio.run(main())
    ['a']
    ['ab']
    ['ab']
    """
    return _async_values(_new_parser(options), _checked(chunks, "__aiter__"), multiple_values)


def _values(parser: Parser, chunks: Iterable[Data], multiple_values: bool) -> Iterator[Any]:
    if multiple_values:
        for chunk in chunks:
            yield from _documents(parser, chunk)
        if parser._has_begun():
            yield parser.close()
    else:
        for chunk in chunks:
            parser.feed(chunk)
            if parser.status is not Status.EMPTY:
                yield parser.value
        yield parser.close()


async def _async_values(
    parser: Parser, chunks: AsyncIterable[Data], multiple_values: bool
) -> AsyncIterator[Any]:
    if multiple_values:
        async for chunk in chunks:
            for value in _documents(parser, chunk):
                yield value
        if parser._has_begun():
            yield parser.close()
    else:
        async for chunk in chunks:
            parser.feed(chunk)
            if parser.status is not Status.EMPTY:
                yield parser.value
        yield parser.close()


def _checked(chunks: _Source, method: str) -> _Source:
    if isinstance(chunks, bytes | bytearray | memoryview) or not hasattr(chunks, method):
        wanted = "an iterable" if method == "__iter__" else "an asynchronous iterable"
        raise TypeError(f"chunks is {wanted} of fragments, not {type(chunks).__name__}")
    return chunks


def _new_parser(options: dict[str, Any]) -> Parser:
    if options.get("events"):
        raise ValueError("events: iterparse yields values; feed a Parser to get events")
    return Parser(**options)


def _documents(parser: Parser, chunk: Data) -> Iterator[Any]:
    """Feed one chunk, yielding each document that it completes."""
    at = 0
    while True:
        at = parser._feed_document(chunk, at)
        if parser.status is not Status.COMPLETE:
            return
        yield parser.value
        parser._next_document()
