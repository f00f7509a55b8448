"""The game as other programs speak it: PettingZoo, Gymnasium, OpenSpiel, and arrays.

In: a ruleset id, a rule file or a `gdl.game.Game`. Out: an environment of that program, for
any game.

What stands where:

- doorways: `pettingzoo`, `gymnasium`, `openspiel`, `vector` (arrays)
- what all of them share: `course` (who is asked, and what follows), `moves` (the table of moves),
  `planes` (what is seen), `vocabulary`, `raster` (images), `arguments`, `packages`
- behind the doorways: `aec`, `parallel`, `seat`, `scene`; `spiel_game`, `spiel_views`, `profile`;
  `lanes_env`
"""
