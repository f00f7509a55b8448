"""Which roles and moves of two sources stand for each other.

What stands where:

- `find` is the entrance: what is tried in turn, and what may win
- `candidates` reads words of both sides alike, the plainest way first, `outcomes` those of chance
- `sample` meets the moves, `tokens` reads one as words, `columns` tries which words stand for which
- `graph` matches the places of a board by the steps between them
- `synonyms` takes several moves of one side for one of the other
- `race` lets candidates play the same games
- `chance` tries the orders of outcomes that are bare numbers
- `refined` matches moves by where they are legal, `rules_of_words` carries that on to moves that
  were not met
- `directions` reads a move from square to square as a square and a way
- `steps` names moves of rules by how far they lead, for engines that say a way
- `quotients` leaves the last digit of numbers out where it never tells legal moves apart
- `places` matches moves that are places in the list of legal ones
- `ends` matches moves by the ends that they lead to together
- `learned` matches moves that have no words by what they do
- `guess` takes one that agrees longest, where a bug ends nearly every game, if play vouches for it
- `counts` says whether both sides differ whichever moves stand for each other
- `doubts` says how sure the answer is, or what was tried where there is none
- `matching` is the answer, `map_file` writes and reads it
"""
