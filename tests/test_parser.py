"""The contract of ``Parser``: what may be fed and when, and what its members show."""

import json
import types
from typing import Any

import pytest
from comparison import EVERY_EVENT, error_of, events_of, exactly, fed, feed_all, plain_events
from hypothesis import given
from hypothesis import strategies as st

from fragjson import (
    IncompleteJSONError,
    JSONDecodeError,
    MalformedJSONError,
    Parser,
    Status,
    loads,
)

# What may be fed, and when


@pytest.mark.parametrize("data", [None, 1, 1.5, ["a"], object(), memoryview])
def test_feed_takes_text_and_bytes_and_nothing_else(data: Any) -> None:
    parser = fed('{"a": "b')
    with pytest.raises(TypeError):
        parser.feed(data)
    assert parser.status == "partial"
    assert parser.error is None
    parser.feed('"}')
    assert parser.close() == {"a": "b"}


def test_feed_takes_exactly_one_positional_argument() -> None:
    parser = Parser()
    with pytest.raises(TypeError):
        parser.feed()
    with pytest.raises(TypeError):
        parser.feed("1", "2")
    with pytest.raises(TypeError):
        parser.feed(data="1")


def test_all_input_types_mix() -> None:
    parser = fed('{"a', b'":"', bytearray("é".encode())[:1], memoryview("é".encode())[1:], '"}')
    assert parser.close() == {"a": "é"}


def test_subclasses_of_text_and_bytes_are_taken_as_what_they_are() -> None:
    class Text(str):
        __slots__ = ()

    class Data(bytes):
        __slots__ = ()

    parser = fed(Text('["a'), Data(b'b"]'))
    assert parser.close() == ["ab"]
    assert type(parser.value[0]) is str


def test_memory_may_change_or_go_once_it_was_fed() -> None:
    data = bytearray(b'["abc"]')
    parser = fed(memoryview(data))
    data[2:5] = b"xyz"
    data.clear()
    assert parser.close() == ["abc"]


def test_a_memoryview_means_its_bytes_also_with_gaps() -> None:
    view = memoryview(b'[ "x" ]')[::2]
    assert bytes(view) == b'[""]'
    assert fed(view).close() == [""]


@pytest.mark.parametrize("empty", ["", b"", bytearray(), memoryview(b"")])
@pytest.mark.parametrize("before", ["", "[1", '["a\\', '["\\ud83d', b'["\xe6', b"\xef\xbb", "[1]"])
def test_empty_fragments_change_nothing(before: Any, empty: Any) -> None:
    parser = fed(before, events=EVERY_EVENT)
    seen = (parser.pos, parser.path, parser.status, exactly(parser.value))
    assert parser.feed(empty) == ()
    assert (parser.pos, parser.path, parser.status, exactly(parser.value)) == seen


def test_feed_returns_the_one_empty_tuple_when_nothing_happened() -> None:
    nothing = Parser().feed("")
    assert nothing == ()
    for parser in (Parser(), Parser(events={"end"})):
        assert parser.feed("[") is nothing
        assert parser.feed("1") is nothing


def test_feed_after_close_is_misuse() -> None:
    parser = fed("[1]")
    parser.close()
    for data in ("", " ", "[", b""):
        with pytest.raises(ValueError, match="reset") as caught:
            parser.feed(data)
        assert not isinstance(caught.value, JSONDecodeError)
    assert parser.status == "complete"
    assert parser.close() == [1]


def test_feed_after_an_incomplete_close_is_misuse() -> None:
    parser = fed("[1")
    assert type(error_of(parser.close)) is IncompleteJSONError
    with pytest.raises(ValueError, match="reset"):
        parser.feed("]")
    assert parser.status == "partial"


def test_the_parser_must_be_made_once_and_properly() -> None:
    unmade = Parser.__new__(Parser)
    for use in (lambda: unmade.feed("[]"), unmade.close, unmade.reset):
        with pytest.raises(RuntimeError):
            use()
    made = fed("[1")
    with pytest.raises(RuntimeError):
        made.__init__()
    assert made.value == []


def test_a_subclass_may_extend_it() -> None:
    class Named(Parser):
        def __init__(self, name: str, **options: Any) -> None:
            super().__init__(**options)
            self.name = name

    class Careless(Parser):
        def __init__(self) -> None:
            pass

    parser = Named("a", events={"end"})
    assert [event.value for event in parser.feed("[1]")] == [1, [1]]
    assert (parser.name, parser.value) == ("a", [1])
    with pytest.raises(RuntimeError):
        Careless().feed("[]")


# value, status, snapshot


def test_value_is_a_member_descriptor_so_that_reading_it_is_free() -> None:
    assert type(Parser.__dict__["value"]) is types.MemberDescriptorType


