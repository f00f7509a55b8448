"""Plays for rules that no game of the search exercised, asked of the verifier, and compared.

In: what was compared, and how long may be looked. Out: for each rule that fired nowhere a shortest
play after which it fires, compared position by position; or that the verifier proved that there is
none; or nothing, where the time was over first.

Source: Ammann, Black, Majurski, "Using Model Checking to Generate Tests from Specifications", 1998.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gdl.compile import CompileError, CompileLimits, build
from gdl.conform.comparison import Comparison
from gdl.conform.coverage import Coverage
from gdl.conform.piece import Piece
from gdl.conform.sources.rules import RulesSource
from gdl.conform.walk import walked
from gdl.machine import JointMove
from gdl.verify.properties.monitors import monitor_edges, with_memory, with_monitors
from gdl.verify.proving.prove import Prover
from gdl.verify.solvers.budget import Budget, OutOfBudgetError
from gdl.verify.systems.system import Bad, game_system

if TYPE_CHECKING:
    from gdl.game import Game
    from gdl.language.clauses import Clause

BUILDING = 0.6
"""Of the time, what making a circuit may take."""
SHARE = 0.25
"""Of the time left, what one rule may take."""
STYLE = "plays of the verifier"


@dataclass
class Witnesses:
    """What the verifier said of the rules that no game exercised.

    Attributes:
        piece: What was compared along its plays.
        shown: Rules that its plays exercised.
        dead: Rules that can never fire, as it proved.
    """

    piece: Piece
    shown: tuple[int, ...] = ()
    dead: tuple[int, ...] = ()


def compare_witnesses(
    comparison: Comparison,
    coverage: Coverage,
    seconds: float,
    seed: int,
    on_position: Callable[[Piece], None] = lambda _: None,
) -> Witnesses:
    """Compare along plays that exercise what nothing has exercised.

    Args:
        comparison: What is compared; our side is rules whose moves are not taken together.
        coverage: What was exercised so far; it counts on.
        seconds: Wall-clock time that the verifier has.
        seed: Of its random plays.
        on_position: Told of the counts so far; may raise to stop.
    """
    witnesses, rules = Witnesses(Piece(-1)), comparison.ours
    before = {rule.number for rule in coverage.left}
    if not before or not isinstance(rules, RulesSource):
        return witnesses
    asked = [coverage.asked[number] for number in sorted(before)]
    dead = []
    for place, play in plays_to(
        rules.game, asked, seconds, seed, lambda: _open(coverage, sorted(before))
    ):
        if play is None:
            dead.append(sorted(before)[place])
            continue
        witnesses.piece.parting = walked(
            comparison, coverage, play, witnesses.piece, STYLE, on_position
        )
        if witnesses.piece.parting is not None:
            break
    left = {rule.number for rule in coverage.left}
    witnesses.shown, witnesses.dead = tuple(sorted(before - left)), tuple(dead)
    return witnesses


def _open(coverage: Coverage, numbers: Sequence[int]) -> set[int]:
    """Return the places of the rules among these that nothing has exercised."""
    return {place for place, number in enumerate(numbers) if not coverage.counts[number]}


def plays_to(
    game: Game,
    asked: Sequence[Clause],
    seconds: float,
    seed: int,
    left: Callable[[], set[int]],
) -> Iterator[tuple[int, tuple[JointMove, ...] | None]]:
    """Yield places of clauses, with a shortest play after which each fires; None for none ever.

    One that is no longer left when its turn comes is passed over.
    """
    rules, roles = game.ruleset.checked(game.limits), game.machine.roles
    budget = Budget(seconds)
    monitored = with_monitors(rules.description, roles[0], [clause.body for clause in asked])
    limits = CompileLimits(seconds=max(0.1, BUILDING * seconds), explain=False)
    try:
        circuit = build(monitored.description, limits=limits, roles=roles)
        circuit, edges = monitor_edges(circuit, monitored)
        prover = Prover(game_system(circuit), budget, seed)
        prover.play()
        prover.learn()
    except (CompileError, OutOfBudgetError):
        return
    for place, (edge, of_moves) in enumerate(zip(edges, monitored.of_moves, strict=True)):
        if place not in left():
            continue
        # Whether a rule that asks for moves fires is a matter of a step, and a play ends in a
        # state: a fact of its own remembers it.
        system, bad = prover.system, edge
        if of_moves:
            system, bad = with_memory(system, edge, "fired")
        share = budget.share(max(1.0, SHARE * budget.left))
        try:
            answer = replace(prover, system=system, is_small=False).ask(
                (Bad("it fires", bad),), budget=share
            )
        except OutOfBudgetError:
            continue
        if answer.play is not None:
            named = (zip(circuit.moves, chosen, strict=True) for chosen in answer.play)
            yield place, tuple(tuple(moves[n] for moves, n in ply) for ply in named)
        elif answer.proved:
            yield place, None
