"""What a position looks worth, by tuples of facts: a file of ``gdl train``, and how it is asked.

In: a state as words. Out: how much of its goals the first of two roles may hope for, 0 to 1. A
network is a number of tables. Each looks at a few groups of facts (what is on a square), of which
at most one holds; together they say which weight of the table counts; the sum of these weights goes
through the logistic function. Tables that proved symmetries of the rules make of each other share
their weights. The first one has none: it tells which of several sets of weights is meant (whose
turn it is).

A file is a header in JSON, the digest of the rules among it, and arrays. What is read from it is
checked before machine code goes by it.

Source: Bledsoe and Browning, "Pattern Recognition and Reading by Machine", 1959 (n-tuples); Lucas,
"Learning to Play Othello with N-Tuple Systems", 2008.
"""

# numba finds the types
from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl._files import replaced
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.render import render_rule
from gdl.native.jit import entry, inlined, lowest
from gdl.play.lanes import ONE, ZERO
from gdl.ruleset import Ruleset

FORMAT: Final = "gdl-network-1"
"""What a file says that it is; changes with the format."""
ARRAYS: Final = ("starts", "terms", "tables", "weights")


class NetworkError(GdlError):
    """A file is no network, or one of other rules."""


class NetworkTables(NamedTuple):
    """A network as machine code reads it; F facts, T tables, S sets of N weights.

    Attributes:
        starts: First row of each fact in ``terms``, and the end.
        terms: For each fact a table that it counts in, and by how much it moves the place there.
        tables: First weight and number of weights of each table; of table 0 the number is S.
        weights: The weights; none where there is no network.
        place: Room for the place in each table.
    """

    starts: NDArray[np.int64]  # [F + 1]
    terms: NDArray[np.int32]  # [rows, 2]
    tables: NDArray[np.int64]  # [T, 2]
    weights: NDArray[np.float32]  # [S, N]
    place: NDArray[np.int64]  # [T]


@inlined
def find_places(n: NetworkTables, state: Any) -> int:
    """Write the weight of each table that counts in a state; return which set of weights does.

    Of a group two facts may hold in a state that play does not lead to: places stay in the table.
    """
    place = n.place
    for t in range(len(place)):
        place[t] = 0
    for word in range(len(state)):
        bits = state[word]
        while bits != ZERO:
            fact = 64 * word + lowest(bits)
            bits &= bits - ONE
            for row in range(n.starts[fact], n.starts[fact + 1]):
                place[n.terms[row, 0]] += n.terms[row, 1]
    for t in range(len(place)):
        place[t] = n.tables[t, 0] + min(place[t], n.tables[t, 1] - 1)
    return int(place[0])


@inlined
def judge(n: NetworkTables, state: Any) -> float:
    """Return what a state that is not over looks worth to the first role, 0 to 1."""
    which = find_places(n, state)
    total = 0.0
    for t in range(1, len(n.place)):
        total += n.weights[which, n.place[t]]
    return 1.0 / (1.0 + exp(-total))


@entry
@inlined
def judge_state(n: NetworkTables, state: Any) -> float:
    """Return the same to Python."""
    return judge(n, state)


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


def no_network() -> NetworkTables:
    """Return what stands for none."""
    return NetworkTables(
        np.zeros(1, np.int64),
        np.zeros((0, 2), np.int32),
        np.zeros((0, 2), np.int64),
        np.zeros((0, 0), np.float32),
        np.zeros(0, np.int64),
    )


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says before its arrays.

    Attributes:
        game: Id of the game, or path of its file.
        digest: Of its rules.
        roles: The two roles in order.
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


