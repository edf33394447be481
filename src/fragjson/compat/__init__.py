"""Other parsers' names over this engine: to move a program here, change its import.

jiter                  ``from_json`` and what stands beside it
partial_json_parser    ``loads``, ``ensure_json``, ``Allow`` and their kin, in its modules

They give what the originals give. Where they do not, the original shows malformed text as though
it were cut, or half a character; README.md beside this file tells. New code does better with
``fragjson.loads`` and ``fragjson.Parser``.
"""
