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
sets ``run``: a function that takes the options and returns the exit status. 3 always means that
the input cannot be read, 130 that the user has interrupted.
"""

import argparse
import io
import os
import sys
from collections.abc import Sequence

from fragjson import __version__
from fragjson._cli import parse, replay, serve
from fragjson._cli.reading import UnreadableError
from fragjson._showing import visible

__all__ = ["main"]

_COMMANDS = (replay, parse, serve)
_UNREADABLE = 3
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    parser = argparse.ArgumentParser(prog="fragjson", description="Parse JSON while it arrives.")
    parser.add_argument("--version", action="version", version=f"fragjson {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add(commands)
    options = parser.parse_args(argv)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What the terminal cannot show is written as an escape, which JSON reads back.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _UNREADABLE
    except UnreadableError as error:
        print(f"fragjson: {visible(str(error))}", file=sys.stderr)
        return _UNREADABLE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return status
