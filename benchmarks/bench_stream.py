"""What does a live value after every fragment cost, beside parsing once at the end?

Divided by the naive loop (append every fragment, join, one json.loads), which shows nothing
before the end; and what the other parsers that show something cost, divided by ours.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from corpora import CORPORA, Corpus, Kind, fragments
from loops import feed_and_value, feed_nothing, feed_only, naive, naive_bytes
from measure import Work, race
from peers import STREAM, Orjson, present
from report import Table, show

VALUE_LIMITS: dict[Kind, float] = {
    "numbers": 0.5,
    "records": 0.75,
    "small call": 0.8,
    "string-heavy": 1.2,
    "CJK": 1.5,
}
FEED_LIMITS: dict[Kind, float] = {
    "numbers": 0.45,
    "records": 0.65,
    "small call": 0.7,
    "string-heavy": 1.0,
    "CJK": 1.3,
}

SIZES: tuple[tuple[str, int | None], ...] = (("1", 1), ("64", 64), ("whole", None))


def tables() -> list[Table]:
    return [about_four(), other_sizes(), in_bytes(), peers()]


def text_pieces(corpus: Corpus, about: int | None) -> Callable[[], list[str]]:
    return lambda: fragments(corpus.fresh(), about)


def bytes_pieces(corpus: Corpus, about: int | None) -> Callable[[], list[bytes]]:
    return lambda: fragments(corpus.text.encode(), about)


def stream_times(
    prepare: Callable[[], Sequence[Any]], loop: Callable[[Any], object]
) -> dict[str, float]:
    """Return the seconds of each way to read a stream."""
    works = {
        "naive": Work(loop, prepare),
        "value": Work(feed_and_value, prepare),
        "feed": Work(feed_only, prepare),
        "nothing": Work(feed_nothing, prepare),
    }
    for peer in present([Orjson])[0]:
        works["fastest"] = Work(partial(once, peer.whole), prepare)
    return race(works)


def once(whole: Callable[[Any], object], pieces: Sequence[Any]) -> object:
    """Read all of it in the end."""
    return whole(pieces[0][:0].join(pieces))


def value_ratio(prepare: Callable[[], Sequence[Any]], loop: Callable[[Any], object]) -> float:
    times = stream_times(prepare, loop)
    return times["value"] / times["naive"]


def about_four() -> Table:
    table = Table(
        "Stream, fragments of about 4 characters ÷ (append all + one json.loads)",
        (
            "document",
            "feed + value",
            "feed only",
            "nothing + value",
            "... + orjson once",
            "ns per fragment",
        ),
        notes=[
            'nothing + value: `feed("")` for each fragment, and reading `.value`; what the two '
            "calls cost on this interpreter, however fast the parser",
            "... + orjson once: and reading the joined text with orjson in the end, which shows "
            "nothing before; what both halves cost where they are fastest",
        ],
    )
    for corpus in CORPORA.values():
        pieces = text_pieces(corpus, 4)
        times = stream_times(pieces, naive)
        value, feed = times["value"] / times["naive"], times["feed"] / times["naive"]
        table.add(
            corpus.name,
            table.judged(f"feed + value, {corpus.name}", value, VALUE_LIMITS[corpus.kind]),
            table.judged(f"feed only, {corpus.name}", feed, FEED_LIMITS[corpus.kind]),
            times["nothing"] / times["naive"],
            (times["nothing"] + times["fastest"]) / times["naive"] if "fastest" in times else None,
            f"{times['value'] / len(pieces()) * 1e9:.0f}",
        )
        table.compare("the naive loop", corpus.name, value)
    return table


def other_sizes() -> Table:
    table = Table(
        "Stream, other fragment sizes, feed + value ÷ the naive loop",
        ("document", *(f"{name} char." if name != "whole" else name for name, _ in SIZES)),
    )
    for corpus in CORPORA.values():
        ratios = [value_ratio(text_pieces(corpus, about), naive) for _, about in SIZES]
        table.add(corpus.name, *ratios)
    return table


def in_bytes() -> Table:
    table = Table(
        "Stream of bytes, feed + value ÷ the naive loop over bytes",
        ("document", "1 byte", "about 4", "about 64", "whole"),
        notes=["cuts fall anywhere, also inside a character"],
    )
    for corpus in CORPORA.values():
        ratios = [
            value_ratio(bytes_pieces(corpus, about), naive_bytes) for about in (1, 4, 64, None)
        ]
        table.add(corpus.name, *ratios)
    return table


def peers() -> Table:
    found, absent = present(STREAM)
    table = Table(
        "Stream, fragments of about 4 characters: peers ÷ ours (feed + value)",
        ("document", *(peer.name for peer in found)),
        notes=[
            "~ sampled: the cost of prefixes spread evenly over the stream, for a parser that "
            "starts anew on each; > at least: stopped at the limit",
            *(f"{peer.name}: {peer.note}" for peer in found if peer.note),
            *absent,
        ],
    )
    for corpus in CORPORA.values():
        prepare = text_pieces(corpus, 4)
        ours = race({"ours": Work(feed_and_value, prepare)}, budget=0.5)["ours"]
        costs = [peer.cost(corpus.text, prepare()) / ours for peer in found]
        table.add(corpus.name, *costs)
        for peer, cost in zip(found, costs, strict=True):
            if cost.how != "at least":
                table.compare(peer.name, corpus.name, 1 / cost.seconds)
    return table


if __name__ == "__main__":
    show(tables)
