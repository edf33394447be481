"""What a user has given as ``tools``: for each tool its name and its schema, if it has one.

Read are a mapping of names to schemas, and the lists of definitions that go to the vendors, as
dicts and as objects of their SDKs; those of MCP and of LangChain, too. Tools without a schema (free
text, the vendors' own) are known by their name, if they have one. A schema where none is looked for
is an error: nothing would be checked, and nobody would know.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from fragjson.toolcalls.schema.openapi_schema import as_json_schema
from fragjson.vendors._reading import as_list, as_text, either, given, json_safe, read

__all__ = ["Definition", "definitions_in"]

Definition: TypeAlias = tuple[str, str, Any]
"""Where it stands in ``tools``, the name, and the schema: ``True`` if it takes anything."""


def definitions_in(tools: Any) -> Iterator[Definition]:
    """Give the definitions of all tools.

    Raises:
        TypeError, ValueError: this is no collection of tools; the message says where.

    >>> weather = {"type": "function", "name": "weather", "parameters": {"type": "object"}}
    >>> list(definitions_in([weather]))
    [('tools[0]', 'weather', {'type': 'object'})]
    >>> list(definitions_in({"weather": {"type": "object"}}))
    [("tools['weather']", 'weather', {'type': 'object'})]
    """
    if isinstance(tools, Mapping):
        for name, schema in tools.items():
            yield from _named(f"tools[{name!r}]", name, schema)
    elif isinstance(tools, Iterable) and not isinstance(tools, str | bytes):
        for index, tool in enumerate(tools):
            yield from _definitions(f"tools[{index}]", tool)
    else:
        raise TypeError(f"tools: a mapping or a list of tools, not {type(tools).__name__}")


def _named(where: str, name: Any, schema: Any) -> Iterator[Definition]:
    if not isinstance(name, str):
        raise TypeError(f"{where}: a name is a str, not {type(name).__name__}")
    if _is_definition(schema):
        yield from ((where, name, inner) for _, _, inner in _definitions(where, schema))
    else:
        yield where, name, schema


def _is_definition(schema: Any) -> bool:
    """Whether this is a definition rather than a schema, which has none of these words."""
    if isinstance(schema, type):
        return False
    words = (
        "input_schema", "inputSchema", "toolSpec", "args_schema", "function",
        "function_declarations", "functionDeclarations",
    )  # fmt: skip
    is_one = any(read(schema, word) is not None for word in words)
    return is_one or as_text(read(schema, "type")) == "function"


def _definitions(where: str, tool: Any) -> Iterator[Definition]:
    if isinstance(tool, type):
        raise TypeError(f"{where}: not the definition of a tool, but the class {tool.__name__}")
    declarations = either(tool, "function_declarations", "functionDeclarations")
    inner = read(tool, "function")
    schema = either(tool, "input_schema", "inputSchema")  # Anthropic; MCP
    if schema is None:
        schema = read(tool, "args_schema")  # LangChain
    if declarations is not None:  # Gemini
        for index, each in enumerate(as_list(declarations)):
            yield _declaration(f"{where}.functionDeclarations[{index}]", each)
    elif isinstance(inner, dict) or given(read(inner, "name")) is not None:  # OpenAI Chat
        yield where, _name(where, inner), _schema_in(where, inner, "parameters")
    elif (spec := read(tool, "toolSpec")) is not None:  # Bedrock
        given_schema = read(spec, "inputSchema")
        schema = given_schema if _is_schema(given_schema) else read(given_schema, "json")
        yield where, _name(where, spec), _schema(schema)
    elif read(tool, "custom") is not None:
        yield where, _name(where, read(tool, "custom")), True
    elif isinstance(read(tool, "tools"), list | tuple):  # a namespace of OpenAI's
        for index, each in enumerate(read(tool, "tools")):
            yield from _definitions(f"{where}.tools[{index}]", each)
    elif schema is not None:
        yield where, _name(where, tool), _schema(schema)
    elif as_text(read(tool, "type")) == "function":  # OpenAI Responses
        yield where, _name(where, tool), _schema_in(where, tool, "parameters")
    elif _is_schema(tool):
        raise TypeError(f"{where}: a schema, and no name: write {{name: schema}}")
    elif isinstance(read(tool, "type"), str):  # the vendor's own, or free text
        if (name := given(read(tool, "name"))) is not None:
            yield where, name, True
    elif given(read(tool, "name")) is not None:
        yield _declaration(where, tool)
    elif not _is_own_of_gemini(tool):
        raise TypeError(f"{where}: not the definition of a tool, but {type(tool).__name__}")


def _declaration(where: str, tool: Any) -> Definition:
    schema = either(tool, "parameters_json_schema", "parametersJsonSchema")
    if schema is not None:
        return where, _name(where, tool), _schema(schema)
    return where, _name(where, tool), as_json_schema(_schema_in(where, tool, "parameters"))


def _is_own_of_gemini(tool: Any) -> bool:
    """Whether it is a tool that the vendor runs: ``{"googleSearch": {}}``."""
    if isinstance(tool, dict):
        return bool(tool) and all(isinstance(v, dict) and not _is_schema(v) for v in tool.values())
    return hasattr(tool, "function_declarations")


def _name(where: str, tool: Any) -> str:
    name = read(tool, "name")
    if not isinstance(name, str) or not name:
        raise ValueError(f"{where}: the tool has no name")
    return name


def _schema_in(where: str, tool: Any, name: str) -> Any:
    """Return the schema of this name; ``True`` if there is none, under no other name either."""
    schema = read(tool, name)
    if schema is None and isinstance(tool, dict):
        for other, value in tool.items():
            if _is_schema(value) and not other.startswith(("response", "output")):
                raise TypeError(f"{where}: a schema is looked for in {name!r}, not in {other!r}")
    return _schema(schema)


def _is_schema(value: Any) -> bool:
    """Whether it looks like the schema of arguments, and like nothing else."""
    return isinstance(value, dict) and ("properties" in value or value.get("type") == "object")


def _schema(schema: Any) -> Any:
    if schema is None:
        return True
    return json_safe(schema) if not isinstance(schema, type) else schema