@pytest.mark.parametrize("name", ["value", "status", "path", "pos", "error", "unused_data", "text"])
def test_what_the_parser_shows_cannot_be_set_or_deleted(name: str) -> None:
    parser = fed("[1,", keep_text=True)
    with pytest.raises((AttributeError, TypeError)):
        setattr(parser, name, 1)
    with pytest.raises((AttributeError, TypeError)):
        delattr(parser, name)
    assert parser.value == [1]


def test_status_goes_from_empty_over_partial_to_complete() -> None:
    parser = Parser()
    seen = [parser.status]
    for char in " tru":
        parser.feed(char)
        seen.append(parser.status)
    assert seen == [Status.EMPTY] * 5
    parser.feed("e")
    assert parser.status is Status.COMPLETE
    parser = Parser()
    seen = []
    for char in '["a"] ':
        parser.feed(char)
        seen.append(str(parser.status))
    assert seen == ["partial"] * 4 + ["complete"] * 2


def test_null_is_a_value_and_no_value_is_empty() -> None:
    parser = fed("nul")
    assert (parser.status, parser.value) == ("empty", None)
    parser.feed("l")
    assert (parser.status, parser.value) == ("complete", None)
    assert parser.is_complete()


def test_the_same_containers_grow_in_place() -> None:
    parser = fed('{"a":[1,')
    root, items = parser.value, parser.value["a"]
    feed_all(parser, ['2,"x', 'y"', "]", ',"b":{}}'])
    assert parser.value is root
    assert root == {"a": [1, 2, "xy"], "b": {}}
    assert root["a"] is items
    assert parser.close() is root


@pytest.mark.parametrize("text", ['{"a":{"b":[1,{"c":"xyz","d":[true,null]},"é水😀"],"e":"f"}}'])
def test_a_snapshot_is_equal_now_and_stays_so(text: str) -> None:
    parser = Parser()
    taken = []
    for char in text:
        parser.feed(char)
        taken.append((parser.snapshot(), exactly(parser.value)))
    for snapshot, then in taken:
        assert exactly(snapshot) == then


def test_a_snapshot_copies_what_is_open_and_shares_what_is_closed() -> None:
    parser = fed('{"rows":[{"id":1},{"id":2')
    parser.feed(",")
    snapshot = parser.snapshot()
    assert snapshot == parser.value
    assert snapshot is not parser.value
    assert snapshot["rows"] is not parser.value["rows"]
    assert snapshot["rows"][0] is parser.value["rows"][0]
    assert snapshot["rows"][1] is not parser.value["rows"][1]
    parser.feed('"x":0}]}')
    assert parser.snapshot()["rows"] is parser.value["rows"]


def test_a_snapshot_of_nothing_is_none() -> None:
    assert Parser().snapshot() is None
    assert fed("12").snapshot() is None
    assert fed("[", allow_partial=False).snapshot() is None


# close


def test_close_gives_the_final_value_each_time() -> None:
    parser = fed("[1, 2]")
    assert parser.close() is parser.close() is parser.value


@pytest.mark.parametrize(
    ("text", "msg", "pos"),
    [("", "Expecting value", 0), ("  ", "Expecting value", 2), ("tru", "Expecting value", 0)],
)
def test_close_without_a_value_is_incomplete(text: str, msg: str, pos: int) -> None:
    parser = fed(text)
    error = error_of(parser.close)
    assert type(error) is IncompleteJSONError
    assert (error.msg, error.pos, error.stopped_at, error.doc) == (msg, pos, len(text), "")
    assert (error.value, error.path, error.events) == (None, (), ())
    assert error_of(parser.close) == error
    assert error_of(parser.close) is not error


def test_an_incomplete_close_leaves_everything_readable() -> None:
    parser = fed('{"a": [1, "b')
    error = error_of(parser.close)
    assert type(error) is IncompleteJSONError
    assert error.value == parser.value == {"a": [1, "b"]}
    assert error.path == parser.path == ("a", 1)
    assert parser.status == "partial"
    assert parser.snapshot() == {"a": [1, "b"]}
    assert not parser.is_complete(("a",))
    assert parser.is_complete(("a", 0))


def test_close_after_malformed_text_raises_it_again() -> None:
    parser = Parser()
    first = error_of(parser.feed, "[1 2")
    assert error_of(parser.close) == error_of(parser.close) == first


# reset


