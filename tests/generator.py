"""Seeded random JSON texts, whole, damaged and cut, written character by character.

``document`` writes text directly, not through ``json.dumps``, so that it also has what no encoder
writes: every spelling of an escape, odd numbers, duplicate keys, white space anywhere. ``damaged``
and ``cut`` make of it what a parser has to refuse or to wait for.
"""

import random

from fragjson.testing.spelling import (
    CONSTANTS,
    ESCAPES,
    LITERALS,
    LONE_ESCAPED,
    LONE_RAW,
    MIXED_HALVES,
    NUMBERS,
)

WHITE_SPACE = [" ", "\n", "\t", "\r", "\r\n", "  \n"]
PLAIN = [
    "a",
    "b",
    "xyz",
    " ",
    "the end",
    "/",
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\x7f",
    "true",
    "12",
]
WIDE = ["é", "ÿ", "\x80", "Ж", "水", "한글", "\ufeff", "\uffff", "\u2028", "😀", "𐍈", "\U0010ffff"]
KEYS = ["a", "b", "c", "id", "name", "", "x y", "a.b", "é", "水", "😀", r"\u0061", r"\n", r"\ud83d"]
DAMAGE = [
    *"{}[],:\"\\/-+.eE0123456789tfnNIu \n\t\x00\x1f'#*;",
    "é", "水", "😀", "\ud83d", "\ude00", "\ufeff", "\xa0", "tru", "nul",
     "-Inf", "\\u", "\\x", "//", "01",
]  # fmt: skip
DAMAGED_BYTES = [
    b"\x80", b"\xbf", b"\xc0", b"\xc2", b"\xe0\x80", b"\xe2\x82", b"\xed\xa0", b"\xef\xbb",
    b"\xf0\x9f", b"\xf4\x90", b"\xf8", b"\xff", b"\xed\xa0\xbd\xed\xb8\x80", b"\xef\xbb\xbf",
    b"\xf0\x80\x80\x80",
]  # fmt: skip


def document(rng: random.Random) -> str:
    """A whole JSON text."""
    budget = rng.choice([1, 3, 8, 20, 60])
    return f"{space(rng)}{value(rng, budget, 0)}{space(rng)}"


def value(rng: random.Random, budget: int, depth: int) -> str:
    if budget <= 1 or depth > 12 or rng.random() < 0.15:
        return scalar(rng)
    share = rng.randint(0, budget)
    counts = [rng.randint(0, max(share // 2, 1)) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.5:
        parts = [value(rng, count, depth + 1) for count in counts]
        return "[" + comma_separated(rng, parts) + "]"
    parts = [
        f'"{key(rng)}"{space(rng)}:{space(rng)}{value(rng, count, depth + 1)}' for count in counts
    ]
    return "{" + comma_separated(rng, parts) + "}"


def comma_separated(rng: random.Random, parts: list[str]) -> str:
    return ",".join(f"{space(rng)}{part}{space(rng)}" for part in parts) or space(rng)


def scalar(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.45:
        return '"' + "".join(string_piece(rng) for _ in range(rng.choice([0, 1, 2, 5, 12]))) + '"'
    if kind < 0.8:
        return rng.choice(NUMBERS) if rng.random() < 0.5 else number(rng)
    return rng.choice(LITERALS + CONSTANTS)


def number(rng: random.Random) -> str:
    text = rng.choice(["", "-"]) + str(rng.randrange(10 ** rng.choice([1, 2, 5, 17, 19, 20, 40])))
    if rng.random() < 0.3:
        text += f".{rng.randrange(10 ** rng.choice([1, 3, 20])):03}"
    if rng.random() < 0.2:
        text += rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randrange(330))
    return text


def string_piece(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.46:
        return rng.choice(PLAIN)
    if kind < 0.5:
        return rng.choice(["x", "lorem ", "é", "水", "😀"]) * int(2 ** rng.uniform(2, 9))
    if kind < 0.7:
        return rng.choice(WIDE)
    if kind < 0.9:
        return rng.choice(ESCAPES)
    return rng.choice(LONE_ESCAPED + MIXED_HALVES if kind < 0.96 else LONE_RAW)


def key(rng: random.Random) -> str:
    if rng.random() < 0.85:
        return rng.choice(KEYS)
    return "".join(string_piece(rng) for _ in range(rng.randint(1, 3)))


def space(rng: random.Random) -> str:
    return rng.choice(WHITE_SPACE) if rng.random() < 0.15 else ""


def damaged(rng: random.Random, text: str) -> str:
    """The text with one or two characters removed, doubled, replaced, swapped or put in."""
    for _ in range(rng.choice([1, 1, 1, 2])):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[at : at + 1] + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(DAMAGE) + text[at + 1 :]
        elif kind == 3:
            text = text[:at] + rng.choice(DAMAGE) + text[at:]
        else:
            text = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
    return text


def damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(DAMAGED_BYTES) + data[at + rng.randint(0, 1) :]


def cut(rng: random.Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]
