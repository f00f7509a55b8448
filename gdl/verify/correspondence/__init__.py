"""Which roles and moves of two games stand for each other.

What stands where:

- `correspondence` is the entrance; `compared_game` is one of the two
- by names and shapes: `shape_matching`, `restriction` (a game without some moves)
- by what moves do: `effect_matching`, `structure_matching` on `relational_structure`; `turns`
  (plies read as whole turns)
- without a circuit: `isomorphism`, `near_isomorphism` (of rules of which a few differ),
  `unfolded` (helpers written out)
- `percept_matching`: which of what roles see stand for each other, once moves do
- `colour_refinement`: which vertices of two graphs may stand for each other, for all of these
"""
