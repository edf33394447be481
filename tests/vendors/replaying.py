"""A server that says what was recorded, so that the vendors' SDKs can be run against it."""

import json
import struct
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ReplayServer:
    """Answers every request with what it was given last to say."""

    def __init__(self) -> None:
        self.says(b"", "text/plain")
        replay = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"] or 0))
                self.send_response(200)
                self.send_header("Content-Type", replay.content_type)
                self.end_headers()
                self.wfile.write(replay.body)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def says(self, body: bytes, content_type: str) -> None:
        self.body = body
        self.content_type = content_type

    def serves(self, lines: list[str], *, done: bool) -> None:
        """Say the lines as server-sent events; ``done``: with ``[DONE]`` at their end."""
        parts = []
        for line in lines:
            kind = json.loads(line).get("type")
            parts.append(f"event: {kind}\ndata: {line}\n\n" if kind else f"data: {line}\n\n")
        if done:
            parts.append("data: [DONE]\n\n")
        self.says("".join(parts).encode(), "text/event-stream")

    def serve(self) -> None:
        self._server.serve_forever(poll_interval=0.01)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def aws_event_stream(events: list[dict[str, Any]]) -> bytes:
    """Write events, each under its kind, as messages of Amazon's event streams."""
    return b"".join(_aws_message(kind, event) for each in events for kind, event in each.items())


def _aws_message(kind: str, event: dict[str, Any]) -> bytes:
    sort = "exception" if kind.endswith("Exception") else "event"
    headers = b"".join(
        bytes((len(name),)) + name.encode() + struct.pack("!BH", 7, len(value)) + value.encode()
        for name, value in (
            (f":{sort}-type", kind),
            (":content-type", "application/json"),
            (":message-type", sort),
        )
    )
    payload = json.dumps(event).encode()
    prelude = struct.pack("!II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack("!I", zlib.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack("!I", zlib.crc32(message))
