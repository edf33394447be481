"""What the fuzz targets share: choices out of bytes, the seeds, and the run itself.

    python tests/fuzz/feed.py                          for ever, or to the first failure
    python tests/fuzz/feed.py -max_total_time=3600     an hour; all of libFuzzer's options work
    python tests/fuzz/feed.py CRASH_FILE               one input again
    python tests/fuzz/fuzzing.py feed FOLDER           keep the inputs of a folder as seeds

and so for ``loads.py``, ``paths.py`` and ``adapters.py``; line one of each says what it holds to.
New finds go to a folder that is given: ``python tests/fuzz/feed.py FOLDER``; minimise it with
libFuzzer's ``-merge=1`` before its inputs become seeds. Needs ``pip install atheris``, which has no
CPython 3.13.

The engine is compiled and shows no coverage. Its targets are led by that of the reference, which
goes the same way for the same input.
"""

import base64
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

HERE = Path(__file__).parent
MOST_SEEDS = 120
LONGEST_SEED = 300

sys.path.append(str(HERE.parent))


class Choices:
    """Choices out of bytes, from the front; when they are used up, always the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def upto(self, most: int) -> int:
        number = self.byte()
        return (number if most < 256 else number << 8 | self.byte()) % (most + 1)

    def of(self, items: Any) -> Any:
        return items[self.upto(len(items) - 1)]

    def chance(self) -> bool:
        return self.byte() % 2 == 1

    def rest(self) -> bytes:
        found, self._at = self._data[self._at :], len(self._data)
        return found


def seeds(target: str) -> list[bytes]:
    """The inputs that are kept for a target: in its file, one a line, in base64."""
    lines = (HERE / "seeds" / f"{target}.txt").read_text("ascii").splitlines()
    return [base64.b64decode(line) for line in lines]


def keep(target: str, folder: Path) -> None:
    """Take the short ones of the inputs in a folder as seeds, beside those that are kept."""
    found = {*seeds(target), *(path.read_bytes() for path in folder.iterdir() if path.is_file())}
    short = sorted((len(data), data) for data in found if len(data) <= LONGEST_SEED)
    step = max(1, -(-len(short) // MOST_SEEDS))
    lines = [base64.b64encode(data).decode() + "\n" for _, data in short[::step]]
    (HERE / "seeds" / f"{target}.txt").write_text("".join(lines), "ascii")


def instrument() -> None:
    """Let the functions of the package, and of the reference, tell which way they went."""
    import atheris  # noqa: PLC0415 - only here and below, so that targets can be imported without it

    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in ("fragjson", "reference"):
            continue
        for holder in [module, *(each for each in vars(module).values() if isinstance(each, type))]:
            for found in list(vars(holder).values()):
                function = found.fget if isinstance(found, property) else found
                function = getattr(function, "__func__", function)
                if isinstance(function, FunctionType) and function.__module__ == name:
                    atheris.instrument_func(function)


def main(target: Callable[[bytes], object]) -> None:
    """Run a target under atheris; each target's file ends with a call of this."""
    import atheris  # noqa: PLC0415

    arguments = sys.argv[1:]
    if not any(Path(argument).is_file() for argument in arguments):
        instrument()
        folder = Path(tempfile.mkdtemp(prefix="fragjson-seeds-"))
        for number, data in enumerate(seeds(Path(sys.argv[0]).stem)):
            (folder / str(number)).write_bytes(data)
        words = HERE / "seeds" / "json.dict"
        if not any(Path(argument).is_dir() for argument in arguments):
            arguments.append(tempfile.mkdtemp(prefix="fragjson-finds-"))
        arguments += [str(folder), f"-dict={words}"]
    atheris.Setup([sys.argv[0], *arguments], target)
    atheris.Fuzz()


if __name__ == "__main__":
    keep(sys.argv[1], Path(sys.argv[2]))
