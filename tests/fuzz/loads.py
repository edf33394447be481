"""``loads`` is ``json.loads`` on whole documents, and on all others what the reference says.

Same value to the type and sign, or the same message at the same position; on cut and malformed
text, with any ``allow_partial``, the reference's result or error; and nothing raised but those and
``UnicodeDecodeError``.
"""

# ruff: noqa: PT017 - not run by pytest

from fuzzing import Choices, main  # isort: split

import json
from typing import Any

import reference
from comparison import exactly, loaded

import fragjson

ALLOWED: list[Any] = [True, False, "off", "on", "trailing-strings"]


def test(data: bytes) -> None:
    choices = Choices(data)
    allowed = choices.upto(260)
    options: dict[str, Any] = {
        "allow_partial": ALLOWED[allowed] if allowed < 5 else fragjson.Allow(allowed * 2 % 512),
        "strict": choices.chance(),
    }
    raw = choices.rest()[:8192]
    inputs: list[Any] = [raw]
    text = raw.decode("utf-8", "replace")
    inputs += [text, bytearray(raw), memoryview(raw)]
    for each in inputs:
        ours = loaded(fragjson.loads, each, **options)
        if isinstance(each, (str, bytes)):
            right = loaded(reference.loads, each, **options)
            assert ours == right, (each, options, ours, right)
    whole = loaded(fragjson.loads, text, allow_partial=False)
    try:
        its: Any = {"result": exactly(json.loads(text))}
    except json.JSONDecodeError as error:
        assert whole.get("msg") == error.msg, (text, whole, error)
        assert whole["error pos"][:3] == (error.pos, error.lineno, error.colno), (text, whole)
    except RecursionError:
        pass
    except ValueError:  # more digits than the interpreter takes
        assert whole["fault"] == "limit"
    else:
        assert whole == its, (text, whole, its)


if __name__ == "__main__":
    main(test)
