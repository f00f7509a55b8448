"""Commands that count and time: `bench`, `perft`, `simulate`, `solve`, `force`, `train`.

What `train` measures and shows while it learns is in `looks`.
"""
