"""The verdict table, row by row."""

import pytest

from fragjson.toolcalls.verdict import CallStatus, State, Word, verdict

C, U, I, X = CallStatus.COMPLETE, CallStatus.UNCONFIRMED, CallStatus.INCOMPLETE, CallStatus.INVALID  # noqa: E741

TABLE = {
    # word, closed, last: whole, blank, partial, malformed
    (Word.SUCCESS, False, False): (C, C, I, X),
    (Word.SUCCESS, False, True): (C, C, I, X),
    (Word.SUCCESS, True, True): (C, C, I, X),
    (Word.CUT, False, False): (C, I, I, X),
    (Word.CUT, True, False): (C, C, I, X),
    (Word.CUT, False, True): (I, I, I, X),
    (Word.CUT, True, True): (I, I, I, X),
    (Word.REFUSED, False, False): (I, I, I, X),
    (Word.REFUSED, False, True): (I, I, I, X),
    (Word.REFUSED, True, False): (C, I, I, X),
    (Word.REFUSED, True, True): (C, I, I, X),
    (Word.NONE, False, True): (U, I, I, X),
    (Word.NONE, True, True): (U, I, I, X),
}
STATES = (State.WHOLE, State.BLANK, State.PARTIAL, State.MALFORMED)


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_table(row: tuple[Word, bool, bool]) -> None:
    word, closed, last = row
    found = tuple(verdict(state, word, closed=closed, last=last) for state in STATES)
    assert found == TABLE[row]
