"""The examples in the docstrings of the tool-call layer, the adapters and the test kit, run."""

import doctest
import pkgutil
from importlib import import_module

import pytest

from fragjson import testing, toolcalls, vendors

MODULES = [
    module.name
    for package in (testing, toolcalls, vendors)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
] + ["fragjson.testing", "fragjson.vendors"]

WITH_EXAMPLES = {
    "fragjson.testing", "fragjson.testing.asserting", "fragjson.testing.faults",
    "fragjson.testing.fragmenting", "fragjson.testing.pacing", "fragjson.testing.playback",
    "fragjson.testing.provider", "fragjson.testing.replaying", "fragjson.testing.wires",
    "fragjson.testing.writing",
    "fragjson.toolcalls.accumulator", "fragjson.toolcalls.call", "fragjson.toolcalls.events",
    "fragjson.toolcalls.metrics", "fragjson.toolcalls.running", "fragjson.toolcalls.speculation",
    "fragjson.toolcalls.schema.openapi_schema", "fragjson.toolcalls.schema.tool_definitions",
    "fragjson.toolcalls.turnlog", "fragjson.toolcalls.verdict", "fragjson.vendors",
    "fragjson.vendors._reading", "fragjson.vendors._writing",
    # Groq's results are OpenAI's.
    *(f"fragjson.vendors.{name}" for name in vendors.names() if name != "groq"),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))  # one example registers another
    failed, attempted = doctest.testmod(import_module(name))
    assert failed == 0
    assert (attempted > 0) == (name in WITH_EXAMPLES)
