"""The HTTP server of a mock provider: takes requests, plays answers, notes what came of them.

All of it ends when it is told to: the thread that accepts connections is woken by a connection,
those that serve one by its shutdown, so that nothing has to be polled.
"""

import contextlib
import json
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import Event, Thread
from typing import Any, Literal, TypeAlias

from fragjson.testing.playback import Playback, Refusal, Step

__all__ = ["Ending", "SeenRequest", "Server"]

Ending: TypeAlias = Literal["whole", "broken", "refused", "left", "stopped", "failed"]
"""How an answer ended: sent whole, broken off as its ``Playback`` says, refused with an error, the
client has left before its end, the provider was stopped, or it could not be made: the ``cut`` of
the ``Playback`` has raised, which is told on stderr, and the connection closed."""


@dataclass
class SeenRequest:
    """A request, and what came of the answer to it.

    Attributes:
        method, path: as they were sent; the path with its query.
        headers: by their names in lower case.
        body: as it was sent.
        lines_sent: how many lines of the stream have gone out whole.
        ending: how the answer ended; ``None`` while it has not.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    lines_sent: int = 0
    ending: Ending | None = None
    _over: Event = field(default_factory=Event, repr=False)

    @property
    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)

    def wait(self, seconds: float = 10.0) -> Ending:
        """Wait until the answer is over, and return how it ended.

        Raises:
            TimeoutError: it is not over by then.
        """
        if not self._over.wait(seconds) or self.ending is None:
            raise TimeoutError(f"the answer to {self.path} is not over after {seconds} s")
        return self.ending

    def end(self, ending: Ending) -> None:
        """Note how the answer ended, and wake those who wait for it."""
        self.ending = ending
        self._over.set()


class Server(ThreadingMixIn, TCPServer):
    """Listens, with a thread for each connection.

    Args:
        address: host and port.
        answer: called with each request, for the answer to it.
        over: called with each request when the answer is over.

    Attributes:
        address: host and port, as they have come out.
    """

    allow_reuse_address = True
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        answer: Callable[[SeenRequest], Playback | Refusal],
        over: Callable[[SeenRequest], object],
    ) -> None:
        self.answer = answer
        self.over = over
        self.stopping = Event()
        self._connections: set[socket.socket] = set()
        super().__init__(address, _Handler)
        self.address: tuple[str, int] = self.socket.getsockname()
        self._accepting = Thread(target=self._accept, name="MockProvider")

    def start(self) -> None:
        """Begin to accept connections."""
        self._accepting.start()

    def stop(self) -> None:
        """Close everything, and wait for the threads."""
        self.stopping.set()
        if self._accepting.is_alive():
            with contextlib.suppress(OSError):  # it need not be answered, only noticed
                socket.create_connection(self.address).close()
            self._accepting.join()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):  # closed by now
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own."""
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what went wrong in a thread; that clients hang up is not wrong."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def _accept(self) -> None:
        while not self.stopping.is_set():
            self.handle_request()


class _Handler(BaseHTTPRequestHandler):
    """Serves one connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = "MockProvider"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = SeenRequest(self.command, self.path, headers, self._body())
        ending: Ending = "failed"
        try:
            ending = self._answer(seen)
        finally:
            # Whatever happens, those who wait for the end are told of it.
            self.close_connection |= ending in ("left", "stopped")
            seen.end(ending)
            self.server.over(seen)

    do_GET = do_POST  # noqa: N815 - the name is given

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        found = []
        # Who hangs up within it has sent an end, too: the answer will find out.
        while size := int(self.rfile.readline().partition(b";")[0] or b"0", 16):
            found.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # trailers
        return b"".join(found)

    def _answer(self, seen: SeenRequest) -> Ending:
        answer = self.server.answer(seen)
        if isinstance(answer, Playback):
            answer = _objection(seen, answer) or answer
        if isinstance(answer, Playback):
            # The user's ``cut`` runs here: an OSError of its own says nothing of the connection.
            send = partial(self._play, seen, answer, list(answer.steps(self.path)))
        else:
            send = partial(self._refuse, answer)
        try:
            ending = send()
        except OSError:
            ending = "left"
        return "stopped" if ending == "left" and self.server.stopping.is_set() else ending

    def _refuse(self, refusal: Refusal) -> Ending:
        body = json.dumps(refusal.body(self.path)).encode()
        self.send_response(refusal.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in refusal.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        return "refused"

    def _play(self, seen: SeenRequest, playback: Playback, steps: Sequence[Step]) -> Ending:
        breaks = playback.break_at is not None and playback.how != "end"
        end = b"" if breaks or playback.stall is not None else b"0\r\n\r\n"
        self.send_response(200)
        self.send_header("content-type", playback.wire(self.path).content_type)
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for at, step in enumerate(steps, 1):
            if self._left_within(step.pause):
                return "left"
            chunk = b"%x\r\n%b\r\n" % (len(step.piece), step.piece)
            # The end goes with the last piece: clients that leave at the vendor's last word have
            # been sent everything.
            self.wfile.write(chunk + end if at == len(steps) else chunk)
            seen.lines_sent = step.lines
        if not steps:
            self.wfile.write(end)
        if playback.stall is not None:
            self._left_within(None)
            return "left"
        self.close_connection |= breaks
        if breaks and playback.how == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()  # which resets it, since nothing is to linger
        return "whole" if playback.break_at is None else "broken"

    def _left_within(self, seconds: float | None) -> bool:
        """Wait so long, or for as long as it takes; whether the client has left.

        One that has closed its sending half alone counts as having left: without
        writing to it, it cannot be told from one that has closed the connection.
        """
        self.connection.settimeout(seconds)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, TimeoutError):
            return False
        finally:
            self.connection.settimeout(None)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name is given
        pass


def _objection(seen: SeenRequest, playback: Playback) -> Refusal | None:
    """Return what the vendor of the stream would say if it cannot be the answer to the request."""
    wire = playback.wire(seen.path)
    if seen.method != "POST" or not wire.answers(seen.path):
        why = f"{seen.method} {seen.path}: the stream that is played is one for POST ...{wire.path}"
        return playback.refusal(404, why)
    if wire.flagged:
        try:
            flagged = seen.json["stream"] is True
        except (KeyError, TypeError, ValueError):
            flagged = False
        if not flagged:
            why = 'only streams are played: the request has to say "stream": true'
            return playback.refusal(400, why)
    return None
