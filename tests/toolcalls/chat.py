"""Chat chunks for tests that need any vendor's: one call per index, arguments in fragments."""

from typing import Any

DONE = "[DONE]"


def chunk(*entries: Any, finish: str | None = None) -> Any:
    delta = {"tool_calls": list(entries)} if entries else {}
    return {"id": "r1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def begin(index: int = 0, name: str = "f", arguments: str = "") -> Any:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"c{index}", "type": "function", "function": function}


def more(text: str, index: int = 0) -> Any:
    return {"index": index, "function": {"arguments": text}}


def whole(text: str, finish: str | None = "tool_calls") -> list[Any]:
    """One call with these arguments, and its finish reason."""
    return [chunk(begin()), chunk(more(text)), chunk(finish=finish)]
