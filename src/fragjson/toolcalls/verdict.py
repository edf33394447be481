"""The verdict on a call: what its arguments are, against what the vendor said about their end.

That the text parses says nothing about whether the model had finished writing it. So a verdict
takes both: the state of the arguments, and the vendor's word. The table, row by row:

==================================  ================  ==================  =========
the vendor's word                   whole             blank or partial    malformed
==================================  ================  ==================  =========
success: the call's own close, or   complete          blank: complete;    invalid
a finish reason that means it                         partial: incomplete
cut: ``length``, ``max_tokens``     complete; the     incomplete (blank   invalid
                                    last one touched  as whole if its own
                                    is incomplete     close came before)
refused: filter, refusal, error     incomplete        incomplete          invalid
                                    (complete if its
                                    own close came
                                    before)
none: the stream just ends          unconfirmed       incomplete          invalid
==================================  ================  ==================  =========

Cancelling is not in it: whatever has no verdict yet is then aborted. Nor is what a schema says:
where calls are checked against the schemas of their tools, what would be complete or unconfirmed
and does not fit is invalid.
"""

from enum import Enum, StrEnum, auto

__all__ = ["CallStatus", "State", "Word", "verdict"]


class CallStatus(StrEnum):
    """How far a call is. Each member is a ``str``, so ``status == "complete"`` works too."""

    STREAMING = "streaming"
    """No verdict yet; more may come."""
    COMPLETE = "complete"
    """Whole, and the vendor said so. The only status whose arguments may be run."""
    UNCONFIRMED = "unconfirmed"
    """Whole, but the stream ended without any word that the model had finished."""
    INCOMPLETE = "incomplete"
    """Cut: the text ended early, or the vendor said that the output was cut or refused."""
    INVALID = "invalid"
    """Not JSON, two different sets of arguments for one call, or not what the tool takes."""
    ABORTED = "aborted"
    """Cancelled in flight, or taken back by the vendor."""


class State(Enum):
    """What the arguments of a call are at this moment."""

    BLANK = auto()
    """No argument text, only white space, or a bare ``null``: how servers send no arguments."""
    PARTIAL = auto()
    WHOLE = auto()
    MALFORMED = auto()


class Word(Enum):
    """What the vendor said about the end of a call or of a whole response."""

    SUCCESS = auto()
    CUT = auto()
    REFUSED = auto()
    NONE = auto()


# Bound once: reading a member from its class costs more than a call (in 3.11).
_BLANK, _PARTIAL, _WHOLE, _MALFORMED = State
_SUCCESS, _CUT, _REFUSED, _NONE = Word


def verdict(state: State, word: Word, *, closed: bool = False, last: bool = False) -> CallStatus:
    """Give the status a call ends with.

    Args:
        state: what its arguments are.
        word: the vendor's word on it.
        closed: the vendor had closed this very call before.
        last: it was the last call to be written to, so a cut response was cut inside it.

    >>> verdict(State.WHOLE, Word.CUT, last=True)
    <CallStatus.INCOMPLETE: 'incomplete'>
    """
    if state is _MALFORMED:
        return CallStatus.INVALID
    if state is _PARTIAL:
        return CallStatus.INCOMPLETE
    if word is _SUCCESS or (word is _CUT and not last and (state is _WHOLE or closed)):
        return CallStatus.COMPLETE
    if state is _BLANK:
        return CallStatus.INCOMPLETE
    if word is _NONE:
        return CallStatus.UNCONFIRMED
    return CallStatus.COMPLETE if word is _REFUSED and closed else CallStatus.INCOMPLETE
