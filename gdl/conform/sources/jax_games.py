"""Games of pgx: ``pgx:connect_four``.

pgx draws who begins; here player 0 is whoever moves first. A game that deals by chance inside
(its states after the same moves differ with the key) is refused.

Source: Koyamada et al., "Pgx: Hardware-Accelerated Parallel Game Simulators", 2023.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gdl.adapters.packages import require
from gdl.conform.source import EngineMove, Plain, SourceError

KEYS: Final = 6
"""Beginnings that must be alike."""


class PgxSource(Plain):
    """A game of pgx; moves are its action numbers."""

    def __init__(self, env: Any, name: str) -> None:  # noqa: ANN401  # pgx is optional
        """Ask an environment.

        Raises:
            SourceError: It deals by chance.
        """
        import jax

        self.name = f"pgx:{name}"
        self.version = f"pgx {_version()}, {name} {env.version}"
        self.roles = tuple(f"player {n}" for n in range(env.num_players))
        self._init, self._step = jax.jit(env.init), jax.jit(env.step)
        states = [self._init(jax.random.PRNGKey(key)) for key in range(KEYS)]
        if len({repr(state.observation.tolist()) for state in states}) > 1:
            raise SourceError(
                f"{self.name} deals by chance inside, where nobody can see or choose the outcome",
                help="wrap it as module:Class with the outcomes as moves of 'random'",
            )
        self._key = jax.random.PRNGKey(0)
        self._first = int(states[0].current_player)

    def _role(self, player: int) -> int:
        return (player - self._first) % len(self.roles)

    def initial(self) -> Any:  # noqa: ANN401
        """Return where play begins."""
        return self._init(self._key), (0.0,) * len(self.roles)

    def movers(self, position: Any) -> tuple[int, ...]:  # noqa: ANN401
        """Return whose turn it is."""
        if self.is_terminal(position):
            return ()
        return (self._role(int(position[0].current_player)),)

    def legal(self, position: Any, role: int) -> Sequence[EngineMove]:  # noqa: ANN401
        """Return the actions that the mask allows."""
        del role
        return [n for n, allowed in enumerate(position[0].legal_action_mask.tolist()) if allowed]

    def play(self, position: Any, moves: Mapping[int, EngineMove]) -> Any:  # noqa: ANN401
        """Return what follows."""
        state, paid = position
        (move,) = moves.values()
        after = self._step(state, move, self._key)
        rewards = after.rewards.tolist()
        got = (rewards[(role + self._first) % len(paid)] for role in range(len(paid)))
        return after, tuple(a + b for a, b in zip(paid, got, strict=True))

    def is_terminal(self, position: Any) -> bool:  # noqa: ANN401
        """Return whether play is over."""
        return bool(position[0].terminated or position[0].truncated)

    def returns(self, position: Any) -> tuple[float, ...]:  # noqa: ANN401
        """Return what was paid in all."""
        paid: tuple[float, ...] = position[1]
        return paid


def _version() -> str:
    from importlib.metadata import version

    return version("pgx")


def pgx_game(name: str) -> PgxSource:
    """Return a game of pgx.

    Raises:
        MissingPackageError: pgx or jax is not installed.
        SourceError: It has no such game.
    """
    require("games of pgx", "pgx", "jax", extra="pgx")
    import pgx

    if name not in pgx.available_envs():
        raise SourceError(
            f"pgx has no game {name}", expected=", ".join(map(str, pgx.available_envs()))
        )
    return PgxSource(pgx.make(name), name)
