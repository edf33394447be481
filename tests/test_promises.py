"""The promises of the parser, each as a property that holds for any JSON text and any cut.

Values are compared by ``exactly``, which tells 1 from 1.0 and from True, 0.0 from -0.0, a pair of
surrogate halves from the character, and one order of members from another. FRAGJSON_HARDER=10
tries ten times as many examples.
"""

import codecs
import json
import sys
import tracemalloc
from typing import Any

import pytest
import strategies
from comparison import (
    error_of,
    exactly,
    feed_all,
    follow,
    json_loads,
    loaded,
    paths_in,
    plain_events,
    value_of,
)
from fragmentation import fragmentations
from hypothesis import assume, example, given
from hypothesis import strategies as st
from reference import Reference
from reference import loads as loads_of_reference

import fragjson
from fragjson import (
    Allow,
    IncompleteJSONError,
    LimitExceededError,
    MalformedJSONError,
    Parser,
)
from fragjson.testing import Data, units
from fragjson.testing.spelling import CONSTANTS, LITERALS
from fragjson.testing.strategies import json_numbers, json_strings, mixed_fragments_of

EVERY_EVENT = ("start", "delta", "end")
atoms = json_numbers() | st.sampled_from(LITERALS + CONSTANTS)
whole_texts = strategies.documents(raw_halves=False)
texts = strategies.texts()
plain_texts = strategies.texts(raw_halves=False)
seeds = st.integers(0, 2**32)


def is_start_of(early: Any, late: Any, open_here: bool = True) -> bool:
    """Whether the late value is the early one, only grown, and only at its last open end."""
    if type(early) is not type(late):
        return False
    if isinstance(early, str):
        return late.startswith(early) if open_here else early == late
    if isinstance(early, list):
        earlier, later = list(enumerate(early)), list(enumerate(late))
    elif isinstance(early, dict):
        earlier, later = list(early.items()), list(late.items())
    else:
        return exactly(early) == exactly(late)
    if len(earlier) > len(later) or (len(earlier) < len(later) and not open_here):
        return False
    last = len(earlier) - 1
    return all(
        key == its_key and is_start_of(value, its_value, open_here and at == last)
        for at, ((key, value), (its_key, its_value)) in enumerate(zip(earlier, later, strict=False))
    )


def has_duplicate_keys(text: str) -> bool:
    found = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        found.append(len(dict(pairs)) < len(pairs))

    json.loads(text, object_pairs_hook=look)
    return any(found)


def values_while_fed(fragments: list[Data]) -> list[Any]:
    parser = Parser()
    values = []
    for fragment in fragments:
        parser.feed(fragment)
        if parser.status is not fragjson.Status.EMPTY:
            values.append(parser.snapshot())
    return [*values, parser.close()]


# 1. Certain only


@given(strategies.documents(), seeds)
@strategies.examples(100)
def test_every_partial_value_is_a_prefix_of_the_next_and_of_the_final_one(
    text: str, seed: int
) -> None:
    assume(not has_duplicate_keys(text))
    for data in (text, text.encode("utf-8", "surrogatepass")):
        for fragments in (units(data), dict(fragmentations(data, seed))["random 0"]):
            values = values_while_fed(fragments)
            for early, late in zip(values, [*values[1:], values[-1]], strict=True):
                assert is_start_of(early, late)
                assert is_start_of(early, values[-1])


@given(strategies.documents(), seeds)
@strategies.examples(100)
def test_strings_only_grow(text: str, seed: int) -> None:
    shown: dict[Any, str] = {}
    parser = Parser(events=EVERY_EVENT)
    for fragment in dict(fragmentations(text, seed))["random 1"]:
        for event in parser.feed(fragment):
            if event.json_type == "string" and event.kind == "start":
                shown[event.path] = event.value
            elif event.json_type == "string" and event.kind == "delta":
                shown[event.path] += event.value
            elif event.json_type == "string":
                assert exactly(shown[event.path]) == exactly(event.value)
    parser.close()


