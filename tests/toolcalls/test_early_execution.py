"""From a vendor's stream to a tool that has run early: whole harnesses, in virtual time.

Every stream is replayed in the same rhythm, a chunk each 20 ms, and the tool that is run early
takes 200 ms. What is saved is measured against the same harness without early runs, which waits
for the end of the stream and then runs what there is to run.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import pytest
import virtual_time
from recordings import ABSENT, OWN, RECORDINGS, Recording

from fragjson.toolcalls import Accumulator, CallStarted, Outcome, SchemaViolation
from fragjson.toolcalls.speculation import AsyncSpeculator, Tool

RHYTHM = 0.02
TAKES = 0.2
SAFE: dict[str, Any] = {"read_only": True, "idempotent": True}


async def replayed(recording: Recording) -> AsyncIterator[Any]:
    for each in recording.chunks:
        await asyncio.sleep(RHYTHM)
        yield each


@dataclass
class Diary:
    """What happened in a turn, with the second at which it did."""

    entries: list[tuple[float, str]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)
    outcome: Outcome | None = None

    def note(self, what: str) -> None:
        self.entries.append((round(virtual_time.now(), 6), what))

    def time_of(self, what: str) -> float:
        (found,) = [at for at, noted in self.entries if noted == what]
        return found

    def count(self, what: str) -> int:
        return sum(noted == what for _, noted in self.entries)


def slow_tool(diary: Diary, name: str) -> Callable[..., Any]:
    async def look_up(**arguments: Any) -> Any:
        diary.note(f"{name} begins with {sorted(arguments)}")
        try:
            await asyncio.sleep(TAKES)
        except asyncio.CancelledError:
            diary.note(f"{name} is cancelled")
            raise
        return arguments

    return look_up


async def harness(
    recording: Recording, diary: Diary, tools: list[Tool], limit: int, schemas: Any
) -> None:
    """Show each call as it begins; run what is ready at the end; stop at once what goes wrong."""
    accumulator = Accumulator(recording.vendor, tools=schemas)
    speculator = AsyncSpeculator(tools, limit=limit, clock=virtual_time.now)
    async with speculator, accumulator.astream(replayed(recording)) as events:
        async for event in events:
            speculator.feed(event)
            match event:
                case CallStarted(call):
                    diary.note(f"{call.name} ...")
                case SchemaViolation(_, path, message):
                    diary.note(f"{path[-1]}: {message}")
                    break
        else:
            diary.note("the stream ends")
        for call in accumulator.ready():
            diary.results.append(await speculator.run(call))
            diary.note(f"{call.name} has its result")
    diary.figures = speculator.metrics.to_dict()
    diary.outcome = accumulator.outcome


def live(
    recording: Recording, name: str, *, limit: int = 1, schema: Any = None, **declared: Any
) -> Diary:
    """Live through a turn; tools of other names do nothing and are done at once."""
    diary = Diary()

    async def nothing(**_: Any) -> None: ...

    others = {call["name"] for call in recording.expected} - {name}
    tools = [Tool(name, slow_tool(diary, name), **declared), *(Tool(n, nothing) for n in others)]
    schemas = None if schema is None else {name: schema, **{other: {} for other in others}}
    virtual_time.run(lambda: harness(recording, diary, tools, limit, schemas))
    return diary


IN_ONE = {"gemini_live", "groq", "ollama"}
"""Vendors that send all arguments of a call in one chunk ..."""
AT_ONCE = {"gemini_live", "ollama"}
"""... and say at once that it is complete: there is no moment at which it could run early."""


def own_streams(vendors: Iterable[str]) -> pytest.MarkDecorator:
    streams = [each for each in OWN if each.vendor in vendors]
    return pytest.mark.parametrize("recording", streams, ids=lambda recording: recording.vendor)


ALL = {recording.vendor for recording in OWN}


@own_streams(ALL - IN_ONE)
def test_agreement_the_result_is_there_when_the_stream_ends(recording: Recording) -> None:
    early = live(recording, "get_tides", early=("port", "days"), **SAFE)
    begins = "get_tides begins with ['days', 'port']"
    order = ["get_tides ...", begins, "write_note ...", "the stream ends"]
    assert [what for _, what in early.entries if what in order] == order
    assert early.time_of("get_tides has its result") == early.time_of("the stream ends")
    assert early.results[0] == {"port": "Tromsø", "days": 2}

    waiting = live(recording, "get_tides", early=("port", "days"), limit=0, **SAFE)
    assert waiting.results == early.results
    assert waiting.time_of(begins) == waiting.time_of("the stream ends")
    saved = waiting.time_of("get_tides has its result") - early.time_of("get_tides has its result")
    assert saved == pytest.approx(TAKES)
    assert early.figures == {
        "started": 1,
        "hit": 1,
        "miss": 0,
        "cancelled": 0,
        "failed": 0,
        "saved_seconds": pytest.approx(saved),
        "hit_rate": 1.0,
    }


@own_streams(ALL - IN_ONE)
def test_disagreement_is_cancelled_and_run_again(recording: Recording) -> None:
    diary = live(recording, "get_tides", early=("port",), **SAFE)
    begins, again = "get_tides begins with ['port']", "get_tides begins with ['days', 'port']"
    assert diary.time_of(begins) < diary.time_of("get_tides is cancelled")  # as "days" closes
    assert diary.time_of("get_tides is cancelled") < diary.time_of("write_note ...")
    assert diary.time_of(again) == diary.time_of("the stream ends")
    assert diary.time_of("get_tides has its result") == pytest.approx(diary.time_of(again) + TAKES)
    assert diary.results[0] == {"port": "Tromsø", "days": 2}
    assert (diary.figures["miss"], diary.figures["saved_seconds"]) == (1, 0.0)


def chunks_until_days(recording: Recording) -> int:
    """How many chunks it takes to the first character of the value of ``days``."""
    accumulator = Accumulator(recording.vendor)
    for count, each in enumerate(recording.chunks, 1):
        accumulator.feed(each)
        for call in accumulator.calls[:1]:
            if re.search(r'"days": *[0-9]', call.text or "") or "days" in (call.partial or {}):
                return count
    raise AssertionError("there are no days in it")


@own_streams(ALL - IN_ONE)
def test_wrong_type_aborts_the_stream_at_the_first_impossible_character(
    recording: Recording,
) -> None:
    schema = {"type": "object", "properties": {"days": {"type": "string"}}}
    diary = live(recording, "get_tides", early=("port",), schema=schema, **SAFE)
    begins, wrong = "get_tides begins with ['port']", "days: expected string, not number"
    assert diary.time_of(begins) < diary.time_of(wrong)
    assert diary.time_of(wrong) == pytest.approx(RHYTHM * chunks_until_days(recording))
    assert diary.time_of("get_tides is cancelled") == diary.time_of(wrong)
    assert diary.count("the stream ends") == diary.count("write_note ...") == 0
    assert diary.outcome is not None
    assert [call["status"] for call in diary.outcome.calls] == ["aborted"]
    assert (diary.results, diary.figures["cancelled"]) == ([], 1)


@own_streams(AT_ONCE)
def test_call_that_comes_whole_runs_when_it_is_complete(recording: Recording) -> None:
    diary = live(recording, "get_tides", early=("port",), **SAFE)
    begins = "get_tides begins with ['days', 'port']"
    assert diary.time_of(begins) == diary.time_of("the stream ends")
    assert diary.results[0] == {"port": "Tromsø", "days": 2}
    assert diary.figures["started"] == 0


@own_streams(ALL)
def test_tool_with_effects_waits_for_its_call_to_be_complete(recording: Recording) -> None:
    diary = live(recording, "write_note")
    begins = "write_note begins with ['done', 'lines', 'path']"
    assert diary.time_of(begins) == diary.time_of("the stream ends")
    assert (diary.count(begins), diary.figures["started"]) == (1, 0)


# The same on recorded streams: the tool, its members to wait for, what becomes of it, and the
# seconds that it saves.

RECORDED = [
    ("openai-chat/gpt35-parallel", "get_current_weather", ("location",), "hit", 0.16),
    ("openai-chat/gpt41mini-unicode-nested", "record_payload", ("label",), "miss", 0.0),
    ("openai-chat/gpt41mini-unicode-nested", "record_payload", ("label", "values"), "miss", 0.0),
    ("openai-compat/vllm-llama31", "searchGoogle", ("query",), "hit", 0.04),
    ("openai-responses/encrypted-reasoning-call", "calculator", ("a", "b", "op"), "hit", 0.06),
    ("openai-responses/encrypted-reasoning-call", "calculator", ("a",), "miss", 0.0),
    ("openai-responses/deepseek-v4", "get_temperature", ("city",), "hit", 0.08),
    ("anthropic/sonnet35-parallel", "get_weather", ("location", "unit"), "hit", 0.2),
    ("anthropic/sonnet35-parallel", "get_weather", ("location",), "miss", 0.0),
    ("gemini/partialargs-two-calls", "getWeather", ("location",), "hit", 0.1),
]


@pytest.mark.skipif(not RECORDINGS, reason=ABSENT)
@pytest.mark.parametrize(("name", "tool", "early", "outcome", "saved"), RECORDED)
def test_recorded_streams(
    name: str, tool: str, early: tuple[str, ...], outcome: str, saved: float
) -> None:
    (recording,) = [each for each in RECORDINGS if each.name == name]
    diary = live(recording, tool, early=early, **SAFE)
    waiting = live(recording, tool, limit=0)
    assert (
        diary.results
        == waiting.results
        == [call["arguments"] if call["name"] == tool else None for call in recording.expected]
    )
    assert diary.figures[outcome] == diary.figures["started"] == 1
    ended = [d.entries[-1][0] for d in (diary, waiting)]
    assert ended[1] - ended[0] == pytest.approx(saved)
    assert diary.figures["saved_seconds"] == pytest.approx(saved)
