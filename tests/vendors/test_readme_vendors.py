"""What the README says of vendors: the table is what is measured, and the example adapter works."""

import re
from pathlib import Path
from typing import Any

import pytest
from vendor_table import table

from fragjson import vendors
from fragjson.testing import CHECKS

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")


def test_the_table_is_what_is_measured() -> None:
    lines = table()
    assert "\n".join(lines) in README


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))
    names: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
        if "class Acme" in code:
            exec(code, names)
    return names


@pytest.mark.parametrize("check", CHECKS)
def test_the_example_is_an_adapter_like_any_other(check: str, example: dict[str, Any]) -> None:
    assert "acme" in vendors.names()
    CHECKS[check](example["AcmeWriter"]())