@given(json_numbers(), st.sampled_from(",] \n}x:\"[{'é\x00"), st.booleans())
@strategies.examples(100)
def test_a_number_appears_at_the_first_character_that_cannot_continue_it_even_at_a_fault(
    number: str, after: str, in_object: bool
) -> None:
    parser = Parser()
    parser.feed('{"n":' if in_object else "[")
    for digit in number:
        parser.feed(digit)
        assert parser.value == ({} if in_object else [])
    error = error_of(parser.feed, after)
    assert (error is None) == (after in (",", " ", "\n", "}" if in_object else "]"))
    shown = parser.value["n"] if in_object else parser.value[0]
    assert exactly(shown) == exactly(json.loads(number))


@given(json_numbers(), st.sampled_from(["", " ", "\n", "x"]))
@strategies.examples(100)
def test_a_number_at_the_root_appears_at_the_next_character_or_at_close(
    number: str, after: str
) -> None:
    right = json.loads(number)
    parser = Parser(events=EVERY_EVENT)
    for digit in number:
        assert parser.feed(digit) == ()
        assert parser.status == "empty"
        assert parser.value is None
    end = exactly([("end", (), "number", right)] if after else [])
    if after == "x":
        error = error_of(parser.feed, after)
        assert error is not None
        assert exactly(plain_events(error.events)) == end
    else:
        assert exactly(plain_events(parser.feed(after))) == end
        assert exactly(parser.close()) == exactly(right)
        assert parser.status == "complete"
    assert exactly(parser.value) == exactly(right)


@given(json_strings(surrogates="escaped"), atoms | json_strings(surrogates="raw"))
@strategies.examples(100)
def test_a_key_appears_with_the_first_certain_piece_of_its_value(key: str, value: str) -> None:
    parser = Parser()
    for char in f"{{{key}:":
        parser.feed(char)
        assert parser.value == {}
    name = json.loads(key)
    shown: list[Any] = []
    for char in value + ",":
        parser.feed(char)
        shown.append(exactly(parser.value))
    if value.startswith('"'):
        assert shown[0] == exactly({name: ""})
    elif value[-1].isdigit():
        assert shown == [exactly({})] * len(value) + [exactly({name: json.loads(value)})]
    else:
        whole = exactly({name: json.loads(value)})
        assert shown == [exactly({})] * (len(value) - 1) + [whole] * 2


@given(st.lists(atoms | json_strings(surrogates="escaped"), min_size=2, max_size=5))
@strategies.examples(50)
def test_of_duplicate_keys_the_last_one_wins(values: list[str]) -> None:
    parser = Parser()
    parser.feed('{"k":')
    for at, value in enumerate(values):
        parser.feed(f'{value},"other{at}":0, "k":')
        assert exactly(parser.value["k"]) == exactly(json.loads(value))
        assert next(iter(parser.value)) == "k"


@given(strategies.documents(raw_halves=False), seeds)
@strategies.examples(60)
def test_hooks_run_in_the_order_of_json_and_open_containers_are_plain(text: str, seed: int) -> None:
    def noting(calls: list[str]) -> dict[str, Any]:
        def hook(name: str) -> Any:
            def call(argument: Any) -> Any:
                calls.append(f"{name}({argument!r})")
                return (name, argument)

            return call

        names = ("object_hook", "array_hook", "parse_float", "parse_int", "parse_constant")
        return {name: hook(name) for name in names}

    right: list[str] = []
    value = json_loads(text, **noting(right))
    for name, fragments in fragmentations(text, seed):
        calls: list[str] = []
        parser = Parser(**noting(calls))
        for fragment in fragments:
            parser.feed(fragment)
            if parser.status == "partial":
                assert type(parser.value) in (dict, list, str)
        assert exactly(parser.close()) == exactly(value), name
        assert calls == right, name


# 2. Every cut is safe


@given(strategies.inputs(), seeds)
@strategies.examples(120)
def test_every_fragmentation_gives_the_same_value_events_and_error(
    data: str | bytes, seed: int
) -> None:
    right: dict[str, Any] = {}
    for name, fragments in fragmentations(data, seed):
        total = follow(Parser(events=EVERY_EVENT), fragments, [(), (0,), ("a",)]).total
        if isinstance(data, bytes) or name.startswith("mixed"):
            total.pop("unused")
        if not right:
            right = total
        expected = {key: value for key, value in right.items() if key in total}
        assert total == without_rest(expected, total), name


