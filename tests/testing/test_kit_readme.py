"""The README of the kit, run as it stands: its planted bugs are found, its output is as shown."""

import doctest
from pathlib import Path

from fragjson import testing

README = Path(testing.__file__).with_name("README.md")


def test_the_readme_runs_as_written() -> None:
    failed, attempted = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert attempted > 20
