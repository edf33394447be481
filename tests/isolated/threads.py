"""Threads that share parsers, and threads that do not.

    python tests/isolated/threads.py TRIAL SECONDS

The interpreter switches threads every few microseconds. Promised: parsers of their own work in
eight threads as in one; a shared parser raises RuntimeError in all threads but one, and whatever it
comes to is a value that the fragments, fed in some order, can give.
"""

# ruff: noqa: B023, PLW0108 - threads end before the loop goes on

import contextlib
import json
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from fragjson import Accumulator, JSONDecodeError, Parser, Status, iterparse, loads

TRIALS: dict[str, Callable[[float], None]] = {}
TEXT = json.dumps(
    {
        "a": ["bcd" * 9, {"é": "水" * 40, "k": [1, 2.5, None]}],
        "rows": [{"id": n} for n in range(9)],
    },
    ensure_ascii=False,
)
VALUE = json.loads(TEXT)
PIECES = ["[1", ",", "{}", '{"a":', '"b', "]", "}", b"2", TEXT]


def trial(function: Callable[[float], None]) -> Callable[[float], None]:
    TRIALS[function.__name__] = function
    return function


def together(count: int, seconds: float, work: Callable[[random.Random], None]) -> None:
    """Let threads do the same until the time is up; the first exception of any is raised."""
    failures: list[BaseException] = []
    until = time.monotonic() + seconds

    def loop(seed: int) -> None:
        rng = random.Random(seed)
        try:
            while time.monotonic() < until and not failures:
                work(rng)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=loop, args=(seed,)) for seed in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def cut(rng: random.Random) -> list[Any]:
    places = sorted(rng.sample(range(len(TEXT)), 20))
    parts = [TEXT[start:end] for start, end in zip([0, *places], [*places, None], strict=True)]
    return [part if rng.random() < 0.7 else part.encode() for part in parts]


@trial
def eight_threads_of_their_own(seconds: float) -> None:
    def work(rng: random.Random) -> None:
        slow = rng.random() < 0.3
        parser = Parser(
            events=("start", "delta", "end"), parse_int=(lambda text: int(text)) if slow else None
        )
        for part in cut(rng):
            parser.feed(part)
            parser.snapshot()
        assert parser.close() == VALUE
        assert loads(TEXT) == VALUE
        assert list(iterparse(cut(rng) * 2, multiple_values=True)) == [VALUE, VALUE]
        accumulator = Accumulator("openai_chat")
        function: dict[str, Any] = {"name": "f", "arguments": TEXT}
        entry = {"index": 0, "id": "c", "function": function}
        choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": "stop"}
        accumulator.feed({"choices": [choice]})
        assert [call.arguments for call in accumulator.ready()] == [VALUE]

    together(8, seconds, work)


@trial
def one_parser_for_all(seconds: float) -> None:
    """Everybody feeds, closes, resets and looks, inside hooks that let the others in."""
    for options in (
        {"parse_int": lambda digits: int(digits)},
        {"object_hook": lambda m: dict(m)},
        {},
    ):
        parser = Parser(events=("end",), keep_text=True, **options)

        def work(rng: random.Random, parser: Parser = parser) -> None:
            uses: list[Callable[[], Any]] = [
                lambda: parser.feed(rng.choice(PIECES)),
                parser.snapshot, parser.close, parser.reset, lambda: parser.is_complete((0, "a")),
                lambda: (parser.path, parser.status, parser.value, parser.pos, parser.error),
                lambda: parser.text, lambda: parser.unused_data,
            ]  # fmt: skip
            with contextlib.suppress(RuntimeError, ValueError):
                rng.choice(uses)()
            if rng.random() < 0.3:
                with contextlib.suppress(RuntimeError):
                    parser.reset()

        together(6, seconds / 3, work)
        for _ in range(2):
            parser.reset()
            assert parser.feed(TEXT) is not None
            assert parser.close() == VALUE


@trial
def one_stream_fed_by_all(seconds: float) -> None:
    """Threads hand one stream on to each other: with retries, each fragment goes in once."""

    def once() -> None:
        parser = Parser(parse_int=lambda digits: int(digits))
        parts = cut(random.Random(time.monotonic_ns()))
        lock = threading.Lock()

        def work(parts: list[Any] = parts) -> None:
            while parts:
                with lock:
                    if not parts:
                        return
                    part = parts.pop(0)
                    parser.feed(part)

        def look() -> None:
            while parser.status is not Status.COMPLETE:
                parser.snapshot()
                repr((parser.path, parser.is_complete(("a", 0)), parser.is_complete(("rows", 3))))

        threads = [threading.Thread(target=each) for each in (work, work, look, look)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert parser.close() == VALUE

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        once()


@trial
def strings_read_while_they_grow(seconds: float) -> None:
    """One thread feeds a long string, others hold, hash and compare what they see of it."""
    for letter in ("x", "é", "水", "😀"):
        parser = Parser()
        parser.feed('{"text":"')
        done = threading.Event()
        failures: list[str] = []

        def read(parser: Parser = parser, letter: str = letter, done: Any = done) -> None:
            while not done.is_set():
                seen = parser.value["text"]
                length, value = len(seen), hash(seen)
                if seen != letter * length or value != hash(letter * length):
                    failures.append(seen)
                time.sleep(0)
                if len(seen) != length or hash(seen) != value:
                    failures.append(seen)

        threads = [threading.Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + seconds / 4
        fed = 0
        while time.monotonic() < until:
            parser.feed(letter * 3)
            fed += 3
        done.set()
        for thread in threads:
            thread.join()
        assert not failures
        assert parser.value["text"] == letter * fed


@trial
def errors_read_while_others_reset(seconds: float) -> None:
    parser = Parser(keep_text=True)

    def work(rng: random.Random) -> None:
        with contextlib.suppress(RuntimeError, ValueError):
            parser.feed(rng.choice(['["a', "!", "1"]))
        try:
            error = parser.error
        except RuntimeError:
            error = None
        assert error is None or isinstance(error, JSONDecodeError)
        with contextlib.suppress(RuntimeError):
            parser.reset()

    together(6, seconds, work)


def main() -> None:
    sys.setswitchinterval(1e-6)
    TRIALS[sys.argv[1]](float(sys.argv[2]))
    print("ok", sys.argv[1])


if __name__ == "__main__":
    main()
