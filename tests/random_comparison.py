"""Compare the engine with the reference and with ``json.loads`` on seeded random documents.

    python tests/random_comparison.py 20000 --seed 1      that many documents
    python tests/random_comparison.py --seed 1 --only 812 one of them again

A third of the documents is whole, a third damaged, a third cut; each is fed in several random
fragmentations under random options. Everything one can see is compared after every fragment.
Prints what was done and the first difference, with all that is needed to repeat it; exits with 1
if there is one.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from itertools import pairwise
from typing import Any

import generator
import reference
from comparison import exactly, follow, loaded, paths_in

import fragjson
from fragjson.testing import Data, fragments, mixed, units

FRAGMENTATIONS = 4
ALLOW_IN_PARSER = [True, False, 0, *range(1, 14)]
PATHS = [
    "$",
    "$.a",
    "$[0]",
    "$[*]",
    "$.*",
    "$.a.b",
    "$[*].id",
    "$.a[*]",
    "$['a.b']",
    "$[0][1]",
    "$.*.*",
]


class Recorder:
    """Hooks that note what they were called with, so that two runs can be compared."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.calls: list[str] = []

    def options(self) -> dict[str, Any]:
        return {name: self.hook(name) for name in self.names}

    def hook(self, name: str) -> Any:
        def call(argument: Any) -> Any:
            self.calls.append(f"{name}({argument!r})")
            return (name, argument)

        return call


class Difference(Exception):  # noqa: N818
    """What the engine does and what it should."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("count", type=int, nargs="?", default=1000)
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--only", type=int, help="the number of a single document")
    given = arguments.parse_args()
    numbers = range(given.count) if given.only is None else [given.only]
    done: Counter[str] = Counter()
    begun = time.perf_counter()
    for number in numbers:
        rng = random.Random(f"{given.seed}:{number}")
        try:
            compare_one(rng, done)
        except Exception as error:
            if not isinstance(error, Difference):
                print(f"document {number} of seed {given.seed} raised {error!r}")
                raise
            print(f"{summary(done)}\n\nFirst difference: document {number} of seed {given.seed}")
            print(f"(again: python {sys.argv[0]} --seed {given.seed} --only {number})\n\n{error}")
            return 1
    print(f"{summary(done)}\nno difference, {time.perf_counter() - begun:.0f} s")
    return 0


def summary(done: Counter[str]) -> str:
    return "\n".join(f"{count:>9} {what}" for what, count in sorted(done.items()))


def compare_one(rng: random.Random, done: Counter[str]) -> None:
    data = random_input(rng)
    done["documents"] += 1
    done[f"documents as {type(data).__name__}"] += 1
    done[f"documents {state_of(data)}"] += 1
    compare_with_json(data)
    compare_loads(data, rng)
    done["calls of loads"] += 2
    for turn in range(FRAGMENTATIONS):
        options, hooks = ({}, ()) if turn == 0 else random_options(rng)
        outcome = compare_parsers(random_fragmentation(data, rng), options, hooks, rng)
        done["fragmentations"] += 1
        done[f"fragmentations ending: {outcome}"] += 1


def random_input(rng: random.Random) -> str | bytes:
    text = generator.document(rng)
    kind = rng.randrange(3)
    if kind == 1:
        text = generator.damaged(rng, text)
    elif kind == 2:
        text = generator.cut(rng, text)
    if rng.random() < 0.5:
        return text
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.1:
        data = b"\xef\xbb\xbf" + data
    if kind == 1 and rng.random() < 0.5:
        data = generator.damaged_bytes(rng, data)
    if kind == 2 and rng.random() < 0.5:
        data = data[: rng.randrange(len(data) + 1)]
    return data


def state_of(data: str | bytes) -> str:
    outcome = loaded(reference.loads, data, allow_partial=False)
    return {"malformed": "malformed", "incomplete": "cut", "unicode": "malformed"}.get(
        outcome.get("fault", ""), "valid"
    )


def random_fragmentation(data: str | bytes, rng: random.Random) -> list[Data]:
    kind = rng.random()
    if kind < 0.1:
        return [data]
    if kind < 0.3:
        return units(data)
    if kind < 0.7:
        return mixed(data, rng)
    return random_fragments(data, rng)


def random_fragments(data: str | bytes, rng: random.Random) -> list[Data]:
    return fragments(data, rng, longest=rng.choice([2, 4, 8, 40]))


def random_options(rng: random.Random) -> tuple[dict[str, Any], tuple[str, ...]]:
    options: dict[str, Any] = {}
    kinds = ["start", "delta", "end"]
    options["events"] = rng.choice([kinds, kinds, rng.sample(kinds, rng.randint(0, 3))])
    if rng.random() < 0.3:
        options["paths"] = rng.sample(PATHS, rng.randint(1, 3))
    if rng.random() < 0.2:
        options["atomic"] = rng.sample(PATHS, rng.randint(1, 2))
    if rng.random() < 0.4:
        allowed = rng.choice(ALLOW_IN_PARSER)
        options["allow_partial"] = (
            allowed if isinstance(allowed, bool) else fragjson.Allow(allowed & ~fragjson.Allow.NUM)
        )
    if rng.random() < 0.2:
        options["strict"] = False
    if rng.random() < 0.15:
        options["max_depth"] = rng.randint(1, 5)
    if rng.random() < 0.15:
        options["max_bytes"] = rng.choice([1, 3, 10, 30, 100])
    if rng.random() < 0.15:
        options["max_string"] = rng.choice([1, 2, 3, 5, 9])
    if rng.random() < 0.3:
        options["keep_text"] = True
    hooks: tuple[str, ...] = ()
    if rng.random() < 0.25:
        names = [
            "object_hook", "object_pairs_hook", "array_hook", "parse_float", "parse_int",
            "parse_constant",
        ]  # fmt: skip
        hooks = tuple(rng.sample(names, rng.randint(1, 3)))
    return options, hooks


def compare_parsers(
    fragments: list[Data], options: dict[str, Any], hooks: tuple[str, ...], rng: random.Random
) -> str:
    right_calls, our_calls = Recorder(hooks), Recorder(hooks)
    oracle = reference.Reference(**options, **right_calls.options())
    follow(oracle, fragments)
    probes = paths_in(oracle.value)
    oracle.reset()
    right_calls.calls.clear()
    right = follow(oracle, fragments, probes)
    parser = fragjson.Parser(**options, **our_calls.options())
    if rng.random() < 0.3:
        use_and_reset(parser, rng)
        our_calls.calls.clear()
    kept = Keeper(rng) if rng.random() < 0.3 else None
    watched = parser if kept is None else Watched(parser, kept)
    ours = follow(watched, fragments, probes)
    where = f"options = {options!r}\nhooks = {hooks!r}\nfragments = {fragments!r}\n"
    for number, (mine, its) in enumerate(zip(ours.steps, right.steps, strict=False)):
        expect(mine, its, f"{where}after fragment {number}: {fragments[number]!r}")
    expect(ours.total, right.total, f"{where}at the end")
    expect({"feeds": len(ours.steps)}, {"feeds": len(right.steps)}, where)
    expect({"hooks": our_calls.calls}, {"hooks": right_calls.calls}, where)
    if kept is not None:
        kept.check(where)
    if options.get("keep_text") and oracle.fault is None:
        expect({"text": exactly(parser.text)}, {"text": exactly(oracle.text)}, where)
    return str(right.total.get("fault", "complete"))


def use_and_reset(parser: fragjson.Parser, rng: random.Random) -> None:
    """A parser that has read something else before is as good as a new one."""
    follow(parser, random_fragments(generator.damaged(rng, generator.document(rng)), rng))
    parser.reset()


class Keeper:
    """Holds what was shown, the way a careless or a busy program does, and looks again later."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.strings: list[tuple[str, list[str]]] = []
        self.snapshots: list[tuple[Any, str]] = []

    def look(self, parser: fragjson.Parser) -> None:
        if self.rng.random() < 0.5:
            snapshot = parser.snapshot()
            self.snapshots.append((snapshot, exactly(snapshot)))
            expect({"snapshot": exactly(snapshot)}, {"snapshot": exactly(parser.value)}, "")
        found = parser.value
        while isinstance(found, (dict, list)) and found:
            found = found[-1] if isinstance(found, list) else found[list(found)[-1]]
        if isinstance(found, str) and self.rng.random() < 0.7:
            self.strings.append((found, list(found)))
            hash(found)
            found.encode("utf-8", "replace")

    def check(self, where: str) -> None:
        for string, letters in self.strings:
            kept = {"a string that was kept": exactly(string), "as a key": string in {string: 1}}
            expect(
                kept, {"a string that was kept": exactly("".join(letters)), "as a key": True}, where
            )
        for snapshot, text in self.snapshots:
            expect({"a snapshot": exactly(snapshot)}, {"a snapshot": text}, where)


