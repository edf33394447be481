"""The registry of adapters, and what all adapters read with."""

import subprocess
import sys
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest

from fragjson import JSONDecodeError, MalformedJSONError, vendors
from fragjson.toolcalls import Accumulator, StreamError
from fragjson.vendors._reading import decode_sse, failure, given, json_safe, read


class Shouting:
    """An adapter as a user would write one: whole calls as ``NAME {arguments}``."""

    def __init__(self, turn: Any) -> None:
        self._turn = turn
        self._lane = turn.lane(None)

    def feed(self, chunk: Any) -> None:
        name, arguments = chunk
        call = self._turn.call(self._lane, None, None, name)
        self._turn.append(call, arguments)
        self._turn.close(call, "shouted")

    @staticmethod
    def recognises(chunk: Any) -> bool:
        return isinstance(chunk, tuple)


def test_registered_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))
    vendors.register("shouting", Shouting)
    assert "shouting" in vendors.names()
    for name in ("shouting", "auto"):
        accumulator = Accumulator(name)
        accumulator.feed(("F", '{"a":1}'))
        assert [call.arguments for call in accumulator.ready()] == [{"a": 1}]


def test_registered_adapter_replaces_a_built_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))
    before = Accumulator("gemini")
    vendors.register("gemini", Shouting)
    after = Accumulator("gemini")
    after.feed(("F", "{}"))
    before.feed({"candidates": []})
    assert [call.name for call in after.calls] == ["F"]


@pytest.mark.parametrize("name", ["", "auto"])
def test_names_that_cannot_be_registered(name: str) -> None:
    with pytest.raises(ValueError, match=f"name: '{name}' cannot"):
        vendors.register(name, Shouting)


@pytest.mark.parametrize("lacking", ["feed", "recognises"])
def test_what_is_no_adapter_cannot_be_registered(lacking: str) -> None:
    half: Any = type("Half", (Shouting,), {lacking: None})
    with pytest.raises(TypeError, match=rf"Half'> has no {lacking}\(\)"):
        vendors.register("half", half)
    assert "half" not in vendors.names()


def test_another_name_for_the_same_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))
    assert vendors.litellm is vendors.openai_chat
    assert vendors.adapter("litellm") is vendors.adapter("openai_chat")
    vendors.register("litellm", Shouting)
    assert vendors.adapter("litellm") is Shouting
    assert vendors.adapter("openai_chat") is vendors.openai_chat.Adapter


def test_names_that_are_no_text() -> None:
    with pytest.raises(TypeError, match="name is a str, not int"):
        vendors.register(5, Shouting)  # type: ignore[arg-type]
    for name in (5, [], None):
        with pytest.raises(TypeError, match=f"vendor is a str, not {type(name).__name__}"):
            Accumulator(name)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="paths: 'int' object is not iterable"):
        Accumulator(paths=5)  # type: ignore[arg-type]


def test_an_adapter_that_raises_where_it_is_only_asked_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))

    class Rash(Shouting):
        @staticmethod
        def recognises(chunk: Any) -> bool:
            return bool(chunk["shout"])

    vendors.register("rash", Rash)
    with pytest.raises(KeyError) as caught:
        Accumulator().feed({"choices": []})
    assert caught.value.__notes__ == [
        "raised by recognises() of the adapter 'rash', which never may"
    ]


def test_unknown_vendor() -> None:
    with pytest.raises(ValueError, match="vendor: 'opnai' is none of ag_ui, anthropic"):
        Accumulator("opnai")
    with pytest.raises(ValueError, match=r"; is it 'openai_chat'\?$"):
        Accumulator("openai")
    with pytest.raises(ValueError, match=r"vercel_ui$"):
        Accumulator("acme")
    with pytest.raises(AttributeError, match="opnai"):
        _ = vendors.opnai


