"""Fail every single allocation of representative runs, one after the other.

    python tests/isolated/no_memory.py [SCENARIO ...]

Promised, wherever memory runs out: a plain MemoryError (or, if the engine could do without, the
right result); a parser that was feeding is INVALID then, with the same error each time it is asked,
and after reset() as good as new; and nothing is lost: failing again and again takes no memory.

Uses CPython's own ``_testcapi.set_nomemory``. While allocations fail, nothing but the parser runs:
the interpreter's own ways out of a failure are not under test, and not all of them are sound.
"""

import gc
import sys
from _testcapi import remove_mem_hooks, set_nomemory
from collections.abc import Callable
from itertools import count
from typing import Any

from fragjson import JSONDecodeError, Parser, Status, loads

FRAGMENTS = [
    '{"a":"b', "cd\\u00e9", "x水", '","e":[1,-12.5e3,true,nu', "ll,NaN,1234567890123456789012345,",
    '0.1234567890123456789],"m":{"n":{"o":"p"}},', b'"a":{"r":[[[[[[[[[[[1]]]]]]]]]]]},"\\u0061',
    b"\xe6\xb0", b'\xb4":"' + b"z" * 99, b'z"}  ',
]  # fmt: skip
TEXT = b"".join(each.encode() if isinstance(each, str) else each for each in FRAGMENTS)
EVERYTHING: dict[str, Any] = {
    "events": ("start", "delta", "end"), "paths": ["$.a", "$.e[*]", "$.m.n.o", "$.*"],
    "atomic": ["$.m.n.o"], "keep_text": True, "max_bytes": 10**6, "max_string": 10**6,
}  # fmt: skip
HOOKS: dict[str, Any] = {
    "object_pairs_hook": dict, "array_hook": tuple, "parse_float": complex, "parse_constant": str,
}  # fmt: skip
OPTIONS: list[dict[str, Any]] = [{}, EVERYTHING, HOOKS, {"allow_partial": False}]
ENOUGH = 40
"""Runs in a row that nothing has happened to: the failures have gone past the end."""

Steps = list[tuple[Callable[..., Any], tuple[Any, ...]]]


def feeds(parser: Parser, *fragments: Any) -> Steps:
    return [(parser.feed, (fragment,)) for fragment in fragments]


def steps_of(scenario: str, parser: Parser) -> Steps:
    if scenario == "feed":
        return [*feeds(parser, *FRAGMENTS), (parser.close, ())]
    if scenario == "look":
        get = type(parser).__dict__
        return [
            *feeds(parser, *FRAGMENTS[:7]),
            (parser.snapshot, ()), (parser.is_complete, (("e", 1),)),
            (parser.is_complete, (("m", "n", "o"),)), (get["path"].__get__, (parser,)),
            (get["text"].__get__, (parser,)) if parser.status == "text" else (parser.snapshot, ()),
        ]  # fmt: skip
    if scenario == "fail":
        return feeds(parser, *FRAGMENTS[:5], '!"x')
    if scenario == "cut":
        return [*feeds(parser, *FRAGMENTS[:6]), (parser.close, ())]
    if scenario == "number":
        digits = "123456789012345678901"
        return [*feeds(parser, digits, digits), (parser.close, ())]
    if scenario == "long":  # strings that move to where there is room
        texts = ('{"a":"' + "x" * 70_000, "y" * 50_000, "\\nz" * 40_000, '","a":"', "水" * 99_000)
        return [*feeds(parser, *texts, '"}'), (parser.close, ())]
    if scenario == "reset":
        return [*feeds(parser, *FRAGMENTS[:7]), (parser.reset, ()), *feeds(parser, *FRAGMENTS[:2])]
    return feeds(parser, TEXT + b" extra")


SCENARIOS = ("feed", "look", "fail", "cut", "number", "long", "reset", "extra")


