"""What a plan is: the steps in which the conditions of a rule are met.

A step either binds variables (`Lookup`), or only tests. Which arguments of a predicate the
asker gives, wants, or does not care about is written as one letter each.

Source: Ullman, "Principles of Database and Knowledge-Base Systems" II, 1989, section 12.1
(binding patterns).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from gdl.reason.program import Call, Definition, Differ

BOUND: Final = "b"
"""The asker gives this argument."""
FREE: Final = "f"
"""The asker wants its values."""
EXISTS: Final = "e"
"""The asker only wants to know that there is one."""

Modes: TypeAlias = str
"""One letter an argument."""


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Ask a predicate; every answer binds the free arguments."""

    call: Call
    modes: Modes


@dataclass(frozen=True, slots=True, eq=False)
class Exists:
    """Test that the steps can be met in some way, or if negative, in none."""

    steps: tuple[Step, ...]
    is_negative: bool = False


Step: TypeAlias = Lookup | Exists | Differ
"""A negative `Lookup` does not occur: absence is a negative `Exists`."""


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How to evaluate a definition.

    Attributes:
        definition: What it is a plan of.
        modes: Which arguments of the head are given, wanted, or do not matter.
        steps: In order.
    """

    definition: Definition
    modes: Modes
    steps: tuple[Step, ...]
