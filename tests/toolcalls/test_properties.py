"""What holds for any calls, however they are cut, interleaved, repeated or cancelled."""

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from chat import DONE, begin, chunk, more
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from fragjson import Parser
from fragjson.toolcalls import Accumulator, CallDelta, FieldClosed
from fragjson.toolcalls.arguments import same

VENDOR = "openai_chat"
STREAMS = Path(__file__).parents[1] / "data" / "streams"

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(), values, min_size=1, max_size=4)
texts = st.builds(
    lambda value, escaped, indent: json.dumps(value, ensure_ascii=escaped, indent=indent),
    objects,
    st.booleans(),
    st.sampled_from([None, 1]),
)


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """Cut a text into fragments, none of them empty."""
    places = draw(st.lists(st.integers(1, max(1, len(text) - 1)), max_size=12, unique=True))
    borders = [0, *sorted(place for place in places if place < len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(borders) if a < b]


fragmented = texts.flatmap(cut)


def run(chunks: Sequence[Any], **options: Any) -> tuple[Accumulator, list[Any]]:
    accumulator = Accumulator(VENDOR, **options)
    events = [event for each in chunks for event in accumulator.feed(each)]
    return accumulator, events


def told(events: Sequence[Any]) -> dict[Any, list[Any]]:
    """Give what was said of each call: its closed fields, exactly."""
    fields: dict[Any, list[Any]] = {}
    for event in events:
        if isinstance(event, FieldClosed):
            closed = (event.path, json.dumps(event.value))
            fields.setdefault(event.call.id, []).append(closed)
    return fields


def known(accumulator: Accumulator) -> list[Any]:
    """Give all that lasts of the calls, but for the times and the duplicates."""
    records = accumulator.outcome.calls
    for record in records:
        del record["timing"], record["duplicates"]
    return [json.dumps(record) for record in records]


def beginnings(calls: Sequence[Any]) -> list[Any]:
    return [chunk(begin(index)) for index in range(len(calls))]


@examples(150)
@given(st.lists(fragmented, min_size=2, max_size=4), st.data())
def test_interleaved_calls_are_the_same_as_one_after_the_other(
    calls: list[list[str]], data: st.DataObject
) -> None:
    in_order = [(index, text) for index, texts in enumerate(calls) for text in texts]
    whose = data.draw(st.permutations([index for index, _ in in_order]))
    rest = [iter(texts) for texts in calls]
    mixed = [(index, next(rest[index])) for index in whose]
    results = []
    for order in (in_order, mixed):
        deltas = [chunk(more(text, index)) for index, text in order]
        accumulator, events = run([*beginnings(calls), *deltas, chunk(finish="stop"), DONE])
        results.append((known(accumulator), told(events)))
    assert results[0] == results[1]
    assert [call.text for call in accumulator.calls] == ["".join(texts) for texts in calls]


@examples(150)
@given(texts, st.data())
def test_any_cutting_gives_the_same_calls_and_closed_fields(text: str, data: st.DataObject) -> None:
    results = []
    for fragments in ([text], list(text), data.draw(cut(text))):
        accumulator, events = run(
            [chunk(begin()), *(chunk(more(f)) for f in fragments), chunk(finish="stop"), DONE],
            events={"start", "delta", "end"},
        )
        (call,) = accumulator.calls
        assert json.dumps(call.arguments) == json.dumps(json.loads(text))
        assert "".join(event.text for event in events if isinstance(event, CallDelta)) == text
        results.append((known(accumulator), told(events)))
    assert results[0] == results[1] == results[2]


@examples(150)
@given(st.builds(json.dumps, values, indent=st.sampled_from([None, 1])), st.data())
def test_what_a_call_shows_is_what_a_parser_of_its_text_shows(
    text: str, data: st.DataObject
) -> None:
    accumulator = Accumulator(VENDOR)
    accumulator.feed(chunk(begin()))
    (call,) = accumulator.calls
    for fragment in data.draw(cut(text)):
        accumulator.feed(chunk(more(fragment)))
        assert call.text is not None
        parser = Parser()
        parser.feed(call.text)
        assert same(call.partial, parser.value)


@examples(150)
@given(texts, st.data())
def test_sender_that_repeats_everything_is_the_same_as_one_that_appends(
    text: str, data: st.DataObject
) -> None:
    fragments = data.draw(cut(text))
    so_far = ["".join(fragments[: count + 1]) for count in range(len(fragments))]
    appended, events = run(
        [chunk(begin()), *(chunk(more(f)) for f in fragments), chunk(finish="stop"), DONE]
    )
    repeated, other_events = run(
        [chunk(begin()), *(chunk(more(f)) for f in so_far), chunk(finish="stop"), DONE]
    )
    if len(fragments) == 2:  # one extension proves nothing
        assert repeated.calls[0].status != "complete"
    else:
        assert known(appended) == known(repeated)
        assert told(events) == told(other_events)


@examples(150)
@given(st.lists(fragmented, min_size=1, max_size=3), st.data())
def test_abort_leaves_nothing_to_run_that_was_not_complete(
    calls: list[list[str]], data: st.DataObject
) -> None:
    chunks = [*beginnings(calls)]
    chunks += [chunk(more(text, index)) for index, texts in enumerate(calls) for text in texts]
    chunks += [chunk(finish=data.draw(st.sampled_from(["tool_calls", "length", "content_filter"])))]
    accumulator, _ = run(chunks[: data.draw(st.integers(0, len(chunks)))])
    complete = [call for call in accumulator.calls if call.status == "complete"]
    assert accumulator.ready() == complete
    accumulator.abort("user")
    assert accumulator.ready() == complete
    for call in accumulator.calls:
        assert (call in complete) == (call.status == "complete")
        assert call.status != "streaming"


@examples(150)
@given(fragmented, st.data())
def test_duplicate_of_a_complete_call_changes_only_the_count(
    fragments: list[str], data: st.DataObject
) -> None:
    deltas = [chunk(more(text)) for text in fragments]
    again = [chunk(more(text)) for text in data.draw(cut("".join(fragments)))]
    end = [chunk(finish="tool_calls"), DONE]
    once, events = run([chunk(begin()), *deltas, *end])
    at = data.draw(st.sampled_from(["before the end", "after the finish reason", "after all"]))
    place = {"before the end": 0, "after the finish reason": 1, "after all": 2}[at]
    twice, other_events = run(
        [chunk(begin()), *deltas, *end[:place], chunk(begin()), *again, *end[place:]]
    )
    assert known(once) == known(twice)
    assert [event.type for event in events] == [event.type for event in other_events]
    assert (once.calls[0].duplicates, twice.calls[0].duplicates) == (0, 1)


@examples(150)
@given(st.lists(fragmented, min_size=2, max_size=2), st.data())
def test_accumulators_fed_in_turn_do_not_mix(calls: list[list[str]], data: st.DataObject) -> None:
    streams = [
        [chunk(begin()), *(chunk(more(text)) for text in texts), chunk(finish="stop"), DONE]
        for texts in calls
    ]
    turns = data.draw(st.permutations([0] * len(streams[0]) + [1] * len(streams[1])))
    accumulators = [Accumulator(VENDOR), Accumulator(VENDOR)]
    rest = [iter(stream) for stream in streams]
    for which in turns:
        accumulators[which].feed(next(rest[which]))
    for accumulator, stream in zip(accumulators, streams, strict=True):
        assert known(accumulator) == known(run(stream)[0])


# Values set by path


def settings(value: Any, path: str, draw: st.DrawFn) -> list[dict[str, Any]]:
    """Say a value as Gemini does: depth first, strings in pieces, numbers as doubles."""
    if isinstance(value, dict):
        steps = [(f"[{quoted(name)}]", child) for name, child in value.items()]
    elif isinstance(value, list):
        steps = [(f"[{index}]", child) for index, child in enumerate(value)]
    else:
        return scalar_settings(value, path, draw)
    return [setting for step, child in steps for setting in settings(child, path + step, draw)]


def scalar_settings(value: Any, path: str, draw: st.DrawFn) -> list[dict[str, Any]]:
    if isinstance(value, str):
        pieces = [*draw(cut(value)), ""] if draw(st.booleans()) else [value]
        said = [{"jsonPath": path, "stringValue": piece, "willContinue": True} for piece in pieces]
        del said[-1]["willContinue"]
        return said
    if value is None or isinstance(value, bool):
        return [{"jsonPath": path, "nullValue" if value is None else "boolValue": value}]
    return [{"jsonPath": path, "numberValue": float(value)}]


def quoted(name: str) -> str:
    return json.dumps(name)


leaves = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
path_values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(st.text(), inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def arguments_by_path(draw: st.DrawFn) -> tuple[Any, list[dict[str, Any]]]:
    arguments = draw(st.dictionaries(st.text(), path_values, max_size=3))
    return arguments, settings(arguments, "$", draw)


@examples(150)
@given(arguments_by_path(), st.data())
def test_values_set_by_path_are_told_as_text_is(
    said: tuple[Any, list[dict[str, Any]]], data: st.DataObject
) -> None:
    arguments, all_settings = said
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=len(all_settings) + 1))
    accumulator = Accumulator("gemini")
    events = accumulator.feed(part(name="f", id="c0", willContinue=True))
    for size in sizes:
        some, all_settings = all_settings[:size], all_settings[size:]
        events += accumulator.feed(part(partialArgs=some, willContinue=True))
    events += accumulator.feed(part())
    (call,) = accumulator.ready()
    assert json.dumps(call.arguments) == json.dumps(arguments)
    text = json.dumps(arguments)
    _, text_events = run([chunk(begin()), chunk(more(text)), chunk(finish="stop"), DONE])
    assert told(events) == told(text_events)


