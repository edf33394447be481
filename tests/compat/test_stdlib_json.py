"""Python's own tests of ``json``'s decoder, those of the running interpreter, on ``loads``.

They are run in place, from the installed ``test`` package. Where ``json`` itself is tested as
``self.json``, ``fragjson.loads`` stands for its ``loads`` and ``load``, and a parser reading one
string for its ``scanstring``.
"""

import importlib
import inspect
import json
import pkgutil
import unittest
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import fragjson

suite = pytest.importorskip("test.test_json", reason="this interpreter ships no test.test_json")

DECODING = ("loads(", "self.loads", "json.load(", "scanstring", "Decoder", "scanner")
NOT_OF_LOADS = {"test_speedups", "test_tool"}  # whether json's C parts are used; its command line
NO_CLASS = "loads has no decoder class: cls is refused"
EXCEPTIONS = {
    "test_decode.test_keys_reuse": f"{NO_CLASS}; of loads, see test_keys_are_shared",
    "test_decode.test_negative_index": NO_CLASS,
    "test_scanstring.test_surrogates": "a raw high half and a raw low half are one character",
    "test_scanstring.test_overflow": "tells where to begin in C; loads begins at the beginning",
}
NEWER_EXCEPTIONS = {  # tests that there are from some version on
    "test_decode.test_unterminated_string": NO_CLASS,
    "test_decode.test_explicit_cls_skips_json_decoder_default": NO_CLASS,
}

loads = partial(fragjson.loads, allow_partial=False)


def load(file: Any, **options: Any) -> Any:
    return loads(file.read(), **options)


def scanstring(text: str, end: int, strict: bool = True) -> tuple[str, int]:
    """The string whose opening quote is before ``end``, and where it ends."""
    parser = fragjson.Parser(strict=strict)
    for at in range(end - 1, len(text)):
        parser.feed(text[at])
        if parser.status is fragjson.Status.COMPLETE:
            return parser.value, at + 1
    return parser.close(), len(text)


AS_JSON = SimpleNamespace(
    loads=loads,
    load=load,
    decoder=SimpleNamespace(scanstring=scanstring),
    JSONDecodeError=json.JSONDecodeError,
    JSONEncoder=json.JSONEncoder,
    dumps=json.dumps,
)


class OnLoads(unittest.TestCase):
    json = AS_JSON
    loads = staticmethod(loads)
    dumps = staticmethod(json.dumps)
    JSONDecodeError = json.JSONDecodeError


def decoder_tests() -> Iterator[Any]:
    for found in pkgutil.iter_modules(suite.__path__):
        if not found.name.startswith("test_") or found.name in NOT_OF_LOADS:
            continue
        module = importlib.import_module(f"test.test_json.{found.name}")
        for name, mixin in vars(module).items():
            # Each test is written once, and mixed into one class for C and one for Python.
            if name.startswith("Test") and mixin.__bases__ == (object,):
                yield from those_in(found.name, mixin)


def those_in(module: str, mixin: type) -> Iterator[Any]:
    for name, method in vars(mixin).items():
        if name.startswith("test") and any(word in inspect.getsource(method) for word in DECODING):
            case = type(mixin.__name__, (mixin, OnLoads), {})(name)
            full_name = f"{module}.{name}"
            why = (EXCEPTIONS | NEWER_EXCEPTIONS).get(full_name)
            marks = pytest.mark.xfail(strict=True, reason=why) if why else ()
            yield pytest.param(case, id=full_name, marks=marks)


CASES = list(decoder_tests())


@pytest.mark.parametrize("case", CASES)
def test_what_json_tests_holds_for_loads(case: unittest.TestCase) -> None:
    case.debug()


def test_all_that_was_to_be_run_is() -> None:
    modules = {str(case.id).split(".")[0] for case in CASES}
    wanted = {"decode", "fail", "float", "pass1", "pass2", "pass3", "recursion", "scanstring"}
    assert modules >= {f"test_{name}" for name in wanted | {"unicode"}}
    assert len(CASES) > 25
    assert EXCEPTIONS.keys() <= {case.id for case in CASES}


def test_keys_are_shared() -> None:
    """What json tests of its decoder class holds for the keys of one document here, too."""
    first, second = loads('[{"a_key": 1, "b_\xe9": 2}, {"a_key": 3, "b_\xe9": 4}]')
    assert [a is b for a, b in zip(first, second, strict=True)] == [True, True]
