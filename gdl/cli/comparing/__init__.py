"""Commands that compare and prove.

What stands where:

- `diff`, `verify`, and what they share: `proving`; `certify`: do their certificates hold?
- `repair`: what mends the rules
- `conform`: its options; `suite`: rulesets against the hand-written `engines`; `audit`: against
  anybody's
"""
