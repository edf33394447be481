"""What does the tool-call layer cost per chunk, beside the loop everybody writes by hand?

The plain loop keeps a dict of lists of argument texts and parses each once at the end: no value
before, no events, no faults noticed. Ours looks at every event and reads the live arguments after
every delta. Chunks are decoded beforehand for both. The SDKs' own stream classes get the same
objects as we do.

How far down can an accumulator be brought? Beside it runs an idle one: called in the same way, it
finds the text in each chunk and makes the event, and that is all. Nothing is parsed or kept, no
call begins or ends.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
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


def responses_chunks(text: str) -> list[Chunk]:
    """Return the events of a response with one function call, its arguments in fragments."""
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "tool"}
    place = {"output_index": 0, "item_id": "fc_1"}
    done = {**item, "arguments": text, "status": "completed"}
    events: list[Chunk] = [
        {"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}},
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {**item, "arguments": "", "status": "in_progress"},
        },
        *(
            {"type": "response.function_call_arguments.delta", **place, "delta": piece}
            for piece in fragments(text)
        ),
        {"type": "response.function_call_arguments.done", **place, "arguments": text},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {
            "type": "response.completed",
            "response": {"id": "resp_1", "status": "completed", "output": [done]},
        },
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


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


def plain_responses(chunks: Iterable[Chunk]) -> list[Any]:
    calls: dict[int, list[str]] = {}
    for chunk in chunks:
        if chunk["type"] == "response.function_call_arguments.delta":
            calls.setdefault(chunk["output_index"], []).append(chunk["delta"])
    return [json.loads("".join(texts)) for texts in calls.values()]


def parser_responses(chunks: Iterable[Chunk]) -> list[Any]:
    calls: dict[int, Parser] = {}
    for chunk in chunks:
        if chunk["type"] == "response.function_call_arguments.delta":
            index = chunk["output_index"]
            if index not in calls:
                calls[index] = Parser(events={"end"})
            calls[index].feed(chunk["delta"])
    return [parser.close() for parser in calls.values()]


class Idle:
    """Called as an accumulator is, it does nothing but make the event of each fragment."""

    def __init__(self, text_in: Callable[[Chunk], str]) -> None:
        self._text_in = text_in
        self._call = SimpleNamespace(partial=None)

    def feed(self, chunk: Chunk) -> list[CallDelta]:
        try:
            return [CallDelta(self._call, self._text_in(chunk))]
        except (KeyError, TypeError, ValueError):
            return []

    def close(self) -> None:
        pass

    def ready(self) -> list[Any]:
        return []


def openai_text(chunk: Chunk) -> Any:
    (choice,) = chunk["choices"]
    (entry,) = choice["delta"]["tool_calls"]
    return entry["function"]["arguments"]


def anthropic_text(chunk: Chunk) -> Any:
    return chunk["delta"]["partial_json"]


def responses_text(chunk: Chunk) -> Any:
    return chunk["delta"]


@dataclass(frozen=True)
class Vendor:
    chunks: Callable[[str], list[Chunk]]
    plain: Callable[[Iterable[Chunk]], list[Any]]
    parser: Callable[[Iterable[Chunk]], list[Any]]
    text_in: Callable[[Chunk], str]
    plain_objects: Callable[[Iterable[Any]], list[Any]] | None = None
    limits: dict[Kind, float] = field(default_factory=dict)


VENDORS = {
    "openai_chat": Vendor(
        openai_chunks, plain_openai, parser_openai, openai_text, plain_openai_objects, LIMITS
    ),
    "anthropic": Vendor(
        anthropic_chunks,
        plain_anthropic,
        parser_anthropic,
        anthropic_text,
        plain_anthropic_objects,
        LIMITS,
    ),
    "openai_responses": Vendor(responses_chunks, plain_responses, parser_responses, responses_text),
}


def values_and_events(make: Callable[[], Any]) -> Callable[[Iterable[Any]], Any]:
    def run(chunks: Iterable[Any]) -> Any:
        accumulator = make()
        value = None
        for chunk in chunks:
            for event in accumulator.feed(chunk):
                if isinstance(event, CallDelta):
                    value = event.call.partial
        accumulator.close()
        return [call.arguments for call in accumulator.ready()], value

    return run


def accumulator(vendor: str) -> Callable[[Iterable[Any]], Any]:
    return values_and_events(partial(Accumulator, vendor))


def idle(vendor: Vendor) -> Callable[[Iterable[Any]], Any]:
    return values_and_events(partial(Idle, vendor.text_in))


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
            "idle",
            "Parser by hand",
            "ns per chunk",
        ),
        notes=[
            "idle: called in the same way, makes the event of each fragment and does nothing else",
            "Parser by hand: the plain loop with a Parser instead of each list, events subscribed "
            "and not looked at: nothing that shows values can cost less",
            "openai_responses is not judged: its plain loop reads three fields of a flat dict, and "
            "every event has a number that must be looked at to know a resumed stream",
        ],
    )
    for name, vendor in VENDORS.items():
        for call in CALLS:
            corpus = CORPORA[call]
            chunks = vendor.chunks(corpus.text)
            expected = [json.loads(corpus.text)]
            assert vendor.plain(chunks) == vendor.parser(chunks) == expected
            assert accumulator(name)(chunks)[0] == expected

            def prepare(vendor: Vendor = vendor, corpus: Corpus = corpus) -> list[Chunk]:
                return vendor.chunks(corpus.fresh())

            best = race(
                {
                    "plain": Work(vendor.plain, prepare),
                    "events": Work(accumulator(name), prepare),
                    "auto": Work(accumulator("auto"), prepare),
                    "feed": Work(feed_only(name), prepare),
                    "idle": Work(idle(vendor), prepare),
                    "parser": Work(vendor.parser, prepare),
                }
            )
            what = f"{name}, {call}"
            ratio = best["events"] / best["plain"]
            limit = vendor.limits.get(corpus.kind)
            table.add(
                what,
                table.judged(f"accumulator ÷ plain loop, {what}", ratio, limit),
                best["auto"] / best["plain"],
                best["feed"] / best["plain"],
                best["idle"] / best["plain"],
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
        assert vendor.plain_objects is not None
        ours = accumulator(sdk.vendor)
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
