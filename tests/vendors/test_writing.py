"""What a tool has returned, as the vendors with lists of content parts get it."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from fragjson import vendors

FIELD = {
    "anthropic": "content",
    "cohere": "content",
    "langchain": "content",
    "openai_responses": "output",
}


def sent(vendor: str, content: Any) -> Any:
    call = SimpleNamespace(id="c", name="find", extra={})
    return getattr(vendors, vendor).tool_result(call, content)[FIELD[vendor]]


@pytest.mark.parametrize("vendor", FIELD)
@pytest.mark.parametrize(
    "rows", [[], [1], [{"port": "Oslo"}], [{"type": "text"}, {"port": "Oslo"}]]
)
def test_a_list_that_is_not_of_parts_is_sent_as_json(vendor: str, rows: list[Any]) -> None:
    assert json.loads(sent(vendor, rows)) == rows


@pytest.mark.parametrize("vendor", FIELD)
def test_a_list_of_parts_is_sent_as_it_is(vendor: str) -> None:
    parts = [{"type": "text", "text": "high water"}, {"type": "text", "text": "06:12"}]
    assert sent(vendor, parts) is parts
