"""What every adapter has to do, as checks: functions that take a ``Writer`` and raise if it fails.

For an adapter of your own, write a ``Writer`` (twenty lines, see ``writing``), and then:

    @pytest.mark.parametrize("check", CHECKS)
    def test_conformance(check):
        CHECKS[check](MyWriter())

The arguments that are written are cut so that any piece left out or said twice makes them
malformed (``gaps_show``); so "a call that is complete has the arguments that were meant" can be
asked for strictly, whatever is done to the stream.
"""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from fragjson.testing.faults import FAULTS, broken
from fragjson.testing.replaying import replay
from fragjson.testing.writing import End, Writer, WrittenCall
from fragjson.toolcalls import Accumulator, CallAborted, CallNotReadyError, ToolCall

__all__ = ["ARGUMENTS", "CHECKS", "PIECES"]

ARGUMENTS = {"place": 'Tromsø "😀"', "days": [1, 2.5], "deep": {"a": None, "b": True}}
PIECES = (
    '{"place": "Troms', r'ø \"😀\"", "days": [', '1, 2.5], "deep": {"', 'a": null, "b": t', "rue}}",
)  # fmt: skip
FIRST, SECOND = ("find", ARGUMENTS), ("note", {"text": "more", **ARGUMENTS})
_SEEDS = 12
"""How many places of a stream each fault is tried at."""
_OBJECTS = ("args", "arguments", "input")
"""Where vendors send arguments as objects: what is in there is the model's, and a dict in SDKs."""
_UNKNOWN: tuple[Any, ...] = (
    None, {}, {"type": "something.new", "index": 0, "delta": {"text": "{"}}, {"type": "ping"},
    {"new": [1]}, "", ": keep-alive", "event: something_new", "data:",
)  # fmt: skip


