"""When what is told of arguments that do not fit a JSON Schema.

A case is a name, a schema, the text of the arguments, and what is told of them: where and what, in
order. A ¦ in the text stands behind the character that proves it, one for each thing told; what has
none can be told only at the close.
"""

from typing import Any

Case = tuple[str, Any, str, list[tuple[str, str]]]


def of(a: Any, **more: Any) -> dict[str, Any]:
    """The schema of an object with a member ``a``."""
    return {"type": "object", "properties": {"a": a, **more}}


KINDS = of({"type": "integer"}, s={"type": "string"}, o={"type": "object"})
CLOSED = {**of({"type": "integer"}), "additionalProperties": False}
PATTERNED = {
    "properties": {"a": {"type": "integer"}},
    "patternProperties": {"^x": {"type": "string"}, "y$": {"maxLength": 2}},
    "additionalProperties": {"type": "boolean"},
}
TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["name"],
        }
    },
    "$ref": "#/$defs/node",
}
SHAPES = of(
    {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                "required": ["kind", "radius"],
            },
            {
                "type": "object",
                "properties": {"kind": {"const": "square"}, "side": {"type": "number"}},
                "required": ["kind", "side"],
            },
        ]
    }
)
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
NONE_OF_SHAPES = "fits none of: object with kind, radius; object with kind, side"

