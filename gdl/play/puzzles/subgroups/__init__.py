"""Plans for puzzles whose parts are permuted: one subgroup of the moves after the other.

Of many puzzles (a cube whose faces turn) a state falls into parts, and what becomes of a part
depends on the move and on that part alone; every move can be taken back. Then moves are
permutations of the values of each part, and a set of them that is closed (all moves, or only half
turns of some faces) leaves each part in an orbit. So a goal is reached in phases: first to where
each part is in the orbit that its goal has under fewer moves, then with these moves alone to where
that holds for still fewer, until all parts are where they belong.

Which sets of moves are good for that is found by counting: a phase should have few states (the
orbits of the parts before, by those after). Within a phase parts that move alike and have the same
orbit for their goal need not be told apart. Patterns are as many parts together as there is room
for; all states of a pattern are met breadth-first from its goals, and the greatest distance of a
pattern is a bound for iterative deepening.

What belongs together is read off the circuit, and what moves do is observed in random plays; a plan
is replayed by the rules before anybody hears of it.

`parts` (what the puzzle is made of), `move_sets` (which sets of moves make phases), `likes` (parts
that a phase need not tell apart), `patterns` (tables of states, as bounds), `deepening` (the search
of a phase, in machine code) and `phases` (one inside the other: plans).

Source: phases by subgroups as in Thistlethwaite's algorithm for Rubik's cube (1981) and Kociemba's;
patterns as bounds in Korf, "Finding Optimal Solutions to Rubik's Cube Using Pattern Databases",
AAAI 1997. Finding the subgroups by counting orbits is ours.
"""

from __future__ import annotations

from gdl.play.puzzles.subgroups.phases import Phases

__all__ = ["Phases"]
