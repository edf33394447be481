"""No chunk makes an adapter raise, and no call is complete whose arguments the chunks do not say.

Chunks are recorded ones with fields missing, of wrong types, None, huge, repeated and moved, for
every vendor and for ``auto``. Beyond that: every call has a verdict after close(); it is the same
in the events and in ``calls``; records survive JSON; ``arguments`` cannot be read unless complete;
limits hold.
"""

# ruff: noqa: PT017 - not run by pytest

from fuzzing import HERE, Choices, main  # isort: split

import base64
import copy
import json
from typing import Any

from fragjson import vendors
from fragjson.testing import read_stream
from fragjson.toolcalls import Accumulator, CallClosed, CallNotReadyError, StreamFailed, ToolCall
from fragjson.toolcalls.arguments import same

VENDORS = list(vendors.names())
FOLDER = HERE.parent / "data" / "streams"
WRONG: list[Any] = [
    None, "", "x", 0, 1, -1, 10**30, 1.5, float("nan"), True, [], {}, [None], [[]], {"a": None},
    "null", "[DONE]", '{"a":1}', "{", "stop", "tool_calls", "length", b"bytes", ["x", 3],
    {"id": {}}, {"function": "x"}, [{"index": []}], "$.a[0]", "\ud83d", 2**63,
]  # fmt: skip


def stream(vendor: str) -> list[Any]:
    return [json.loads(line) for line in read_stream(FOLDER / f"{vendor}.jsonl")]


def in_chunks(events: list[Any]) -> list[Any]:
    """Wrap the events of Anthropic's as Bedrock does."""
    texts = [json.dumps(event).encode() for event in events]
    return [{"chunk": {"bytes": base64.b64encode(text).decode()}} for text in texts]


STREAMS = [(path.stem, stream(path.stem)) for path in sorted(FOLDER.glob("*.jsonl"))]
STREAMS.append(("bedrock", in_chunks(stream("anthropic"))))
REASONS = (
    "a second message_start", "a second messageStart", "a second message-start",
    "feed() on a turn that is", "this response was not streamed",
)  # fmt: skip


def mutated(chunks: list[Any], choices: Choices) -> list[Any]:
    chunks = copy.deepcopy(chunks[: choices.upto(len(chunks) - 1) + 1])
    for _ in range(choices.upto(6) + 1):
        at = choices.upto(len(chunks) - 1)
        kind = choices.upto(9)
        if kind == 0:
            chunks.insert(choices.upto(len(chunks)), copy.deepcopy(choices.of(chunks)))
        elif kind == 1 and len(chunks) > 1:
            del chunks[at]
        elif kind == 2:
            chunks[at] = copy.deepcopy(choices.of(WRONG))
        else:
            mutate(chunks[at], choices, kind)
    return chunks


def mutate(here: Any, choices: Choices, kind: int) -> None:
    """Change one member somewhere inside."""
    while isinstance(here, (dict, list)) and here:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = choices.of(keys)
        inner = here[key]
        if isinstance(inner, (dict, list)) and inner and choices.byte() % 4:
            here = inner
            continue
        if kind == 3:
            del here[key]
        elif kind == 4 and isinstance(inner, str):
            here[key] = inner[: choices.upto(len(inner))]
        elif kind == 5 and isinstance(inner, str):
            here[key] = inner + choices.of(['"', "}", "{", " ", "x", inner, "\x00"])
        elif kind == 6 and isinstance(here, list):
            here.append(copy.deepcopy(inner))
        else:
            here[key] = copy.deepcopy(choices.of(WRONG))
        return


def test(data: bytes) -> None:
    choices = Choices(data)
    source, recorded = choices.of(STREAMS)
    vendor = choices.of([source, source, source, "auto", *VENDORS])
    chunks = mutated(recorded, choices)
    accumulator = Accumulator(vendor, events={"start", "delta", "end"}, max_string=10_000)
    events: list[Any] = []
    for chunk in chunks:
        if isinstance(chunk, (str, bytes)) and choices.chance():
            continue
        try:
            events += accumulator.feed(chunk)
        except ValueError as error:
            known = is_text(chunk) or str(error).startswith(REASONS)
            assert known, (vendor, chunk, error)
        except TypeError as error:
            assert str(error).startswith("a chunk is "), (vendor, chunk, error)
            assert isinstance(chunk, (list, int, float)), (vendor, chunk, error)
    if choices.byte() != 255:
        try:
            events += accumulator.close()
        except ValueError as error:  # it is another's, or nothing has told whose it is
            assert vendor == "auto" or accumulator.calls == [], (chunks, error)
            assert str(error).startswith("vendor: "), (chunks, error)
    events += accumulator.abort("stop")  # which does nothing after close()
    check(accumulator, events, vendor, chunks)


def is_text(chunk: Any) -> bool:
    """Whether it is still to be decoded, which can fail: a line, or what is in Bedrock's chunks."""
    if isinstance(chunk, dict) and isinstance(chunk.get("chunk"), dict):
        chunk = chunk["chunk"].get("bytes")
    return isinstance(chunk, (str, bytes))


def check(accumulator: Accumulator, events: list[Any], vendor: str, chunks: list[Any]) -> None:
    where = (vendor, chunks)
    said = [event.call for event in events if isinstance(event, CallClosed)]
    for call in accumulator.calls:
        assert call.status != "streaming", where
        assert (call in said) or call.status == "aborted", where
        assert said.count(call) <= 1, where
        if call.status == "complete":
            assert call.name is not None, where
            json.dumps(call.arguments)
            check_text(call, where)
        else:
            assert call not in accumulator.ready()
            try:
                call.arguments  # noqa: B018
            except CallNotReadyError:
                pass
            else:
                raise AssertionError(where)
        if call.status in ("invalid", "incomplete", "aborted"):
            assert call.correction()
        record = json.loads(json.dumps(call.to_record()))
        again = ToolCall.from_record(record)
        assert (again.status, again.name, again.id) == (call.status, call.name, call.id), where
    assert (accumulator.error is not None) == any(isinstance(e, StreamFailed) for e in events), (
        where
    )
    assert accumulator.outcome.state in ("ended", "aborted", "failed"), where
    assert accumulator.close() == [], where


def check_text(call: ToolCall, where: Any) -> None:
    if call.format == "text":
        assert call.arguments == call.text, where
    elif call.text and call.text.strip() not in ("", "null"):
        assert same(json.loads(call.text, strict=False), call.arguments), where  # of two NaNs, too


if __name__ == "__main__":
    main(test)
