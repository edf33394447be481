"""The arguments of one call while they arrive: the text, its parser, and what repeats itself.

``JSONArguments`` takes JSON text, ``FreeText`` text that is not JSON (custom tools, code);
``path_arguments.PathArguments`` takes values set by path. They answer with *pieces*: the text that
counts, each with the parser's events for it. They never raise on what a vendor sends; what is
wrong is kept in ``error``.

Servers repeat arguments in two ways, and neither may be glued or guessed at:

* *Everything so far in each delta.* Recognised only when the second fragment strictly extends the
  first, and the third the second. Until that is decided the second fragment is held back:
  ``{"a":`` and then ``{"a":1}}`` is genuine nesting. Three fragments that nest like that are taken
  for repeats; as arguments of a tool they have not been met.
* *The whole again, after the whole.* An equal value is a duplicate and leaves no trace in the
  text; anything else is a conflict, and the arguments are malformed ("Extra data").
"""

import json
from abc import ABC, abstractmethod
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from fragjson._engine import Intake
from fragjson._errors import (
    DepthLimitError,
    IncompleteJSONError,
    JSONDecodeError,
    LimitExceededError,
    MalformedJSONError,
)
from fragjson._types import Status
from fragjson.toolcalls.verdict import State, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fragjson._engine import Event, Parser
    from fragjson._types import Path

__all__ = [
    "SECOND_LOOK", "Arguments", "FreeText", "JSONArguments", "Piece", "ends_whole", "same",
    "written",
]  # fmt: skip

# Bound once: reading a member from its class costs more than a call (in 3.11).
_BLANK, _PARTIAL, _WHOLE, _MALFORMED = State
_COMPLETE = Status.COMPLETE
_CONTAINERS = (dict, list)

Piece: TypeAlias = "tuple[str, Sequence[Event]]"
"""Text that counts (``""`` where only the events matter), and the events of parsing it."""


SECOND_LOOK = Intake(None, None)
"""Takes in nothing: there is more to the next fragment than to parse and to keep it."""


class _Shows(Protocol):
    @property
    def value(self) -> Any: ...


class Arguments(ABC):
    """What all kinds of arguments have in common, and the steps a turn takes with them."""

    __slots__ = (
        "_max_bytes", "_not_kept", "_unparsed", "conflict", "duplicates", "error", "fragments",
        "notes", "objects", "seed", "settled", "shown",
    )  # fmt: skip

    def __init__(self, max_bytes: int | None) -> None:
        self._max_bytes = max_bytes
        self._unparsed = 0
        """Bytes of text, where no parser counts them."""
        self.shown: _Shows
        """Whose ``value`` is the best-effort value: live, so not to be changed."""
        self.fragments: list[str] = []
        self._not_kept = 0
        """Fragments that are not there singly: joined, replaced, or written for an object."""
        self.objects = False
        """The vendor sent objects: there may be no text to show."""
        self.seed: Any = None
        """Arguments named at the start, text or an object: they count if no others come."""
        self.error: JSONDecodeError | None = None
        self.conflict = False
        """Two different sets of arguments came; the error says where the second began."""
        self.notes: list[str] = []
        self.duplicates = 0
        self.settled = False
        """The verdict is in: what still comes can be a duplicate, and nothing else."""

    @property
    def text(self) -> str | None:
        if not self.fragments:
            return None if self.objects else ""
        if len(self.fragments) > 1:
            self._replace("".join(self.fragments))
        return self.fragments[0]

    @property
    def count(self) -> int:
        """How many pieces of text counted so far, however they are kept now."""
        return len(self.fragments) + self._not_kept

    @property
    def begun(self) -> bool:
        return bool(self.fragments) or self.objects

    @property
    def open_path(self) -> "Path | None":
        """The path of the innermost value that is open; ``None``: the whole is finished."""
        return ()

    @abstractmethod
    def intake(self) -> Intake:
        """Return what takes in the next fragments, ``SECOND_LOOK`` if there is more to them."""

    @abstractmethod
    def take(self, text: str) -> list[Piece]:
        """Take a fragment as it was sent."""

    @abstractmethod
    def whole(self, value: Any) -> list[Piece]:
        """Take all the arguments as an object."""

    @abstractmethod
    def snapshot(self, text: str) -> list[Piece]:
        """Take the vendor's own account of the whole text: it may extend what came, or correct it.

        It is what the vendor goes on with, so where they differ it wins over the fragments, unless
        only they hold together; that they differed is noted.
        """

    def release(self) -> list[Piece]:
        """Let go of what was held back until more text would decide about it."""
        return []

    @abstractmethod
    def settle(self, word: Word) -> list[Piece]:
        """Take it that the vendor has spoken about the end: what waited for more counts now."""

    @abstractmethod
    def end(self, word: Word) -> list[Piece]:
        """Take it that nothing more comes."""

    @abstractmethod
    def state(self) -> State:
        """Tell what the arguments are at this moment."""

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _fitting(self, text: str) -> str:
        """Return as much of a text that no parser counts as there is room for."""
        if self._max_bytes is None:
            return text
        room = self._max_bytes - self._unparsed
        self._unparsed += _size(text)
        if self._unparsed <= self._max_bytes:
            return text
        sizes = accumulate(map(_size, text))
        return text[: sum(1 for _ in takewhile(lambda size: size <= room, sizes))]

    def _replace(self, text: str) -> None:
        self._not_kept += len(self.fragments) - 1
        self.fragments[:] = [text]


