"""``loads``: what ``json.loads`` gives for whole documents, best effort for cut ones.

Malformed text is an error under every setting, cut text under ``allow_partial=False`` and wherever
there is nothing to show.
"""

import json
import sys
from typing import Any

import pytest
from comparison import error_of, exactly, json_loads, loaded
from hypothesis import given
from hypothesis import strategies as st
from reference import loads as reference_loads

from fragjson import (
    Allow,
    IncompleteJSONError,
    LimitExceededError,
    MalformedJSONError,
    Parser,
    loads,
)

NOTHING = object()
CUT = '{"s":"te","list":[1,[true,"x'


@pytest.mark.parametrize(
    ("allowed", "value"),
    [
        (True, {"s": "te", "list": [1, [True, "x"]]}),
        (Allow.STR | Allow.COLLECTION, {"s": "te", "list": [1, [True, "x"]]}),
        (Allow.ALL, {"s": "te", "list": [1, [True, "x"]]}),
        ("trailing-strings", {"s": "te", "list": [1, [True, "x"]]}),
        ("on", {"s": "te", "list": [1, [True]]}),
        (Allow.COLLECTION, {"s": "te", "list": [1, [True]]}),
        (Allow.OBJ | Allow.STR, {"s": "te"}),
        (Allow.ARR | Allow.STR, NOTHING),
        (Allow.ATOM, NOTHING),
        (Allow.STR, NOTHING),
        (Allow(0), NOTHING),
        (False, NOTHING),
        ("off", NOTHING),
    ],
)
def test_what_shows_of_a_cut_document(allowed: Any, value: Any) -> None:
    for data in (CUT, CUT.encode(), bytearray(CUT.encode()), memoryview(CUT.encode())):
        if value is NOTHING:
            error = error_of(loads, data, allow_partial=allowed)
            assert type(error) is IncompleteJSONError
            assert (error.pos, error.stopped_at, error.doc) == (26, len(CUT), CUT)
        else:
            assert exactly(loads(data, allow_partial=allowed)) == exactly(value)


@pytest.mark.parametrize(
    ("text", "allowed", "value"),
    [
        ("[12", "on", [12]), ("[12", True, []), ("[-1.5e3", Allow.ARR | Allow.NUM, [-1500.0]),
        ("[1.", "on", []), ("[-", "on", []), ("[1e", "on", []), ("[1e+", "on", []),
        ("[0", "on", [0]),
        ('{"a":1,"b":2', "on", {"a": 1, "b": 2}), ('{"a":1,"b":2', True, {"a": 1}),
        ("12", True, 12), ("12", False, 12), ("12", Allow.STR, 12), ("-0.0", True, -0.0),
        ("1.", Allow.ALL, NOTHING), ("-", Allow.ALL, NOTHING),
        ("[tr", Allow.ARR | Allow.BOOL, [True]), ("[f", Allow.ARR | Allow.BOOL, [False]),
        ("[tr", Allow.ARR | Allow.NULL, []), ("[n", Allow.ARR | Allow.NULL, [None]),
        ("[n", Allow.ARR | Allow.NAN, []), ("[N", Allow.ARR | Allow.NAN, [float("nan")]),
        ("[Na", Allow.ALL, [float("nan")]), ("[Inf", Allow.ARR | Allow.INFINITY, [float("inf")]),
        ("[Inf", Allow.ARR | Allow._INFINITY, []), ("[-", Allow.ALL, []),
        ("[-I", Allow.ARR | Allow._INFINITY, [float("-inf")]),
        ("[-I", Allow.ARR | Allow.INFINITY, []),
        ("[-Infinit", Allow.ARR | Allow.INF, [float("-inf")]), ("tru", Allow.BOOL, True),
        ("tru", True, NOTHING), ("nul", Allow.NULL, None), ('"ab', Allow.STR, "ab"),
        ('"ab', True, "ab"), ('"ab', Allow.COLLECTION, NOTHING), ('"', True, ""),
        ('"ab\\', True, "ab"), ('"ab\\u00', True, "ab"), ('["\\ud83d', True, [""]),
        ("{", True, {}), ('{"k', True, {}), ('{"k":', True, {}), ('{"k":"', True, {"k": ""}),
        ("[", True, []), ("[1,", True, [1]), ("[[", Allow.ARR, [[]]), ('[{"a":1', Allow.ARR, []),
        ('{"a":1,"a":[', True, {"a": []}), ('{"a":1,"a":[', Allow.OBJ, {"a": 1}),
        ("", Allow.ALL, NOTHING), (" \n", Allow.ALL, NOTHING),
    ],
)  # fmt: skip
def test_what_shows_of_each_unfinished_kind(text: str, allowed: Any, value: Any) -> None:
    right = loaded(reference_loads, text, allow_partial=allowed)
    ours = loaded(loads, text, allow_partial=allowed)
    assert ours == right
    assert ours.get("result") == (None if value is NOTHING else exactly(value))
    assert (ours.get("fault") == "incomplete") == (value is NOTHING)


