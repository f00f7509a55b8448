"""The game as other programs speak it: PettingZoo, Gymnasium, OpenSpiel, and arrays.

In: a ruleset id, a rule file or a `gdl.game.Game`. Out: an environment of that program, for
any game. What all of them share is in `moves` (the table of moves), `planes` (what is seen)
and `course` (who is asked, and what follows).
"""
