"""The mock provider: what it says is what it was given, and what it saw is what happened."""

import contextlib
import http.client
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fragjson.testing import WRITERS, fragments, read_stream, replay
from fragjson.testing.provider import MockProvider, Playback, Refusal, SeenRequest, serve
from fragjson.testing.wires import WIRES

CALLS = ("find", {"city": 'Tromsø "😀"'}), ("note", {"lines": ["a", "b\\"]})
STREAM = WRITERS["openai_chat"].write(*CALLS)
FOLDER = Path(__file__).parent / "data" / "streams"

PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/m:streamGenerateContent?alt=sse",
    "gemini_interactions": "/v1beta/interactions",
    "groq": "/openai/v1/chat/completions",
    "mistral": "/v1/chat/completions",
    "mistral_conversations": "/v1/conversations",
    "cohere": "/v2/chat",
    "ollama": "/api/chat",
    "bedrock": "/model/m/converse-stream",
    "bedrock_invoke": "/model/m/invoke-with-response-stream",
}
"""Where the vendors are asked for streams, as their documentation has it."""
OF_NO_SERVER = ("ag_ui", "ag_ui_chunks", "langchain", "vercel_ui")


def body(vendor: str, stream: list[str]) -> bytes:
    return b"".join(WIRES[vendor].body(stream))


@contextlib.contextmanager
def ask(
    provider: MockProvider, path: str = PATHS["openai_chat"], *, method: str = "POST",
    request: Any = b'{"stream": true}',
) -> Iterator[http.client.HTTPResponse]:  # fmt: skip
    address = provider.base_url.removeprefix("http://")
    with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        connection.request(method, path, request)
        with connection.getresponse() as response:
            yield response


def said_twice(provider: MockProvider) -> list[bytes]:
    """Ask twice on one connection."""
    said = []
    address = provider.base_url.removeprefix("http://")
    with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        connection.connect()
        connection.auto_open = 0  # it is not to be opened again
        for model in ("a", "b"):
            text = json.dumps({"model": model, "stream": True})
            connection.request("POST", PATHS["openai_chat"], text, {"X-Key": "none"})
            said.append(connection.getresponse().read())
    return said


# Streams


@pytest.mark.parametrize("name", sorted(PATHS))
def test_each_vendors_stream_is_at_its_path(name: str) -> None:
    writer = WRITERS[name]
    stream = writer.write(*CALLS)
    with MockProvider(stream) as provider, ask(provider, PATHS[name]) as response:
        assert response.status == 200
        assert response.read() == body(writer.vendor, stream)
        content_type = WIRES[writer.vendor].content_type
        assert response.headers["content-type"] == content_type
        assert provider.requests[0].wait() == "whole"
        assert provider.requests[0].lines_sent == len(stream)
    if "event-stream;" in content_type:
        events = body(writer.vendor, stream).decode().split("\n\n")
        found = replay(events, writer.vendor).ready()
        assert [(call.name, call.arguments) for call in found] == list(CALLS)


@pytest.mark.parametrize("name", OF_NO_SERVER)
def test_streams_that_have_no_server_are_at_any_path(name: str) -> None:
    stream = WRITERS[name].write(*CALLS)
    with MockProvider(stream) as provider, ask(provider, "/agent", request=b"") as response:
        assert response.read().decode() == "".join(f"data: {line}\n\n" for line in stream)


def test_events_are_named_where_the_vendor_names_them() -> None:
    for vendor, name in (
        ("anthropic", "message_start"),
        ("openai_responses", "response.created"),
        ("gemini_interactions", "interaction.created"),
        ("cohere", "message-start"),
    ):
        first = WIRES[vendor].body(WRITERS[vendor].write(*CALLS))[0].decode()
        assert first.startswith(f"event: {name}\ndata: {{")
    for vendor in ("openai_chat", "gemini"):
        assert body(vendor, WRITERS[vendor].write(*CALLS)).startswith(b"data: {")


