"""A value network of n-tuples of facts: a file of ``gdl train``, and how it is asked.

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

import os
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdl._files import replaced
from gdl.game import Game
from gdl.native.jit import entry, inlined, lowest, ones
from gdl.play.lanes import ONE, ZERO
from gdl.play.network_file import TUPLES, NetworkError, Origin, no_network_error, packed, read_as

ARRAYS: Final = ("starts", "terms", "tables", "weights", "gates", "derived")


STRIDES: Final = 16
"""Strides that are tried; see `best_stride`."""
PAIRS: Final = 16
"""Pairs of states that are looked at for each."""
FEWEST: Final = 64
"""States from which on it pays."""


class Room(NamedTuple):
    """What a network remembers of the state that it was asked about last, for one thread.

    Whoever is asked about a state goes on from the last one: what holds in both has been counted.
    The children of a node differ in a few facts, so that few tables are looked up anew.

    Attributes:
        last: The state.
        place: Where it stands in each table, counted from the table's first weight.
        node: The value of each node, 0 or 1.
        readers: First row of each node in ``read``, and the end.
        read: Gates that a node is an operand of; of G gates, G + i is derived fact i, if it is its.
        pending: Which gates are to be looked at again, a bit each.
        touched: Tables in which the place has moved, without order.
        is_touched: Whether a table is among them, 0 or 1.
        weight: The weight of each table, as of the set in ``status``; zeros up to a multiple of 4.
        status: The set of weights; -1 where weights may have changed since.
    """

    last: NDArray[np.uint64]  # [W]
    place: NDArray[np.int64]  # [T]
    node: NDArray[np.int32]  # [1 + F + G]
    readers: NDArray[np.int64]  # [2 + F + G]
    read: NDArray[np.int32]  # [rows]
    pending: NDArray[np.uint64]  # [words of G]
    touched: NDArray[np.int64]  # [T + 1]
    is_touched: NDArray[np.int64]  # [T]
    weight: NDArray[np.float64]  # [T, rounded up]
    status: NDArray[np.int64]  # [1]


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
        room: What one thread remembers.
    """

    starts: NDArray[np.int64]  # [F + D + 1]
    terms: NDArray[np.int32]  # [rows, 2]
    tables: NDArray[np.int64]  # [T, 2]
    weights: NDArray[np.float32]  # [S, N]
    gates: NDArray[np.int32]  # [G, 2]
    derived: NDArray[np.int32]  # [D]
    room: Room


@inlined
def count_fact(n: NetworkTables, fact: int, sign: Any, count: int) -> int:
    """Move the place in each table that a fact counts in; return how many places have moved."""
    room = n.room
    for row in range(n.starts[fact], n.starts[fact + 1]):
        t = n.terms[row, 0]
        room.place[t] += sign * n.terms[row, 1]
        room.touched[count] = t
        count += 1 - room.is_touched[t]
        room.is_touched[t] = 1
    return count


@inlined
def wake_readers(n: NetworkTables, node: int, count: int) -> int:
    """Note the gates that read a node that has changed, and count what is derived from it."""
    room = n.room
    for row in range(room.readers[node], room.readers[node + 1]):
        reader = room.read[row]
        if reader < len(n.gates):
            room.pending[reader >> 6] |= ONE << np.uint64(reader & 63)
        else:
            i = reader - len(n.gates)
            sign = 1 if room.node[node] != n.derived[i] & 1 else -1
            count = count_fact(n, len(n.starts) - 1 - len(n.derived) + i, sign, count)
    return count


@inlined
def derive(n: NetworkTables, count: int) -> int:
    """Look at gates again whose operands have changed, each once: operands stand before gates."""
    room = n.room
    first = len(room.node) - len(n.gates)
    for word in range(len(room.pending)):
        while room.pending[word] != ZERO:
            g = 64 * word + lowest(room.pending[word])
            room.pending[word] &= room.pending[word] - ONE
            a, b = n.gates[g, 0], n.gates[g, 1]
            value = (room.node[a >> 1] ^ (a & 1)) & (room.node[b >> 1] ^ (b & 1))
            if value != room.node[first + g]:
                room.node[first + g] = value
                count = wake_readers(n, first + g, count)
    return count


