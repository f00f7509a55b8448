"""Differences, equivalence and properties of games: circuits, SAT solvers, induction.

What stands where, the entrances first, what they rest on last:

- entrances: `diff` (two games), `verdicts` (one game), `models` and `export` (AIGER for others)
- what they answer: `answer`, `report`, `replay` and `witness` (a play that was
  found, played again on the rules as written)
- properties: `trial` (what is asked of a game), `properties`, `probes` (a user's own), `decide`,
  `coverage`, `firing`, `watch`, `ending` (does every play end?), `progress`, `ranking`, `loops`
- which roles and moves of two games stand for each other: `vocabulary`, `matching`, `shape`,
  `part`, `effects`, `structure`, `portrait`, `turns` (plies against turns), and without any circuit
  `isomorphism`, `normal`; `side` is one game of the two
- proofs: `prove` (all stages), `search` (bounded, then induction), `arrival`, `unroll`, `frames`,
  `invariants`, `breadth`
- systems to ask about: `system`, `product` (two games, one play), `transition`, `cofactor`,
  `clock`, `space` (all states); played at random: `simulate`, `sampling`, `lockstep`
- solvers: `sat`, `counting`, `certificate` (proofs to be checked by others), `budget`
"""
