"""Which documents are measured, and how are they cut?

Seeded generators: the same text on every machine and every run. Tests may use them too.

    >>> corpus = CORPORA["records 32 KB"]
    >>> pieces = fragments(corpus.text, about=4)
    >>> "".join(pieces) == corpus.text
    True
"""

import json
import random
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, TypeVar

Kind = Literal["small call", "string-heavy", "records", "CJK", "numbers"]
Text = TypeVar("Text", str, bytes)

NAMES = ("row", "index", "client", "total", "path", "result", "key", "value", "config", "count")
CALLS = ("load", "store", "check", "format", "append", "lookup", "resolve", "merge", "split")
FIRST = ("Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Frances", "Niklaus", "Radia")
LAST = ("Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Allen", "Wirth", "Perlman")
CITIES = ("Oslo", "Lisbon", "Nairobi", "Kyoto", "Quito", "Tallinn", "Accra", "Hobart")


@dataclass(frozen=True)
class Corpus:
    """One document. ``kind`` is what the speed targets go by."""

    name: str
    kind: Kind
    make: Callable[[], str]

    @cached_property
    def text(self) -> str:
        return self.make()

    def fresh(self) -> str:
        """Return the document as a new object: no hash and no UTF-8 cached by an earlier run."""
        return fresh(self.text)


def fresh(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def fragments(text: Text, about: int | None = 4, seed: int = 1) -> list[Text]:
    """Cut the document the way a model streams it.

    Args:
        text: the document; bytes are cut anywhere, also inside a character.
        about: the mean size of a fragment, whose sizes spread by half of it. 1 is unit by unit,
            None leaves the document whole.
        seed: of the sizes.

    Returns:
        new objects each time.
    """
    if about is None:
        return [text]
    pieces = []
    at = 0
    for end in cuts(len(text), about, seed):
        pieces.append(text[at:end])
        at = end
    return pieces


@lru_cache(maxsize=16)
def cuts(length: int, about: int, seed: int) -> Sequence[int]:
    """Return the ends of the fragments of a document of this length."""
    sizes = range(about - about // 2, about + about // 2 + 1)
    rng = random.Random(seed)
    ends = array("q")
    at = 0
    while at < length:
        at = min(at + rng.choice(sizes), length)
        ends.append(at)
    return ends


def small_call(seed: int = 1) -> str:
    """Write the arguments of an ordinary call, about 100 characters."""
    rng = random.Random(seed)
    return json.dumps(
        {
            "query": f"invoices from {rng.choice(CITIES)}",
            "limit": 10,
            "filters": {"status": "open", "year": 2026, "archived": False},
        }
    )


def file_write(size: int, seed: int = 2) -> str:
    """Write a call that saves source code: one long string, a few escapes on each line."""
    rng = random.Random(seed)
    lines: list[str] = []
    length = 0
    while length < size:
        line = code_line(rng)
        lines.append(line)
        length += len(json.dumps(line))
    return json.dumps({"path": "src/service/handlers.py", "content": "\n".join(lines)})


def code_line(rng: random.Random) -> str:
    name, other, call = rng.choice(NAMES), rng.choice(NAMES), rng.choice(CALLS)
    number = rng.randint(0, 999)
    body = rng.choice(
        (
            f"{name} = {call}({other}, limit={number})",
            f"if {name} is None or {other} > {number}:",
            f'raise ValueError(f"cannot {call} {{{name}!r}}: {other} is {number}")',
            f"for {name} in {call}({other}):",
            f"return {name}.{call}({other})[{number}]",
            f"# {call.capitalize()} the {name} before the {other}, or nothing is left to {call}.",
            "",
        )
    )
    return "    " * rng.randint(1, 3) + body if body else ""


def records(size: int, seed: int = 3) -> str:
    """Write rows of small mixed members: keys that repeat, short strings, numbers, literals."""
    rng = random.Random(seed)
    rows: list[dict[str, object]] = []
    length = 0
    while length < size:
        first, last = rng.choice(FIRST), rng.choice(LAST)
        row: dict[str, object] = {
            "id": len(rows) + 1,
            "name": f"{first} {last}",
            "email": f"{first}.{last}@example.org".lower(),
            "city": rng.choice(CITIES),
            "score": round(rng.uniform(0, 100), 2),
            "active": rng.random() < 0.5,
            "manager": rng.choice((None, rng.randint(1, 500))),
        }
        rows.append(row)
        length += len(json.dumps(row)) + 2
    return json.dumps({"rows": rows})


def cjk_text(characters: int = 8_000, seed: int = 4) -> str:
    """Write Chinese-like prose, unescaped: three bytes a character in UTF-8."""
    rng = random.Random(seed)
    sentences = []
    length = 0
    while length < characters:
        size = rng.randint(8, 30)
        sentences.append("".join(chr(rng.randint(0x4E00, 0x9FA0)) for _ in range(size)))
        length += size + 1
    text = "\u3002".join(sentences)
    return json.dumps({"title": sentences[0], "text": text}, ensure_ascii=False)


def escaped_text(size: int = 16_000, seed: int = 5) -> str:
    """Write text that is mostly escapes: quotes, newlines, tabs, \\uXXXX and surrogate pairs."""
    rng = random.Random(seed)
    words = [*NAMES, *CALLS, '"', "\n", "\t", "\\", "é", "漢字", "\U0001f600", '\\"']
    parts: list[str] = []
    length = 0
    while length < size:
        word = rng.choice(words)
        parts.append(word)
        length += len(json.dumps(word)) - 2
    return json.dumps({"code": "".join(parts)})


def number_matrix(rows: int = 64, columns: int = 48, seed: int = 6) -> str:
    """Write a table of floats and integers."""
    rng = random.Random(seed)
    return json.dumps(
        [
            [
                round(rng.uniform(-1000, 1000), 3) if rng.random() < 0.7 else rng.randint(0, 10**6)
                for _ in range(columns)
            ]
            for _ in range(rows)
        ]
    )


CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus("small call", "small call", small_call),
        Corpus("file write 8 KB", "string-heavy", lambda: file_write(8_000)),
        Corpus("records 32 KB", "records", lambda: records(32_000)),
        Corpus("CJK text", "CJK", cjk_text),
        Corpus("escaped text", "string-heavy", escaped_text),
        Corpus("number matrix", "numbers", number_matrix),
        Corpus("file write 1 MB", "string-heavy", lambda: file_write(1_000_000)),
    )
}
