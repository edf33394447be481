"""Checking calls against the schemas of their tools, while they stream and when they end.

``Tools`` is made once for an accumulator, from what the user has as ``tools``; a ``Check`` follows
one call. What the beginning of the arguments proves is told at once (see ``cursor``); the whole is
judged by ``jsonschema`` or pydantic, and that verdict alone decides. Calls of free text are not
checked, nor are those that the vendor runs, where it has said so by the time of the verdict.

Checking takes all events of the parser, so for checked calls the field events that a user has asked
for are chosen here as well: ``Tools.shows``.
"""

import sys
from typing import TYPE_CHECKING, Any, Protocol

from fragjson._engine import tell_call
from fragjson.paths import compile_paths
from fragjson.toolcalls.arguments import JSONArguments
from fragjson.toolcalls.call import Violation
from fragjson.toolcalls.events import SchemaViolation
from fragjson.toolcalls.schema.cursor import ATOMIC, Cursor, Fault
from fragjson.toolcalls.schema.json_schema import JSONSchema
from fragjson.toolcalls.schema.models import ModelSchema
from fragjson.toolcalls.schema.rules import Rule
from fragjson.toolcalls.schema.schema_check import BadSchemaError
from fragjson.toolcalls.schema.schema_faults import shortened
from fragjson.toolcalls.schema.tool_definitions import definitions_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from fragjson._engine import Event, Parser
    from fragjson._types import EventKind, Path
    from fragjson.toolcalls.events import StreamEvent
    from fragjson.toolcalls.turn import LiveCall

__all__ = ["Check", "Tools"]


class _Schema(Protocol):
    rule: Rule

    def verdict(self, value: Any) -> "list[tuple[Path, str]]":
        """Say everything that is wrong with a whole value: where, and what."""
        ...

    def fresh(
        self, found: "Iterable[tuple[Path, str]]", told: "set[tuple[Path, str]]"
    ) -> "list[tuple[Path, str]]":
        """Return what a verdict found and nobody was told of, be it in other words."""
        ...


class Tools:
    """The tools there are, and how their calls are checked.

    Args:
        tools: see ``tool_definitions``.
        new_parser: makes the parser of a call that is checked: one with all events.
        events, paths: which field events the user has asked for, as ``Parser`` takes them.

    Raises:
        TypeError, ValueError: these are no tools, or a schema is none; the message names the tool
            and the path in its schema.
        ImportError: what the kind of schema needs is not installed.
    """

    def __init__(
        self,
        tools: Any,
        new_parser: "Callable[[], Parser]",
        events: "Collection[EventKind]",
        paths: "str | Iterable[str] | None",
    ) -> None:
        self.schemas: dict[str, _Schema] = {}
        for where, name, schema in definitions_in(tools):
            if name in self.schemas:
                raise ValueError(f"{where}: another tool is named {name!r}")
            self.schemas[name] = _compiled(where, name, schema)
        self.new_parser = new_parser
        self._kinds = frozenset(events)
        self._paths = None if paths is None else compile_paths(paths)

    def check(self) -> "Check":
        """Return what follows a call."""
        return Check(self)

    def shows(self, event: "Event") -> bool:
        """Whether the user has asked for this event."""
        if event.kind not in self._kinds:
            return False
        node = self._paths
        if node is None:
            return True
        for step in event.path:
            if (node := node.step(step)) is None:
                return False
        return node.matches


class _Anything:
    """The schema of a tool that takes anything, as far as is known."""

    rule = Rule()

    def verdict(self, value: Any) -> "list[tuple[Path, str]]":
        return []

    def fresh(
        self, found: "Iterable[tuple[Path, str]]", told: "set[tuple[Path, str]]"
    ) -> "list[tuple[Path, str]]":
        return []


def _compiled(where: str, name: str, schema: Any) -> _Schema:
    if schema is True:
        return _Anything()
    # Whoever has a model has imported pydantic.
    pydantic = sys.modules.get("pydantic")
    try:
        if isinstance(schema, dict | bool):
            return JSONSchema(schema)
        if pydantic is not None and _is_model(schema, pydantic):
            return ModelSchema(schema)
    except BadSchemaError as error:
        place = "".join(f"[{step!r}]" for step in error.path)
        raise ValueError(f"{where} ({name}): no valid schema at ${place}: {error}") from None
    raise TypeError(
        f"{where} ({name}): a schema is a dict, a pydantic model or a TypeAdapter, "
        f"not {type(schema).__name__}"
    )


