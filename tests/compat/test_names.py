"""The shims have the originals' names, signatures, options and kinds of error."""

import importlib
import inspect
import json
from collections.abc import Callable
from typing import Any

import jiter
import partial_json_parser
import pytest
from differences import CORPORA
from partial_json_parser.core import options

from fragjson import IncompleteJSONError, MalformedJSONError
from fragjson.compat import jiter as our_jiter
from fragjson.compat import partial_json_parser as our_parser

NAMES: dict[str, list[str]] = {
    "": [
        *("JSON", "ensure_json", "parse_json", "loads", "decode", "fix", "fix_fast"),
        *("JSONDecodeError", "PartialJSON", "MalformedJSON", *options.__all__),
    ],
    ".core.api": ["JSON", "Number", "ensure_json", "parse_json"],
    ".core.complete": ["fix"],
    ".core.exceptions": ["JSONDecodeError", "MalformedJSON", "PartialJSON"],
    ".core.myelin": ["fix_fast"],
    ".core.options": options.__all__,
    ".options": options.__all__,
    ".version": ["__version__"],
}


@pytest.mark.parametrize("name", NAMES)
def test_the_modules_have_the_names_and_signatures_of_the_original(name: str) -> None:
    theirs = importlib.import_module(f"partial_json_parser{name}")
    ours = importlib.import_module(f"fragjson.compat.partial_json_parser{name}")
    for public in NAMES[name]:
        their, our = getattr(theirs, public), getattr(ours, public)
        if inspect.isfunction(their):
            assert parameters(our) == parameters(their)
        if isinstance(their, options.Allow):
            assert int(our) == int(their)


def test_jiter_has_the_names_and_the_signature_of_the_original() -> None:
    assert set(our_jiter.__all__) == set(jiter.__all__)
    their = parameters(jiter.from_json)
    assert [name for name, _, _ in parameters(our_jiter.from_json)] == [
        name for name, _, _ in their
    ]
    assert our_jiter.cache_clear() is None
    assert our_jiter.cache_usage() == 0


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    found = inspect.signature(function).parameters.values()
    return [(each.name, each.kind, each.default) for each in found]


@pytest.mark.parametrize(
    ("text", "cut"), [("", False), (" ", False), ("[1 2", False), ('"x', True), ("-", True)]
)
def test_except_clauses_catch_what_they_did(text: str, cut: bool) -> None:
    for parser in (partial_json_parser, our_parser):
        kinds = (parser.PartialJSON, parser.MalformedJSON, json.JSONDecodeError)
        with pytest.raises(kinds) as caught:
            parser.loads(text, options.NUM)
        assert issubclass(kinds[0], parser.JSONDecodeError)
        assert issubclass(kinds[1], parser.JSONDecodeError)
        assert isinstance(caught.value, ValueError)
    with pytest.raises(json.JSONDecodeError) as caught:
        our_parser.loads(text, options.NUM)
    assert isinstance(caught.value, our_parser.MalformedJSON) != cut


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"partial_mode": "yes"}, ValueError),
        ({"partial_mode": 1}, TypeError),
        ({"partial_mode": None}, TypeError),
        ({"cache_mode": "some"}, ValueError),
        ({"cache_mode": None}, TypeError),
        ({"float_mode": "double"}, ValueError),
        ({"float_mode": 2}, TypeError),
        ({"nope": 1}, TypeError),
    ],
)
def test_options_that_jiter_refuses_are_refused(options: dict[str, Any], kind: Any) -> None:
    for module in (jiter, our_jiter):
        with pytest.raises(kind):
            module.from_json(b"1", **options)


@pytest.mark.parametrize("data", ["1", bytearray(b"1"), memoryview(b"1"), None])
def test_what_is_not_bytes_is_refused_as_jiter_refuses_it(data: Any) -> None:
    for module in (jiter, our_jiter):
        with pytest.raises(TypeError):
            module.from_json(data)