def without_rest(expected: dict[str, Any], total: dict[str, Any]) -> dict[str, Any]:
    """What follows the root is handed back as far as the fragment goes, so it may be shorter."""
    if "unused" in expected and "unused" in total:
        whole, part = str(expected["unused"])[1:-1], str(total["unused"])[1:-1]
        assert whole.startswith(part)
        assert bool(whole) == bool(part)
        return {**expected, "unused": total["unused"]}
    return expected


@given(strategies.inputs(), st.data())
@strategies.examples(300)
def test_the_engine_agrees_with_the_reference_after_every_fragment(
    data: str | bytes, draw: st.DataObject
) -> None:
    fragments = draw.draw(mixed_fragments_of(data))
    options = draw.draw(
        st.fixed_dictionaries(
            {"events": st.just(EVERY_EVENT)},
            optional={
                "allow_partial": st.sampled_from([True, False, *map(Allow, (4, 8, 12, 9))]),
                "atomic": st.sampled_from(["$.a", "$[*]", "$.*", "$"]),
                "paths": st.sampled_from(["$.a", "$[*]", "$.*.a", "$[0].*"]),
                "strict": st.booleans(),
                "max_depth": st.integers(1, 4),
                "max_bytes": st.integers(1, 40),
                "max_string": st.integers(1, 8),
            },
        )
    )
    oracle = Reference(**options)
    follow(oracle, fragments)
    probes = paths_in(oracle.value)
    right = follow(Reference(**options), fragments, probes)
    ours = follow(Parser(**options), fragments, probes)
    assert ours.steps == right.steps
    assert ours.total == right.total


