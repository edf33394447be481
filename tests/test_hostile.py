"""Hostile sizes: bounded memory, time that grows with the input, typed errors at limits.

Each size runs in a process of its own, at a fiftieth here; FRAGJSON_HARDER=2 takes the full sizes,
which need minutes and some 8 GB. The bounds are in ``isolated/hostile.py``.
"""

import pytest
from isolated import hostile
from isolated.running import HARDER, run


@pytest.mark.parametrize("name", hostile.SIZES)
def test_size(name: str) -> None:
    run("hostile.py", name, 1.0 if HARDER > 1 else 0.02, timeout=1800)
