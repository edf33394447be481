"""Nothing crashes, is lost, or changes in a user's hands, whoever attacks and whatever fails.

The attacks and the failing allocations run in processes of their own, with the allocator's debug
hooks, which fill what is freed and guard what is allocated. What is expected is written in the
scripts.
"""

import pytest
from isolated import attacks, leaks
from isolated.running import HARDER, run


@pytest.mark.parametrize("name", attacks.ATTACKS)
def test_attack(name: str) -> None:
    run("attacks.py", name, PYTHONMALLOC="debug")


@pytest.mark.parametrize(
    "scenario", ["feed", "look", "fail", "cut", "number", "reset", "extra", "loads", "make"]
)
def test_no_allocation_may_fail_unnoticed(scenario: str) -> None:
    pytest.importorskip("_testcapi", reason="this interpreter has no _testcapi to fail allocations")
    run("no_memory.py", scenario)


@pytest.mark.parametrize("name", leaks.USES)
def test_memory_stays_flat_without_the_collector(name: str) -> None:
    run("leaks.py", name, 4_000 * HARDER)


def test_memory_stays_flat_over_a_million() -> None:
    if HARDER < 2:
        pytest.skip("takes minutes: FRAGJSON_HARDER=2 runs it")
    run("leaks.py", "all", 1_000_000, timeout=3600)
