"""What is built and installed: the files, the metadata, and plain words where nothing compiles."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from email import message_from_string
from email.message import Message
from importlib import metadata
from pathlib import Path

import pytest

import fragjson

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fragjson"
FOR_PEOPLE = {".md"}
"""Read beside the code; not shipped in a wheel."""
FOR_THE_BUILD = {".pyx", ".pxd", ".h"}
"""Shipped in the sdist alone: nobody compiles against the engine, which has no C interface."""
MADE = {".c", ".so", ".pyd", ".pyc", ".html"}
BESIDE = "_fragjson_pytest.py"
"""The plugin for pytest: the one module that is not in the package."""


def shipped() -> set[str]:
    """The files of the sources that an installed package has, besides the engine."""
    left_out = FOR_PEOPLE | FOR_THE_BUILD | MADE
    return {BESIDE} | {
        path.relative_to(SOURCE.parent).as_posix()
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix not in left_out
    }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as a clone has them."""
    pytest.importorskip("setuptools", minversion="77")
    folder = tmp_path_factory.mktemp("copy")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns(*(f"*{suffix}" for suffix in MADE), "__pycache__")
    shutil.copytree(ROOT / "src", folder / "src", ignore=ignored)
    return folder


def setup(copy: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "setup.py", *arguments],
        cwd=copy, env={**os.environ, **environment}, capture_output=True, encoding="utf-8",
        check=False,
    )  # fmt: skip


def test_an_installed_package_is_the_engine_and_the_files_of_the_source() -> None:
    try:
        files = metadata.files("fragjson") or []
    except metadata.PackageNotFoundError:
        files = []
    installed = {file.as_posix() for file in files if file.parts[0] in ("fragjson", BESIDE)}
    if not installed:
        pytest.skip("fragjson is used from its sources here, not installed or as editable")
    installed = {name for name in installed if not name.endswith(".pyc")}
    (engine,) = (name for name in installed if name.endswith((".so", ".pyd")))
    assert engine.startswith("fragjson/_engine.")
    assert installed - {engine} == shipped()


def test_a_build_takes_all_packages_and_nothing_that_was_left_by_another(
    copy: Path, tmp_path: Path
) -> None:
    done = setup(copy, "-q", "build_py", "--build-lib", str(tmp_path))
    assert done.returncode == 0, done.stderr
    built = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert built == shipped()
    assert {"fragjson/py.typed", "fragjson/_engine.pyi", "fragjson/__main__.py"} <= built

    gone = [tmp_path / "fragjson" / "gone.py", tmp_path / "fragjson" / "vendors" / "gone.py"]
    of_others = [tmp_path / "setup.py", tmp_path / "other" / "fragjson" / "gone.py"]
    for file in (*gone, *of_others):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    failed = setup(copy, "-q", "build", "--build-lib", str(tmp_path), CC="/nowhere/cc")
    assert failed.returncode == 1
    assert [file for file in gone if file.exists()] == []
    assert [file for file in of_others if not file.exists()] == []


@pytest.fixture(scope="module")
def described(copy: Path) -> Message:
    (copy / "info").mkdir()
    done = setup(copy, "-q", "dist_info", "--output-dir", "info")
    assert done.returncode == 0, done.stderr
    (found,) = copy.glob("info/*.dist-info/METADATA")
    return message_from_string(found.read_text("utf-8"))


def test_the_version_is_that_of_the_module(described: Message) -> None:
    assert described["Version"] == fragjson.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## \[?{re.escape(fragjson.__version__)}\b", changes, re.MULTILINE)


def test_the_metadata_promise_nothing_else(described: Message) -> None:
    needed = described.get_all("Requires-Dist") or []
    assert [line for line in needed if "extra ==" not in line] == []
    assert [name for name in described if "URL" in name or name == "Home-page"] == []
    oldest = described["Requires-Python"].removeprefix(">=")
    versions = re.findall(r"Python :: (3\.\d+)", " ".join(described.get_all("Classifier") or []))
    assert versions[0] == oldest
    assert described.get_payload() == (ROOT / "README.md").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="MSVC is found without CC")
@pytest.mark.parametrize("compiler", ["/nowhere/cc", "false"], ids=["none", "one that fails"])
def test_without_a_compiler_the_error_says_what_is_needed(copy: Path, compiler: str) -> None:
    done = setup(copy, "build", CC=compiler)
    assert done.returncode == 1
    assert "error: fragjson is partly written in C, and could not be compiled here" in done.stderr
    assert compiler in done.stderr
    assert "a C compiler: gcc or clang" in done.stderr
    assert "python3-dev" in done.stderr
    assert "Traceback" not in done.stderr
    assert len((done.stdout + done.stderr).splitlines()) < 30
    assert not list(copy.rglob("_engine.c"))


WORKFLOWS = ROOT / ".github" / "workflows"


@pytest.mark.skipif(not WORKFLOWS.exists(), reason="an sdist has no workflows")
@pytest.mark.parametrize("name", ["tests", "wheels"])
def test_a_workflow_may_do_little_and_knows_every_version(name: str, described: Message) -> None:
    yaml = pytest.importorskip("yaml")
    text = (WORKFLOWS / f"{name}.yml").read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    allowed = {job: content["permissions"] for job, content in workflow["jobs"].items()
               if "permissions" in content}  # fmt: skip
    assert allowed == ({"publish": {"id-token": "write"}} if name == "wheels" else {})
    assert "secrets." not in text
    assert all(
        re.fullmatch(r"\S+@(v\d+|release/v\d+)", used) for used in re.findall(r"uses: (.*)", text)
    )
    if name == "tests":
        versions = workflow["jobs"]["suite"]["strategy"]["matrix"]["python"]
        named = re.findall(r"Python :: (3\.\d+)", " ".join(described.get_all("Classifier") or []))
        assert set(named) <= set(versions)


def test_the_tests_of_a_wheel_are_there() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["cibuildwheel"]
    named = re.findall(r"\{project\}/(\S+)", settings["test-command"])
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
