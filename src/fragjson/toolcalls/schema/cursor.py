"""A cursor that finds out what the beginning of a document proves against a rule.

It follows a parser's events and keeps, for every open value, the rules that have a say there. Where
a schema has alternatives the rules of all branches are followed side by side; the alternatives fail
when the last branch does. But a branch that is the only one left for this type of value, or for the
constants in it, stands for all of them: its faults are told as they are.

Of members with one name the last counts, so a fault inside a member can in principle be mended by
the same member coming again: such a fault is not ``final``. When a member does come again the
cursor stops, because what it knows is of a value that no longer counts.
"""

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from fragjson.toolcalls.schema.rules import OF_CONSTANT, Choice, Rule

if TYPE_CHECKING:
    from fragjson._engine import Event
    from fragjson._types import JSONType, Path

__all__ = ["ATOMIC", "Cursor", "Fault"]

ATOMIC = ("number", "boolean", "null")
"""The types of values that have no event but their end."""

_MOST = 512
"""Rules followed at one place. Alternatives inside alternatives can multiply without end; those
that would go beyond are left to the final validator."""


class Fault(NamedTuple):
    """What is wrong with a value.

    Attributes:
        path: where.
        text: what, in words.
        final: nothing that can still come could mend it.
        reach: how many steps above its path it still says that the value was meant for another of
            several alternatives: 0 for a wrong type, 1 for a wrong constant, else less.
        stands_for: the alternatives, by path and text, that failed for no other reason than this.
    """

    path: "Path"
    text: str
    final: bool
    reach: int = -1
    stands_for: "tuple[tuple[Path, str], ...]" = ()


class _Sink(Protocol):
    """Where faults go: to the user, or to the branch that they rule out."""

    @property
    def is_dead(self) -> bool:
        """Whether more faults would change nothing."""
        ...

    def fail(self, fault: Fault) -> None: ...


class _Out:
    """Collects faults for the user, each once."""

    is_dead = False

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.told: set[tuple[Path, str]] = set()

    def fail(self, fault: Fault) -> None:
        if fault[:2] not in self.told:
            self.told.add(fault[:2])
            self.faults.append(fault)


class _Ways:
    """The branches of a choice at one place in the document."""

    __slots__ = ("alive", "choice", "final", "one_left", "path", "reach", "sink")

    def __init__(self, choice: Choice, path: "Path", sink: _Sink) -> None:
        self.choice = choice
        self.path = path
        self.sink = sink
        self.alive = len(choice.branches)
        self.one_left = False
        self.final = True
        self.reach = OF_CONSTANT

    def settle(self) -> None:
        """Between two values: see whether one branch is left, the value not being of the others."""
        self.one_left = self.alive == 1 and self.reach >= 0


class _Branch:
    __slots__ = ("_dead", "_ways")

    def __init__(self, ways: _Ways) -> None:
        self._ways = ways
        self._dead = False

    @property
    def is_dead(self) -> bool:
        return self._dead or not self._ways.alive or self._ways.sink.is_dead

    def fail(self, fault: Fault) -> None:
        if self._dead:
            return
        ways = self._ways
        reach = fault.reach - len(fault.path) + len(ways.path)
        if ways.one_left and reach < 0:
            stands_for = (*fault.stands_for, (ways.path, ways.choice.fault))
            ways.sink.fail(fault._replace(stands_for=stands_for))
            return
        self._dead = True
        ways.alive -= 1
        ways.final &= fault.final
        ways.reach = min(ways.reach, reach)
        if not ways.alive:
            ways.sink.fail(Fault(ways.path, ways.choice.fault, ways.final, ways.reach))


_Live: TypeAlias = list[tuple[Rule, _Sink]]


class _Value:
    """A value that has begun, with the rules that have a say in it."""

    __slots__ = ("count", "live", "names", "path", "texts", "ways")

    def __init__(self, path: "Path", live: _Live) -> None:
        self.path = path
        self.live = live
        self.ways: list[_Ways] = []
        self.count = 0
        """Items, or characters."""
        self.names: set[str] = set()
        self.texts: list[tuple[list[str], str, _Sink]] = []
        """What a string could still become, for each list of constants; and what to say if none."""

    def fail(self, sink: _Sink, text: str, reach: int = -1) -> None:
        sink.fail(Fault(self.path, text, _is_final(self.path), reach))


