"""Differences, equivalence and properties of games: circuits, SAT solvers, induction."""
