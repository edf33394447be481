"""What tests of several folders have in common."""

from collections.abc import Iterator

import pytest

from fragjson.testing.provider import MockProvider


@pytest.fixture(scope="session")
def provider() -> Iterator[MockProvider]:
    with MockProvider() as provider:
        yield provider
