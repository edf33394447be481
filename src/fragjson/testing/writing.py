r"""What a writer of streams is: a vendor's way to say the five things that happen to a call.

A subclass of ``Writer`` says how each of them looks in that vendor's chunks; ``write`` puts whole
streams together from them. Twenty lines are enough to test an adapter with (see ``conformance``):

>>> class Shouting(Writer):
...     vendor = "shouting"
...     words = Words(success="DONE", cut="TOO LONG", refused="NO")
...     closes = False
...     def start(self, call):
...         return [{"shout": call.name, "number": call.place, "id": call.id}]
...     def fragment(self, call, piece):
...         return [{"go_on": piece, "number": call.place}]
...     def finish(self, word):
...         return [{"silence": word}]
...     def error(self, message):
...         return [{"cough": message}]
>>> for line in Shouting().write(("find", {"city": "Oslo"}), end="cut"):
...     print(line)
{"shout": "find", "number": 0, "id": "call_0"}
{"go_on": "{\"city\"", "number": 0}
{"go_on": ": \"Oslo\"", "number": 0}
{"silence": "TOO LONG"}
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from fragjson.testing.choosing import chosen
from fragjson.testing.fragmenting import fragments

__all__ = ["Cut", "End", "Words", "Writer", "WrittenCall"]

Cut: TypeAlias = Callable[[str], Sequence[str]]
End: TypeAlias = Literal["success", "cut", "refused", "error", "eof"]
"""How a stream ends; all but the first end it inside the last call."""


class WrittenCall(NamedTuple):
    """A call as the model means it.

    Attributes:
        name: the tool's name.
        arguments: their value.
        id: an id of its own; vendors that have none leave it out.
        place: how many calls came before it.
    """

    name: str
    arguments: Any
    id: str
    place: int


class Words(NamedTuple):
    """A vendor's finish reasons: of a success, for the length, and for a refusal.

    ``None``: it has no such word.
    """

    success: str
    cut: str | None
    refused: str | None


class Writer(ABC):
    """Writes streams as one vendor does.

    A step is a list of chunks: JSON values as they are on the wire, or ``"[DONE]"``. An empty one
    says that the vendor has no such step.
    """

    vendor: ClassVar[str]
    """The name of the adapter that reads it."""
    words: ClassVar[Words]

    closes: ClassVar[bool] = True
    """A call that others follow is closed by then, so that a failure later on cannot touch it."""
    fragmentary: ClassVar[bool] = True
    """Arguments come in fragments; otherwise whole, with the close."""
    interleaves: ClassVar[bool] = True
    """Fragments of several calls can be told apart when they alternate."""
    identified: ClassVar[bool] = True
    """Calls have ids."""
    empties: ClassVar[bool] = True
    """Empty lists and objects within arguments can be said."""
    gaps_show: ClassVar[bool] = True
    """Arguments of which a fragment was lost or came twice can be seen to be wrong."""

    @property
    def ends(self) -> tuple[End, ...]:
        """The ends that it has, success first; an error may be an exception of the client's."""
        words: list[End] = ["cut", "refused"]
        found: list[End] = ["success", "eof"]
        found += [end for end in words if getattr(self.words, end) is not None]
        return (*found, "error") if self.error("") else tuple(found)

    def begin(self) -> list[Any]:
        """Say that the response begins."""
        return []

    @abstractmethod
    def start(self, call: WrittenCall) -> list[Any]:
        """Say that a call begins."""

    @abstractmethod
    def fragment(self, call: WrittenCall, piece: Any) -> list[Any]:
        """Say one fragment of its arguments."""

    def close(self, call: WrittenCall, *, cut: bool) -> list[Any]:
        """Say that nothing more comes for it; ``cut``: since the response is over its length."""
        return []

    @abstractmethod
    def finish(self, word: str) -> list[Any]:
        """Say that the response is over, and the word why."""

    @abstractmethod
    def error(self, message: str) -> list[Any]:
        """Say that the response has failed."""

    def wrapped(self, chunk: Any) -> Any:
        """Put a chunk into the envelope that it is sent in."""
        return chunk

    def pieces(self, call: WrittenCall, cut: Cut) -> Sequence[Any]:
        """Cut the arguments into what ``fragment`` takes."""
        return cut(json.dumps(call.arguments, ensure_ascii=False))

    def write(
        self,
        *calls: tuple[str, Any],
        end: End = "success",
        lost: int = 1,
        interleaved: bool = False,
        cut: Cut = fragments,
        first: int = 0,
    ) -> list[str]:
        """Write a stream, line by line.

        Args:
            calls: the name and the arguments of each.
            end: how it ends; ``eof`` breaks off without a word.
            lost: how many fragments of the last call an end that is no success takes with it.
            interleaved: the fragments of the calls alternate.
            cut: cuts the text of arguments into fragments.
            first: the number in the id of the first call. In the later turns of a conversation
                it is another, or their calls pass for those of the first, said again.

        Raises:
            ValueError: there is no such end, or the vendor has no word for it.
            TypeError: a call is no pair of a name and arguments.
        """
        for call in calls:
            if not isinstance(call, tuple) or len(call) < 2:
                raise TypeError(f"a call is a pair of a name and arguments, not {call!r}")
        meant = [
            WrittenCall(*said, f"call_{first + place}", place) for place, said in enumerate(calls)
        ]
        steps = [self._steps(call, "success", 0, cut) for call in meant[:-1]]
        steps += [self._steps(call, end, lost, cut) for call in meant[-1:]]
        if interleaved and end != "success":
            # The end comes inside the last call, so that one begins late enough to be the last.
            *others, last = steps
            spoken = sum(map(bool, last))
            last[:0] = [[]] * max((len(other) - spoken for other in others), default=0)
        in_order = chain(*zip_longest(*steps, fillvalue=[])) if interleaved else chain(*steps)
        chunks = [*self.begin(), *chain(*in_order), *self._end(end)]
        return [
            chunk if isinstance(chunk, str) else json.dumps(self.wrapped(chunk), ensure_ascii=False)
            for chunk in chunks
        ]

    def _end(self, end: End) -> list[Any]:
        if end == "eof":
            return []
        if end == "error":
            return self.error("overloaded")
        word = chosen("end", end, {**self.words._asdict(), "error": None, "eof": None})
        if word is None:
            raise ValueError(f"end: {self.vendor} has no word for {end!r}")
        return self.finish(word)

    def _steps(self, call: WrittenCall, end: End, lost: int, cut: Cut) -> list[list[Any]]:
        success = end == "success"
        pieces = self.pieces(call, cut) if self.fragmentary else ()
        sent = pieces if success else pieces[: max(0, len(pieces) - lost)]
        closing = success or (end == "cut" and self.fragmentary)
        close = self.close(call, cut=not success) if closing else []
        return [self.start(call), *(self.fragment(call, piece) for piece in sent), close]
