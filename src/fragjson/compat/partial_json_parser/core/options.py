"""``Allow`` and its members by name, for ``from ....core.options import STR, OBJ``."""

from fragjson._types import Allow

__all__ = [
    "ALL",
    "ARR",
    "ATOM",
    "BOOL",
    "COLLECTION",
    "INF",
    "INFINITY",
    "NAN",
    "NULL",
    "NUM",
    "OBJ",
    "SPECIAL",
    "STR",
    "_INFINITY",
    "Allow",
]

STR = Allow.STR
NUM = Allow.NUM
ARR = Allow.ARR
OBJ = Allow.OBJ
NULL = Allow.NULL
BOOL = Allow.BOOL
NAN = Allow.NAN
INFINITY = Allow.INFINITY
_INFINITY = Allow._INFINITY
INF = Allow.INF
SPECIAL = Allow.SPECIAL
ATOM = Allow.ATOM
COLLECTION = Allow.COLLECTION
ALL = Allow.ALL
