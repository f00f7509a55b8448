"""The and-inverter graph, on which compiler, machine code and proofs stand.

It knows terms, which name its facts and moves, and nothing else of a game.
"""
