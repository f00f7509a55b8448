"""What answers a formula: a SAT solver over the edges of a graph, within a budget.

What stands where:

- `sat`, `counting` (how many literals hold), `certificate` (proofs that others check), `budget`
"""
