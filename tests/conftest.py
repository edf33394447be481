"""What tests of several folders have in common."""

import signal
from collections.abc import Iterator

import pytest

from fragjson.testing.provider import MockProvider


@pytest.fixture(scope="session")
def provider() -> Iterator[MockProvider]:
    with MockProvider() as provider:
        yield provider


@pytest.fixture(scope="session", autouse=True)
def interrupts_are_heard() -> None:
    """A shell that starts the tests in the background lets them, and all they start, ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
