"""Tools as users have them: mappings of schemas, and the definitions that went to each vendor."""

import sys
from types import SimpleNamespace
from typing import Any

import anthropic
import openai
import pytest
from chat import whole
from google.genai import types as genai
from pydantic import BaseModel, TypeAdapter

from fragjson.toolcalls import Accumulator, ToolCall
from fragjson.toolcalls.schema.openapi_schema import as_json_schema
from fragjson.toolcalls.schema.tool_definitions import definitions_in

SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}
UPPER = {"type": "OBJECT", "properties": {"port": {"type": "STRING"}}, "required": ["port"]}


class Tides(BaseModel):
    port: str


@anthropic.beta_tool
def tides_of_anthropic(port: str) -> str:
    """Say when high water is.

    Args:
        port: where.
    """
    return port


def declared(**schema: Any) -> dict[str, Any]:
    return {"functionDeclarations": [{"name": "tides", **schema}]}


TOOLS: dict[str, Any] = {
    "schema": {"tides": SCHEMA},
    "model": {"tides": Tides},
    "adapter": {"tides": TypeAdapter(Tides)},
    "mapping of definitions": {"tides": {"name": "other", "input_schema": SCHEMA}},
    "OpenAI Chat": [
        {"type": "function", "function": {"name": "tides", "parameters": SCHEMA, "strict": True}}
    ],
    "OpenAI Chat, by its SDK": [openai.pydantic_function_tool(Tides, name="tides")],
    "OpenAI Responses": [{"type": "function", "name": "tides", "parameters": SCHEMA}],
    "OpenAI Responses, an object": [
        openai.types.responses.FunctionTool(
            type="function", name="tides", parameters=SCHEMA, strict=True
        )
    ],
    "OpenAI, a namespace": [
        {"type": "namespace", "name": "sea", "description": "",
         "tools": [{"type": "function", "name": "tides", "parameters": SCHEMA}]}
    ],
    "OpenAI, the legacy functions": [{"name": "tides", "parameters": SCHEMA}],
    "Anthropic": ({"name": "tides", "description": "", "input_schema": SCHEMA},),
    "Anthropic, an object": [
        anthropic.types.beta.BetaToolParam(name="tides", input_schema=SCHEMA, type="custom")
    ],
    "Bedrock": [{"toolSpec": {"name": "tides", "inputSchema": {"json": SCHEMA}}}],
    "Bedrock, without the json": [{"toolSpec": {"name": "tides", "inputSchema": SCHEMA}}],
    "MCP": [{"name": "tides", "description": "", "inputSchema": SCHEMA}],
    "MCP, an object": [SimpleNamespace(name="tides", inputSchema=SCHEMA, outputSchema=None)],
    "LangChain, an object": [SimpleNamespace(name="tides", args_schema=Tides)],
    "Gemini": [declared(parameters=UPPER)],
    "Gemini, JSON Schema": [declared(parametersJsonSchema=SCHEMA)],
    "Gemini, a declaration": [{"name": "tides", "parameters": UPPER}],
    "Gemini, an object": [
        genai.Tool(
            function_declarations=[
                genai.FunctionDeclaration(
                    name="tides",
                    parameters=genai.Schema(
                        type=genai.Type.OBJECT,
                        properties={"port": genai.Schema(type=genai.Type.STRING)},
                        required=["port"],
                    ),
                )
            ]
        )
    ],
    "Gemini, an object with JSON Schema": [
        genai.Tool(
            function_declarations=[
                genai.FunctionDeclaration(name="tides", parameters_json_schema=SCHEMA)
            ]
        )
    ],
    "Gemini, a model": [
        genai.Tool(
            function_declarations=[
                genai.FunctionDeclaration(name="tides", parameters_json_schema=Tides)
            ]
        )
    ],
}  # fmt: skip


def called(name: str, text: str, tools: Any) -> ToolCall:
    accumulator = Accumulator("openai_chat", tools=tools)
    chunks = whole(text)
    chunks[0]["choices"][0]["delta"]["tool_calls"][0]["function"]["name"] = name
    for chunk in chunks:
        accumulator.feed(chunk)
    return accumulator.calls[0]


