"""``fragjson serve``: a recorded stream, played over HTTP as its vendor would send it.

For the vendors' own SDKs, without a key or a network.
"""

import argparse
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from fragjson import vendors
from fragjson._cli.reading import UnreadableError
from fragjson._cli.wording import speed

__all__ = ["add"]

_PORTS = range(65536)


def add(commands: Any) -> None:
    """Add the command to the parsers of ``argparse``."""
    parser = commands.add_parser(
        "serve",
        help="play a recorded stream to a vendor's SDK",
        description="Answer the requests of a vendor's SDK with a recorded stream, on this "
        "machine, until interrupted. Prints where it is, and the variables to set so that the SDK "
        "finds it, if it goes by any.",
        epilog="Ctrl-C stops it, and so does kill. Not played is what no SDK gets over HTTP "
        "(Realtime and Live APIs, LangChain, LiteLLM). Exit status: 0 interrupted, 3 the stream "
        "cannot be read or played, or the port is not free.",
    )
    parser.add_argument("stream", metavar="STREAM", help="a file with one chunk per line")
    parser.add_argument(
        "--vendor",
        default="auto",
        choices=("auto", *vendors.names()),
        metavar="V",
        help="whose stream it is; auto, the default: the stream tells",
    )
    parser.add_argument(
        "--port", type=_port, default=0, metavar="N", help="where to listen; 0: a free one"
    )
    parser.add_argument(
        "--speed", type=speed, default=30.0, metavar="N", help="lines per second; 0: no pauses"
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    serve = import_module("fragjson.testing.provider").serve  # what the others have no use for
    try:
        with _stoppable():
            serve(options.stream, options.vendor, port=options.port, speed=options.speed)
    except BrokenPipeError:  # that is the output
        raise
    except OSError as error:
        raise UnreadableError(f"{error.filename or options.stream}: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableError(f"{options.stream}: {error}") from error
    return 0


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let both signals interrupt: a shell starts what runs in the background with one ignored."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) not in _PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: they go from 0 to {_PORTS[-1]}")
    return int(text)
