"""The examples of the shims, run; and whether the page on moving here tells all differences."""

import doctest
import importlib
import pkgutil
import re
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


@pytest.mark.parametrize("original", ["jiter", "partial_json_parser"])
def test_the_page_lists_every_difference(original: str) -> None:
    section = PAGE.read_text("utf-8").split(f"## From {original.replace('_', '-')}\n")[1]
    rows = re.findall(r"^\| (?!Input|---)", section.split("\n## ")[0], re.MULTILINE)
    assert len(rows) == len(ALLOWED_DIFFERENCES[original])