def test_a_saved_body_is_said_as_it_was() -> None:
    saved = body("anthropic", WRITERS["anthropic"].write(*CALLS)).decode() + ": keep-alive\n\n"
    lines = [line for line in saved.splitlines() if line]
    with MockProvider(lines) as provider, ask(provider, PATHS["anthropic"]) as response:
        assert response.read().decode() == saved


@settings(deadline=None, max_examples=40)
@given(st.integers(0), st.integers(1, 60), st.integers(0, 600))
def test_every_cut_and_break_is_of_the_same_body(seed: int, longest: int, at: int) -> None:
    whole = body("openai_chat", STREAM)
    cut = partial(fragments, seed=seed, longest=longest)
    for break_at in (None, min(at, len(whole))):
        playback = Playback(STREAM, cut=cut, break_at=break_at)
        steps = list(playback.steps(PATHS["openai_chat"]))
        assert b"".join(step.piece for step in steps) == whole[:break_at]
        assert [step.piece for step in steps] == [piece for piece in cut(whole[:break_at]) if piece]
        if steps:
            said = b"".join(step.piece for step in steps)
            assert steps[-1].lines == said.count(b"\n\n")


def test_the_client_gets_the_pieces_one_by_one() -> None:
    cut = partial(fragments, seed=7, longest=5)
    pieces = [piece for piece in cut(body("openai_chat", STREAM)) if piece]
    assert any(len(piece) < 5 and not piece.isascii() for piece in pieces)
    with MockProvider(Playback(STREAM, cut=cut)) as provider, ask(provider) as response:
        assert [response.read1() for _ in pieces] == pieces


def test_a_pause_comes_before_its_line() -> None:
    """The third line would come in an hour; the client does not wait for it."""
    pause = [0.0, 0.0, 3600.0] + [0.0] * (len(STREAM) - 3)
    with MockProvider(Playback(STREAM, pause=pause)) as provider:
        with ask(provider) as response:
            response.read(len(body("openai_chat", STREAM[:2])))
        assert provider.requests[0].wait() == "left"
        assert provider.requests[0].lines_sent == 2


# How it ends


def test_a_stall_lasts_until_the_client_leaves() -> None:
    with MockProvider(Playback(STREAM, stall=3)) as provider:
        with ask(provider) as response:
            assert response.read(len(body("openai_chat", STREAM[:3]))).count(b"\n\n") == 3
            with pytest.raises(TimeoutError, match="not over"):
                provider.requests[0].wait(0)
        assert provider.requests[0].wait() == "left"
        assert provider.requests[0].lines_sent == 3


def test_a_stall_ends_with_the_provider() -> None:
    with contextlib.ExitStack() as stack:
        with MockProvider(Playback(STREAM, stall=0)) as provider:
            response = stack.enter_context(ask(provider))
        assert provider.requests[0].wait() == "stopped"
        with pytest.raises(http.client.IncompleteRead):
            response.read()


@pytest.mark.parametrize("at", [0, 1, 100, 10**6])
def test_a_closed_connection_is_an_unfinished_body(at: int) -> None:
    with MockProvider(Playback(STREAM, break_at=at)) as provider, ask(provider) as response:
        with pytest.raises(http.client.IncompleteRead) as raised:
            response.read()
        assert raised.value.partial == body("openai_chat", STREAM)[:at]
        assert provider.requests[0].wait() == "broken"


def test_a_reset_connection_is_an_error() -> None:
    playback = Playback(STREAM, break_at=100, how="reset")
    with (
        MockProvider(playback) as provider,
        ask(provider) as response,
        pytest.raises(ConnectionResetError),
    ):
        response.read()


def test_an_ended_body_looks_whole() -> None:
    """So the connection can be used again."""
    with MockProvider(Playback(STREAM, break_at=100, how="end"), STREAM) as provider:
        assert said_twice(provider) == [
            body("openai_chat", STREAM)[:100],
            body("openai_chat", STREAM),
        ]
        assert [request.wait() for request in provider.requests] == ["broken", "whole"]


# Requests


