"""Whether the page on moving here tells all differences."""

import re
from pathlib import Path

import pytest
from differences import ALLOWED_DIFFERENCES

PAGE = Path(__file__).parents[2] / "src" / "fragjson" / "compat" / "README.md"


@pytest.mark.parametrize("original", ["jiter", "partial_json_parser"])
def test_the_page_lists_every_difference(original: str) -> None:
    section = PAGE.read_text("utf-8").split(f"## From {original.replace('_', '-')}\n")[1]
    rows = re.findall(r"^\| (?!Input|---)", section.split("\n## ")[0], re.MULTILINE)
    assert len(rows) == len(ALLOWED_DIFFERENCES[original])
