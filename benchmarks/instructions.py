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
JOBS = [(work, document) for document in DOCUMENTS for work in (*OVER_FRAGMENTS, *OVER_DOCUMENT)]

LEAST = 0.02
"""Functions with a smaller share are left out of the profiles."""

WARM, COUNTED = 3, 5
"""Runs before the count, in which the interpreter specialises the code, and runs counted."""


def tables() -> list[Table]:
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
    if shutil.which("valgrind") is None:
        table.notes.append("SKIPPED: valgrind is not installed")
        return [table]
    profiles = profile_all()
    counts = {job: sum(profile.values()) for job, profile in profiles.items()}
    for document in DOCUMENTS:
        feed, value, plain = (
            counts[work, document] / units("feed", document) for work in OVER_FRAGMENTS
        )
        ours, theirs = (counts[work, document] / units("loads", document) for work in OVER_DOCUMENT)
        table.add(
            document,
            f"{feed:.1f}",
            f"{value - feed:.1f}",
            f"{plain:.1f}",
            f"{ours:.2f}",
            value / plain,
            ours / theirs,
        )
    if "--functions" not in sys.argv[1:]:
        return [table]
    return [table, *(functions(job, profile) for job, profile in profiles.items())]


def units(work: str, document: str) -> int:
    """Return by what the instructions of a work are divided: its fragments or its characters."""
    text = CORPORA[document].text
    return len(fragments(text)) if work in OVER_FRAGMENTS else len(text)


def functions(job: tuple[str, str], profile: Counter[str]) -> Table:
    work, document = job
    unit = "fragment" if work in OVER_FRAGMENTS else "character"
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
        corpus = CORPORA[document]
        over_fragments = work in OVER_FRAGMENTS
        run = OVER_FRAGMENTS[work] if over_fragments else OVER_DOCUMENT[work]
        inputs = [
            fragments(corpus.fresh()) if over_fragments else corpus.fresh()
            for _ in range(WARM + COUNTED)
        ]
        for each in inputs[:WARM]:
            run(each)
        os.getppid()
        for each in inputs[WARM:]:
            run(each)
        os.getppid()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child()
    else:
        show(tables)
