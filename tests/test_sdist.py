"""The source distribution: the same bytes from the same sources, and what a build needs in it."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAKE = "import sys; from setuptools import build_meta; print(build_meta.build_sdist(sys.argv[1]))"


def made_in(folder: Path, modified: int) -> Path:
    """Make the sdist from a copy of the sources, as pip and build do."""
    copy = folder / "copy"
    copy.mkdir(parents=True)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "_engine.c", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", copy / "src", ignore=ignored)
    for path in copy.rglob("*"):
        os.utime(path, (modified, modified))
    subprocess.run(
        [sys.executable, "-c", MAKE, str(folder)], cwd=copy, check=True, capture_output=True
    )
    (made,) = folder.glob("*.tar.gz")
    return made


def test_the_sdist_is_the_same_byte_for_byte_and_has_no_generated_c(tmp_path: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    first, second = (made_in(tmp_path / name, time) for name, time in (("a", 10**9), ("b", 10**8)))
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert not [name for name in names if name.endswith((".c", ".so", ".pyc"))]
    assert names >= {f"src/fragjson/{name}" for name in ("_engine.pyx", "_text.h", "_machine.pxd")}
    pages = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("src/**/README.md")}
    assert names >= pages
