"""Hypothesis strategies for what a parser has to read: whole documents, damaged and cut ones.

documents(raw_halves=...)   whole documents, as ``json_texts`` of the test kit spells them
damaged_documents()         a few characters removed, put in, replaced or swapped: usually not
                            JSON any more
cut_documents()             the beginning of a document
inputs()                    any of these, as str or bytes
examples(count)             settings: that many examples, times FRAGJSON_HARDER if it is set
"""

import os

from generator import DAMAGE, DAMAGED_BYTES
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from fragjson.testing.strategies import cut_texts, json_texts

HARDER = int(os.environ.get("FRAGJSON_HARDER", "1"))


def examples(count: int) -> settings:
    return settings(
        max_examples=count * HARDER,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def documents(*, raw_halves: bool = True) -> st.SearchStrategy[str]:
    surrogates = "raw" if raw_halves else "escaped"
    return json_texts(max_depth=64, constants=True, surrogates=surrogates)


@st.composite
def damaged_documents(draw: st.DrawFn, *, raw_halves: bool = True) -> str:
    text = draw(documents(raw_halves=raw_halves))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(text)))
        removed = draw(st.integers(0, 2))
        damage = DAMAGE if raw_halves else [each for each in DAMAGE if not is_surrogate(each)]
        added = draw(st.sampled_from(["", *damage]))
        text = text[:at] + added + text[at + removed :]
    return text


def is_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def cut_documents(*, raw_halves: bool = True) -> st.SearchStrategy[str]:
    return cut_texts(documents(raw_halves=raw_halves)).map(lambda cut: cut.text)


def texts(*, raw_halves: bool = True) -> st.SearchStrategy[str]:
    return st.one_of(
        documents(raw_halves=raw_halves),
        damaged_documents(raw_halves=raw_halves),
        cut_documents(raw_halves=raw_halves),
    )


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    data = draw(documents()).encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(data)))
    return data[:at] + draw(st.sampled_from(DAMAGED_BYTES)) + data[at + draw(st.integers(0, 1)) :]


@st.composite
def cut_bytes(draw: st.DrawFn) -> bytes:
    bom = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    data = bom + draw(documents()).encode("utf-8", "surrogatepass")
    return data[: draw(st.integers(0, len(data)))]


def as_bytes(of_texts: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    return of_texts.map(lambda text: text.encode("utf-8", "surrogatepass"))


def inputs() -> st.SearchStrategy[str | bytes]:
    return st.one_of(texts(), as_bytes(texts()), damaged_bytes(), cut_bytes())
