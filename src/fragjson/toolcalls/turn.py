"""One model turn in vendor-neutral steps: what the adapters call, and what becomes of it.

An adapter translates a chunk into the steps below and knows nothing of parsers and events; a turn
knows no vendor. It keeps the calls in order of arrival, collects the events of the chunk in
``events``, and gives each call its verdict at the earliest moment that it is certain:

* at once where the vendor has closed the call or the response and the arguments are whole;
* once both are closed, for blank and cut arguments: the close of the call alone does not say
  whether the response was cut inside it, that of the response alone not whether text comes late;
* at the end, for the rest.
"""

import re
from os import urandom
from typing import TYPE_CHECKING, Any, Literal

from fragjson._engine import loads
from fragjson._errors import JSONDecodeError
from fragjson.toolcalls.arguments import Arguments, FreeText, JSONArguments, Piece
from fragjson.toolcalls.call import Key, ToolCall
from fragjson.toolcalls.events import (
    CallAborted,
    CallClosed,
    CallDelta,
    CallStarted,
    FieldClosed,
    FieldDelta,
    FieldStarted,
    StreamError,
    StreamEvent,
    StreamFailed,
)
from fragjson.toolcalls.identity import Index, Lane
from fragjson.toolcalls.path_arguments import PathArguments
from fragjson.toolcalls.verdict import CallStatus, State, Word, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from fragjson._engine import Event, Parser

__all__ = ["Format", "LiveCall", "Turn"]

Format = Literal["json", "text", "paths"]
"""How the arguments come: as JSON text, as text that is not JSON, or as values set by path."""

_FIELD_EVENTS: "dict[str, Callable[..., StreamEvent]]" = {
    "start": FieldStarted,
    "delta": FieldDelta,
    "end": FieldClosed,
}
id_of = id  # "id" names the vendor's id of a call in here
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f]")


class LiveCall(ToolCall):
    """A call of the running turn, with what only the turn needs to know of it."""

    __slots__ = ("closed", "content", "cut", "fragments", "lane", "parse", "unsaid", "word")

    def __init__(
        self,
        content: Arguments,
        lane: Lane,
        key: Key,
        id: str | None,  # noqa: A002
        index: int | None,
        format: Literal["json", "text"],  # noqa: A002
        server_side: bool,
    ) -> None:
        ToolCall.__init__(self, content, key, id, index, format, server_side)
        self.content = content
        self.lane = lane
        self.closed = False
        """The vendor has closed this very call ..."""
        self.cut = False
        """... and said that it is cut."""
        self.word: Word | None = None
        """The vendor's word on the response the call is in."""
        self.unsaid: list[StreamEvent] | None = []
        """Events kept back until the name is known; ``None`` once the call is announced."""
        self.parse: Callable[[str], Sequence[Event]] | None = None
        """Set in the plain case, which is nearly every fragment: text to parse, no more to it."""
        self.fragments = content.fragments

    @property
    def over(self) -> bool:
        return self.status is not CallStatus.STREAMING

    def set_arguments(self, value: Any) -> None:
        """Set the final arguments. Reading them takes the status ``complete`` as well."""
        self._value = value