@dataclass(frozen=True, slots=True)
class Network:
    """A network and what it is of.

    Attributes:
        head: What it is of.
        tables: For machine code; the arrays are this network's own.
    """

    head: Head
    tables: NetworkTables

    def check(self, game: Game) -> None:
        """See that a game is played by the rules that this was trained on.

        Raises:
            NetworkError: It is not.
        """
        if rules_digest(game) != self.head.digest:
            raise NetworkError(
                f"the network was trained on other rules than those of {game.id}",
                expected=f"the rules of {self.head.game}, digest {self.head.digest[:16]}",
                help=f"train one on these rules: gdl train {game.id}",
            )

    def tables_for(self, game: Game) -> NetworkTables:
        """Return the tables for one thread that searches a compiled game.

        Raises:
            NetworkError: The network is of other rules, or the game is not compiled.
        """
        self.check(game)
        native = game.back_end.native
        if native is None or len(native.kernel.compiled.facts) + 1 != len(self.tables.starts):
            raise NetworkError(
                f"a network needs {game.id} as machine code",
                help="load it with the backend native, which says what is missing",
            )
        return self.tables._replace(place=np.zeros(len(self.tables.tables), np.int64))

    def value(self, share: float, role: int) -> float:
        """Return the goal that a role may hope for, of a share of the first role's."""
        share = share if role == 0 else 1.0 - share
        return self.head.worst[role] + share * (self.head.best[role] - self.head.worst[role])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, which takes the place of another once it is whole.

        Weights are written with 11 bits of precision, which no position notices.

        Raises:
            OSError: It cannot be written.
        """
        with replaced(Path(path)) as file:
            file.write(self.packed())

    def packed(self) -> bytes:
        """Return the bytes of a file."""
        head = json.dumps({"format": FORMAT, **asdict(self.head)}, sort_keys=True).encode()
        arrays = {name: getattr(self.tables, name) for name in ARRAYS}
        arrays["weights"] = arrays["weights"].astype(np.float16)
        file = io.BytesIO()
        np.savez_compressed(file, head=np.frombuffer(head, np.uint8), **arrays)
        return file.getvalue()


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network.

    Raises:
        NetworkError: The file cannot be read, or is none.
    """
    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as file:
            said = json.loads(bytes(file["head"]))
            if said.pop("format", None) != FORMAT:
                raise NetworkError(
                    f"{os.fspath(path)} is a network of another version",
                    expected=f"the format {FORMAT}",
                    help="train it again: gdl train",
                )
            starts, terms, tables, weights = (file[name] for name in ARRAYS)
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
        }
        head = Head(**values)
        if not _is_whole(head):
            raise _no_network_error(path)
    except OSError as error:
        raise NetworkError(
            f"{os.fspath(path)} cannot be read: {error.strerror or error}"
        ) from error
    except (ValueError, KeyError, TypeError, EOFError, AttributeError, zipfile.BadZipFile):
        raise _no_network_error(path) from None
    network = NetworkTables(
        starts.astype(np.int64),
        terms.astype(np.int32),
        tables.astype(np.int64),
        np.ascontiguousarray(weights.astype(np.float32)),
        np.zeros(len(tables), np.int64),
    )
    if not _is_sound(network):
        raise _no_network_error(path)
    return Network(head, network)


def _no_network_error(path: str | os.PathLike[str]) -> NetworkError:
    return NetworkError(
        f"{os.fspath(path)} is no network of gdl", expected="a file that gdl train wrote"
    )


def _is_whole(head: Head) -> bool:
    """Return whether what a file says of itself is of the right kinds."""
    pairs: tuple[object, ...] = (head.worst, head.best)
    name: object = head.digest
    if not isinstance(name, str) or not all(isinstance(pair, tuple) for pair in pairs):
        return False
    goals: list[object] = [*head.worst, *head.best]
    is_whole = len(head.worst) == len(head.best) == len(head.roles)
    return is_whole and all(isinstance(goal, int) for goal in goals)


def _is_sound(n: NetworkTables) -> bool:
    """Return whether machine code can go by arrays without leaving them."""
    shapes = (n.starts.ndim, n.terms.ndim, n.tables.ndim, n.weights.ndim)
    if shapes != (1, 2, 2, 2) or n.terms.shape[1] != 2 or n.tables.shape[1] != 2:
        return False
    if not (len(n.starts) and len(n.tables) and n.weights.size and np.isfinite(n.weights).all()):
        return False
    rows, first, sizes = n.terms[:, 0], n.tables[:, 0], n.tables[:, 1]
    ends = first + sizes
    return bool(
        n.starts[0] == 0
        and n.starts[-1] == len(n.terms)
        and (np.diff(n.starts) >= 0).all()
        and (rows >= 0).all()
        and (rows < len(n.tables)).all()
        and (n.terms[:, 1] >= 0).all()
        and (first >= 0).all()
        and (sizes >= 1).all()
        and (sizes < 1 << 40).all()
        and ends[0] <= len(n.weights)
        and (ends[1:] <= n.weights.shape[1]).all()
    )


class Judge:
    """A network that is asked from Python about states of a compiled game."""

    def __init__(self, network: Network, game: Game) -> None:
        """Prepare.

        Raises:
            NetworkError: The network is of other rules, or the game is not compiled.
        """
        self._network = network
        self._tables = network.tables_for(game)

    def value(self, state: bytes, role: int) -> float:
        """Return the goal that a role may hope for in a state that is not over.

        The state is one of the native machine.
        """
        from gdl.play.lane_tables import pack_state

        words = pack_state(state, len(self._tables.starts) - 1)
        return self._network.value(float(judge_state(self._tables, words)), role)
