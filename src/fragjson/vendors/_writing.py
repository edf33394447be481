"""Writing the answers to calls, as far as vendors agree."""

import json
from typing import Any

__all__ = ["content_of"]


def content_of(content: Any, *kinds: type, parts: bool = False, is_error: bool = False) -> Any:
    """Return the content of a result as it is sent: as it is, if of these kinds, else as JSON.

    ``parts`` is for formats in which it can be a list of parts; any other list is JSON there, too.
    ``is_error`` is for formats that have no flag for errors.

    >>> content_of("no such port", str), content_of("no such port", str, is_error=True)
    ('no such port', '{"error": "no such port"}')
    >>> content_of([{"port": "Oslo"}], str, parts=True)
    '[{"port": "Oslo"}]'
    """
    if is_error:
        content = {"error": content}
    elif parts and isinstance(content, list) and content and all(map(_is_part, content)):
        return content
    return content if isinstance(content, kinds) else json.dumps(content, ensure_ascii=False)


def _is_part(item: Any) -> bool:
    return isinstance(item, dict) and "type" in item
