"""A plugin for pytest: the same test with each fragmentation, and with each fault.

pytest finds it when fragjson is installed; ``-p no:fragjson`` leaves it out. From a source tree, or
where plugins are not looked for, it is ``-p fragjson.testing.plugin``.

    def test_my_parser(fragmentation):
        assert parsed_by_mine(fragmentation('{"city": "Oslo"}')) == {"city": "Oslo"}

    def test_my_harness(stream_fault):
        assert run_by_mine(stream_fault(STREAM)) in ([], CALLS)

The random ones are the same in each run, until ``--fragjson-seed`` gives another seed, or draws
one: ``--fragjson-seed=random``. The header of the run then says which, to repeat it.
"""

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fragjson.testing.faults import FAULTS, broken
from fragjson.testing.fragmenting import WAYS, cut

__all__ = ["fragjson_seed", "fragmentation", "stream_fault"]


@pytest.fixture(scope="session")
def fragjson_seed(pytestconfig: pytest.Config) -> int:
    """Return the seed of the random fragmentations and faults of this run."""
    seed: int = pytestconfig.getoption("fragjson_seed")
    return seed


@pytest.fixture(params=WAYS)
def fragmentation(request: pytest.FixtureRequest, fragjson_seed: int) -> Callable[[Any], list[Any]]:
    """Return what cuts text or bytes into fragments: the test is run for each of ``WAYS``."""
    return partial(cut, way=request.param, seed=fragjson_seed)


@pytest.fixture(params=FAULTS)
def stream_fault(request: pytest.FixtureRequest, fragjson_seed: int) -> Callable[..., list[str]]:
    """Return what breaks a stream: the test is run for each of ``FAULTS``.

    It breaks it always at the same place; with ``seed=...`` at another one.
    """
    return partial(broken, fault=request.param, seed=fragjson_seed)


def pytest_addoption(parser: pytest.Parser) -> None:
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
    return random.randrange(1, 2**32) if text == "random" else int(text)
