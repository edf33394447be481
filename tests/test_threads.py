"""Threads, and interpreters beside the main one.

One parser belongs to one thread at a time: a second one gets a RuntimeError, never a crash or a
wrong value. Different parsers know nothing of each other. The scripts' docstrings say how it is
tried. Interpreters with a GIL of their own refuse the import. On a free-threaded build importing
the module turns the GIL on again, which is how far that is supported; strings are never grown in
place there.
"""

import sys

import pytest
from isolated import threads
from isolated.running import HARDER, run


@pytest.mark.parametrize("name", threads.TRIALS)
def test_threads(name: str) -> None:
    run("threads.py", name, 1.0 * HARDER, PYTHONMALLOC="debug")


def test_an_interpreter_with_its_own_gil_refuses_the_import() -> None:
    if sys.version_info < (3, 12):
        pytest.skip("before 3.12 there is only one GIL")
    assert "ok" in run("interpreters.py")
