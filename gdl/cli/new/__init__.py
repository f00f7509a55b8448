"""``gdl new``: a game that runs, written from a few answers.

`kinds` has the kinds of games and what is filled into their templates, `variant` a variant of a
ruleset that is there, `command` the questions and the files. Each template in ``templates/`` is a
game in three parts: rules, what people see of it, and tests.
"""
