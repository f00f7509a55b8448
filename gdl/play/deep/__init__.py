"""Deep networks as players: what `gdl.learn.deep` learned, asked by numpy alone.

What stands where:

- `network`: a file of ``gdl train --deep``, checked before it is believed; the layers
- `eyes`: a state of any back end as the network sees it, a move as it numbers it
- `search`: the tree that goes by its priors and values; `player`: who plays by it
"""
