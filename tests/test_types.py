"""The vocabulary: ``Status`` and ``Allow`` as values, and the names the package exports."""

import copy
import importlib
import inspect
import json
import pickle
import subprocess
import sys
from typing import Any

import pytest

import fragjson
from fragjson import Allow, Event, Status
from fragjson.toolcalls import CallDelta, FieldClosed

PARTIAL_JSON_PARSER = {
    "STR": 1, "NUM": 2, "ARR": 4, "OBJ": 8, "NULL": 16, "BOOL": 32, "NAN": 64, "INFINITY": 128,
    "_INFINITY": 256, "INF": 384, "SPECIAL": 496, "ATOM": 499, "COLLECTION": 12, "ALL": 511,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), PARTIAL_JSON_PARSER.items())
def test_allow_has_the_members_and_values_of_partial_json_parser(name: str, value: int) -> None:
    assert Allow[name] == value
    assert isinstance(Allow[name], Allow)


def test_allow_has_no_other_members() -> None:
    assert set(Allow.__members__) == set(PARTIAL_JSON_PARSER)
    assert Allow(5) == Allow.STR | Allow.ARR
    assert Allow.ALL & ~Allow.COLLECTION == Allow.ATOM


def test_status_is_a_string() -> None:
    assert [str(status) for status in Status] == ["empty", "partial", "complete", "invalid"]
    assert Status.PARTIAL == "partial"
    assert f"{Status.COMPLETE}" == "complete"
    assert json.dumps(Status.INVALID) == '"invalid"'
    assert Status("empty") is Status.EMPTY
    assert pickle.loads(pickle.dumps(Status.EMPTY)) is Status.EMPTY


def test_event_takes_its_four_fields() -> None:
    event = Event("end", ("a",), "null", None)
    assert Event.__match_args__ == ("kind", "path", "json_type", "value")
    assert [getattr(event, name) for name in Event.__match_args__] == ["end", ("a",), "null", None]
    with pytest.raises(TypeError):
        Event("end", ("a",), "null")
    with pytest.raises(TypeError):
        Event()


@pytest.mark.parametrize("kind", [fragjson.Parser, Event, CallDelta, FieldClosed])
def test_the_types_of_the_engine_have_signatures(kind: type) -> None:
    parameters = inspect.signature(kind).parameters
    if kind is not fragjson.Parser:
        assert list(parameters) == list(kind.__match_args__)
    assert "--" not in (inspect.getdoc(kind) or "--")


def test_a_parser_says_how_far_it_is_and_nothing_of_what_it_reads() -> None:
    parser = fragjson.Parser()
    assert repr(parser) == "<Parser EMPTY, 0 chars>"
    parser.feed('{"rows": [{"name": "x"}, 1, {"a b": "' + "x" * 2000)
    assert repr(parser) == "<Parser PARTIAL at rows[2]['a b'], 2,037 chars>"
    with pytest.raises(fragjson.MalformedJSONError):
        parser.feed("\n")
    assert repr(parser) == "<Parser INVALID at rows[2]['a b'], 2,037 chars>"

    parser.reset()
    parser.feed('{"\x7f\u202e\\u001b[2J\\ud800": [')
    assert repr(parser) == r"<Parser PARTIAL at ['\u007f\u202e\u001b[2J\ud800'], 23 chars>"

    class Mine(fragjson.Parser):
        pass

    mine = Mine()
    mine.feed("[]")
    assert repr(mine) == "<Mine COMPLETE, 2 chars>"


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("make", [fragjson.Parser, fragjson.Accumulator])
def test_what_goes_on_growing_is_neither_copied_nor_pickled(make: Any, copied: Any) -> None:
    with pytest.raises(TypeError, match="neither copied nor pickled"):
        copied(make())


def test_every_exported_name_exists_and_they_are_sorted() -> None:
    assert list(fragjson.__all__) == sorted(fragjson.__all__)
    assert all(getattr(fragjson, name) is not None for name in fragjson.__all__)
    wanted = {
        "Allow", "Event", "IncompleteJSONError", "JSONDecodeError", "LimitExceededError",
        "MalformedJSONError", "Parser", "Status", "aiterparse", "iterparse", "loads",
    }  # fmt: skip
    assert wanted <= set(fragjson.__all__)


def test_importing_the_package_loads_no_vendor_and_no_event_loop() -> None:
    absent = ["asyncio", "openai", "anthropic", "google.genai", "pydantic", "jsonschema"]
    code = f"import sys, fragjson; print([name for name in {absent!r} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "[]\n"


def test_the_modules_are_where_they_should_be() -> None:
    assert importlib.import_module("fragjson._types").Allow is Allow
    assert importlib.import_module("fragjson._errors").JSONDecodeError is fragjson.JSONDecodeError