def outcome(steps: Steps, fail_at: int | None = None) -> str:
    """What the steps come to, with one of their allocations failing."""
    sys._getframe()  # it exists from here on: the traceback needs no memory for it
    found: Any = []
    try:
        if fail_at is not None:
            set_nomemory(fail_at, fail_at + 1)
        try:
            for function, arguments in steps:
                found = function(*arguments)
        finally:
            remove_mem_hooks()
    except Exception as error:
        found = error
    return repr(found)


def is_flat(steps: Steps, at: int, before_each: Callable[[], Any], warming: int) -> bool:
    before = 0
    for turn in range(warming + 20):
        before_each()
        outcome(steps, at)
        if turn == warming:
            gc.collect()
            before = sys.getallocatedblocks()
    gc.collect()
    return sys.getallocatedblocks() - before < 20  # not one block each time


# From 3.12 on, the MemoryErrors that the interpreter keeps in reserve pile up tracebacks, whoever
# raises them: a thousand failing bytearray(1000) take 1,900 blocks. More than that is hidden by it.
FLAT = sys.version_info < (3, 12)


def main() -> None:
    total = 0
    if not FLAT:
        print("this interpreter's own MemoryErrors are not flat: not asked of the parser")
    for name in sys.argv[1:] or [*SCENARIOS, "loads", "make"]:
        if name in SCENARIOS:
            failures = sum(starve_parser(name, options) for options in OPTIONS)
        else:
            failures = starve_calls(name)
        print(f"{name}: {failures} allocations failed, each a MemoryError", flush=True)
        total += failures
    print(f"{total} in all")


def starve_parser(scenario: str, options: dict[str, Any]) -> int:
    parser = Parser(**options)
    steps = steps_of(scenario, parser)
    right = outcome(steps)
    parser.reset()
    failures = quiet = 0
    for at in count():
        found = outcome(steps, at)
        if found == right:
            quiet += 1
            if quiet == ENOUGH:
                return failures
        else:
            failures, quiet = failures + 1, 0
            assert found == "MemoryError()", f"{scenario} {options}, at {at}: {found}"
            check_stopped(parser, f"{scenario} {options}, at {at}")
            # An error that is raised already loses itself where its traceback finds no memory: the
            # generated code's affair, and the interpreter's.
            if FLAT and not (scenario == "extra" and options is EVERYTHING):
                check_flat(parser, steps, at)
        parser.reset()
        assert outcome(steps) == right, f"after {at}"
        parser.reset()
    raise AssertionError


def check_stopped(parser: Parser, where: str) -> None:
    """It has stopped and says so always in the same words, or it had not begun to feed."""
    repr((parser.value, parser.snapshot(), parser.path, parser.pos, parser.is_complete(("a",))))
    if parser.status is not Status.INVALID:
        return
    errors = []
    for use in (lambda: parser.feed("1"), parser.close, lambda: parser.feed("")):
        try:
            use()
        except JSONDecodeError as error:
            errors.append(error)
    assert len(errors) == 3, f"{where}: goes on after a MemoryError"
    assert errors[0] == errors[1] == errors[2] == parser.error, f"{where}: {errors}"


def check_flat(parser: Parser, steps: Steps, at: int) -> None:
    # The interpreter keeps some freed objects for later: what grows at first may stop growing.
    flat = any(is_flat(steps, at, parser.reset, warming) for warming in (4, 400))
    assert flat, f"failing at {at} twenty times loses memory"


def starve_calls(name: str) -> int:
    """Calls that leave no parser behind."""
    text = TEXT.decode()
    calls: list[Steps] = [[(Parser, ())]]
    if name == "loads":
        calls = [[(loads, (data,))] for data in (text, text[:99], TEXT[:60], text.encode("utf-16"))]
    failures = 0
    for steps in calls:
        right = outcome(steps) if name == "loads" else None
        quiet = 0
        for at in count():
            found = outcome(steps, at)
            if found == "MemoryError()":
                failures, quiet = failures + 1, 0
            else:
                quiet += 1
                assert right in (None, found), f"at {at}: {found}"
            if quiet == ENOUGH:
                break
    return failures


if __name__ == "__main__":
    main()