def one_call(writer: Writer) -> None:
    """See that a call comes out as it was meant, once, and no sooner than the vendor says so."""
    accumulator = Accumulator(writer.vendor)
    seen: list[Any] = []
    for line in (stream := _written(writer, FIRST)):
        events = accumulator.feed(line)
        seen += events
        for call in accumulator.calls:
            _must(call.status in ("streaming", "complete"), f"{call} after {line}")
        if writer.fragmentary and line == stream[len(stream) // 2]:
            _must(bool(accumulator.calls[0].partial), "nothing to show halfway")
    seen += accumulator.close()
    (call,) = _same(writer, accumulator, FIRST)
    if writer.identified:
        _must(call.id == "call_0", f"the id is {call.id}")
    kinds = [event.type for event in seen if event.type != "field_closed"]
    _must(kinds[0] == "tool_call_started" and kinds[-1] == "tool_call_closed", f"events {kinds}")
    _must(len(kinds) == 2 + kinds.count("tool_call_delta"), f"events {kinds}")
    _must(call.text in (None, "".join(PIECES)), f"the text is {call.text}")
    _must(bool(accumulator.finish_reason), "no finish reason")


def every_kind_of_chunk(writer: Writer) -> None:
    """See that dicts, lines and objects give the same calls, with the vendor unnamed, too."""
    stream = _written(writer, FIRST, SECOND)
    chunks = [line if line == "[DONE]" else json.loads(line) for line in stream]
    objects = [line if line == "[DONE]" else _as_object(json.loads(line)) for line in stream]
    lines = [": keep-alive", *(f"data: {line}\n\n" for line in stream)]
    for vendor in (writer.vendor, "auto"):
        for form in (stream, chunks, objects, lines, [line.encode() for line in lines]):
            _same(writer, replay(form, vendor), FIRST, SECOND)


def interleaved(writer: Writer) -> None:
    """See that fragments go to the call they belong to."""
    if writer.interleaves:
        stream = writer.write(FIRST, SECOND, FIRST, interleaved=True)
        _same(writer, replay(stream, writer.vendor), FIRST, SECOND, FIRST)


def no_arguments(writer: Writer) -> None:
    """See that no fragment, an empty one and an empty object all mean ``{}``."""
    empty: tuple[str, Any] = ("find", {})
    for cut in (lambda _: (), lambda _: ("",), lambda _: ("{}",), lambda _: ("", "{", "}", "")):
        stream = writer.write(empty, empty, cut=cut)
        _same(writer, replay(stream, writer.vendor), empty, empty)
        stream = writer.write(empty, end="eof", cut=cut)
        _must(replay(stream, writer.vendor).ready() == [], "ready without a word of the vendor's")


def ready_in_time(writer: Writer) -> None:
    """See that a call is ready as soon as the vendor has closed it, while the stream goes on."""
    if writer.closes:
        stream = _written(writer, FIRST, SECOND)
        accumulator = Accumulator(writer.vendor)
        for line in stream[: len(stream) - len(writer.finish(writer.words.success))]:
            accumulator.feed(line)
        _must(FIRST[0] in [call.name for call in accumulator.ready()], "a closed call is not ready")


def ends(writer: Writer) -> None:
    """See that of a cut, refused, failed or broken stream nothing unfinished is complete."""
    closed = "complete" if writer.closes else None
    for end in _ends_of(writer):
        status = closed or ("unconfirmed" if end == "eof" else "incomplete")
        if end == "cut" and writer.fragmentary:  # the one that was cut is the last one
            status = "complete"
        accumulator = _ends_with(writer, end, status)
        if end == "error":
            _must(accumulator.outcome.state == "failed", "the failure was not told")
            _must("overloaded" in str(accumulator.error), f"the error says {accumulator.error}")


def ends_after_the_last_fragment(writer: Writer) -> None:
    """See that whole arguments, and none at all, are not complete without the vendor's word."""
    call = WrittenCall(*FIRST, "call_0", 0)
    # Where a cut call is closed like any other, its arguments are whole if they look it.
    closed = writer.close(call, cut=True) == writer.close(call, cut=False) != []
    for end in _ends_of(writer):
        for said, cut in ((FIRST, _interlocking), (("find", {}), lambda _: ())):
            accumulator = replay(writer.write(said, end=end, lost=0, cut=cut), writer.vendor)
            if not (end == "cut" and closed and said is FIRST):
                _must(accumulator.ready() == [], f"{end}: {accumulator.calls}, {said}")


def aborted(writer: Writer) -> None:
    """See that, cancelled at any place, calls in flight are aborted and those over stay."""
    stream = _written(writer, FIRST, SECOND)
    for length in range(len(stream)):
        accumulator = Accumulator(writer.vendor)
        for line in stream[:length]:
            accumulator.feed(line)
        ready = accumulator.ready()
        in_flight = [call for call in accumulator.calls if call.status == "streaming"]
        events = accumulator.abort("enough")
        told = [event.call for event in events if isinstance(event, CallAborted)]
        _must(told == in_flight, f"{told} were aborted of {in_flight}")
        _must(accumulator.ready() == ready, "aborting has made a call ready")
        _only_what_was_meant(writer, accumulator)


def unknown_events(writer: Writer) -> None:
    """See that events nobody knows, keep-alives and empty chunks change nothing."""
    stream = _written(writer, FIRST, SECOND)
    for vendor in (writer.vendor, "auto"):
        for unknown in _UNKNOWN:
            between = [each for line in stream for each in (unknown, line)]
            _same(writer, replay([*between, unknown], vendor), FIRST, SECOND)


def lost_start(writer: Writer) -> None:
    """See that what belongs to a call whose start was lost harms no other call."""
    if writer.interleaves and writer.fragmentary:
        stream = _written(writer, FIRST, SECOND, interleaved=True)
        start = writer.start(WrittenCall(*SECOND, "call_1", 1))
        lines = [json.dumps(writer.wrapped(chunk), ensure_ascii=False) for chunk in start]
        accumulator = replay([line for line in stream if line not in lines], writer.vendor)
        _must(FIRST[0] in [call.name for call in accumulator.ready()], f"{accumulator.calls}")
        _only_what_was_meant(writer, accumulator)


def missing_values(writer: Writer) -> None:
    """See that a null in place of any value raises nothing and completes nothing wrong."""
    stream = [json.loads(line) for line in _written(writer, FIRST, SECOND) if line != "[DONE]"]
    for at, chunk in enumerate(stream):
        for poorer in _with_nulls(chunk):
            for vendor in (writer.vendor, "auto"):
                accumulator = Accumulator(vendor)
                for each in (*stream[:at], poorer, *stream[at + 1 :]):
                    accumulator.feed(each)
                accumulator.close()
                _only_what_was_meant(writer, accumulator)


def said_twice(writer: Writer) -> None:
    """See that a call that comes twice, under one id, is one call."""
    if writer.identified:
        once = _written(writer, FIRST)
        whole = len(once) - len(writer.finish(writer.words.success))
        begun = len(writer.begin())
        stream = [*once[:whole], *once[begun:]]
        _same(writer, replay(stream, writer.vendor), FIRST)


def next_turn(writer: Writer) -> None:
    """See that ``reset`` starts the next turn, wherever the one before was left."""
    stream = _written(writer, FIRST, SECOND)
    accumulator = Accumulator(writer.vendor)
    for left in (0, len(stream) // 2, len(stream)):
        for line in stream[:left]:
            accumulator.feed(line)
        accumulator.reset()
        for line in stream:
            accumulator.feed(line)
        accumulator.close()
        _same(writer, accumulator, FIRST, SECOND)
        accumulator.reset()


def faults(writer: Writer) -> None:
    """See that, whatever breaks, no call is complete with arguments nobody sent."""
    for fault in FAULTS:
        for alternate in {False, writer.interleaves}:
            stream = _written(writer, FIRST, SECOND, interleaved=alternate)
            for seed in range(_SEEDS):
                edited = broken(stream, fault, seed)
                accumulator = replay(edited, writer.vendor)
                # A changed character can make other arguments of them, but no others than it says.
                _only_what_was_meant(writer, accumulator, or_said=fault == "corrupt")
                if fault == "stall":
                    _same(writer, accumulator, FIRST, SECOND)
                elif fault == "reorder":  # of lines that say which call they belong to
                    _must(len(accumulator.ready()) == 2, f"{accumulator.calls}, reordered")


CHECKS: dict[str, Callable[[Writer], None]] = {
    check.__name__: check
    for check in (
        one_call, every_kind_of_chunk, interleaved, no_arguments, ready_in_time, ends,
        ends_after_the_last_fragment, aborted, unknown_events, lost_start, missing_values,
        said_twice, next_turn, faults,
    )
}  # fmt: skip
"""All of them, by name."""


def _written(writer: Writer, *calls: tuple[str, Any], interleaved: bool = False) -> list[str]:
    return writer.write(*calls, interleaved=interleaved, cut=_interlocking)


def _interlocking(text: str) -> tuple[str, ...]:
    """Cut the arguments of ``FIRST`` and ``SECOND`` so that no piece can be missing."""
    before, brace, _ = text.partition('"place"')
    return (before + PIECES[0].removeprefix("{"), *PIECES[1:]) if brace else (text,)


def _ends_of(writer: Writer) -> list[End]:
    """Return the ends that are no success, of those that the vendor has."""
    ends: list[End] = ["eof"]
    ends += ["cut"] if writer.words.cut is not None else []
    ends += ["refused"] if writer.words.refused is not None else []
    return ends + (["error"] if writer.error("") else [])  # or clients raise exceptions


def _ends_with(writer: Writer, end: End, status: str) -> Accumulator:
    accumulator = replay(writer.write(FIRST, SECOND, end=end), writer.vendor)
    first, *rest = accumulator.calls
    _must(first.status == status, f"{end}: the first call is {first.status}, not {status}")
    _must(len(rest) == writer.fragmentary, f"{end}: {accumulator.calls}")
    for call in rest:
        _must(call.status == "incomplete", f"{end}: the last call is {call.status}")
        _must(call not in accumulator.ready(), f"{end}: the last call is ready")
        _must(bool(call.correction()), "nothing to say to the model")
    _only_what_was_meant(writer, accumulator)
    return accumulator


def _same(writer: Writer, accumulator: Accumulator, *calls: tuple[str, Any]) -> "list[ToolCall]":
    """Raise unless the calls are these, and ready."""
    found = accumulator.ready()
    meant = [(call.name, call.arguments) for call in found]
    _must(meant == list(calls), f"{meant}, of {accumulator.calls}, instead of {calls}")
    _must(len(accumulator.calls) == len(calls), f"{accumulator.calls} instead of {calls}")
    return found


def _only_what_was_meant(writer: Writer, accumulator: Accumulator, or_said: bool = False) -> None:
    """Raise if a call has no verdict, or is complete with other arguments than were written."""
    for call in accumulator.calls:
        _must(call.status != "streaming", f"no verdict: {call}")
        if call.status == "complete":
            said = or_said and (not call.text or json.loads(call.text) == call.arguments)
            # Where arguments are whole objects, a null is how vendors say that there are none.
            meant = call.arguments in (FIRST[1], SECOND[1], *(() if writer.fragmentary else ({},)))
            _must(meant or said or not writer.gaps_show, f"{call}: {call.arguments}, {call.text}")
        else:
            try:
                call.arguments  # noqa: B018
            except CallNotReadyError:
                continue
            _must(False, f"arguments of {call} can be read")


def _with_nulls(value: Any) -> Iterator[Any]:
    """Yield the chunk with each value within set to null, one at a time."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        for poorer in (None, *(() if key in _OBJECTS else _with_nulls(value[key]))):
            copy = value.copy()
            copy[key] = poorer
            yield copy


class _Object(SimpleNamespace):
    """A chunk as SDKs make it: attributes, and which of them have been set."""

    @property
    def model_fields_set(self) -> set[str]:
        return set(vars(self))


def _as_object(value: Any) -> Any:
    if isinstance(value, dict):
        members = {
            name: child if name in _OBJECTS else _as_object(child) for name, child in value.items()
        }
        return _Object(**members)
    return [_as_object(child) for child in value] if isinstance(value, list) else value


def _must(holds: bool, message: str) -> None:
    # No assert statement: those vanish from optimised code, and a check must not.
    if not holds:
        raise AssertionError(message)
