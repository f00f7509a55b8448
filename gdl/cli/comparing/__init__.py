"""Commands that compare and prove.

What stands where:

- `diff`, `verify`, and what they share: `proving`; `certify`: do their certificates hold?
- `conform`: rulesets against the hand-written `engines`; `audit`: against anybody's
"""
