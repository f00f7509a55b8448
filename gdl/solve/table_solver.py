"""The solver of one game, from the first guess of how states are written to the table.

In: a compiled game. Out: its `Table`. See `gdl.solve.strong`, whose inner side this is: what needs
numpy and numba.
"""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import pairwise
from pathlib import Path
from stat import S_ISREG
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from gdl._cache import digest
from gdl._code_key import code_key
from gdl._files import replaced
from gdl.circuit.game import GameCircuit
from gdl.circuit.phases import clock_length
from gdl.game import Game
from gdl.language.diagnostics import GdlError
from gdl.language.keywords import RANDOM
from gdl.solve.attractor import Arena
from gdl.solve.backward_induction import induce
from gdl.solve.disk import TABLE, Crew, Folder, Task, Tools
from gdl.solve.expand import SEVERAL
from gdl.solve.graph import Graph, all_states, build_graph, retrograde
from gdl.solve.group import Action, Renaming
from gdl.solve.job_array import LEAD, PLACE, LeadLostError, joined
from gdl.solve.layers import next_layer, value_layer
from gdl.solve.limits import ALONE, FolderError, Hands, Progress, TooLargeError, WorkLimits
from gdl.solve.packing import Guess, guess_packing, sample_plays
from gdl.solve.positions import Positions, RefutedError, UnsolvableError
from gdl.solve.sentinels import UNDECIDED
from gdl.solve.sorting import Keys
from gdl.solve.symmetry import find_symmetries, places_of
from gdl.solve.table import Head, Table, open_table
from gdl.solve.task_workers import CrewError, crew

SHORTEST_CLOCK: Final = 8
"""A clock that comes again sooner says who moves, and no more."""
MOST_ATTEMPTS: Final = 64
"""Guesses about how states are written that are given up before the game is."""
TWO: Final = 2
"""Roles of a game in which one wins what the other does not."""

HIGHEST: Final = 100
"""The highest goal that rules may give."""
STATE_BYTES: Final = 3
"""Bytes of a position besides its key: value and distance."""
GRAPH_STATE_BYTES: Final = 40
"""Likewise while its value is looked for where play may come round again."""
MOVE_BYTES: Final = 32
"""Bytes of a move then."""
MOST_STATES: Final = (1 << 31) - 1
"""States of a graph, whose moves name them by 32 bits."""
MOST_LEADS: Final = 10
"""Times that one process begins to lead others, at most."""
HEAD: Final = "head.json"
LEAST_RUN: Final = 1 << 12
"""States of the smallest run on disk."""
RUN_TIMES: Final = 8
"""Copies of the keys of a run that memory has room for."""
HELD_TIMES: Final = 3
"""Copies of keys that are held while they are sorted."""

Solved = tuple[Table, str, int]
"""A table, the way that led to it, and how many layers there are."""
Answered = TypeVar("Answered")
"""What is made of games that are not played layer by layer."""


class OtherKindError(Exception):
    """The game is none of one role, or of two of a constant sum that take turns."""


