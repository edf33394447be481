"""How much memory does parsing take beyond the value it ends with?

Each measurement is a process of its own that is handed the document first. The fragments are cut
from it one at a time, and the value is read after each. Two measures of the peak, both less the
final value and less a text that was asked for, divided by the bytes fed:

- traced: what Python's allocators handed out (tracemalloc), exact. Memory that an extension takes
  from elsewhere, as those in Rust do, is not in it.
- resident: how far the process's resident memory rose. The allocators' slack is in it; nothing
  escapes it. Linux only.
"""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from corpora import cjk_text, cuts, file_write, records
from loops import feed_and_value, naive
from peers import (
    Jiter,
    Json,
    Orjson,
    PythonStreamPeer,
    StreamingJsonParser,
    WholePeer,
    present,
)
from report import Table, show

from fragjson import Parser, loads

LIMIT = 1.0
SIZE = 4_000_000
COARSE = 100_000
"""Characters of a fragment for the peers, which would take minutes for a million of them."""

DOCUMENTS: dict[str, Callable[[], str]] = {
    "one long string, 4 MB": lambda: file_write(SIZE),
    "rows, 4 MB": lambda: records(SIZE),
    "CJK text, 4 MB": lambda: cjk_text(SIZE // 3),
}

STREAMING: tuple[type[PythonStreamPeer], ...] = (Jiter, StreamingJsonParser)
READING: tuple[type[WholePeer], ...] = (Json, Orjson, Jiter)

STATUS = Path("/proc/self/status")


def keep_text(pieces: Iterable[str]) -> Any:
    parser = Parser(keep_text=True)
    for piece in pieces:
        parser.feed(piece)
    text = parser.text
    return parser.close(), text


def stream(run: Callable[[Iterable[str]], Any], about: int, text: str) -> Any:
    return run(pieces(text, about))


def pieces(text: str, about: int) -> Iterator[str]:
    at = 0
    for end in cuts(len(text), about, 1):
        yield text[at:end]
        at = end


def programs() -> tuple[dict[str, Callable[[str], Any]], list[str]]:
    found: dict[str, Callable[[str], Any]] = {
        "stream": partial(stream, feed_and_value, 4),
        "stream, keep_text": partial(stream, keep_text, 4),
        "loads": loads,
        "naive loop": partial(stream, naive, 4),
    }
    streaming, absent = present(STREAMING)
    whole, also_absent = present(READING)
    found |= {f"{peer.name}, stream": partial(stream, peer.stream, COARSE) for peer in streaming}
    found |= {f"{peer.name}, whole": peer.whole_text for peer in whole}
    return found, list(dict.fromkeys([*absent, *also_absent]))


JUDGED = ("stream", "stream, keep_text", "loads")


def tables() -> list[Table]:
    runs, absent = programs()
    table = Table(
        "Peak memory above the final value ÷ bytes fed",
        ("program", *(f"{name}, {how}" for name in DOCUMENTS for how in ("traced", "resident"))),
        notes=[
            "resident is not judged: it moves by some tenths with the allocators",
            f"streams of peers: fragments of {COARSE:,} characters",
            "traced counts what is asked for, touched or not, as orjson's buffer and our spare "
            "room; it is short for jiter and streaming-json-parser, which are Rust",
            *absent,
        ],
    )
    texts = {document: make() for document, make in DOCUMENTS.items()}
    for program in runs:
        cells = []
        for document, text in texts.items():
            traced = ask("traced", program, text)
            value, peak, size = traced["value"], traced["peak"], len(text.encode())
            limit = LIMIT if program in JUDGED else None
            what = f"memory ÷ bytes fed, {program}, {document}"
            cells.append(table.judged(what, (peak - value) / size, limit))
            rise = ask("resident", program, text)["rise"] if STATUS.exists() else None
            cells.append("-" if rise is None else f"{(rise - value) / size:z.2f}")
        table.add(program, *cells)
    return [table]


def ask(how: str, program: str, text: str) -> dict[str, int]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--child", how, program],
        input=text.encode(),
        check=True,
        stdout=subprocess.PIPE,
    )
    answer: dict[str, int] = json.loads(done.stdout)
    return answer


def child(how: str, program: str) -> dict[str, int]:
    text = sys.stdin.buffer.read().decode()
    run = programs()[0][program]
    run("[[1], 2]")  # what is set up once is not counted
    cuts(len(text), 4, 1)
    if how == "traced":
        tracemalloc.start()
        value = run(text)
        now, peak = tracemalloc.get_traced_memory()
        assert value is not None
        return {"value": now, "peak": peak}
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts from here
    before = resident("VmRSS")
    value = run(text)
    assert value is not None
    return {"rise": resident("VmHWM") - before}


def resident(field: str) -> int:
    (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(child(*sys.argv[2:])))
    else:
        show(tables)
