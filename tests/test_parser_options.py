"""The options of ``Parser``: values they take; what kinds, atomic strings and limits do."""

import tracemalloc
from typing import Any

import pytest
from comparison import (
    EVERY_EVENT,
    error_of,
    events_of,
    exactly,
    fed,
    feed_all,
    follow,
    plain_events,
)
from fragmentation import fragmentations
from reference import Reference

from fragjson import (
    Allow,
    LimitExceededError,
    MalformedJSONError,
    Parser,
)
from fragjson.testing import units

# Options


def test_options_are_keywords_and_unknown_ones_are_named() -> None:
    with pytest.raises(TypeError):
        Parser(True)
    with pytest.raises(TypeError, match="maximum_depth"):
        Parser(maximum_depth=3)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("events", {"ends"}), ("events", ["start", ""]), ("allow_partial", Allow.NUM),
        ("allow_partial", Allow.ALL), ("allow_partial", Allow.STR | Allow.NULL),
        ("max_depth", -1), ("max_bytes", -1), ("max_string", -5),
        ("paths", "$..a"), ("paths", ["$.a", "a"]), ("atomic", "$[1:2]"),
    ],
)  # fmt: skip
def test_bad_values_are_value_errors_that_name_the_option(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=option):
        Parser(**{option: value})


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("events", 1), ("events", [1]), ("allow_partial", "yes"), ("allow_partial", "on"),
        ("allow_partial", None),
        ("allow_partial", 1.0), ("max_depth", "3"), ("max_depth", None), ("max_depth", 2.5),
        ("max_bytes", "1"), ("max_bytes", 1.0), ("max_string", b"1"), ("paths", 3), ("paths", [3]),
        ("atomic", 3), ("atomic", [None]), ("object_hook", 3), ("parse_int", "int"),
    ],
)  # fmt: skip
def test_values_of_a_wrong_type_are_refused_with_the_name_of_the_option(
    option: str, value: Any
) -> None:
    with pytest.raises((TypeError, ValueError), match=option):
        Parser(**{option: value})


