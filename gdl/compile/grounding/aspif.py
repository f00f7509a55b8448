"""Reading a ground program in aspif.

In: the grounder's text. Out: a `GroundProgram`: atoms are numbers, a rule is a head and a
tuple of signed atoms, and the atoms that are looked at from outside have their text.

Source: Gebser, Kaminski, Kaufmann, Ostrowski, Schaub, Wanko, "Theory Solving Made Easy
with Clingo 5", 2016, appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

Body: TypeAlias = tuple[int, ...]
"""Atoms that hold together; a negative number is an atom that does not hold."""

_LARGE: Final = 2_000_000
"""Characters from which numpy reads numbers so much faster that its import pays."""
FACT: Final = 0
"""Stands for an atom that always holds."""


class GroundProgram(NamedTuple):
    """Rules without variables.

    Attributes:
        bodies: For each atom that some rule derives, the bodies; an empty one is a fact.
        choices: Atoms that are free: base propositions and moves.
        shown: For each atom seen from outside, by its text, its number or `FACT`.
        rule_count: Number of rules.
    """

    bodies: Mapping[int, Sequence[Body]]
    choices: frozenset[int]
    shown: Mapping[str, int]
    rule_count: int


def read_aspif(text: bytes) -> GroundProgram:
    """Return the program of a text that the grounder finished. Cost about 1 us a rule."""
    header = text.index(b"\n") + 1
    shows = text.find(b"\n4 ", header - 1)
    stop = len(text) if shows < 0 else shows
    tokens = _numbers(text[header:stop].decode("ascii"))
    if shows < 0:
        tokens.pop()  # the closing zero
    bodies: dict[int, list[Body]] = {}
    choices: set[int] = set()
    position, count, rules = 0, len(tokens), 0
    while position < count:
        # 1 is_choice heads(=1) head 0 literals literal...
        head, start = tokens[position + 3], position + 6
        end = start + tokens[position + 5]
        if tokens[position + 1]:
            choices.add(head)
        else:
            rules += 1
            rows = bodies.get(head)
            if rows is None:
                bodies[head] = [tuple(tokens[start:end])]
            else:
                rows.append(tuple(tokens[start:end]))
        position = end
    shown = {} if shows < 0 else _read_shows(text[shows + 1 :].decode("ascii"))
    return GroundProgram(bodies, frozenset(choices), shown, rules)


def _numbers(text: str) -> list[int]:
    if len(text) < _LARGE:
        return list(map(int, text.split()))
    import numpy as np

    numbers: list[int] = np.fromstring(text, dtype=np.int64, sep=" ").tolist()
    return numbers


def _read_shows(text: str) -> dict[str, int]:
    shown: dict[str, int] = {}
    for line in text.split("\n"):
        if line.startswith("4 "):
            # 4 length name literals literal...
            _, _, name, has_literal, *literal = line.split(" ")
            shown[name] = int(literal[0]) if has_literal != "0" else FACT
    return shown
