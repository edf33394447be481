"""Writing the answers to calls, as far as vendors agree."""

import json
from typing import Any

__all__ = ["content_of"]


def content_of(content: Any, *kinds: type, is_error: bool = False) -> Any:
    """Return the content of a result as it is sent: as it is, if of these kinds, else as JSON.

    ``is_error`` is for formats that have no flag for errors.

    >>> content_of("no such port", str), content_of("no such port", str, is_error=True)
    ('no such port', '{"error": "no such port"}')
    """
    if is_error:
        content = {"error": content}
    return content if isinstance(content, kinds) else json.dumps(content, ensure_ascii=False)
