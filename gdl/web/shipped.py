"""The rulesets that a server offers: read once, found by their ids.

In: ids. Out: rulesets as matches pin them. An id is a key of a table that is made when the
server starts; no part of a request is ever a path.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

from gdl.game import Game, load
from gdl.match.match import Header, start
from gdl.match.pin import digest, pin, unpin
from gdl.ruleset import rulesets
from gdl.web.problems import ProblemError

KEPT: Final = 64
"""Games that are kept ready, old versions of rulesets among them."""


class Shipped:
    """Rulesets by id."""

    def __init__(self) -> None:
        """Find the rulesets."""
        self._rulesets = {ruleset.id: ruleset for ruleset in rulesets()}
        self._pinned: dict[str, Mapping[str, Any]] = {}
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._over: dict[str, bool] = {}

    def listed(self) -> list[dict[str, Any]]:
        """Return what a list says of each."""
        return [
            {
                "id": ruleset.id,
                "title": ruleset.title,
                "version": ruleset.version,
                "summary": ruleset.summary,
                "gameId": ruleset.game_id,
                "rulesetVersion": ruleset.ruleset_version,
            }
            for ruleset in self._rulesets.values()
        ]

    def pinned(self, id_: str) -> Mapping[str, Any]:
        """Return a ruleset as matches pin it.

        Raises:
            ProblemError: There is no such id.
        """
        if id_ not in self._rulesets:
            known = ", ".join(self._rulesets)
            raise ProblemError(
                404, "unknown-ruleset", f"there is no ruleset {id_[:100]}", expected=known
            )
        if id_ not in self._pinned:
            self._pinned[id_] = pin(self._rulesets[id_])
        return self._pinned[id_]

    def is_shipped(self, pinned: Mapping[str, Any]) -> bool:
        """Return whether a pinned ruleset is exactly one of these."""
        id_ = pinned.get("id")
        return id_ in self._rulesets and dict(pinned) == self.pinned(id_)

    def roles(self, id_: str) -> tuple[str, ...]:
        """Return the roles of a ruleset, in order.

        Raises:
            ProblemError: There is no such id.
        """
        return self.game(self.pinned(id_)).roles

    def is_over(self, id_: str) -> bool:
        """Return whether a match of a ruleset is over before anybody has moved.

        Raises:
            ProblemError: There is no such id.
        """
        if id_ not in self._over:
            pinned = self.pinned(id_)
            match = start(Header("", pinned), game=self.game(pinned))
            self._over[id_] = match.outcome is not None
        return self._over[id_]

    def game(self, pinned: Mapping[str, Any]) -> Game:
        """Return the game of a pinned ruleset: one for all matches of it.

        Raises:
            GdlError: It cannot be played.
        """
        name = digest(json.dumps(dict(pinned), sort_keys=True))
        game = self._games.pop(name, None)
        if game is None:
            game = load(unpin(pinned), backend="reason")
        self._games[name] = game
        while len(self._games) > KEPT:
            self._games.popitem(last=False)
        return game
