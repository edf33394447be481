"""The command line: a module for each command, and what they share.

    replay       watch the calls of a recorded or a running stream
    parse        see how far a cut JSON text goes
    serve        play a recorded stream to a vendor's SDK
    reading      opening inputs; the chunks of a stream, however they were written down
    wording      values, paths and figures in words that are safe to print anywhere
    views        what ``replay`` writes: lines for people, lines for machines
    live         what it draws in a terminal; the only module that needs ``rich``
    rows         what is drawn of each call
    fitting      cutting text to the width of a terminal

A command is a module with ``add(commands)``, which adds its parser to those of ``argparse`` and
sets ``run``: a function that takes the options and returns the exit status. Of these, some mean the
same for every command, and are none of its own: ``_STATUSES``.
"""

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import (
    AbstractContextManager,
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from typing import TextIO

from fragjson import __version__
from fragjson._cli import parse, replay, serve
from fragjson._cli.reading import UnreadableError
from fragjson._showing import visible

__all__ = ["main"]

_COMMANDS = (replay, parse, serve)
_UNREADABLE = 3
_UNWRITABLE = 5
_INTERRUPTED = 130  # as a shell says that SIGINT has ended a program
_UNHEARD = 141  # the same of SIGPIPE
_STATUSES = (
    f"Exit status of every command: 2 wrong usage, {_UNREADABLE} the input cannot be read, "
    f"{_UNWRITABLE} the output cannot be written, {_INTERRUPTED} interrupted (serve, which nothing "
    f"else ends: 0), {_UNHEARD} whoever read the output has stopped reading; others are explained "
    "by COMMAND --help."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    with _open(sys.stdout, redirect_stdout), _open(sys.stderr, redirect_stderr):
        return _run(argv)


@contextmanager
def _open(
    stream: TextIO | None, redirect: Callable[[TextIO], AbstractContextManager[TextIO]]
) -> Iterator[None]:
    """Let what is written to a closed stream go nowhere: ``print`` would find another one for it.

    Who has closed it still gets the status.
    """
    if stream is not None:
        yield
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect(nowhere):
        yield


def _run(argv: Sequence[str] | None) -> int:
    options = _parser().parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the terminal cannot show is written as an escape, which JSON reads back.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except UnreadableError as error:
        _say(str(error))
        return _UNREADABLE
    except OSError as error:  # of output: that of input is an UnreadableError
        # What is left to be written must not fail again, when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return _UNHEARD
        _say(f"the output cannot be written: {error.strerror}")
        return _UNWRITABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fragjson", description="Parse JSON while it arrives.", epilog=_STATUSES
    )
    parser.add_argument("--version", action="version", version=f"fragjson {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(commands)
    return parser


def _say(text: str) -> None:
    with suppress(OSError):  # where this cannot be written either, there is still the status
        print(f"fragjson: {visible(text)}", file=sys.stderr)
