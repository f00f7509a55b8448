"""Questions that people ask once a verdict is known.

What stands where:

- how can it be mended: `repair` searches, `requirements` says what has to hold, `changes` what may
  be changed (`argument_sorts`: which terms may stand where), `defaults` what may be put in where
  rules say nothing; `patch` makes a text and a difference of it
- what a proof rests on: `proof_core` (what it needs), `reasons` (what would break it)
- in what else two games differ: `differences`
- what can still come of a position: `prospects`
"""
