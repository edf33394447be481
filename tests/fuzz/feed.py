"""Whatever is fed, however cut, under any options: the engine does what the reference does.

The values, events, positions and errors after every fragment, whether strings that were shown stay
as they were, and what is raised: nothing but ``JSONDecodeError``.
"""

from fuzzing import Choices, main  # isort: split

from typing import Any

import reference
from comparison import exactly, follow

import fragjson

PATHS = ["$", "$.a", "$[0]", "$[*]", "$.*", "$.a.b", "$[*].id", "$.a[*]", "$['a.b']", "$.*.*"]
KINDS = ["start", "delta", "end"]


def options_of(choices: Choices) -> dict[str, Any]:
    options: dict[str, Any] = {}
    bits = choices.byte()
    options["events"] = [kind for at, kind in enumerate(KINDS) if bits >> at & 1]
    options["strict"] = not bits & 8
    options["keep_text"] = bool(bits & 16)
    if bits & 32:
        options["paths"] = [choices.of(PATHS), choices.of(PATHS)]
    if bits & 64:
        options["atomic"] = choices.of(PATHS)
    if bits & 128:
        name = choices.of(["max_depth", "max_bytes", "max_string", "allow_partial"])
        options[name] = choices.upto(12) + 1
        if name == "allow_partial":
            options[name] = fragjson.Allow(options[name] & ~fragjson.Allow.NUM)
    return options


def cut(data: Any, sizes: list[int]) -> list[Any]:
    found, at, turn = [], 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)] if sizes else len(data)
        found.append(data[at : at + size])
        at += size
        turn += 1
    return found


def test(data: bytes) -> None:
    choices = Choices(data)
    options = options_of(choices)
    kind = choices.upto(3)
    sizes = [choices.upto(9) + 1 for _ in range(choices.upto(3))]
    text: Any = choices.rest()[:4096]
    if kind == 0:
        text = text.decode("utf-8", "surrogatepass" if len(sizes) % 2 else "replace") \
            if is_utf8(text) else text.decode("latin-1")  # fmt: skip
    elif kind == 1:
        text = text.decode("utf-16-le", "replace" if len(sizes) % 2 else "surrogatepass") \
            if len(text) % 2 == 0 and is_utf16(text) else text.decode("latin-1")  # fmt: skip
    fragments = cut(text, sizes)
    if kind == 3:
        fragments = [bytearray(each) if len(each) % 2 else memoryview(each) for each in fragments]
    right = follow(reference.Reference(**options), fragments)
    parser = fragjson.Parser(**options)
    kept: list[tuple[str, str]] = []
    ours = follow(Watched(parser, kept), fragments)
    assert ours.steps == right.steps, (options, fragments, ours.steps, right.steps)
    assert ours.total == right.total, (options, fragments, ours.total, right.total)
    assert all(exactly(string) == seen for string, seen in kept)


def is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8", "surrogatepass")
    except ValueError:
        return False
    return True


def is_utf16(text: bytes) -> bool:
    try:
        text.decode("utf-16-le", "surrogatepass")
    except ValueError:
        return False
    return True


class Watched:
    """A parser whose newest string is kept after every other feed."""

    def __init__(self, parser: fragjson.Parser, kept: list[tuple[str, str]]) -> None:
        self._parser = parser
        self._kept = kept
        self._feeds = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._parser, name)

    def feed(self, data: Any) -> Any:
        events = self._parser.feed(data)
        found = self._parser.value
        for _ in range(9):
            if not found or not isinstance(found, (dict, list)):
                break
            found = found[-1] if isinstance(found, list) else found[list(found)[-1]]
        self._feeds += 1
        if isinstance(found, str) and self._feeds % 2:
            self._kept.append((found, exactly(found)))
        return events


if __name__ == "__main__":
    main(test)
