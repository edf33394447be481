"""The examples of the shims and of the page on moving to this package, run."""

import doctest
import importlib
import pkgutil
import re
import sys
from pathlib import Path

import pytest
from differences import ALLOWED_DIFFERENCES

from fragjson import compat

PAGE = Path(__file__).parents[2] / "src" / "fragjson" / "compat" / "README.md"
MODULES = [module.name for module in pkgutil.walk_packages(compat.__path__, "fragjson.compat.")]
WITH_EXAMPLES = {
    "fragjson.compat.jiter", "fragjson.compat.partial_json_parser",
    "fragjson.compat.partial_json_parser.core.api",
    "fragjson.compat.partial_json_parser.core.complete",
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert (attempted > 0) == (name in WITH_EXAMPLES)


def test_the_page_on_moving_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jiter", sys.modules.get("jiter"))  # put back afterwards
    failed, attempted = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert attempted > 15


@pytest.mark.parametrize("original", ["jiter", "partial_json_parser"])
def test_the_page_lists_every_difference(original: str) -> None:
    section = PAGE.read_text("utf-8").split(f"## From {original.replace('_', '-')}\n")[1]
    rows = re.findall(r"^\| (?!Input|---)", section.split("\n## ")[0], re.MULTILINE)
    assert len(rows) == len(ALLOWED_DIFFERENCES[original])
