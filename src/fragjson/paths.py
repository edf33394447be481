"""JSONPath, the part of it that a stream can follow: compile paths, then match value by value.

Of RFC 9535: member names (``$.query``, ``$['a.b']``), indexes counted from the front
(``$.rows[0]``) and wildcards (``$.rows[*].id``, ``$.*``). What has to see the rest of the document
first (negative indexes, slices, filters, ``..``) is refused with a ``ValueError``.

``path_text`` writes the path of a value, as events and errors have it, in the same way.

Any number of paths compiles to one ``Node``, the root's. Stepping from a container's node with a
member name or an item index gives the child's node, or ``None`` where no path leads on: one look-up
for each value, however many paths there are.
"""

import json
import re
from collections.abc import Iterable
from typing import NoReturn

from fragjson._types import Path

__all__ = ["Node", "Path", "compile_paths", "parse_path", "path_text"]

_ANY = None
"""The selector of a wildcard; a name is a ``str``, an index an ``int``."""

_SEGMENT = re.compile(
    r"""
      \. (?: (?P<star>\*) | (?P<name>[A-Za-z_\x80-\U0010ffff][0-9A-Za-z_\x80-\U0010ffff]*) )
    | \[ [ \t\n\r]* (?:
          (?P<any>\*)
        | (?P<index>0|[1-9][0-9]*)
        | '(?P<single>(?:[^'\\\x00-\x1f]|\\.)*)'
        | "(?P<double>(?:[^"\\\x00-\x1f]|\\.)*)"
      ) [ \t\n\r]* \]
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\"}

Selector = str | int | None


def parse_path(path: str) -> tuple[Selector, ...]:
    """Split a path into its selectors: names, indexes, and ``None`` for each wildcard.

    Raises:
        ValueError: it is not a path, or one that cannot be followed in a stream.

    >>> parse_path("$.rows[*]['a.b'][0]")
    ('rows', None, 'a.b', 0)
    """
    if not path.startswith("$"):
        _refuse(path, 0, "a path starts with '$'")
    selectors: list[Selector] = []
    at = 1
    while at < len(path):
        segment = _SEGMENT.match(path, at)
        if segment is None:
            _refuse(path, at, "expected .name, .*, ['name'], [index] or [*]")
        kind = segment.lastgroup
        text = segment[kind] if kind else ""
        if kind in ("star", "any"):
            selectors.append(_ANY)
        elif kind == "index":
            selectors.append(int(text))
        elif kind == "name":
            selectors.append(text)
        else:
            selectors.append(_unquote(path, at, text, "'" if kind == "single" else '"'))
        at = segment.end()
    return tuple(selectors)


def path_text(path: Iterable[str | int]) -> str:
    r"""Write the path of a value so that ``parse_path`` reads it back.

    >>> print(path_text(("rows", 0, "a.b", "it's")))
    $.rows[0]['a.b']['it\'s']
    """
    return "$" + "".join(map(_segment, path))


def _segment(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if step.isidentifier():
        return f".{step}"
    inside = json.dumps(step, ensure_ascii=False)[1:-1]
    return "['" + inside.replace('\\"', '"').replace("'", "\\'") + "']"


def _unquote(path: str, at: int, text: str, quote: str) -> str:
    def meaning(escape: re.Match[str]) -> str:
        if escape[1]:
            return chr(int(escape[1], 16))
        if escape[2] == quote:
            return quote
        if escape[2] not in _ESCAPED:
            _refuse(path, at, f"\\{escape[2]} is no escape")
        return _ESCAPED[escape[2]]

    # Escapes give UTF-16 halves; a pair of them is one character, as in JSON.
    halves = _ESCAPE.sub(meaning, text)
    return halves.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _refuse(path: str, at: int, why: str) -> NoReturn:
    raise ValueError(f"not a path that can be followed in a stream: {path!r} at {at}: {why}")


class _Branch:
    """One place in the tree of all paths."""

    __slots__ = ("ends", "next")

    def __init__(self) -> None:
        self.ends = False
        self.next: dict[Selector, _Branch] = {}


class Node:
    """Where some path has come to: the set of places in the tree of paths that fit the way here.

    ``known`` holds, for every name and index that a path spells out here, the child's node, or
    ``None`` while nobody has stepped there (so that the sets are built only where data leads).
    Any other name or index leads to ``other``, or nowhere where ``is_open`` is false; ``other``
    too is made by the first step to it. Names are ``str`` and indexes ``int``, so they cannot be
    confused.
    """

    __slots__ = ("_branches", "is_open", "known", "matches", "other")

    def __init__(self, branches: list[_Branch]) -> None:
        self._branches = branches
        self.matches = False
        self.is_open = False
        self.other: Node | None = None
        self.known: dict[str | int, Node | None] = {}
        for branch in branches:
            self.matches |= branch.ends
            for selector in branch.next:
                if selector is _ANY:
                    self.is_open = True
                else:
                    self.known[selector] = None

    def step(self, key: str | int) -> "Node | None":
        """Return the child's node, or ``None`` where no path leads on.

        The first step to a spelled-out name or index costs one pass over the paths that meet
        here, later ones a look-up.
        """
        if key in self.known:
            if self.known[key] is None:
                self.known[key] = self._union(key, _ANY)
            return self.known[key]
        if self.is_open and self.other is None:
            self.other = self._union(_ANY)
        return self.other

    def _union(self, *selectors: Selector) -> "Node":
        return Node(
            [
                branch.next[selector]
                for branch in self._branches
                for selector in selectors
                if selector in branch.next
            ]
        )


def compile_paths(paths: str | Iterable[str]) -> Node:
    """Compile one path or several to the node of the root.

    Raises:
        ValueError: one of them cannot be followed in a stream.
        TypeError: one of them is not a ``str``.

    >>> rows = compile_paths(["$.rows[*].id", "$.total"]).step("rows")
    >>> rows.step(7).step("id").matches
    True
    >>> rows.step("name") is None
    False
    """
    root = _Branch()
    for path in [paths] if isinstance(paths, str) else paths:
        if not isinstance(path, str):
            raise TypeError(f"a path is a str, not {type(path).__name__}")
        branch = root
        for selector in parse_path(path):
            branch = branch.next.setdefault(selector, _Branch())
        branch.ends = True
    return Node([root])
