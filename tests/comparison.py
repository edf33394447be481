"""What a parser shows at every step, in one comparable record, for the engine and the reference.

follow(parser, fragments) -> Trace    feed, look, feed, look, ..., close
loaded(function, data, **options)     the outcome of one call, in the same words
json_loads(text, **options)           json.loads, which has its array_hook on any version here
exactly(value)                        a string that two values share only if they are the same:
                                      tells 1 from 1.0 and True, 0.0 from -0.0, joined
                                      surrogates from halves, and the order of members; nan is
                                      nan
"""

import json
import json.scanner
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import reference
from fragmentation import join_deltas

import fragjson
from fragjson._errors import DepthLimitError

Path = tuple[str | int, ...]
Event = tuple[str, Path, str, Any]

exactly = repr

HOOKS = (
    "object_hook", "object_pairs_hook", "array_hook", "parse_int", "parse_float", "parse_constant",
)  # fmt: skip
EVERY_EVENT = frozenset({"start", "delta", "end"})


@dataclass
class Trace:
    """``steps`` follow the fragments; ``total`` is the same for every fragmentation."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    total: dict[str, Any] = field(default_factory=dict)


def follow(parser: Any, fragments: Iterable[Any], probes: Sequence[Path] = ()) -> Trace:
    trace = Trace()
    events: list[Event] = []
    outcome: dict[str, Any] | None = None
    for fragment in fragments:
        try:
            caused = plain_events(parser.feed(fragment))
        except (fragjson.JSONDecodeError, reference.Fault) as error:
            outcome = described(error)
            caused = plain_events(error.events)
        events += caused
        trace.steps.append({**seen(parser, probes), "events": exactly(caused)})
        if outcome is not None:
            break
    if outcome is None:
        try:
            outcome = {"result": exactly(parser.close())}
        except (fragjson.JSONDecodeError, reference.Fault) as error:
            outcome = described(error)
            outcome["late events"] = exactly(plain_events(error.events))
    trace.total = {**outcome, **seen(parser, probes), "events": exactly(join_deltas(events))}
    return trace


def json_loads(text: str, *, array_hook: Callable[..., Any] | None = None, **options: Any) -> Any:
    if array_hook is None:
        return json.loads(text, **options)
    if sys.version_info >= (3, 15):
        return json.loads(text, array_hook=array_hook, **options)
    decoder = json.JSONDecoder(**options)
    parse_array = decoder.parse_array

    def hooked(*place: Any) -> Any:
        values, end = parse_array(*place)
        return array_hook(values), end

    decoder.parse_array = hooked
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    return decoder.decode(text)


def seen(parser: Any, probes: Sequence[Path]) -> dict[str, Any]:
    return {
        "value": exactly(parser.value),
        "status": str(parser.status),
        "path": exactly(parser.path),
        "json type": parser.json_type,
        "pos": parser.pos,
        "complete": [parser.is_complete(path) for path in probes],
        "unused": exactly(content(parser.unused_data)),
    }


def content(data: Any) -> Any:
    return ("memoryview", bytes(data)) if isinstance(data, memoryview) else data


def plain_events(events: Iterable[Any]) -> list[Event]:
    """As tuples; an opened container is compared as it was when it opened, empty."""
    plain = []
    for event in events:
        kind, path, json_type, value = (
            event if isinstance(event, tuple)
            else (event.kind, event.path, event.json_type, event.value)
        )  # fmt: skip
        if kind == "start" and json_type in ("object", "array"):
            value = type(value)()
        plain.append((kind, path, json_type, value))
    return plain


def described(error: Any) -> dict[str, Any]:
    return {
        "fault": error.kind if isinstance(error, reference.Fault) else kind_of(error),
        "msg": error.msg,
        "error pos": (error.pos, error.lineno, error.colno, error.stopped_at),
        "error path": exactly(error.path),
        "error value": exactly(error.value),
    }


def kind_of(error: fragjson.JSONDecodeError) -> str:
    kinds: dict[type, str] = {
        fragjson.MalformedJSONError: "malformed",
        fragjson.IncompleteJSONError: "incomplete",
        fragjson.LimitExceededError: "limit",
        DepthLimitError: "depth",
    }
    return kinds[type(error)]


def loaded(function: Any, data: Any, **options: Any) -> dict[str, Any]:
    try:
        return {"result": exactly(function(data, **options))}
    except (fragjson.JSONDecodeError, reference.Fault) as error:
        return described(error)
    except UnicodeDecodeError as error:
        return {"fault": "unicode", "msg": str(error)}


def feed_all(parser: Any, fragments: Iterable[Any]) -> None:
    for fragment in fragments:
        parser.feed(fragment)


def fed(*fragments: Any, **options: Any) -> fragjson.Parser:
    parser = fragjson.Parser(**options)
    feed_all(parser, fragments)
    return parser


def events_of(*fragments: Any, events: Any = EVERY_EVENT, **options: Any) -> list[Event]:
    parser = fragjson.Parser(events=events, **options)
    return [event for fragment in fragments for event in plain_events(parser.feed(fragment))]


def value_of(parser: Any, fragments: Iterable[Any]) -> Any:
    feed_all(parser, fragments)
    return parser.close()


def error_of(
    function: Callable[..., Any], *arguments: Any, **options: Any
) -> fragjson.JSONDecodeError | None:
    try:
        function(*arguments, **options)
    except fragjson.JSONDecodeError as error:
        return error
    return None


def paths_in(value: Any, limit: int = 12) -> list[Path]:
    """Some of the paths in a value, and some that are not."""
    found: list[Path] = []
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting and len(found) < limit:
        path, here = waiting.pop(0)
        found.append(path)
        if isinstance(here, dict):
            waiting += [((*path, step), child) for step, child in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, step), child) for step, child in enumerate(here)]
    return [*found, (*found[-1], 0), (*found[-1], "a"), ("no",), (99,)]