@given(
    st.text(st.characters(min_codepoint=0x80, exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.booleans(),
)
@strategies.examples(100)
def test_halves_of_characters_are_held_back_and_never_shown(text: str, escaped: bool) -> None:
    spelled = json.dumps(text, ensure_ascii=escaped)
    for fragments in (units(spelled), units(spelled.encode())):
        parser = Parser()
        for fragment in fragments:
            parser.feed(fragment)
            assert text.startswith(parser.value)
        assert parser.close() == text


@given(st.characters(min_codepoint=0x10000), st.integers(0, 3), st.booleans())
@strategies.examples(50)
def test_a_raw_high_half_and_a_raw_low_half_are_one_character(
    char: str, gap: int, as_key: bool
) -> None:
    high, low = halves_of(char)
    text = f'{{"{high}{low}":0}}' if as_key else f'"{high}{low}"'
    right = {char: 0} if as_key else char
    for _, fragments in fragmentations(text, gap):
        assert exactly(values_while_fed(fragments)[-1]) == exactly(right)
    assert exactly(fragjson.loads(text)) == exactly(right)


@given(st.characters(min_codepoint=0x10000), st.sampled_from(["raw, escaped", "escaped, raw"]))
@strategies.examples(50)
def test_a_raw_half_and_an_escaped_half_never_join(char: str, kinds: str) -> None:
    high, low = halves_of(char)
    text = f'"{high}\\u{ord(low):x}"' if kinds == "raw, escaped" else f'"\\u{ord(high):x}{low}"'
    for _, fragments in fragmentations(text):
        assert exactly(values_while_fed(fragments)[-1]) == exactly(high + low)
    assert exactly(fragjson.loads(text)) == exactly(high + low)


@given(st.characters(min_codepoint=0x10000))
@strategies.examples(30)
def test_surrogates_encoded_in_bytes_stay_lone_halves(char: str) -> None:
    halves = "".join(halves_of(char))
    data = f'"{halves}"'.encode("utf-8", "surrogatepass")
    for _, fragments in fragmentations(data):
        assert exactly(values_while_fed(fragments)[-1]) == exactly(halves)
    assert exactly(fragjson.loads(data)) == exactly(halves) == exactly(json.loads(data))


def halves_of(char: str) -> tuple[str, str]:
    data = char.encode("utf-16-be")
    high, low = (data[at : at + 2].decode("utf-16-be", "surrogatepass") for at in (0, 2))
    return high, low


@given(json_strings(surrogates="raw"))
@strategies.examples(100)
def test_positions_count_code_points_as_fed(string: str) -> None:
    text = f"[{string}"
    for data in (text, text.encode("utf-8", "surrogatepass")):
        for _, fragments in fragmentations(data):
            parser = Parser()
            for fragment in fragments:
                parser.feed(fragment)
            assert parser.pos == len(text)
            with pytest.raises(MalformedJSONError) as caught:
                parser.feed("!")
            assert caught.value.pos == caught.value.stopped_at == len(text)


# 3. Same as json.loads


@given(whole_texts, seeds)
@strategies.examples(100)
def test_whole_documents_equal_json_loads(text: str, seed: int) -> None:
    for data in (text, text.encode("utf-8", "surrogatepass")):
        right = exactly(json.loads(data))
        assert exactly(fragjson.loads(data)) == right
        assert exactly(fragjson.loads(data, allow_partial=False)) == right
        for name, fragments in fragmentations(data, seed):
            assert exactly(values_while_fed(fragments)[-1]) == right, name


@given(
    whole_texts,
    st.sampled_from(["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le",
                     "utf-32-be"]),
    st.sampled_from([bytes, bytearray, memoryview]),
)  # fmt: skip
@strategies.examples(100)
def test_whole_documents_in_any_encoding_of_json_equal_json_loads(
    text: str, encoding: str, kind: type
) -> None:
    data = text.encode(encoding, "surrogatepass")
    assert exactly(fragjson.loads(kind(data))) == exactly(json.loads(data))
    if encoding == "utf-8-sig":
        parser = Parser()
        parser.feed(kind(data))
        assert exactly(parser.close()) == exactly(json.loads(data))


@given(plain_texts, seeds)
@strategies.examples(150)
def test_what_json_rejects_is_rejected_with_its_message_and_position(text: str, seed: int) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        right = (error.msg, error.pos, error.lineno, error.colno)
    else:
        return
    for name, fragments in fragmentations(text, seed):
        ours = error_of(value_of, Parser(), fragments)
        assert ours is not None, name
        assert (ours.msg, ours.pos, ours.lineno, ours.colno) == right, name
    ours = error_of(fragjson.loads, text, allow_partial=False)
    assert ours is not None
    assert (ours.msg, ours.pos, ours.lineno, ours.colno, ours.doc) == (*right, text)


@given(texts | strategies.as_bytes(texts))
@strategies.examples(100)
def test_loads_agrees_with_its_reference_whatever_may_show(text: str | bytes) -> None:
    for allowed in (True, False, "off", "on", "trailing-strings", *map(Allow, (1, 511))):
        ours = loaded(fragjson.loads, text, allow_partial=allowed)
        assert ours == loaded(loads_of_reference, text, allow_partial=allowed), allowed


@given(st.integers(-(10**60), 10**60), st.floats())
@strategies.examples(100)
def test_integers_of_any_size_and_floats_are_exact(whole: int, real: float) -> None:
    text = json.dumps([whole, real])
    for fragments in (units(text), [text]):
        assert exactly(values_while_fed(fragments)[-1]) == exactly([whole, real])


def test_an_integer_with_more_digits_than_the_interpreter_converts_is_a_limit() -> None:
    digits = "7" * (sys.get_int_max_str_digits() + 1)
    with pytest.raises(ValueError, match="digits") as right:
        json.loads(digits)
    for _, fragments in fragmentations(f"[{digits}]"):
        error = error_of(feed_all, Parser(), fragments)
        assert type(error) is LimitExceededError
        assert error.msg == str(right.value)
        assert (error.pos, error.stopped_at) == (1, 1 + len(digits))
    parser = Parser()
    parser.feed(digits)
    with pytest.raises(LimitExceededError):
        parser.close()
    assert Parser(parse_int=len).feed(f"[{digits}]") == ()
    assert fragjson.loads(digits, parse_int=len) == len(digits)
    assert fragjson.loads(digits[1:]) == int(digits[1:])


# 4. Three ends, told apart


@given(strategies.documents())
@strategies.examples(100)
def test_a_whole_document_is_complete(text: str) -> None:
    parser = Parser()
    parser.feed(text + " ")
    assert parser.status == "complete"
    assert parser.is_complete()
    assert parser.error is None
    assert exactly(parser.close()) == exactly(parser.value)


@given(st.lists(whole_texts, min_size=1, max_size=3), seeds)
@strategies.examples(100)
def test_a_cut_document_is_incomplete_and_stays_as_it_is(parts: list[str], seed: int) -> None:
    text = f"[{','.join(parts)}]"
    cut = text[: seed % len(text)]
    with pytest.raises(json.JSONDecodeError) as right:
        json.loads(cut)
    for name, fragments in fragmentations(cut, seed):
        parser = Parser()
        for fragment in fragments:
            parser.feed(fragment)
        before = (exactly(parser.value), parser.status)
        assert parser.status in ("empty", "partial")
        with pytest.raises(IncompleteJSONError) as caught:
            parser.close()
        error = caught.value
        assert (error.msg, error.pos) == (right.value.msg, right.value.pos), name
        assert error.stopped_at == len(cut)
        assert (exactly(parser.value), parser.status) == before
        assert exactly(error.value) == exactly(parser.value)


@given(strategies.damaged_documents())
@strategies.examples(200)
def test_malformed_text_is_refused_at_its_first_impossible_character_and_not_before(
    text: str,
) -> None:
    parser = Parser()
    oracle = Reference()
    follow(oracle, [text])
    if oracle.fault is None:
        parser.feed(text)
        assert parser.error is None
        return
    impossible = oracle.fault.stopped_at
    for char in text[:impossible]:
        parser.feed(char)
    assert parser.pos == impossible
    with pytest.raises(MalformedJSONError) as caught:
        parser.feed(text[impossible])
    assert caught.value.stopped_at == impossible
    assert caught.value.pos == oracle.fault.pos


@given(strategies.damaged_documents() | strategies.damaged_bytes(), seeds)
@strategies.examples(100)
def test_what_was_certain_before_the_fault_stays_readable_and_the_error_tells_its_events(
    data: str | bytes, seed: int
) -> None:
    oracle = Reference(events=EVERY_EVENT)
    right = follow(oracle, [data])
    assume(oracle.fault is not None)
    for name, fragments in fragmentations(data, seed):
        parser = Parser(events=EVERY_EVENT)
        ours = follow(parser, fragments)
        assert ours.total["events"] == right.total["events"], name
        error = parser.error
        assert isinstance(error, MalformedJSONError)
        assert exactly(parser.value) == exactly(error.value) == right.total["value"]
        assert parser.status == "invalid"
        assert parser.path == error.path == oracle.path


@given(strategies.damaged_documents(), st.sampled_from(["", " ", "]", '"', "x"]))
@strategies.examples(50)
def test_every_later_feed_and_close_raise_an_equal_and_fresh_error(text: str, more: str) -> None:
    parser = Parser(events=EVERY_EVENT)
    first = error_of(parser.feed, text)
    assume(first is not None)
    kept = [first, parser.error, parser.error]
    errors = [*kept, error_of(parser.feed, more), error_of(parser.close), error_of(parser.close)]
    for error in errors:
        assert type(error) is MalformedJSONError
        assert error == first
        assert exactly(error.value) == exactly(first.value)
    for error in kept:
        assert exactly(plain_events(error.events)) == exactly(plain_events(first.events))
    assert [error.events for error in errors[len(kept) :]] == [(), (), ()]  # told already
    assert len({id(error) for error in errors}) == len(errors)


# 5. Linear


@pytest.mark.parametrize("letter", ["x", "é", "水", "😀", "\\n", "\\u6c34"])
def test_a_growing_string_is_not_copied_at_each_feed_though_its_value_is_read(letter: str) -> None:
    feeds = 20_000
    parser = Parser()
    parser.feed('{"text":"')
    moves = 0
    before = id(parser.value["text"])
    for _ in range(feeds):
        parser.feed(letter)
        now = id(parser.value["text"])
        moves += now != before
        before = now
    assert len(parser.value["text"]) == feeds
    assert moves < feeds // 20


def test_the_parts_that_are_closed_are_the_same_objects_whenever_the_value_is_read() -> None:
    parser = Parser()
    parser.feed('{"rows":[')
    root = parser.value
    rows = root["rows"]
    seen: list[Any] = []
    for number in range(1000):
        parser.feed(f'{{"id":{number}')
        parser.feed('},"later"' if number == -1 else "},")
        assert parser.value is root
        assert root["rows"] is rows
        seen.append(rows[-1])
    assert all(now is then for now, then in zip(rows, seen, strict=True))


@pytest.mark.parametrize("keep", ["rows", "text"])
def test_feeding_allocates_in_proportion_to_the_fragment(keep: str) -> None:
    """Peak memory of the last feeds of a large document is that of the first, not more."""
    piece = '{"id":1,"name":"abc"},' if keep == "rows" else "lorem ipsum "
    parser = Parser()
    parser.feed('{"v":[' if keep == "rows" else '{"v":"')
    peaks = []
    tracemalloc.start()
    try:
        for _ in range(4):
            for _ in range(2000):
                parser.feed(piece)
            highest = []
            for _ in range(50):
                tracemalloc.reset_peak()
                before = tracemalloc.get_traced_memory()[0]
                parser.feed(piece)
                highest.append(tracemalloc.get_traced_memory()[1] - before)
            peaks.append(sorted(highest)[len(highest) // 2])
    finally:
        tracemalloc.stop()
    assert len(parser.value["v"]) > 8000
    assert peaks[-1] <= 4 * max(peaks[0], 256)


# 6. Bounded


@given(st.integers(1, 8), st.text("[{", min_size=1, max_size=20))
@strategies.examples(100)
def test_depth_is_limited_everywhere_alike(limit: int, brackets: str) -> None:
    text = brackets.replace("{", '{"a":')
    opened = [at for at, char in enumerate(text) if char in "[{"]
    for name, fragments in fragmentations(text):
        error = error_of(feed_all, Parser(max_depth=limit), fragments)
        if len(opened) <= limit:
            assert error is None, name
        else:
            assert isinstance(error, LimitExceededError)
            assert isinstance(error, RecursionError)
            assert error.pos == error.stopped_at == opened[limit], name


@given(strategies.inputs(), st.integers(0, 60), seeds)
@strategies.examples(100)
def test_input_is_consumed_exactly_up_to_max_bytes(data: Any, limit: int, seed: int) -> None:
    whole = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    oracle = Reference(max_bytes=limit)
    right = follow(oracle, [data])
    for name, fragments in fragmentations(data, seed):
        total = follow(Parser(max_bytes=limit), fragments).total
        assert {**total, "unused": ""} == {**right.total, "unused": ""}, name
        if total.get("fault") == "limit":
            assert len(whole) > limit
            assert total["msg"] == "More than max_bytes"


@given(strategies.texts(), st.integers(1, 8), seeds)
@strategies.examples(100)
def test_strings_keys_and_numbers_are_consumed_exactly_up_to_max_string(
    text: str, limit: int, seed: int
) -> None:
    right = follow(Reference(max_string=limit), [text])
    for name, fragments in fragmentations(text, seed):
        total = follow(Parser(max_string=limit), fragments).total
        assert {**total, "unused": ""} == {**right.total, "unused": ""}, name


@given(st.lists(st.binary(max_size=12) | st.text(st.characters(), max_size=12), max_size=8))
@strategies.examples(200)
@example([codecs.BOM_UTF8[:2], "\ufeff"])
@example([b"\xff\xfe[\x00"])
def test_nothing_but_a_json_decode_error_escapes_on_any_input(fragments: list[Data]) -> None:
    parser = Parser(events=EVERY_EVENT)
    refused = [error_of(parser.feed, fragment) for fragment in fragments]
    assert (parser.status == "invalid") is any(refused)
    for error in (*refused, error_of(parser.close)):
        assert error is None or error.pos <= error.stopped_at
    for fragment in fragments:
        outcome = loaded(fragjson.loads, fragment)
        assert outcome.keys() & {"result", "fault"}


def test_the_text_is_kept_only_on_request() -> None:
    def grown(**options: Any) -> int:
        parser = Parser(**options)
        parser.feed("[1")
        tracemalloc.start()
        try:
            for size in range(1000):
                parser.feed(" " * size)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert grown(keep_text=False) < 5_000
    assert grown(keep_text=True) > 50_000


@given(texts, seeds)
@strategies.examples(50)
def test_the_text_that_is_kept_is_what_was_fed(text: str, seed: int) -> None:
    for name, fragments in fragmentations(text, seed):
        parser = Parser(keep_text=True)
        error = error_of(feed_all, parser, fragments)
        if error is None:
            assert exactly(parser.text) == exactly(text), name
        else:
            assert text.startswith(parser.text)
            assert error.doc[error.pos] in (text[error.pos], "\ufffd")
