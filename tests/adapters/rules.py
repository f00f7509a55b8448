"""Small games, written out: hidden facts, chance, dead ends, endless play, waiting."""

from __future__ import annotations

from pathlib import Path

PENNIES = """
; Two players show a coin at the same time; equal coins win for the first.
(role even) (role odd)
(coin head) (coin tail)
(init hidden)
(<= (legal ?player (show ?coin)) (role ?player) (coin ?coin))
(<= (next (shown ?player ?coin)) (does ?player (show ?coin)))
(<= equal (true (shown even ?coin)) (true (shown odd ?coin)))
(<= terminal (not (true hidden)))
(<= (goal even 100) equal)
(<= (goal even 0) (not equal))
(<= (goal odd 0) equal)
(<= (goal odd 100) (not equal))
"""

GUESS = """
; Chance hides a coin; who guesses it wins. The guesser sees nothing before.
(role random) (role guesser)
(side head) (side tail)
(init (step 1))
(<= (legal random (toss ?side)) (true (step 1)) (side ?side))
(<= (legal random noop) (not (true (step 1))))
(<= (legal guesser (guess ?side)) (true (step 2)) (side ?side))
(<= (legal guesser noop) (not (true (step 2))))
(<= (next (coin ?side)) (does random (toss ?side)))
(<= (next (coin ?side)) (true (coin ?side)))
(<= (next right) (does guesser (guess ?side)) (true (coin ?side)))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (sees guesser (it was ?side)) (true (step 2)) (true (coin ?side)))
(<= terminal (true (step 3)))
(<= (goal guesser 100) (true right))
(<= (goal guesser 0) (not (true right)))
(<= (goal random 0) (role random))
"""

CARD = """
; Chance deals the first player a high or a low card, which only that player sees; it says
; high or low; the second player believes it or not, and wins if that was right.
(role random) (role dealer) (role caller)
(card high) (card low)
(init (step deal))
(<= (legal random (deal ?card)) (true (step deal)) (card ?card))
(<= (legal random noop) (not (true (step deal))))
(<= (legal dealer (say ?card)) (true (step say)) (card ?card))
(<= (legal dealer noop) (not (true (step say))))
(<= (legal caller (call ?card)) (true (step call)) (card ?card))
(<= (legal caller noop) (not (true (step call))))
(<= (next (step say)) (true (step deal)))
(<= (next (step call)) (true (step say)))
(<= (next (step over)) (true (step call)))
(<= (next (holds ?card)) (does random (deal ?card)))
(<= (next (holds ?card)) (true (holds ?card)))
(<= (next (called ?card)) (does caller (call ?card)))
(<= (sees dealer (you hold ?card)) (does random (deal ?card)))
(<= (sees caller (said ?card)) (does dealer (say ?card)))
(<= right (true (holds ?card)) (true (called ?card)))
(<= terminal (true (step over)))
(<= (goal caller 100) right)
(<= (goal caller 0) (not right))
(<= (goal dealer 0) right)
(<= (goal dealer 100) (not right))
(<= (goal random 50) (role random))
"""

DICE = """
; Two players and a die move at once: the stake is taken before the die is seen.
(role black) (role random) (role white)
(face 1) (face 2) (face 3)
(init open)
(<= (legal ?player (bet ?face)) (role ?player) (distinct ?player random) (face ?face))
(<= (legal random (roll ?face)) (face ?face))
(<= (next (bet ?player ?face)) (does ?player (bet ?face)))
(<= (next (roll ?face)) (does random (roll ?face)))
(<= (right ?player) (true (bet ?player ?face)) (true (roll ?face)))
(<= terminal (not (true open)))
(<= (goal ?player 100) (right ?player))
(<= (goal ?player 0) (role ?player) (not (right ?player)))
"""

GUST = """
; A wind blows or does not, and now and then there is none: chance may do nothing.
(role random) (role walker)
(init (at 1)) (after 1 2) (after 2 3) (after 3 4) (after 4 5)
(legal random noop)
(<= (legal random blow) (true (at ?n)) (distinct ?n 1))
(legal walker walk)
(<= (legal walker wait) (true (at ?n)) (distinct ?n 1))
(<= held (does random blow) (does walker wait))
(<= (next (at ?m)) (true (at ?n)) (after ?n ?m) (not held))
(<= (next (at ?n)) (true (at ?n)) held)
(<= terminal (true (at 5)))
(goal walker 100)
(goal random 0)
"""

LISTED = """
; A counter to nine that two players push in turn; whoever gets there wins. All is listed.
(role left) (role right)
(base (count 0)) (base (count 1)) (base (count 2)) (base (count 3)) (base (count 4))
(base (turn left)) (base (turn right))
(input left (add 1)) (input left (add 2)) (input left noop)
(input right (add 1)) (input right (add 2)) (input right noop)
(init (count 0)) (init (turn left)) (other left right) (other right left)
(sum 0 1 1) (sum 1 1 2) (sum 2 1 3) (sum 3 1 4) (sum 0 2 2) (sum 1 2 3) (sum 2 2 4) (sum 3 2 4)
(<= (legal ?r (add 1)) (true (turn ?r)))
(<= (legal ?r (add 2)) (true (turn ?r)))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (count ?m)) (does ?r (add ?k)) (true (count ?n)) (sum ?n ?k ?m))
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= terminal (true (count 4)))
(<= (goal ?r 100) (role ?r) (not (true (turn ?r))))
(<= (goal ?r 0) (true (turn ?r)))
"""

DEAD_END = """
; After two steps to the left nothing is legal, and the game is not over.
(role robot)
(init (at 0)) (down 0 1) (down 1 2)
(<= (legal robot left) (true (at ?n)) (down ?n ?m))
(<= (legal robot stop) (true (at 0)))
(<= (next (at ?m)) (does robot left) (true (at ?n)) (down ?n ?m))
(<= (next done) (does robot stop))
(<= terminal (true done))
(<= (goal robot 100) (true done))
"""

ENDLESS = """
; Nothing ever comes to an end.
(role left) (role right)
(init (turn left)) (other left right) (other right left)
(<= (legal ?r (step ?n)) (true (turn ?r)) (number ?n))
(<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
(number 1) (number 2)
(<= (next (turn ?s)) (true (turn ?r)) (other ?r ?s))
(<= terminal (true never))
(<= (goal ?r 50) (role ?r))
"""

NOBODY = """
; A clock that nobody touches.
(role watcher)
(init (hour 1)) (after 1 2) (after 2 3)
(legal watcher noop)
(<= (next (hour ?n)) (true (hour ?m)) (after ?m ?n))
(<= terminal (true (hour 3)))
(goal watcher 50)
"""

TORN = """
; Both may win at once, and the goals of the first are then two.
(role a) (role b)
(init go)
(<= (legal ?r (pick ?n)) (role ?r) (number ?n))
(number 1) (number 2)
(<= (next (picked ?r ?n)) (does ?r (pick ?n)))
(<= terminal (not (true go)))
(<= (goal a 100) (true (picked a 1)))
(<= (goal a 0) (true (picked b 1)))
(<= (goal b 50) (role b))
"""


def write(folder: Path, name: str, text: str) -> Path:
    """Write a rule file."""
    path = folder / f"{name}.kif"
    path.write_text(text, encoding="utf-8")
    return path
