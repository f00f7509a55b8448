"""What stands for what, as a file: tables ``roles`` and ``moves`` of texts.

In: a file, or two sources under a matching. Out: a matching, or TOML that reads back as one.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Final

from gdl.conform.comparison import Comparison
from gdl.conform.matching.matching import Matching, UnmatchedError, by_table
from gdl.conform.source import CHANCE, EngineMove, Position, Source, written
from gdl.conform.twin import Parting
from gdl.language.keywords import RANDOM
from gdl.plays import quoted, read_toml

GAMES: Final = 64
"""Games that are played to meet the moves of a map."""
HANGING: Final = "# Which moves stand for each other hangs on the position: no table says it."


def map_text(comparison: Comparison, seed: int = 0) -> str:
    """Return roles and all moves that some random games meet, as TOML.

    Where one move stands for several, each in its position, no table says it: there is none then.
    """
    moves: dict[tuple[int, str], str] = {}
    is_one = True
    ours, theirs = comparison.ours, comparison.theirs
    for number in range(GAMES):
        rng = random.Random(f"{seed}/map/{number}")  # noqa: S311  # chance for play
        twin = comparison.start()
        while not isinstance(twin, Parting):
            partners = comparison.compare(twin)
            if isinstance(partners, Parting) or not partners:
                break
            for role, pairs in partners.items():
                other = comparison.matching.theirs_of(role)
                for move in pairs.moves:
                    text = written(ours, twin.ours, role, move)
                    partner = written(theirs, twin.theirs, other, pairs.partner(move))
                    is_one &= moves.setdefault((role, text), partner) == partner
            choice = {role: rng.choice(pairs.moves) for role, pairs in partners.items()}
            twin = comparison.step(twin, choice, partners)
    lines = ["# Which roles and moves stand for each other: ours = theirs", "[roles]"]
    for place, name in enumerate(ours.roles):
        partner = theirs.roles[comparison.matching.roles[place]]
        lines.append(f"{quoted(name)} = {quoted(partner)}")
    if not is_one:
        return "\n".join([*lines, "", HANGING, ""])
    for number in (*range(len(ours.roles)), CHANCE):
        rows = sorted((text, partner) for (who, text), partner in moves.items() if who == number)
        if rows:
            name = RANDOM if number == CHANCE else ours.roles[number]
            lines += ["", f"[moves.{quoted(name)}]"]
            lines += [f"{quoted(text)} = {quoted(partner)}" for text, partner in rows]
    return "\n".join(lines) + "\n"


def read_map(path: Path, ours: Source, theirs: Source) -> Matching:
    """Return the matching of a file.

    Raises:
        OSError: The file cannot be read.
        UnmatchedError: It is no map of these two; says what is wrong.
    """
    table = read_toml(path)
    roles = table.get("roles", {})
    order = []
    for number, role in enumerate(ours.roles):
        partner = roles.get(role, theirs.roles[number] if number < len(theirs.roles) else None)
        if partner not in theirs.roles:
            raise UnmatchedError(
                f"{path}: {role} is matched with {partner}", expected=" or ".join(theirs.roles)
            )
        order.append(theirs.roles.index(partner))
    if sorted(order) != list(range(len(theirs.roles))):
        raise UnmatchedError(
            f"{path}: [roles] does not give each of {', '.join(theirs.roles)} to one role",
            expected=f"a line for each of {', '.join(ours.roles)}",
        )
    moves: dict[tuple[int, str], str] = {}
    for name, rows in table.get("moves", {}).items():
        if name not in (*ours.roles, RANDOM) or not isinstance(rows, dict):
            raise UnmatchedError(
                f"{path}: [moves.{name}] is of no role", expected=" or ".join(ours.roles)
            )
        number = CHANCE if name == RANDOM else ours.roles.index(name)
        moves |= {(number, str(text)): str(other) for text, other in rows.items()}
    if not moves:
        raise UnmatchedError(f"{path} matches no moves", expected="tables [moves.ROLE]")

    def mine(position: Position, role: int, move: EngineMove) -> str:
        return written(ours, position, role, move)

    def other(position: Position, role: int, move: EngineMove) -> str:
        return written(theirs, position, role, move)

    return by_table(moves, tuple(order), (mine, other), f"the map {path.name}")
