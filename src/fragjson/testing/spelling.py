"""How JSON can be spelled in ways that no encoder writes: what tests of parsers draw from."""

__all__ = [
    "CONSTANTS",
    "ESCAPES",
    "LITERALS",
    "LONE_ESCAPED",
    "LONE_RAW",
    "MIXED_HALVES",
    "NUMBERS",
]

LITERALS = ["true", "false", "null"]
CONSTANTS = ["NaN", "Infinity", "-Infinity"]
"""No JSON, but Python's."""
NUMBERS = [
    "0", "-0", "7", "-12", "1234567890", "18446744073709551616", "-9223372036854775809",
    "8888888888888888888888888888888887", "0.1", "-0.0", "1.5e3", "2E-7", "1e+2", "1e400", "-1e400",
    "1e-400", "123456789.123456789", "0.000001", "5e-324", "1.7976931348623157e308", "10E0",
]  # fmt: skip
ESCAPES = [
    r"\"", r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t", r"\u0041", r"\u00e9", r"\u00E9",
    r"\u6c34", r"\u0000", r"\uFFFF", r"\ud83d\ude00", r"\uD83D\uDE00",
]  # fmt: skip
LONE_ESCAPED = [
    r"\ud83d", r"\ude00", r"\uDBFF", r"\ud83d\ud83d\ude00", r"\ude00\ud83d", r"\ud83d\u0041",
    r"\ud83d\n",
]  # fmt: skip
"""Halves of surrogate pairs that are not, or not all, part of one."""
LONE_RAW = ["\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d", "\ud83d\ud83d\ude00"]
"""The same as characters of ``str``."""
MIXED_HALVES = ["\\ud83d\ude00", "\ud83d\\ude00"]
"""One half escaped, the other one not."""