@pytest.mark.parametrize(
    "before",
    [
        "",
        "[1, 2]",
        '{"a": [1, "b',
        "[1 2",
        '"\\ud83d',
        "\ufeff",
        b'["\xe6',
        b"\xef\xbb",
        "12",
        "[[",
    ],
)
def test_reset_makes_it_as_new_with_its_settings(before: Any) -> None:
    parser = Parser(events={"end"}, keep_text=True, max_depth=2)
    error_of(parser.feed, before)
    error_of(parser.close)
    parser.reset()
    assert (parser.status, parser.value, parser.pos, parser.path) == ("empty", None, 0, ())
    assert (parser.error, parser.text, parser.unused_data) == (None, "", "")
    assert not parser.is_complete()
    assert plain_events(parser.feed(b'\xef\xbb\xbf{"a":1}')) == [
        ("end", ("a",), "number", 1),
        ("end", (), "object", {"a": 1}),
    ]
    assert parser.close() == {"a": 1}
    assert parser.text == '{"a":1}'
    parser.reset()
    assert isinstance(error_of(parser.feed, "[[["), RecursionError)


def test_reset_leaves_earlier_values_alone() -> None:
    parser = fed('{"a": [1, "bc')
    value = parser.value
    parser.reset()
    feed_all(parser, ['{"a": [9, "zz', '"]}'])
    assert value == {"a": [1, "bc"]}
    assert parser.close() == {"a": [9, "zz"]}


# path, pos, text, is_complete


def test_path_is_of_the_value_now_open_or_between_values_of_the_container() -> None:
    text = '{"rows":[{"id":12,"n":"x"},true],"a":nul'
    expected = {
        '{"rows': (), '{"rows":': (), '{"rows":[': ("rows",), '{"rows":[{': ("rows", 0),
        '{"rows":[{"id":': ("rows", 0), '{"rows":[{"id":1': ("rows", 0, "id"),
        '{"rows":[{"id":12,': ("rows", 0), '{"rows":[{"id":12,"n":"': ("rows", 0, "n"),
        '{"rows":[{"id":12,"n":"x"': ("rows", 0), '{"rows":[{"id":12,"n":"x"}': ("rows",),
        '{"rows":[{"id":12,"n":"x"},tr': ("rows", 1), '{"rows":[{"id":12,"n":"x"},true': ("rows",),
        '{"rows":[{"id":12,"n":"x"},true]': (), text: ("a",),
    }  # fmt: skip
    parser = Parser()
    read = ""
    for char in text:
        parser.feed(char)
        read += char
        if read in expected:
            assert parser.path == expected.pop(read), read
    assert not expected
    parser.feed("l}")
    assert parser.path == ()


@pytest.mark.parametrize(
    ("text", "json_type"),
    [
        ("", None), (" ", None), ("[", "array"), ("[1,", "array"), ("[[]", "array"),
        ('{"a', "object"), ('{"a":', "object"), ('{"a":1,', "object"), ('{"a":"', "string"),
        ('{"a":"b', "string"), ("-", "number"), ("12", "number"), ("1e", "number"),
        ("N", "number"), ("-I", "number"), ("Inf", "number"), ("t", "boolean"), ("[f", "boolean"),
        ("nul", "null"), ("null", None), ("{}", None), ('"a"', None), ("12 ", None),
    ],
)  # fmt: skip
def test_json_type_is_told_from_the_first_character_of_a_value(
    text: str, json_type: str | None
) -> None:
    parser = Parser()
    parser.feed(text)
    assert parser.json_type == json_type


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[1,}", ()), ("[2}", ()), ("[1.}", (0,)), ("[tru]", (0,)), ('["\\x', (0,)), ('{"a" 1', ()),
        ('{"a":[0,-]', ("a", 1)), ('{"a":"\n', ("a",)), ('{"a":{"b\n', ("a",)), ("[] x", ()),
    ],
)  # fmt: skip
def test_path_after_an_error_tells_where_it_stopped(text: str, path: Any) -> None:
    parser = Parser()
    error = error_of(parser.feed, text)
    assert parser.path == error.path == path


def test_pos_counts_code_points_that_are_whole() -> None:
    steps: list[tuple[Any, int]] = [
        (b"\xef\xbb\xbf", 0), ('["', 2), (b"\xe6\xb0", 2), (b"\xb4", 3), ("é", 4), ("\\u00", 8),
        ("e9", 10), ("\ud83d", 11), ("\ude00", 12), ('"]  ', 16),
    ]  # fmt: skip
    parser = Parser()
    for data, pos in steps:
        parser.feed(data)
        assert parser.pos == pos
    assert parser.close() == ["水éé😀"]


def test_text_is_all_that_was_read_if_it_is_kept() -> None:
    parser = fed(b"\xef\xbb\xbf[", '"é', "水".encode()[:2], keep_text=True)
    assert parser.text == '["é'
    parser.feed("水".encode()[2:])
    assert parser.text == '["é水'
    assert len(parser.text) == parser.pos


