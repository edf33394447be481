"""Let these tests use the helpers of the folders around, also when they are run alone."""

import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "vendors")]

from replaying import ReplayServer  # noqa: E402


@pytest.fixture(scope="session")
def replay_server() -> Iterator[ReplayServer]:
    server = ReplayServer()
    thread = Thread(target=server.serve)
    thread.start()
    yield server
    server.stop()
    thread.join()
