"""A game that is typed and edited: two roles take one from a pile in turn."""

PILE = """\
(role left)
(role right)
(init (pile 3))
(init (control left))
(<= (legal ?player take) (true (control ?player)))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))
(<= (next (pile ?less)) (true (pile ?more)) (succ ?less ?more))
(<= (next (control left)) (true (control right)))
(<= (next (control right)) (true (control left)))
(<= terminal (true (pile 0)))
(<= (goal ?player 100) (role ?player) (true (pile 0)) (not (true (control ?player))))
(<= (goal ?player 0) (true (control ?player)))
(succ 0 1)
(succ 1 2)
(succ 2 3)
"""
