"""``fix``: what to keep of a cut text, and what to add so that it is whole.

The engine reads the text; here is only noted where values began and ended while it did.
"""

import re

from fragjson._engine import Parser
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
# Nothing but a number ends at the beginning of one of these, and no other value inside of it.
_TOKEN = re.compile(r'[^"\[\]{},:\s]+|.', re.DOTALL)
# An escape, or half a pair, that is not finished; not one whose backslash is itself escaped.
_CUT_CHARACTER = re.compile(
    r"""(?<!\\)(?:\\\\)*(
        \\(?:u[0-9a-fA-F]{0,3})?
      | (?:\\u[dD][89abAB][0-9a-fA-F]{2}|[\ud800-\udbff])
        (?:\\(?:u[0-9a-fA-F]{0,3})?)?
    )\Z""",
    re.VERBOSE,
)


class _Reading:
    """A cut text, read: the containers that are open, and where the value under way begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parser = Parser(events=("start", "end"), strict=False, keep_text=True)
        self.open: list[tuple[str, Allow, int]] = []  # closing bracket, kind, what precedes it
        self.keep = 0  # up to here, everything is finished or an open container
        self.begin = 0
        for token in _TOKEN.finditer(text):
            self._read(token[0], token.start())

    def _read(self, token: str, at: int) -> None:
        for event in self.parser.feed(token):
            if event.kind == "end":
                if event.json_type in _BRACKETS:
                    self.open.pop()
                before = event.json_type == "number" and not token[-1].isalpha()
                self.keep = at if before else at + len(token)
            elif event.json_type in _BRACKETS:
                self.open.append((*_BRACKETS[event.json_type], self.keep))
                self.keep = at + len(token)
            else:
                self.begin = at
        if self.parser.json_type not in ("string", *_BRACKETS):
            self.begin = at

    def under_way(self, allow: Allow) -> tuple[str, str] | None:
        """Tell what to keep of the text with the scalar it was cut in, and what completes that."""
        scalar = self.text[self.begin :]
        if self.parser.json_type == "string":
            cut = _CUT_CHARACTER.search(scalar)
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
