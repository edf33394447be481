"""The fuzz targets, for a short while: a long run is a command, see ``fuzz/fuzzing.py``.

Every kept input always runs. New ones are looked for where atheris can be imported, eight seconds
for each target, times FRAGJSON_HARDER, always the same ones: luck belongs into the long runs.
"""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from isolated.running import HARDER

FUZZ = Path(__file__).parent / "fuzz"
TARGETS = ("feed", "loads", "paths", "adapters")
SECONDS = 8 * HARDER

sys.path.append(str(FUZZ))

fuzzing = importlib.import_module("fuzzing")


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs(target: str) -> None:
    test = importlib.import_module(target).test
    found = fuzzing.seeds(target)
    assert found
    for data in found:
        test(data)


@pytest.mark.parametrize("target", TARGETS)
def test_new_inputs(target: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed, or not made for this Python")
    done = subprocess.run(
        [sys.executable, FUZZ / f"{target}.py", "-seed=1", f"-max_total_time={SECONDS}"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS + 100,
        check=False,
        errors="replace",
        text=True,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "DONE" in done.stdout
