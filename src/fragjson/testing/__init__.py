r"""For your own test suite: streams written, cut otherwise, broken as streams break, and replayed.

A stream is a list of lines as they were sent: JSON, or server-sent ``data:`` lines, such as
``read_stream`` reads from a recording, or a writer of ``WRITERS`` writes in any vendor's way:

>>> stream = WRITERS["anthropic"].write(("find", {"city": "Oslo"}))
>>> [call.arguments for call in replay(stream).ready()]
[{'city': 'Oslo'}]

A harness must come to the right calls or to a status that says that something is missing, whatever
breaks. A fault takes a stream and a random number generator and returns another stream; it leaves
the given one alone. The same seed gives the same result, of everything here.

>>> [str(call.status) for call in replay(broken(stream, "lose_finish")).calls]
['unconfirmed']

Text for a parser of your own making is cut by ``fragments``:

>>> from fragjson import Parser
>>> parser = Parser()
>>> for fragment in fragments('{"city": "Oslo"}', seed=3):
...     _ = parser.feed(fragment)
>>> parser.close()
{'city': 'Oslo'}

The vendors' real SDKs get such streams over HTTP, cut and broken as you like, from a
``MockProvider`` (see ``provider``, which is not imported with this).

An adapter of your own is tested by a ``Writer`` of your own, and the checks of ``CHECKS``, which
take one (see ``conformance``).
"""

from fragjson.testing.conformance import CHECKS
from fragjson.testing.faults import FAULTS, Fault, broken, is_finish
from fragjson.testing.replaying import fragments, read_stream, replay
from fragjson.testing.writers import WRITERS
from fragjson.testing.writing import Cut, End, Words, Writer, WrittenCall

__all__ = [
    "CHECKS", "FAULTS", "WRITERS", "Cut", "End", "Fault", "Words", "Writer", "WrittenCall",
    "broken", "fragments", "is_finish", "read_stream", "replay",
]  # fmt: skip
