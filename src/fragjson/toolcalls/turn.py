"""One model turn in vendor-neutral steps: what the adapters call, and what becomes of it.

An adapter translates a chunk into the steps below and knows nothing of parsers and events; a turn
knows no vendor. It keeps the calls in order of arrival, collects the events of the chunk in
``events``, and gives each call its verdict at the earliest moment that it is certain:

* at once where the vendor has closed the call or the response and the arguments are whole;
* once both are closed, for blank and cut arguments: the close of the call alone does not say
  whether the response was cut inside it, that of the response alone not whether text comes late;
* at the end, for the rest.
"""

from dataclasses import dataclass
from os import urandom
from typing import TYPE_CHECKING, Any, Literal

from fragjson._engine import tell_call
from fragjson._errors import JSONDecodeError, LimitExceededError
from fragjson.toolcalls.arguments import (
    SECOND_LOOK,
    Arguments,
    FreeText,
    JSONArguments,
    Piece,
    ends_whole,
    written,
)
from fragjson.toolcalls.call import Key, ToolCall
from fragjson.toolcalls.events import (
    CallAborted,
    CallClosed,
    CallStarted,
    StreamError,
    StreamEvent,
    StreamFailed,
)
from fragjson.toolcalls.identity import Index, Lane
from fragjson.toolcalls.path_arguments import PathArguments
from fragjson.toolcalls.verdict import CallStatus, State, Word, verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from fragjson._engine import Parser
    from fragjson.toolcalls.schema import Check, Tools

__all__ = ["Format", "LiveCall", "Settings", "Turn"]

Format = Literal["json", "text", "paths"]
"""How the arguments come: as JSON text, as text that is not JSON, or as values set by path."""

id_of = id  # "id" names the vendor's id of a call in here

# Bound once: reading a member from its class costs more than a call (in 3.11).
_COMPLETE = CallStatus.COMPLETE
_BLANK, _PARTIAL, _WHOLE, _MALFORMED = State
_SUCCESS, _CUT, _REFUSED, _NONE = Word


@dataclass(slots=True)
class Settings:
    """What holds for all turns of an accumulator; see its options."""

    new_parser: "Callable[[], Parser]"
    max_bytes: int | None
    clock: "Callable[[], float]"
    trust_eof: bool
    repair: "Callable[[str], Any] | None"
    seen: "AbstractSet[Key]"
    tools: "Tools | None"
    repairing: bool = False
    """The code of the user runs, in the middle of a step."""


class LiveCall(ToolCall):
    """A call of the running turn, with what only the turn needs to know of it."""

    __slots__ = ("check", "closed", "content", "cut", "intake", "lane", "over", "unsaid", "word")

    def __init__(
        self,
        content: Arguments,
        lane: int,
        key: Key,
        id: str | None,  # noqa: A002
        index: int | None,
        format: Literal["json", "text"],  # noqa: A002
        server_side: bool,
    ) -> None:
        ToolCall.__init__(self, content, key, id, index, format, server_side)
        self.content = content
        self.lane = lane
        """The number of its lane. Lanes hold calls; if calls held lanes, only the cyclic collector
        could free them."""
        self.check: Check | None = None
        """Set where the call is checked against the schema of its tool."""
        self.over = False
        """It has its verdict."""
        self.closed = False
        """The vendor has closed this very call ..."""
        self.cut = False
        """... and said that it is cut."""
        self.word: Word | None = None
        """The vendor's word on the response the call is in."""
        self.unsaid: list[Piece] | None = []
        """Kept back until the name is known; ``None`` once the call is announced."""
        self.intake = SECOND_LOOK

    def show(self) -> None:
        """Show what has come; nothing to do where it is put together only when asked for."""

    def set_arguments(self, value: Any) -> None:
        """Set the final arguments. Reading them takes the status ``complete`` as well."""
        self._value = value


class LiveJSONCall(LiveCall):
    """A call whose value is always at hand.

    It is read as often as fragments come, and a property would take as long as the fragment does.
    While fragments need no second look it is an open container, which grows in place.
    """

    __slots__ = ("partial",)

    partial: Any

    def show(self) -> None:
        self.partial = self.content.shown.value


