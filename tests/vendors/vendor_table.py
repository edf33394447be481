"""The table on the vendors' page, measured: ``python tests/vendors/vendor_table.py`` prints it.

Nothing in it is written by hand. Each cell is what an adapter made of a stream that was written in
its vendor's way: which member of the chunk it was when a call began, when its arguments grew, when
it closed; what tells two calls apart; and the words after which a call was not complete.
"""

import json
from collections.abc import Iterator
from typing import Any

from fragjson.testing import WRITERS, Writer, WrittenCall, replay
from fragjson.toolcalls import Accumulator, CallClosed, CallDelta, CallStarted

COLUMNS = (
    "vendor", "identity key", "start", "fragments", "close", "abnormal ends", "parallel",
    "partial values",
)  # fmt: skip
SAME_INSIDE = ("bedrock_invoke",)
"""Writers of another row's events, in an envelope that no path leads into."""
CALL = ("find", {"query": "tides"})
ONE, OTHER = (WrittenCall(*CALL, id=f"call_{place}", place=place) for place in (0, 1))


def table() -> list[str]:
    """The lines of the table, in Markdown."""
    rows = [row(name, writer) for name, writer in WRITERS.items() if name not in SAME_INSIDE]
    return [f"| {' | '.join(cells)} |" for cells in (COLUMNS, ["---"] * len(COLUMNS), *rows)]


def row(name: str, writer: Writer) -> list[str]:
    accumulator, happened, early = Accumulator(writer.vendor), [], False
    for line in writer.write(CALL, cut=two_pieces):
        chunk = line if line == "[DONE]" else json.loads(line)
        happened += [(type(event), chunk) for event in accumulator.feed(line)]
        early = early or any(call.partial not in (None, {}, CALL[1]) for call in accumulator.calls)
    (call,) = accumulator.ready()
    assert (call.name, call.arguments) == CALL
    start = next(chunk for kind, chunk in happened if kind is CallStarted)
    closed = next(chunk for kind, chunk in happened if kind is CallClosed)
    return [
        f"`{writer.vendor}`{way(name, writer)}",
        listed(differences(writer)) or "order",
        listed([kind_of(start), path_to(start, CALL[0])]),
        listed([growth(writer, happened)]) if writer.fragmentary else "whole",
        close(writer, closed),
        listed(ends(writer)) or "none",
        "interleaved" if interleaves(writer) else "in order",
        "yes" if early else "no",
    ]


def two_pieces(text: str) -> list[str]:
    at = text.index("des")
    return [text[:at], text[at:]]


def way(name: str, writer: Writer) -> str:
    word = name.removeprefix(writer.vendor).strip("_")
    return f" ({word})" if word else ""


def differences(writer: Writer) -> list[str]:
    """What differs between the same said of two calls."""
    if writer.fragmentary:
        piece = writer.pieces(ONE, two_pieces)[0]
        pair = writer.fragment(ONE, piece), writer.fragment(OTHER, piece)
    else:
        pair = writer.close(ONE, cut=False), writer.close(OTHER, cut=False)
    one, other = (dict(leaves(chunks)) for chunks in pair)
    return [shortened(path) for path in one if one[path] != other[path]]


def growth(writer: Writer, happened: list[Any]) -> str:
    """Where the fragment is in the chunk that made the arguments grow."""
    piece = writer.pieces(ONE, two_pieces)[0]
    return next(path for k, chunk in happened if k is CallDelta and (path := path_to(chunk, piece)))


def close(writer: Writer, closed: Any) -> str:
    """What closes a call before the stream says that it is over."""
    if ready_before_the_end(writer, CALL):
        return listed([kind_of(closed) or deepest(closed)]) if writer.fragmentary else "whole"
    return "the next call" if ready_before_the_end(writer, CALL, CALL) else "none"


def ready_before_the_end(writer: Writer, *calls: Any) -> bool:
    lines = writer.write(*calls)
    accumulator = Accumulator(writer.vendor)
    for line in lines[: len(lines) - len(writer.finish(writer.words.success))]:
        accumulator.feed(line)
    return bool(accumulator.ready())


def ends(writer: Writer) -> Iterator[str]:
    for end in ("cut", "refused"):
        word = getattr(writer.words, end)
        if word is not None:
            assert not replay(writer.write(CALL, end=end), writer.vendor).ready()  # type: ignore[arg-type]
            yield word
    for chunk in writer.error("overloaded")[:1]:
        accumulator = replay(writer.write(CALL, end="error"), writer.vendor)
        assert accumulator.error
        assert not accumulator.ready()
        yield kind_of(chunk) or "error"


def interleaves(writer: Writer) -> bool:
    if not writer.interleaves:
        return False
    calls = replay(writer.write(CALL, CALL, interleaved=True), writer.vendor).ready()
    assert [(call.name, call.arguments) for call in calls] == [CALL, CALL]
    return True


def kind_of(chunk: Any) -> str:
    """What a chunk says that it is: by a member for that, or by its only member."""
    if isinstance(chunk, str):
        return chunk
    if kind := chunk.get("type") or chunk.get("event_type"):
        return str(kind)
    (name, value), *others = chunk.items()
    return "" if others or isinstance(value, list) else str(name)


def path_to(chunk: Any, wanted: Any) -> str:
    """Where a value is in a chunk."""
    return next((shortened(path) for path, value in nodes(chunk) if value == wanted), "")


def deepest(chunk: Any) -> str:
    *_, (path, _) = nodes(chunk)
    return shortened(path)


def shortened(path: str) -> str:
    return ".".join(path.split(".")[-2:])


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    yield path, value
    if isinstance(value, dict):
        for name, child in value.items():
            yield from nodes(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for child in value:
            yield from nodes(child, f"{path}[]" if path else "")


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    return (node for node in nodes(value) if not isinstance(node[1], dict | list))


def listed(words: Any) -> str:
    return " ".join(f"`{word}`" for word in words if word)


if __name__ == "__main__":
    print("\n".join(table()))
