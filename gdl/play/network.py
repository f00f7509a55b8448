"""What a position looks worth, by tuples of facts: a file of ``gdl train``, and how it is asked.

In: a state as words. Out: how much of its goals the first of two roles may hope for, 0 to 1. A
network is a number of tables. Each looks at a few groups of facts (what is on a square), of which
at most one holds; together they say which weight of the table counts; the sum of these weights goes
through the logistic function. Tables that proved symmetries of the rules make of each other share
their weights. The first one has none: it tells which of several sets of weights is meant (whose
turn it is). Beside the facts stand what follows from them (that a square can be played on now): a
few gates of the network's own say so, and it counts as a fact does.

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
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl._files import arrays_in, replaced
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.render import render_rule
from gdl.native.jit import entry, inlined, lowest
from gdl.play.lanes import ONE, ZERO
from gdl.ruleset import Ruleset

FORMAT: Final = "gdl-network-2"
"""What a file says that it is; changes with the format."""
ARRAYS: Final = ("starts", "terms", "tables", "weights", "gates", "derived")


class NetworkError(GdlError):
    """A file is no network, or one of other rules."""


class NetworkTables(NamedTuple):
    """A network as machine code reads it.

    F facts and D derived ones, G gates, T tables, S sets of N weights.

    Attributes:
        starts: First row of each fact in ``terms``, of each derived one after them, and the end.
        terms: For each fact a table that it counts in, and by how much it moves the place there.
        tables: First weight and number of weights of each table; of table 0 the number is S.
        weights: The weights; none where there is no network.
        gates: Edges of both operands of each gate. An edge is twice the number of a node, one more
            where it is inverted; node 0 is false, facts follow, then gates.
        derived: Edge of each derived fact.
        place: Room for the place in each table.
        node: Room for the value of each node, 0 or 1.
    """

    starts: NDArray[np.int64]  # [F + D + 1]
    terms: NDArray[np.int32]  # [rows, 2]
    tables: NDArray[np.int64]  # [T, 2]
    weights: NDArray[np.float32]  # [S, N]
    gates: NDArray[np.int32]  # [G, 2]
    derived: NDArray[np.int32]  # [D]
    place: NDArray[np.int64]  # [T]
    node: NDArray[np.int32]  # [1 + F + G]


@inlined
def count_fact(n: NetworkTables, fact: int) -> None:
    """Move the place in each table that a fact counts in."""
    for row in range(n.starts[fact], n.starts[fact + 1]):
        n.place[n.terms[row, 0]] += n.terms[row, 1]


@inlined
def count_derived(n: NetworkTables, state: Any) -> None:
    """Derive what follows from the facts of a state, and count it."""
    node = n.node
    facts = len(n.starts) - 1 - len(n.derived)
    for fact in range(facts):
        word = state[fact >> 6] >> np.uint64(fact & 63)
        node[1 + fact] = np.int32(word & ONE)
    for g in range(len(n.gates)):
        a, b = n.gates[g, 0], n.gates[g, 1]
        node[1 + facts + g] = (node[a >> 1] ^ (a & 1)) & (node[b >> 1] ^ (b & 1))
    for i in range(len(n.derived)):
        edge = n.derived[i]
        if node[edge >> 1] != edge & 1:
            count_fact(n, facts + i)


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
            count_fact(n, 64 * word + lowest(bits))
            bits &= bits - ONE
    if len(n.derived) > 0:
        count_derived(n, state)
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
        np.zeros((0, 2), np.int32),
        np.zeros(0, np.int32),
        np.zeros(0, np.int64),
        np.zeros(0, np.int32),
    )


def facts_of(tables: NetworkTables) -> int:
    """Return of how many facts of a game a network speaks."""
    return len(tables.starts) - 1 - len(tables.derived)


def with_room(tables: NetworkTables) -> NetworkTables:
    """Return the same network with room of its own, for one thread."""
    return tables._replace(
        place=np.zeros(len(tables.tables), np.int64),
        node=np.zeros(1 + facts_of(tables) + len(tables.gates), np.int32),
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
        weight: How far it is to be believed beside playouts, 0 to 1: as was measured, 0 before. A
            file of before this was measured does not say, and gets one half.
    """

    game: str
    digest: str
    roles: tuple[str, ...]
    worst: tuple[int, ...]
    best: tuple[int, ...]
    games: int
    seed: int
    weight: float = 0.5


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
        if native is None or len(native.kernel.compiled.facts) != facts_of(self.tables):
            raise NetworkError(
                f"a network needs {game.id} as machine code",
                help="load it with the backend native, which says what is missing",
            )
        return with_room(self.tables)

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
        arrays = arrays_in(Path(path).read_bytes())
        said = json.loads(bytes(arrays["head"]))
        if said.pop("format", None) != FORMAT:
            raise NetworkError(
                f"{os.fspath(path)} is a network of another version",
                expected=f"the format {FORMAT}",
                help="train it again: gdl train",
            )
        starts, terms, tables, weights, gates, derived = (arrays[name] for name in ARRAYS)
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
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _no_network_error(path) from None
    network = NetworkTables(
        starts.astype(np.int64),
        terms.astype(np.int32),
        tables.astype(np.int64),
        np.ascontiguousarray(weights.astype(np.float32)),
        gates.astype(np.int32),
        derived.astype(np.int32),
        np.zeros(0, np.int64),
        np.zeros(0, np.int32),
    )
    if not _is_sound(network):
        raise _no_network_error(path)
    return Network(head, with_room(network))


def _no_network_error(path: str | os.PathLike[str]) -> NetworkError:
    return NetworkError(
        f"{os.fspath(path)} is no network of gdl", expected="a file that gdl train wrote"
    )


def _is_whole(head: Head) -> bool:
    """Return whether what a file says of itself is of the right kinds."""
    pairs: tuple[object, ...] = (head.worst, head.best)
    name: object = head.digest
    weight: object = head.weight
    if not isinstance(name, str) or not all(isinstance(pair, tuple) for pair in pairs):
        return False
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 <= weight <= 1:
        return False
    goals: list[object] = [*head.worst, *head.best]
    is_whole = len(head.worst) == len(head.best) == len(head.roles)
    return is_whole and all(isinstance(goal, int) for goal in goals)


def _is_sound(n: NetworkTables) -> bool:
    """Return whether machine code can go by arrays without leaving them."""
    shapes = (n.starts.ndim, n.terms.ndim, n.tables.ndim, n.weights.ndim)
    if shapes != (1, 2, 2, 2) or n.terms.shape[1] != 2 or n.tables.shape[1] != 2:
        return False
    if n.gates.ndim != 2 or n.gates.shape[1] != 2 or n.derived.ndim != 1 or facts_of(n) < 0:
        return False
    if not (len(n.starts) and len(n.tables) and n.weights.size and np.isfinite(n.weights).all()):
        return False
    rows, first, sizes = n.terms[:, 0], n.tables[:, 0], n.tables[:, 1]
    ends = first + sizes
    # A gate speaks of nodes before it, a derived fact of any.
    before = 2 * (1 + facts_of(n) + np.arange(len(n.gates) + 1))
    return bool(
        (n.gates >= 0).all()
        and (n.gates < before[:-1, None]).all()
        and (n.derived >= 0).all()
        and (n.derived < before[-1]).all()
        and n.starts[0] == 0
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

        words = pack_state(state, facts_of(self._tables))
        return self._network.value(float(judge_state(self._tables, words)), role)
