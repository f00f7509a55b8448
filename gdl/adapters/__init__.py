"""The game as other programs speak it: PettingZoo, Gymnasium, OpenSpiel, and arrays.

In: a ruleset id, a rule file or a `gdl.game.Game`. Out: an environment of that program, for
any game.

What stands where:

- doorways: `pettingzoo`, `gymnasium`, `openspiel`, `vector` (arrays), `jax`
- what all of them share: `markov_game` (who chooses, what follows, rewards), `moves` (the table of
  moves), `walk` (from position to position, by numbers where that can be), `propositions`, `image`,
  `arguments`, `packages`
- behind the doorways: `environment`, `aec`, `guarded` (the usual wrappers in one), `parallel`,
  `single_agent`, `vector_seat` (the same in many games at once); `spiel_game`, `spiel_observers`,
  `spiel_structs`, `game_type`; `vector_env`, `rows` (what is saved of a game beside its position,
  and its chance), `seen` (types, and boards turned to who looks), `symmetries`; `jax_env`
"""