class JSONArguments(Arguments):
    """JSON text in fragments."""

    __slots__ = (
        "_growth", "_malformed", "_new_parser", "_second", "_second_text", "_whole", "parser",
    )  # fmt: skip

    def __init__(self, new_parser: "Callable[[], Parser]", max_bytes: int | None) -> None:
        super().__init__(max_bytes)
        self._new_parser = new_parser
        self.parser = self.shown = new_parser()
        self._growth: _Growth | None = _Growth()
        self._malformed = False
        self._whole = False
        """More than white space has followed the root, so the parser has stopped after it."""
        self._second: Parser | None = None
        self._second_text: list[str] = []

    @property
    def open_path(self) -> "Path | None":
        whole = self._whole or self.parser.status is _COMPLETE
        return None if whole else self.parser.path

    def intake(self) -> Intake:
        if self._growth or self._whole or self._malformed:
            return SECOND_LOOK
        # The value of a scalar is another one each time, and would have to be shown anew.
        if not isinstance(self.parser.value, _CONTAINERS):
            return SECOND_LOOK
        return Intake(self.parser, self.fragments)

    def take(self, text: str) -> list[Piece]:
        if self.settled:
            return self._again(text)
        if self.seed is not None:
            text = self._after_seed(text)
        if self._growth is not None:
            text = self._growth.admit(text)
            if self._growth.decided:
                self._growth = None
        return self._feed(text)

    def whole(self, value: Any) -> list[Piece]:
        if value and self.fragments and self.state() is State.PARTIAL:
            self._fault("an object came in the middle of the text")
            return []
        self.objects = True
        self._growth = None
        # An empty object is a placeholder, or no arguments: both come out right if it is nothing.
        return self._feed_value(value) if value else []

    def snapshot(self, text: str) -> list[Piece]:
        if self.settled:
            if text != self.text:
                self.note("the final text contradicts the fragments: ignored after the verdict")
            return []
        pieces = self.release()
        self._second = None
        so_far = self.text or ""
        if text.startswith(so_far):
            return pieces + self._feed(text[len(so_far) :]) if text != so_far else pieces
        other = self._new_parser()
        try:
            events = other.feed(text)
        except JSONDecodeError as error:
            events = error.events
        if self.state() is _WHOLE:
            if same(other.value, self.parser.value):
                return pieces
            if other.status is not _COMPLETE:
                self.note("the final text contradicts the fragments and is not whole: ignored")
                return pieces
        self.note("the final text contradicts the fragments: the final text counts")
        self.parser = self.shown = other
        self.error, self._malformed = other.error, other.error is not None
        self._replace(text)
        self._growth, self._second, self._whole = None, None, False
        return [*pieces, ("", events)]

    def stopped(self, text: str, error: JSONDecodeError, *, keep: bool = True) -> list[Piece]:
        """Sort out a fragment at which the parser has stopped."""
        tail = self.parser.unused_data
        if not tail:
            # Asked of the parser: the raised one holds on to its traceback.
            self._fail(self.parser.error)
            return self._kept(text, error.events, keep)
        assert isinstance(tail, str)
        self._whole = True
        return self._kept(text[: -len(tail)], error.events, keep) + self._again(tail, keep=keep)

    def settle(self, word: Word) -> list[Piece]:
        pieces = self.release() if self._growth is not None else []
        if self.seed is not None and not self.begun:
            seed, self.seed = self.seed, None
            if isinstance(seed, str):
                return pieces + self._feed(seed)
            return pieces + self._feed_value(seed)
        return pieces

    def end(self, word: Word) -> list[Piece]:
        pieces = self.settle(word)
        if self._second is not None:
            pieces += self._conflict()
        if self.state() is _PARTIAL:
            try:
                self.parser.close()  # a number at the root is whole only now
            except IncompleteJSONError as error:
                self.error = error.with_traceback(None)
            except JSONDecodeError:
                self._fail(self.parser.error)  # a number too long for the interpreter
        return pieces

    def state(self) -> State:
        if self._malformed:
            return _MALFORMED
        if self._second is not None:
            return _PARTIAL
        if self._whole or self.parser.status is _COMPLETE:
            return _BLANK if self.parser.value is None else _WHOLE
        if self.parser._has_begun():
            return _PARTIAL
        return _BLANK

    def _feed(self, text: str, *, keep: bool = True) -> list[Piece]:
        if not text:
            return []
        if self._malformed:
            return self._past_fault(text, keep=keep)
        if self._whole:
            return self._again(text, keep=keep)
        try:
            events = self.parser.feed(text)
        except JSONDecodeError as error:
            return self.stopped(text, error, keep=keep)
        return self._kept(text, events, keep)

    def _feed_value(self, value: Any, before: str = "") -> list[Piece]:
        try:
            text = before + written(value)
        except JSONDecodeError as error:
            self._fail(error.with_traceback(None))
            return []
        return self._feed(text, keep=False)

    def _past_fault(self, text: str, *, keep: bool) -> list[Piece]:
        """Keep what comes after a fault, for the record, as far as the limits let."""
        fitting = "" if isinstance(self.error, LimitExceededError) else self._fitting(text)
        if fitting != text:
            self.note("text beyond a limit was not kept")
        return self._kept(fitting, (), keep)

    def _fail(self, error: JSONDecodeError | None) -> None:
        self.error = error
        self._malformed = True
        if self._max_bytes is not None:
            self._unparsed = sum(map(_size, self.fragments))

    def _fault(self, why: str) -> None:
        """Take it that what came cannot be arguments, although the text so far could be."""
        shown = self.parser
        if self.error is None:
            self._fail(MalformedJSONError(why, "", shown.pos, value=shown.value, path=shown.path))

    def _kept(self, text: str, events: "Sequence[Event]", keep: bool) -> list[Piece]:
        if not text:
            return []
        if keep:
            self.fragments.append(text)
        else:
            self._not_kept += 1
        return [(text, events)]

    def release(self) -> list[Piece]:
        held = self._growth.release() if self._growth is not None else ""
        if not held:
            return []
        self._growth = None
        return self._feed(held)

    def _after_seed(self, text: str) -> str:
        # Some servers name the first arguments at the start and go on after them, others then say
        # them again. Whole arguments cannot be gone on with.
        seed, self.seed = self.seed, None
        if not isinstance(seed, str) or text.startswith(seed) or seed.startswith(text):
            return text
        trial = self._new_parser()
        try:
            trial.feed(seed)
        except JSONDecodeError:
            return text
        return text if trial.status is _COMPLETE else seed + text

    def _again(self, text: str, *, keep: bool = True) -> list[Piece]:
        """Take text that follows the whole: the same again, or a conflict."""
        if self._second is None:
            if not text.strip():
                return [] if self.settled else self._kept(text, (), keep)
            self._second = self._new_parser()
            self._second_text = []
        if keep:
            self._second_text.append(text)
        try:
            self._second.feed(text)
        except JSONDecodeError:
            return self._conflict()
        if self._second.status is not _COMPLETE:
            return []
        if not same(self._second.value, self.parser.value):
            self.conflict = not self.settled
            return self._conflict()
        self._second = None
        self.duplicates += 1
        return []

    def _conflict(self) -> list[Piece]:
        self._second = None
        if self.settled:
            self.note("the call came again with other arguments: ignored")
            return []
        self._fail(self.parser.error)
        return self._kept("".join(self._second_text), (), keep=True)


