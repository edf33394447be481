"""How many instructions does the work take? A figure that noise does not move.

For judging a change on a busy machine: callgrind counts the instructions executed. The same build
gives the same count to a few in a thousand, except where long texts are copied (the join of the
naive loop): memcpy goes by alignment. Only the work is counted: callgrind closes a part of its
count at each call of getppid, and that is called before and after. Needs valgrind.

    python benchmarks/instructions.py              the table
    python benchmarks/instructions.py --functions  and where they go, function by function
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_accumulator import CALLS, VENDORS, accumulator, idle
from corpora import CORPORA, fragments
from loops import feed_and_value, feed_only, naive
from report import Table, show

from fragjson import loads

DOCUMENTS = ("file write 8 KB", "records 32 KB", "CJK text")

OVER_FRAGMENTS: dict[str, Callable[[Any], object]] = {
    "feed": feed_only,
    "feed and value": feed_and_value,
    "naive": naive,
}
OVER_DOCUMENT: dict[str, Callable[[Any], object]] = {"loads": loads, "json": json.loads}
OVER_CHUNKS: dict[str, Callable[[Any], object]] = {
    f"{name}, {how}": run
    for name, vendor in VENDORS.items()
    for how, run in (
        ("plain", vendor.plain),
        ("idle", idle(vendor)),
        ("accumulator", accumulator(name)),
    )
}
JOBS = [
    *((work, document) for document in DOCUMENTS for work in (*OVER_FRAGMENTS, *OVER_DOCUMENT)),
    *((work, document) for document in CALLS for work in OVER_CHUNKS),
]

LEAST = 0.02
"""Functions with a smaller share are left out of the profiles."""

WARM, COUNTED = 3, 5
"""Runs before the count, in which the interpreter specialises the code, and runs counted."""

WARM_CALLS = 50
"""Runs before the count where a call is small: much of the code for it runs once per call."""


def tables() -> list[Table]:
    if shutil.which("valgrind") is None:
        return [Table("Instructions", ("document",), notes=["SKIPPED: valgrind is not installed"])]
    profiles = profile_all()
    counts = {
        (work, document): sum(profile.values()) / units(work, document)
        for (work, document), profile in profiles.items()
    }
    tables = [of_documents(counts), of_chunks(counts)]
    if "--functions" not in sys.argv[1:]:
        return tables
    return [*tables, *(functions(job, profile) for job, profile in profiles.items())]


def of_documents(counts: dict[tuple[str, str], float]) -> Table:
    table = Table(
        "Instructions (callgrind), fragments of about 4 characters",
        (
            "document",
            "feed, per fragment",
            "value, per read",
            "naive loop, per fragment",
            "loads, per character",
            "feed + value ÷ naive",
            "loads ÷ json.loads",
        ),
    )
    for document in DOCUMENTS:
        feed, value, plain = (counts[work, document] for work in OVER_FRAGMENTS)
        ours, theirs = (counts[work, document] for work in OVER_DOCUMENT)
        table.add(
            document,
            f"{feed:.1f}",
            f"{value - feed:.1f}",
            f"{plain:.1f}",
            f"{ours:.2f}",
            value / plain,
            ours / theirs,
        )
    return table


def of_chunks(counts: dict[tuple[str, str], float]) -> Table:
    table = Table(
        "Instructions (callgrind) per chunk, values and field events",
        ("stream", "plain loop", "idle", "accumulator", "idle ÷ plain", "accumulator ÷ plain"),
        notes=["idle: as in bench_accumulator.py"],
    )
    for name in VENDORS:
        for document in CALLS:
            plain, least, ours = (
                counts[f"{name}, {how}", document] for how in ("plain", "idle", "accumulator")
            )
            table.add(
                f"{name}, {document}",
                f"{plain:.0f}",
                f"{least:.0f}",
                f"{ours:.0f}",
                least / plain,
                ours / plain,
            )
    return table


def units(work: str, document: str) -> int:
    """Return by what the instructions of a work are divided: chunks, fragments or characters."""
    text = CORPORA[document].text
    if work in OVER_CHUNKS:
        return len(VENDORS[work.partition(",")[0]].chunks(text))
    return len(fragments(text)) if work in OVER_FRAGMENTS else len(text)


def functions(job: tuple[str, str], profile: Counter[str]) -> Table:
    work, document = job
    unit = "chunk" if work in OVER_CHUNKS else "fragment"
    unit = "character" if work in OVER_DOCUMENT else unit
    table = Table(f"Instructions: {work}, {document}", ("function", f"per {unit}", "share"))
    everything = sum(profile.values())
    for name, executed in profile.most_common():
        share = executed / everything
        if share > LEAST:
            table.add(name, f"{executed / units(work, document):.2f}", f"{share:.0%}")
    return table


def profile_all() -> dict[tuple[str, str], Counter[str]]:
    """Return the instructions of each job done once, by function."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "callgrind.out")
        subprocess.run(
            [
                *("valgrind", "--tool=callgrind", "--dump-before=getppid"),
                f"--callgrind-out-file={out}",
                *(sys.executable, "-S", str(Path(__file__)), "--child"),
            ],
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
        )
        # Part 1 ends where the first job begins, part 2 is the first job, and so on.
        return {
            job: profile(out.with_suffix(f".out.{2 * at + 2}").read_text())
            for at, job in enumerate(JOBS)
        }


def profile(part: str) -> Counter[str]:
    """Read the instructions that each function executed itself, per run, from callgrind's file."""
    names: dict[str, str] = {}
    executed: Counter[str] = Counter()
    current = ""
    lines = iter(part.splitlines())
    for line in lines:
        if named := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?", line):
            kind, number, name = named.groups()
            if name is not None:  # said once, a number ever after
                names[number] = name
            if kind == "fn":
                current = names[number]
        elif line.startswith("calls="):
            next(lines)  # what the function called executed, which is counted there
        elif cost := re.match(r"[-+*\d]\S* (\d+)$", line):
            executed[current] += int(cost[1])
    return Counter({name: count // COUNTED for name, count in executed.items()})


def child() -> None:
    for work, document in JOBS:
        run = {**OVER_FRAGMENTS, **OVER_DOCUMENT, **OVER_CHUNKS}[work]
        warm = WARM_CALLS if document == "small call" else WARM
        inputs = [fresh_input(work, document) for _ in range(warm + COUNTED)]
        for each in inputs[:warm]:
            run(each)
        os.getppid()
        for each in inputs[warm:]:
            run(each)
        os.getppid()


def fresh_input(work: str, document: str) -> Any:
    text = CORPORA[document].fresh()
    if work in OVER_CHUNKS:
        return VENDORS[work.partition(",")[0]].chunks(text)
    return fragments(text) if work in OVER_FRAGMENTS else text


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child()
    else:
        show(tables)
