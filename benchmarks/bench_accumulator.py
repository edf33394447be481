"""What does the tool-call layer cost per chunk, beside the loop everybody writes by hand?

The plain loop keeps a dict of lists of argument texts and parses each once at the end: no value
before, no events, no faults noticed. Ours looks at every event and reads the live arguments after
every delta. Chunks are decoded beforehand for both. The SDKs' own stream classes get the same
objects as we do.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from corpora import CORPORA, Corpus, Kind, fragments
from measure import Work, race, same
from peers import SDK_STREAMS, present
from report import Table, show

from fragjson import Parser
from fragjson.toolcalls import Accumulator, CallDelta

Chunk = dict[str, Any]

CALLS = ("small call", "file write 8 KB", "records 32 KB")
LIMITS: dict[Kind, float] = {"small call": 4.0, "string-heavy": 3.0, "records": 3.0}


def openai_chunks(text: str) -> list[Chunk]:
    """Return the chunks of a chat completion with one call, its arguments in fragments."""

    def chunk(delta: Chunk, finish_reason: str | None = None) -> Chunk:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "a-model",
            "choices": [
                {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
            ],
        }

    def call(**fields: Any) -> Chunk:
        return {"tool_calls": [{"index": 0, **fields}]}

    start = call(id="call_1", type="function", function={"name": "tool", "arguments": ""})
    return [
        chunk({"role": "assistant", "content": None, **start}),
        *(chunk(call(function={"arguments": piece})) for piece in fragments(text)),
        chunk({}, "tool_calls"),
    ]


def anthropic_chunks(text: str) -> list[Chunk]:
    """Return the events of a message with one tool use, its input in fragments."""
    message: Chunk = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "a-model",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    block = {"type": "tool_use", "id": "toolu_1", "name": "tool", "input": {}}
    return [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in fragments(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"output_tokens": 9},
        },
        {"type": "message_stop"},
    ]


def plain_openai(chunks: Iterable[Chunk]) -> list[Any]:
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for entry in choice["delta"].get("tool_calls") or ():
                calls.setdefault(entry["index"], []).append(entry["function"]["arguments"])
    return [json.loads("".join(texts)) for texts in calls.values()]


def parser_openai(chunks: Iterable[Chunk]) -> list[Any]:
    """Do as the plain loop, with a Parser instead of a list: what no accumulator can go below."""
    calls: dict[int, Parser] = {}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for entry in choice["delta"].get("tool_calls") or ():
                index = entry["index"]
                if index not in calls:
                    calls[index] = Parser(events={"end"})
                calls[index].feed(entry["function"]["arguments"])
    return [parser.close() for parser in calls.values()]


def plain_openai_objects(chunks: Iterable[Any]) -> list[Any]:
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        for choice in chunk.choices:
            for entry in choice.delta.tool_calls or ():
                calls.setdefault(entry.index, []).append(entry.function.arguments)
    return [json.loads("".join(texts)) for texts in calls.values()]


def plain_anthropic(chunks: Iterable[Chunk]) -> list[Any]:
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        if chunk["type"] == "content_block_delta":
            delta = chunk["delta"]
            if delta["type"] == "input_json_delta":
                calls.setdefault(chunk["index"], []).append(delta["partial_json"])
    return [json.loads("".join(texts)) for texts in calls.values()]


def parser_anthropic(chunks: Iterable[Chunk]) -> list[Any]:
    calls: dict[int, Parser] = {}
    for chunk in chunks:
        if chunk["type"] == "content_block_delta":
            delta = chunk["delta"]
            if delta["type"] == "input_json_delta":
                index = chunk["index"]
                if index not in calls:
                    calls[index] = Parser(events={"end"})
                calls[index].feed(delta["partial_json"])
    return [parser.close() for parser in calls.values()]


def plain_anthropic_objects(chunks: Iterable[Any]) -> list[Any]:
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        if chunk.type == "content_block_delta":
            delta = chunk.delta
            if delta.type == "input_json_delta":
                calls.setdefault(chunk.index, []).append(delta.partial_json)
    return [json.loads("".join(texts)) for texts in calls.values()]


@dataclass(frozen=True)
class Vendor:
    chunks: Callable[[str], list[Chunk]]
    plain: Callable[[Iterable[Chunk]], list[Any]]
    parser: Callable[[Iterable[Chunk]], list[Any]]
    plain_objects: Callable[[Iterable[Any]], list[Any]]


VENDORS = {
    "openai_chat": Vendor(openai_chunks, plain_openai, parser_openai, plain_openai_objects),
    "anthropic": Vendor(
        anthropic_chunks, plain_anthropic, parser_anthropic, plain_anthropic_objects
    ),
}


def values_and_events(vendor: str) -> Callable[[Iterable[Any]], Any]:
    def run(chunks: Iterable[Any]) -> Any:
        accumulator = Accumulator(vendor)
        value = None
        for chunk in chunks:
            for event in accumulator.feed(chunk):
                if isinstance(event, CallDelta):
                    value = event.call.partial
        accumulator.close()
        return [call.arguments for call in accumulator.ready()], value

    return run


def feed_only(vendor: str) -> Callable[[Iterable[Any]], Any]:
    def run(chunks: Iterable[Any]) -> Any:
        accumulator = Accumulator(vendor, events=())
        for chunk in chunks:
            accumulator.feed(chunk)
        accumulator.close()
        return [call.arguments for call in accumulator.ready()]

    return run


def tables() -> list[Table]:
    return [dicts(), objects()]


def dicts() -> Table:
    table = Table(
        "Accumulator, dict chunks ÷ the plain loop (dict of lists, one json.loads)",
        (
            "stream",
            "values + field events",
            "'auto'",
            "feed only",
            "Parser by hand",
            "ns per chunk",
        ),
        notes=[
            "Parser by hand: the plain loop with a Parser instead of each list, events subscribed "
            "and not looked at: nothing that shows values can cost less"
        ],
    )
    for name, vendor in VENDORS.items():
        for call in CALLS:
            corpus = CORPORA[call]
            chunks = vendor.chunks(corpus.text)
            expected = [json.loads(corpus.text)]
            assert vendor.plain(chunks) == vendor.parser(chunks) == expected
            assert values_and_events(name)(chunks)[0] == expected

            def prepare(vendor: Vendor = vendor, corpus: Corpus = corpus) -> list[Chunk]:
                return vendor.chunks(corpus.fresh())

            best = race(
                {
                    "plain": Work(vendor.plain, prepare),
                    "events": Work(values_and_events(name), prepare),
                    "auto": Work(values_and_events("auto"), prepare),
                    "feed": Work(feed_only(name), prepare),
                    "parser": Work(vendor.parser, prepare),
                }
            )
            what = f"{name}, {call}"
            ratio = best["events"] / best["plain"]
            table.add(
                what,
                table.judged(f"accumulator ÷ plain loop, {what}", ratio, LIMITS[corpus.kind]),
                best["auto"] / best["plain"],
                best["feed"] / best["plain"],
                best["parser"] / best["plain"],
                f"{best['events'] / len(chunks) * 1e9:.0f}",
            )
            table.compare("the plain loop", what, ratio)
    return table


def objects() -> Table:
    found, absent = present(SDK_STREAMS)
    table = Table(
        "Accumulator, SDK objects",
        ("stream", "÷ the plain loop", "SDK's own ÷ ours", "ns per chunk"),
        notes=[
            "the SDKs' classes also gather what is not a tool call, so they do more",
            "openai's parses arguments while they come only for strict tools: measured so",
            *(f"{sdk.vendor}: {sdk.name}" for sdk in found),
            *absent,
        ],
    )
    for sdk in found:
        vendor = VENDORS[sdk.vendor]
        ours = values_and_events(sdk.vendor)
        for name in CALLS:
            chunks = sdk.objects(vendor.chunks(CORPORA[name].text))
            assert vendor.plain_objects(chunks) == ours(chunks)[0] == [sdk.run(chunks)]
            best = race(
                {
                    "plain": Work(vendor.plain_objects, same(chunks)),
                    "ours": Work(ours, same(chunks)),
                }
            )
            cost = sdk.cost(chunks) / best["ours"]
            ratio = best["ours"] / best["plain"]
            what = f"{sdk.vendor}, {name}"
            table.add(what, ratio, cost, f"{best['ours'] / len(chunks) * 1e9:.0f}")
            table.compare("the plain loop", what, ratio)
            table.compare(sdk.name, what, 1 / cost.seconds)
    return table


if __name__ == "__main__":
    show(tables)
