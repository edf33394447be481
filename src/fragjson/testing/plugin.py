"""A plugin for pytest: the same test with each fragmentation, and with each fault.

pytest finds it when fragjson is installed; ``-p no:fragjson`` leaves it out. From a source tree, or
where plugins are not looked for, it is ``-p fragjson.testing.plugin``.

    def test_my_parser(fragmentation):
        assert parsed_by_mine(fragmentation('{"city": "Oslo"}')) == {"city": "Oslo"}

    def test_my_harness(stream_fault):
        stream = stream_fault(STREAM)
        certain = [(call.name, call.arguments) for call in replay(stream).ready()]
        assert all(call in certain for call in run_by_mine(stream))

The random ones are the same in each run, until ``--fragjson-seed`` gives another seed, or draws
one: ``--fragjson-seed=random``. The header of the run then says which, to repeat it.
"""

from _fragjson_pytest import (
    fragjson_seed,
    fragmentation,
    pytest_addoption,
    pytest_report_header,
    stream_fault,
)

__all__ = [
    "fragjson_seed", "fragmentation", "pytest_addoption", "pytest_report_header", "stream_fault",
]  # fmt: skip
