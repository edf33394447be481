"""Rules: what a schema says that the beginning of a document can break.

A ``Rule`` is a schema at one place, of whatever kind it was compiled from, as far as a beginning
can prove anything against it. What a rule does not say is not judged: leaving something out is
always right, and the final validator sees all of it later. Where something can be broken, the rule
also has what to say then.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fragjson._types import JSONType

__all__ = ["OF_CONSTANT", "OF_TYPE", "Choice", "Kinds", "Limit", "Rule", "Texts"]

OF_TYPE, OF_CONSTANT = 0, 1
"""How many steps above it a wrong type, and a wrong constant, tell alternatives apart: an object is
meant for a branch if it is one, and if its members have the constants of that branch."""


@dataclass(slots=True, eq=False)
class Kinds:
    """The JSON types a value may have, and what to say of one that has another."""

    allowed: frozenset[str]
    fault: "Callable[[JSONType], str]"
    reach: int = OF_TYPE


@dataclass(slots=True, eq=False)
class Texts:
    """All the strings that constants allow, and what to say of anything else."""

    allowed: list[str]
    fault: str


@dataclass(slots=True, eq=False)
class Limit:
    """A bound on a count, and what to say beyond it."""

    count: float
    fault: str


@dataclass(slots=True, eq=False)
class Choice:
    """Branches of which one at least has to fit, and what to say when none does."""

    branches: "list[Rule]"
    fault: str


@dataclass(slots=True, eq=False)
class Rule:
    """A schema at one place; everything in it is a condition that a valid value meets."""

    kinds: list[Kinds] = field(default_factory=list)
    texts: list[Texts] = field(default_factory=list)
    judge: Callable[[Any], Iterable[str]] | None = None
    """Says what is wrong with a finished string, number, boolean or null."""
    max_length: Limit | None = None

    members: "dict[str, Rule]" = field(default_factory=dict)
    patterns: "list[tuple[re.Pattern[str], Rule]]" = field(default_factory=list)
    named: re.Pattern[str] | None = None
    """Fits the names that one of the ``patterns`` fits."""
    others: "Rule | None" = None
    """For members that neither ``members`` nor ``patterns`` knows."""
    closed: str | None = None
    """What to say of a member that neither knows; ``None``: it is allowed."""
    required: dict[str, str] = field(default_factory=dict)
    """Names that have to be there, each with what to say in the place of one that is not."""
    min_members: Limit | None = None
    max_members: Limit | None = None

    first: "list[Rule]" = field(default_factory=list)
    rest: "Rule | None" = None
    """For the items after the ``first``."""
    min_items: Limit | None = None
    max_items: Limit | None = None

    also: "list[Rule]" = field(default_factory=list)
    """Further rules for the same value."""
    choices: list[Choice] = field(default_factory=list)

    def knows(self, name: str) -> bool:
        """Whether the name is one of those spelled out, or fits one of the patterns."""
        return name in self.members or bool(self.named and self.named.search(name))

    def of_member(self, name: str) -> "list[Rule]":
        """Return the rules for the value of a member."""
        if not self.knows(name):
            return [self.others] if self.others is not None else []
        found = [self.members[name]] if name in self.members else []
        return found + [rule for pattern, rule in self.patterns if pattern.search(name)]

    def of_item(self, index: int) -> "list[Rule]":
        """Return the rules for an item."""
        if index < len(self.first):
            return [self.first[index]]
        return [self.rest] if self.rest is not None else []
