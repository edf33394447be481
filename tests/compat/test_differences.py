"""The shims give what the originals give, but for the differences that are listed."""

import json

import pytest
import reference
from comparison import exactly
from differences import (
    ALLOWED,
    ALLOWED_DIFFERENCES,
    CORPORA,
    MODES,
    RAW_PAIR,
    Allowed,
    Difference,
    Mode,
    Text,
    allowed,
    differences,
    is_malformed,
    texts_for,
)
from hypothesis import given
from hypothesis import strategies as st
from strategies import cut_bytes, damaged_bytes, examples, texts

from fragjson import loads
from fragjson.compat.partial_json_parser import (
    Allow,
    JSONDecodeError,
    ensure_json,
    fix,
    parse_json,
)

NAMED = {mode.name: mode for mode in MODES}
NUMBER_CUT = (".", "e", "E", "+", "-")


def check(mode: Mode, text: Text) -> None:
    for difference in differences(mode, [text]):
        assert allowed(difference) is not None, difference
        assert_that_ours_is_right(difference)


def assert_that_ours_is_right(difference: Difference) -> None:
    """Where they differ, ours is what the oracle of the parser's own tests says."""
    mode, text, _, ours = difference
    if is_malformed(text, mode):
        assert ours.kind in ("MalformedJSON", "ValueError")
    elif isinstance(text, str) and not mode.completes and not text.endswith(NUMBER_CUT):
        # Of a number that ends so the oracle shows nothing; to show its digits is the original's.
        kinds = int(mode.options["allow_partial"])
        assert ours.value == exactly(reference.loads(text, allow_partial=kinds))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_every_beginning_of_every_text_gives_what_the_original_gives(mode: Mode) -> None:
    for corpus in CORPORA.values():
        for text in texts_for(mode, corpus):
            check(mode, text)


@examples(60)
@given(texts(), st.sampled_from([mode for mode in MODES if not mode.is_jiter]))
def test_any_text_gives_what_partial_json_parser_gives(text: str, mode: Mode) -> None:
    check(mode, text)


@examples(60)
@given(
    texts().map(lambda text: text.encode("utf-8", "surrogatepass")) | damaged_bytes() | cut_bytes(),
    st.sampled_from([mode for mode in MODES if mode.is_jiter]),
)
def test_any_bytes_give_what_jiter_gives(data: bytes, mode: Mode) -> None:
    check(mode, data)


@pytest.mark.parametrize(
    "entry",
    [entry for entries in ALLOWED_DIFFERENCES.values() for entry in entries],
    ids=lambda entry: entry.name,
)
def test_what_is_allowed_to_differ_does(entry: Allowed) -> None:
    mode = NAMED[entry.mode]
    assert mode.compare(entry.text) == (entry.theirs, entry.ours)
    difference = Difference(mode, entry.text, entry.theirs, entry.ours)
    assert allowed(difference) is entry
    assert_that_ours_is_right(difference)
    assert entry.why


@pytest.mark.parametrize("rest", ["", "u", "ud83d", "ud83d\\", "ud83d\\ude0", "ud83d\\ude00", "n"])
def test_a_backslash_before_the_cut_is_an_escape_or_escaped(rest: str) -> None:
    for count in range(40):
        text = '["' + "\\" * count + rest
        assert exactly(json.loads(ensure_json(text))) == exactly(parse_json(text))


@pytest.mark.parametrize("rest", ["\ud83d", "\ud83d\\", "\ud83d\\ude0", "a\ud83db"])
def test_a_raw_half_before_the_cut_is_left_out_until_it_is_lone(rest: str) -> None:
    assert exactly(json.loads(ensure_json(f'["{rest}'))) == exactly(parse_json(f'["{rest}'))


@examples(80)
@given(texts(), st.sampled_from(ALLOWED))
def test_a_completed_text_says_what_the_cut_one_does(text: str, allow: Allow) -> None:
    try:
        value = parse_json(text, allow)
    except JSONDecodeError as error:
        if error.msg == "Invalid control character at":
            return  # left to the next parser, who does not see what is left out
        with pytest.raises(type(error)):
            json.loads(ensure_json(text, allow))
    else:
        head, tail = fix(text, allow)
        assert exactly(loads(head + tail, allow_partial=False)) == exactly(value)
        assert text.startswith(head)
        if not RAW_PAIR.search(text):  # which only loads joins
            assert exactly(parse_json(text, allow, parser=json.loads)) == exactly(value)
