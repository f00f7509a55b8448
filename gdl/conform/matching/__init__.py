"""Which roles and moves of two sources stand for each other.

What stands where:

- `find` is the entrance: candidates, and the race that decides among them
- `tokens` reads a move as words, `columns` tries which words stand for which
- `learned` matches moves that have no words by what they do
- `matching` is the answer, `map_file` writes and reads it
"""
