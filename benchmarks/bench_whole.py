"""How fast is a whole document read, beside json.loads and the fast parsers?

A document that arrived as text is a fresh ``str``: no parser finds a UTF-8 copy or a hash that an
earlier run left in it. Parsers that take only bytes must encode it first, and that is counted.
"""

from collections.abc import Callable, Sequence
from typing import Any

from corpora import CORPORA, Corpus, Kind
from measure import Work, race, sample
from peers import WHOLE, Jiter, Json, Orjson, WholePeer, present
from report import Table, show

from fragjson import loads

LIMITS: dict[tuple[type[WholePeer], Kind], float] = {
    (Json, "numbers"): 0.4,
    (Json, "small call"): 0.5,
    (Json, "records"): 0.6,
    (Json, "string-heavy"): 1.0,
    (Orjson, "CJK"): 1.0,
}
LIMITS |= {
    (Jiter, kind): 1.0 for kind in ("small call", "string-heavy", "records", "CJK", "numbers")
}
LIMITS |= {(Orjson, kind): 1.3 for kind in ("small call", "string-heavy", "records", "numbers")}

SLOW = 0.05
"""A peer that needs more seconds than this for one document does not take part in the race."""


def tables() -> list[Table]:
    found, absent = present(WHOLE)
    text = Table(
        "Whole document, fresh str: loads ÷ the peer",
        ("document", *(peer.name for peer in found), "MB/s"),
        notes=[
            "jiter and ijson take bytes only: encoding is part of their time",
            "jiter keeps short strings, orjson keys, from one call to the next, so documents "
            "repeated as here are at their best",
            *absent,
        ],
    )
    data = Table(
        "Whole document, bytes: loads ÷ the peer",
        ("document", *(peer.name for peer in found if takes_bytes(peer)), "MB/s"),
        notes=absent,
    )
    for corpus in CORPORA.values():
        add(text, corpus, found, judge=True)
        add(data, corpus, [peer for peer in found if takes_bytes(peer)], judge=False)
    return [text, data]


def takes_bytes(peer: WholePeer) -> bool:
    try:
        return peer.whole(b"[1]") == [1]
    except (TypeError, AttributeError):
        return False


def add(table: Table, corpus: Corpus, found: Sequence[WholePeer], judge: bool) -> None:
    encoded = corpus.text.encode()

    def fresh_bytes() -> bytes:
        return bytes(bytearray(encoded))

    prepare: Callable[[], Any] = corpus.fresh if judge else fresh_bytes
    works = {"ours": Work(loads, prepare)}
    slow: dict[str, float] = {}
    for peer in found:
        work = Work(peer.whole_text if judge else peer.whole, prepare)
        seconds = sample(work, 1)
        if seconds > SLOW:
            slow[peer.name] = seconds
        else:
            works[peer.name] = work
    best = slow | race(works, budget=3.0)
    cells = []
    for peer in found:
        ratio = best["ours"] / best[peer.name]
        what = f"loads ÷ {peer.name}, {'str' if judge else 'bytes'}, {corpus.name}"
        table.compare(peer.name, corpus.name, ratio)
        limit = LIMITS.get((type(peer), corpus.kind)) if judge else None
        cells.append(table.judged(what, ratio, limit) if ratio >= 0.005 else "< 0.01")
    table.add(corpus.name, *cells, f"{len(encoded) / best['ours'] / 1e6:.0f}")


if __name__ == "__main__":
    show(tables)
