"""Plays that were found, replayed by the definition of what rules mean.

In: a play in choices. Out: its joint moves and the states that the reasoner comes through;
an error where it does not agree, since then this package is at fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gdl.circuit.game import GameCircuit
from gdl.machine import JointMove
from gdl.verify.properties.well_formed import Property
from gdl.verify.replay import WitnessError
from gdl.verify.systems.system import Play


@dataclass(frozen=True, slots=True)
class Witness:
    """Replays plays of one game.

    Attributes:
        machine: A reasoner.
        circuit: The game in whose choices plays are.
    """

    machine: Any
    circuit: GameCircuit

    def replay(self, play: Play, name: str) -> tuple[list[Any], tuple[JointMove, ...]]:
        """Return the states of a play, the first included, and its joint moves.

        Raises:
            WitnessError: A move is not legal, or play goes on after the end.
        """
        machine = self.machine
        states = [machine.initial()]
        joints: list[JointMove] = []
        for chosen in play:
            joint = tuple(
                moves[choice] for moves, choice in zip(self.circuit.moves, chosen, strict=True)
            )
            if machine.is_terminal(states[-1]):
                raise WitnessError(f"{name}: the play found goes on after the end")
            states.append(machine.successor(states[-1], joint))
            joints.append(joint)
        return states, tuple(joints)

    def confirmed(self, play: Play, asked: Property) -> tuple[JointMove, ...]:
        """Return the joint moves of a play after which the reasoner sees what was asked.

        Raises:
            WitnessError: It does not.
        """
        states, joints = self.replay(play, asked.name)
        last = (states[-2], joints[-1]) if joints else None
        if not asked.shows(self.machine, states[-1], last):
            raise WitnessError(f"{asked.name}: the reasoner does not see what the solver found")
        return joints