class Turn:
    """The calls of one turn, and the steps that adapters take."""

    def __init__(
        self,
        new_parser: "Callable[[], Parser]",
        *,
        name: str,
        clock: "Callable[[], float]",
        strict: bool,
        trust_eof: bool,
        repair: "Callable[[str], Any] | None",
        seen: "Collection[Key]",
    ) -> None:
        self.calls: list[LiveCall] = []
        self._in_flight: dict[int, LiveCall] = {}
        """Those without a verdict, in order, by identity: a finish reason walks no others."""
        self.events: list[StreamEvent] = []
        self.response: str | None = None
        """The vendor's id of the response; ids of calls mean something only within it."""
        self.finish_reason: str | None = None
        self.error: StreamError | None = None
        self._new_parser = new_parser
        self._name = name
        self._clock = clock
        self._strict = strict
        self._trust_eof = trust_eof
        self._repair = repair
        self._seen = seen

    # Which call.

    def lane(self, key: int | str | None, response: str | None = None) -> Lane:
        """Return a new lane: a choice, or a response of its own if it has a name of its own."""
        return Lane(key, response)

    def call(
        self,
        lane: Lane,
        index: Index,
        id: str | None,  # noqa: A002
        name: str | None,
        *,
        blank: bool = True,
        trust_index: bool = False,
        format: Format = "json",  # noqa: A002
        server_side: bool = False,
    ) -> LiveCall:
        """Return the call that is meant (see ``identity``), begun if it is a new one."""
        call = lane.find(index, id, name, blank=blank, trust_index=trust_index)
        if call is None:
            call = self._begin(lane, index, id, format, server_side)
        elif call.id is None and not call.over:
            call.id = id
        lane.own(call, index, id)
        if name is not None:
            self.name(call, name)
        return call

    def name(self, call: LiveCall, name: str) -> None:
        """Take the name of a call, or a piece of it; the same name again changes nothing."""
        if name == call.name:
            return
        if call.over or (call.name is not None and call.content.begun):
            call.content.note(f"another name came later: {name}")
        elif call.name is not None:
            call.name += name
        else:
            call.name = name
            self.events.append(CallStarted(call))
            self.events += call.unsaid or ()
            call.unsaid = None
            self._after(call)

    # Its arguments.

    def seed(self, call: LiveCall, arguments: Any) -> None:
        """Take arguments named at the start, as text or object: they count if no others come."""
        if not call.content.begun:
            call.content.seed = arguments

    def append(self, call: LiveCall, text: str) -> None:
        """Take a fragment of argument text."""
        if not text:
            return
        call.lane.latest = call
        parse = call.parse
        if parse is None:
            self._change(call, lambda: call.content.take(text))
            return
        try:
            found = parse(text)
        except JSONDecodeError as error:
            self._stopped(call, text, error)
            return
        call.fragments.append(text)
        self.events.append(CallDelta(call, text))
        if found:
            self.events += _fields(call, found)

    def whole(self, call: LiveCall, value: Any) -> None:
        """Take the arguments as an object; for a ``paths`` call, members of it."""
        self._change(call, lambda: call.content.whole(value))

    def set(self, call: LiveCall, path: str, value: Any, *, more: bool) -> None:
        """Set the value at a path of a ``paths`` call; a string may have ``more`` to come."""
        content = call.content
        if isinstance(content, PathArguments):
            self._change(call, lambda: content.set(path, value, more=more))
        else:
            content.note(f"a value at {path} was ignored: this call is written as text")

    def unreadable(self, call: LiveCall, why: str) -> None:
        """Take it that a part of the arguments of a ``paths`` call cannot be understood."""
        content = call.content
        if isinstance(content, PathArguments):
            self._change(call, lambda: content.unreadable(why))

    def expect(self, call: LiveCall, *, more: bool) -> None:
        """Take it that more of a ``paths`` call is to come, or that it could end here."""
        if isinstance(call.content, PathArguments):
            call.content.more = more

    def snapshot(self, call: LiveCall, text: str) -> None:
        """Take the vendor's own account of the whole text."""
        self._change(call, lambda: call.content.snapshot(text))

    # Its end.

    def close(self, call: LiveCall, reason: str, *, cut: bool = False) -> None:
        """Take the vendor's close of this very call; ``cut``: it says that it is unfinished."""
        if call.over or call.closed:
            return
        call.closed, call.cut, call.parse = True, cut, None
        word = Word.CUT if cut else Word.SUCCESS
        self._tell(call, call.content.end(word))
        self._after(call, reason)

    def finish(self, lane: Lane, reason: str, word: Word | None) -> None:
        """Take the finish reason of a response, with its meaning; ``None``: it is not known.

        It is a word on the calls there are. A call that begins later needs another.
        """
        self.finish_reason = reason
        for call in self._open(lane):
            call.reason = reason
            if word is not None:
                call.word, call.parse = word, None
                self._tell(call, call.content.settle(word))
                self._after(call)

    def end(self, reason: str, word: Word, lane: Lane | None = None) -> None:
        """Take it that nothing more comes (in one lane): by the vendor's word, or with none."""
        if word is Word.NONE and self._trust_eof:
            word = Word.SUCCESS
        for call in self._open(lane):
            self._conclude(call, reason, word)

    def fail(self, error: StreamError, lane: Lane | None = None) -> None:
        """Take the vendor's report that the stream (or one lane) has failed."""
        for call in self._open(lane):
            call.word = Word.REFUSED
            self._conclude(call, "error", Word.REFUSED)
        if self.error is None:
            self.error = error
            self.events.append(StreamFailed(error))

    def retract(self, call: LiveCall, reason: str) -> None:
        """Take a call back, a finished one too: the vendor names it as one not to be run."""
        if call.status is not CallStatus.ABORTED:
            self._abort(call, reason)

    def abort(self, reason: str) -> None:
        """Cancel whatever has no verdict yet."""
        for call in self._open():
            self._abort(call, reason)

    def dissolve(self) -> None:
        """Let go of what only fragments need: calls and lanes would keep each other in memory."""
        for call in self.calls:
            call.lane.clear()

    # Behind the steps.

    def _open(self, lane: Lane | None = None) -> list[LiveCall]:
        return [call for call in self._in_flight.values() if lane in (None, call.lane)]

    def _begin(
        self,
        lane: Lane,
        index: Index,
        id: str | None,  # noqa: A002
        format: Format,  # noqa: A002
        server_side: bool,
    ) -> LiveCall:
        content: Arguments
        if format == "json":
            content = JSONArguments(self._new_parser)
        elif format == "text":
            content = FreeText()
        else:
            content = PathArguments(self._new_parser)
        response = lane.response or self.response
        place = f"#{len(self.calls)}" if response else f"#{len(self.calls)}-{urandom(4).hex()}"
        call = LiveCall(
            content,
            lane,
            (response or self._name, lane.key, place),
            id,
            index if isinstance(index, int) else None,
            "text" if format == "text" else "json",
            server_side,
        )
        call.timing.started = self._clock()
        self.calls.append(call)
        self._in_flight[id_of(call)] = call
        if isinstance(content, PathArguments):
            self._tell(call, content.begin())
        return call

    def _change(self, call: LiveCall, take: "Callable[[], list[Piece]]") -> None:
        content = call.content
        if call.timing.first_delta is None:
            call.timing.first_delta = self._clock()
        if call.over and call.status not in (CallStatus.COMPLETE, CallStatus.UNCONFIRMED):
            content.note("what came after the end of the call was ignored")
        elif call.closed and not call.over:
            content.note("what came after the close of the call was ignored")
        else:
            self._tell(call, take())
            self._after(call)

    def _stopped(self, call: LiveCall, text: str, error: JSONDecodeError) -> None:
        assert isinstance(call.content, JSONArguments)
        self._tell(call, call.content.stopped(text, error))
        self._after(call)

    def _tell(self, call: LiveCall, pieces: list[Piece]) -> None:
        events = self.events if call.unsaid is None else call.unsaid
        for text, found in pieces:
            if text:
                events.append(CallDelta(call, text))
            events += _fields(call, found)

    def _after(self, call: LiveCall, reason: str = "") -> None:
        """Give the verdict if it is due; else see whether the next fragment is a plain case."""
        if call.over:
            return
        if self._is_due(call):
            self._conclude(call, reason, Word.SUCCESS)
        elif call.unsaid is None and call.word is None and not call.closed:
            call.parse = call.content.parse

    def _is_due(self, call: LiveCall) -> bool:
        told = call.word is not None
        if not told and not call.closed:
            return False
        state = call.content.state()
        if call.closed:
            return told or state is State.MALFORMED or (state is State.WHOLE and not call.cut)
        if state is State.WHOLE:
            was_last = call is call.lane.latest
            return call.word is Word.SUCCESS or (call.word is Word.CUT and not was_last)
        return state is State.MALFORMED

    def _conclude(self, call: LiveCall, reason: str, word: Word) -> None:
        content = call.content
        word = Word.CUT if call.cut else call.word or word
        self._tell(call, content.end(word))
        last = call.cut or call is call.lane.latest
        state = content.state()
        status = verdict(state, word, closed=call.closed, last=last)
        if call.name is None:
            if not content.begun:
                self._forget(call)
                return
            content.note("the name of the tool never came")
            status = CallStatus.INCOMPLETE if status is CallStatus.COMPLETE else status
        call.reason = call.reason or reason
        if status is CallStatus.COMPLETE:
            call.set_arguments({} if state is State.BLANK else content.shown.value)
            self._note_leniency(content, state)
        elif status is CallStatus.INVALID and call.name is not None:
            status = self._repaired(call, verdict(State.WHOLE, word, closed=call.closed, last=last))
        self._over(call, status)
        if status is CallStatus.COMPLETE and call.key in self._seen:
            content.duplicates += 1
        self.events.append(CallClosed(call))

    def _note_leniency(self, content: Arguments, state: State) -> None:
        if state is State.BLANK:
            content.note("no arguments came: taken as {}")
        elif not self._strict and isinstance(content, JSONArguments):
            text = content.text
            if text and _CONTROL_CHARACTER.search(text):  # which may also be between the values
                try:
                    loads(text)
                except JSONDecodeError as error:
                    if "control character" in error.msg:
                        content.note("raw control characters in a string were accepted")

    def _repaired(self, call: LiveCall, if_whole: CallStatus) -> CallStatus:
        content, text = call.content, call.text
        if self._repair is None or not text or content.conflict:
            return CallStatus.INVALID
        if if_whole is not CallStatus.COMPLETE:  # it may be cut as well, and that is not repaired
            return CallStatus.INVALID
        try:
            value = self._repair(text)
        except Exception as error:
            content.note(f"repair failed: {error!r}")
            return CallStatus.INVALID
        content.note(f"repaired; it was not valid JSON: {content.error}")
        call.set_arguments(value)
        return CallStatus.COMPLETE

    def _abort(self, call: LiveCall, reason: str) -> None:
        if call.name is None and not call.content.begun:
            self._forget(call)
            return
        self._tell(call, call.content.release())
        call.reason = reason
        self._over(call, CallStatus.ABORTED)
        self.events.append(CallAborted(call, reason))

    def _forget(self, call: LiveCall) -> None:
        """Drop a call of which an index or an id was mentioned, and nothing came."""
        self.calls.remove(call)
        self._in_flight.pop(id_of(call), None)

    def _over(self, call: LiveCall, status: CallStatus) -> None:
        self._in_flight.pop(id_of(call), None)
        self.events += call.unsaid or ()
        call.unsaid = None
        call.parse = None
        call.status = status
        call.content.settled = True
        call.timing.closed = self._clock()


def _fields(call: LiveCall, found: "Sequence[Event]") -> "Iterator[StreamEvent]":
    for event in found:
        if event.path:  # the end of the root is the call's own affair
            yield _FIELD_EVENTS[event.kind](call, event.path, event.value)
