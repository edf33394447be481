"""The plugin for pytest, as other projects have it: installed, or loaded by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from readme import block

import _fragjson_pytest
import fragjson
from fragjson.testing import FAULTS, WAYS

SOURCE = str(Path(fragjson.__file__).parents[1])
TESTS = """
import fragjson.testing as kit

STREAM = kit.WRITERS["anthropic"].write(("find", {"city": "Oslo"}))

def test_cut(fragmentation, fragjson_seed):
    assert "".join(fragmentation("a few words")) == "a few words"
    print("seed", fragjson_seed, fragmentation(b"a few words"))

def test_broken(stream_fault):
    assert [call for call in kit.replay(stream_fault(STREAM)).ready()
            if call.arguments != {"city": "Oslo"}] == []
    assert stream_fault(STREAM, seed=3) == stream_fault(STREAM, seed=3)
"""


def run(folder: Path, *options: str, path: str = SOURCE, tests: str = TESTS) -> str:
    (folder / "test_it.py").write_text(tests, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", *options],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    return done.stdout + done.stderr


BY_NAME = ("-p", "fragjson.testing.plugin")


def test_a_test_runs_for_each_way_and_each_fault(tmp_path: Path) -> None:
    out = run(tmp_path, *BY_NAME, "-v")
    assert f"{len(WAYS) + len(FAULTS)} passed" in out
    for name in [*WAYS, *FAULTS]:
        assert f"[{name}]" in out
    assert "fragjson-seed" not in out


def test_the_example_of_the_page_finds_the_bug_in_it_and_no_other(tmp_path: Path) -> None:
    wrong = block("def test_my_harness(stream_fault)")
    out = run(tmp_path, *BY_NAME, "-rf", tests=wrong)
    failed = re.findall(r"^FAILED \S+::test_my_harness\[(\w+)\]", out, re.MULTILINE)
    assert failed == ["drop", "repeat", "cut", "lose_finish"]
    right = wrong.replace("accumulator.calls:", "accumulator.ready():")
    right = right.replace("call.partial", "call.arguments")
    for seed in range(4):
        out = run(tmp_path, *BY_NAME, f"--fragjson-seed={seed}", tests=right)
        assert f"{len(WAYS) + len(FAULTS)} passed" in out


def test_the_seed_is_always_the_same_until_asked_for_another(tmp_path: Path) -> None:
    usual, again = (re.findall("seed 0 .*", run(tmp_path, *BY_NAME, "-rP")) for _ in range(2))
    assert usual == again
    assert len(usual) == len(WAYS)
    out = run(tmp_path, *BY_NAME, "-rP", "--fragjson-seed=random")
    seed = re.findall(r"^fragjson: --fragjson-seed=(\d+)$", out, re.MULTILINE)[0]
    cuts = re.findall(f"seed {seed} .*", out)
    assert len(cuts) == len(WAYS)
    assert cuts != [each.replace("0", seed, 1) for each in usual]
    repeated = run(tmp_path, *BY_NAME, "-rP", f"--fragjson-seed={seed}")
    assert re.findall(f"seed {seed} .*", repeated) == cuts


@pytest.mark.parametrize("seed", ["x", "1.5", ""])
def test_a_seed_that_is_none_is_refused_in_plain_words(tmp_path: Path, seed: str) -> None:
    out = run(tmp_path, *BY_NAME, f"--fragjson-seed={seed}")
    says = f"argument --fragjson-seed: {seed!r} is neither a whole number nor 'random'"
    assert says in out


def test_fixtures_of_these_names_that_a_project_has_win(tmp_path: Path) -> None:
    tests = """
import pytest

@pytest.fixture
def fragmentation(): return 3

def test(fragmentation): assert fragmentation == 3
"""
    out = run(tmp_path, *BY_NAME, tests=tests)
    assert "1 passed" in out


@pytest.fixture
def installed(tmp_path: Path) -> str:
    """Where to find the package and, as an installer notes it, its entry point."""
    site = tmp_path / "site"
    info = site / "fragjson-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fragjson\nVersion: 0\n")
    pyproject = Path(__file__).parents[2] / "pyproject.toml"
    target = re.findall(r"entry-points.pytest11\]\nfragjson = \"(.*)\"", pyproject.read_text())[0]
    (info / "entry_points.txt").write_text(f"[pytest11]\nfragjson = {target}\n")
    return os.pathsep.join([str(site), SOURCE])


INSTALLED = ("-p", "fragjson")
"""Plugins are looked for by the name of their entry point here, so that no others get in."""


def test_pytest_finds_it_when_it_is_installed(tmp_path: Path, installed: str) -> None:
    out = run(tmp_path, *INSTALLED, path=installed)
    assert f"{len(WAYS) + len(FAULTS)} passed" in out


def test_who_asks_for_none_of_it_gets_nothing_imported(tmp_path: Path, installed: str) -> None:
    """Neither the engine, which would turn the GIL on, nor anything else of the package."""
    tests = """
import sys

def test(): pass

def pytest_unconfigure(): print("imported:", [name for name in sys.modules if "fragjson" in name])
"""
    (tmp_path / "conftest.py").write_text(tests)
    out = run(tmp_path, *INSTALLED, "-s", "--fragjson-seed=3", path=installed, tests=tests)
    assert "1 passed" in out
    assert "fragjson: --fragjson-seed=3" in out
    assert "imported: ['_fragjson_pytest']" in out


def test_the_names_that_pytest_is_told_are_those_of_the_kit() -> None:
    assert list(WAYS) == list(_fragjson_pytest._WAYS)
    assert list(FAULTS) == list(_fragjson_pytest._FAULTS)


def test_a_fixture_loads_no_more_of_the_kit_than_it_takes(tmp_path: Path) -> None:
    tests = """
import sys

def test(fragmentation, stream_fault): print("imported:", *sys.modules)
"""

    def imported(*options: str, tests: str) -> set[str]:
        out = run(tmp_path, *options, "-s", tests=tests)
        return set(re.findall("imported: (.*)", out)[-1].split())

    without = imported(tests=tests.replace("fragmentation, stream_fault", ""))
    loaded = imported(*BY_NAME, tests=tests) - without
    assert "fragjson.testing.faults" in loaded
    for part in ("asserting", "conformance", "provider", "strategies", "writers"):
        assert f"fragjson.testing.{part}" not in loaded
    assert not loaded & {"hypothesis", "openai", "anthropic", "http.server", "pydantic", "asyncio"}