def test_it_tells_what_it_was_asked() -> None:
    over: list[SeenRequest] = []
    with MockProvider(STREAM, over=over.append) as provider:
        said_twice(provider)
    assert [request.json["model"] for request in provider.requests] == ["a", "b"]
    assert {request.headers["x-key"] for request in provider.requests} == {"none"}
    assert {request.path for request in provider.requests} == {PATHS["openai_chat"]}
    assert over == provider.requests


def test_answers_go_in_order_and_the_last_one_again_and_again() -> None:
    with MockProvider(Refusal(429), Refusal(500, "broken", {"retry-after": "7"}), STREAM) as it:
        found = []
        for _ in range(4):
            with ask(it) as response:
                response.read()
                found.append((response.status, response.headers["retry-after"]))
    assert found == [(429, None), (500, "7"), (200, None), (200, None)]


def test_what_is_played_can_change() -> None:
    with MockProvider() as provider:
        found = []
        for answers in ((), (STREAM,), (Refusal(500), STREAM)):
            if answers:
                provider.play(*answers)
            assert provider.requests == []
            with ask(provider) as response:
                response.read()
                found.append(response.status)
    assert found == [503, 200, 500]


def openai_says(kind: str, code: str | None) -> Any:
    return {"error": {"message": "not now", "type": kind, "param": None, "code": code}}


def google_says(code: int, word: str) -> Any:
    return {"error": {"code": code, "message": "not now", "status": word}}


def mistral_says(kind: str, code: str | None) -> Any:
    return {"object": "error", "message": "not now", "type": kind, "param": None, "code": code}


ERRORS = {
    ("openai_chat", "openai_responses"): {
        400: openai_says("invalid_request_error", None),
        429: openai_says("tokens", "rate_limit_exceeded"),
        500: openai_says("server_error", None),
    },
    ("groq",): {
        400: {"error": {"message": "not now", "type": "invalid_request_error"}},
        429: {"error": {"message": "not now", "type": "tokens", "code": "rate_limit_exceeded"}},
        500: {"error": {"message": "not now", "type": "internal_server_error"}},
    },
    ("anthropic",): {
        429: {"type": "error", "error": {"type": "rate_limit_error", "message": "not now"}},
        500: {"type": "error", "error": {"type": "api_error", "message": "not now"}},
    },
    ("gemini", "gemini_interactions"): {
        429: google_says(429, "RESOURCE_EXHAUSTED"),
        500: google_says(500, "INTERNAL"),
    },
    ("bedrock", "bedrock_invoke"): {
        429: {"__type": "ThrottlingException", "message": "not now"},
        500: {"__type": "InternalServerException", "message": "not now"},
    },
    ("mistral_conversations",): {
        400: mistral_says("invalid_request_error", None),
        429: mistral_says("rate_limited", "1300"),
        500: mistral_says("internal_server_error", None),
    },
    ("cohere",): {status: {"message": "not now"} for status in (400, 429, 500)},
    ("ollama",): {status: {"error": "not now"} for status in (400, 429, 500)},
}
"""The whole body of each."""


def says(provider: MockProvider, path: str, **options: Any) -> tuple[int, Any]:
    with ask(provider, path, **options) as response:
        found = response.status, json.load(response)
    assert provider.requests[-1].wait() == "refused"
    return found


@pytest.mark.parametrize("names", ERRORS, ids=" ".join)
def test_errors_are_in_the_vendors_words(names: tuple[str, ...]) -> None:
    for status, expected in ERRORS[names].items():
        with MockProvider(Refusal(status, "not now")) as provider:
            for name in names:
                assert says(provider, PATHS[name]) == (status, expected)


def test_of_vendors_with_one_path_the_error_is_of_the_one_that_is_named() -> None:
    refusals = [Refusal(500, "not now", vendor=name) for name in ("auto", "groq", "mistral")]
    with MockProvider(*refusals) as provider:
        found = [says(provider, "/v1/chat/completions")[1] for _ in refusals]
    (openai,) = (body[500] for names, body in ERRORS.items() if "openai_chat" in names)
    assert found == [openai, ERRORS["groq",][500], mistral_says("internal_server_error", None)]


