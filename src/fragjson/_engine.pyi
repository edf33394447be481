from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias, final

from typing_extensions import disjoint_base

from fragjson._errors import JSONDecodeError
from fragjson._types import Allow, Data, EventKind, JSONType, Path, Status
from fragjson.toolcalls.call import ToolCall
from fragjson.toolcalls.events import StreamEvent
from fragjson.toolcalls.turn import LiveCall

_Partial: TypeAlias = bool | Allow | Literal["off", "on", "trailing-strings"]
_ObjectHook: TypeAlias = Callable[[dict[str, Any]], Any]
_PairsHook: TypeAlias = Callable[[list[tuple[str, Any]]], Any]
_ArrayHook: TypeAlias = Callable[[list[Any]], Any]
_TextHook: TypeAlias = Callable[[str], Any]

@final
class Event:
    kind: EventKind
    path: Path
    json_type: JSONType
    value: Any
    __match_args__ = ("kind", "path", "json_type", "value")
    def __init__(self, kind: EventKind, path: Path, json_type: JSONType, value: Any) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class CallDelta:
    type: ClassVar[Literal["tool_call_delta"]]
    call: ToolCall
    text: str
    __match_args__ = ("call", "text")
    def __init__(self, call: ToolCall, text: str) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@disjoint_base
class FieldEvent:
    call: ToolCall
    path: Path
    value: Any
    __match_args__ = ("call", "path", "value")
    def __init__(self, call: ToolCall, path: Path, value: Any) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class FieldStarted(FieldEvent):
    type: ClassVar[Literal["field_started"]]

@final
class FieldDelta(FieldEvent):
    type: ClassVar[Literal["field_delta"]]
    value: str

@final
class FieldClosed(FieldEvent):
    type: ClassVar[Literal["field_closed"]]

@final
class Intake:
    def __init__(self, parser: Parser | None, fragments: list[str] | None) -> None: ...
    def take(self, call: LiveCall, text: object, /) -> list[StreamEvent] | None: ...

def tell_call(
    events: list[StreamEvent], call: ToolCall, text: str, found: Sequence[Event]
) -> None: ...

@disjoint_base
class Parser:
    def __init__(
        self,
        *,
        allow_partial: bool | Allow = True,
        atomic: str | Iterable[str] = (),
        events: Collection[EventKind] = (),
        paths: str | Iterable[str] | None = None,
        strict: bool = True,
        max_depth: int = 1000,
        max_bytes: int | None = None,
        max_string: int | None = None,
        keep_text: bool = False,
        object_hook: _ObjectHook | None = None,
        parse_float: _TextHook | None = None,
        parse_int: _TextHook | None = None,
        parse_constant: _TextHook | None = None,
        object_pairs_hook: _PairsHook | None = None,
        array_hook: _ArrayHook | None = None,
    ) -> None: ...
    @property
    def value(self) -> Any: ...
    @property
    def status(self) -> Status: ...
    @property
    def path(self) -> Path: ...
    @property
    def json_type(self) -> JSONType | None: ...
    @property
    def pos(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def unused_data(self) -> Data: ...
    @property
    def error(self) -> JSONDecodeError | None: ...
    def feed(self, data: Data, /) -> Sequence[Event]: ...
    def close(self) -> Any: ...
    def snapshot(self) -> Any: ...
    def is_complete(self, path: Sequence[str | int] = ()) -> bool: ...
    def reset(self) -> None: ...
    def __reduce__(self) -> NoReturn: ...
    def _feed_document(self, data: Data, start: int) -> int: ...
    def _next_document(self) -> None: ...
    def _has_begun(self) -> bool: ...
    def _was_lenient(self) -> bool: ...
    def _alike(self) -> Parser: ...

def loads(
    s: Data,
    *,
    allow_partial: _Partial = True,
    strict: bool = True,
    cls: None = None,
    object_hook: _ObjectHook | None = None,
    parse_float: _TextHook | None = None,
    parse_int: _TextHook | None = None,
    parse_constant: _TextHook | None = None,
    object_pairs_hook: _PairsHook | None = None,
    array_hook: _ArrayHook | None = None,
    max_depth: int = 1000,
) -> Any: ...
