"""The command line: watch a recorded stream, or see how far a cut JSON text goes.

``replay`` reads a stream, one chunk per line: JSON, or a server-sent ``data:`` line. It prints, as
they happen, calls starting, fields closing, and calls closing with their arguments. Exit status:
0 if every call is complete, 1 if some call is not or the stream failed, 3 if the input cannot be
read.

``parse`` prints the best-effort value of a text as JSON on stdout, its status and where it stopped
on stderr. Exit status: 0 complete, 1 incomplete, 2 malformed or beyond a limit, 3 the input cannot
be read.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from fragjson import vendors
from fragjson._engine import Parser
from fragjson._errors import IncompleteJSONError, JSONDecodeError, LimitExceededError
from fragjson._types import Path
from fragjson.toolcalls import (
    Accumulator,
    CallAborted,
    CallClosed,
    CallStarted,
    CallStatus,
    FieldClosed,
    StreamEvent,
    StreamFailed,
    ToolCall,
)

__all__ = ["main"]

_UNREADABLE = 3
_MAX_DEPTH = 500
"""Deeper values cannot be printed by the ``json`` of every interpreter."""
_PIECE = 65536
"""Bytes that ``parse`` reads at a time."""


class _UnreadableError(Exception):
    """The input cannot be read; the message is for the user."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    options = _arguments().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the terminal cannot show is written as an escape, which JSON reads back.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _UNREADABLE
    except _UnreadableError as error:
        print(f"fragjson: {error}", file=sys.stderr)
        return _UNREADABLE
    return status


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="fragjson", description="Parse JSON while it arrives.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    replay = commands.add_parser(
        "replay",
        help="show the tool calls of a recorded stream",
        epilog="Exit status: 0 every call is complete, 1 some call is not or the stream failed, "
        "3 the input cannot be read.",
    )
    replay.add_argument("stream", metavar="STREAM", help="one chunk per line; - for stdin")
    replay.add_argument("--vendor", default="auto", choices=("auto", *vendors.names()))
    replay.set_defaults(run=_replay)

    parse = commands.add_parser(
        "parse",
        help="show the value of a JSON text that may be cut",
        epilog="Exit status: 0 complete, 1 incomplete, 2 malformed, or beyond a limit (nested "
        f"deeper than {_MAX_DEPTH}, or a longer integer than Python takes), "
        "3 the input cannot be read.",
    )
    parse.add_argument("file", metavar="FILE", nargs="?", default="-", help="- for stdin")
    parse.set_defaults(run=_parse)
    return parser


def _replay(options: argparse.Namespace) -> int:
    accumulator = Accumulator(options.vendor, max_depth=_MAX_DEPTH)
    with _opened(options.stream) as lines:
        for number, line in enumerate(lines, start=1):
            try:
                events = accumulator.feed(line)
            except ValueError as error:
                raise _UnreadableError(f"{options.stream}, line {number}: {error}") from error
            _show(accumulator.calls, events)
    try:
        events = accumulator.close()
    except ValueError as error:
        raise _UnreadableError(f"{options.stream}: {error}") from error
    _show(accumulator.calls, events)
    whole = all(call.status is CallStatus.COMPLETE for call in accumulator.calls)
    return 0 if whole and accumulator.error is None else 1


def _show(calls: Sequence[ToolCall], events: Sequence[StreamEvent]) -> None:
    for event in events:
        if isinstance(event, StreamFailed):
            print(f"the stream failed: {event.error}", flush=True)
            continue
        label = f"#{calls.index(event.call) + 1}"
        match event:
            case CallStarted(call):
                print(label, call.name, *([f"({call.id})"] if call.id else []), flush=True)
            case FieldClosed(_, path, value):
                print(label, f"{_json_path(path)} = {_json(value)}", flush=True)
            case CallClosed(call) if call.status is CallStatus.COMPLETE:
                print(label, f"complete: {_json(call.arguments)}", flush=True)
            case CallClosed(call) | CallAborted(call):
                why = f"{call.reason}; {call.error}" if call.error else call.reason
                print(label, f"{call.status} ({why}): {_json(call.partial)}", flush=True)


def _parse(options: argparse.Namespace) -> int:
    parser = Parser(max_depth=_MAX_DEPTH)
    error: JSONDecodeError | None = None
    try:
        with _opened(options.file) as source:
            while piece := source.read(_PIECE):
                parser.feed(piece)
        parser.close()
    except JSONDecodeError as stop:
        error = stop
    if parser.value is not None or parser.is_complete():
        print(_json(parser.value))
    if error is None:
        print("complete", file=sys.stderr)
        return 0
    cut = isinstance(error, IncompleteJSONError)
    beyond = isinstance(error, LimitExceededError)
    kind = "incomplete" if cut else "beyond a limit" if beyond else "malformed"
    where = f"stopped at {error.stopped_at} in {_json_path(error.path)}"
    print(f"{kind}: {error}, {where}", file=sys.stderr)
    return 1 if cut else 2


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise _UnreadableError(f"{name}: {error.strerror}") from error
    with file:
        yield file


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_path(path: Path) -> str:
    return "$" + "".join(
        f".{step}" if isinstance(step, str) and step.isidentifier() else f"[{step!r}]"
        for step in path
    )