IS_COMPLETE = [
    ("", [], [(), (0,), ("a",)]),
    ("12", [], [()]),
    ("12 ", [()], [(0,), ("a",)]),
    ('["a', [], [(), (0,), (1,)]),
    ('["a"', [(0,)], [(), (1,), (-1,), ("0",), (0, 0)]),
    ("[1", [], [(0,)]),
    ("[1,", [(0,)], [(), (1,)]),
    ('{"a":{"b":[1,{"c":2},3', [("a", "b", 0), ("a", "b", 1), ("a", "b", 1, "c")],
     [(), ("a",), ("a", "b"), ("a", "b", 2), ("a", "b", 1, "d"), ("b",), ("a", 0)]),
    ('{"a":1,"a":"x', [], [("a",)]),
    ('{"a":[1,2],"a":[3,', [("a", 0)], [("a",), ("a", 1)]),
    ('{"a":[1,2],"a":[3]', [("a",), ("a", 0)], [(), ("a", 1)]),
    ('{"a":{"b":null}}', [(), ("a",), ("a", "b")], [("a", "b", "c"), ("b",), (0,)]),
    ("[[],{}]", [(), (0,), (1,)], [(0, 0), (1, "a"), (2,)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "complete", "others"), IS_COMPLETE)
def test_is_complete_says_whether_the_value_at_a_path_is_finished(
    text: str, complete: list[Any], others: list[Any]
) -> None:
    parser = fed(text)
    for path in complete:
        assert parser.is_complete(path)
        assert parser.is_complete(list(path))
    for path in others:
        assert not parser.is_complete(path)
    assert parser.is_complete() == (() in complete)


def test_is_complete_refuses_what_is_not_a_path() -> None:
    parser = fed('{"a":1}')
    for path in ("a", 1, None, {"a"}, b"a"):
        with pytest.raises(TypeError):
            parser.is_complete(path)


def test_is_complete_and_paths_follow_the_json_and_not_the_result_of_a_hook() -> None:
    parser = fed('{"a":[[1],[2]', array_hook=len, events={"end"})
    assert parser.value == {"a": [1, 1]}
    assert parser.path == ("a",)
    assert parser.is_complete(("a", 1, 0))
    assert not parser.is_complete(("a", 1, 1))
    assert not parser.is_complete(("a",))
    parser = fed('[{"id":1},{"id":2}', object_hook=lambda members: members["id"])
    assert parser.value == [1, 2]
    assert parser.is_complete((0,))
    assert parser.is_complete((1,))
    assert not parser.is_complete((2,))
    assert events_of('[{"id":1}]', events={"end"}, object_hook=lambda members: "x") == [
        ("end", (0, "id"), "number", 1),
        ("end", (0,), "object", "x"),
        ("end", (), "array", ["x"]),
    ]


# unused_data


@pytest.mark.parametrize("kind", [str, str.encode, lambda s: bytearray(s.encode())])
def test_unused_data_is_what_followed_the_root_in_the_type_it_came(kind: Any) -> None:
    parser = fed(kind('{"a":"é"} '))
    assert parser.unused_data == ""
    error = error_of(parser.feed, kind(' {"b":2}\n'))
    assert type(error) is MalformedJSONError
    assert (error.msg, error.pos, error.stopped_at) == ("Extra data", 11, 11)
    assert parser.unused_data == kind('{"b":2}\n')
    assert type(parser.unused_data) is type(kind(""))
    assert parser.value == {"a": "é"}
    assert parser.status == "invalid"


def test_unused_data_of_a_memoryview_is_its_own_copy() -> None:
    buffer = bytearray(b"[1]xyz")
    parser = Parser()
    error_of(parser.feed, memoryview(buffer))
    buffer[:] = b"......"
    assert type(parser.unused_data) is memoryview
    assert bytes(parser.unused_data) == b"xyz"
    buffer.clear()


def test_a_number_at_the_root_is_ended_by_what_follows_it() -> None:
    parser = fed("1")
    error = error_of(parser.feed, "2[3]")
    assert (error.msg, error.pos, error.value) == ("Extra data", 2, 12)
    assert parser.unused_data == "[3]"
    assert parser.value == 12


def test_there_is_no_unused_data_without_a_root() -> None:
    for text in ("1.x", "[1 2", "-x", "xyz"):
        parser = Parser()
        error_of(parser.feed, text)
        assert parser.unused_data == ""


# Numbers: their value is gathered digit by digit, across fragments


@given(
    st.from_regex(r"-?(0|[1-9][0-9]{0,21})(\.[0-9]{1,21})?([eE][+-]?[0-9]{1,6})?", fullmatch=True),
    st.data(),
)
def test_a_number_has_the_value_json_gives_it_wherever_it_is_cut(
    number: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(number)), max_size=4)))
    parser = Parser()
    for start, end in zip([0, *cuts], [*cuts, len(number)], strict=True):
        parser.feed(number[start:end])
    assert exactly(parser.close()) == exactly(json.loads(number)) == exactly(loads(number))