def test_true_is_not_taken_for_allow_str() -> None:
    assert loads('["a', allow_partial=True) == ["a"]
    assert type(error_of(loads, '["a', allow_partial=Allow.STR)) is IncompleteJSONError


@pytest.mark.parametrize("allowed", [True, False, "on", "off", "trailing-strings", Allow.ALL])
@pytest.mark.parametrize("text", ["[1 2", "[1,]", "[tru]", '{"a"}', '"\\x', "[1]]", "nulx", "}"])
def test_malformed_text_is_malformed_whatever_may_show(text: str, allowed: Any) -> None:
    with pytest.raises(json.JSONDecodeError) as right:
        json.loads(text)
    error = error_of(loads, text, allow_partial=allowed)
    assert type(error) is MalformedJSONError
    assert (error.msg, error.doc, error.pos) == (right.value.msg, text, right.value.pos)
    assert str(error) == str(right.value)


def test_the_best_effort_value_is_in_the_error() -> None:
    error = error_of(loads, '{"a":[1,2 3]}')
    assert (error.value, error.path, error.stopped_at) == ({"a": [1, 2]}, ("a",), 10)


# Input


@pytest.mark.parametrize("data", [None, 1, ["[]"], {"a": 1}, object()])
def test_anything_but_text_and_bytes_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        loads(data)
    with pytest.raises(TypeError):
        json.loads(data)


def test_the_document_is_positional_or_named_s_as_in_json() -> None:
    assert loads(s="[1]") == json.loads(s="[1]") == [1]
    with pytest.raises(TypeError):
        loads()
    with pytest.raises(TypeError):
        loads("[1]", True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be",
                                      "utf-32", "utf-32-le", "utf-32-be"])  # fmt: skip
@pytest.mark.parametrize("text", ['{"é":["水😀", 1]}', '"a"', "[]", " 12 ", '["\ud83d"]'])
def test_bytes_in_the_encodings_json_detects(text: str, encoding: str) -> None:
    data = text.encode(encoding, "surrogatepass")
    for form in (data, bytearray(data), memoryview(data)):
        assert exactly(loads(form)) == exactly(json.loads(data))
        assert exactly(loads(form, allow_partial=False)) == exactly(json.loads(data))


def test_text_with_a_bom_is_refused_as_in_json() -> None:
    with pytest.raises(json.JSONDecodeError) as right:
        json.loads("\ufeff[]")
    error = error_of(loads, "\ufeff[]")
    assert type(error) is MalformedJSONError
    assert (error.msg, error.pos) == (right.value.msg, 0)


@pytest.mark.parametrize(
    "data", [b'["\xff"]', b"\xff", b'["a\xe6"]', b'{"\xc0\xaf":1}', b'[1 2"\xff']
)
def test_invalid_utf_8_is_the_unicode_error_of_json(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError) as right:
        json.loads(data)
    for allowed in (True, False):
        with pytest.raises(UnicodeDecodeError) as ours:
            loads(data, allow_partial=allowed)
        assert str(ours.value) == str(right.value)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'["a\xe6', ["a"]), (b'["a\xe6\xb0', ["a"]), (b'{"a":"\xf0\x9f\x98', {"a": ""}),
        (b'{"a":1,"\xc3', {"a": 1}), (b'["\xed\xa0', [""]),
        ('["水'.encode("utf-16-le")[:-1], [""]), ('["a😀'.encode("utf-16-le")[:-2], ["a"]),
        ('["a水'.encode("utf-32-be")[:-3], ["a"]),
    ],
)  # fmt: skip
def test_bytes_cut_inside_a_character_are_cut(data: bytes, value: Any) -> None:
    assert loads(data) == value
    assert type(error_of(loads, data, allow_partial=False)) is IncompleteJSONError


@pytest.mark.parametrize("data", [b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"", b" "])
def test_bytes_cut_inside_or_after_a_bom_have_no_value(data: bytes) -> None:
    for allowed in (True, False, Allow.ALL):
        error = error_of(loads, data, allow_partial=allowed)
        assert type(error) is IncompleteJSONError
        assert (error.msg, error.pos) == ("Expecting value", len(data.strip(b"\xef\xbb\xbf")))


# Options


def test_the_keywords_of_json_work_alike() -> None:
    text = '{"a":[1,2.5,NaN],"b":{"c":-1}}'
    options: dict[str, Any] = {
        "object_hook": sorted,
        "object_pairs_hook": tuple,
        "array_hook": tuple,
        "parse_int": lambda digits: digits + "!",
        "parse_float": str,
        "parse_constant": str.lower,
    }
    for name, hook in options.items():
        right = exactly(json_loads(text, **{name: hook}))
        assert exactly(loads(text, **{name: hook})) == right
    assert exactly(loads(text, **options)) == exactly(json_loads(text, **options))
    assert loads('["\n\x01"]', strict=False) == ["\n\x01"]
    none = dict.fromkeys([*options, "cls"])
    assert exactly(loads(text, **none)) == exactly(json_loads(text, **none))


