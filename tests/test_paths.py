"""Paths: the subset of JSONPath that limits events, and what is refused."""

from typing import Any

import pytest
from comparison import EVERY_EVENT, events_of, fed
from fragmentation import fragmentations, join_deltas

from fragjson import Parser

TEXT = (
    '{"query":"rain","rows":[{"id":1,"n":[true]},{"id":2,"x":{"id":3}}],'
    '"a.b":{"it\'s":null,"c d":"e","":0},"é":{"水":1},"_u":{"k9":2},"0":5}'
)


def ends(paths: Any) -> list[tuple[Any, ...]]:
    return [event[1] for event in events_of(TEXT, events={"end"}, paths=paths)]


@pytest.mark.parametrize(
    ("path", "matching"),
    [
        ("$", [()]),
        ("$.query", [("query",)]),
        ("$['query']", [("query",)]),
        ('$["query"]', [("query",)]),
        ("$.rows", [("rows",)]),
        ("$.rows[0]", [("rows", 0)]),
        ("$.rows[1].id", [("rows", 1, "id")]),
        ("$.rows[*].id", [("rows", 0, "id"), ("rows", 1, "id")]),
        ("$.rows.*.id", [("rows", 0, "id"), ("rows", 1, "id")]),
        ("$['rows'][0]['n'][0]", [("rows", 0, "n", 0)]),
        ("$.rows[1][*]", [("rows", 1, "id"), ("rows", 1, "x")]),
        ("$.*", [("query",), ("rows",), ("a.b",), ("é",), ("_u",), ("0",)]),
        ("$[*]", [("query",), ("rows",), ("a.b",), ("é",), ("_u",), ("0",)]),
        ("$.*[1]", [("rows", 1)]),
        ("$['a.b']", [("a.b",)]),
        ("$['a.b']['it\\'s']", [("a.b", "it's")]),
        ('$["a.b"]["it\'s"]', [("a.b", "it's")]),
        ("$['a.b']['c d']", [("a.b", "c d")]),
        ("$['a.b']['']", [("a.b", "")]),
        ("$.é.水", [("é", "水")]),
        ("$['é']['水']", [("é", "水")]),
        ("$._u.k9", [("_u", "k9")]),
        ("$['0']", [("0",)]),
        ("$[0]", []),
        ("$.rows.id", []),
        ("$.rows['0']", []),
        ("$.nothing", []),
        ("$.query.more", []),
        ("$.rows[99999999999]", []),
    ],
)
def test_a_path_limits_events_to_the_values_that_match(path: str, matching: list[Any]) -> None:
    assert ends(path) == matching
    assert ends([path]) == matching
    assert set(matching) <= set(ends(None))


def test_several_paths_give_what_any_of_them_matches_once() -> None:
    assert ends(["$.query", "$.rows[*].id", "$.rows[0].*", "$.query"]) == [
        ("query",), ("rows", 0, "id"), ("rows", 0, "n"), ("rows", 1, "id"),
    ]  # fmt: skip
    assert ends(("$.query", "$")) == [("query",), ()]
    assert ends(path for path in ["$.query"]) == [("query",)]


def test_no_paths_at_all_is_no_event_and_none_is_every_event() -> None:
    assert ends([]) == []
    assert len(ends(None)) == 20


def test_start_delta_and_end_are_limited_alike() -> None:
    for name, fragments in fragmentations(TEXT):
        events = events_of(*fragments, paths=["$.query", "$.rows[0].n"])
        assert join_deltas(events) == [
            ("start", ("query",), "string", ""),
            ("delta", ("query",), "string", "rain"),
            ("end", ("query",), "string", "rain"),
            ("start", ("rows", 0, "n"), "array", []),
            ("end", ("rows", 0, "n"), "array", [True]),
        ], name


def test_paths_do_not_touch_the_value() -> None:
    for _, fragments in fragmentations(TEXT):
        parser = fed(*fragments, events=EVERY_EVENT, paths="$.query")
        assert parser.close() == fed(TEXT).close()


def test_items_are_counted_per_array() -> None:
    text = "[[1,2,3],[4,[5,6]],7]"
    values = [
        event[3] for path in ("$[0][2]", "$[1][1][0]", "$[2]")
        for event in events_of(text, events={"end"}, paths=path)
    ]  # fmt: skip
    assert values == [3, 5, 7]


def test_a_key_matches_as_it_is_meant_not_as_it_is_spelled() -> None:
    events = events_of('{"\\u0061":1,"\\ud83d\\ude00":2}', events={"end"}, paths=["$.a", "$['😀']"])
    assert [event[3] for event in events] == [1, 2]


def test_atomic_takes_the_same_paths() -> None:
    parser = fed('{"a":["x","y', atomic="$.a[*]")
    assert parser.value == {"a": ["x"]}
    parser = fed('{"a":["x","y', atomic=["$.b", "$.a[0]"])
    assert parser.value == {"a": ["x", "y"]}
    assert fed('"x', atomic="$").value is None


@pytest.mark.parametrize(
    "path",
    [
        "", "a", ".a", "a.b", "[0]", "@.a", "$..a", "$..*", "$..[0]", "$[1:2]", "$[:]", "$[::2]",
        "$[?(@.a)]", "$[?@.a>1]", "$[-1]", "$[1,2]", "$['a','b']", "$.a,$.b", "$.", "$[", "$[]",
        "$[01]", "$[1", "$['a", "$['a'", "$[a]", "$.a b", "$. a", "$.a.", "$.1a", "$.a-b", "$.a[",
        "$.a]", "$$", "$a", " $", "$ ", "$.['a']", "$.length()", "$['a\\x']", "$[1.5]", "$[+1]",
        "$[ -0]", "$[-0]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("option", ["paths", "atomic"])
def test_what_is_not_in_the_subset_is_a_value_error_that_names_the_option(
    path: str, option: str
) -> None:
    for value in (path, ["$.a", path]):
        with pytest.raises(ValueError, match=option):
            Parser(**{option: value})
