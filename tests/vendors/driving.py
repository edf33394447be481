"""Feeding an accumulator in tests: a vendor's chunks in, its calls out."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fragjson.toolcalls import Accumulator

STREAMS = Path(__file__).parents[1] / "data" / "streams"
DONE = "[DONE]"


def drive(vendor: str, chunks: Iterable[Any], **options: Any) -> Accumulator:
    """Feed the chunks and close: the stream has ended after them."""
    accumulator = Accumulator(vendor, **options)
    for chunk in chunks:
        accumulator.feed(chunk)
    accumulator.close()
    return accumulator


def statuses(accumulator: Accumulator) -> list[str]:
    return [str(call.status) for call in accumulator.calls]


def arguments(accumulator: Accumulator) -> list[Any]:
    return [call.arguments for call in accumulator.calls]


def check_own_stream(vendor: str, *, done: bool = False) -> None:
    """Assert that the stream that is shipped for the vendor gives what stands beside it."""
    lines = (STREAMS / f"{vendor}.jsonl").read_text("utf-8").splitlines()
    expected = json.loads((STREAMS / f"{vendor}.expected.json").read_text("utf-8"))
    for name in (vendor, "auto"):
        accumulator = drive(name, [*lines, DONE] if done else lines)
        found = [
            {"id": call.id, "name": call.name, "text": call.text, "arguments": call.arguments}
            for call in accumulator.calls
        ]
        assert found == expected
        assert accumulator.ready() == accumulator.calls
