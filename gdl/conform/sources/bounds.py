"""What an engine pays from and to, where it does not say: seen where play by chance ends.

Engines pay 1 and -1, or 1 and 0, or 2 for a win and 1 for a draw. What an end is worth in the units
of the rules hangs on nothing but the two bounds, and a few games show these.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Final

from gdl.conform.source import Source

GAMES: Final = 40
PLIES: Final = 2_000
"""What is played at most."""
ENOUGH: Final = 8
"""Games after which no more are played where somebody has been paid less than nothing."""


PATIENCE: Final = 4.0
"""Seconds after which no more are played once one is over: a slow engine is asked little."""


def usual_bounds(source: Source) -> tuple[float, float]:
    """Return the least and the greatest return.

    Where somebody is paid less than nothing they lie as far from it on either side. Where all are
    always paid alike, every game was a draw. An engine that fails is asked no further: a
    comparison will say so.
    """
    values: set[float] = set()
    try:
        for number, returns in enumerate(_ends(source)):
            values.update(returns)
            least = min(values, default=0.0)
            if least < 0 and number >= ENOUGH and values <= {least, 0.0, -least}:
                break
    except Exception:  # noqa: BLE001, S110  # anybody's engine
        pass
    least, most = min(values, default=0.0), max(values, default=0.0)
    if least < 0:
        most = max(-least, most)
        return -most, most
    if len(values) == 1 and len(source.roles) > 1:
        most *= 2
    if most:
        return 0.0, most
    return (0.0, 1.0) if len(source.roles) == 1 else (-1.0, 1.0)


def _ends(source: Source) -> Iterator[tuple[float, ...]]:
    """Yield what games by chance are worth."""
    rng = random.Random("bounds")  # noqa: S311  # chance for play, not for secrets
    position, games, begin = source.initial(), 0, time.monotonic()
    for _ in range(PLIES):
        if games and time.monotonic() - begin > PATIENCE:
            return
        if source.is_terminal(position):
            yield source.returns(position)
            position, games = source.initial(), games + 1
            if games == GAMES:
                return
        movers = source.movers(position)
        position = source.play(
            position, {role: rng.choice(source.legal(position, role)) for role in movers}
        )
