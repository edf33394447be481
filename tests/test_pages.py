"""Every README: its programs run, its names are there, its links lead somewhere."""

import ast
import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from readme import PAGES, ROOT, blocks

from fragjson import vendors

RUN_WITH_A_SERVER = "from act import"
"""Needs a provider to talk to: ``test_readme.py``."""


def anchors(text: str) -> set[str]:
    """The headings of a page, as GitHub makes anchors of them."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_of_a_page_run(
    page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vendors, "_known", dict(vendors._known))  # an example registers another
    monkeypatch.setitem(sys.modules, "jiter", importlib.import_module("jiter"))  # and another this
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for code in blocks(page):
        if RUN_WITH_A_SERVER not in code:
            exec(compile(code, page, "exec"), names)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_imports_is_there(page: str) -> None:
    for code in blocks(page):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fragjson"):
                module = importlib.import_module(node.module or "")
                assert [name.name for name in node.names if not hasattr(module, name.name)] == []


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page: str) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "code", PAGES[page], flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        there = (ROOT / page).parent.joinpath(path).resolve() if path else ROOT / page
        if there.is_dir():
            there /= "README.md"
        assert there.exists(), link
        if anchor:
            assert anchor in anchors(there.read_text("utf-8")), link


@pytest.mark.parametrize("page", PAGES)
def test_the_files_that_a_page_names_are_there(page: str) -> None:
    folders = "src|tests|benchmarks"
    if (ROOT / ".github").exists():  # not in an sdist
        folders += r"|\.github"
    for named in re.findall(rf"(?:{folders})/[\w./-]+\w", PAGES[page]):
        assert any((start / named).exists() for start in (ROOT, (ROOT / page).parent)), named
