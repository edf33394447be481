"""What their page says of vendors: the table is what is measured, and the example adapter works."""

import re
from pathlib import Path
from typing import Any

import pytest
from vendor_table import table

from fragjson import vendors
from fragjson.testing import CHECKS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "src/fragjson/vendors/README.md").read_text("utf-8")


def test_the_table_is_what_is_measured() -> None:
    lines = table()
    assert "\n".join(lines) in PAGE


def test_the_readme_names_every_vendor() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in vendors.names() if f"`{name}`" not in readme] == []


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        if "class Acme" in code:
            exec(code, names)
    return names


@pytest.mark.parametrize("check", CHECKS)
def test_the_example_is_an_adapter_like_any_other(check: str, example: dict[str, Any]) -> None:
    assert "acme" in vendors.names()
    CHECKS[check](example["AcmeWriter"]())