@pytest.mark.parametrize("tools", TOOLS.values(), ids=TOOLS)
def test_tools_of_every_shape(tools: Any) -> None:
    fine = called("tides", '{"port": "Tromsø"}', tools)
    assert (fine.status, fine.violations) == ("complete", [])
    for text, path in (('{"port": [1]}', ("port",)), ("{}", ("port",))):
        wrong = called("tides", text, tools)
        assert wrong.status == "invalid"
        assert [each.path for each in wrong.violations] == [path]
    assert called("tide", '{"port": "x"}', tools).status == "invalid"


def test_tool_made_of_a_function() -> None:
    wrong = called("tides_of_anthropic", '{"port": 1}', [tides_of_anthropic])
    assert [each.message for each in wrong.violations] == ["expected string, not number"]


def test_tools_without_a_schema_are_known_and_take_anything() -> None:
    tools = [
        {"type": "custom", "custom": {"name": "sql"}},
        {"type": "custom", "name": "grammar", "format": {"type": "text"}},
        {"type": "bash_20250124", "name": "bash"},
        {"type": "function", "function": {"name": "ping"}},
        {"type": "function", "name": "pong", "parameters": None},
        {"type": "web_search"},
        {"googleSearch": {}},
        genai.Tool(google_search=genai.GoogleSearch()),
        declared(),
    ]
    names = ["sql", "grammar", "bash", "ping", "pong", "tides"]
    assert [(name, schema) for _, name, schema in definitions_in(tools)] == [
        (name, True) for name in names
    ]
    for name in names:
        assert called(name, '{"x": 1}', tools).status == "complete"
    assert called("web_search", "{}", tools).status == "invalid"


# What is refused


