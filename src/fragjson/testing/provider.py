r"""A provider on this machine, for the vendors' real SDKs: no key, no network, any stream.

A ``MockProvider`` answers requests over HTTP as the vendor would, with a stream that you recorded
or wrote, cut where you say, broken where you say, or with an error. Afterwards it tells what it was
asked, and whether the client has closed the connection.

>>> from urllib.request import Request, urlopen
>>> from fragjson.testing import WRITERS
>>> with MockProvider(WRITERS["anthropic"].write(("find", {"city": "Oslo"}))) as provider:
...     asked = Request(f"{provider.base_url}/v1/messages", b'{"model": "m", "stream": true}')
...     with urlopen(asked) as answer:
...         print(answer.headers["content-type"], answer.readline())
text/event-stream; charset=utf-8 b'event: message_start\n'
>>> provider.requests[0].json["model"]
'm'

It has one thread for the server and one for each connection; all of them, and their sockets, are
gone when the ``with`` block is left.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import TextIO

from fragjson._showing import visible
from fragjson.testing.answering import Ending, SeenRequest, Server
from fragjson.testing.playback import Playback, Refusal, playback_of
from fragjson.testing.replaying import chunks, read_stream
from fragjson.testing.wires import WIRES, vendor_of

__all__ = ["Ending", "MockProvider", "Playback", "Refusal", "SeenRequest", "serve"]

_NOT_OVER_HTTP = {
    "gemini_live": "they come over a WebSocket",
    "openai_realtime": "they come over a WebSocket",
    "langchain": "they are objects inside a program",
    "litellm": "they are objects inside a program: play what its provider has sent",
}
"""Vendors whose streams no client asks a server for, and how they come instead."""


class MockProvider:
    """Answers the requests of a vendor's SDK, on this machine; a context manager.

    Args:
        answers: one for each request, in order; the last one for all that come after. A stream (a
            list of lines), a ``Playback`` of one, or a ``Refusal``. ``play`` gives it others.
        port: where to listen; 0 is a port that is free.
        over: called with each request when the answer to it is over, in a thread of the provider.

    Attributes:
        base_url: where it is, once it runs: to be given to the SDK. Those of OpenAI take it with
            the ``/v1`` that they are used to as well.
        requests: what it was asked, in order.

    A request for a path that the vendor of the stream does not have is answered 404, one that does
    not ask for a stream 400; the message says what is wrong. Nothing is checked beyond that, keys
    and models least of all.

    Raises:
        TypeError, ValueError: an answer is none.
        OSError: the port is not free; raised by the ``with`` block; ``filename`` names it.
    """

    def __init__(
        self,
        *answers: Sequence[str] | Playback | Refusal,
        port: int = 0,
        over: Callable[[SeenRequest], object] = lambda request: None,
    ) -> None:
        self._lock = Lock()
        self.play(*answers or [Refusal(503, "there is nothing to play")])
        self._port, self._over = port, over

    def play(self, *answers: Sequence[str] | Playback | Refusal) -> None:
        """Answer with these from now on, and forget what was asked before.

        Raises:
            TypeError, ValueError: an answer is none, or there is none.
        """
        if not answers:
            raise ValueError("answers: there is none")
        playable = [playback_of(answer) for answer in answers]
        with self._lock:
            self._answers = playable
            self.requests: list[SeenRequest] = []

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which the SDKs find it that its streams are for.

        >>> from fragjson.testing import WRITERS
        >>> with MockProvider(WRITERS["gemini"].write(("find", {}))) as provider:
        ...     sorted(provider.environment)
        ['GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL']
        """
        return {
            name: value.format(url=self.base_url)
            for answer in self._answers
            if isinstance(answer, Playback)
            for name, value in answer.wire("").environment.items()
        }

    def __enter__(self) -> "MockProvider":
        try:
            self._server = Server(("127.0.0.1", self._port), self._answer, self._over)
        except OSError as error:
            error.filename = f"port {self._port}"  # what could not be had, as for a file
            raise
        self.base_url = f"http://127.0.0.1:{self._server.address[1]}"
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.stop()

    def _answer(self, request: SeenRequest) -> Playback | Refusal:
        with self._lock:
            self.requests.append(request)
            return self._answers[min(len(self.requests), len(self._answers)) - 1]


def serve(
    file: str | Path,
    vendor: str = "auto",
    *,
    port: int = 0,
    speed: float = 30.0,
    out: TextIO | None = None,
) -> None:
    """Play a recorded stream to whoever asks, until interrupted.

    Prints where it is, the variables to set so that the vendor's SDK finds it, if it goes by any,
    and then a line for each request.

    Args:
        file: the stream, as ``read_stream`` reads it.
        vendor: whose it is; ``auto``: the stream tells.
        port: where to listen; 0 is a port that is free.
        speed: lines a second; 0 is without pauses.
        out: where to print, instead of standard output.

    Raises:
        ValueError: the vendor is unknown, or no line of the stream tells it; nobody gets its
            streams over HTTP; its first line is no chunk; or the speed is less than nothing.
        OSError: the file cannot be read, or the port is not free; ``filename`` names which.
    """
    if not speed >= 0:
        raise ValueError(f"speed: {speed} is less than nothing")
    stream = read_stream(file)
    whose = _whose(stream, vendor)
    playback = Playback(stream, vendor=whose, pause=1 / speed if speed else 0.0)

    def say(text: str) -> None:
        print(visible(text), file=out or sys.stdout, flush=True)

    def told(request: SeenRequest) -> None:
        sent = f"{request.lines_sent} of {len(stream)} lines"
        say(f"{request.method} {request.path}: {request.ending}, {sent}")

    with MockProvider(playback, port=port, over=told) as provider:
        try:
            say(f"{file} is played at {provider.base_url}, until interrupted (Ctrl-C)")
            for name, value in provider.environment.items():
                say(f"export {name}={value}")
            if not provider.environment:
                say(f"no variable leads a client for {whose} there: give it that address")
            if whose not in WIRES:
                say("whatever is asked for, the answer is the stream, as server-sent events")
            while True:
                # Not one wait for ever: Windows would not let that one be interrupted.
                time.sleep(1.0)
        except KeyboardInterrupt:
            say("stopped")


def _whose(stream: Sequence[str], vendor: str) -> str:
    """Return whose a stream is.

    Raises:
        ValueError: it cannot be played so that a client would know it.
    """
    whose = vendor_of(stream) if vendor == "auto" else vendor
    if whose is None:
        raise ValueError("no line in it is a chunk that a vendor is known to send")
    if whose in _NOT_OVER_HTTP:
        raise ValueError(f"streams of {whose} are not played: {_NOT_OVER_HTTP[whose]}")
    try:
        first = next(chunks(stream), None)
    except ValueError as error:
        raise ValueError(f"its first line is no chunk: {error}") from error
    if whose in WIRES and not isinstance(first, dict):
        raise ValueError("its first line is no chunk, of which there has to be one on each")
    return whose
