"""The calls that the checks have written, and what has to have come of them.

Their arguments are cut so that any piece left out or said twice makes them malformed; so "a call
that is complete has the arguments that were meant" can be asked for strictly, whatever is done to
the stream.
"""

import json
from typing import Any

from fragjson.testing.writing import Writer
from fragjson.toolcalls import Accumulator, CallNotReadyError, ToolCall
from fragjson.toolcalls.arguments import same

__all__ = [
    "ARGUMENTS", "FIRST", "PIECES", "SECOND", "expect_calls", "expect_nothing_else",
    "interlocking", "must", "written",
]  # fmt: skip

ARGUMENTS = {"place": 'Tromsø "😀"', "days": [1, 2.5], "deep": {"a": None, "b": True}}
PIECES = (
    '{"place": "Troms', r'ø \"😀\"", "days": [', '1, 2.5], "deep": {"', 'a": null, "b": t', "rue}}",
)  # fmt: skip
FIRST, SECOND = ("find", ARGUMENTS), ("note", {"text": "more", **ARGUMENTS})
"""The name and the arguments of each."""


def written(writer: Writer, *calls: tuple[str, Any], interleaved: bool = False) -> list[str]:
    """Write a stream of ``FIRST`` and ``SECOND`` in which no piece can be missing."""
    return writer.write(*calls, interleaved=interleaved, cut=interlocking)


def interlocking(text: str) -> tuple[str, ...]:
    """Cut the arguments of ``FIRST`` or ``SECOND`` so that no piece can be missing."""
    before, _, _ = text.partition('"place"')
    return (before + PIECES[0].removeprefix("{"), *PIECES[1:])


def expect_calls(accumulator: Accumulator, *calls: tuple[str, Any]) -> list[ToolCall]:
    """Return the calls; raise unless they are these, no others, and ready."""
    found = accumulator.ready()
    right = len(found) == len(calls) == len(accumulator.calls) and all(
        call.name == name and same(call.arguments, arguments)
        for call, (name, arguments) in zip(found, calls, strict=True)
    )
    meant = [(call.name, call.arguments) for call in found]
    must(right, f"{meant}, of {accumulator.calls}, instead of {calls}")
    return found


def expect_nothing_else(writer: Writer, accumulator: Accumulator, *, or_said: bool = False) -> None:
    """Raise if a call has no verdict, or is complete with other arguments than were written.

    ``or_said``: it may have those that its text says.
    """
    meant = [FIRST[1], SECOND[1]]
    if not writer.fragmentary:
        meant.append({})  # of whole objects, a null is how vendors say that there are none
    for call in accumulator.calls:
        must(call.status != "streaming", f"no verdict: {call}")
        if call.status == "complete":
            said = or_said and (not call.text or same(json.loads(call.text), call.arguments))
            right = said or any(same(call.arguments, each) for each in meant)
            must(right or not writer.gaps_show, f"{call}: {call.arguments}, {call.text}")
        else:
            try:
                call.arguments  # noqa: B018
            except CallNotReadyError:
                continue
            must(False, f"arguments of {call} can be read")


def must(holds: bool, message: str) -> None:
    """Raise unless it holds."""
    # No assert statement: those vanish from optimised code, and a check must not.
    if not holds:
        raise AssertionError(message)
