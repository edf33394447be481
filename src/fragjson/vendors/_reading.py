"""Reading what vendors send, the same way for dicts and for SDK objects.

No SDK is imported and no class is asked for: SDKs decode unknown events into wrong classes, while
the ``type`` string and the fields stay right. A missing field, a null and an unset attribute all
read as ``None``; what is not of the expected type counts as missing, too.
"""

import base64
import re
from typing import Any

from fragjson._engine import loads
from fragjson._errors import MalformedJSONError
from fragjson.toolcalls.events import StreamError

__all__ = [
    "DONE", "as_index", "as_list", "as_text", "decode_sse", "either", "failure", "given",
    "json_safe", "read", "refuse_whole", "sdk_of",
]  # fmt: skip

_NONE = (None, "", "null")
"""What stands for no id; one vendor's SDK says ``"null"``."""

_IDS = (str, int)
_LISTS = (list, tuple)
_FIELD = re.compile(r"^(?:data|event|id|retry)?:", re.MULTILINE)
"""A field of a server-sent event; one without a name is a comment."""
_NUMBER = re.compile("[0-9]{1,9}")
_DATA = re.compile(r"^data:(.*)$", re.MULTILINE)
_BETWEEN = re.compile(r"\n\r?\n")
"""Between events."""
_WHOLE = ("chat.completion", "response")
"""What OpenAI calls responses that are not streamed; Anthropic's are of the type ``message``."""
DONE = "[DONE]"
"""How a server-sent stream says that it is over."""


def read(source: Any, name: str) -> Any:
    """Return a field of a dict or an attribute of an object, ``None`` if there is none."""
    if type(source) is dict:
        return source.get(name)
    if source is None:
        return None
    try:
        value = source.__dict__.get(name)
        if value is not None:
            return value
        # Of a pydantic model that is all there is, but for what its class does not know. Asking it
        # for an attribute that it lacks would cost more than all else that is done for a chunk.
        others = source.__pydantic_extra__
    except AttributeError:
        return source.get(name) if isinstance(source, dict) else getattr(source, name, None)
    return others.get(name) if others else None


def either(source: Any, snake: str, camel: str) -> Any:
    """Return a field that the wire spells one way and the SDK the other."""
    value = read(source, snake)
    return read(source, camel) if value is None else value


def as_text(value: Any) -> str:
    """Return a string, or what an enumeration of the SDK stands for; ``""`` for anything else."""
    if type(value) is str:
        return value
    value = getattr(value, "value", value)
    return value if isinstance(value, str) else ""


def as_list(value: Any) -> list[Any] | tuple[Any, ...]:
    """Return a list, an empty one for anything else."""
    return value if isinstance(value, _LISTS) else ()


def as_index(value: Any) -> int | None:
    """Return an index, also of one that is spelled ``0.0`` or ``"0"``; ``None`` for anything else.

    >>> as_index(1), as_index(1.0), as_index("1"), as_index("one")
    (1, 1, 1, None)
    """
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def given(value: Any) -> str | None:
    """Return an id or a name, ``None`` for what is none or stands for none."""
    if type(value) is not str:
        value = str(value) if isinstance(value, _IDS) else None
    return None if value in _NONE else value


def json_safe(value: Any) -> Any:
    """Return a value as it is on the wire: what the SDK has made a model or bytes of, undone."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    dump = getattr(value, "model_dump", None)
    if dump is None:
        return value
    return dump(mode="json", exclude_unset=True, warnings=False)


def sdk_of(value: Any) -> str:
    """Return the package that an object is from: what its shape leaves open, that can tell.

    >>> sdk_of({})
    'builtins'
    """
    return type(value).__module__.partition(".")[0]


def failure(error: Any) -> StreamError:
    """Return the error that a vendor reports inside the stream, whatever it calls its parts."""
    if error is None or isinstance(error, str):
        return StreamError(error or "the stream failed", payload=error)
    message = read(error, "message") or "the stream failed"
    code = given(read(error, "code")) or given(read(error, "type"))
    return StreamError(str(message), code=code, payload=json_safe(error))


def refuse_whole(chunk: Any) -> None:
    """Refuse a response that was not streamed, of a vendor whose chunks look otherwise.

    >>> refuse_whole({"object": "chat.completion", "choices": [{"message": {}}]})
    Traceback (most recent call last):
    ValueError: this response was not streamed: ask the vendor for stream=True
    """
    if read(chunk, "object") in _WHOLE or read(chunk, "type") == "message":
        raise ValueError("this response was not streamed: ask the vendor for stream=True")


def decode_sse(text: str | bytes | bytearray) -> Any:
    """Decode a server-sent event, or its ``data:`` line, with the field name or without.

    Returns ``None`` for what carries no data (comments, other fields, blank lines) and ``DONE``.

    Raises:
        JSONDecodeError: the data is not JSON, or not UTF-8, or there is more than one event.

    >>> decode_sse('data: {"type": "ping"}')
    {'type': 'ping'}
    """
    data = (text if isinstance(text, str) else _decoded(text)).removeprefix("\ufeff").strip()
    if not data.startswith(("{", "[")) and _FIELD.search(data):  # text without fields is data too
        said = [said for event in _BETWEEN.split(data) if (said := _DATA.findall(event))]
        if len(said) > 1:
            raise MalformedJSONError("More than one event: they are fed one by one", data, 0)
        data = "\n".join(said[0]).strip() if said else ""
    return data if data == DONE else loads(data, allow_partial=False) if data else None


def _decoded(raw: bytes | bytearray) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before, shown = raw[: error.start].decode(), raw.decode(errors="replace")
        raise MalformedJSONError("Invalid UTF-8", shown, len(before)) from None
