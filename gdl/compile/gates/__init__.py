"""Ground rules to gates, and the gates made few.

What stands where:

- ground rules to gates: `derive`, `recursion`, `game_network`, `network`, `bounds` (what ``base``
  and ``input`` say)
- making them few: `simplify` is the entrance; `knowledge`, `groups`, `prove`, `rewrite`
- `trees`: wide gates as gates of two inputs
"""
