"""Is a game well-formed? `verify` is the entrance.

In: a ruleset, and properties of the user's own. Out: a `Verification`: for each property
whether it is proved, refuted with a shortest play, or open up to some length.

Source: ours; see `properties` for what is asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, TypeAlias

from gdl.compile.circuit import GameCircuit, Lit
from gdl.compile.pipeline import build
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.machine import JointMove
from gdl.ruleset import Ruleset, find
from gdl.verify.budget import DEFAULT_MEGABYTES, DEFAULT_SECONDS, Budget, OutOfBudgetError
from gdl.verify.diff import require_packages
from gdl.verify.frames import Frames
from gdl.verify.probes import Probe, take_probes, with_probes
from gdl.verify.properties import Property, standard_properties
from gdl.verify.prove import OnStage, Prover
from gdl.verify.replay import WitnessError
from gdl.verify.sampling import Sample, sample
from gdl.verify.search import Play, Search
from gdl.verify.simulate import Simulator
from gdl.verify.system import Bad, System, disj_all, game_system
from gdl.verify.transition import transition

Status: TypeAlias = Literal["proved", "refuted", "open"]

MAX_BOUND: Final = 2_000
"""Plies up to which a bound on the length of plays is looked for."""
LISTED: Final = 8
SHARE: Final = 0.25
"""Of the time left, what one property may take at most."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of one property.

    Attributes:
        name: The property.
        claim: What it says.
        status: ``proved``, ``refuted`` or ``open``.
        text: How that is known.
        depth: Moves of the play; or the length up to which it was settled, -1 for none.
        play: The play that refutes it, or that proves that something is possible.
        is_shortest: Whether no shorter play does; that was proved.
    """

    name: str
    claim: str
    status: Status
    text: str
    depth: int = -1
    play: tuple[JointMove, ...] | None = None
    is_shortest: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """All verdicts about one game.

    Attributes:
        name: The game.
        verdicts: In the order in which they were asked.
    """

    name: str
    verdicts: tuple[Verdict, ...]

    def __getitem__(self, name: str) -> Verdict:
        """Return the verdict on a property by its name."""
        return next(verdict for verdict in self.verdicts if verdict.name == name)

    @property
    def refuted(self) -> tuple[Verdict, ...]:
        """The verdicts against the game."""
        return tuple(verdict for verdict in self.verdicts if verdict.status == "refuted")


def verify(  # noqa: PLR0913  # one parameter for each thing a user may want
    game: str | os.PathLike[str] | Ruleset,
    *,
    probes: Sequence[Probe] = (),
    seconds: float = DEFAULT_SECONDS,
    megabytes: int = DEFAULT_MEGABYTES,
    seed: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    on_stage: OnStage | None = None,
) -> Verification:
    """Prove or refute what a well-formed game must have, and the user's own properties.

    Args:
        game: A ruleset id, a rule file or a ruleset.
        probes: Formulas that must never hold, or must be possible.
        seconds: Wall-clock time for everything.
        megabytes: Memory of the whole process.
        seed: Of the random plays.
        limits: What reading the rules may take.
        on_stage: Told how far things are.

    Raises:
        UnknownRulesetError: There is no such ruleset or file.
        GdlSyntaxError: The rules, or a formula, cannot be read.
        CompileError: The rules cannot be made into a circuit.
        GdlError: The packages of the extra ``verify`` are missing.
    """
    ruleset = game if isinstance(game, Ruleset) else find(game, limits=limits)
    require_packages()
    return _Trial(ruleset, tuple(probes), Budget(seconds, megabytes), seed, limits, on_stage).run()


class _Trial:
    """One game under examination."""

    def __init__(  # noqa: PLR0913, PLR0917  # what verify was asked
        self,
        ruleset: Ruleset,
        probes: tuple[Probe, ...],
        budget: Budget,
        seed: int,
        limits: Limits,
        on_stage: OnStage | None,
    ) -> None:
        from gdl.reason.machine import Reasoner

        self.ruleset, self.budget, self.seed, self.on_stage = ruleset, budget, seed, on_stage
        description = ruleset.description
        plain = Reasoner(description, limits=limits)
        if probes:
            description = with_probes(description, plain.roles[0], probes)
        self.machine: Any = Reasoner(description, limits=limits) if probes else plain
        self.circuit, self.own = take_probes(build(description), probes)
        self.prover = Prover(game_system(self.circuit), budget, seed, on_stage)

    def run(self) -> Verification:
        """Ask everything; a spent budget or Ctrl-C leaves the rest open."""
        verdicts: list[Verdict] = []
        questions: list[Callable[[], Verdict]] = []
        try:
            self.prover.play()
            self.prover.learn()  # a bound on the length of play rests on counts, in small games too
        except (OutOfBudgetError, KeyboardInterrupt):
            pass
        total = _total(self.circuit, self.prover.sampled)
        questions.append(self._terminating)
        asked = (*standard_properties(self.circuit, total), *self.own)
        questions += (partial(self._decide, each) for each in asked)
        questions += (self._moves, self._facts)
        for question in questions:
            try:
                verdicts.append(question())
            except KeyboardInterrupt:
                break
        return Verification(self.ruleset.id, tuple(verdicts))

    def _system(self) -> System:
        return self.prover.system

    def _share(self) -> Budget:
        return self.budget.share(max(1.0, SHARE * self.budget.left))

    def _decide(self, asked: Property) -> Verdict:
        """Return the verdict on one property."""
        play, is_shortest, is_proved, depth, text = self._reach(asked.name, asked.edge)
        if play is not None:
            joints = self._confirmed(play, asked)
            status: Status = "proved" if asked.is_possible else "refuted"
            return Verdict(asked.name, asked.claim, status, text, len(joints), joints, is_shortest)
        if is_proved:
            status = "refuted" if asked.is_possible else "proved"
            return Verdict(asked.name, asked.claim, status, text, depth)
        return Verdict(asked.name, asked.claim, "open", text, depth)

    def _reach(self, name: str, edge: Lit) -> tuple[Play | None, bool, bool, int, str]:
        """Return a play to a state, whether it is shortest, whether none exists, and how."""
        if edge == 0:
            return None, False, True, -1, "no state can: its circuit is constant"
        bads = (Bad(name, edge),)
        met = sample(self._system().asking(bads), self._share(), seed=self.seed, lanes=128).play
        found = self.prover.ask(bads, budget=self._share())
        if found.play is not None:
            return found.play, True, True, len(found.play), found.method
        if met is not None:
            return tuple(met), False, False, len(met), f"random play; {found.method}"
        return None, False, found.proved, found.depth, found.method

    def _confirmed(self, play: Play, asked: Property) -> tuple[JointMove, ...]:
        """Return the joint moves of a play that the reasoner confirms.

        Raises:
            WitnessError: It does not.
        """
        state = self.machine.initial()
        joints: list[JointMove] = []
        for chosen in play:
            joint = tuple(
                moves[choice] for moves, choice in zip(self.circuit.moves, chosen, strict=True)
            )
            if self.machine.is_terminal(state):
                raise WitnessError(f"{asked.name}: the play found goes on after the end")
            state = self.machine.successor(state, joint)
            joints.append(joint)
        if not asked.shows(self.machine, state):
            raise WitnessError(f"{asked.name}: the reasoner does not see what the solver found")
        return tuple(joints)

    def _terminating(self) -> Verdict:
        claim = "every play comes to an end"
        looped = self._loop()
        if looped is not None:
            joints, back = looped
            text = f"after {len(joints)} moves the state of {back} moves is there again"
            return Verdict("terminating", claim, "refuted", text, len(joints), joints)
        step = transition(self._system().asking(()), self.prover.invariants.same)
        frames = Frames(step, self.prover.invariants, self.prover.sums)
        search = Search(step, self.prover.invariants, frames, self._share())
        try:
            found = search.bound(max_depth=MAX_BOUND)
        finally:
            search.close()
        if found.proved:
            text = f"after {found.depth} moves at the latest"
            return Verdict("terminating", claim, "proved", text, found.depth)
        text = f"{found.method}; plays of {found.depth} moves may exist"
        return Verdict("terminating", claim, "open", text, found.depth)

    def _loop(self) -> tuple[tuple[JointMove, ...], int] | None:
        """Return a random play that comes back to a state, and the ply at which it was there."""
        import random

        chance = random.Random(self.seed)  # noqa: S311  # play, not secrets
        budget = self.budget.share(3)
        for _ in range(20):
            state = self.machine.initial()
            joints: list[JointMove] = []
            seen: dict[Any, int] = {}
            while not self.machine.is_terminal(state) and budget.left and len(joints) < MAX_BOUND:
                if state in seen:
                    return tuple(joints), seen[state]
                seen[state] = len(joints)
                options = [self.machine.legal(state, role) for role in self.machine.roles]
                if not all(options):
                    break
                joints.append(tuple(chance.choice(moves) for moves in options))
                state = self.machine.successor(state, joints[-1])
        return None

    def _moves(self) -> Verdict:
        circuit = self.circuit
        going = circuit.terminal ^ 1
        wanted = {
            f"{role}: {move}": circuit.aig.conj(going, edge)
            for role, moves, row in zip(circuit.roles, circuit.moves, circuit.legal, strict=True)
            for move, edge in zip(moves, row, strict=True)
        }
        claim = f"each of {len(wanted)} moves can become legal"
        return self._covered("moves reachable", claim, wanted, "never legal")

    def _facts(self) -> Verdict:
        circuit = self.circuit
        wanted = {
            str(fact): edge ^ int(index in circuit.initial)
            for index, (fact, edge) in enumerate(
                zip(circuit.facts, circuit.fact_inputs, strict=True)
            )
        }
        claim = f"each of {len(wanted)} facts can change"
        return self._covered("facts change", claim, wanted, "never changes")

    def _covered(self, name: str, claim: str, wanted: dict[str, Lit], what: str) -> Verdict:
        """Return whether each of many things can be reached."""
        left = self._unseen(wanted)
        share = self._share()
        while left:
            bad = Bad(name, disj_all(self.circuit.aig, left.values()))
            found = self.prover.ask((bad,), budget=share)
            if found.play is None:
                names = ", ".join([*left][:LISTED]) + (", ..." if len(left) > LISTED else "")
                status: Status = "refuted" if found.proved else "open"
                text = f"{what}: {names}" if found.proved else f"not seen: {names}; {found.method}"
                return Verdict(name, claim, status, text, found.depth)
            left = self._after(found.play, left)
        return Verdict(name, claim, "proved", "each was reached")

    def _unseen(self, wanted: dict[str, Lit]) -> dict[str, Lit]:
        """Return what no sampled state shows."""
        import numpy as np

        states = [s for s in (*self.prover.sampled.going, *self.prover.sampled.stopped) if s.size]
        if not states:
            return wanted
        looker = Simulator(self.circuit.aig, self.circuit.fact_inputs, list(wanted.values()))
        shown = np.zeros(len(wanted), np.bool_)
        for part in states:
            shown |= looker.run(part).any(axis=1)
        return {n: e for (n, e), ok in zip(wanted.items(), shown, strict=True) if not ok}

    def _after(self, play: Play, wanted: dict[str, Lit]) -> dict[str, Lit]:
        """Return what the states of a play leave unseen."""
        import numpy as np

        circuit = self.circuit
        inputs = [*circuit.fact_inputs, *(e for row in circuit.move_inputs for e in row)]
        mover = Simulator(circuit.aig, inputs, circuit.next)
        looker = Simulator(circuit.aig, circuit.fact_inputs, list(wanted.values()))
        state = np.array(self._system().initial, np.bool_)[:, None]
        for chosen in play:
            joint = [
                move == choice
                for moves, choice in zip(circuit.moves, chosen, strict=True)
                for move in range(len(moves))
            ]
            state = mover.run(np.concatenate([state, np.array(joint, np.bool_)[:, None]]))
        shown = looker.run(state)[:, 0]
        return {n: e for (n, e), ok in zip(wanted.items(), shown, strict=True) if not ok}


def _total(circuit: GameCircuit, found: Sample) -> int | None:
    """Return the sum of the goals with which the first sampled play ended, None without one."""
    import numpy as np

    ends = [states[:, :1] for states in found.stopped if states.shape[1]]
    if not ends:
        return None
    edges = [edge for row in circuit.goals for _, edge in row]
    values = [value for row in circuit.goals for value, _ in row]
    shown = Simulator(circuit.aig, circuit.fact_inputs, edges).run(np.concatenate(ends, axis=1))
    return int(sum(value for value, ok in zip(values, shown[:, 0], strict=True) if ok))
