"""What do events cost, beside feeding without any?

Judged is what the parser spends: the same loop around it, the events made, returned and dropped. A
program that also looks at the events pays for a loop of its own; one column shows that.
"""

from collections.abc import Callable, Iterable
from typing import Any

from corpora import CORPORA, Corpus, Kind, fragments
from loops import feed_only
from measure import Work, race
from report import Table, show

from fragjson import Parser

END_LIMITS: dict[Kind, float] = {"records": 1.6}

SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "end": {"events": {"end"}},
    "delta": {"events": {"delta"}},
    "start, delta, end": {"events": {"start", "delta", "end"}},
    "end of one path": {"events": {"end"}, "paths": "$.rows[*].id"},
    "end of no path": {"events": {"end"}, "paths": "$.nothing"},
}


def feeder(options: dict[str, Any]) -> Callable[[Iterable[str]], object]:
    def feed(pieces: Iterable[str]) -> object:
        parser = Parser(**options)
        for piece in pieces:
            parser.feed(piece)
        return parser.close()

    return feed


def read_ends(pieces: Iterable[str]) -> int:
    parser = Parser(events={"end"})
    count = 0
    for piece in pieces:
        for _event in parser.feed(piece):
            count += 1
    parser.close()
    return count


def tables() -> list[Table]:
    table = Table(
        "Events, fragments of about 4 characters: with a subscription ÷ feed only",
        ("document", *SUBSCRIPTIONS, "end, each read", "end events"),
    )
    for corpus in CORPORA.values():
        add(table, corpus)
    return [table]


def add(table: Table, corpus: Corpus) -> None:
    def pieces() -> list[str]:
        return fragments(corpus.fresh())

    works = {"feed only": Work(feed_only, pieces)}
    works |= {name: Work(feeder(options), pieces) for name, options in SUBSCRIPTIONS.items()}
    works["read"] = Work(read_ends, pieces)
    best = race(works, budget=3.0)
    ratios = {name: seconds / best["feed only"] for name, seconds in best.items()}
    end = table.judged(
        f"end events ÷ feed only, {corpus.name}", ratios["end"], END_LIMITS.get(corpus.kind)
    )
    others = [ratios[name] for name in SUBSCRIPTIONS if name != "end"]
    table.add(corpus.name, end, *others, ratios["read"], str(read_ends(pieces())))


if __name__ == "__main__":
    show(tables)