@inlined
def turn_to(n: NetworkTables, state: Any) -> int:
    """Move all places from the last state to this one; return how many have moved.

    They stand in ``touched`` and are marked, which whoever calls has to take back.
    """
    room, count = n.room, 0
    for word in range(len(state)):
        changed = state[word] ^ room.last[word]
        room.last[word] = state[word]
        while changed != ZERO:
            fact = 64 * word + lowest(changed)
            changed &= changed - ONE
            is_on = np.int32((state[word] >> np.uint64(fact & 63)) & ONE)
            count = count_fact(n, fact, 2 * is_on - 1, count)
            if len(n.derived) > 0:
                room.node[1 + fact] = is_on
                count = wake_readers(n, 1 + fact, count)
    if len(n.derived) > 0:
        count = derive(n, count)
    for i in range(count):
        room.is_touched[room.touched[i]] = 0
    return count


@inlined
def weight_at(n: NetworkTables, t: int) -> Any:
    """Return the number of the weight of a table that counts in the last state.

    Of a group two facts may hold in a state that play does not lead to: places stay in the table.
    """
    return n.tables[t, 0] + min(n.room.place[t], n.tables[t, 1] - 1)


@inlined
def look_up(n: NetworkTables, state: Any) -> int:
    """Let ``weight`` be the weight of each table in a state; return which set of weights counts."""
    room = n.room
    count = turn_to(n, state)
    which = int(weight_at(n, 0))
    if which == room.status[0]:
        for i in range(count):
            t = room.touched[i]
            room.weight[t] = n.weights[which, weight_at(n, t)]
    else:
        for t in range(1, len(room.place)):
            room.weight[t] = n.weights[which, weight_at(n, t)]
        room.status[0] = which
    room.weight[0] = 0.0
    return which


@inlined
def look_again(n: NetworkTables) -> None:
    """Let all weights be looked up anew: some may have changed since the network was asked."""
    n.room.status[0] = -1


@inlined
def share_of(n: NetworkTables) -> float:
    """Return what the last state looks worth to the first role.

    All weights are added in the same order, however the state was come to: it is worth the same to
    the last bit. Four sums go on beside each other, none of which waits for another.
    """
    weight = n.room.weight
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for t in range(0, len(weight), 4):
        a += weight[t]
        b += weight[t + 1]
        c += weight[t + 2]
        d += weight[t + 3]
    return 1.0 / (1.0 + exp(-((a + b) + (c + d))))


@inlined
def judge(n: NetworkTables, state: Any) -> float:
    """Return what a state that is not over looks worth to the first role, 0 to 1."""
    look_up(n, state)
    return share_of(n)


@inlined
def best_stride(states: Any, begin: int, n: int) -> int:
    """Return how far apart those of n states stand that differ least, from 1 on.

    Children stand in the order of moves. Where a move is a place and one of eight turns, those with
    the same turn differ in a stone, neighbours in a quarter of the board; and who is asked about
    states goes on from the last one. Few pairs tell; where there are few states it is 1.
    """
    best, least = 1, np.int64(1 << 62)
    if n < FEWEST:
        return best
    for stride in range(1, STRIDES + 1):
        total = np.int64(0)
        for k in range(PAIRS):
            i = begin + (n - stride) * k // PAIRS
            for word in range(states.shape[1]):
                total += ones(states[i, word] ^ states[i + stride, word])
        if total < least:
            best, least = stride, total
    return best


@entry
@inlined
def judge_state(n: NetworkTables, state: Any) -> float:
    """Return the same to Python."""
    look_again(n)
    return judge(n, state)


