"""A log of turns that outlives the process: calls, what was done about them, how turns ended.

JSON Lines, append-only. Each line goes to the file whole, in one write, so a process that dies
leaves at most its last line torn. Reading leaves that one out, and takes damage anywhere else for
what it is, an error. The kinds of lines:

* ``call``: a call with its verdict. A later line about the same call replaces an earlier one: the
  vendor has taken the call back.
* ``dispatched``: the call is about to be run. Written *before* it is run.
* ``outcome``: what running it came to.
* ``turn``: how a turn ended (``ended``, ``aborted`` or ``failed``), and why.

From it a restarted process learns what may still be run: calls that were complete and were never
dispatched. A call that was dispatched and has no outcome may have run or not. Whether to run it
again is for those to decide who know the tool, so it is not offered.
"""

import errno
import json
import os
import time
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

from fragjson._engine import loads
from fragjson.toolcalls.call import Key, ToolCall
from fragjson.toolcalls.events import CallAborted, CallClosed
from fragjson.toolcalls.verdict import CallStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fragjson.toolcalls.accumulator import Outcome
    from fragjson.toolcalls.events import StreamEvent

__all__ = ["History", "Result", "TurnLog", "TurnLogError", "read"]

_ANY_DEPTH = 2**31 - 1


class TurnLogError(ValueError):
    """A line of a log, not a torn last one, is not what it should be.

    Attributes:
        path: the file.
        line: the number of the line, counted from 1.
    """

    def __init__(self, path: "str | os.PathLike[str]", line: int, why: str) -> None:
        super().__init__(f"{os.fspath(path)}, line {line}: {why}")
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class Result:
    """What running a call came to: its content, and whether that is a success."""

    ok: bool
    content: Any


@dataclass(slots=True)
class History:
    """What a log tells.

    Attributes:
        dispatched: the keys of the calls that were given out to be run, or were run.
        results: what the calls that were run came to.
        turns: how each turn ended and why.
        torn: the beginning of a line that was not written to its end; nearly always empty.
    """

    dispatched: set[Key] = field(default_factory=set)
    results: dict[Key, Result] = field(default_factory=dict)
    turns: list[tuple[str, str | None]] = field(default_factory=list)
    torn: bytes = b""
    _calls: dict[Key, ToolCall] = field(default_factory=dict)

    @property
    def calls(self) -> list[ToolCall]:
        """The calls, in the order in which they got their verdicts."""
        return list(self._calls.values())

    def ready(self) -> list[ToolCall]:
        """Return the calls that may still be run."""
        return [call for call in self._calls.values() if self.why_not(call) is None]

    def why_not(self, call: ToolCall) -> str | None:
        """Say why a call is not to be run, or ``None``: it may be."""
        if (result := self.results.get(call.key)) is not None:
            return "it was run" if result.ok else "it was run, and failed"
        if call.key in self.dispatched:
            return "it was dispatched, and what came of it is not known: it may have run"
        if call.status is not CallStatus.COMPLETE:
            return f"it is {call.status} ({call.reason})"
        return "the vendor runs it" if call.server_side else None

    def _take(self, entry: Any) -> None:
        kind = entry["type"]
        if kind == "call":
            call = ToolCall.from_record(entry["call"])
            self._calls[call.key] = call
        elif kind == "dispatched":
            self.dispatched.add(_key(entry["key"]))
        elif kind == "outcome":
            key = _key(entry["key"])
            self.dispatched.add(key)
            self.results[key] = Result(entry["ok"], entry["content"])
        elif kind == "turn":
            self.turns.append((entry["state"], entry["reason"]))
        else:
            raise ValueError(f"unknown kind of line {kind!r}")


def read(path: "str | os.PathLike[str]") -> History:
    """Read a log; one that is being written, too.

    Raises:
        TurnLogError: a line is damaged, and it is not that the last one was cut short.
        OSError: the file cannot be read.
    """
    history = History()
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = loads(line, allow_partial=False, max_depth=_ANY_DEPTH)
            except ValueError as error:
                if line.endswith(b"\n"):
                    raise TurnLogError(path, number, f"not JSON: {error}") from error
                history.torn = line  # so it is the last one
                break
            try:
                history._take(entry)
            except (KeyError, TypeError, ValueError) as error:
                raise TurnLogError(path, number, f"no line of a log: {error!r}") from error
    return history