class TableSolver:
    """Solves one game.

    Attributes:
        game: The game, compiled.
        bits: Bits of a state, when it was written.
        note: What is to be said of symmetries, when they were looked for.
        spent: Processor time of other processes.
        helped: Tasks that were done for another process that led.
    """

    def __init__(  # noqa: PLR0913  # what solve was asked
        self,
        game: Game,
        progress: Progress,
        limits: WorkLimits,
        folder: Path | None,
        *,
        reduces: bool = True,
        hands: Hands = ALONE,
        start: frozenset[int] | None = None,
    ) -> None:
        """Look at random plays, and refuse what is known already to have no value.

        Args:
            game: The game.
            progress: Told how far the work is.
            limits: Memory, time and disk that it may take.
            folder: Where layers are kept; None for memory alone.
            reduces: Whether positions are reduced by symmetries.
            hands: Who does tasks in the folder.
            start: Facts of the first state, by number; None for that of the rules.

        Raises:
            UnsolvableError: See `gdl.solve.strong.solve`.
        """
        native = game.back_end.native
        assert native is not None
        if game.hides_facts:
            raise UnsolvableError(
                f"{game.id} hides facts: what a role does depends on what it has seen",
                expected="a game in which every role sees the whole state (no rules for sees)",
            )
        # What was asked, and how far the work is.
        self.game, self._native, self._progress = game, native, progress
        self._limits = limits
        self._place, self._reduces = folder, reduces
        self._until = time.process_time() + limits.seconds
        self.bits = 0
        self.note = ""
        self.spent = 0.0
        self._hands = hands
        self._guesses = 0
        self._helped: dict[str, Any] | None = None
        self.helped = 0
        self._start = start
        # What is known of the game. Only the roles and their goals are certain: all else is what
        # random plays show, a guess that makes the work short. Each guess is asked again of every
        # position that is met (`_guessing`), so a wrong one costs time and never the answer.
        circuit = native.circuit
        self._nature = _nature_of(circuit)
        self._players = [r for r in range(len(circuit.roles)) if r != self._nature]
        self._worth = [[value for value, _ in pairs] for pairs in circuit.goals]
        self._sample = sample_plays(native, self._nature)
        self._total = self._guessed_total()
        self._clock = clock_length(circuit, self._first)
        self._require_values()

    def _require_values(self) -> None:
        """Refuse a game that random plays have shown to have no value.

        Raises:
            UnsolvableError: Several roles choose at once, and have no constant sum.
        """
        is_shared = len(self._players) == TWO and len(self._sample.sums) <= 1
        if self._sample.is_simultaneous and not is_shared:
            raise UnsolvableError(
                f"several roles of {self.game.id} choose at once, and what they win together is "
                "not constant",
                expected="roles that take turns, or two whose goals always have the same sum",
            )

    @property
    def _first(self) -> frozenset[int]:
        """The facts of the first state."""
        return frozenset(self._native.circuit.initial) if self._start is None else self._start

    def run(self) -> Solved:
        """Return the table.

        Raises:
            UnsolvableError: See `gdl.solve.strong.solve`.
            FolderError: Likewise.
        """
        if self._hands.is_shared:
            return self._together()
        try:
            return self._guessing(self._by_graph)
        except FileNotFoundError as error:
            if self._place is None:
                raise
            raise FolderError(
                f"another process solves in {self._place}: files are gone that were just there",
                expected="a folder in which nobody else works, or --shared for all who do",
                help="the same command goes on from there when the others have ended; to let "
                "them work together begin all of them with --shared (shared=True)",
            ) from error

    def _together(self) -> Solved:
        """Return the table that one of many processes makes, which all of them help."""
        assert self._place is not None
        self._said()  # nothing is begun in a folder of another game
        with joined(self._place) as self._jobs:
            for _ in range(MOST_LEADS):
                solved = self._jobs.wait(self._help)
                if solved is not None:
                    self.bits = solved.bits
                    return open_table(self._place / TABLE), solved.way, solved.layers
                try:
                    table, way, layers = self._guessing(self._by_graph)
                except GdlError as error:
                    self._jobs.end(ended=str(error))
                    raise
                except (LeadLostError, FileNotFoundError):
                    # Another one led meanwhile: see how far it is.
                    self._jobs.claims.release(LEAD)
                    continue
                self._jobs.end(way=way, layers=layers, bits=self.bits)
                return table, way, layers
        raise CrewError(
            f"{MOST_LEADS} times another process took this one for dead",
            help="is the folder there, and do all see the same files? the same command goes on",
        )

    def _help(self, posted: dict[str, Any]) -> bool:
        """Do one of the tasks that another process has posted; return whether one was done."""
        self._progress("help", self.helped, 0)
        self._until_over(0)
        if not posted:
            return False
        if posted["said"] != self._helped:
            positions = self.positions(posted["said"])
            self._helping = self._folder(positions), self.tools(positions)
            self._helped = posted["said"]
        folder, tools = self._helping
        tools = replace(tools, held=posted["held"])  # else runs would not be those of others
        tasks = [Task(*task) for task in posted["tasks"]]
        is_done = self._jobs.help_with(folder, tasks, partial(folder.do, tools=tools))
        self.helped += is_done
        return is_done

    def run_or_arena(self) -> Solved | Arena:
        """Return the table where play goes layer by layer and a table says what can be forced.

        Everywhere else all states are kept, to be asked what a role can force.

        Raises:
            UnsolvableError: The rules of `gdl.solve.strong.solve` are broken; or nature draws, or
                several roles choose at once.
        """
        if self._nature >= 0:
            raise UnsolvableError(
                f"nature draws in {self.game.id}", expected="a game without the role random"
            )
        return self._guessing(self._arena)

    def _guessing(self, by_graph: Callable[[Positions, bool], Answered]) -> Solved | Answered:
        """Return the table by layers, or where there are none what ``by_graph`` makes."""
        said = self._said()
        seen = {frozenset(held) for held in said["seen"]}
        is_counted, is_clocked = said["is_counted"], said["is_clocked"]
        is_plain = self._nature < 0 and not self._sample.is_simultaneous
        is_plain &= len(self._players) == 1 or (
            len(self._players) == TWO and self._total is not None
        )
        is_plain &= len(self._worth[0]) < UNDECIDED  # places of goals are bytes
        is_plain &= said["is_plain"]
        self._guesses = said["guesses"]
        for _ in range(MOST_ATTEMPTS):
            guess = guess_packing(self._native, self._sample, seen=seen, is_counted=is_counted)
            self.bits = guess.packing.bits
            symmetries = self._symmetries(guess, said) if is_plain else ()
            positions = self._positions(guess, symmetries)
            said = {"seen": sorted(map(sorted, seen)), "symmetries": symmetries}
            said["guesses"] = self._guesses
            said |= {"is_counted": is_counted, "is_clocked": is_clocked, "is_plain": is_plain}
            self._say(**said)
            try:
                if is_plain and is_clocked:
                    return self._by_layers(positions, "clock", said)
                if is_plain and guess.counts:
                    return self._by_layers(positions, "count", said)
                return by_graph(positions, is_plain)
            except RefutedError as refuted:
                if self._place is not None:
                    self._folder(positions).clear()
                self._guesses += 1
                if refuted.states:
                    seen.update(refuted.states)
                elif is_clocked:
                    is_clocked = False
                else:
                    is_counted = False
                said["symmetries"] = None
            except OtherKindError:
                is_plain = False
        raise AssertionError

    def positions(self, said: dict[str, Any]) -> Positions:
        """Return the positions as another process found out how to write them."""
        seen = {frozenset(held) for held in said["seen"]}
        is_counted, self._guesses = said["is_counted"], said["guesses"]
        guess = guess_packing(self._native, self._sample, seen=seen, is_counted=is_counted)
        return self._positions(guess, tuple(map(tuple, said["symmetries"])))

    def _positions(self, guess: Guess, symmetries: tuple[Renaming, ...]) -> Positions:
        packing = guess.packing
        action = Action(places_of(packing), packing.words, symmetries) if symmetries else None
        return Positions(self._native, guess, self._native.packed(packing), self._first, action)

    def folder(self, positions: Positions) -> Folder:
        """Return the folder, which must have been given."""
        return self._folder(positions)

    def _symmetries(self, guess: Guess, said: dict[str, Any]) -> tuple[Renaming, ...]:
        """Return renamings that were proved, now or by an earlier work in the folder."""
        if not self._reduces:
            return ()
        if said["symmetries"] is not None:
            return tuple(map(tuple, said["symmetries"]))
        symmetries = find_symmetries(self._native.circuit, guess.packing, guess.counted)
        self.note = symmetries.note
        return symmetries.generators

    def _guessed_total(self) -> int | None:
        """Return what two roles share, as far as is known; all ends are looked at when valued.

        Where no random play came to an end, the best of one and the worst of the other; and where
        no end has a goal, the `HIGHEST` of the language.
        """
        if len(self._players) != TWO:
            return None
        if self._sample.sums:
            return next(iter(self._sample.sums)) if len(self._sample.sums) == 1 else None
        left, right = (self._worth[role] for role in self._players)
        return left[-1] + right[0] if left and right else HIGHEST

    def _ends(self, positions: Positions) -> Callable[[NDArray[np.int8], NDArray[np.int16]], None]:
        """Return what looks at ends: that two roles share their goals, and take turns."""
        first = np.array(self._worth[0], np.int64)
        last = np.array(self._worth[-1], np.int64)

        def look(movers: NDArray[np.int8], goals: NDArray[np.int16]) -> None:
            if (movers == SEVERAL).any():
                raise OtherKindError
            if self._total is None:
                return
            over = goals[movers == positions.roles]
            if (first[over[:, 0]] + last[over[:, -1]] != self._total).any():
                raise OtherKindError

        return look

    def _sides(self) -> NDArray[np.int8]:
        """Return for each goal of the first role whom it wins for."""
        total = self._total
        if total is None:
            return np.ones(len(self._worth[0]), np.int8)
        return np.array([np.sign(2 * goal - total) for goal in self._worth[0]], np.int8)

    def _tell(self, phase: str, place: int, states: int, taken: int) -> None:
        """Tell how far the work is; end it where that is too far.

        Args:
            phase: What is done.
            place: How far that is.
            states: States known.
            taken: Bytes that they take.
        """
        if taken > self._limits.memory:
            raise TooLargeError(
                f"{self.game.id} has more positions than fit into {self._limits.memory:,} bytes",
                notes=[f"{states:,} were found when they took {taken:,} bytes"],
                help="give more memory, or ask about one position: gdl play with mcts or solve",
            )
        self._until_over(states)
        self._progress(phase, place, states)

    def _until_over(self, states: int) -> None:
        """End the work where its time is up."""
        if time.process_time() + self.spent > self._until:
            raise TooLargeError(
                f"{self.game.id} was not solved in {self._limits.seconds:g} seconds of processor "
                "time",
                notes=[f"{states:,} positions were known"] if states else [],
                help="give more time",
            )

    def _said(self) -> dict[str, Any]:
        """Return what an earlier work in the folder found out of its guesses.

        Raises:
            FolderError: It was for other rules, or the file cannot be read.
        """
        # Random plays from the beginning may never come to the first state: it is seen besides.
        seen = [] if self._start is None else [sorted(self._start)]
        fresh = {"seen": seen, "is_counted": True, "is_clocked": self._clock > SHORTEST_CLOCK}
        fresh |= {"symmetries": None, "is_plain": True, "guesses": 0}
        if self._place is None:
            return fresh
        self._place.mkdir(parents=True, exist_ok=True)
        head = self._place / HEAD
        names = {file.name for file in self._place.iterdir()}
        if HEAD not in names:
            # Another process may be writing it just now, or was killed as it did.
            if any(name != PLACE and not name.startswith(f".{HEAD}.") for name in names):
                raise FolderError(
                    f"{self._place} is neither empty nor a folder of the solver",
                    expected="an empty folder, a new one, or one in which this game was begun",
                )
            return fresh
        try:
            said: dict[str, Any] = json.loads(head.read_text(encoding="utf-8"))
            is_same = said["key"] == self._key() and fresh.keys() <= said.keys()
        except (ValueError, KeyError, TypeError):
            is_same = False
        if not is_same:
            raise FolderError(
                f"{self._place} keeps the layers of another game",
                expected=f"those of {self.game.id}, by the same rules and the same version",
                help="take an empty folder",
            )
        return said

    def _say(self, **answer: object) -> None:
        if self._hands.is_shared:  # what another found out who leads now is not written over
            self._jobs.require_lead()
        if self._place is not None:
            with replaced(self._place / HEAD) as file:
                file.write(
                    json.dumps({"key": self._key(), "game": self.game.id, **answer}).encode()
                )

    def _key(self) -> str:
        """Return a name for the rules and for the code that writes their states."""
        codes = code_key(), _own_code()
        return digest([self.game.ruleset.digest(), *codes, str(self._reduces)])

    def _folder(self, positions: Positions) -> Folder:
        assert self._place is not None
        # All that keys and values depend on; not what the game is called, which may be a path.
        head = replace(self._head(positions, [], is_plain=True), game="")
        counted = positions.guess.low.tolist(), positions.guess.high.tolist()
        guess = digest([str(self._guesses), repr(head), repr(counted)])[:12]
        return Folder(self._place, positions.initial.shape[1], self._room, guess)

    def _room(self, size: int) -> None:
        """Note what is to be written; refuse what the disk may not hold."""
        assert self._place is not None
        taken = bytes_in(self._place)
        if taken + size > self._limits.disk:
            raise TooLargeError(
                f"{self.game.id} takes more than {self._limits.disk:,} bytes of disk",
                notes=[f"{taken:,} are taken, and {size:,} more were to come"],
                help=f"give more disk; {self._place} is whole, and the work goes on from there",
            )

    def _by_disk(self, positions: Positions, way: str, said: dict[str, Any]) -> Solved:
        folder = self._folder(positions)
        if not self._hands.is_shared:  # else somebody may be writing just now
            folder.tidy()
        folder.begin(positions.initial)
        limits = replace(self._limits, memory=self._limits.memory // self._hands.workers)
        setup = pickle.dumps((self.game, self._place, limits, said))
        doing = partial(perform, setup)
        if self._hands.is_here:  # no need to make again what is here
            tools = self.tools(positions)
            doing = partial(_perform_here, folder, tools)
        held = self.held(positions) // self._hands.workers
        bytes_each: int = 8 * positions.initial.shape[1]

        def ranges(size: int) -> int:
            least = min(self._hands.workers, 1 + size // (LEAST_RUN * bytes_each))
            return max(least, -(-size // (bytes_each * held)))

        with self._crew(folder, doing, said, held) as hired:
            sizes = [1]
            while sizes[-1]:
                depth = len(sizes) - 1
                sizes.append(folder.grow(hired, depth, depth if way == "count" else -1, ranges))
                self._tell("expand", depth, sum(sizes), 0)
                if way == "clock" and sizes[-1] and depth + 1 >= self._clock:
                    raise RefutedError(())
            sizes.pop()
            for depth in reversed(range(len(sizes))):
                folder.value(hired, depth)
                self._tell("value", sum(sizes[depth:]), sum(sizes), 0)
        starts = np.cumsum([0, *sizes]).tolist()
        file = folder.save(self._head(positions, starts, is_plain=True), len(sizes))
        folder.tidy()
        return open_table(file), way, len(sizes)

    @contextmanager
    def _crew(
        self, folder: Folder, doing: Callable[[Task], float], said: dict[str, Any], held: int
    ) -> Iterator[Crew]:
        """Give what does tasks; see `gdl.solve.task_workers.crew`."""
        if self._hands.is_shared:
            yield self._jobs.crew(folder, doing, self._spend, said=said, held=held)
        else:
            with crew(doing, self._spend, self._hands.workers, self._hands.ray) as hired:
                yield hired

    def held(self, positions: Positions) -> int:
        """Return how many states a run may have."""
        size: int = 8 * positions.initial.shape[1]
        return max(LEAST_RUN, self._limits.memory // (RUN_TIMES * size))

    def tools(self, positions: Positions) -> Tools:
        """Return what tasks in a folder are done with."""
        return Tools(positions, self._ends(positions), self._sides(), self.held(positions))

    def _spend(self, seconds: float) -> None:
        """Count the processor time of a task; in this process it is counted anyway."""
        if not self._hands.is_here:
            self.spent += seconds
        self._until_over(0)

    def _by_layers(self, positions: Positions, way: str, said: dict[str, Any]) -> Solved:
        if self._place is not None:
            return self._by_disk(positions, way, said)
        layers: list[Keys] = [positions.initial]
        size = 8 * positions.initial.shape[1]
        total = 1
        while len(layers[-1]):
            depth = len(layers) - 1

            def expanding(held: int, depth: int = depth, total: int = total) -> None:
                taken = total * (size + STATE_BYTES) + HELD_TIMES * held * size
                self._tell("expand", depth, total + held, taken)

            count = depth if way == "count" else -1
            layers.append(next_layer(positions, layers[-1], count, expanding))
            total += len(layers[-1])
            if way == "clock" and len(layers[-1]) and depth + 1 >= self._clock:
                raise RefutedError(())
        count = len(layers) - 1
        return self._values_of(positions, layers, total), way, count

    def _values_of(self, positions: Positions, layers: list[Keys], total: int) -> Table:
        """Value layer after layer, from the last."""
        ends, sides = self._ends(positions), self._sides()
        keys = np.concatenate(layers)
        starts = np.cumsum([0, *map(len, layers[:-1])]).tolist()
        layers.clear()
        values, distances = np.zeros(total, np.uint8), np.zeros(total, np.int16)
        bounds = [*pairwise(starts), (total, total)]
        done = 0
        for (start, stop), (first, last) in zip(bounds[-2::-1], bounds[:0:-1], strict=True):

            def valuing(part: int, done: int = done) -> None:
                self._tell("value", done + part, total, 0)

            below = values[first:last], distances[first:last]
            values[start:stop], distances[start:stop] = value_layer(
                positions, keys[start:stop], keys[first:last], below, ends, sides, valuing
            )
            done += stop - start
        head = self._head(positions, starts, is_plain=True)
        return Table(head, keys, values, distances, np.zeros(0, np.bool_))

    def _by_graph(self, positions: Positions, is_plain: bool) -> Solved:  # noqa: FBT001
        table = self._graph_table(positions, is_plain=is_plain)
        if self._place is not None:
            table.save(self._place / TABLE, room=self._room)
        return table, "graph", 0

    def _arena(self, positions: Positions, is_plain: bool) -> Arena:  # noqa: FBT001
        graph = self._graph(positions, _nothing, wants_moves=False)
        return Arena(graph, self._head(positions, [0, len(graph.keys)], is_plain=is_plain))

    def _graph(
        self,
        positions: Positions,
        ends: Callable[[NDArray[np.int8], NDArray[np.int16]], None],
        *,
        wants_moves: bool,
    ) -> Graph:
        """Return all states and the moves between them; ``ends`` and the rest as `build_graph`."""
        size = 8 * positions.initial.shape[1]

        def expanding(depth: int, states: int) -> None:
            self._tell("expand", depth, states, HELD_TIMES * states * size)

        keys = all_states(positions, expanding)
        if len(keys) > MOST_STATES:
            raise TooLargeError(
                f"{self.game.id} has {len(keys):,} positions that play may come to in several ways",
                expected=f"{MOST_STATES:,} at most",
            )
        held = len(keys) * (size + GRAPH_STATE_BYTES + 10 * positions.roles)
        move = MOVE_BYTES + (4 * positions.roles if wants_moves else 0)

        def linking(done: int, moves: int) -> None:
            self._tell("link", done, len(keys), held + moves * move)

        return build_graph(positions, keys, ends, linking, wants_moves=wants_moves)

    def _graph_table(self, positions: Positions, *, is_plain: bool) -> Table:
        ends = self._ends(positions) if is_plain else _nothing
        graph = self._graph(positions, ends, wants_moves=not is_plain)
        keys = graph.keys

        def valuing(done: int) -> None:
            self._tell("value", done, len(keys), 0)

        if self._total is not None and not (graph.movers == positions.roles).any():
            self._total = HIGHEST  # there is no end; what rules name of goals nobody ever has
        head = self._head(positions, [0, len(keys)], is_plain=is_plain)
        if is_plain:
            values, distances = retrograde(
                graph, positions.roles, self._sides(), is_alone=len(self._players) == 1
            )
            return Table(head, keys, values, distances, np.zeros(0, np.bool_))
        is_constant = len(self._players) == TWO and self._is_constant(graph.goals, graph.movers)
        means = induce(
            graph, self._worth, nature=self._nature, is_constant=is_constant, check=valuing
        )
        return Table(head, keys, means.goals, means.distances, means.tied)

    def _is_constant(self, goals: NDArray[np.int16], movers: NDArray[np.int8]) -> bool:
        over = goals[movers == len(self._worth)]
        sums = np.zeros(len(over), np.int64)
        for r in self._players:
            sums += np.array(self._worth[r], np.int64)[over[:, r]]
        return len(np.unique(sums)) <= 1

    def _head(self, positions: Positions, layers: list[int], *, is_plain: bool) -> Head:
        circuit = self._native.circuit
        packing = positions.guess.packing
        shared = self._total if is_plain else None
        return Head(
            self.game.id,
            self.game.ruleset.digest(),
            self.game.roles,
            tuple(map(tuple, self._worth)),
            shared,
            tuple(
                (f.start, f.is_exact, tuple(str(circuit.facts[fact]) for fact in f.members))
                for f in packing.fields
            ),
            packing.words,
            tuple(layers),
            self._renamed(positions),
        )

    def _renamed(self, positions: Positions) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Return the generators as text."""
        if positions.action is None:
            return ()
        names = self._native.circuit.facts
        stored = [str(names[f]) for field in positions.guess.packing.fields for f in field.members]
        return tuple(
            tuple(
                (fact, stored[image])
                for fact, image in zip(stored, renaming, strict=True)
                if fact != stored[image]
            )
            for renaming in positions.action.generators
        )


@cache
def _own_code() -> str:
    """Return a name for the modules of this room, which that of the code leaves out."""
    return digest(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))


def bytes_in(folder: Path) -> int:
    """Return how many bytes the files of a folder have, while others write there."""
    while True:
        try:
            found = [file.stat() for file in folder.iterdir()]
            return sum(each.st_size for each in found if S_ISREG(each.st_mode))
        except FileNotFoundError:  # it has its right name by now: count again
            continue


def perform(setup: bytes, task: Task) -> float:
    """Do a task in a process of its own; return the processor time that it took.

    Args:
        setup: The game, the folder, limits and what was found out, pickled.
        task: The task.
    """
    begun = time.process_time()
    folder, tools = _unpacked(setup)
    folder.do(task, tools)
    return time.process_time() - begun


@lru_cache(maxsize=1)
def _unpacked(setup: bytes) -> tuple[Folder, Tools]:
    game, place, limits, said = pickle.loads(setup)  # noqa: S301  # of the process that began this
    solver = TableSolver(game, _unheard, limits, place)
    positions = solver.positions(said)
    return solver.folder(positions), solver.tools(positions)


def _perform_here(folder: Folder, tools: Tools, task: Task) -> float:
    folder.do(task, tools)
    return 0.0


def _unheard(phase: str, place: int, states: int) -> None:
    del phase, place, states


def _nothing(movers: NDArray[np.int8], goals: NDArray[np.int16]) -> None:
    del movers, goals


def _nature_of(circuit: GameCircuit) -> int:
    """Return the role that draws its moves, -1 where there is none."""
    names = [str(role) for role in circuit.roles]
    return names.index(str(RANDOM)) if str(RANDOM) in names else -1
