"""What every adapter has to do, as checks: functions that take a ``Writer`` and raise if it fails.

For an adapter of your own, write a ``Writer`` (twenty lines, see ``writing``), and then:

    @pytest.mark.parametrize("check", CHECKS)
    def test_conformance(check):
        CHECKS[check](MyWriter())
"""

import json
from collections.abc import Callable
from typing import Any

from fragjson.testing.expecting import (
    FIRST,
    PIECES,
    SECOND,
    expect_calls,
    expect_nothing_else,
    interlocking,
    must,
    written,
)
from fragjson.testing.faults import FAULTS, broken
from fragjson.testing.replaying import replay
from fragjson.testing.reshaping import as_object, with_nulls
from fragjson.testing.writing import End, Writer, WrittenCall
from fragjson.toolcalls import Accumulator, CallAborted

__all__ = ["CHECKS"]

_SEEDS = 12
"""How many places of a stream each fault is tried at."""
_UNKNOWN: tuple[Any, ...] = (
    None, {}, {"type": "something.new", "index": 0, "delta": {"text": "{"}}, {"type": "ping"},
    {"new": [1]}, "", ": keep-alive", "event: something_new", "data:",
)  # fmt: skip


def one_call(writer: Writer) -> None:
    """See that a call comes out as it was meant, once, and no sooner than the vendor says so."""
    accumulator = Accumulator(writer.vendor)
    seen: list[Any] = []
    for line in (stream := written(writer, FIRST)):
        events = accumulator.feed(line)
        seen += events
        for call in accumulator.calls:
            must(call.status in ("streaming", "complete"), f"{call} after {line}")
        if writer.fragmentary and line == stream[len(stream) // 2]:
            must(bool(accumulator.calls[0].partial), "nothing to show halfway")
    seen += accumulator.close()
    (call,) = expect_calls(accumulator, FIRST)
    if writer.identified:
        must(call.id == "call_0", f"the id is {call.id}")
    kinds = [event.type for event in seen if event.type != "field_closed"]
    must(kinds[0] == "tool_call_started" and kinds[-1] == "tool_call_closed", f"events {kinds}")
    must(len(kinds) == 2 + kinds.count("tool_call_delta"), f"events {kinds}")
    must(call.text in (None, "".join(PIECES)), f"the text is {call.text}")
    must(bool(accumulator.finish_reason), "no finish reason")


def every_kind_of_chunk(writer: Writer) -> None:
    """See that dicts, lines and objects give the same calls, with the vendor unnamed, too."""
    stream = written(writer, FIRST, SECOND)
    chunks = [line if line == "[DONE]" else json.loads(line) for line in stream]
    objects = [line if line == "[DONE]" else as_object(json.loads(line)) for line in stream]
    lines = [": keep-alive", *(f"data: {line}\n\n" for line in stream)]
    for vendor in (writer.vendor, "auto"):
        for form in (stream, chunks, objects, lines, [line.encode() for line in lines]):
            expect_calls(replay(form, vendor), FIRST, SECOND)


def interleaved(writer: Writer) -> None:
    """See that fragments go to the call they belong to."""
    if writer.interleaves:
        stream = writer.write(FIRST, SECOND, FIRST, interleaved=True)
        expect_calls(replay(stream, writer.vendor), FIRST, SECOND, FIRST)


def no_arguments(writer: Writer) -> None:
    """See that no fragment, an empty one and an empty object all mean ``{}``."""
    empty: tuple[str, Any] = ("find", {})
    for cut in (lambda _: (), lambda _: ("",), lambda _: ("{}",), lambda _: ("", "{", "}", "")):
        stream = writer.write(empty, empty, cut=cut)
        expect_calls(replay(stream, writer.vendor), empty, empty)
        stream = writer.write(empty, end="eof", cut=cut)
        must(replay(stream, writer.vendor).ready() == [], "ready without a word of the vendor's")


def ready_in_time(writer: Writer) -> None:
    """See that a call is ready as soon as the vendor has closed it, while the stream goes on."""
    if writer.closes:
        stream = written(writer, FIRST, SECOND)
        accumulator = Accumulator(writer.vendor)
        for line in stream[: len(stream) - len(writer.finish(writer.words.success))]:
            accumulator.feed(line)
        must(FIRST[0] in [call.name for call in accumulator.ready()], "a closed call is not ready")


def ends(writer: Writer) -> None:
    """See that of a cut, refused, failed or broken stream nothing unfinished is complete."""
    closed = "complete" if writer.closes else None
    for end in writer.ends[1:]:
        status = closed or ("unconfirmed" if end == "eof" else "incomplete")
        if end == "cut" and writer.fragmentary:  # the one that was cut is the last one
            status = "complete"
        accumulator = _ends_with(writer, end, status)
        if end == "error":
            must(accumulator.outcome.state == "failed", "the failure was not told")
            must("overloaded" in str(accumulator.error), f"the error says {accumulator.error}")


def ends_after_the_last_fragment(writer: Writer) -> None:
    """See that whole arguments, and none at all, are not complete without the vendor's word."""
    call = WrittenCall(*FIRST, "call_0", 0)
    # Where a cut call is closed like any other, its arguments are whole if they look it.
    closed = writer.close(call, cut=True) == writer.close(call, cut=False) != []
    for end in writer.ends[1:]:
        for said, cut in ((FIRST, interlocking), (("find", {}), lambda _: ())):
            accumulator = replay(writer.write(said, end=end, lost=0, cut=cut), writer.vendor)
            if not (end == "cut" and closed and said is FIRST):
                must(accumulator.ready() == [], f"{end}: {accumulator.calls}, {said}")


def aborted(writer: Writer) -> None:
    """See that, cancelled at any place, calls in flight are aborted and those over stay."""
    stream = written(writer, FIRST, SECOND)
    for length in range(len(stream)):
        accumulator = Accumulator(writer.vendor)
        for line in stream[:length]:
            accumulator.feed(line)
        ready = accumulator.ready()
        in_flight = [call for call in accumulator.calls if call.status == "streaming"]
        events = accumulator.abort("enough")
        told = [event.call for event in events if isinstance(event, CallAborted)]
        must(told == in_flight, f"{told} were aborted of {in_flight}")
        must(accumulator.ready() == ready, "aborting has made a call ready")
        expect_nothing_else(writer, accumulator)


def unknown_events(writer: Writer) -> None:
    """See that events nobody knows, keep-alives and empty chunks change nothing."""
    stream = written(writer, FIRST, SECOND)
    for vendor in (writer.vendor, "auto"):
        for unknown in _UNKNOWN:
            between = [each for line in stream for each in (unknown, line)]
            expect_calls(replay([*between, unknown], vendor), FIRST, SECOND)


def lost_start(writer: Writer) -> None:
    """See that what belongs to a call whose start was lost harms no other call."""
    if writer.interleaves and writer.fragmentary:
        stream = written(writer, FIRST, SECOND, interleaved=True)
        start = writer.start(WrittenCall(*SECOND, "call_1", 1))
        lines = [json.dumps(writer.wrapped(chunk), ensure_ascii=False) for chunk in start]
        accumulator = replay([line for line in stream if line not in lines], writer.vendor)
        must(FIRST[0] in [call.name for call in accumulator.ready()], f"{accumulator.calls}")
        expect_nothing_else(writer, accumulator)


def missing_values(writer: Writer) -> None:
    """See that a null in place of any value raises nothing and completes nothing wrong."""
    stream = [json.loads(line) for line in written(writer, FIRST, SECOND) if line != "[DONE]"]
    for at, chunk in enumerate(stream):
        for poorer in with_nulls(chunk):
            for vendor in (writer.vendor, "auto"):
                accumulator = Accumulator(vendor)
                for each in (*stream[:at], poorer, *stream[at + 1 :]):
                    accumulator.feed(each)
                accumulator.close()
                expect_nothing_else(writer, accumulator)


def said_twice(writer: Writer) -> None:
    """See that a call that comes twice, under one id, is one call."""
    if writer.identified:
        once = written(writer, FIRST)
        whole = len(once) - len(writer.finish(writer.words.success))
        begun = len(writer.begin())
        stream = [*once[:whole], *once[begun:]]
        expect_calls(replay(stream, writer.vendor), FIRST)


def next_turn(writer: Writer) -> None:
    """See that ``reset`` starts the next turn, wherever the one before was left."""
    stream = written(writer, FIRST, SECOND)
    accumulator = Accumulator(writer.vendor)
    for left in (0, len(stream) // 2, len(stream)):
        for line in stream[:left]:
            accumulator.feed(line)
        accumulator.reset()
        for line in stream:
            accumulator.feed(line)
        accumulator.close()
        expect_calls(accumulator, FIRST, SECOND)
        accumulator.reset()


def faults(writer: Writer) -> None:
    """See that, whatever breaks, no call is complete with arguments nobody sent."""
    for fault in FAULTS:
        for alternate in {False, writer.interleaves}:
            stream = written(writer, FIRST, SECOND, interleaved=alternate)
            for seed in range(_SEEDS):
                edited = broken(stream, fault, seed)
                accumulator = replay(edited, writer.vendor)
                # A changed character can make other arguments of them, but no others than it says.
                expect_nothing_else(writer, accumulator, or_said=fault == "corrupt")
                if fault == "stall":
                    expect_calls(accumulator, FIRST, SECOND)
                elif fault == "reorder":  # of lines that say which call they belong to
                    must(len(accumulator.ready()) == 2, f"{accumulator.calls}, reordered")


CHECKS: dict[str, Callable[[Writer], None]] = {
    check.__name__: check
    for check in (
        one_call, every_kind_of_chunk, interleaved, no_arguments, ready_in_time, ends,
        ends_after_the_last_fragment, aborted, unknown_events, lost_start, missing_values,
        said_twice, next_turn, faults,
    )
}  # fmt: skip
"""All of them, by name."""


def _ends_with(writer: Writer, end: End, status: str) -> Accumulator:
    accumulator = replay(writer.write(FIRST, SECOND, end=end), writer.vendor)
    first, *rest = accumulator.calls
    must(first.status == status, f"{end}: the first call is {first.status}, not {status}")
    must(len(rest) == writer.fragmentary, f"{end}: {accumulator.calls}")
    for call in rest:
        must(call.status == "incomplete", f"{end}: the last call is {call.status}")
        must(call not in accumulator.ready(), f"{end}: the last call is ready")
        must(bool(call.correction()), "nothing to say to the model")
    expect_nothing_else(writer, accumulator)
    return accumulator
