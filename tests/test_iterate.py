"""``iterparse`` and ``aiterparse``: the live value after each chunk, and no silence at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

import pytest
from comparison import exactly
from fragmentation import fragmentations

from fragjson import (
    Allow,
    IncompleteJSONError,
    LimitExceededError,
    MalformedJSONError,
    aiterparse,
    iterparse,
)


def plain(chunks: Iterable[Any], *arguments: Any, **options: Any) -> Iterator[str]:
    for value in iterparse(chunks, *arguments, **options):
        yield exactly(value)


def asynchronous(chunks: Iterable[Any], *arguments: Any, **options: Any) -> Iterator[str]:
    """The values of ``aiterparse`` one by one, from a loop of our own."""

    async def source() -> AsyncIterator[Any]:
        for chunk in chunks:
            await asyncio.sleep(0)
            yield chunk

    values = aiterparse(source(), *arguments, **options)
    with asyncio.Runner() as runner:
        while True:
            try:
                value = runner.run(anext_of(values))
            except StopAsyncIteration:
                return
            yield exactly(value)


async def anext_of(values: AsyncIterator[Any]) -> Any:
    return await anext(values)


both = pytest.mark.parametrize("parse", [plain, asynchronous])
Parse = Callable[..., Iterator[str]]


@both
def test_the_value_after_each_chunk_that_has_one_and_the_final_one(parse: Parse) -> None:
    chunks = ["", " ", '{"a":', "1", "2", ',"b":"x', 'y"}', " "]
    assert list(parse(chunks)) == [
        "{}", "{}", "{}", "{'a': 12, 'b': 'x'}", "{'a': 12, 'b': 'xy'}", "{'a': 12, 'b': 'xy'}",
        "{'a': 12, 'b': 'xy'}",
    ]  # fmt: skip


def test_the_value_is_live() -> None:
    values = list(iterparse(["[1,", "2,", "3]"]))
    assert len({id(value) for value in values}) == 1
    assert values[0] == [1, 2, 3]


@both
def test_a_cut_end_is_an_error_after_the_last_value(parse: Parse) -> None:
    values = parse(["[1,", '"x'])
    assert [next(values), next(values)] == ["[1]", "[1, 'x']"]
    with pytest.raises(IncompleteJSONError) as caught:
        next(values)
    assert caught.value.value == [1, "x"]
    assert list_after(values) == []


@both
@pytest.mark.parametrize("chunks", [[], [""], [" ", "\n"], ["tru"]])
def test_no_value_at_all_is_an_error(parse: Parse, chunks: list[str]) -> None:
    with pytest.raises(IncompleteJSONError):
        list(parse(chunks))


@both
def test_malformed_text_is_raised_at_its_chunk(parse: Parse) -> None:
    values = parse(["[1,", "}", "never read"])
    assert next(values) == "[1]"
    with pytest.raises(MalformedJSONError) as caught:
        next(values)
    assert caught.value.pos == 3
    with pytest.raises(MalformedJSONError, match="Extra data"):
        list(parse(["[1]", "[2]"]))


def list_after(values: Iterator[str]) -> list[str]:
    return list(values)


@both
def test_a_root_number_is_the_final_value(parse: Parse) -> None:
    assert list(parse(["1", "2"])) == ["12"]
    assert list(parse(["1", "2 "])) == ["12", "12"]


@both
def test_null_is_a_value(parse: Parse) -> None:
    assert list(parse(["nul", "l"])) == ["None", "None"]


@both
def test_options_are_those_of_the_parser(parse: Parse) -> None:
    assert list(parse(['["a', '"]'], allow_partial=Allow.ARR)) == ["[]", "['a']", "['a']"]
    assert list(parse(["[1]"], parse_int=str)) == ["['1']", "['1']"]
    with pytest.raises(LimitExceededError):
        list(parse(["[[1]]"], max_depth=1))
    with pytest.raises(TypeError):
        list(parse(["[]"], no_such_option=1))


@both
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"id":1}{"id":2}', ["{'id': 1}", "{'id': 2}"]),
        ('{"id":1}\n{"id":2}\n', ["{'id': 1}", "{'id': 2}"]),
        (' [1] \r\n\r\n "two" null', ["[1]", "'two'", "None"]),
        ("1 2 3", ["1", "2", "3"]),
        ("1\n-2.5\n", ["1", "-2.5"]),
        ('"a""b"[][]{}true', ["'a'", "'b'", "[]", "[]", "{}", "True"]),
        ('["水😀"]\n["é"]', ["['水😀']", "['é']"]),
        ("", []),
        (" \n", []),
    ],
)
def test_multiple_values_come_as_each_completes(parse: Parse, text: str, values: list[str]) -> None:
    for data in (text, text.encode()):
        for name, chunks in fragmentations(data):
            assert list(parse(chunks, multiple_values=True)) == values, name
            assert list(parse(chunks, True)) == values


@both
def test_a_document_is_given_as_soon_as_it_completes(parse: Parse) -> None:
    read: list[str] = []

    def source() -> Iterator[str]:
        for chunk in ['{"a":', "1}", '{"b"', ":2}", " "]:
            read.append(chunk)
            yield chunk

    values = parse(source(), multiple_values=True)
    assert next(values) == "{'a': 1}"
    assert len(read) == 2
    assert next(values) == "{'b': 2}"
    assert len(read) == 4
    assert list_after(values) == []


def test_documents_are_separate_objects() -> None:
    first, second = iterparse(['{"a":1}{"a":2}'], multiple_values=True)
    assert (first, second) == ({"a": 1}, {"a": 2})


@both
def test_a_cut_last_document_is_an_error_after_the_whole_ones(parse: Parse) -> None:
    values = parse(["[1][2", ""], multiple_values=True)
    assert next(values) == "[1]"
    with pytest.raises(IncompleteJSONError):
        next(values)


@both
def test_malformed_text_between_documents_is_an_error_after_the_whole_ones(parse: Parse) -> None:
    values = parse(["[1] , [2]"], multiple_values=True)
    assert next(values) == "[1]"
    with pytest.raises(MalformedJSONError):
        next(values)


@both
def test_a_fault_in_the_source_passes_through(parse: Parse) -> None:
    def source() -> Iterator[str]:
        yield "[1"
        raise ConnectionError("gone")

    for multiple in (False, True):
        values = parse(source(), multiple_values=multiple)
        with pytest.raises(ConnectionError, match="gone"):
            list(values)


def test_nothing_is_read_before_it_is_asked_for() -> None:
    read: list[str] = []

    def source() -> Iterator[str]:
        read.append("begun")
        yield "[]"

    values = iterparse(source())
    assert read == []
    assert next(values) == []


def test_white_space_between_documents_is_the_next_ones_wherever_it_is_cut() -> None:
    for text in ("{}\n x", b"{}\n x", b"{}\n\xef\xbb\xbf{}", b"{}\xef\xbb\xbf{}"):
        found = set()
        for _, fragments in fragmentations(text):
            values = []
            try:
                values.extend(map(repr, iterparse(fragments, multiple_values=True)))
            except MalformedJSONError as error:
                values.append((error.msg, error.pos, error.lineno, error.colno))
            found.add(tuple(values))
        assert len(found) == 1, (text, found)


@pytest.mark.parametrize(
    ("chunks", "options", "error"),
    [
        (["[1]"], {"bogus": 1}, TypeError),
        (["[1]"], {"events": {"end"}}, ValueError),
        (["[1]"], {"max_depth": -1}, ValueError),
        (None, {}, TypeError),
        (b"[1]", {}, TypeError),
        (5, {}, TypeError),
    ],
)
@pytest.mark.parametrize("function", [iterparse, aiterparse])
def test_misuse_is_told_at_once(function: Any, chunks: Any, options: Any, error: Any) -> None:
    with pytest.raises(error):
        function(chunks, **options)


def test_a_source_of_the_other_kind_is_told_as_such() -> None:
    with pytest.raises(TypeError, match="chunks is an asynchronous iterable of fragments, not"):
        aiterparse(["[1]"])  # type: ignore[arg-type]


@pytest.mark.parametrize("keep_text", [False, True])
def test_positions_are_those_in_the_whole_input(keep_text: bool) -> None:
    documents = ['{"a": 1}', '  [1,\n "é"]', '"漢"', '{"id": 1,\n "b" 2}']
    text = "\n".join(documents)
    at = text.rindex(" 2}") + 1
    for fed in (text, text.encode()):
        for _, fragments in fragmentations(fed):
            values = iterparse(fragments, multiple_values=True, keep_text=keep_text)
            with pytest.raises(MalformedJSONError) as caught:
                list(values)
            error = caught.value
            assert (error.pos, error.stopped_at, error.lineno, error.colno) == (at, at, 6, 6)
            assert text[error.doc_start :].startswith(error.doc.rstrip("\N{REPLACEMENT CHARACTER}"))
            if keep_text:
                assert error.excerpt.endswith("^")


def test_positions_of_a_cut_end_are_those_in_the_whole_input() -> None:
    values = iterparse(['{"a": 1}\n', '{"b": 2}\n{"c"', ": "], multiple_values=True)
    with pytest.raises(IncompleteJSONError) as caught:
        list(values)
    assert (caught.value.pos, caught.value.lineno, caught.value.colno) == (24, 3, 7)
