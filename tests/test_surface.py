"""The outside of the package: what it exports and ships, who imports whom, and clean checkers."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import fragjson

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fragjson"

# From the ground up. A module imports only what stands in an earlier line.
LAYERS = [
    {"_showing", "_types"},
    {"_errors"},
    {"paths"},
    {"_engine"},
    {"_iterate"},
    {"toolcalls", "vendors"},
    {""},
    {"compat", "testing"},
    {"_cli"},
    {"__main__"},
]

# Adapters of what carries another vendor's format, or adds to it, build on that one's adapter.
BUILDS_ON = {
    "bedrock": "anthropic",
    "gemini_live": "gemini",
    "groq": "openai_chat",
    "mistral": "openai_chat",
    "openai_realtime": "openai_responses",
}


def layer_of(module: str) -> int:
    top = module.removeprefix("fragjson").removeprefix(".").split(".")[0]
    return next(level for level, names in enumerate(LAYERS) if top in names)


def imports_of(file: Path) -> set[str]:
    """The fragjson modules that importing a file imports (not what it imports for types only)."""
    found = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = SOURCE.parent.joinpath(*node.module.split("."), f"{name.name}.py")
                package = inner.with_suffix("") / "__init__.py"
                is_module = inner.exists() or package.exists()
                found.add(f"{node.module}.{name.name}" if is_module else node.module)
        elif isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
    return {name for name in found if name.split(".")[0] == "fragjson"}


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: file.stem)
def test_imports_go_downward_only(file: Path) -> None:
    module = ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
    module = module.removesuffix(".__init__")
    for imported in imports_of(file):
        if layer_of(module) == layer_of(imported):
            # Within a layer: the packages of tool calls and vendors only, and no vendor another
            # but the one it builds on; and within the test kit, the command line and the shims.
            own = any(
                module.startswith(package) and imported.startswith(package)
                for package in ("fragjson._cli", "fragjson.compat", "fragjson.testing")
            )
            assert own or layer_of(module) == layer_of("fragjson.vendors"), (module, imported)
            package, _, name = module.rpartition(".")
            if package == "fragjson.vendors" and imported.startswith(package):
                allowed = imported == f"{package}.{BUILDS_ON.get(name)}"
                assert allowed or "._" in imported, (module, imported)
        else:
            assert layer_of(imported) < layer_of(module), (module, imported)


def test_what_adapters_build_on_builds_on_none() -> None:
    assert not BUILDS_ON.keys() & set(BUILDS_ON.values())


def test_all_is_sorted_and_real() -> None:
    for name in ("fragjson", "fragjson._errors", "fragjson._types", "fragjson.toolcalls"):
        module = importlib.import_module(name)
        assert module.__all__ == sorted(module.__all__)
        for exported in module.__all__:
            assert getattr(module, exported) is not None


def test_the_names_of_the_design_are_there() -> None:
    assert set(fragjson.__all__) == {
        "Accumulator", "Allow", "CallNotReadyError", "CallStatus", "Event",
        "IncompleteJSONError", "JSONDecodeError", "LimitExceededError", "MalformedJSONError",
        "Parser", "Status", "ToolCall", "aiterparse", "iterparse", "loads", "vendors",
        "EventKind", "JSONType",  # to be written in the programs of users
    }  # fmt: skip


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["mypy.stubtest", "fragjson._engine", "--allowlist", "tests/stubtest_allowed.txt"],
    ],
    ids=" ".join,
)
def test_checkers_are_clean(command: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