@pytest.mark.parametrize(
    ("tools", "error", "message"),
    [
        (5, TypeError, "tools: a mapping or a list of tools, not int"),
        ("tides", TypeError, "tools: a mapping or a list of tools, not str"),
        ([5], TypeError, r"tools\[0\]: not the definition of a tool, but int"),
        ([print], TypeError, r"tools\[0\]: not the definition of a tool"),
        ([Tides], TypeError, r"tools\[0\]: not the definition of a tool"),
        ([{}], TypeError, r"tools\[0\]: not the definition of a tool, but dict"),
        ([{"parameters": SCHEMA}], TypeError, r"tools\[0\]: not the definition of a tool"),
        ([{"input_schema": {}}], ValueError, r"tools\[0\]: the tool has no name"),
        ([{"type": "function", "function": {"name": ""}}], ValueError, "the tool has no name"),
        ([{"functionDeclarations": [{"description": "x"}]}], ValueError,
         r"tools\[0\].functionDeclarations\[0\]: the tool has no name"),
        *(
            ([{"name": "f", word: SCHEMA}], TypeError,
             rf"tools\[0\]: a schema is looked for in 'parameters', not in '{word}'")
            for word in ("schema", "params", "parameter", "arguments")
        ),
        ([{"type": "function", "name": "f", "schema": SCHEMA}], TypeError, "not in 'schema'"),
        ([{"type": "function", "function": {"name": "f", "input_schema": SCHEMA}}], TypeError,
         "looked for in 'parameters', not in 'input_schema'"),
        ([SCHEMA], TypeError, r"tools\[0\]: a schema, and no name: write {name: schema}"),
        ([{"f": SCHEMA}], TypeError, r"tools\[0\]: not the definition of a tool"),
        ({1: {}}, TypeError, r"tools\[1\]: a name is a str, not int"),
        ({"f": None}, TypeError, r"tools\['f'\] \(f\): a schema is a dict, .* not NoneType"),
        ({"f": int}, TypeError, r"\(f\): a schema is a dict, a pydantic model or a TypeAdapter"),
        ([*TOOLS["Anthropic"], *TOOLS["Gemini"]], ValueError,
         r"tools\[1\].functionDeclarations\[0\]: another tool is named 'tides'"),
    ],
)  # fmt: skip
def test_what_is_no_collection_of_tools_is_refused(
    tools: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Accumulator(tools=tools)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "strin"}, r"at \$\['type'\]: 'strin' is not"),
        ({"properties": {"a": {"maxLength": -1}}}, r"at \$\['properties'\]\['a'\]\['maxLength'\]"),
        ({"properties": {"a": {"type": "STRING"}}}, r"\['a'\]\['type'\]: 'STRING' is not"),
        ({"properties": {"a": 1}}, r"at \$\['properties'\]\['a'\]: 1 is not of type"),
        ({"pattern": "("}, r"at \$\['pattern'\]: '\(' is not a 'regex'"),
        ({"patternProperties": {"(": {}}}, r"at \$\['patternProperties'\]: '\(' is not a 'regex'"),
        ({"items": [{}]}, r"at \$\['items'\]: \[{}\] is not of type"),
        ({"$ref": "#/$defs/x"}, r"at \$\['\$ref'\]: '#/\$defs/x' leads nowhere"),
        ({"properties": {"a": {"$ref": "#x"}}}, r"\['a'\]\['\$ref'\]: '#x' leads nowhere"),
        ({"$ref": "https://x.test/schema"}, r"'https://x.test/schema' leads nowhere"),
        ({"not": {"$ref": "other.json"}}, r"at \$\['not'\]\['\$ref'\]: 'other.json' leads nowhere"),
        ({"x": 5, "$ref": "#/x"}, r"at \$\['\$ref'\]: '#/x' is no schema: 5 is not of type"),
        ({"x": {"type": 5}, "$ref": "#/x"}, r"'#/x' is no schema: 5 is not valid"),
        ({"type": "x", "$ref": "#/type/y"}, r"'x' is not valid"),
        ({"title": "x", "$ref": "#/title/y"}, r"'#/title/y' leads nowhere"),
        ({"$ref": "#"}, r"a \$ref leads back to itself for the same value"),
        ({"anyOf": [{"type": "null"}, {"not": {"$ref": "#"}}]}, "leads back to itself"),
        *(({"if": True, word: {"$ref": "#"}}, "leads back to itself") for word in ("then", "else")),
        ({"if": {"$ref": "#"}}, "leads back to itself"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"allOf": [{"$ref": "#/$defs/a"}]}}},
         "leads back to itself"),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "exclusiveMinimum": True},
         r"at \$\['exclusiveMinimum'\]: True is not of type 'number'"),
    ],
)  # fmt: skip
def test_invalid_schema_is_refused_with_tool_and_place(schema: Any, message: str) -> None:
    for where, tools in (("tools['f']", {"f": schema}), ("tools[0]", [named(schema)])):
        with pytest.raises(ValueError, match=message) as caught:
            Accumulator(tools=tools)
        assert str(caught.value).startswith(f"{where} (f): no valid schema at $")


def named(schema: Any) -> Any:
    return {"name": "f", "input_schema": schema}


def test_schema_that_holds_itself_is_refused() -> None:
    schema: dict[str, Any] = {"properties": {}}
    schema["properties"]["a"] = schema
    with pytest.raises(ValueError, match=r"tools\['f'\] \(f\): no valid schema .*nested too deep"):
        Accumulator(tools={"f": schema})


def test_model_that_is_not_defined_yet_is_refused() -> None:
    class Unfinished(BaseModel):
        later: "Later"  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ValueError, match=r"tools\['f'\] \(f\): no valid schema .*Unfinished"):
        Accumulator(tools={"f": Unfinished})


@pytest.mark.parametrize(
    ("module", "tools", "extra"),
    [
        ("jsonschema.validators", {"f": {}}, "schema"),
        ("referencing.jsonschema", {"f": {}}, "schema"),
        ("pydantic_core", {"f": Tides}, "pydantic"),
    ],
)
def test_missing_library_is_named_with_its_extra(
    module: str, tools: Any, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    name = module.partition(".")[0]
    with pytest.raises(ImportError, match=rf"{name} is needed .* extra '{extra}'") as caught:
        Accumulator(tools=tools)
    assert caught.value.name == name
    assert caught.value.__suppress_context__


def test_a_library_that_lacks_what_it_needs_itself_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "jsonschema.validators")
    monkeypatch.setitem(sys.modules, "attrs", None)
    monkeypatch.setitem(sys.modules, "attr", None)
    with pytest.raises(ImportError, match=r"attrs?"):
        Accumulator(tools={"f": {}})


