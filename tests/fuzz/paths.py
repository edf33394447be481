"""Any text compiles as a path or is a ValueError; what compiles matches as a plain matcher.

Stepping through the compiled node comes to the same as comparing selector by selector, for any way
in a document, one path or many; and parsing never takes more than its time.
"""

# ruff: noqa: PT017 - not run by pytest

from fuzzing import Choices, main  # isort: split

from fragjson.paths import compile_paths, parse_path

KEYS = ["a", "b", "a.b", "", "é", "0", "*"]


def matches(selectors: tuple[str | int | None, ...], way: tuple[str | int, ...]) -> bool:
    return len(selectors) == len(way) and all(
        selector is None or (type(selector) is type(step) and selector == step)
        for selector, step in zip(selectors, way, strict=True)
    )


def test(data: bytes) -> None:
    choices = Choices(data)
    ways = []
    for _ in range(choices.upto(5)):
        length = choices.upto(4)
        way = [choices.of(KEYS) if choices.chance() else choices.upto(3) for _ in range(length)]
        ways.append(tuple(way))
    text = choices.rest().decode("utf-8", "replace")
    good = {}
    for path in [text, *text.split("\n"), *("$" + part for part in text.split("$"))]:
        try:
            good[path] = parse_path(path)
        except ValueError as error:
            assert path.startswith("not") or repr(path) in str(error)
    root = compile_paths(good)
    ways += [tuple("x" if step is None else step for step in each) for each in good.values()]
    for way in ways:
        node = root
        for step in way:
            node = node.step(step) if node is not None else None
        found = node is not None and node.matches
        assert found == any(matches(each, way) for each in good.values()), (good, way)


if __name__ == "__main__":
    main(test)
