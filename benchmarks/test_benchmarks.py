"""Is this build faster than the one before? For pytest-benchmark's own comparison of two runs.

    python -m pytest benchmarks --benchmark-enable --benchmark-autosave
    python -m pytest benchmarks --benchmark-enable --benchmark-compare

Without ``--benchmark-enable`` each loop runs once and its result is checked.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from corpora import CORPORA, Corpus, fragments
from loops import feed_and_value, feed_only, naive

from fragjson import loads

CASES = [pytest.param(corpus, id=name) for name, corpus in CORPORA.items()]


@pytest.mark.parametrize("corpus", CASES)
@pytest.mark.parametrize("loop", [feed_and_value, feed_only, naive])
def test_stream(benchmark: Any, loop: Callable[[Sequence[str]], Any], corpus: Corpus) -> None:
    pieces = fragments(corpus.text)
    benchmark.group = f"stream, {corpus.name}"
    assert benchmark(loop, pieces) == json.loads(corpus.text)


@pytest.mark.parametrize("corpus", CASES)
@pytest.mark.parametrize("read", [loads, json.loads], ids=["loads", "json"])
def test_whole(benchmark: Any, read: Callable[[str], Any], corpus: Corpus) -> None:
    benchmark.group = f"whole, {corpus.name}"
    result = benchmark.pedantic(read, setup=lambda: ((corpus.fresh(),), {}), rounds=50)
    assert result == json.loads(corpus.text)
