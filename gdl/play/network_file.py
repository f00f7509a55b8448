"""What every file of ``gdl train`` says of itself: its kind, and the rules that it is of.

In: a file. Out: its head and its arrays; or a `NetworkError` in words. There are two kinds,
networks of tuples (`gdl.play.value_network`) and deep ones (`gdl.play.deep`); both are a header in
JSON, the digest of the rules among it, and arrays.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gdl._files import arrays_in
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.render import render_rule
from gdl.ruleset import Ruleset

TUPLES: Final = "gdl-network-2"
"""What a file of a network of tuples says that it is; changes with the format."""
DEEP: Final = "gdl-deep-1"
"""The same for a deep network."""
WORDS: Final = {
    TUPLES: ("a network of tuples", "mcts", "value"),
    DEEP: ("a deep network", "deep", "network"),
}
"""What each kind is called, the player of it and the player's option."""


class NetworkError(GdlError):
    """A file is no network, or one of other rules."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What a network is of.

    Attributes:
        game: Id of the game, or path of its file.
        digest: Of its rules.
        roles: The roles in order.
        worst: The least that each may get.
        best: The most.
        games: Games that it has learned from.
        seed: Of the training.
    """

    game: str
    digest: str
    roles: tuple[str, ...]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    games: int
    seed: int

    def check(self, game: Game) -> None:
        """See that a game is played by the rules that this was trained on.

        Raises:
            NetworkError: It is not.
        """
        if rules_digest(game) != self.digest:
            raise NetworkError(
                f"the network was trained on other rules than those of {game.id}",
                expected=f"the rules of {self.game}, digest {self.digest[:16]}",
                help=f"train one on these rules: gdl train {game.id}",
            )

    @property
    def is_whole(self) -> bool:
        """Whether all that is said is of the right kinds: it may come from anybody's file."""
        tuples: tuple[object, ...] = (self.roles, self.worst, self.best)
        texts: list[object] = [self.game, self.digest]
        numbers: list[object] = [self.games, self.seed]
        if not all(isinstance(each, tuple) for each in tuples):
            return False
        texts += self.roles
        numbers += [*self.worst, *self.best]
        return (
            all(isinstance(text, str) for text in texts)
            and all(isinstance(n, int) and not isinstance(n, bool) for n in numbers)
            and len(self.worst) == len(self.best) == len(self.roles) > 0
        )


def rules_digest(game: Game) -> str:
    """Return a SHA-256 of the rules of a game, however they are written.

    It is the same for a ruleset, for the one file that it flattens to, and for the rules as a match
    of the GGP protocol sends them. Cost: that of rendering them, once.
    """
    return _digest(game.ruleset)


@lru_cache(8)
def _digest(ruleset: Ruleset) -> str:
    text = "\n".join(render_rule(rule) for rule in ruleset.description.rules)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def packed(kind: str, origin: Origin, arrays: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file."""
    head = json.dumps({"format": kind, **asdict(origin)}, sort_keys=True).encode()
    file = io.BytesIO()
    np.savez_compressed(file, head=np.frombuffer(head, np.uint8), **arrays)
    return file.getvalue()


def said_in(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the head of a file, lists being tuples, and its arrays.

    Raises:
        NetworkError: The file cannot be read, or is none of ours.
    """
    try:
        arrays = arrays_in(Path(path).read_bytes())
        said = json.loads(bytes(arrays.pop("head")))
        head = {
            name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
        }
        kind = head["format"]
    except OSError as error:
        raise NetworkError(
            f"{os.fspath(path)} cannot be read: {error.strerror or error}"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise no_network_error(path) from None
    if not isinstance(kind, str):
        raise no_network_error(path)
    return head, arrays


def read_as(
    kind: str, path: str | os.PathLike[str]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a file of one kind says; its head is without the format.

    Raises:
        NetworkError: The file cannot be read, or is none of this kind and version.
    """
    head, arrays = said_in(path)
    said = head.pop("format")
    if said == kind:
        return head, arrays
    other = WORDS.get(said)
    if other is not None:
        name, player, option = other
        raise NetworkError(
            f"{os.fspath(path)} is {name}, not {WORDS[kind][0]}",
            help=f"its player is {player}:{option}={os.fspath(path)}",
        )
    raise NetworkError(
        f"{os.fspath(path)} is a network of another version",
        expected=f"the format {kind}",
        help="train it again: gdl train",
    )


def player_of(path: str) -> tuple[str, str]:
    """Return the player that a file stands for by itself, and the player's option.

    A file that cannot be read stands for the player that says so.
    """
    try:
        head, _ = said_in(path)
    except NetworkError:
        return WORDS[TUPLES][1:]
    return WORDS[_nearest(head["format"])][1:]


def origin_of(path: str | os.PathLike[str]) -> Origin:
    """Return what a file of either kind is of.

    Raises:
        NetworkError: The file cannot be read, or is none of this version.
    """
    head, _ = said_in(path)
    head, _ = read_as(_nearest(head["format"]), path)
    try:
        origin = Origin(**{name: head[name] for name in Origin.__dataclass_fields__})
    except KeyError:
        raise no_network_error(path) from None
    if not origin.is_whole:
        raise no_network_error(path)
    return origin


def _nearest(said: str) -> str:
    """Return the kind of which a file is, or seems to be, if it is of another version."""
    return DEEP if said.startswith(DEEP.rpartition("-")[0]) else TUPLES


def no_network_error(path: str | os.PathLike[str]) -> NetworkError:
    """Return the error for a file that is none of ours, or damaged."""
    return NetworkError(
        f"{os.fspath(path)} is no network of gdl", expected="a file that gdl train wrote"
    )
