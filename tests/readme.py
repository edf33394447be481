"""The code in the pages that people read, to be run as it stands there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("src", "tests", "benchmarks")
PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text("utf-8")
    for page in [
        ROOT / "README.md",
        *sorted(page for folder in FOLDERS for page in ROOT.glob(f"{folder}/**/README.md")),
    ]
}


def blocks(page: str) -> list[str]:
    """Return the programs on a page; what is typed into a prompt is run by doctest."""
    found = re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL)
    return [text for text in found if not text.startswith(">>>")]


def block(*words: str) -> str:
    """Return the one program, on any page, that has all these words in it."""
    found = [text for page in PAGES for text in blocks(page) if all(word in text for word in words)]
    assert len(found) == 1, words
    return found[0]
