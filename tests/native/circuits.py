"""Circuits built by hand, small enough to be right by looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product

from gdl.circuit.aig import FALSE, TRUE, Aig, Lit, negate
from gdl.circuit.game import GameCircuit
from gdl.language.syntax import Compound, Constant, Term

LINES = (
    *((3 * r, 3 * r + 1, 3 * r + 2) for r in range(3)),
    *((c, c + 3, c + 6) for c in range(3)),
    (0, 4, 8),
    (2, 4, 6),
)


def conj(aig: Aig, edges: Sequence[Lit]) -> Lit:
    result = TRUE
    for edge in edges:
        result = aig.conj(result, edge)
    return result


def disj(aig: Aig, edges: Sequence[Lit]) -> Lit:
    return negate(conj(aig, [negate(edge) for edge in edges]))


def tictactoe() -> GameCircuit:
    """Tic-tac-toe; facts: nine x, nine o, whether x is to move."""
    aig = Aig()
    marks = [[aig.add_input() for _ in range(9)] for _ in range(2)]
    x_to_move = aig.add_input()
    moves = tuple(tuple(aig.add_input() for _ in range(10)) for _ in range(2))
    turns = (x_to_move, negate(x_to_move))
    empty = [aig.conj(negate(x), negate(o)) for x, o in zip(*marks, strict=True)]
    won = [disj(aig, [conj(aig, [marks[p][i] for i in line]) for line in LINES]) for p in range(2)]
    full = conj(aig, [negate(edge) for edge in empty])
    drawn = conj(aig, [negate(won[0]), negate(won[1])])
    goals = (
        ((0, won[1]), (50, drawn), (100, won[0])),
        ((0, won[0]), (50, drawn), (100, won[1])),
    )
    squares: list[Term] = [Compound("mark", (Constant(str(i)),)) for i in range(9)]
    return GameCircuit(
        roles=(Constant("x"), Constant("o")),
        facts=(
            *(Compound("cell", (Constant(str(i)), Constant(s))) for s in "xo" for i in range(9)),
            Compound("control", (Constant("x"),)),
        ),
        initial=frozenset({18}),
        moves=((*squares, Constant("noop")),) * 2,
        aig=aig,
        fact_inputs=(*marks[0], *marks[1], x_to_move),
        move_inputs=moves,
        legal=tuple((*(aig.conj(turn, edge) for edge in empty), negate(turn)) for turn in turns),
        next=(
            *(aig.disj(marks[p][i], moves[p][i]) for p in range(2) for i in range(9)),
            negate(x_to_move),
        ),
        terminal=disj(aig, [*won, full]),
        goals=goals,
    )


def urn(balls: int, inside: Sequence[Sequence[int]], *, waits: int = 0) -> GameCircuit:
    """Each role draws one of the balls that are inside its urn, all at once; then all is over.

    What is inside is a fact, so that nothing of the choice is constant. With ``waits``, all
    roles say noop so many plies first. Goals tell the ball: role r gets the number it drew.
    """
    aig = Aig()
    roles = len(inside)
    held = [[aig.add_input() for _ in range(balls)] for _ in range(roles)]
    drawn = [[aig.add_input() for _ in range(balls)] for _ in range(roles)]
    clock = [aig.add_input() for _ in range(waits)]
    moves = tuple(tuple(aig.add_input() for _ in range(balls + 1)) for _ in range(roles))
    ready = clock[-1] if clock else TRUE
    over = disj(aig, [disj(aig, edges) for edges in drawn])
    ticks = [TRUE, *clock][:waits]
    names: list[Term] = [
        Compound(kind, (Constant(str(r)), Constant(str(b))))
        for kind, r, b in product(("held", "drawn"), range(roles), range(balls))
    ]
    names += [Compound("tick", (Constant(str(i)),)) for i in range(waits)]
    return GameCircuit(
        roles=tuple(Constant(f"r{r}") for r in range(roles)),
        facts=tuple(names),
        initial=frozenset(r * balls + b for r in range(roles) for b in inside[r]),
        moves=((*(Constant(f"b{b}") for b in range(balls)), Constant("noop")),) * roles,
        aig=aig,
        fact_inputs=(*chain(*held), *chain(*drawn), *clock),
        move_inputs=moves,
        legal=tuple(
            (*(aig.conj(ready, edge) for edge in held[r]), negate(ready)) for r in range(roles)
        ),
        next=(
            *chain(*held),
            *(moves[r][b] for r in range(roles) for b in range(balls)),
            *ticks,
        ),
        terminal=over,
        goals=tuple(tuple((b, drawn[r][b]) for b in range(balls)) for r in range(roles)),
    )


def walk(steps: int) -> GameCircuit:
    """A token goes left, right or stays, on a ring of ``steps`` places; over when back at 0.

    Staying is its own move, so a lane that sits out must not be taken to stay.
    """
    aig = Aig()
    at = [aig.add_input() for _ in range(steps)]
    moved = aig.add_input()
    left, right, stay = moves = tuple(aig.add_input() for _ in range(3))
    legal_stay = disj(aig, at[::2])
    following = []
    for i in range(steps):
        arrive = [
            aig.conj(at[(i + 1) % steps], left),
            aig.conj(at[(i - 1) % steps], right),
            aig.conj(at[i], stay),
        ]
        following.append(disj(aig, arrive))
    return GameCircuit(
        roles=(Constant("walker"),),
        facts=(*(Compound("at", (Constant(str(i)),)) for i in range(steps)), Constant("moved")),
        initial=frozenset({0}),
        moves=(tuple(Constant(name) for name in ("left", "right", "stay")),),
        aig=aig,
        fact_inputs=(*at, moved),
        move_inputs=(moves,),
        legal=((TRUE, TRUE, legal_stay),),
        next=(*following, TRUE),
        terminal=aig.conj(moved, at[0]),
        goals=(((100, TRUE),),),
    )


def stuck() -> GameCircuit:
    """Two plies; after ``bad`` nobody has a move and the game is not over."""
    aig = Aig()
    bad_held, over = aig.add_input(), aig.add_input()
    good, bad = aig.add_input(), aig.add_input()
    alive = aig.conj(negate(bad_held), negate(over))
    return GameCircuit(
        roles=(Constant("player"),),
        facts=(Constant("bad"), Constant("over")),
        initial=frozenset(),
        moves=((Constant("good"), Constant("bad")),),
        aig=aig,
        fact_inputs=(bad_held, over),
        move_inputs=((good, bad),),
        legal=((alive, alive),),
        next=(bad, good),
        terminal=over,
        goals=(((100, over), (0, FALSE)),),
    )


def hidden() -> GameCircuit:
    """A chooser plays high or low for three plies; a watcher sees only that it was high."""
    aig = Aig()
    plies = [aig.add_input() for _ in range(3)]
    low, high = aig.add_input(), aig.add_input()
    wait = aig.add_input()
    return GameCircuit(
        roles=(Constant("chooser"), Constant("watcher")),
        facts=tuple(Compound("ply", (Constant(str(i)),)) for i in range(3)),
        initial=frozenset(),
        moves=((Constant("low"), Constant("high")), (Constant("wait"),)),
        aig=aig,
        fact_inputs=tuple(plies),
        move_inputs=((low, high), (wait,)),
        legal=((TRUE, TRUE), (TRUE,)),
        next=(TRUE, plies[0], plies[1]),
        terminal=plies[2],
        goals=(((0, negate(plies[2])), (100, plies[2])), ((50, TRUE),)),
        sees=(((Constant("mine"), low),), ((Constant("loud"), high),)),
    )


def marbles() -> GameCircuit:
    """Three squares, four turns of a dial: a move is a free square and a turn, both kept.

    All turns of a square are legal under one condition, so the choice is a product.
    """
    aig = Aig()
    free = [aig.add_input() for _ in range(5)]
    dial = [aig.add_input() for _ in range(4)]
    moves = tuple(aig.add_input() for _ in range(20))
    placed = [disj(aig, moves[4 * i : 4 * i + 4]) for i in range(5)]
    turned = [disj(aig, moves[k::4]) for k in range(4)]
    ways = product(range(5), range(4))
    return GameCircuit(
        roles=(Constant("player"),),
        facts=(
            *(Compound("taken", (Constant(str(i)),)) for i in range(5)),
            *(Compound("dial", (Constant(str(k)),)) for k in range(4)),
        ),
        initial=frozenset({3}),
        moves=(tuple(Compound("m", (Constant(str(i)), Constant(str(k)))) for i, k in ways),),
        aig=aig,
        fact_inputs=(*free, *dial),
        move_inputs=(moves,),
        legal=(tuple(negate(free[i // 4]) for i in range(20)),),
        next=(*(aig.disj(free[i], placed[i]) for i in range(5)), *turned),
        terminal=disj(aig, dial),
        goals=(
            tuple(
                (k + 4 * i, conj(aig, [free[i], dial[k]])) for i in (0, 1, 2, 4) for k in range(4)
            ),
        ),
    )


def over() -> GameCircuit:
    """A game without facts that is over before it begins, and of which one role has no move."""
    aig = Aig()
    move = aig.add_input()
    return GameCircuit(
        roles=(Constant("idle"), Constant("busy")),
        facts=(),
        initial=frozenset(),
        moves=((), (Constant("go"),)),
        aig=aig,
        fact_inputs=(),
        move_inputs=((), (move,)),
        legal=((), (TRUE,)),
        next=(),
        terminal=TRUE,
        goals=(((30, TRUE),), ((70, TRUE), (80, FALSE))),
    )


def speechless() -> GameCircuit:
    """The same, but not over: nobody can go on."""
    return replace(over(), terminal=FALSE)
