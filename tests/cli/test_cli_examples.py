"""The examples in the docstrings of the command line, run."""

import doctest
import pkgutil
from importlib import import_module

import pytest

from fragjson import _cli

MODULES = {module.name for module in pkgutil.iter_modules(_cli.__path__, "fragjson._cli.")}
WITH_EXAMPLES = {f"fragjson._cli.{name}" for name in ("fitting", "reading", "rows", "wording")}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_examples(name: str) -> None:
    failed, attempted = doctest.testmod(import_module(name))
    assert failed == 0
    assert (attempted > 0) == (name in WITH_EXAMPLES)