def part(**called: Any) -> Any:
    return {"candidates": [{"content": {"parts": [{"functionCall": called}]}}]}


# Anything at all


LINES = {
    path.stem: [*path.read_text("utf-8").splitlines(), DONE] for path in STREAMS.glob("*.jsonl")
}
BEGINNINGS = ('"message_start"', '"messageStart"', '"message-start"')


@examples(150)
@given(st.sampled_from(sorted(LINES)), st.data())
def test_lost_repeated_and_shuffled_chunks_are_survived(vendor: str, data: st.DataObject) -> None:
    lines = data.draw(st.lists(st.sampled_from(LINES[vendor])))
    accumulator = Accumulator(vendor)
    started = False
    for line in lines:
        if any(word in line for word in BEGINNINGS):  # a second one is an error, and rightly so
            if started:
                continue
            started = True
        accumulator.feed(line)
        for call in accumulator.calls:
            assert (call in accumulator.ready()) == (call.status == "complete")
    accumulator.close()
    for call in accumulator.calls:
        assert call.status != "streaming"
        assert call.status != "complete" or (call.name and call.arguments is not None)
        call.to_record()


JUNK = [None, "", 0, -1, 1.5, True, "x", "{", '{"a":1}', [], {}, [None], [{}], {"a": 1}, "length"]


def damaged(value: Any, data: st.DataObject) -> Any:
    """Replace one part of a chunk, anywhere inside it, by what does not belong there."""
    inner = list(value) if isinstance(value, dict) else list(range(len(value)))
    if not inner:
        return value
    step = data.draw(st.sampled_from(inner))
    part = value[step]
    copy = dict(value) if isinstance(value, dict) else list(value)
    if isinstance(part, dict | list) and part and data.draw(st.booleans()):
        copy[step] = damaged(part, data)
    else:
        copy[step] = data.draw(st.sampled_from(JUNK))
    return copy


@examples(300)
@given(st.sampled_from(sorted(LINES)), st.data())
def test_damaged_chunks_are_survived(vendor: str, data: st.DataObject) -> None:
    """A field that is missing or of another type is no worse than one that was never there."""
    accumulator = Accumulator(vendor)
    hurt = data.draw(st.sets(st.integers(0, len(LINES[vendor]) - 2), min_size=1, max_size=6))
    for place, line in enumerate(LINES[vendor][:-1]):
        chunk = json.loads(line)
        accumulator.feed(damaged(chunk, data) if place in hurt else chunk)
    accumulator.close()
    for call in accumulator.calls:
        assert call.status != "streaming"
        json.dumps(call.to_record())
