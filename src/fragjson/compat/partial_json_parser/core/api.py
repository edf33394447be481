"""``parse_json`` and ``ensure_json``."""

from collections.abc import Callable
from typing import Any, TypeAlias

from fragjson._engine import Parser, loads
from fragjson.compat.partial_json_parser.core.complete import fix
from fragjson.compat.partial_json_parser.core.options import ALL, Allow

__all__ = ["JSON", "Number", "ensure_json", "parse_json"]

Number: TypeAlias = int | float
JSON: TypeAlias = str | bool | Number | list["JSON"] | dict[str, "JSON"] | None


def parse_json(
    json_string: str,
    allow_partial: Allow | int = ALL,
    parser: Callable[[str], Any] | None = None,
    use_fast_fix: bool = True,
) -> Any:
    """Parse a JSON text that may be cut.

    Args:
        json_string: the text.
        allow_partial: the kinds that may show while they are unfinished; by default all of them,
            numbers too, which may still change.
        parser: what parses the completed text, instead of ``loads``.
        use_fast_fix: of no effect: there is one way, and it is fast.

    Raises:
        PartialJSON: the text is cut and nothing of it may show.
        MalformedJSON: the text is empty, or no continuation can make it JSON.
        TypeError: it is no ``str``.

    >>> parse_json('{"rows": [1, {"name": "Ada')
    {'rows': [1, {'name': 'Ada'}]}
    """
    _check(json_string)
    if parser is None and json_string.strip() and not _is_cut_after_digits(json_string):
        return loads(json_string, allow_partial=Allow(allow_partial))
    return (parser or loads)(ensure_json(json_string, allow_partial, use_fast_fix))


def _check(json_string: object) -> None:
    if not isinstance(json_string, str):
        raise TypeError(f"the JSON text must be str, not {type(json_string).__name__}")


def _is_cut_after_digits(text: str) -> bool:
    """Tell texts like ``[1.``, of which the original shows the 1 that ``loads`` holds back."""
    if not text.endswith((".", "e", "E", "+", "-")):
        return False
    reader = Parser()
    reader.feed(text)
    return reader.json_type == "number"


def ensure_json(
    json_string: str, allow_partial: Allow | int = ALL, use_fast_fix: bool = True
) -> str:
    """Return the text completed, so that any parser takes it.

    Arguments and errors are those of ``parse_json``.

    >>> ensure_json('{"rows": [1, {"name": "Ada')
    '{"rows": [1, {"name": "Ada"}]}'
    """
    _check(json_string)
    head, tail = fix(json_string, allow_partial)
    return head + tail
