"""jiter's names over this engine: ``from fragjson.compat.jiter import from_json``.

Same values as jiter, and an error where it has one. The errors are this package's own (each a
``ValueError``, as jiter's are): cut and malformed text are told apart, and ``pos`` is a number.
The one difference in what is accepted: malformed text is an error in the partial modes, too.

>>> from_json(b'{"city": "Oslo", "days": 12, "note": "rai', partial_mode=True)
{'city': 'Oslo', 'days': 12}
>>> from_json(b'{"city": "Oslo" "days": 12}', partial_mode=True)
Traceback (most recent call last):
    ...
fragjson.MalformedJSONError: Expecting ',' delimiter: line 1 column 17 (char 16)
"""

import json
import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NoReturn, TypeAlias

from fragjson._engine import Parser, loads
from fragjson._errors import MalformedJSONError

__all__ = ["LosslessFloat", "__version__", "cache_clear", "cache_usage", "from_json"]

__version__ = "0.19.0"
"""The version of jiter whose behaviour this is."""

_MAX_DEPTH = 201
_SCALARS = ("number", "boolean", "null")

# What these look for in a text, the engine has checked or is about to check that it is JSON.
_CONSTANT = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\Z)|(?P<found>[IN])', re.DOTALL)
_ENCODED_HALF = re.compile(rb"\xed[\xa0-\xbf]")
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"""\\(?:
        [^u]
      | u(?![dD][89a-fA-F])[0-9a-fA-F]{4}
      | u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
      | u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z
      | (?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})
    )""",
    re.VERBOSE | re.DOTALL,
)

_CacheMode: TypeAlias = bool | Literal["all", "keys", "none"]
_PartialMode: TypeAlias = bool | Literal["off", "on", "trailing-strings"]
_FloatMode: TypeAlias = Literal["float", "decimal", "lossless-float"]


class LosslessFloat:
    """A JSON number, kept as it was written.

    >>> LosslessFloat(b"0.10").as_decimal()
    Decimal('0.10')
    """

    def __init__(self, json_float: bytes) -> None:
        if not isinstance(json_float, bytes):
            raise TypeError(f"a LosslessFloat is made of bytes, not {type(json_float).__name__}")
        if not isinstance(loads(json_float, allow_partial=False, parse_int=float), float):
            raise MalformedJSONError("Expecting a number", json_float.decode(), 0)
        self._text = json_float

    def as_decimal(self) -> Decimal:
        return Decimal(self._text.decode())

    def __float__(self) -> float:
        return float(self._text)

    def __bytes__(self) -> bytes:
        return self._text

    def __str__(self) -> str:
        return self._text.decode()

    def __repr__(self) -> str:
        return f"LosslessFloat({self})"


