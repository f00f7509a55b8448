"""A published rule file, asked the questions of a reference engine about the same game."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gdl.game import Game
from gdl.language.syntax import Compound, Constant, Term
from gdl.state import State

EMPTY = "."


@dataclass(frozen=True)
class PublishedReference:
    """Another description of a shipped game (`gdl.conform.Reference`).

    Roles, moves and facts are translated to the shipped names by functions on terms.
    """

    game: Game
    shipped: Game
    roles_as: Mapping[str, str]
    """The shipped name of each role."""
    move_as: Callable[[Term], Term] = field(default=lambda move: move)
    move_from: Callable[[Term], Term] = field(default=lambda move: move)
    """The published move of a shipped one."""
    fact_as: Callable[[Term], Term] = field(default=lambda fact: fact)
    has_open_goals: bool = False
    """Whether its goals count while the game goes on; ours are 0 then, others none or 70."""

    @property
    def roles(self) -> tuple[str, str]:
        first, second = self.roles_as.values()
        return first, second

    def initial(self) -> State:
        return self.game.initial()

    def to_move(self, position: State) -> str | None:
        if position.is_terminal:
            return None
        (mover,) = position.movers
        return self.roles_as[mover]

    def legal_moves(self, position: State) -> tuple[Term, ...]:
        return () if position.is_terminal else tuple(position.legal())

    def play(self, position: State, move: Term, role: str | None = None) -> State:
        if role not in (None, self.to_move(position)):
            raise ValueError(f"it is not the turn of {role}")
        return position.play(move)

    def is_terminal(self, position: State) -> bool:
        return position.is_terminal

    def goals(self, position: State) -> dict[str, int]:
        return {shipped: self._goal(position, role) for role, shipped in self.roles_as.items()}

    def _goal(self, position: State, role: str) -> int:
        return position.goal(role) if self.has_open_goals or position.is_terminal else 0

    def key(self, position: State) -> object:
        return position.facts

    def parse(self, text: str) -> Term:
        return self.move_from(self.shipped.move(text))

    def format(self, move: Term) -> str:
        return self.shipped.ruleset.notation.format(self.move_as(move))

    def draw(self, position: State) -> str:
        board = self.shipped.ruleset.board({self.fact_as(fact) for fact in position.facts})
        assert board is not None
        return "\n".join(
            "".join(EMPTY if mark is None else mark.title[0] for mark in row) for row in board.cells
        )


def rename(names: Mapping[int, Mapping[str, str]]) -> Callable[[Term], Term]:
    """Return a function that renames the constants at some places of a compound.

    Args:
        names: For each place, counted from 0, what its constants are called instead.
    """

    def renamed(term: Term) -> Term:
        if not isinstance(term, Compound):
            return term
        return Compound(
            term.name,
            tuple(
                Constant(names.get(place, {}).get(str(each), str(each)))
                for place, each in enumerate(term.args)
            ),
        )

    return renamed