class Cursor:
    """Follows the events of one document (all of them, at all paths) under a rule.

    ``take`` and ``begun`` return the faults that are proved by it and were not before. They are the
    same however the document is cut. Costs what the events cost, times the rules that have a say.
    """

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self._out = _Out()
        self._open: list[_Value] = []
        self._atomic: _Value | None = None
        """The number or literal that has begun: it has no event but its end."""
        self.stopped = False
        """A member came again: what was told may be mended."""

    def begun(self, path: "Path", json_type: "JSONType | None") -> list[Fault]:
        """Take the place and type of the value that is being read."""
        if json_type in ATOMIC and self._atomic is None and not self.stopped:
            self._atomic = self._enter(path, json_type)
        return self._faults()

    def take(self, event: "Event") -> list[Fault]:
        """Take the next event."""
        if not self.stopped:
            kind, json_type = event.kind, event.json_type
            if kind == "delta":
                _grow(self._open[-1], event.value)
            elif kind == "start":
                self._open.append(self._enter(event.path, json_type))
            elif json_type in ATOMIC:
                _judge(self._atomic or self._enter(event.path, json_type), event.value)
                self._atomic = None
            elif json_type == "string":
                _judge(self._open.pop(), event.value)
            else:
                _leave(self._open.pop(), json_type)
        return self._faults()

    def _faults(self) -> list[Fault]:
        faults, self._out.faults = self._out.faults, []
        return faults

    def _enter(self, path: "Path", json_type: "JSONType") -> _Value:
        """Start a value: find its rules, and see whether it may be there, and of this type."""
        root: _Live = [(self.rule, self._out)]
        live = self._inner(self._open[-1], path[-1]) if path else root
        value = _Value(path, live)
        for rule, sink in live:  # which grows meanwhile
            if sink.is_dead:
                continue
            for kinds in rule.kinds:
                if json_type not in kinds.allowed:
                    value.fail(sink, kinds.fault(json_type), kinds.reach)
            live += [each for also in rule.also if (each := (also, sink)) not in live]
            for choice in rule.choices:
                if len(live) + len(choice.branches) <= _MOST:
                    ways = _Ways(choice, path, sink)
                    value.ways.append(ways)
                    live += [(branch, _Branch(ways)) for branch in choice.branches]
        for ways in value.ways:
            ways.settle()
        if json_type == "string":
            value.texts = [
                (each.allowed, each.fault, sink) for rule, sink in live for each in rule.texts
            ]
        return value

    def _inner(self, outer: _Value, step: str | int) -> _Live:
        """Step from an open container to the rules of a member or item."""
        for ways in outer.ways:
            ways.settle()
        if isinstance(step, int):
            outer.count = step + 1
        elif step in outer.names:
            self.stopped = True
            return []
        else:
            outer.names.add(step)
        found: _Live = []
        for rule, sink in outer.live:
            if sink.is_dead:
                continue
            if isinstance(step, int):
                limit, count, inner = rule.max_items, outer.count, rule.of_item(step)
            else:
                limit, count, inner = rule.max_members, len(outer.names), rule.of_member(step)
                if rule.closed is not None and not rule.knows(step):
                    sink.fail(Fault((*outer.path, step), rule.closed, _is_final(outer.path)))
            if limit is not None and count > limit.count:
                outer.fail(sink, limit.fault)
            found += [(each, sink) for each in inner]
        return found


def _grow(string: _Value, text: str) -> None:
    """Take more of a string. What fails at an earlier character is told first."""
    start, string.count = string.count, string.count + len(text)
    failed: list[tuple[float, _Sink, str, int]] = []
    for rule, sink in string.live:
        limit = rule.max_length
        if limit is not None and start <= limit.count < string.count:
            failed.append((limit.count, sink, limit.fault, -1))
    texts, string.texts = string.texts, []
    for allowed, fault, sink in texts:
        if left := [each for each in allowed if each.startswith(text, start)]:
            string.texts.append((left, fault, sink))
        else:
            failed.append((start + _fitting(allowed, start, text), sink, fault, OF_CONSTANT))
    for _, sink, fault, reach in sorted(failed, key=lambda each: each[0]):
        string.fail(sink, fault, reach)


def _judge(value: _Value, whole: Any) -> None:
    """End a string, number, boolean or null."""
    for rule, sink in value.live:
        if rule.judge is not None and not sink.is_dead:
            for fault in rule.judge(whole):
                of_constant = any(fault == texts.fault for texts in rule.texts)
                value.fail(sink, fault, OF_CONSTANT if of_constant else -1)


def _leave(closed: _Value, json_type: str) -> None:
    """End an object or array: see what is missing."""
    for ways in closed.ways:
        ways.settle()
    is_object = json_type == "object"
    count = len(closed.names) if is_object else closed.count
    for rule, sink in closed.live:
        if sink.is_dead:
            continue
        least = rule.min_members if is_object else rule.min_items
        if least is not None and count < least.count:
            closed.fail(sink, least.fault)
        if is_object:
            for name, fault in rule.required.items():
                if name not in closed.names:
                    sink.fail(Fault((*closed.path, name), fault, _is_final(closed.path)))


def _is_final(path: "Path") -> bool:
    """Whether what is wrong at a path cannot be replaced by a member that comes again."""
    return not any(isinstance(step, str) for step in path)


def _fitting(allowed: list[str], start: int, text: str) -> int:
    """Return how many characters of a text one of the strings goes on with, from an index on."""
    count = 0
    while any(each.startswith(text[: count + 1], start) for each in allowed):
        count += 1
    return count