@pytest.mark.parametrize("name", sorted(PATHS))
def test_an_objection_is_in_the_words_of_the_vendor_whose_stream_it_is(name: str) -> None:
    """Not of the one who has the path that was asked for."""
    vendor = WRITERS[name].vendor
    wire = WIRES[vendor]
    with MockProvider(Playback(WRITERS[name].write(*CALLS), vendor=vendor)) as provider:
        for path in ("/v1/embeddings", *PATHS.values()):
            if not wire.answers(path):
                status, found = says(provider, path)
                assert status == 404
                assert found == wire.error(404, message_of(found))
                assert f"one for POST ...{wire.path}" in message_of(found)
        if wire.flagged:
            status, found = says(provider, PATHS[name], request=b"{}")
            assert (status, found) == (400, wire.error(400, message_of(found)))


def message_of(body: Any) -> str:
    """Return the message of an error, wherever the vendor has it."""
    inner = body.get("error", body)
    return str(inner if isinstance(inner, str) else inner["message"])


@pytest.mark.parametrize(
    ("path", "method", "request_body", "status", "says"),
    [
        (PATHS["anthropic"], "POST", b'{"stream": true}', 404, "POST .../chat/completions"),
        ("/v1/models", "GET", None, 404, "GET /v1/models"),
        (PATHS["openai_chat"], "POST", b'{"stream": false}', 400, '"stream": true'),
        (PATHS["openai_chat"], "POST", b"no JSON", 400, '"stream": true'),
        (PATHS["openai_chat"], "POST", b"[]", 400, '"stream": true'),
    ],
)
def test_what_cannot_be_answered_is_refused(
    path: str, method: str, request_body: Any, status: int, says: str
) -> None:
    with MockProvider(STREAM) as provider:
        with ask(provider, path, method=method, request=request_body) as response:
            message = json.load(response)["error"]["message"]
        assert (response.status, provider.requests[0].wait()) == (status, "refused")
        assert says in message


def test_a_stream_that_tells_nothing_is_at_every_path() -> None:
    with MockProvider(["[DONE]"]) as provider:
        assert provider.environment == {}
        for path in (PATHS["openai_chat"], "/any"):
            with ask(provider, path) as response:
                assert response.read() == b"data: [DONE]\n\n"


def test_the_environment_is_that_of_its_streams() -> None:
    with MockProvider(STREAM, Refusal(500), WRITERS["anthropic"].write(*CALLS)) as provider:
        assert provider.environment == {
            "OPENAI_BASE_URL": f"{provider.base_url}/v1", "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": provider.base_url, "ANTHROPIC_API_KEY": "none",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MockProvider().play(), "answers: there is none"),
        (lambda: MockProvider("data: {}"), "stream: a list of lines, not str"),
        (lambda: MockProvider(iter(STREAM)), "stream: a list of lines, not list_iterator"),
        (lambda: Playback(STREAM, vendor="acme"), "vendor: 'acme' is none of"),
        (lambda: Refusal(500, vendor="acme"), "vendor: 'acme' is none of"),
        (lambda: Playback(STREAM, how="slam"), "how: 'slam' is none of"),
        (lambda: Playback(STREAM, stall=-1), "stall: -1 is less than nothing"),
        (lambda: Playback(STREAM, break_at=-1), "break_at: -1 is less than nothing"),
        (lambda: Playback(STREAM, stall=1, break_at=1), "stall and break_at"),
        (lambda: Playback(STREAM, pause=[1.0]), "pause: 1 for"),
        (lambda: Playback(["{}", "no"], vendor="bedrock"), "stream: line 2 cannot be framed"),
        (lambda: Playback(["[1]"], vendor="bedrock"), "stream: line 1 cannot be framed: it is no"),
        (lambda: serve("any", speed=-1), "speed: -1 is less than nothing"),
    ],
)
def test_misuse_is_told(make: Any, says: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(says)):
        make()