OPTIONS: list[dict[str, Any]] = [
    {}, {"allow_partial": False}, {"allow_partial": Allow.OBJ}, {"atomic": "$.mode"},
    {"events": ("start", "delta", "end")}, {"events": {"end"}, "paths": ("$.a[*]", "$.mode")},
    {"strict": False}, {"max_depth": 1}, {"max_bytes": 12}, {"max_string": 3}, {"keep_text": True},
    {"object_hook": sorted}, {"object_pairs_hook": list}, {"array_hook": tuple},
    {"parse_float": str}, {"parse_int": str}, {"parse_constant": str},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_parser_made_alike_has_all_its_settings(options: dict[str, Any]) -> None:
    def story(parser: Parser) -> list[str]:
        told = []
        for fragment in ('{"a":[1,', '2.5, NaN],"mo', 'de":"fa', 'st","b":{"x":1', '}, "c":"\n"}'):
            for look in (lambda: parser.feed(fragment), lambda: parser.value, lambda: parser.text):  # noqa: B023
                try:
                    told.append(repr(look()))
                except ValueError as error:
                    told.append(repr(error))
        return told

    parser = Parser(**options)
    parser.feed("[")  # what it has read is none of the other's
    stories = [story(parser._alike()) for _ in range(2)]
    assert stories == [story(Parser(**options))] * 2
    for other in OPTIONS:
        assert other == options or stories[0] != story(Parser(**other)), other


@pytest.mark.parametrize("data", ['["a\tb"]', '{"\n":0}', '"\x1f', "[\n1,\t2]", '["\\t"]', ""])
def test_a_parser_knows_if_it_was_lenient(data: str) -> None:
    strict, lenient = Parser(), Parser(strict=False)
    refused = error_of(lambda: strict.feed(data)) is not None
    for text in (data, data.encode()):
        for _, fragments in fragmentations(text):
            lenient.reset()
            assert not lenient._was_lenient()
            for fragment in fragments:
                lenient.feed(fragment)
            assert lenient._was_lenient() == refused
    assert not strict._was_lenient()


# Atomic and allow_partial


def test_atomic_strings_show_with_their_key_when_closed() -> None:
    parser = Parser(atomic="$.id", events=EVERY_EVENT)
    assert plain_events(parser.feed('{"id":"ab')) == [("start", (), "object", {})]
    assert parser.value == {}
    assert plain_events(parser.feed('c","x":"y')) == [
        ("start", ("id",), "string", ""),
        ("end", ("id",), "string", "abc"),
        ("start", ("x",), "string", ""),
        ("delta", ("x",), "string", "y"),
    ]
    assert parser.value == {"id": "abc", "x": "y"}


@pytest.mark.parametrize(
    ("allowed", "shown"),
    [
        (True, {"a": ["x", "y"]}), (Allow.COLLECTION, {"a": ["x"]}), (Allow.OBJ | Allow.STR, {}),
        (Allow.OBJ, {}), (Allow.ARR | Allow.STR, None), (False, None), (Allow(0), None),
        (Allow.STR | Allow.COLLECTION, {"a": ["x", "y"]}),
    ],
)  # fmt: skip
def test_a_kind_left_out_shows_when_closed(allowed: Any, shown: Any) -> None:
    parser = fed('{"a":["x","y', allow_partial=allowed)
    assert parser.value == shown
    assert parser.snapshot() == shown
    assert parser.status == ("empty" if shown is None else "partial")
    parser.feed('"]}')
    assert parser.status == "complete"
    assert parser.value == {"a": ["x", "y"]}


def test_events_come_also_for_what_does_not_show() -> None:
    text = '{"a":[{"b":[1,"x"]}]}'
    every = events_of(text)
    for allowed in (Allow.STR, Allow.STR | Allow.ARR, Allow.STR | Allow.OBJ):
        for fragments in ([text], units(text)):
            assert events_of(*fragments, allow_partial=allowed) == every


# Limits


def test_max_depth_counts_open_containers() -> None:
    for limit, good, bad, pos in [
        (0, "12 ", "[", 0), (1, "[1, 2]", "[1, [", 4), (2, '{"a":[1],"b":{}}', '{"a":[{', 6),
    ]:  # fmt: skip
        fed(good, max_depth=limit).close()
        parser = Parser(max_depth=limit)
        error = error_of(parser.feed, bad)
        assert isinstance(error, LimitExceededError)
        assert isinstance(error, RecursionError)
        assert (error.msg, error.pos, error.stopped_at) == (
            "Nesting deeper than max_depth", pos, pos,
        )  # fmt: skip
        assert type(parser.error) is type(error)


def test_the_default_depth_is_a_thousand() -> None:
    assert fed("[" * 1000 + "]" * 1000).status == "complete"
    assert isinstance(error_of(Parser().feed, "[" * 1001), RecursionError)


def test_very_deep_documents_are_built_shown_and_released_in_linear_memory() -> None:
    depth = 10_000
    parser = Parser(max_depth=depth)
    tracemalloc.start()
    try:
        for _ in range(10):
            parser.feed('[{"a":' * (depth // 20))
        assert parser.is_complete() is False
        assert parser.path == ((0, "a") * depth)[: depth - 1]
        snapshot = parser.snapshot()
        parser.feed("1" + "}]" * (depth // 2))
        value = parser.close()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < depth * 2000
    assert (levels_of(value), levels_of(snapshot)) == (depth, depth - 1)


def levels_of(value: Any) -> int:
    levels = 0
    while isinstance(value, (list, dict)) and value:
        value = value[0] if isinstance(value, list) else value["a"]
        levels += 1
    return levels


def test_an_error_in_a_very_deep_document_costs_linear_memory_too() -> None:
    depth = 10_000
    tracemalloc.start()
    try:
        error = error_of(Parser(max_depth=depth).feed, "[" * depth + "}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.path == (0,) * (depth - 1)
    assert peak < depth * 2000


@pytest.mark.parametrize(
    ("limit", "text", "pos", "value"),
    [
        (3, '["abc"]', None, ["abc"]), (3, '["abcd"]', 5, ["abc"]), (3, '{"abcd":1}', 5, {}),
        (3, "[123]", None, [123]), (3, "[1234]", 4, []), (3, "[12.5]", 4, []), (3, "1234", 3, None),
        (3, '["ab\\u0063d"]', 10, ["abc"]), (3, '["ab\\n\\n"]', 7, ["ab\n"]),
        (1, '["\\ud83d\\ude00"]', None, ["😀"]), (1, '["a\\ud83d\\ude00"]', 14, ["a"]),
        (1, '["a\\ud83dx"]', 9, ["a"]), (1, '["a\\ud83d"]', 9, ["a"]),
        (3, "[true, false]", None, [True, False]),
        (0, '["a"]', 2, [""]), (0, '[""]', None, [""]), (1, '["\ud83d\ude00"]', None, ["😀"]),
    ],
)  # fmt: skip
def test_max_string_counts_code_points_of_strings_keys_and_numbers(
    limit: int, text: str, pos: int | None, value: Any
) -> None:
    for _, fragments in fragmentations(text):
        parser = Parser(max_string=limit)
        error = error_of(feed_all, parser, fragments)
        assert exactly(parser.value) == exactly(value)
        if pos is None:
            assert error is None
        else:
            assert type(error) is LimitExceededError
            assert (error.msg, error.pos, error.stopped_at) == ("Longer than max_string", pos, pos)


@pytest.mark.parametrize(
    ("limit", "data", "pos"),
    [
        (5, '["a"]', None), (5, '["a"] ', 5), (5, '["é"]', 4), (3, '["é"]', 2), (4, '["é"]', 3),
        (4, '["水"]', 2), (5, '["水"]', 3), (6, "[1, 2]  ", 6), (8, b"\xef\xbb\xbf[1,2]", None),
        (7, b"\xef\xbb\xbf[1,2]", 4), (0, "1", 0), (0, "", None), (5, '["\ud83d', None),
        (4, '["\ud83d', 2), (2, "[}}", 1),
    ],
)  # fmt: skip
def test_max_bytes_counts_utf_8_as_fed(limit: int, data: Any, pos: int | None) -> None:
    forms = [data] if isinstance(data, bytes) else [data, data.encode("utf-8", "surrogatepass")]
    for form in forms:
        for name, fragments in fragmentations(form):
            parser = Parser(max_bytes=limit)
            error = error_of(feed_all, parser, fragments)
            if pos is None:
                assert error is None, name
            elif data == "[}}":
                assert type(error) is MalformedJSONError
            else:
                assert type(error) is LimitExceededError, name
                assert (error.msg, error.pos, error.stopped_at) == ("More than max_bytes", pos, pos)


@pytest.mark.parametrize("char", ["é", "水", "😀"])
@pytest.mark.parametrize(
    "before",
    ["", "[", "[1", "[tr", "{", '{"a"', '{"é', '"x', '"\\', '"\\u00', '"\\ud83d', "1 ", "[] "],
)
def test_a_character_that_fits_in_part_is_refused_alike_as_text_and_as_bytes(
    before: str, char: str
) -> None:
    for limit in range(len((before + char).encode()) + 1):
        right = follow(Reference(max_bytes=limit), [before, char]).total
        for head in (before, before.encode()):
            for tail in (char, char.encode()):
                total = follow(Parser(max_bytes=limit), [head, tail]).total
                assert {**total, "unused": ""} == {**right, "unused": ""}
