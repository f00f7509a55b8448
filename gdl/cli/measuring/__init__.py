"""Commands that count and time: `bench`, `perft`, `simulate`, `solve`, `force`, `train`."""
