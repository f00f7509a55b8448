"""Which roles and moves of two games stand for each other.

What stands where:

- `correspondence` is the entrance; `side` is one game of the two
- by names and shapes: `shape`, `restriction` (a game without some moves)
- by what moves do: `effects`, `structure`, `signature`, `turns` (plies read as whole turns)
- without a circuit: `isomorphism`, `unfolded` (helpers written out)
"""
