"""``fix``: what to keep of a cut text, and what to add so that it is whole.

The engine reads the text; here is only noted where values began and ended while it did.
"""

import re

from fragjson._engine import Event, Parser
from fragjson._types import Status
from fragjson.compat.partial_json_parser.core.exceptions import MalformedJSON
from fragjson.compat.partial_json_parser.core.options import (
    _INFINITY,
    ALL,
    ARR,
    BOOL,
    INFINITY,
    NAN,
    NULL,
    NUM,
    OBJ,
    STR,
    Allow,
)

__all__ = ["fix"]

_BRACKETS = {"array": ("]", ARR), "object": ("}", OBJ)}
_WORDS = {
    "n": ("null", NULL),
    "t": ("true", BOOL),
    "f": ("false", BOOL),
    "N": ("NaN", NAN),
    "I": ("Infinity", INFINITY),
    "-I": ("-Infinity", _INFINITY),
}
# Fragments in which a value begins and ends with the fragment: but for a number, which the next
# one ends. A key has its colon with it, so that what follows a string here is no part of it.
_FRAGMENT = re.compile(
    r"""  "[^"\\]*(?:\\.[^"\\]*)*"?(?:\s*:)?  |  [\s,:]+  |  [^"\[\]{},:\s]+  |  [\[\]{}]  """,
    re.VERBOSE | re.DOTALL,
)
# An escape, or half a pair, that is not finished; not one whose backslash is itself escaped.
_CUT_CHARACTER = re.compile(
    r"""(?<!\\)(?:\\\\)*(
        \\(?:u[0-9a-fA-F]{0,3})?
      | \\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?
      | [\ud800-\udbff]
    )\Z""",
    re.VERBOSE,
)
_LONGEST_CUT = len(r"\ud83d\ude0")


class _Reading:
    """A cut text, read: the containers that are open, and where the value under way begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parser = Parser(events=("start", "end"), strict=False, keep_text=True)
        self.open: list[tuple[str, Allow, int]] = []  # closing bracket, kind, what precedes it
        self.keep = 0  # up to here, everything is finished or an open container
        self.begin = 0
        for found in _FRAGMENT.finditer(text):
            for event in self.parser.feed(found[0]):
                self._note(event, *found.span())
        if self.parser.json_type not in ("string", *_BRACKETS):
            self.begin = found.start()

    def _note(self, event: Event, at: int, end: int) -> None:
        if event.kind == "end":
            if event.json_type in _BRACKETS:
                self.open.pop()
            ended_before = event.json_type == "number" and not self.text[end - 1].isalpha()
            self.keep = at if ended_before else end
        elif event.json_type in _BRACKETS:
            self.open.append((*_BRACKETS[event.json_type], self.keep))
            self.keep = end
        else:
            self.begin = at

    def under_way(self, allow: Allow) -> tuple[str, str] | None:
        """Tell what to keep of the text with the scalar it was cut in, and what completes that."""
        scalar = self.text[self.begin :]
        if self.parser.json_type == "string":
            # Near the end, but never amid backslashes: whether one is escaped is counted.
            near = len(scalar[:-_LONGEST_CUT].rstrip("\\"))
            cut = _CUT_CHARACTER.search(scalar, near)
            kept, ending, kind = scalar[: cut.start(1) if cut else None], '"', STR
        elif self.parser.json_type in _BRACKETS:
            return None
        elif scalar[0] in "-0123456789" and not scalar.startswith("-I"):
            kept, ending, kind = scalar.rstrip(".eE+-"), "", NUM
        else:
            kept, (ending, kind) = "", _WORDS["-I" if scalar[0] == "-" else scalar[0]]
        if kind not in allow or not kept + ending:
            return None
        return self.text[: self.begin] + kept, ending


def fix(json_string: str, allow_partial: Allow | int = ALL) -> tuple[str, str]:
    """Return the part of a cut text to keep, and the text that completes it.

    A whole text comes back as it is. ``allow_partial`` says which kinds may be cut; what is cut
    and of another kind is left out.

    Raises:
        PartialJSON: nothing is left.
        MalformedJSON: the text is empty, or no continuation can make it JSON. Control characters
            in strings pass: that is for whoever parses the completed text.

    Costs one pass.

    >>> fix('{"row": [1, {"a": "x')
    ('{"row": [1, {"a": "x', '"}]}')
    >>> fix('{"row": [1, {"a": "x', ALL & ~ARR)
    ('{', '}')
    """
    allow = Allow(allow_partial)
    if not json_string.strip():
        raise MalformedJSON("Expecting value", json_string, 0)
    reading = _Reading(json_string)
    if reading.parser.status is Status.COMPLETE:
        return json_string, ""
    for level, (_, kind, before) in enumerate(reading.open):
        if kind not in allow:
            found, left = (json_string[:before], "") if level else None, reading.open[:level]
            break
    else:
        found, left = reading.under_way(allow), reading.open
        if found is None and left:
            found = json_string[: reading.keep], ""
    if found is None:
        reading.parser.close()  # says that the text is cut; of a number it may be the end
        return json_string, ""
    head, ending = found
    return head, ending + "".join(bracket for bracket, _, _ in reversed(left))
