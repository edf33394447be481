"""Let these tests use the helpers of the folders around, and run the README's loops."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "vendors")]

from loops import Loops, running  # noqa: E402 - it is in reach by that


@pytest.fixture
def loops() -> Iterator[Loops]:
    with running() as loops:
        yield loops