class FreeText(Arguments):
    """Text that is not JSON: any text is well-formed, and only the vendor can say it is whole."""

    __slots__ = ("_told",)

    def __init__(self, max_bytes: int | None) -> None:
        super().__init__(max_bytes)
        self.shown = _Joined(self.fragments)
        self._told = False

    def intake(self) -> Intake:
        # The first one has its time noted, and where there is a limit each is counted.
        counts = not self.fragments or self._max_bytes is not None
        return SECOND_LOOK if counts else Intake(None, self.fragments)

    def take(self, text: str) -> list[Piece]:
        if self.settled:
            self.note("text after the end of the call was ignored")
            return []
        fitting = "" if self.error is not None else self._fitting(text)
        if fitting != text and self.error is None:
            shown = self.shown.value + fitting
            self.error = LimitExceededError("More than max_bytes", shown, len(shown), value=shown)
        if not fitting:
            return []
        self.fragments.append(fitting)
        return [(fitting, ())]

    def whole(self, value: Any) -> list[Piece]:
        if not isinstance(value, str):
            try:
                value = written(value)
            except JSONDecodeError as error:
                self.note(f"what came instead of text is shown as Python shows it: {error.msg}")
                value = str(value)
        return self.take(value)

    def snapshot(self, text: str) -> list[Piece]:
        so_far = self.text or ""
        if text == so_far:
            return []
        if text.startswith(so_far) or self.settled:
            return self.take(text[len(so_far) :])
        self.note("the final text contradicts the fragments: the final text counts")
        self._replace("")
        self._unparsed, self.error = 0, None
        self.take(text)
        return []

    def settle(self, word: Word) -> list[Piece]:
        seed, self.seed = self.seed, None
        return self.take(seed) if seed and not self.fragments else []

    def end(self, word: Word) -> list[Piece]:
        self._told = word is not Word.NONE
        return self.settle(word)

    def state(self) -> State:
        if self.error is not None:
            return _MALFORMED
        return _WHOLE if self._told else _PARTIAL


