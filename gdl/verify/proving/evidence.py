"""What an answer rests on, kept beside it so that others can check it.

Plain values: whoever proves returns them, and `certificates` writes them down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from gdl.certify.names import NO_SHORTER, UP_TO
from gdl.verify.proving.balance_guesses import Balance
from gdl.verify.proving.frames import Frames
from gdl.verify.proving.invariants import Clause, Invariants
from gdl.verify.systems.state_space import StateSpace
from gdl.verify.systems.system import Bad, Play, System
from gdl.verify.systems.wide_space import WideSpace


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
class KInduction:
    """Nothing bad is true after fewer than k moves, nor after k states that are not bad.

    Attributes:
        system: The system, with everything that was denied as its bads.
        invariants: What holds where play goes on, as long as nothing was bad.
        k: The number of states.
        is_simple: Whether that is so only of states that differ.
    """

    system: System
    invariants: Invariants
    k: int
    is_simple: bool


@dataclass(frozen=True, slots=True)
class BalancedInduction:
    """Nothing bad is true at first, nor after a move from where counts are what they always are.

    Attributes:
        system: The system, with everything that was denied as its bads.
        invariants: What holds where play goes on, and takes balances to be shown.
        balances: Counts of facts that are the same in all states of a play.
    """

    system: System
    invariants: Invariants
    balances: tuple[Balance, ...]


@dataclass(frozen=True, slots=True)
class ByPly:
    """What is known of the states after so many moves, which may help to show a length.

    Attributes:
        frames: Invariants, and counts of each ply.
        forbidden: Of a ply, clauses that hold of each state that so many moves lead to.
    """

    frames: Frames
    forbidden: dict[int, list[Clause]]


@dataclass(frozen=True, slots=True)
class AllStates:
    """None of the states that play reaches is bad.

    Attributes:
        space: All of them, or of few what each move does, too; or the system whose states they
            are, which are then found anew.
        bads: What was denied.
        longest: Moves of the longest play, where that was asked.
    """

    space: StateSpace | WideSpace | System
    bads: tuple[Bad, ...]
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class Lengths:
    """Nothing bad is true after so many moves, or fewer.

    Attributes:
        system: The system, with what was denied as its bads.
        length: The number of moves.
        by_ply: What may help to show it.
    """

    system: System
    length: int
    by_ply: ByPly | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """Likewise, as all states were looked at that so many moves lead to.

    Attributes:
        system: The system, with what was denied as its bads.
        length: The number of moves.
    """

    system: System
    length: int


@dataclass(frozen=True, slots=True)
class NoLonger:
    """Nothing bad is true after so many moves, or fewer, and no play is longer.

    Attributes:
        system: The system, with what was denied as its bads.
        length: The number of moves.
        by_ply: What may help to show it.
    """

    system: System
    length: int
    by_ply: ByPly | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """Something bad is true after a play.

    Attributes:
        system: The system, with what is shown as its bads.
        play: The play.
        is_shortest: Whether nothing bad is true after fewer moves.
        by_ply: What may help to show that.
        beside: Another play, where what is claimed takes two: ends that give other sums.
    """

    system: System
    play: Play
    is_shortest: bool
    by_ply: ByPly | None = None
    beside: Play | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """Each bad of a system is true in some state that play reaches.

    Attributes:
        system: The system, with what is reached as its bads.
        plays: Plays that show some of them; random plays show most.
        seed: Of these.
    """

    system: System
    plays: tuple[Play, ...]
    seed: int


@dataclass(frozen=True, slots=True)
class ComesBack:
    """A play comes back to a state, so that play need not end.

    Attributes:
        system: The system.
        play: The play.
        back: After how many of its moves the last state was there before.
    """

    system: System
    play: Play
    back: int


@dataclass(frozen=True, slots=True)
class Ends:
    """No play is longer than so many moves.

    Attributes:
        system: The system.
        length: The number of moves.
        by_clock: Whether what runs by itself, whatever is played, shows it.
        by_ply: What may help to show it.
    """

    system: System
    length: int
    by_clock: bool
    by_ply: ByPly | None = None


@dataclass(frozen=True, slots=True)
class UsedUp:
    """So many moves in a row always use up one of some groups of facts, and none comes back.

    Attributes:
        system: The system.
        invariants: What holds where play goes on.
        groups: Facts, each with a value: where one of a group has it, the group is used up.
        steps: Moves in a row; 1 where each move uses up one.
    """

    system: System
    invariants: Invariants
    groups: tuple[tuple[tuple[int, bool], ...], ...]
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Lowered:
    """So many moves in a row always lower a weighted sum of facts.

    Attributes:
        system: The system.
        invariants: What holds where play goes on.
        weights: Of each fact that counts.
        drop: By how much they lower the sum, at least.
        steps: Moves in a row; 1 where each move lowers it.
    """

    system: System
    invariants: Invariants
    weights: dict[int, int]
    drop: int
    steps: int = 1


Word: TypeAlias = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class SameRules:
    """Two lists of clauses are the same up to names.

    Attributes:
        rules: The clauses of each, as KIF.
        words: Words of the first, each with that of the other, where it is another: name, arity,
            and ``relation`` or ``term``.
        places: Words of the first, each with where its arguments go, where that is elsewhere.
        variables: Of each clause of the first what its variables are called in the other.
    """

    rules: tuple[tuple[str, ...], tuple[str, ...]]
    words: tuple[tuple[Word, Word], ...]
    places: tuple[tuple[Word, tuple[int, ...]], ...]
    variables: tuple[dict[str, str], ...]


Evidence: TypeAlias = (
    Induction
    | KInduction
    | BalancedInduction
    | AllStates
    | Lengths
    | Levels
    | NoLonger
    | Shown
    | Reached
    | ComesBack
    | Ends
    | UsedUp
    | Lowered
    | SameRules
)


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that was answered, and why.

    Attributes:
        name: The claim.
        evidence: What others can check; None where that has no certificate yet.
        method: What it rests on, in words.
    """

    name: str
    evidence: Evidence | None
    method: str = ""


def claims_of(name: str, evidence: Evidence | None, method: str = "") -> Iterator[Claim]:
    """Yield what an answer claims: of a play that is the shortest, two things.

    Args:
        name: What no state can be; of a play, what is the case after it.
        evidence: What the answer rests on.
        method: That in words.
    """
    if isinstance(evidence, Lengths):
        if evidence.length >= 0:
            yield Claim(f"{name}{UP_TO.format(evidence.length)}", evidence, method)
        return
    yield Claim(name, evidence, method)
    if isinstance(evidence, Shown) and evidence.is_shortest and evidence.play:
        shorter = Lengths(evidence.system, len(evidence.play) - 1, evidence.by_ply)
        yield Claim(f"{NO_SHORTER}{name}", shorter, method)
