"""Are the speed targets met on this machine, and where do we lose?

Runs every benchmark, each in a process of its own, prints its tables, and exits with 1, naming
them, if targets are missed.

    python benchmarks/run.py               everything
    python benchmarks/run.py stream whole  only bench_stream and bench_whole
    python benchmarks/run.py --write       everything, and put it into benchmarks/README.md
"""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from peers import SDK_STREAMS, STREAM, WHOLE, Peer, present
from report import Table, read, render

HERE = Path(__file__).parent
README = HERE / "README.md"

QUESTIONS = {
    "stream": "bench_stream",
    "events": "bench_events",
    "whole": "bench_whole",
    "linear": "bench_linear",
    "snapshot": "bench_snapshot",
    "memory": "bench_memory",
    "accumulator": "bench_accumulator",
    "instructions": "instructions",
}
"""Each script by the word that names it here."""


def main(arguments: Sequence[str]) -> int:
    write = "--write" in arguments
    chosen = [word for word in arguments if word != "--write"] or list(QUESTIONS)
    unknown = [word for word in chosen if word not in QUESTIONS]
    if unknown or (write and len(chosen) < len(QUESTIONS)):
        print(__doc__, file=sys.stderr)
        return 2
    parts = [surroundings()]
    print(parts[0])
    tables: list[Table] = []
    failed: list[str] = []
    for word in chosen:
        try:
            made = answer(QUESTIONS[word])
        except subprocess.CalledProcessError as error:
            failed.append(f"{QUESTIONS[word]} ended with {error.returncode}")
            continue
        tables += made
        parts += [render(table) for table in made]
        print("\n".join(render(table) for table in made), flush=True)
    parts += [losses(tables), verdict(tables, failed)]
    print("\n".join(parts[-2:]))
    if write:
        put("\n".join(parts))
    return 1 if failed or missed(tables) else 0


def answer(script: str) -> list[Table]:
    done = subprocess.run(
        [sys.executable, str(HERE / f"{script}.py"), "--json"],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return read(done.stdout)


def missed(tables: Sequence[Table]) -> list[str]:
    return [
        f"{check.what}: {check.ratio:.2f}, target {check.limit:.2f}"
        for table in tables
        for check in table.checks
        if not check.met
    ]


def verdict(tables: Sequence[Table], failed: Sequence[str]) -> str:
    count = sum(len(table.checks) for table in tables)
    misses = missed(tables)
    lines = [f"- {miss}" for miss in misses] + [f"- FAILED: {failure}" for failure in failed]
    head = f"{count - len(misses)} of {count} targets met"
    return "\n".join(["### Targets", "", f"{head}{'; missed:' if lines else '.'}", "", *lines, ""])


def losses(tables: Sequence[Table]) -> str:
    """Say who does which job in less than we do; the figures are ours divided by theirs."""
    if not any(table.losses for table in tables):
        return "### Where we lose\n\nNowhere in these tables.\n"
    lines = ["### Where we lose", "", "Ours divided by theirs, wherever it is above 1:", ""]
    for table in tables:
        ordered = sorted(table.losses, key=lambda loss: loss.to)
        for to, group in groupby(ordered, key=lambda loss: loss.to):
            cases = ", ".join(f"{loss.what} {loss.ratio:.2f}" for loss in group)
            lines.append(f"- {table.title.split(':')[0]}; {to}: {cases}")
    return "\n".join([*lines, ""])


def surroundings() -> str:
    """Describe machine and versions."""
    everyone: dict[str, Peer] = {}
    absent: list[str] = []
    for classes in (WHOLE, STREAM, SDK_STREAMS):
        found, missing = present(classes)
        everyone |= {peer.name: peer for peer in found}
        absent += missing
    load = f", load average {os.getloadavg()[0]:.1f} before the run" if os.name == "posix" else ""
    lines = [
        f"## Measured: CPython {platform.python_version()}",
        "",
        f"- machine: {processor()}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.machine()}{load}",
        f"- interpreter: {platform.python_implementation()} {platform.python_version()}, "
        f"{platform.python_compiler()}",
        *(f"- {peer.name}: {peer.version()}" for peer in everyone.values()),
        *(f"- {line}" for line in dict.fromkeys(absent)),
    ]
    return "\n".join([*lines, ""])


def processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", information.read_text(), re.MULTILINE)
        if found:
            return found[1]
    return platform.processor() or "unknown processor"


def put(section: str) -> None:
    """Replace this interpreter's section of the README, or add it."""
    version = ".".join(platform.python_version_tuple()[:2])
    begin, end = f"<!-- begin {version} -->", f"<!-- end {version} -->"
    text = README.read_text()
    block = f"{begin}\n{section}\n{end}"
    if begin in text:
        head, _, rest = text.partition(begin)
        text = head + block + rest.partition(end)[2]
    else:
        text = f"{text.rstrip()}\n\n{block}\n"
    README.write_text(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
