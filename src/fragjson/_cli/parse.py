"""``fragjson parse``: the best-effort value of a JSON text that may be cut, and how far it goes."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from fragjson._cli.fitting import middle
from fragjson._cli.reading import opened
from fragjson._cli.wording import MAX_DEPTH, json_text, path_text, portable
from fragjson._engine import Parser
from fragjson._errors import IncompleteJSONError, JSONDecodeError, LimitExceededError
from fragjson._showing import visible
from fragjson.paths import Node, compile_paths

__all__ = ["add"]

_PIECE = 65536
"""Bytes read at a time."""
_REFUSED = 4
"""The exit status for what no more input could make complete."""
_PATH_WIDTH = 60
"""Cells that the path has, where it stopped."""


def add(commands: Any) -> None:
    """Add the command to the parsers of ``argparse``."""
    parse = commands.add_parser(
        "parse",
        help="show the value of a JSON text that may be cut",
        description="Print the best-effort value as JSON on stdout, its status and where it "
        "stopped on stderr.",
        epilog="What is printed is JSON for every reader: a number beyond the range of a double "
        "is 1e999 or -1e999, and NaN, which JSON does not have, null. "
        f"Exit status: 0 complete, 1 incomplete, {_REFUSED} malformed, or beyond a limit (an "
        "integer longer than Python takes, or nested deeper than "
        f"{MAX_DEPTH}: Python's json could not print it everywhere; fragjson.Parser itself goes to "
        "1000, or as you say), 3 the input cannot be read.",
    )
    parse.add_argument("file", metavar="FILE", nargs="?", default="-", help="- for stdin")
    what = parse.add_mutually_exclusive_group()
    what.add_argument(
        "--path",
        type=_path,
        help="print the values there instead, a line each, as far as they have come: "
        "'$.query', '$.rows[*].id'",
    )
    what.add_argument(
        "--status",
        action="store_true",
        help="print the status only: complete, incomplete, malformed or beyond a limit",
    )
    parse.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    parser = Parser(max_depth=MAX_DEPTH)
    error: JSONDecodeError | None = None
    try:
        with opened(options.file) as source:
            while piece := source.read(_PIECE):
                parser.feed(piece)
        parser.close()
    except JSONDecodeError as stop:
        error = stop
    kind = _kind(error)
    if options.status:
        print(kind)
    else:
        if parser.value is not None or parser.is_complete():
            for value in _matching(options.path, parser.value):
                print(portable(json_text(value)))
        print(kind if error is None else f"{kind}: {_told(error)}", file=sys.stderr)
    return {"complete": 0, "incomplete": 1}.get(kind, _REFUSED)


def _kind(error: JSONDecodeError | None) -> str:
    match error:
        case None:
            return "complete"
        case IncompleteJSONError():
            return "incomplete"
        case LimitExceededError():
            return "beyond a limit"
        case _:
            return "malformed"


def _told(error: JSONDecodeError) -> str:
    where = f"stopped at {error.stopped_at} in {middle(path_text(error.path), _PATH_WIDTH)}"
    shown = f"\n{error.excerpt}" if error.excerpt else ""
    return f"{visible(str(error))}, {where}{shown}"


def _path(path: str) -> Node:
    try:
        return compile_paths(path)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _matching(node: Node | None, value: Any) -> Iterator[Any]:
    """Yield the values where the path leads, in the order of the document; all for no path."""
    if node is None or node.matches:
        yield value
        return
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        if (child := node.step(key)) is not None:
            yield from _matching(child, item)