def no_room() -> Room:
    """Return what stands for the room of a network that nobody asks."""
    numbers, nodes = np.zeros(0, np.int64), np.zeros(0, np.int32)
    words, values = np.zeros(0, np.uint64), np.zeros(0)
    return Room(words, numbers, nodes, numbers, nodes, words, numbers, numbers, values, numbers)


def no_network() -> NetworkTables:
    """Return what stands for none."""
    return NetworkTables(
        np.zeros(1, np.int64),
        np.zeros((0, 2), np.int32),
        np.zeros((0, 2), np.int64),
        np.zeros((0, 0), np.float32),
        np.zeros((0, 2), np.int32),
        np.zeros(0, np.int32),
        no_room(),
    )


def facts_of(tables: NetworkTables) -> int:
    """Return of how many facts of a game a network speaks."""
    return len(tables.starts) - 1 - len(tables.derived)


def with_room(tables: NetworkTables) -> NetworkTables:
    """Return the same network with room of its own, for one thread.

    The last state is that in which nothing holds.
    """
    facts, gates, count = facts_of(tables), tables.gates, len(tables.tables)
    node = [0] * (1 + facts + len(gates))
    readers: list[list[int]] = [[] for _ in node]
    for g, (a, b) in enumerate(gates.tolist()):
        node[1 + facts + g] = (node[a >> 1] ^ a & 1) & (node[b >> 1] ^ b & 1)
        for operand in {a >> 1, b >> 1}:
            readers[operand].append(g)
    place = np.zeros(count, np.int64)
    for i, edge in enumerate(tables.derived.tolist()):
        readers[edge >> 1].append(len(gates) + i)
        if node[edge >> 1] != edge & 1:
            rows = tables.terms[tables.starts[facts + i] : tables.starts[facts + i + 1]]
            np.add.at(place, rows[:, 0], rows[:, 1])
    return tables._replace(
        room=Room(
            last=np.zeros(-(-facts // 64), np.uint64),
            place=place,
            node=np.array(node, np.int32),
            readers=np.cumsum([0, *map(len, readers)]).astype(np.int64),
            read=np.array([reader for readers_of in readers for reader in readers_of], np.int32),
            pending=np.zeros(-(-len(gates) // 64), np.uint64),
            touched=np.zeros(count + 1, np.int64),
            is_touched=np.zeros(count, np.int64),
            weight=np.zeros(-(-count // 4) * 4),
            status=np.full(1, -1, np.int64),
        )
    )


@dataclass(frozen=True, slots=True)
class Head(Origin):
    """What a file says before its arrays: what the network is of, of two roles.

    Attributes:
        weight: How far it is to be believed beside playouts, 0 to 1: as was measured, 0 before. A
            file of before this was measured does not say, and gets one half.
    """

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

    def tables_for(self, game: Game) -> NetworkTables:
        """Return the tables for one thread that searches a compiled game.

        Raises:
            NetworkError: The network is of other rules, or the game is not compiled.
        """
        self.head.check(game)
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
        arrays = {name: getattr(self.tables, name) for name in ARRAYS}
        arrays["weights"] = arrays["weights"].astype(np.float16)
        return packed(TUPLES, self.head, arrays)


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network.

    Raises:
        NetworkError: The file cannot be read, or is none.
    """
    said, arrays = read_as(TUPLES, path)
    try:
        starts, terms, tables, weights, gates, derived = (arrays[name] for name in ARRAYS)
        head = Head(**said)
        network = NetworkTables(
            starts.astype(np.int64),
            terms.astype(np.int32),
            tables.astype(np.int64),
            np.ascontiguousarray(weights.astype(np.float32)),
            gates.astype(np.int32),
            derived.astype(np.int32),
            no_room(),
        )
    except (ValueError, KeyError, TypeError):
        raise no_network_error(path) from None
    if not _is_whole(head) or not _is_sound(network):
        raise no_network_error(path)
    return Network(head, with_room(network))


def _is_whole(head: Head) -> bool:
    """Return whether what a file says of itself is of the right kinds."""
    weight: object = head.weight
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        return False
    return 0 <= weight <= 1 and head.is_whole


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
