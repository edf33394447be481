"""What the tests of all vendors have in common."""

from collections.abc import Iterator
from threading import Thread

import pytest
from replaying import ReplayServer


@pytest.fixture(scope="session")
def replay_server() -> Iterator[ReplayServer]:
    server = ReplayServer()
    thread = Thread(target=server.serve)
    thread.start()
    yield server
    server.stop()
    thread.join()
