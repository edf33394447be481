"""The oracle itself, against the running interpreter's ``json``: who tests with it may trust it."""

import json
from typing import Any

import pytest
import strategies
from comparison import exactly
from fragmentation import fragmentations
from hypothesis import given
from hypothesis import strategies as st
from reference import NUMBER, Fault, Reference, Token

AFTERWARDS = ['"', "]", "}", "0", " ", '"]', ":1}", '"}', ""]


def fed(text: str) -> tuple[Reference, Fault | None]:
    parser = Reference()
    try:
        parser.feed(text)
    except Fault as fault:
        return parser, fault
    return parser, None


def json_error(text: str | bytes) -> json.JSONDecodeError | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error
    return None


@given(strategies.documents(raw_halves=False), st.integers())
@strategies.examples(60)
def test_it_gives_the_value_json_gives(text: str, seed: int) -> None:
    for data in (text, text.encode("utf-8", "surrogatepass")):
        for name, fragments in fragmentations(data, seed):
            parser = Reference()
            for fragment in fragments:
                parser.feed(fragment)
            assert exactly(parser.close()) == exactly(json.loads(data)), name


@given(strategies.texts(raw_halves=False))
@strategies.examples(500)
def test_it_refuses_what_json_refuses_with_its_message_and_position(text: str) -> None:
    error = json_error(text)
    parser, fault = fed(text)
    if fault is None:
        fault = fault_at_close(parser)
    if error is None:
        assert fault is None
    else:
        assert fault is not None
        assert (fault.msg, fault.pos) == (error.msg, error.pos)
        assert (fault.lineno, fault.colno) == (error.lineno, error.colno)


@given(strategies.texts())
@strategies.examples(500)
def test_what_it_does_not_call_malformed_can_still_become_json(text: str) -> None:
    parser, fault = fed(text)
    if fault is not None:
        text = text[: fault.stopped_at]
        parser, fault = fed(text)
    assert fault is None
    json.loads(text + completion(parser))


@given(strategies.damaged_documents(), st.sampled_from(AFTERWARDS))
@strategies.examples(500)
def test_what_it_calls_malformed_stays_malformed(text: str, after: str) -> None:
    _, fault = fed(text)
    if fault is not None:
        error = json_error(text[: fault.stopped_at + 1] + after)
        assert error is not None
        assert (error.msg, error.pos) == (fault.msg, fault.pos)


def fault_at_close(parser: Reference) -> Fault | None:
    try:
        parser.close()
    except Fault as fault:
        return fault
    return None


def completion(parser: Reference) -> str:
    """Some text that makes a JSON document of what the parser has read."""
    if parser.status == "complete":
        return ""
    rest = ""
    expected = parser.expected
    if parser.token is not None:
        rest = token_completion(parser.token)
        expected = "colon" if parser.token.kind == "key" else "comma"
    rest += {
        "value": "0", "key": '"k":0', "colon": ":0", "comma": "", "nothing": "",
        "value or end": "0" if not parser.stack else "", "key or end": "",
    }[expected]  # fmt: skip
    return rest + "".join(
        "]" if frame.json_type == "array" else "}" for frame in reversed(parser.stack)
    )


def token_completion(token: Token) -> str:
    if token.kind in ("string", "key"):
        escape = {0: "", 1: "n"}.get(len(token.escape), "0" * (len(r"\uXXXX") - len(token.escape)))
        return escape + '"'
    if token.kind == "number":
        return "" if NUMBER.fullmatch(token.text) else "0"
    words = ["true", "false", "null", "NaN", "Infinity", "-Infinity"]
    return next(word for word in words if word.startswith(token.text))[len(token.text) :]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1", []), ("[1,", [1]), ("[1}", [1]), ("[tru", []), ("[true", [True]), ("12", None),
        ("12 ", 12), ('{"a', {}), ('{"a":', {}), ('{"a":"', {"a": ""}), ('{"a":[', {"a": []}),
        ('"\\ud83d', ""), ('"\\ud83d\\', ""), ('"\\ud83d\\n', "\ud83d\n"), ('"\ud83d', ""),
        ('"\ud83d\ude00', "😀"), ('"\\ud83d\ude00', "\ud83d\ude00"), ("[1.]", []), ("tru", None),
        ('{"a":1,"a":"', {"a": ""}), ('{"a":1,"a":2', {"a": 1}),
    ],
)  # fmt: skip
def test_what_it_shows(text: str, value: Any) -> None:
    parser, fault = fed(text)
    assert exactly(parser.value) == exactly(value)
    assert (fault is None) == (text[-1] not in "]}")
