"""The rulesets that a server offers: read once, found by their ids.

In: ids. Out: rulesets as matches pin them. An id is a key of a table that is made when the
server starts; no part of a request is ever a path.

What is read or loaded here for the first time takes from milliseconds to a second, and whoever asks
for one size of a board after the other asks for it always anew: the server does it in a thread
(`gdl.web.service.Service.of_shipped`), and itself only what is at hand.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from gdl.game import Game, load
from gdl.match.match import Header, start
from gdl.match.pin import digest, pin, unpin
from gdl.ruleset import ParameterError, Ruleset, find, rulesets
from gdl.ruleset.search import split_name
from gdl.web.agents import Offered
from gdl.web.problems import ProblemError

KEPT: Final = 64
"""Games that are kept ready, old versions of rulesets among them."""
MAX_PINNED: Final = 1024
"""Rulesets that are kept, each with other parameters."""
MAX_NAME: Final = 200
"""Characters of an id with parameters."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Offer:
    """What a match of a ruleset begins with.

    Attributes:
        pinned: The ruleset.
        roles: Its roles, in order.
        first: Who moves first; none where a match of it is over before that.
    """

    pinned: Mapping[str, Any]
    roles: tuple[str, ...]
    first: tuple[str, ...]


class Shipped:
    """Rulesets by id. Several threads may ask: each works out for itself what is not there yet."""

    def __init__(self) -> None:
        """Find the rulesets."""
        self._rulesets = {ruleset.id: ruleset for ruleset in rulesets()}
        self._pinned: OrderedDict[str, Mapping[str, Any]] = OrderedDict()
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._offers: OrderedDict[str, Offer] = OrderedDict()
        self._digests: OrderedDict[str, str] = OrderedDict()

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
                "parameters": [parameter.to_json() for parameter in ruleset.parameters],
            }
            for ruleset in self._rulesets.values()
        ]

    def pinned(self, id_: str) -> Mapping[str, Any]:
        """Return a ruleset as matches pin it; its id may give parameters (``hex?size=7``).

        Raises:
            ProblemError: There is no such id, or the ruleset has no such parameters.
        """
        pinned = self._pinned.get(id_)
        if pinned is None:
            ruleset = self._rulesets.get(id_) or self._with_parameters(id_)
            if ruleset.id != id_:  # written otherwise: 'hex?size=11' is 'hex'
                return self.pinned(ruleset.id)
            pinned = as_kept(pin(ruleset))
            keep(self._pinned, id_, pinned, MAX_PINNED)
        return pinned

    def _with_parameters(self, id_: str) -> Ruleset:
        plain, settings = split_name(id_[:MAX_NAME])
        usual = self._rulesets.get(plain)
        if usual is None or settings is None:
            ids = ", ".join(self._rulesets)
            raise ProblemError(
                404, "unknown-ruleset", f"there is no ruleset {id_[:100]}", expected=ids
            )
        try:
            return find(f"{usual.manifest}#{plain}?{settings}")
        except ParameterError as error:
            raise ProblemError(
                404, "unknown-ruleset", error.message, expected=error.expected or ""
            ) from None

    def has(self, id_: object) -> bool:
        """Return whether `pinned` has the ruleset of an id at hand; a log may name any value."""
        return isinstance(id_, str) and id_ in self._pinned

    def is_shipped(self, pinned: Mapping[str, Any]) -> bool:
        """Return whether a pinned ruleset is exactly one of these."""
        id_ = pinned.get("id")
        if not isinstance(id_, str):
            return False
        try:
            return dict(pinned) == self.pinned(id_)
        except ProblemError:
            return False

    def shared(self, pinned: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a pinned ruleset as it stands here, if it is one of these, else itself.

        What the database has given back is another value for each match: fifty kilobytes that say
        the same.
        """
        return self.pinned(pinned["id"]) if self.is_shipped(pinned) else pinned

    def offered(self, id_: str) -> Offer | None:
        """Return what `offer` does if it is at hand."""
        return self._offers.get(id_)

    def offer(self, id_: str) -> Offer:
        """Return what a match of a ruleset begins with.

        Raises:
            ProblemError: There is no such id.
        """
        offer = self._offers.get(id_)
        if offer is None:
            pinned = self.pinned(id_)
            match = start(Header("", pinned), game=self.game(pinned))
            offer = Offer(pinned, match.game.roles, match.to_move)
            keep(self._offers, id_, offer, MAX_PINNED)
        return offer

    def trained(self, pinned: Mapping[str, Any], players: Sequence[Offered]) -> list[str]:
        """Return which of the players that are offered were trained on the rules of a ruleset."""
        if not any(player.digest for player in players):
            return []
        from gdl.play.network_file import rules_digest

        digest_ = rules_digest(self.game(pinned))
        return [player.name for player in players if player.digest == digest_]

    def loaded(self, pinned: Mapping[str, Any]) -> Game | None:
        """Return the game of a pinned ruleset if it is at hand."""
        name = self._digest(pinned)
        game = self._games.pop(name, None)
        if game is not None:
            keep(self._games, name, game, KEPT)
        return game

    def game(self, pinned: Mapping[str, Any]) -> Game:
        """Return the game of a pinned ruleset: one for all matches of it.

        Raises:
            GdlError: It cannot be played.
        """
        game = self.loaded(pinned)
        if game is None:
            game = load(unpin(pinned), backend="reason")
            keep(self._games, self._digest(pinned), game, KEPT)
        return game

    def _digest(self, pinned: Mapping[str, Any]) -> str:
        """Return the digest of a pinned ruleset; of one that `pinned` has returned, once."""
        id_ = str(pinned.get("id"))
        if self._pinned.get(id_) is not pinned:
            return name_of(pinned)
        name = self._digests.get(id_)
        if name is None:
            name = name_of(pinned)
            keep(self._digests, id_, name, MAX_PINNED)
        return name


def name_of(pinned: Mapping[str, Any]) -> str:
    """Return a name of all that a pinned ruleset says, the same for whatever order of its keys."""
    return digest(_text(pinned))


def as_kept(pinned: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a pinned ruleset as the database gives it back: in the order of its keys."""
    kept: dict[str, Any] = json.loads(_text(pinned))
    return kept


def _text(pinned: Mapping[str, Any]) -> str:
    return json.dumps(dict(pinned), sort_keys=True)


def keep(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Keep a value; of more than so many, those that came last."""
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)