def chunked(body: bytes) -> bytes:
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    sent = b"".join(b"%x;name=value\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
    return sent + b"0\r\nX-Trailer: 1\r\n\r\n"


def test_a_body_may_come_in_chunks() -> None:
    """And the next request on the connection is where it ends."""
    text = json.dumps({"stream": True, "text": "y" * 40}).encode()
    with MockProvider(STREAM) as provider:
        address = provider.base_url.removeprefix("http://")
        with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as connection:
            for _ in range(2):
                connection.putrequest("POST", PATHS["openai_chat"])
                connection.putheader("Transfer-Encoding", "chunked")
                connection.endheaders(chunked(text))
                with connection.getresponse() as response:
                    assert response.read() == body("openai_chat", STREAM)
        assert [request.body for request in provider.requests] == [text, text]


@pytest.mark.parametrize("error", [ZeroDivisionError, OSError, StopIteration])
def test_what_goes_wrong_in_a_cut_ends_the_answer(
    error: type[Exception], capfd: pytest.CaptureFixture[str]
) -> None:
    def cut(body: bytes) -> list[bytes]:
        raise error("the cut is broken")

    over: list[SeenRequest] = []
    with MockProvider(Playback(STREAM, cut=cut), over=over.append) as provider:
        with pytest.raises(http.client.RemoteDisconnected), ask(provider):
            pass
        assert provider.requests[0].wait() == "failed"
    assert over == provider.requests
    assert "the cut is broken" in capfd.readouterr().err


# What it leaves behind


def test_nothing_is_left_when_the_block_is_left() -> None:
    before = set(threading.enumerate())
    with contextlib.ExitStack() as stack:
        with MockProvider(Playback(STREAM, stall=1)) as provider:
            host, port = provider.base_url.removeprefix("http://").split(":")
            idle = stack.enter_context(socket.create_connection((host, int(port))))
            stack.enter_context(ask(provider))
            assert set(threading.enumerate()) > before
        assert set(threading.enumerate()) == before
        assert idle.recv(1) == b""
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)))


def test_clients_that_hang_up_are_no_news(capfd: pytest.CaptureFixture[str]) -> None:
    with MockProvider(STREAM) as provider:
        host, port = provider.base_url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as rude:
            rude.sendall(b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 9\r\n\r\n{")
            rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert capfd.readouterr().err == ""


def test_what_goes_wrong_in_a_callback_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    def fail(request: SeenRequest) -> None:
        raise RuntimeError("the callback is broken")

    with MockProvider(STREAM, over=fail) as provider, ask(provider) as response:
        response.read()
    assert "the callback is broken" in capfd.readouterr().err


# For people


def test_serving_waits_in_steps_that_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless one cannot be interrupted on Windows."""
    waits: list[float] = []

    def interrupted(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) > 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupted)
    out = io.StringIO()
    serve(FOLDER / "anthropic.jsonl", out=out)
    assert out.getvalue().endswith("stopped\n")
    assert max(waits) <= 1.0


@pytest.fixture
def served() -> Iterator[subprocess.Popen[str]]:
    file = FOLDER / "anthropic.jsonl"
    code = f"from fragjson.testing.provider import serve; serve({str(file)!r}, speed=0)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ) as process:  # fmt: skip
        yield process
        process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals to send")
def test_serving_until_interrupted(served: subprocess.Popen[str]) -> None:
    stream = read_stream(FOLDER / "anthropic.jsonl")
    assert served.stdout is not None
    where, url, key = (served.stdout.readline() for _ in range(3))
    address = url.removeprefix("export ANTHROPIC_BASE_URL=").strip()
    assert address.startswith("http://127.0.0.1:")
    assert address in where
    assert key == "export ANTHROPIC_API_KEY=none\n"
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.request("POST", PATHS["anthropic"], b'{"stream": true}')
    assert connection.getresponse().read() == body("anthropic", stream)
    connection.close()
    sent = f"whole, {len(stream)} of {len(stream)} lines"
    assert served.stdout.readline() == f"POST {PATHS['anthropic']}: {sent}\n"
    served.send_signal(signal.SIGINT)
    assert served.stdout.read() == "stopped\n"
    assert served.wait(10) == 0
