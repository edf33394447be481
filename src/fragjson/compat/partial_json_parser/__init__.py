"""partial-json-parser's names over this engine, in the modules where the original has them.

Same values as partial-json-parser, which shows everything early by default, numbers and literals,
too; ``Allow`` holds kinds back. The errors are this package's own under the original's names.

>>> loads('{"city": "Oslo", "days": 12, "warm": tr')
{'city': 'Oslo', 'days': 12, 'warm': True}
>>> loads('{"city": "Oslo", "days": 12, "warm": tr', STR | OBJ)
{'city': 'Oslo', 'days': 12}
>>> loads('{"city": "Oslo" "days": 12')
Traceback (most recent call last):
    ...
fragjson.MalformedJSONError: Expecting ',' delimiter: line 1 column 17 (char 16)
"""

from fragjson.compat.partial_json_parser.core.api import JSON, ensure_json, parse_json
from fragjson.compat.partial_json_parser.core.complete import fix
from fragjson.compat.partial_json_parser.core.exceptions import (
    JSONDecodeError,
    MalformedJSON,
    PartialJSON,
)
from fragjson.compat.partial_json_parser.core.myelin import fix_fast
from fragjson.compat.partial_json_parser.core.options import (
    _INFINITY,
    ALL,
    ARR,
    ATOM,
    BOOL,
    COLLECTION,
    INF,
    INFINITY,
    NAN,
    NULL,
    NUM,
    OBJ,
    SPECIAL,
    STR,
    Allow,
)

__all__ = [
    "ALL",
    "ARR",
    "ATOM",
    "BOOL",
    "COLLECTION",
    "INF",
    "INFINITY",
    "JSON",
    "NAN",
    "NULL",
    "NUM",
    "OBJ",
    "SPECIAL",
    "STR",
    "_INFINITY",
    "Allow",
    "JSONDecodeError",
    "MalformedJSON",
    "PartialJSON",
    "decode",
    "ensure_json",
    "fix",
    "fix_fast",
    "loads",
    "parse_json",
]

loads = decode = parse_json