class _Joined:
    """Shows fragments of text as one."""

    __slots__ = ("_fragments",)

    def __init__(self, fragments: list[str]) -> None:
        self._fragments = fragments

    @property
    def value(self) -> str:
        return "".join(self._fragments)


class _Growth:
    """Finds out whether each fragment repeats all of the text so far, and if so takes the rest."""

    __slots__ = ("_all", "_held", "_repeats", "decided")

    def __init__(self) -> None:
        self._all = ""
        self._held = ""
        self._repeats = False
        self.decided = False
        """Fragments only append: there is nothing more to look for."""

    def admit(self, text: str) -> str:
        """Return what is new and certain, with the text that has now come."""
        known = self._held or self._all
        if not known:
            self._all = text
            return text
        extends = len(text) > len(known) and text.startswith(known)
        if self._repeats and (extends or text == known):
            self._all = text
            return text[len(known) :]
        if extends and self._held:
            new = text[len(self._all) :]
            self._all, self._held, self._repeats = text, "", True
            return new
        if extends and not self._repeats:
            self._held = text
            return ""
        self.decided = True
        return self._held + text

    def release(self) -> str:
        """Give up what is held back: it appends."""
        held, self._held = self._held, ""
        return held


def _size(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def ends_whole(text: str) -> bool:
    """Whether text that is not JSON ends at least as an object or array does: not cut, it seems.

    Brackets count wherever they stand: what is quoted cannot be told in text that is not JSON.

    >>> [ends_whole(text) for text in ("{'a': 1}", "{'a': {'b': 1}", "{'a': 1", "I cannot do that")]
    [True, False, False, False]
    """
    text = text.rstrip().removesuffix("```").rstrip()
    paired = all(text.count(opening) <= text.count(closing) for opening, closing in ("{}", "[]"))
    return paired and text.endswith(("}", "]"))


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same to the type: ``1``, ``1.0`` and ``True`` differ."""
    pairs = [(one, other)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other and not (one != one and other != other):  # noqa: PLR0124 - two NaNs
            return False
    return True


def written(value: Any) -> str:
    """Write a value as JSON; after a number a space, without which it could still go on.

    Raises:
        MalformedJSONError: there is something in it that JSON cannot say.
        DepthLimitError: it is nested too deep for ``json``.
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        raise DepthLimitError("Nesting deeper than json can write", "", 0) from None
    except (TypeError, ValueError) as error:
        raise MalformedJSONError(f"No JSON value ({error})", "", 0) from None
    return text + " " if text[-1].isdigit() else text
