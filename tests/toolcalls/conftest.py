"""Let these tests use the helpers of the folders around, also when they are run alone."""

import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest
from speculating import Gate

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "vendors")]


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """What goes wrong in callbacks of tasks and threads is logged, and nothing else would tell."""
    yield
    assert [record.getMessage() for record in caplog.records] == []


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.go.set()


@pytest.fixture
def executor() -> Iterator[Executor]:
    with ThreadPoolExecutor(4) as executor:
        yield executor
