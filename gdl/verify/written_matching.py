"""What stands for what in two games, written down by name and read again.

In: two circuits and a `Matching`. Out: plain values for the index of certificates; and back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from gdl.certify.aiger_file import CertificateError
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Term
from gdl.machine import JointMove
from gdl.verify.systems.matching import Matching, Percepts, keeps_chance, make_matching

WRITTEN: Final = "what the folder says stands for what"


def written_matching(left: GameCircuit, right: GameCircuit, matching: Matching) -> dict[str, Any]:
    """Return a matching as plain values: of each role of the first game, all in its order."""
    owners = [right.roles[role] for role in matching.roles]
    rows = zip(left.moves, (right.moves[role] for role in matching.roles), strict=True)
    return {
        "method": matching.method,
        "roles": [[str(a), str(b)] for a, b in zip(left.roles, owners, strict=True)],
        "moves": [
            [[str(mine[a]), str(theirs[b])] for a, b in pairs]
            for (mine, theirs), pairs in zip(rows, matching.pairs, strict=True)
        ],
        "percepts": [
            [[str(a), str(b)] for a, b in row.items()]
            for row in (() if matching.percepts is None else matching.percepts.names)
        ],
    }


def read_matching(left: GameCircuit, right: GameCircuit, written: Any) -> Matching:  # noqa: ANN401  # JSON
    """Return the matching that is written down.

    Raises:
        CertificateError: It is none of these games: says which word they do not have; or chance
            would stand for something else.
    """
    if not isinstance(written, dict):
        raise CertificateError("the folder does not say what stands for what in two games")
    roles = _pairs(written.get("roles"))
    mine, theirs = (_numbers(circuit.roles) for circuit in (left, right))
    if [a for a, _ in roles] != list(mine) or sorted(b for _, b in roles) != sorted(theirs):
        said = ", ".join(f"{a} = {b}" for a, b in roles)
        raise CertificateError(f"{WRITTEN}: {said or 'no role'}; these games have other roles")
    owners = [theirs[b] for _, b in roles]
    rows = written.get("moves")
    if not isinstance(rows, list) or len(rows) != len(owners):
        raise CertificateError("the folder does not say of each role which moves stand for which")
    pairs = []
    for role, (owner, row) in enumerate(zip(owners, rows, strict=True)):
        moves = _numbers(left.moves[role]), _numbers(right.moves[owner])
        pairs.append([(_number_of(moves[0], a), _number_of(moves[1], b)) for a, b in _pairs(row)])
        if len(set(pairs[-1])) < len(pairs[-1]):
            raise CertificateError(f"{WRITTEN}: a pair of moves is there twice")
    matching = make_matching(left, right, owners, pairs, str(written.get("method")))
    if not keeps_chance(left, right, matching):
        raise CertificateError(f"{WRITTEN}: a move of random is drawn more often than its partner")
    return replace(matching, percepts=_percepts(left, right, owners, written.get("percepts", [])))


def read_plays(
    circuit: GameCircuit, written: Mapping[str, Any], side: int
) -> tuple[tuple[JointMove, ...], ...]:
    """Return the plays, in plies, whose moves the turns of a game were made of.

    Raises:
        CertificateError: They are none of this game.
    """
    plays = written.get("met", [[], []])
    try:
        names = [{str(move): move for move in row} for row in circuit.moves]
        return tuple(
            tuple(
                tuple(own[move] for own, move in zip(names, joint, strict=True)) for joint in play
            )
            for play in plays[side]
        )
    except (LookupError, TypeError, ValueError) as error:
        raise CertificateError(f"{WRITTEN}: plays that are none of these rules") from error


def _percepts(
    left: GameCircuit,
    right: GameCircuit,
    owners: Sequence[int],
    rows: Any,  # noqa: ANN401  # JSON
) -> Percepts:
    if not isinstance(rows, list) or len(rows) not in {0, len(owners)}:
        raise CertificateError("the folder does not say of each role which percepts are which")
    named = []
    for role, (owner, row) in enumerate(zip(owners, rows, strict=False)):
        mine, theirs = (
            {str(percept): percept for percept, _ in (game.sees[number] if game.sees else ())}
            for game, number in ((left, role), (right, owner))
        )
        pairs = _pairs(row)
        if not {a for a, _ in pairs} <= mine.keys() or not {b for _, b in pairs} <= theirs.keys():
            raise CertificateError(f"{WRITTEN}: a percept that these rules do not have")
        named.append({mine[a]: theirs[b] for a, b in pairs})
    return Percepts(tuple(named))


def _numbers(terms: Sequence[Term]) -> dict[str, int]:
    return {str(term): number for number, term in enumerate(terms)}


def _pairs(rows: Any) -> list[tuple[str, str]]:  # noqa: ANN401  # JSON
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and len(row) == 2 and all(isinstance(word, str) for word in row)  # noqa: PLR2004
        for row in rows
    ):
        raise CertificateError(f"{WRITTEN} are no pairs of names")
    return [(a, b) for a, b in rows]


def _number_of(numbers: dict[str, int], move: str) -> int:
    if move not in numbers:
        raise CertificateError(f"{WRITTEN}: {move}, a move that these rules do not have")
    return numbers[move]
