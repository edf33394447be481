"""A server that says what was recorded, so that the vendors' SDKs can be run against it."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ReplayServer:
    """Answers every request with the lines given last, as a stream of server-sent events."""

    def __init__(self) -> None:
        self.serves([], done=False)
        replay = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(replay.body())

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def serves(self, lines: list[str], *, done: bool) -> None:
        """Set what is said from now on; ``done``: with ``[DONE]`` at its end."""
        self._lines = lines
        self._done = done

    def body(self) -> bytes:
        parts = []
        for line in self._lines:
            kind = json.loads(line).get("type")
            parts.append(f"event: {kind}\ndata: {line}\n\n" if kind else f"data: {line}\n\n")
        if self._done:
            parts.append("data: [DONE]\n\n")
        return "".join(parts).encode()

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.01)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