class Turn:
    """The calls of one turn, and the steps that adapters take."""

    def __init__(self, settings: Settings, name: str) -> None:
        self.calls: list[LiveCall] = []
        self._in_flight: dict[int, LiveCall] = {}
        """Those without a verdict, in order, by identity: a finish reason walks no others."""
        self.events: list[StreamEvent] = []
        self.response: str | None = None
        """The vendor's id of the response; ids of calls mean something only within it."""
        self.finish_reason: str | None = None
        self.error: StreamError | None = None
        self._lanes: list[Lane] = []
        self._settings = settings
        self._name = name
        self.begun = settings.clock()

    @property
    def is_untouched(self) -> bool:
        """Whether nothing that came meant anything: no call, no end, no failure."""
        return not self.calls and self.finish_reason is None and self.error is None

    def told(self) -> list[StreamEvent]:
        """Hand over the events there are."""
        events, self.events = self.events, []
        return events

    # Which call.

    def lane(self, key: int | str | None, response: str | None = None) -> Lane:
        """Return a new lane: a choice, or a response of its own if it has a name of its own."""
        lane = Lane(len(self._lanes), key, response)
        self._lanes.append(lane)
        return lane

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
            if (other := lane.known(id)) is not None:
                call.shares_id = True
                call.content.note(f"its id is that of the call of {other.name}, too")
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
            if call.check is not None:
                self.events += call.check.named(call)
        else:
            call.timing.named = self._settings.clock()
            call.name = name
            self.events.append(CallStarted(call))
            if call.check is not None:
                self.events += call.check.named(call)
            unsaid, call.unsaid = call.unsaid, None
            if unsaid:
                self._change(call, unsaid)

    # Its arguments.

    def seed(self, call: LiveCall, arguments: Any) -> None:
        """Take arguments named at the start, as text or object: they count if no others come."""
        if not call.content.begun:
            call.content.seed = arguments

    def append(self, call: LiveCall, text: str) -> None:
        """Take a fragment of argument text."""
        try:
            events = call.intake.take(call, text)
        except JSONDecodeError:
            events = None  # the parser says so again where it is looked into
        if events is None:
            self._look_into(call, text)
        else:
            self._lanes[call.lane].latest = call
            self.events += events

    def look_again(self, call: LiveCall, text: Any) -> list[StreamEvent] | None:
        """Take a fragment that needs a second look; ``None``: it is no text. For short cuts."""
        if type(text) is not str:
            return None
        self._look_into(call, text)
        return self.told()

    def whole(self, call: LiveCall, value: Any) -> None:
        """Take the arguments as an object; for a ``paths`` call, members of it."""
        if self._takes(call):
            self._change(call, call.content.whole(value))

    def set(self, call: LiveCall, path: str, value: Any, *, more: bool) -> None:
        """Set the value at a path of a ``paths`` call; a string may have ``more`` to come."""
        content = call.content
        if isinstance(content, PathArguments):
            if self._takes(call):
                self._change(call, content.set(path, value, more=more))
        else:
            content.note(f"a value at {path} was ignored: this call is written as text")

    def unreadable(self, call: LiveCall, why: str) -> None:
        """Take it that a part of the arguments of a ``paths`` call cannot be understood."""
        content = call.content
        if isinstance(content, PathArguments) and self._takes(call):
            self._change(call, content.unreadable(why))

    def expect(self, call: LiveCall, *, more: bool) -> None:
        """Take it that more of a ``paths`` call is to come, or that it could end here."""
        if isinstance(call.content, PathArguments):
            call.content.more = more

    def snapshot(self, call: LiveCall, text: str) -> None:
        """Take the vendor's own account of the whole text."""
        if self._takes(call):
            self._change(call, call.content.snapshot(text))

    # Its end.

    def close(self, call: LiveCall, reason: str, *, cut: bool = False) -> None:
        """Take the vendor's close of this very call; ``cut``: it says that it is unfinished."""
        if call.over or call.closed:
            return
        call.closed, call.cut, call.intake = True, cut, SECOND_LOOK
        word = _CUT if cut else _SUCCESS
        self._tell(call, call.content.end(word))
        self._after(call, reason)

    def finish(self, lane: Lane, reason: str, word: Word | None) -> None:
        """Take the finish reason of a response, with its meaning; ``None``: it is not known.

        It is a word on the calls there are. A call that begins later needs another.
        """
        self.finish_reason = reason
        calls = self._open(lane)
        for call in calls:
            call.reason = reason
            if word is not None:
                call.word, call.intake = word, SECOND_LOOK
        if word is not None:
            for call in calls:
                self._tell(call, call.content.settle(word))
                self._after(call)

    def end(self, reason: str, word: Word, lane: Lane | None = None) -> None:
        """Take it that nothing more comes (in one lane): by the vendor's word, or with none."""
        if word is _NONE and self._settings.trust_eof:
            word = _SUCCESS
        for call in self._open(lane):
            self._conclude(call, reason, word)

    def fail(self, error: StreamError, lane: Lane | None = None) -> None:
        """Take the vendor's report that the stream (or one lane) has failed."""
        for call in self._open(lane):
            call.word = _REFUSED
            self._conclude(call, "error", _REFUSED)
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

    # Behind the steps.

    def _open(self, lane: Lane | None = None) -> list[LiveCall]:
        calls = [*self._in_flight.values()]
        return calls if lane is None else [call for call in calls if call.lane == lane.number]

    def _begin(
        self,
        lane: Lane,
        index: Index,
        id: str | None,  # noqa: A002
        format: Format,  # noqa: A002
        server_side: bool,
    ) -> LiveCall:
        content: Arguments
        tools = None if server_side or format == "text" else self._settings.tools
        new_parser = self._settings.new_parser if tools is None else tools.new_parser
        begun: list[Piece] = []
        if format == "json":
            content = JSONArguments(new_parser, self._settings.max_bytes)
        elif format == "text":
            content = FreeText(self._settings.max_bytes)
        else:
            content = PathArguments(new_parser, self._settings.max_bytes)
            begun = content.begin()
        response = lane.response or self.response
        place = f"#{len(self.calls)}" if response else f"#{len(self.calls)}-{urandom(4).hex()}"
        kind = LiveCall if format == "text" else LiveJSONCall
        call = kind(
            content,
            lane.number,
            (response or self._name, lane.key, place),
            id,
            index if isinstance(index, int) else None,
            "text" if format == "text" else "json",
            server_side,
        )
        call.check = None if tools is None else tools.check()
        call.timing.started = self._settings.clock()
        self._tell(call, begun)
        self.calls.append(call)
        self._in_flight[id_of(call)] = call
        return call

    def _look_into(self, call: LiveCall, text: str) -> None:
        """Take a fragment the long way."""
        if text:
            self._lanes[call.lane].latest = call
            if self._takes(call):
                self._change(call, call.content.take(text))

    def _takes(self, call: LiveCall) -> bool:
        """Whether what has come for a call can still count; it is noted if not."""
        if call.timing.first_delta is None:
            call.timing.first_delta = self._settings.clock()
        if call.over and call.status not in (CallStatus.COMPLETE, CallStatus.UNCONFIRMED):
            call.content.note("what came after the end of the call was ignored")
            return False
        if call.closed and not call.over:
            call.content.note("what came after the close of the call was ignored")
            return False
        return True

    def _change(self, call: LiveCall, pieces: list[Piece]) -> None:
        self._tell(call, pieces)
        self._after(call)

    def _tell(self, call: LiveCall, pieces: list[Piece]) -> None:
        call.show()
        if call.unsaid is not None:
            call.unsaid += pieces
            return
        for text, found in pieces:
            if call.check is None:
                tell_call(self.events, call, text, found)
            else:
                call.check.tell(self.events, call, text, found)

    def _after(self, call: LiveCall, reason: str = "") -> None:
        """Give the verdict if it is due; else see what the next fragment needs."""
        if call.over:
            return
        if call.closed or call.word is not None:
            if self._is_due(call):
                self._conclude(call, reason, _SUCCESS)
        elif call.unsaid is None and call.check is None:
            call.intake = call.content.intake()

    def _is_due(self, call: LiveCall) -> bool:
        state = call.content.state()
        if call.closed:
            return (
                call.word is not None or state is _MALFORMED or (state is _WHOLE and not call.cut)
            )
        if state is _WHOLE:
            return call.word is _SUCCESS or (call.word is _CUT and not self._is_last(call))
        return state is _MALFORMED

    def _is_last(self, call: LiveCall) -> bool:
        """Whether nothing has been written to another call of its lane since."""
        return call is self._lanes[call.lane].latest

    def _conclude(self, call: LiveCall, reason: str, word: Word) -> None:
        # These are the user's, and can raise: nothing has been done yet.
        now, is_seen = self._settings.clock(), call.key in self._settings.seen
        content = call.content
        word = _CUT if call.cut else call.word or word
        if not call.closed:
            self._tell(call, content.end(word))
        last = call.cut or self._is_last(call)
        state = content.state()
        status = verdict(state, word, closed=call.closed, last=last)
        if call.name is None:
            if not content.begun:
                self._forget(call)
                return
            content.note("the name of the tool never came")
            status = CallStatus.INCOMPLETE if status is CallStatus.COMPLETE else status
        call.reason = call.reason or reason
        if status is _COMPLETE:
            call.set_arguments({} if state is _BLANK else content.shown.value)
            if state is _BLANK:
                content.note("no arguments came: taken as {}")
            elif call.format == "json" and type(content.shown.value) is not dict:
                content.note("the arguments are no object")
            elif isinstance(content, JSONArguments) and content.parser._was_lenient():
                content.note("raw control characters in a string were accepted")
        elif status is CallStatus.INVALID and call.name is not None:
            status = self._repaired(call, verdict(_WHOLE, word, closed=call.closed, last=last))
        if call.check is not None and call.name is not None:
            status = self._checked(call, call.check, status)
        self._over(call, status, now)
        if status is _COMPLETE and is_seen:
            content.duplicates += 1
        self.events.append(CallClosed(call))

    def _repaired(self, call: LiveCall, if_whole: CallStatus) -> CallStatus:
        content, text, repair = call.content, call.text, self._settings.repair
        if repair is None or not text or content.conflict:
            return CallStatus.INVALID
        if isinstance(content.error, LimitExceededError):
            return CallStatus.INVALID
        if if_whole is not CallStatus.COMPLETE or not ends_whole(text):
            content.note("not repaired, since it may be cut as well")
            return CallStatus.INVALID
        self._settings.repairing = True
        try:
            value = repair(text)
            if not isinstance(value, dict):
                raise TypeError(f"arguments are an object, not {type(value).__name__}")
            parser = self._settings.new_parser()  # so that it is JSON, and within the limits
            parser.feed(written(value))
        except Exception as error:
            content.note(f"repair failed: {error!r}")
            return CallStatus.INVALID
        finally:
            self._settings.repairing = False
        content.note(f"repaired; it was not valid JSON: {content.error}")
        call.set_arguments(parser.close())
        return CallStatus.COMPLETE

    def _checked(self, call: LiveCall, check: "Check", status: CallStatus) -> CallStatus:
        """Let the schema have its say on what is whole."""
        if status is not _COMPLETE and status is not CallStatus.UNCONFIRMED:
            return status
        value = call._value if status is _COMPLETE else call.content.shown.value
        self.events += check.conclude(call, value)
        return CallStatus.INVALID if call.violations else status

    def _abort(self, call: LiveCall, reason: str) -> None:
        if call.name is None and not call.content.begun:
            self._forget(call)
            return
        now = self._settings.clock()
        self._tell(call, call.content.release())
        call.reason = reason
        self._over(call, CallStatus.ABORTED, now)
        self.events.append(CallAborted(call, reason))

    def _forget(self, call: LiveCall) -> None:
        """Drop a call of which an index or an id was mentioned, and nothing came."""
        self.calls.remove(call)
        self._in_flight.pop(id_of(call), None)

    def _over(self, call: LiveCall, status: CallStatus, now: float) -> None:
        self._in_flight.pop(id_of(call), None)
        unsaid, call.unsaid = call.unsaid, None
        if unsaid:
            self._tell(call, unsaid)
        call.over, call.intake = True, SECOND_LOOK
        call.status = status
        if call.error is not None and (text := call.text):
            call.error.doc, call.error.doc_start = text, 0  # all of it, for an excerpt
        call.content.settled = True
        call.timing.closed = now
