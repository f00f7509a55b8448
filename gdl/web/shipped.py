"""The rulesets that a server offers: read once, found by their ids.

In: ids. Out: rulesets as matches pin them. An id is a key of a table that is made when the
server starts; no part of a request is ever a path.

Source: ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdl.game import load
from gdl.match.pin import pin
from gdl.ruleset import rulesets
from gdl.web.problems import ProblemError


class Shipped:
    """Rulesets by id."""

    def __init__(self) -> None:
        """Find the rulesets."""
        self._rulesets = {ruleset.id: ruleset for ruleset in rulesets()}
        self._pinned: dict[str, Mapping[str, Any]] = {}
        self._roles: dict[str, list[str]] = {}

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
                404, "unknown-ruleset", f"there is no ruleset {id_[:100]}\n  expected: {known}"
            )
        if id_ not in self._pinned:
            self._pinned[id_] = pin(self._rulesets[id_])
        return self._pinned[id_]

    def is_shipped(self, pinned: Mapping[str, Any]) -> bool:
        """Return whether a pinned ruleset is exactly one of these."""
        id_ = pinned.get("id")
        return id_ in self._rulesets and dict(pinned) == self.pinned(id_)

    def roles(self, id_: str) -> list[str]:
        """Return the roles of a ruleset.

        Raises:
            ProblemError: There is no such id.
        """
        self.pinned(id_)
        if id_ not in self._roles:
            self._roles[id_] = list(load(self._rulesets[id_], backend="reason").roles)
        return self._roles[id_]