@pytest.mark.parametrize("text", [b"[1", bytearray(b"[1"), None, 3])
@pytest.mark.parametrize("name", ["parse_json", "ensure_json"])
def test_what_is_no_text_is_refused_as_the_original_refuses_it(name: str, text: Any) -> None:
    with pytest.raises(TypeError):
        getattr(partial_json_parser, name)(text)
    with pytest.raises(TypeError, match=f"must be str, not {type(text).__name__}"):
        getattr(our_parser, name)(text)


@pytest.mark.parametrize(
    "number", [b"1.5", b"-1e5", b"12", b"0.10", b"NaN", b"-Infinity", b"1e400", b" 1", b"9" * 5000]
)
def test_a_lossless_float_is_jiters(number: bytes) -> None:
    theirs, ours = jiter.LosslessFloat(number), our_jiter.LosslessFloat(number)
    assert (str(ours), repr(ours), bytes(ours)) == (str(theirs), repr(theirs), bytes(theirs))
    assert repr(float(ours)) == repr(float(theirs))
    assert repr(ours.as_decimal()) == repr(theirs.as_decimal())


@pytest.mark.parametrize("text", [b"", b"x", b"01", b"1.", b'"1"', b"true", b"[1]", b"1x", b"\xff"])
def test_what_is_no_number_is_no_lossless_float(text: bytes) -> None:
    for module in (jiter, our_jiter):
        with pytest.raises(ValueError):  # noqa: PT011 - the errors of both, in different words
            module.LosslessFloat(text)


def test_errors_are_where_jiter_has_them_and_eof_is_incomplete() -> None:
    compared = 0
    for text in CORPORA["documents"]:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        theirs, ours = (error_of(module, data) for module in (jiter, our_jiter))
        if theirs is None or not data.isascii() or elsewhere(data, ours):
            continue
        at_end = str(theirs).startswith("EOF")
        assert at_end == isinstance(ours, IncompleteJSONError)
        assert str(theirs).endswith(place_of(ours, data)), (data, theirs, ours)
        compared += 1
    assert compared > 1000


@pytest.mark.parametrize("partial_mode", ["off", "on", "trailing-strings"])
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b'["NaN", NaN]', {"allow_inf_nan": False}),
        (b'{"I\\"": 1,\n "a": -Infinity}', {"allow_inf_nan": False}),
        # Of a repeated key jiter names what follows the colon, be it white space.
        (b'{"a": 1,\n "a":2}', {"catch_duplicate_keys": True}),
        (b'[{"a": 1, "\\u0061":true}, {"a": {}}]', {"catch_duplicate_keys": True}),
        (b'[{"a": {"b": [], "b" :"x"}}]', {"catch_duplicate_keys": True}),
    ],
)
def test_what_options_refuse_is_where_jiter_has_it(
    data: bytes, options: dict[str, Any], partial_mode: str
) -> None:
    options = {**options, "partial_mode": partial_mode}
    theirs, ours = (error_of(module, data, **options) for module in (jiter, our_jiter))
    assert str(theirs).endswith(place_of(ours, data))


def place_of(error: Any, data: bytes) -> str:
    """As jiter says it: in bytes, and at the end of the text the place of its last byte."""
    before = data[: error.stopped_at].decode()
    at_end = isinstance(error, IncompleteJSONError)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n") - at_end
    return f" at line {line} column {column}"


def elsewhere(data: bytes, error: Any) -> bool:
    """Where the two name different places: half a pair, and a wrong character in an escape.

    Jiter says where it noticed, the shim where it is; and a line break that should not be there
    belongs for jiter to the next line. Bytes that may be UTF-16 are refused at once here.
    """
    return (
        error.msg == "Half a surrogate pair"
        or (error.msg.startswith("Invalid") and isinstance(error, MalformedJSONError))
        or b"\x00" in data
    )


def error_of(module: Any, data: bytes, **options: Any) -> Any:
    try:
        module.from_json(data, **options)
    except ValueError as error:
        return error
    return None
