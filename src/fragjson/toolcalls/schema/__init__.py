"""Schemas of tools: checking calls while they stream, and arguments so far as a pydantic model.

    checking         ``Tools`` and ``Check``: what the accumulator uses
    tool_definitions the tools, as users have them for the vendors
    rules, cursor    what a beginning can break, and finding out that it has
    json_schema      JSON Schemas: their rules, and ``jsonschema`` for the verdict
    models           pydantic models, likewise
    partial_models   ``ToolCall.partial_as``

Nothing in here is loaded before a schema or a model is given.
"""

from fragjson.toolcalls.schema.checking import Check, Tools

__all__ = ["Check", "Tools"]
