"""The and-inverter graph, on which compiler, machine code and proofs stand.

It knows terms, which name its facts and moves, and nothing else of a game.

- the graph: `aig` (edges and gates), `game` (the circuit of a game), `names` (its edges in KIF)
- its algebra: `cone` (what edges depend on), `copy` (cones in another graph), `logic` (many-way
  gates, selection, difference), `arithmetic` (binary numbers)
- its meaning: `evaluate`; `validate` checks its invariants
- what is known of it: `phases` (facts that run by themselves in a cycle), `mutex` (candidates
  for "exactly one of these"), `products` (small sets of facts that make an edge true)
- for other tools: `aiger`, `dot`
"""
