"""``fragjson replay``: the calls of a recorded stream, or of one that is still running.

With ``--json`` each event is a line: ``type``, the event's own; ``time``, in seconds since the
beginning; ``call``, the number of the call in order of arrival, from 1; and then

    tool_call_started    ``id``, ``name``, ``format``, ``server_side``
    tool_call_delta      ``text``
    field_started        ``path``, ``json_type``
    field_delta          ``path``, ``value``: the new text
    field_closed         ``path``, ``value``
    schema_violation     ``path``, ``message``, ``final``
    tool_call_closed     ``record``: that of ``ToolCall.to_record()``
    tool_call_aborted    ``reason``, ``record``
    stream_failed        ``message``, ``code``; and no ``call``
    summary              the last line: ``chunks``, ``state`` and ``reason`` of the ``Outcome``,
                         ``figures`` of the turn, ``calls``: name, status and figures of each

All of it is JSON that every reader takes: infinite numbers are ``1e999``, NaN is ``null``.
"""

import argparse
import codecs
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from fragjson import vendors
from fragjson._cli.reading import UnreadableError, chunks, opened
from fragjson._cli.views import JSONView, PlainView, View
from fragjson._cli.wording import MAX_DEPTH, speed
from fragjson.toolcalls import Accumulator, CallStatus, StreamEvent

__all__ = ["add"]

_Chunk = TypeVar("_Chunk")


def add(commands: Any) -> None:
    """Add the command to the parsers of ``argparse``."""
    replay = commands.add_parser(
        "replay",
        help="show the tool calls of a stream as they grow",
        description="Show the tool calls of a stream as they grow: drawn in the terminal if rich "
        "is installed (the extra cli), else a line for each thing that happens.",
        epilog="Exit status: 0 every call is complete, 1 some call is not or the stream failed, "
        "3 the input cannot be read or is no known vendor's, 130 interrupted.",
    )
    replay.add_argument(
        "stream",
        metavar="STREAM",
        help="a file, or - for stdin: chunks as JSON, a line each; a JSON array of them; or the "
        "body of a server-sent stream",
    )
    replay.add_argument(
        "--vendor",
        default="auto",
        choices=("auto", *vendors.names()),
        metavar="V",
        help=f"auto, the default, or one of {', '.join(vendors.names())}",
    )
    replay.add_argument(
        "--speed",
        type=speed,
        default=0.0,
        metavar="N",
        help="chunks per second; 0, the default: as fast as they come",
    )
    replay.add_argument(
        "--tools",
        metavar="FILE",
        help="the tools' definitions as JSON, as the vendor gets them, to check the calls against",
    )
    replay.add_argument(
        "--json",
        action="store_true",
        help="write each event as a line of JSON, for machines, with infinite numbers as 1e999 and "
        "NaN as null",
    )
    replay.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    make_view = _view(as_json=options.json)
    accumulator = _accumulator(options, make_view)
    view = make_view(accumulator)
    stop: BaseException | None = None
    with opened(options.stream) as lines, view:
        try:
            _play(options, lines, accumulator, view)
        except (KeyboardInterrupt, UnreadableError) as error:
            stop = error
            unreadable = isinstance(error, UnreadableError)
            why = "the stream cannot be read" if unreadable else "interrupted"
            view.take(accumulator.abort, why)
    if accumulator.calls or not isinstance(stop, UnreadableError):
        view.finish()
    if stop is not None:
        raise stop
    whole = all(call.status is CallStatus.COMPLETE for call in accumulator.calls)
    return 0 if whole and accumulator.error is None else 1


def _play(
    options: argparse.Namespace, lines: Iterable[bytes], accumulator: Accumulator, view: View
) -> None:
    known = False
    for line, chunk in _paced(chunks(lines, options.stream), options.speed):
        view.take(_told, f"{options.stream}, line {line}", accumulator.feed, chunk)
        view.chunks += 1
        known = known or bool(accumulator.calls) or vendors.detect(chunk) is not None
    if not view.chunks:
        raise UnreadableError(f"{options.stream}: there is nothing in it")
    view.take(_told, options.stream, accumulator.close)
    if not known and accumulator.error is None:
        raise UnreadableError(f"{options.stream}: no vendor is known to send this")


def _told(where: str, step: Callable[..., list[StreamEvent]], *chunk: Any) -> list[StreamEvent]:
    try:
        return step(*chunk)
    except ValueError as error:
        raise UnreadableError(f"{where}: {error}") from error


def _view(*, as_json: bool) -> type[View]:
    """Choose by what reads the output: a terminal that can be drawn on is drawn on."""
    if as_json:
        return JSONView
    terminal = sys.stdout.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
    if terminal and _is_utf8(sys.stdout.encoding) and find_spec("rich") is not None:
        view: type[View] = import_module("fragjson._cli.live").LiveView
        return view
    return PlainView


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name == "utf-8"


def _accumulator(options: argparse.Namespace, view: type[View]) -> Accumulator:
    tools = None
    if options.tools is not None:
        with opened(options.tools) as file:
            try:
                tools = json.load(file)
            except ValueError as error:
                raise UnreadableError(f"{options.tools}: {error}") from error
    try:
        return Accumulator(options.vendor, events=view.events, tools=tools, max_depth=MAX_DEPTH)
    except (ImportError, TypeError, ValueError) as error:
        raise UnreadableError(f"{options.tools}: {error}") from error


def _paced(chunks: Iterable[_Chunk], speed: float) -> Iterator[_Chunk]:
    """Pass the chunks on, each at its time, counted from the first: no delay adds up."""
    begun = 0.0
    for count, chunk in enumerate(chunks):
        if speed and count:
            time.sleep(max(0.0, begun + count / speed - time.monotonic()))
        elif speed:
            begun = time.monotonic()
        yield chunk
