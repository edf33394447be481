r"""Assertions for programs that read streams: what breaks them is told so that it can be repeated.

>>> import json
>>> def read(fragments):  # decodes what it gets piece by piece
...     return json.loads("".join(piece.decode() for piece in fragments))
>>> assert_same_under_fragmentation(read, '{"port": "Tromsø"}'.encode())
Traceback (most recent call last):
    ...
AssertionError: the result depends on how the input is cut
  cut at 16:   b'{"port": "Troms\xc3' | b'\xb8"}'
  gives:       UnicodeDecodeError: 'utf-8' codec can't decode byte 0xc3 in position 15: unexpected end of data
  instead of:  {'port': 'Tromsø'}
"""  # noqa: E501 - the output of the example

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, AnyStr, NamedTuple, TypeAlias

from fragjson import Event
from fragjson.testing.choosing import chosen
from fragjson.testing.expecting import FIRST, SECOND, interlocking, written
from fragjson.testing.faults import FAULTS, broken
from fragjson.testing.fragmenting import fragmentations
from fragjson.testing.replaying import replay
from fragjson.testing.writers import WRITERS
from fragjson.testing.writing import Writer
from fragjson.toolcalls.arguments import same

__all__ = ["Harness", "assert_never_runs_half_a_call", "assert_same_under_fragmentation"]

Harness: TypeAlias = Callable[[list[str], Callable[[str, Any], None]], object]
"""A program that reads a stream: gets its lines, and what to call to run a tool: name, arguments"""

_LONGEST = 200
"""How many characters of anything a message shows."""
_MEANT = (FIRST, SECOND)
_WORDLESS = ("drop", "cut", "lose_finish")
"""Faults that can take away the vendor's word that a call is finished."""


def assert_same_under_fragmentation(
    result_of: Callable[[list[AnyStr]], Any],
    data: AnyStr,
    *,
    seed: int = 0,
    most_splits: int = 64,
) -> None:
    """Raise if it makes a difference how the input is cut.

    Args:
        result_of: gets a list of fragments, and returns what is to be the same: a value that can be
            compared. An exception is a result like any other, with its type and its text. Types
            count (``1``, ``1.0`` and ``True`` differ), and one NaN is like another, also within
            dicts, lists, tuples, dataclasses and the parser's events.
        data: the text or the bytes to cut.
        seed: of the random cuts.
        most_splits: at how many places it is cut in two: all, unless there are more.

    Raises:
        AssertionError: with the first way to cut it that makes a difference, and both results.
    """
    __tracebackhide__ = True
    ways = fragmentations(data, seed, most_splits=most_splits)
    _, whole = next(ways)
    expected = _outcome(result_of, whole)
    for way, fragments in ways:
        found = _outcome(result_of, fragments)
        if not found.equals(expected):
            raise AssertionError(_difference(way, fragments, str(found), str(expected)))


def assert_never_runs_half_a_call(
    harness: Harness,
    writer: str | Writer,
    *,
    seed: int = 0,
    places: int = 12,
    trust_eof: bool = False,
) -> None:
    """Raise if a program runs a call that is not whole, not finished, not meant, or run already.

    It is given the stream of two calls as it should be, which it has to run, both and once; then
    streams that the vendor ends in other ways, and streams with each fault of ``FAULTS``. Of those
    it may run as much as is certain, or nothing, or raise an exception.

    Args:
        harness: reads the stream. ``chunks`` turns its lines into what an SDK would hand on.
        writer: the vendor: a name in ``WRITERS``, or a writer of your own.
        seed: of the places.
        places: how many places of a stream each fault is tried at.
        trust_eof: a call may be run if the stream ends without a word and its arguments are whole.

    Raises:
        AssertionError: with the call that was run, and the end of the stream that it was read from.
        ValueError: there is no writer of that name.
        TypeError: the harness cannot be called.
    """
    __tracebackhide__ = True
    if not callable(harness):
        raise TypeError(f"harness is what reads a stream, not {type(harness).__name__}")
    writer = chosen("writer", writer, WRITERS) if isinstance(writer, str) else writer
    for interleaved in sorted({False, writer.interleaves}):
        stream = written(writer, *_MEANT, interleaved=interleaved)
        ran, error = _run(harness, stream)
        if len(ran) != len(_MEANT) or [*_wrongly_run(ran, (), _MEANT)]:
            raise AssertionError(_unread(writer, ran, error)) from error
    for what, stream, wordless in _broken_streams(writer, seed, places):
        ran, _ = _run(harness, stream)
        accumulator = replay(stream, writer.vendor, trust_eof=trust_eof)
        certain = [(str(call.name), call.arguments) for call in accumulator.ready()]
        for call, wrong in _wrongly_run(ran, certain, () if wordless else _MEANT):
            raise AssertionError(_half(what, stream, call, wrong))


