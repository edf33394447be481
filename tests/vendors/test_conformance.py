"""Every adapter passes the same checks, each on streams written in its vendor's way."""

import json
from itertools import combinations

import pytest

from fragjson import vendors
from fragjson.testing import CHECKS, WRITERS
from fragjson.testing.expecting import ARGUMENTS, PIECES


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("writer", WRITERS)
def test_conformance(writer: str, check: str) -> None:
    CHECKS[check](WRITERS[writer])


def test_every_vendor_has_a_writer() -> None:
    written = {vendors.adapter(writer.vendor) for writer in WRITERS.values()}
    assert written == set(map(vendors.adapter, vendors.names()))


def test_no_piece_of_the_arguments_can_be_missing_or_come_twice() -> None:
    assert json.loads("".join(PIECES)) == ARGUMENTS
    for kept in range(len(PIECES)):
        for pieces in combinations(PIECES, kept):
            with pytest.raises(ValueError, match=":"):
                json.loads("".join(pieces))
    for start, end in combinations(range(len(PIECES) + 1), 2):
        with pytest.raises(ValueError, match=":"):
            json.loads("".join([*PIECES[:end], *PIECES[start:end], *PIECES[end:]]))
