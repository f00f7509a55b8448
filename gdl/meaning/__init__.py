"""The definition of what a rule file means, to be read beside ``docs/semantics.md``.

Read `machine` first (how a game follows from its rules), then `model` (what follows in one
state), then `gdl.language.condition_order` (when a condition can be asked). Every faster back end
must agree with it.
"""
