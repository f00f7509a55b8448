"""Lanes: playouts of hundreds of games at once, one in each bit of a vector.

What stands where:

- `playouts` is the entrance; `layout` (memory), `assembly`, `loop` (around the plies)
- a ply: `ply` (its logic), `choose` (a uniform choice) by `random_rank`
- `histogram`: how games ended, by length and goals
"""