class _Outcome(NamedTuple):
    """What a function did: returned a value, or raised an exception."""

    value: Any
    error: Exception | None

    def equals(self, other: "_Outcome") -> bool:
        return _alike(self.value, other.value) and (
            (type(self.error), str(self.error)) == (type(other.error), str(other.error))
        )

    def __str__(self) -> str:
        if self.error is None:
            return repr(self.value)
        return f"{type(self.error).__name__}: {self.error}"


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are the same to the types of all that is in them."""
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return False
        parts, others = _parts(one), _parts(other)
        if parts is None or others is None:
            if not same(one, other):
                return False
        elif parts.keys() != others.keys():
            return False
        else:
            pairs.extend((part, others[name]) for name, part in parts.items())
    return True


def _parts(value: Any) -> dict[Any, Any] | None:
    """Return what a value is made of, ``None`` if it is compared as one."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple):
        return dict(enumerate(value))
    if isinstance(value, Event):
        return {name: getattr(value, name) for name in Event.__match_args__}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value) if each.compare}
    return None


def _outcome(function: Callable[[Any], Any], argument: Any) -> _Outcome:
    try:
        return _Outcome(function(argument), None)
    except Exception as error:  # whatever it raises is what it does
        return _Outcome(None, error)


def _difference(way: str, fragments: Sequence[Any], found: str, expected: str) -> str:
    if way.startswith("cut at"):
        before, after = fragments
        cut = f"{before[-_LONGEST // 4 :]!r} | {after[: _LONGEST // 4]!r}"
    else:
        cut = _shortened(" | ".join(map(repr, fragments)))
    at = _first_difference(found, expected)
    lines = {f"{way}:": cut, "gives:": _around(found, at), "instead of:": _around(expected, at)}
    width = max(map(len, lines)) + 1
    told = [f"  {name:{width}} {text}" for name, text in lines.items()]
    return "\n".join(["the result depends on how the input is cut", *told])


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _around(text: str, at: int) -> str:
    """Show a text, of a long one what is around this place."""
    start = max(0, at - _LONGEST // 2) if len(text) > _LONGEST else 0
    return ("..." if start else "") + _shortened(text[start:])


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _run(harness: Harness, stream: list[str]) -> tuple[list[tuple[str, Any]], Exception | None]:
    """Return what it ran, and the exception that it ended with."""
    ran: list[tuple[str, Any]] = []
    outcome = _outcome(lambda lines: harness(lines, lambda *call: ran.append(call)), stream)
    return ran, outcome.error


def _broken_streams(
    writer: Writer, seed: int, places: int
) -> Iterator[tuple[str, list[str], bool]]:
    """Yield what is wrong, a stream with that, and whether the vendor's word may be missing."""
    for end in writer.ends[1:]:
        for lost in (0, 1):
            stream = writer.write(*_MEANT, end=end, lost=lost, cut=interlocking)
            yield f"the stream ends as {end!r}", stream, True
    for fault in FAULTS:
        for interleaved in sorted({False, writer.interleaves}):
            stream = written(writer, *_MEANT, interleaved=interleaved)
            for place in range(seed, seed + places):
                what = f"the stream has the fault {fault!r} (seed {place})"
                yield what, broken(stream, fault, place), fault in _WORDLESS


def _wrongly_run(
    ran: Sequence[tuple[str, Any]],
    certain: Sequence[tuple[str, Any]],
    meant: Sequence[tuple[str, Any]],
) -> Iterator[tuple[tuple[str, Any], str]]:
    """Yield the calls that should not have been run, and why.

    Of a stream that has lost nothing the meant ones may be run, whatever can be told of it.
    """
    left = [*certain, *(call for call in meant if not _in(call, certain))]
    for at, call in enumerate(ran):
        if _in(call, left):
            left.remove(next(each for each in left if _same_call(each, call)))
        elif _in(call, ran[:at]):
            yield call, "was run again"
        elif _in(call, _MEANT):
            yield call, "was run, though the vendor has not said that it is finished"
        else:
            yield call, "was run, which nobody has said"


def _in(call: tuple[str, Any], calls: Sequence[tuple[str, Any]]) -> bool:
    return any(_same_call(call, each) for each in calls)


def _same_call(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    return one[0] == other[0] and same(one[1], other[1])


def _unread(writer: Writer, ran: Sequence[tuple[str, Any]], error: Exception | None) -> str:
    return "\n".join(
        [
            f"the calls of an unbroken stream of {writer.vendor} were not run as they were sent",
            *(f"  sent:    {_said(call)}" for call in _MEANT),
            *([f"  run:     {_said(call)}" for call in ran] or ["  run:     none"]),
            *([f"  raised:  {type(error).__name__}: {error}"] if error else []),
        ]
    )


def _half(what: str, stream: list[str], call: tuple[str, Any], wrong: str) -> str:
    end = [f"    {_shortened(line)}" for line in stream[-4:]]
    return "\n".join([f"{_said(call)} {wrong}: {what}", "  its last lines:", *end])


def _said(call: tuple[str, Any]) -> str:
    return _shortened(f"{call[0]}({call[1]!r})")