class Watched:
    """A parser whose value a ``Keeper`` looks at after every feed."""

    def __init__(self, parser: fragjson.Parser, keeper: Keeper) -> None:
        self._parser = parser
        self._keeper = keeper

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def feed(self, data: Data) -> Any:
        events = self._parser.feed(data)
        self._keeper.look(self._parser)
        return events


def compare_with_json(data: str | bytes) -> None:
    """Whole documents: the value or the message and position of ``json.loads``."""
    if isinstance(data, str) and reference_joins_halves(data):
        return
    outcome = loaded(fragjson.loads, data, allow_partial=False)
    ours = {key: outcome.get(key) for key in ("result", "msg")}
    ours["pos"] = outcome.get("error pos", (None,))[0]
    try:
        its = {"result": exactly(json.loads(data)), "msg": None, "pos": None}
    except json.JSONDecodeError as error:
        its = {"result": None, "msg": error.msg, "pos": error.pos}
    except UnicodeDecodeError as error:
        its = {"result": None, "msg": str(error), "pos": None}
        if outcome.get("fault") in ("incomplete", "malformed"):
            return
    expect(ours, its, f"fragjson.loads({data!r}, allow_partial=False) and json.loads")


def reference_joins_halves(text: str) -> bool:
    return any(
        "\ud800" <= first <= "\udbff" and "\udc00" <= second <= "\udfff"
        for first, second in pairwise(text)
    )


def compare_loads(data: str | bytes, rng: random.Random) -> None:
    for allowed in (True, rng.choice([False, "off", "on", "trailing-strings", rng.randrange(512)])):
        options: dict[str, Any] = {"allow_partial": allowed, "strict": rng.random() < 0.8}
        if isinstance(allowed, int) and not isinstance(allowed, bool):
            options["allow_partial"] = fragjson.Allow(allowed)
        if rng.random() < 0.1:
            options["max_depth"] = rng.randint(1, 4)
        ours = loaded(fragjson.loads, data, **options)
        right = loaded(reference.loads, data, **options)
        expect(ours, right, f"loads({data!r}, **{options!r})")


def expect(ours: dict[str, Any], right: dict[str, Any], where: str) -> None:
    if ours == right:
        return
    lines = [where]
    for key in {**right, **ours}:
        if ours.get(key) != right.get(key):
            lines += [
                f"  {key}",
                f"    engine    {ours.get(key)}",
                f"    should be {right.get(key)}",
            ]
    raise Difference("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
