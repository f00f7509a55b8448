"""What a "no state can" rests on, kept beside the answer so that others can check it.

Plain values: whoever proves returns them, and `certificates` writes them down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from gdl.verify.proving.invariants import Invariants
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import Bad, System


@dataclass(frozen=True, slots=True)
class Induction:
    """Nothing bad is true at first, nor after a move from where the invariants hold.

    Attributes:
        system: The system, with everything that was denied as its bads.
        invariants: What holds where play goes on.
    """

    system: System
    invariants: Invariants


@dataclass(frozen=True, slots=True)
class AllStates:
    """None of the states that play reaches is bad.

    Attributes:
        space: All of them.
        bads: What was denied.
    """

    space: StateSpace
    bads: tuple[Bad, ...]


Evidence: TypeAlias = Induction | AllStates


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that no state can be, and why.

    Attributes:
        name: The claim.
        evidence: What others can check; None where that has no certificate yet.
        method: What it rests on, in words.
    """

    name: str
    evidence: Evidence | None
    method: str = ""