class TurnLog:
    """Writes a log, going on with what the file holds.

    Feed it the events of a turn, tell it of each call before and after running it, and of the end
    of the turn. Hand its ``seen`` to the accumulator, and a call that was dispatched is not offered
    again, in this process or the next (as far as ``ToolCall.key`` tells calls apart).

    A torn last line is cut off when the log is opened. One process may write a log at a time; its
    threads may share the ``TurnLog``.

    Args:
        path: the file; it is made if there is none.
        fsync: have the system put each line on the disk before going on, so that it outlives the
            machine's failing as well. Costs a wait for the disk per line.
        clock: gives the time that is written with each line, in seconds since 1970.

    Attributes:
        history: what the log held when it was opened.
        seen: the keys of the calls that were dispatched, now and before.

    Raises:
        TurnLogError: the log is damaged.
        OSError: the file cannot be read or written.

    >>> import tempfile
    >>> from fragjson import Accumulator
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/turns.jsonl"
    >>> parts = [{"functionCall": {"name": "send", "args": {"to": city}}} for city in ("A", "B")]
    >>> chunk = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    >>> with TurnLog(path) as log:
    ...     accumulator = Accumulator("gemini", seen=log.seen)
    ...     for event in accumulator.feed(chunk):
    ...         log.feed(event)
    ...     log.dispatched(accumulator.ready()[0])
    ...     # ... and while it runs, the process dies.
    >>> history = read(path)
    >>> [(call.arguments["to"], history.why_not(call)) for call in history.calls]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('A', 'it was dispatched, and what came of it is not known: it may have run'), ('B', None)]
    >>> history.ready()
    [<ToolCall send id=None complete>]
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: "str | os.PathLike[str]",
        *,
        fsync: bool = False,
        clock: "Callable[[], float]" = time.time,
    ) -> None:
        self._fsync = fsync
        self._clock = clock
        self._lock = RLock()
        self._logged: dict[Key, str] = {}
        """The calls of this turn that have a line, with the status that is in it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file: int | None = os.open(path, flags, 0o666)
        try:
            self.history = read(path)
            self._mend(self._file)
        except BaseException:
            self.close()
            raise
        self.seen = set(self.history.dispatched)

    def feed(self, event: "StreamEvent") -> None:
        """Log a call when it has closed or was aborted; other events are not logged."""
        if isinstance(event, CallClosed | CallAborted):
            self._log_call(event.call.to_record())

    def dispatched(self, call: ToolCall) -> None:
        """Log that a call is about to be run, and take it up in ``seen``. Run it only after this.

        Raises:
            CallNotReadyError: the call is not complete.
            RuntimeError: it was dispatched before.
        """
        _ = call.arguments
        with self._lock:
            if call.key in self.seen:
                raise RuntimeError(f"{call!r} was dispatched before")
            self._write("dispatched", key=call.key)
            self.seen.add(call.key)

    def outcome(self, call: ToolCall, content: Any, *, ok: bool = True) -> None:
        """Log what running a call came to: its result, or ``ok=False`` and what went wrong.

        Raises:
            TypeError, ValueError: the content is not JSON-safe; nothing is written.
        """
        self._write("outcome", key=call.key, ok=ok, content=content)
        self.seen.add(call.key)

    def turn(self, outcome: "Outcome") -> None:
        """Log how a turn ended, and before that the calls of it that have no line yet.

        Such there are where a turn was cancelled: their events had nobody to go to.
        """
        for record in outcome.calls:
            if self._logged.get(_key(record["key"])) != record["status"]:
                self._log_call(record)
        self._write("turn", state=outcome.state, reason=outcome.reason)
        self._logged.clear()

    def close(self) -> None:
        """Close the file. Closing again is harmless."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def __enter__(self) -> "TurnLog":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: "TracebackType | None",
    ) -> None:
        self.close()

    def _log_call(self, record: dict[str, Any]) -> None:
        self._write("call", call=record)
        self._logged[_key(record["key"])] = record["status"]

    def _write(self, kind: str, **fields: Any) -> None:
        entry = {"type": kind, "at": self._clock(), **fields}
        line = (_json(entry) + "\n").encode("ascii")
        with self._lock:
            if self._file is None:
                raise ValueError("the log is closed")
            written = os.write(self._file, line)
            if written < len(line):  # no room: take it back, or the next line would be glued to it
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes could be written")
            if self._fsync:
                os.fsync(self._file)

    def _mend(self, file: int) -> None:
        """See to it that the file ends where a line may begin."""
        size = os.fstat(file).st_size
        if self.history.torn:
            os.ftruncate(file, size - len(self.history.torn))
        elif size:
            os.lseek(file, -1, os.SEEK_END)
            if os.read(file, 1) != b"\n":  # only that was missing, and the line is whole
                os.write(file, b"\n")


def _key(key: Any) -> Key:
    response, lane, last = key
    return response, lane, last


def _json(value: Any) -> str:
    """Write JSON in ASCII, however deep: ``json`` gives up where arguments may well go on."""
    try:
        return json.dumps(value)
    except RecursionError:
        pass
    written: list[str] = []
    todo: list[Any] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, _Written):
            written.append(item)
        elif isinstance(item, dict):
            todo.append(_Written("}"))
            for place, (name, member) in reversed(list(enumerate(item.items()))):
                todo += (member, _Written(f"{', ' if place else ''}{json.dumps(name)}: "))
            todo.append(_Written("{"))
        elif isinstance(item, list | tuple):
            todo.append(_Written("]"))
            for place, member in reversed(list(enumerate(item))):
                todo += (member, _Written(", " if place else ""))
            todo.append(_Written("["))
        else:
            written.append(json.dumps(item))
    return "".join(written)


class _Written(str):
    """Text of the JSON itself, to be told from a string in it."""

    __slots__ = ()