CASES: list[Case] = [
    # type: where the value starts.
    ("all is well", KINDS, '{"a": 1, "s": "", "o": {}, "z": 0}', []),
    ("string for integer", KINDS, '{"a":"¦x"}', [("$.a", "expected integer, not string")]),
    ("true for integer", KINDS, '{"a": t¦rue}', [("$.a", "expected integer, not boolean")]),
    ("null for integer", KINDS, '{"a":n¦ull}', [("$.a", "expected integer, not null")]),
    ("array for integer", KINDS, '{"a":[¦1]}', [("$.a", "expected integer, not array")]),
    ("object for integer", KINDS, '{"a":{¦"b":1}}', [("$.a", "expected integer, not object")]),
    ("number for string", KINDS, '{"s":-¦12}', [("$.s", "expected string, not number")]),
    ("NaN is a number", KINDS, '{"s":N¦aN}', [("$.s", "expected string, not number")]),
    ("infinity for integer", KINDS, '{"a":Infinity¦}', [("$.a", "expected integer, not inf")]),
    ("fraction for integer", KINDS, '{"a":1.5 ¦}', [("$.a", "expected integer, not 1.5")]),
    ("1.0 is an integer", KINDS, '{"a":1.0}', []),
    ("1e400 is no integer", KINDS, '{"a":1e400 ¦}', [("$.a", "expected integer, not inf")]),
    ("huge integer", KINDS, '{"a":' + "9" * 400 + "}", []),
    ("true is no number", of({"type": "number"}), '{"a":f¦alse}',
     [("$.a", "expected number, not boolean")]),
    ("array at the root", KINDS, "[¦]", [("", "expected object, not array")]),
    ("string at the root", KINDS, '"¦{}"', [("", "expected object, not string")]),
    ("number at the root", KINDS, " 1¦2", [("", "expected object, not number")]),
    ("null at the root is no arguments", KINDS, "null", []),
    ("one of two types", of({"type": ["string", "null"]}), '{"a":1¦}',
     [("$.a", "expected string or null, not number")]),
    ("two faults, in order", KINDS, '{"s":1¦,"a":"¦"}',
     [("$.s", "expected string, not number"), ("$.a", "expected integer, not string")]),
    ("deep inside", of({"items": {"properties": {"b c": {"type": "null"}}}}),
     '{"a":[{},{"b c":{¦}}]}', [('$.a[1]["b c"]', "expected null, not object")]),
    ("type of the member only", {"properties": {"a": {"type": "string"}}}, "[1]", []),
    # enum, const: at the first character that no constant has.
    ("enum", of({"enum": ["on", "off"]}), '{"a":"ou¦t"}', [("$.a", 'expected one of "on", "off"')]),
    ("enum ends too early", of({"enum": ["on", "off"]}), '{"a":"o"¦}',
     [("$.a", 'expected one of "on", "off"')]),
    ("enum goes on too long", of({"enum": ["on", "off"]}), '{"a":"ons¦"}',
     [("$.a", 'expected one of "on", "off"')]),
    ("enum of what is left", of({"enum": ["ab", "xc"]}), '{"a":"ac¦"}',
     [("$.a", 'expected one of "ab", "xc"')]),
    ("enum with an escape", of({"enum": ["é", "è"]}), r'{"a":"\u00ea¦"}',
     [("$.a", 'expected one of "é", "è"')]),
    ("enum without a string", of({"enum": [1, 2]}), '{"a":"¦1"}',
     [("$.a", "expected one of 1, 2")]),
    ("enum of numbers", of({"enum": [1, 2]}), '{"a":3,¦"b":0}', [("$.a", "expected one of 1, 2")]),
    ("1.0 is 1", of({"enum": [1]}), '{"a":1.0}', []),
    ("true is not 1", of({"enum": [1]}), '{"a":t¦rue}', [("$.a", "expected 1")]),
    ("false is not 0, though both are allowed types", of({"enum": [0, True]}), '{"a":false¦}',
     [("$.a", "expected one of 0, true")]),
    ("const", of({"const": "abc"}), '{"a":"abd¦"}', [("$.a", 'expected "abc"')]),
    ("const object is judged whole", of({"const": {"b": 1}}), '{"a":{"b":2}}',
     [("$.a", 'expected {"b": 1}')]),
    ("const of another type", of({"const": None}), '{"a":0¦}', [("$.a", "expected null")]),
    ("empty enum", of({"enum": []}), '{"a":0¦}', [("$.a", "expected ")]),
    # Strings: length in code points, and pattern.
    ("maxLength", of({"maxLength": 3}), '{"a":"abcd¦efg"}', [("$.a", "longer than 3 characters")]),
    ("maxLength counts code points", of({"maxLength": 2}), '{"a":"😀\\ud83d\\ude00"}', []),
    ("maxLength counts lone halves", of({"maxLength": 1}), '{"a":"\\ud83d\\ud83d\\ude00¦"}',
     [("$.a", "longer than 1 characters")]),
    ("maxLength of escapes", of({"maxLength": 1}), r'{"a":"\n\t¦\r"}',
     [("$.a", "longer than 1 characters")]),
    ("maxLength is for strings", of({"maxLength": 1}), '{"a":[1,2,3]}', []),
    ("minLength", of({"minLength": 2}), '{"a":"x"¦}', [("$.a", "shorter than 2 characters")]),
    ("pattern is searched for", of({"pattern": "b"}), '{"a":"abc"}', []),
    ("pattern", of({"pattern": "^b"}), '{"a":"abc"¦}', [("$.a", "does not match the pattern ^b")]),
    ("format is an annotation", of({"format": "email"}), '{"a":"nobody"}', []),
    ("length before constant", of({"allOf": [{"const": "abcdef"}, {"maxLength": 2}]}),
     '{"a":"abc¦x¦"}', [("$.a", "longer than 2 characters"), ("$.a", 'expected "abcdef"')]),
    ("constant before length", of({"allOf": [{"const": "abcdef"}, {"maxLength": 3}]}),
     '{"a":"x¦bcd¦"}', [("$.a", 'expected "abcdef"'), ("$.a", "longer than 3 characters")]),
    # Numbers: when they are whole.
    ("minimum", of({"minimum": 10}), '{"a":1,¦"b":2}',
     [("$.a", "1 is less than the minimum of 10")]),
    ("maximum", of({"maximum": 10}), '{"a":100}¦',
     [("$.a", "100 is greater than the maximum of 10")]),
    ("a digit more is within", of({"minimum": 10}), '{"a":12}', []),
    ("exclusiveMinimum", of({"exclusiveMinimum": 1}), '{"a":1.0}¦',
     [("$.a", "1.0 is less than or equal to the minimum of 1")]),
    ("exclusiveMaximum", of({"exclusiveMaximum": 1}), '{"a":1 ¦}',
     [("$.a", "1 is greater than or equal to the maximum of 1")]),
    ("multipleOf", of({"multipleOf": 5}), '{"a":12\n¦}', [("$.a", "12 is not a multiple of 5")]),
    ("range of a string", of({"minimum": 10}), '{"a":"1"}', []),
    # Objects.
    ("unknown property", CLOSED, '{"a":1,"b":"¦x"}', [("$.b", "unknown property")]),
    ("unknown property, a number", CLOSED, '{"b" : 1¦2}', [("$.b", "unknown property")]),
    ("unknown properties, each", CLOSED, '{"b":[¦],"c":{¦}}',
     [("$.b", "unknown property"), ("$.c", "unknown property")]),
    ("pattern properties", PATTERNED, '{"xa":t¦rue}', [("$.xa", "expected string, not boolean")]),
    ("pattern and pattern", PATTERNED, '{"xy":"abc¦"}', [("$.xy", "longer than 2 characters")]),
    ("additional properties", PATTERNED, '{"z":"¦"}', [("$.z", "expected boolean, not string")]),
    ("known, so not additional", PATTERNED, '{"a":1,"y":0}', []),
    ("closed with patterns", {"patternProperties": {"^x": {}}, "additionalProperties": False},
     '{"x":1,"ax":1¦}', [("$.ax", "unknown property")]),
    ("required", {"required": ["a", "b c"]}, '{"d":{}}¦¦',
     [("$.a", "required property is missing"), ('$["b c"]', "required property is missing")]),
    ("required is for objects", {"required": ["a"]}, "[]", []),
    ("minProperties", {"minProperties": 2}, '{"a":1}¦', [("", "fewer than 2 properties")]),
    ("maxProperties", {"maxProperties": 1}, '{"a":1,"b":"¦"}', [("", "more than 1 properties")]),
    ("dependentRequired", {"dependentRequired": {"a": ["b"]}}, '{"a":1}',
     [("", "'b' is a dependency of 'a'")]),
    ("propertyNames", {"propertyNames": {"maxLength": 1}}, '{"ab":1}',
     [("", "longer than 1 characters")]),
    ("unevaluatedProperties", {"properties": {"a": {}}, "unevaluatedProperties": False}, '{"b":1}',
     [("", "Unevaluated properties are not allowed ('b' was unexpected)")]),
    # Arrays.
    ("items", of({"items": {"type": "integer"}}), '{"a":[1,"¦x",3]}',
     [("$.a[1]", "expected integer, not string")]),
    ("prefixItems", of({"prefixItems": [{}, {"type": "null"}]}), '{"a":[1,2¦]}',
     [("$.a[1]", "expected null, not number")]),
    ("items after prefixItems", of({"prefixItems": [{}], "items": {"type": "null"}}),
     '{"a":[1,2¦]}', [("$.a[1]", "expected null, not number")]),
    ("no items after prefixItems", of({"prefixItems": [{}], "items": False}), '{"a":[1,2¦,[¦]]}',
     [("$.a[1]", "nothing is allowed here"), ("$.a[2]", "nothing is allowed here")]),
    ("maxItems", of({"maxItems": 1}), '{"a":[1,{¦},3]}', [("$.a", "more than 1 items")]),
    ("minItems", of({"minItems": 2}), '{"a":[1]¦}', [("$.a", "fewer than 2 items")]),
    ("uniqueItems", of({"uniqueItems": True}), '{"a":[1,1.0]}',
     [("$.a", "[1, 1.0] has non-unique elements")]),
    ("contains", of({"contains": {"const": 1}}), '{"a":[]}',
     [("$.a", "[] does not contain items matching the given schema")]),
    # Schemas for the same value.
    ("allOf", of({"allOf": [{"type": "string"}, {"maxLength": 1}]}), '{"a":"xy¦"}',
     [("$.a", "longer than 1 characters")]),
    ("anyOf, by type", of({"anyOf": [{"type": "string"}, {"type": "integer"}]}), '{"a":n¦ull}',
     [("$.a", "fits none of: string; integer")]),
    ("anyOf, one branch is left", of({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
     '{"a":"x"}', []),
    ("anyOf null or an object", of({"anyOf": [KINDS, {"type": "null"}]}), '{"a":{"a":"¦x"}}',
     [("$.a.a", "expected integer, not string")]),
    ("anyOf null or constants", of({"anyOf": [{"enum": ["on", "off"]}, {"type": "null"}]}),
     '{"a":"x¦"}', [("$.a", 'fits none of: one of "on", "off"; null')]),
    ("anyOf, ruled out one after the other",
     {"anyOf": [of({"type": "string"}, b={"type": "null"}),
                of({"type": "integer"}, b={"type": "null"})]},
     '{"a":1,"b":2¦}', [("", "fits none of: object; object")]),
    ("anyOf of one type, all ruled out",
     of({"anyOf": [{"type": "string", "maxLength": 1}, {"pattern": "^x"}]}), '{"a":"ab"¦}',
     [("$.a", "fits none of: string; something else")]),
    ("oneOf by its constant", SHAPES, '{"a":{"kind":"square","side":"¦x"}}',
     [("$.a.side", "expected number, not string")]),
    ("oneOf, what its constant requires", SHAPES, '{"a":{"kind":"square"}¦}',
     [("$.a.side", "required property is missing")]),
    ("oneOf, no constant", SHAPES, '{"a":{"kind":"o¦val"}}', [("$.a", NONE_OF_SHAPES)]),
    ("oneOf, more than one", of({"oneOf": [{"type": "integer"}, {"minimum": 0}]}), '{"a":1}¦',
     [("$.a", "fits more than one of the alternatives")]),
    ("oneOf, more than one object", {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
     '{"a":1,"b":2}', [("", "fits more than one of the alternatives")]),
    ("nested anyOf", of({"anyOf": [{"type": "null"},
                                   {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}]}),
     '{"a":"¦"}', [("$.a", "fits none of: null; something else")]),
    ("anyOf of objects", {"anyOf": [of({"type": "string"}), of({"type": "null"})]}, '{"a":1¦}',
     [("", "fits none of: object; object")]),
    ("not", of({"not": {"type": "string"}}), '{"a":"x"¦}',
     [("$.a", "'x' should not be valid under {'type': 'string'}")]),
    ("not, of an object", {"not": {"required": ["a"]}}, '{"a":1}',
     [("", "{'a': 1} should not be valid under {'required': ['a']}")]),
    ("if, then, else", {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]},
                        "else": {"required": ["c"]}},
     '{"a":1}', [("$.b", "required property is missing")]),
    # References.
    ("$ref", {"$defs": {"x": {"type": "integer"}}, **of({"$ref": "#/$defs/x"})}, '{"a":"¦"}',
     [("$.a", "expected integer, not string")]),
    ("$ref with escapes", {"$defs": {"x/y~": {"type": "null"}}, **of({"$ref": "#/$defs/x~1y~0"})},
     '{"a":"¦"}', [("$.a", "expected null, not string")]),
    ("$ref beside other words", {"$defs": {"x": {}}, **of({"$ref": "#/$defs/x", "type": "null"})},
     '{"a":"¦"}', [("$.a", "expected null, not string")]),
    ("$ref that is recursive", TREE, '{"name":"r","kids":[{"name":"s","kids":[{"name":1¦}]}]}',
     [("$.kids[0].kids[0].name", "expected string, not number")]),
    ("$ref, what each lacks", TREE, '{"kids":[{}¦]}¦',
     [("$.kids[0].name", "required property is missing"),
      ("$.name", "required property is missing")]),
    ("$ref to the root", {"properties": {"a": {"$ref": "#"}, "b": {"type": "null"}}},
     '{"a":{"a":{"b":1¦}}}', [("$.a.a.b", "expected null, not number")]),
    ("$anchor is left to the close",
     {"$defs": {"x": {"$anchor": "x", "type": "null"}}, **of({"$ref": "#x"})}, '{"a":1}',
     [("$.a", "expected null, not number")]),
    ("$id of its own is left to the close",
     of({"$id": "https://x.test/a", "type": "null"}), '{"a":1}',
     [("$.a", "expected null, not number")]),
    # Boolean schemas.
    ("nothing at all", False, "{¦}", [("", "nothing is allowed here")]),
    ("anything", True, '{"a":1}', []),
    ("no such member", of(False), '{"a":1¦}', [("$.a", "nothing is allowed here")]),
    # Older drafts.
    ("draft 7, items by place",
     {"$schema": DRAFT_7, **of({"items": [{"type": "null"}], "additionalItems": False})},
     '{"a":[null,1¦]}',
     [("$.a[1]", "nothing is allowed here")]),
    ("draft 7, $ref stands alone",
     {"$schema": DRAFT_7, "definitions": {"x": {}},
      **of({"$ref": "#/definitions/x", "type": "null"})},
     '{"a":1}', []),
    ("draft 7 knows no prefixItems", {"$schema": DRAFT_7, **of({"prefixItems": [False]})},
     '{"a":[1]}', []),
    ("draft 7, items of any number",
     {"$schema": DRAFT_7, **of({"additionalItems": False})}, '{"a":[1,2]}', []),
    ("draft 4 is left to the close, its types, too",
     {"$schema": "http://json-schema.org/draft-04/schema#", **of({"type": "null"})}, '{"a":1}',
     [("$.a", "expected null, not number")]),
    ("draft 4 is left to the close",
     {"$schema": "http://json-schema.org/draft-04/schema#",
      **of({"minimum": 1, "exclusiveMinimum": True})}, '{"a":1}',
     [("$.a", "1 is less than or equal to the minimum of 1")]),
    # Members that come again: the last one counts.
    ("mended", KINDS, '{"a":"¦x","a":1}', [("$.a", "expected integer, not string")]),
    ("spoilt", KINDS, '{"a":1,"a":"x"}', [("$.a", "expected integer, not string")]),
    ("spoilt twice is told once", KINDS, '{"a":"¦x","a":"y"}',
     [("$.a", "expected integer, not string")]),
    ("again, and nothing more is told early", KINDS, '{"z":1,"z":2,"a":"x"}',
     [("$.a", "expected integer, not string")]),
    ("again, in anyOf", {"anyOf": [of({"type": "string"}), of({"type": "integer"})]},
     '{"a":1,"a":"x"}', []),
]  # fmt: skip

MENDED = ("mended",)
"""Cases in which what was told does not hold in the end."""