def test_pydantic_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pydantic.VERSION", "2.10.6")
    with pytest.raises(ImportError, match=r"pydantic 2.10.6 is too old: 2.11 is needed"):
        Accumulator(tools={"f": Tides})


def test_tools_without_a_schema_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema.validators", None)
    monkeypatch.setitem(sys.modules, "pydantic", None)
    assert called("f", "{}", {"f": True}).status == "complete"


# The dialect of Gemini's declarations


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"type": "STRING"}, {"type": "string"}),
        ({"type": "integer"}, {"type": "integer"}),
        ({"type": "TYPE_UNSPECIFIED"}, {}),
        ({"type": genai.Type.ARRAY, "items": {"type": genai.Type.NUMBER}},
         {"type": "array", "items": {"type": "number"}}),
        ({"type": "STRING", "nullable": True}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type": "STRING", "nullable": False}, {"type": "string"}),
        ({"type": "ARRAY", "minItems": "1", "maxItems": 3},
         {"type": "array", "minItems": 1, "maxItems": 3}),
        ({"type": "INTEGER", "format": "enum", "enum": ["1", "2"]},
         {"type": "integer", "format": "enum", "enum": [1, 2]}),
        ({"type": "STRING", "format": "enum", "enum": ["1"]},
         {"type": "string", "format": "enum", "enum": ["1"]}),
        ({"anyOf": [{"type": "STRING"}, {"properties": {"type": {"type": "NULL"}}}]},
         {"anyOf": [{"type": "string"}, {"properties": {"type": {"type": "null"}}}]}),
        ({"ref": "#/defs/a", "defs": {"a": {"type": "STRING"}}, "nullable": True},
         {"$defs": {"a": {"type": "string"}},
          "anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}),
        (genai.Schema(type=genai.Type.ARRAY, min_items=2, items=genai.Schema(nullable=True)),
         {"type": "array", "minItems": 2, "items": {"anyOf": [{}, {"type": "null"}]}}),
        (genai.Schema(any_of=[genai.Schema(type="STRING", max_length=3)]),
         {"anyOf": [{"type": "string", "maxLength": 3}]}),
        (True, True),
    ],
)  # fmt: skip
def test_openapi_schema_as_json_schema(given: Any, expected: Any) -> None:
    assert as_json_schema(given) == expected


def test_faulty_openapi_schema_is_refused_like_any() -> None:
    with pytest.raises(ValueError, match=r"at \$\['minItems'\]: 'many' is not of type 'integer'"):
        Accumulator(tools=[declared(parameters={"type": "ARRAY", "minItems": "many"})])


# Calls of Gemini, which has no text


def gemini(*called: Any, tools: Any) -> tuple[ToolCall, list[Any]]:
    accumulator = Accumulator("gemini", tools=tools)
    parts = [{"candidates": [{"content": {"parts": [{"functionCall": each}]}}]} for each in called]
    events = [accumulator.feed(each) for each in parts]
    events.append(accumulator.feed({"candidates": [{"finishReason": "STOP"}]}))
    told = [[e.path for e in its if e.type == "schema_violation"] for its in events]
    return accumulator.calls[0], told


def test_calls_with_values_set_by_path_are_checked_as_they_come() -> None:
    call, told = gemini(
        {"name": "tides", "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.day", "numberValue": 1}], "willContinue": True},
        {"partialArgs": [{"jsonPath": "$.port", "numberValue": 2}], "willContinue": True},
        {},
        tools=[declared(parameters={**UPPER, "additional_properties": False})],
    )
    assert told == [[], [("day",)], [("port",)], [], []]
    assert (call.status, call.text) == ("invalid", None)


def test_calls_sent_whole_are_checked() -> None:
    call, told = gemini({"name": "tides", "args": {"port": 1}}, tools=[declared(parameters=UPPER)])
    assert (call.status, told) == ("invalid", [[("port",)], []])
    call, told = gemini({"name": "lost", "args": {}}, tools=[declared(parameters=UPPER)])
    assert (call.status, told) == ("invalid", [[()], []])
    call, told = gemini({"name": "tides", "args": {"port": "x"}}, tools={"tides": Tides})
    assert (call.status, told) == ("complete", [[], []])
