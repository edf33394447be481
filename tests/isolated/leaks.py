"""Make and drop parsers and errors by the thousand, the collector off: memory stays flat.

    python tests/isolated/leaks.py NAME|all COUNT

Promised: no cycle between parser, stack, value and error, so that reference counts alone free
everything, at once; and no reference is lost. Flat: the interpreter's blocks and the resident
memory after COUNT rounds are those after a tenth of them.
"""

# ruff: noqa: PT017 - not run by pytest

import contextlib
import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fragjson import Accumulator, JSONDecodeError, Parser, iterparse, loads

EVERYTHING: dict[str, Any] = {
    "events": ("start", "delta", "end"), "paths": ["$.a", "$.rows[*]"],
    "atomic": "$.mode", "keep_text": True, "max_bytes": 9999, "max_string": 999,
}  # fmt: skip
TEXT = '{"a":"b\\u00e9水","rows":[1,-2.5e3,{"k":[null,true,{}]}],"mode":"x","a":{"b":"c"}}'
USES: dict[str, Callable[[int], None]] = {}


def use(function: Callable[[int], None]) -> Callable[[int], None]:
    USES[function.__name__] = function
    return function


def pieces(turn: int) -> list[str]:
    size = turn % 7 + 1
    return [TEXT[at : at + size] for at in range(0, len(TEXT), size)]


@use
def whole_documents(turn: int) -> None:
    parser = Parser(**(EVERYTHING if turn % 2 else {}))
    for piece in pieces(turn):
        parser.feed(piece)
    parser.close()


@use
def dropped_halfway(turn: int) -> None:
    parser = Parser(**(EVERYTHING if turn % 2 else {}))
    kept = []
    for piece in pieces(turn)[: turn % 60]:
        kept.append(parser.feed(piece))
        kept.append(parser.snapshot())


@use
def errors(turn: int) -> None:
    parser = Parser(**(EVERYTHING if turn % 2 else {}))
    at = turn % len(TEXT)
    try:
        parser.feed(TEXT[:at])
        parser.feed("\x01")
        parser.close()
    except JSONDecodeError as error:
        assert error.value is parser.value
        assert parser.error == error or parser.error is None
    with contextlib.suppress(JSONDecodeError):
        loads(TEXT[:at] + "!" * (turn % 2), allow_partial=False)


@use
def hooks_that_raise(turn: int) -> None:
    countdown = iter(range(turn % 4))

    def hook(argument: Any) -> Any:
        next(countdown)
        return argument

    parser = Parser(object_pairs_hook=hook, array_hook=hook, parse_int=hook, **EVERYTHING)
    with contextlib.suppress(StopIteration):
        for piece in pieces(turn):
            parser.feed(piece)
    with contextlib.suppress(JSONDecodeError):
        parser.close()
    parser.reset()


@use
def one_parser_again_and_again(turn: int, parser: Parser = Parser(**EVERYTHING)) -> None:  # noqa: B008
    parser.reset()
    for piece in pieces(turn)[: turn % 90]:
        parser.feed(piece)
    with contextlib.suppress(JSONDecodeError):
        parser.feed(f'"key{turn}"') if turn % 3 else parser.close()


@use
def iterated_documents(turn: int) -> None:
    for value in iterparse(pieces(turn) * 2, multiple_values=True):
        if turn % 5 == 0:
            break
        assert value


@use
def whole_buffers(turn: int) -> None:
    for data in (TEXT, TEXT.encode(), TEXT.encode("utf-16")):
        loads(data)
        with contextlib.suppress(ValueError):
            loads(data[: turn % len(data)], allow_partial="on")


@use
def calls_of_a_turn(turn: int) -> None:
    """One finished, one dropped in the middle, one whose name never comes."""
    for named, ends in ((True, True), (True, False), (False, False)):
        accumulator = Accumulator("openai_chat", events={"start", "delta", "end"})
        function: dict[str, Any] = {"name": "f"} if named else {}
        for piece in pieces(turn)[: turn % 90]:
            entry = {"index": 0, "id": "c", "function": {**function, "arguments": piece}}
            accumulator.feed(chat_chunk({"tool_calls": [entry]}))
            more = {"index": 0, "function": {"arguments": " "}}  # by the short cut
            accumulator.feed(chat_chunk({"tool_calls": [more]}))
        if ends:
            accumulator.feed(chat_chunk({}, "tool_calls"))
            accumulator.close()
        assert accumulator.outcome.calls is not None


def chat_chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def resident() -> int:
    """Bytes of memory that the process has, where /proc tells."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096
    except OSError:
        return 0


def main() -> None:
    name, count = sys.argv[1], int(sys.argv[2])
    gc.disable()
    for each in USES if name == "all" else [name]:
        once = USES[each]
        for turn in range(max(count // 10, 500)):
            once(turn)
        gc.collect()
        blocks, memory = sys.getallocatedblocks(), resident()
        for turn in range(count):
            once(turn)
        # This also empties the interpreter's free lists, which hold up to 2000 tuples of a size.
        assert gc.collect() == 0, "something waits for the collector"
        grown = sys.getallocatedblocks() - blocks
        print(f"{each}: {count} rounds, {grown:+} blocks, {(resident() - memory) >> 10:+} KiB")
        assert grown < 400, f"{grown} blocks more"
        assert resident() - memory < 4 << 20


if __name__ == "__main__":
    main()
