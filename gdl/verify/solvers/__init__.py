"""What answers a formula: a SAT solver over the edges of a graph, within a budget.

What stands where:

- `sat`, `cardinality` (how many literals hold), `proof_log` (proofs that others check),
  `hints` (why each of their steps follows), `budget`
"""