def test_hooks_run_for_closed_containers_of_a_cut_document_only() -> None:
    assert loads("[[1],[2", array_hook=lambda items: "hooked") == ["hooked", []]
    assert loads('[{"a":1},{"a":2', object_hook=lambda members: "hooked") == ["hooked", {}]
    assert loads('[{"a":1},{"a":2,', object_hook=lambda members: "hooked") == ["hooked", {"a": 2}]


def test_an_exception_of_a_hook_passes_unchanged() -> None:
    mine = ZeroDivisionError("mine")

    def stop(_: Any) -> None:
        raise mine

    for name, text in {"object_hook": "{}", "parse_int": "1", "parse_constant": "[NaN]"}.items():
        with pytest.raises(ZeroDivisionError) as caught:
            loads(text, **{name: stop})
        assert caught.value is mine


def test_a_decoder_class_is_refused_clearly() -> None:
    with pytest.raises(TypeError, match="cls"):
        loads("[]", cls=json.JSONDecoder)


def test_unknown_options_are_named() -> None:
    with pytest.raises(TypeError, match="encoding"):
        loads("[]", encoding="utf-8")


@pytest.mark.parametrize(
    ("option", "value"),
    [("allow_partial", "yes"), ("allow_partial", "ON"), ("allow_partial", 512),
     ("allow_partial", -1), ("max_depth", -1)],
)  # fmt: skip
def test_bad_values_are_value_errors_that_name_the_option(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=option):
        loads("[]", **{option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [("allow_partial", None), ("allow_partial", 1.5), ("max_depth", "3"), ("max_depth", None),
     ("object_hook", 1), ("parse_float", "float")],
)  # fmt: skip
def test_values_of_a_wrong_type_are_refused_with_the_name_of_the_option(
    option: str, value: Any
) -> None:
    with pytest.raises((TypeError, ValueError), match=option):
        loads("[]", **{option: value})


# Limits


def test_depth_beyond_max_depth_is_a_recursion_error_too() -> None:
    assert loads("[[1]]", max_depth=2) == [[1]]
    assert loads("1", max_depth=0) == 1
    for allowed in (True, False):
        error = error_of(loads, '[{"a":[', max_depth=2, allow_partial=allowed)
        assert isinstance(error, LimitExceededError)
        assert isinstance(error, RecursionError)
        assert (error.pos, error.stopped_at, error.value) == (6, 6, [{}])


def test_an_integer_beyond_the_digit_limit_is_a_value_error_as_in_json() -> None:
    digits = "1" * (sys.get_int_max_str_digits() + 1)
    for text in (digits, f"[{digits}]", f'{{"a":{digits},"b":1'):
        error = error_of(loads, text)
        assert type(error) is LimitExceededError
        with pytest.raises(ValueError, match="digits") as right:
            int(digits)
        assert error.msg == str(right.value)


def test_large_documents_are_parsed_whole() -> None:
    value = [{"id": n, "name": f"n{n}", "tags": ["é", None, n / 7]} for n in range(20_000)]
    text = json.dumps(value)
    assert loads(text) == value
    assert loads(text.encode()) == value
    cut = loads(text[: len(text) // 2])
    assert cut[:-1] == value[: len(cut) - 1]
    assert len(cut) > 9_000


def test_keys_are_shared_within_a_document() -> None:
    first, second = loads('[{"identifier":1},{"identifier":2}]')
    assert next(iter(first)) is next(iter(second))


# Strings of many escapes: their characters are gathered in a buffer of limited room, narrow until a
# character needs more.

PIECES = (
    "a",
    "x" * 40,
    "y" * 97,
    "\\n",
    "\\u00e9",
    "\\u6f22",
    "\\ud83d\\ude00",
    "\\ud83d",
    "é",
    "漢",
    "😀",
)


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 130)), min_size=2, max_size=5),
    st.integers(0, 1000),
)
def test_strings_of_many_escapes_are_read_as_json_reads_them(
    runs: list[tuple[str, int]], cut: int
) -> None:
    text = '["' + "".join(piece * count for piece, count in runs) + '"]'
    expected = json.loads(text)
    for whole in (text, text.encode()):
        assert loads(whole) == expected
        parser = Parser()
        parser.feed(whole[:cut])
        parser.feed(whole[cut:])
        assert parser.close() == expected


@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 130)), min_size=2, max_size=5),
    st.integers(0, 600),
)
def test_max_string_stops_a_string_of_escapes_exactly_there(
    runs: list[tuple[str, int]], longest: int
) -> None:
    text = '"' + "".join(piece * count for piece, count in runs) + '"'
    expected: str = json.loads(text)
    parser = Parser(max_string=longest)
    if len(expected) <= longest:
        parser.feed(text)
        assert parser.close() == expected
    else:
        with pytest.raises(LimitExceededError):
            parser.feed(text)
        assert parser.value == expected[:longest]


def test_a_subclass_of_bytes_is_read_as_the_bytes_that_it_holds() -> None:
    class Other(bytes):
        def __bytes__(self) -> bytes:
            return b"[2]"

    assert loads(Other(b"[1]")) == json.loads(Other(b"[1]")) == [1]
