"""Learning to play from the rules alone, and telling how well it went.

What stands where:

- which facts are looked at together: `patterns` (what decides how plays end, and lets a move win),
  `influence` (what gates have in common), `changeable_groups` (what a legal move may change now),
  `tuples` (groups of facts grown by these, those that symmetries make of each other sharing their
  weights)
- what every training is: `resumable` (the loop, its files, one program at a time)
- value learning: `temporal_difference` (self-play in machine code), `training` (what is remembered,
  refusals), `mixing_weight` (how far a network is to be believed beside playouts),
  `curves` (how it went on, as a file and as a plot)
- trees for many games at once, judged by any function of arrays: `search` walks, `trees` keeps,
  `halving` chooses at roots by Gumbel, `found` is what came of it
- games played into a folder by several processes or machines: `batches`; value learning from such
  games, round by round: `rounds`
- deep networks, for games of more kinds: ``deep/``
- player against player: `evaluation`

What is learned is a `gdl.play.value_network`, by which players of `gdl.play` judge, or a
`gdl.play.deep`.
"""

from __future__ import annotations