def from_json(
    json_data: bytes,
    /,
    *,
    allow_inf_nan: bool = True,
    cache_mode: _CacheMode = "all",
    partial_mode: _PartialMode = False,
    catch_duplicate_keys: bool = False,
    float_mode: _FloatMode = "float",
) -> Any:
    """Parse JSON that may be cut, as jiter does.

    Args:
        json_data: UTF-8, as ``bytes``, without a BOM.
        allow_inf_nan: take ``NaN``, ``Infinity`` and ``-Infinity``.
        cache_mode: checked, and of no effect: keys are always cached, strings never.
        partial_mode: False or ``"off"`` for whole documents only; True or ``"on"`` for what there
            is of a cut one, without the string it was cut in; ``"trailing-strings"`` with it.
        catch_duplicate_keys: refuse an object that has a key twice. Costs a second pass.
        float_mode: numbers with a fraction or an exponent as ``float``, ``decimal.Decimal``
            (``"decimal"``) or ``LosslessFloat`` (``"lossless-float"``).

    Raises:
        IncompleteJSONError: the text is cut, in mode ``"off"``, or nothing of it can show.
        MalformedJSONError: no continuation can make the text JSON; or half a surrogate pair, a
            repeated key or a number like ``NaN``, where these are refused.
        LimitExceededError: nested deeper than 201, or an integer longer than the interpreter takes.
        UnicodeDecodeError: bytes that are not UTF-8.
        TypeError, ValueError: an option's type or value is wrong.
    """
    if not isinstance(json_data, bytes):
        raise TypeError(f"the JSON data must be bytes, not {type(json_data).__name__}")
    _check("partial_mode", partial_mode, (True, False, "off", "on", "trailing-strings"))
    _check("cache_mode", cache_mode, (True, False, "all", "keys", "none"))
    _check("float_mode", float_mode, ("float", "decimal", "lossless-float"))
    _refuse_what_loads_takes(json_data)
    value = loads(
        json_data,
        allow_partial="on" if partial_mode is True else partial_mode,
        max_depth=_MAX_DEPTH,
        **_NUMBER_HOOKS.get(float_mode, {}),
    )
    if not allow_inf_nan:
        for found in _CONSTANT.finditer(json_data):
            if found["found"]:
                _refuse("Expecting value", json_data, found.start())
    if catch_duplicate_keys:
        _refuse_repeated_keys(json_data.decode(errors="ignore"))
    return value


def cache_clear() -> None:
    """Do nothing: no strings are kept between calls."""


def cache_usage() -> int:
    """Return 0: no strings are kept between calls."""
    return 0


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text} is beyond what a Decimal can hold") from None


def _lossless(text: str) -> LosslessFloat:
    return LosslessFloat(text.encode())


_NUMBER_HOOKS: dict[str, dict[str, Any]] = {
    "decimal": {"parse_float": _decimal, "parse_constant": Decimal},
    "lossless-float": {"parse_float": _lossless, "parse_constant": _lossless},
}


def _check(option: str, value: object, allowed: tuple[bool | str, ...]) -> None:
    if not isinstance(value, bool | str):
        raise TypeError(f"{option} is one of {allowed}, not a {type(value).__name__}")
    if value not in allowed:
        raise ValueError(f"{option}={value!r}: it is one of {allowed}")


def _refuse_what_loads_takes(data: bytes) -> None:
    """Refuse other encodings, BOMs and lone halves of surrogate pairs, as jiter does."""
    if json.detect_encoding(data) != "utf-8":
        _refuse("Expecting value", data, 0)
    if half := _ENCODED_HALF.search(data):
        _refuse("Half a surrogate pair", data, half.start())
    if _HALF.search(data):
        for escape in _ESCAPE.finditer(data):
            if escape["lone"]:
                _refuse("Half a surrogate pair", data, escape.start())


def _refuse(message: str, data: bytes, at: int) -> NoReturn:
    before = data[:at].decode(errors="replace")
    raise MalformedJSONError(message, before + data[at:].decode(errors="replace"), len(before))


def _refuse_repeated_keys(text: str) -> None:
    if text.rstrip(" \t\r\n").endswith(":"):
        text += "0"  # jiter knows a key by its colon, the parser by the beginning of its value
    # The second time, slowly: only a text that is refused has to tell where.
    if _repeated_key([text]) and (found := _repeated_key(text)):
        key, at = found
        raise MalformedJSONError(f'Detected duplicate key "{key}"', text, at)


def _repeated_key(pieces: Iterable[str]) -> tuple[str | int, int] | None:
    """Find the first key that an object has twice, and where its second value begins."""
    parser = Parser(events=("start", "end"), max_depth=_MAX_DEPTH)
    seen = set()
    for piece in pieces:
        for event in parser.feed(piece):
            if event.kind == "start" or event.json_type in _SCALARS:
                if event.path in seen:
                    return event.path[-1], parser.pos - 1
                seen.add(event.path)
        if parser.json_type in _SCALARS and parser.path in seen:  # begun, and not ended
            return parser.path[-1], parser.pos - 1
    return None