def test_adapters_load_on_first_use_and_bring_no_sdk() -> None:
    code = """
import sys
from fragjson import vendors
assert not [name for name in sys.modules if name.startswith("fragjson.vendors.open")]
vendors.openai_chat
vendors.detect({})
assert {f"fragjson.vendors.{name}" for name in vendors._BUILT_IN} <= set(sys.modules)
sdks = {
    "ag_ui", "anthropic", "boto3", "botocore", "cohere", "google", "groq", "httpx",
    "langchain_core", "litellm", "mistralai", "ollama", "openai", "pydantic",
} & set(sys.modules)
assert not sdks, sdks
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ('{"a":1}', {"a": 1}),
        ('data: {"a":1}\n', {"a": 1}),
        (b'data:{"a":"\xc3\xa9"}\r\n', {"a": "é"}),
        ("data: [DONE]", "[DONE]"),
        ("[DONE]", "[DONE]"),
        ("data: null", None),
        ("data:", None),
        ("", None),
        (": keep-alive", None),
        ("event: message_start", None),
        ("id: 7", None),
        ("retry: 100", None),
        ('\ufeffdata: {"a":1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        ('event: a\ndata: {"a":\r\ndata: 1}\n\n', {"a": 1}),
        (': ping\n\nid: 7\ndata: {"a":1}\n\n: pong\n\n', {"a": 1}),
        ('data: {"a":"data: b"}', {"a": "data: b"}),
    ],
)
def test_lines_of_server_sent_events(line: str | bytes, value: Any) -> None:
    assert decode_sse(line) == value


@pytest.mark.parametrize(
    "text",
    [
        "data: {}\n\ndata: {}\n\n", "data: {}\r\n\r\n: ping\nid: 1\ndata:{}", "data: 1\n\ndata:",
    ],
)  # fmt: skip
def test_more_than_one_event_at_once_is_refused(text: str) -> None:
    for given_ in (text, text.encode()):
        with pytest.raises(JSONDecodeError, match="More than one event: they are fed one by one"):
            decode_sse(given_)


def test_line_that_is_not_text() -> None:
    with pytest.raises(MalformedJSONError, match="Invalid UTF-8") as caught:
        Accumulator("openai_chat").feed(b'data: {"\xc3\xa9": "\xff"}')
    assert (caught.value.pos, caught.value.doc[caught.value.pos]) == (13, "\ufffd")


def test_line_that_is_not_json() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        Accumulator().feed('data: {"a":')


def test_reading() -> None:
    assert [given(text) for text in (None, "", "null", "x", 0, 7)] == [None] * 3 + ["x", "0", "7"]
    assert read({}, "a") is read(None, "a") is None


class Slots:
    __slots__ = ("a", "unset")

    def __init__(self) -> None:
        self.a = 1


class Computed:
    a = property(lambda self: 1)

    def __getattr__(self, name: str) -> Any:
        if name == "asked":
            return 2
        raise AttributeError(name)


class Model(pydantic.BaseModel, extra="allow"):
    a: int = 1
    null: int | None = None
    left_out: int


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        ({"a": 1}, "a", 1), (Counter(a=1), "a", 1), (Counter(a=1), "total", None),
        (SimpleNamespace(a=1), "a", 1), (SimpleNamespace(a=None), "a", None),
        (SimpleNamespace(), "a", None), (Slots(), "a", 1), (Slots(), "unset", None),
        (Slots(), "b", None), (Computed(), "a", 1), (Computed(), "asked", 2),
        (Computed(), "b", None), (Model(left_out=0), "a", 1), (Model(left_out=0), "null", None),
        (Model(left_out=0), "left_out", 0), (Model(left_out=0), "b", None),
        (Model(left_out=0, b=2), "b", 2), (Model.model_construct(), "left_out", None),
        (Model.model_construct(b=2), "b", 2),
    ],
)  # fmt: skip
def test_a_field_is_read_from_whatever_has_it(source: Any, name: str, value: Any) -> None:
    assert read(source, name) == value


def test_json_safe() -> None:
    class Model:
        def model_dump(self, **options: Any) -> Any:
            assert options == {"mode": "json", "exclude_unset": True, "warnings": False}
            return {"x": None}

    assert json_safe(Model()) == {"x": None}
    assert json_safe(b"sig") == "c2ln"
    for plain in ("x", 1, None, True, [1], {"a": 1}):
        assert json_safe(plain) is plain


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (None, "the stream failed", None),
        ("boom", "boom", None),
        ({"message": "m", "type": "t"}, "m", "t"),
        ({"message": "m", "code": 7, "type": "t"}, "m", "7"),
        ({}, "the stream failed", None),
    ],
)
def test_failures(error: Any, message: str, code: str | None) -> None:
    found = failure(error)
    assert isinstance(found, StreamError)
    assert (found.message, found.code, found.payload) == (message, code, error)
