r"""For your own test suite: streams written, cut otherwise, broken as streams break, and replayed.

A stream is a list of lines as they were sent: JSON, or server-sent ``data:`` lines, such as
``read_stream`` reads from a recording, or a writer of ``WRITERS`` writes in any vendor's way:

>>> from fragjson.testing import WRITERS, broken, fragments, replay
>>> stream = WRITERS["anthropic"].write(("find", {"city": "Oslo"}))
>>> [call.arguments for call in replay(stream).ready()]
[{'city': 'Oslo'}]

A harness must come to the right calls or to a status that says that something is missing, whatever
breaks. A fault takes a stream and a random number generator and returns another stream; it leaves
the given one alone. The same seed gives the same result, of everything here.

>>> [str(call.status) for call in replay(broken(stream, "lose_finish")).calls]
['unconfirmed']

Text for a parser of your own making is cut by ``fragments``, and in all other ways by
``fragmentations``:

>>> from fragjson import Parser
>>> parser = Parser()
>>> for fragment in fragments('{"city": "Oslo"}', seed=3):
...     _ = parser.feed(fragment)
>>> parser.close()
{'city': 'Oslo'}

``assert_same_under_fragmentation`` and ``assert_never_runs_half_a_call`` try all of that on a
program of yours. ``paced`` plays a stream in its rhythm.

The vendors' real SDKs get such streams over HTTP, cut and broken as you like, from a
``MockProvider`` (see ``provider``, which is not imported with this).

An adapter of your own is tested by a ``Writer`` of your own, and the checks of ``CHECKS``, which
take one (see ``conformance``).

The strategies for hypothesis are in ``strategies``, the plugin for pytest in ``plugin``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fragjson.testing.asserting import (
        Harness,
        assert_never_runs_half_a_call,
        assert_same_under_fragmentation,
    )
    from fragjson.testing.conformance import CHECKS
    from fragjson.testing.faults import FAULTS, Fault, broken, is_finish
    from fragjson.testing.fragmenting import (
        WAYS,
        Data,
        cut,
        fragmentations,
        fragments,
        mixed,
        splits,
        tokens,
        units,
    )
    from fragjson.testing.pacing import VirtualClock, apaced, paced, pauses
    from fragjson.testing.replaying import chunks, read_stream, replay
    from fragjson.testing.writers import WRITERS
    from fragjson.testing.writing import Cut, End, Words, Writer, WrittenCall

__all__ = [
    "CHECKS", "FAULTS", "WAYS", "WRITERS", "Cut", "Data", "End", "Fault", "Harness", "VirtualClock",
    "Words", "Writer", "WrittenCall", "apaced", "assert_never_runs_half_a_call",
    "assert_same_under_fragmentation", "broken", "chunks", "cut", "fragmentations", "fragments",
    "is_finish", "mixed", "paced", "pauses", "read_stream", "replay", "splits", "tokens", "units",
]  # fmt: skip

_MODULES = (
    "faults", "fragmenting", "pacing", "replaying", "writing", "writers", "conformance",
    "asserting",
)  # fmt: skip
"""Where the names are; the light ones first."""

if not TYPE_CHECKING:  # or every name would be taken for one

    def __getattr__(name: str) -> Any:
        # Looked up when it is used: a test that only cuts text, say by the fixture of the plugin,
        # does not wait for the writers of all vendors.
        if name in __all__:
            for module in _MODULES:
                found = import_module(f"{__name__}.{module}")
                if name in found.__all__:
                    return getattr(found, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
