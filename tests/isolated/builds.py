"""Build the engine in one of its other ways, and run the whole suite on it.

    python tests/isolated/builds.py sanitize        Address- and UndefinedBehaviorSanitizer (gcc)
    python tests/isolated/builds.py debug           with assertions, CPython's own among them
    python tests/isolated/builds.py plain_append    strings never grow in place
    python tests/isolated/builds.py portable_scan   without SSE2
    python tests/isolated/builds.py malloc_debug    as released, on the allocator's debug hooks

What follows goes to pytest. Each takes minutes. Promised: the suite passes on all of them. The
sanitizers' runtimes are preloaded, as the interpreter has none, and malloc is used for everything,
so that they see it; resident memory and speed mean nothing there, and the tests that measure them
are left out. Leaks are not asked for: an interpreter that ends leaves much behind.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SWITCHES = {
    "sanitize": {"FRAGJSON_SANITIZE": "1"},
    "debug": {"FRAGJSON_DEBUG": "1"},
    "plain_append": {"FRAGJSON_PLAIN_APPEND": "1"},
    "portable_scan": {"FRAGJSON_PORTABLE_SCAN": "1"},
    "malloc_debug": {},
}
MEASURING = ("tests/test_hostile.py", "tests/test_bytes.py", "tests/test_fuzz.py")
SPEED_AND_ROOM = (
    "flat or linear or memory or quadratic or spare_room or balanced or mypy or ruff or stub"
)


def build(way: str, target: Path) -> None:
    copy = target / "copy"
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("*.so", "*.c"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    command = [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(target)]
    subprocess.run(command, cwd=copy, env={**os.environ, **SWITCHES[way]}, check=True)
    shutil.copytree(copy / "src" / "fragjson", target / "fragjson", dirs_exist_ok=True)


def environment(way: str, target: Path) -> dict[str, str]:
    found = {"PYTHONPATH": str(target)}
    if way == "malloc_debug":
        found["PYTHONMALLOC"] = "debug"
    if way == "sanitize":
        names = ("libasan.so", "libubsan.so", "libstdc++.so")
        found["LD_PRELOAD"] = " ".join(
            subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
            for name in names
        )
        found["PYTHONMALLOC"] = "malloc"
        found["ASAN_OPTIONS"] = f"detect_leaks=0:allocator_may_return_null=1:log_path={target}/asan"
        found["UBSAN_OPTIONS"] = f"print_stacktrace=1:log_path={target}/ubsan"
    return found


def main() -> int:
    way, *others = sys.argv[1:]
    target = Path(tempfile.mkdtemp(prefix=f"fragjson-{way}-"))
    build(way, target)
    # What an installed package has is no business of these builds, which are not installed.
    arguments = ["-p", "no:cacheprovider", "-q", "--deselect=tests/test_surface.py", *others]
    if way == "sanitize":
        arguments += [f"--deselect={name}" for name in MEASURING] + [
            "-k",
            f"not ({SPEED_AND_ROOM})",
        ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment(way, target)},
        check=False,
    )
    reports = sorted([*target.glob("asan*"), *target.glob("ubsan*")])
    for report in reports:
        print(report.read_text("utf-8", "replace"))
    print(f"{way}: exit status {done.returncode}, {len(reports)} sanitizer reports")
    return 1 if reports else done.returncode


if __name__ == "__main__":
    sys.exit(main())