def _is_model(schema: Any, pydantic: Any) -> bool:
    is_model = isinstance(schema, type) and issubclass(schema, pydantic.BaseModel)
    return is_model or isinstance(schema, pydantic.TypeAdapter)


class Check:
    """Follows one call."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._schema: _Schema | None = None
        """That of the tool, once it is known."""
        self._cursor: Cursor | None = None
        self._unknown = False
        """There is no such tool; said once."""
        self._told: set[tuple[Path, str]] = set()
        """What the verdict need not say again."""

    def named(self, call: "LiveCall") -> "Iterator[SchemaViolation]":
        """Take it that the name has come, or more of it. It can grow until arguments come."""
        name, schemas = call.name or "", self._tools.schemas
        self._schema = schemas.get(name)
        self._cursor = None if self._schema is None else Cursor(self._schema.rule)
        if self._schema is not None:
            return
        if call.content.begun or not any(known.startswith(name) for known in schemas):
            yield from self._no_such_tool(call)

    def tell(
        self, events: "list[StreamEvent]", call: "LiveCall", text: str, found: "Iterable[Event]"
    ) -> None:
        """Append the events of a piece, as ``tell_call`` does, each after what it proves wrong."""
        tell_call(events, call, text, ())
        for event in found:
            events += self._take(call, event)
            if self._tools.shows(event):
                tell_call(events, call, "", (event,))
        if isinstance(call.content, JSONArguments):
            events += self._begun(call, call.content.parser)

    def _take(self, call: "LiveCall", event: "Event") -> "Iterator[SchemaViolation]":
        if self._cursor is None:
            if call.name is not None:  # it has ended without one, otherwise
                yield from self._no_such_tool(call)
            return
        if not event.path and event.json_type == "null":
            return  # no arguments: the verdict is on {}
        if not event.path and event.kind == "start":
            # If this is not the first time, the vendor's final text replaces the fragments.
            self._cursor = Cursor(self._cursor.rule)
            self._told.clear()
            call.violations = []
        yield from self._say(call, self._cursor.take(event))

    def _begun(self, call: "LiveCall", parser: "Parser") -> "Iterator[SchemaViolation]":
        """See whether a number or literal is being read: it has no event but its end."""
        json_type = parser.json_type
        if json_type in ATOMIC and self._cursor is not None:
            path = parser.path
            if path or json_type != "null":
                yield from self._say(call, self._cursor.begun(path, json_type))

    def conclude(self, call: "LiveCall", value: Any) -> "Iterator[SchemaViolation]":
        """Give the verdict on the whole value; ``call.violations`` is then all that is wrong."""
        if call.server_side:  # which some vendors say only now
            call.violations = []
            return
        if self._schema is None or self._cursor is None:
            yield from self._no_such_tool(call)
            return
        found = dict.fromkeys(_verdict(self._schema, value))
        fresh = self._schema.fresh(found, self._told)
        # A member came again, or the text was repaired: what was told is of another value.
        of_another = self._cursor.stopped or value is not call.partial
        if found and not of_another:
            found = dict.fromkeys(
                [*((each.path, each.message) for each in call.violations), *fresh]
            )
        call.violations = [Violation(path, text, final=True) for path, text in found]
        for path, text in fresh:
            yield SchemaViolation(call, path, text, final=True)

    def _say(self, call: "LiveCall", faults: list[Fault]) -> "Iterator[SchemaViolation]":
        for fault in faults:
            self._told.update((fault[:2], *fault.stands_for))
            call.violations.append(Violation(fault.path, fault.text, fault.final))
            yield SchemaViolation(call, fault.path, fault.text, fault.final)

    def _no_such_tool(self, call: "LiveCall") -> "Iterator[SchemaViolation]":
        if not self._unknown:
            self._unknown = True
            known = ", ".join(self._tools.schemas) or "none"
            text = shortened(f"there is no tool named {call.name!r}; there are: {known}")
            yield from self._say(call, [Fault((), text, final=True)])


def _verdict(schema: _Schema, value: Any) -> "list[tuple[Path, str]]":
    try:
        return schema.verdict(value)
    except RecursionError:
        return [((), "nested too deep to be checked")]
    except Exception as error:  # of a validator of the user's, or arithmetic on a huge number
        return [((), shortened(f"could not be checked: {error!r}"))]
