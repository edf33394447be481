"""The plugin for pytest that is in ``fragjson.testing.plugin``; this is what pytest imports.

It stands beside the package, not in it: pytest imports the plugins of everything that is installed,
in every run of every project, and importing any part of the package imports the engine. That costs
each run some 30 ms, and where the interpreter is free-threaded it turns the GIL on. So nothing of
fragjson is imported here before a test asks for a fixture.
"""

import argparse
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

__all__ = [
    "fragjson_seed", "fragmentation", "pytest_addoption", "pytest_report_header", "stream_fault",
]  # fmt: skip

# The names of ``WAYS`` and ``FAULTS`` once more: pytest wants them before it runs anything.
_WAYS = (
    "whole", "one by one", "one by one, with empty ones", "by tokens",
    "random 0", "random 1", "random 2",
)  # fmt: skip
_FAULTS = (
    "drop", "repeat", "reorder", "cut", "corrupt", "stall", "duplicate_finish", "lose_finish",
)  # fmt: skip


@pytest.fixture(scope="session")
def fragjson_seed(pytestconfig: pytest.Config) -> int:
    """Return the seed of the random fragmentations and faults of this run."""
    seed: int = pytestconfig.getoption("fragjson_seed")
    return seed


@pytest.fixture(params=_WAYS)
def fragmentation(request: pytest.FixtureRequest, fragjson_seed: int) -> Callable[[Any], list[Any]]:
    """Return what cuts text or bytes into fragments: the test is run for each of ``WAYS``."""
    from fragjson.testing.fragmenting import cut  # noqa: PLC0415 - see above

    return partial(cut, way=request.param, seed=fragjson_seed)


@pytest.fixture(params=_FAULTS)
def stream_fault(request: pytest.FixtureRequest, fragjson_seed: int) -> Callable[..., list[str]]:
    """Return what breaks a stream: the test is run for each of ``FAULTS``.

    It breaks it always at the same place; with ``seed=...`` at another one.
    """
    from fragjson.testing.faults import broken  # noqa: PLC0415 - see above

    return partial(broken, fault=request.param, seed=fragjson_seed)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that gives the seed."""
    parser.getgroup("fragjson").addoption(
        "--fragjson-seed",
        type=_seed,
        default=0,
        metavar="SEED",
        help="of the fixtures fragmentation and stream_fault: a whole number, or 'random'",
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say the seed, if it is not the usual one: most projects that load this plugin need none."""
    seed = config.getoption("fragjson_seed")
    return [f"fragjson: --fragjson-seed={seed}"] if seed else []


def _seed(text: str) -> int:
    if text == "random":
        return random.randrange(1, 2**32)
    try:
        return int(text)
    except ValueError:
        says = f"{text!r} is neither a whole number nor 'random'"
        raise argparse.ArgumentTypeError(says) from None
