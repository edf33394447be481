"""The examples in all docstrings of the package, run, and that none of them is passed over."""

import doctest
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import fragjson
from fragjson import vendors

SOURCE = Path(__file__).parents[1] / "src" / "fragjson"
MODULES = ["fragjson"] + [
    module.name
    for module in pkgutil.walk_packages(fragjson.__path__, "fragjson.")
    if module.name != "fragjson.__main__"  # which is a program
]


def found() -> Iterator[doctest.DocTest]:
    """Find each docstring once: what the engine defines is found in two ways."""
    known = set()
    for name in MODULES:
        for test in doctest.DocTestFinder().find(import_module(name)):
            examples = tuple((example.source, example.want) for example in test.examples)
            if examples and examples not in known:
                known.add(examples)
                yield test


FOUND = list(found())


@pytest.mark.parametrize("test", FOUND, ids=lambda test: test.name)
def test_example(test: doctest.DocTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))  # one example registers another
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
    assert result.failed == 0, "".join(said)


def test_every_example_that_is_written_is_found() -> None:
    files = [*SOURCE.rglob("*.py"), SOURCE / "_engine.pyx"]
    written = sum(
        len(re.findall(r"^\s*>>> ", file.read_text("utf-8"), re.MULTILINE)) for file in files
    )
    assert sum(len(test.examples) for test in FOUND) == written
