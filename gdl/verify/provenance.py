"""Provenance of certificates: are they about the rules that somebody has in hand?

In: rules, and the index of a folder of certificates. Out: a `Provenance`, which compares the system
of each claim with the one that these rules give: moves, facts, their first values, what follows,
what is legal and when play ends, and what the claim denies or shows.

Both are put into one graph in which equal logic is one node. What stands for an input is told by
its name, so neither the order of gates counts nor that of facts, and no solver is asked. Of two
games the folder only says what stands for what: a pairing under which the games agree shows that
they do, whoever found it. Of a user's formulas it says how they read. All else is made anew.

Source: Kuehlmann and others, "Robust Boolean Reasoning for Equivalence Checking and Functional
Property Verification", IEEE TCAD 2002 (equal logic is one node).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Final

from gdl.certify.aiger_file import AigerFile, CertificateError, read_aiger
from gdl.certify.check import BESIDE, MODEL, PLAY, REACHED, SHOWN
from gdl.certify.lengths import LOOP, ShownPlay, read_play, read_rows
from gdl.certify.names import (
    AGREE,
    DIFFER,
    ENDING,
    LENGTH,
    NEVER,
    NO_SHORTER,
    NOT,
    OF_EACH,
    OPEN_AGREE,
    UNDECIDED,
)
from gdl.certify.renaming import OTHER_RULES, RENAMING, RULES
from gdl.circuit.aig import Aig, Lit
from gdl.circuit.aiger import one_line
from gdl.circuit.copy import copy_cone
from gdl.circuit.evaluate import evaluate
from gdl.circuit.game import GameCircuit
from gdl.compile.limits import CompileLimits
from gdl.compile.pipeline import build
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.language.syntax import Term
from gdl.language.words import counted
from gdl.reason.machine import Reasoner
from gdl.ruleset import Ruleset
from gdl.verify.correspondence.compared_game import prepare_game, side_by_side
from gdl.verify.correspondence.turns import TurnError
from gdl.verify.correspondence.unfolded import unfold
from gdl.verify.export import PLAY as PLAYED
from gdl.verify.export import SIDES, called, legal_step
from gdl.verify.properties import well_formed
from gdl.verify.properties.cover_points import fact_points, move_points
from gdl.verify.properties.coverage import CoverPoint
from gdl.verify.properties.custom import (
    CustomProperty,
    bodies,
    check_names,
    own_properties,
)
from gdl.verify.properties.examination import MOVES, asked_of_all
from gdl.verify.properties.examination import RULES as FIRING
from gdl.verify.properties.firing import monitor_rules
from gdl.verify.properties.monitors import first_role, monitor_edges, with_monitors
from gdl.verify.report import matched_lines
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.product import BROKEN, Product
from gdl.verify.systems.system import System, game_system
from gdl.verify.written_matching import read_matching, read_plays
from gdl.verify.written_renaming import written_rules

SECONDS: Final = 600.0
"""What making the circuits of the rules may take."""
HURRIED: Final = (
    "a circuit that was made in little time has other gates, though it plays the same; "
    "certificates that are written with more --time may be known"
)
"""Said where the text of rules is the one that was compiled, and its gates are not."""
PLACE: Final = re.compile(r"^.*?(?=:\d+)")
"""Begins the name of a rule: the file in which it stands, which may lie elsewhere by now."""
SUMS_DIFFER: Final = f"{NOT}{well_formed.CONSTANT_SUM[0]}"
"""The claim that not all ends give the same sum, which takes the ends of two plays."""


@dataclass(frozen=True, slots=True)
class _Bad:
    """Something that a claim may deny or show.

    Attributes:
        name: What its file calls it.
        edge: When it is so.
        of_moves: Whether the moves made decide, and the fact that says what they did is bad.
    """

    name: str
    edge: Lit
    of_moves: bool = False


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the rules say a claim is about.

    Attributes:
        system: Facts, moves and steps.
        bads: What may be denied or shown.
        needed: Those that all have to be; of none, one at least of `bads` has to.
        is_shown: Whether the claim has to be shown by a play, and not that there is none.
        ends: Whether nothing is bad, and only the length of plays counts.
    """

    system: System
    bads: tuple[_Bad, ...]
    needed: frozenset[_Bad]
    is_shown: bool | None = None
    ends: bool = False


class Provenance:
    """Compares what certificates speak of with rules."""

    def __init__(
        self,
        games: Sequence[Ruleset],
        index: Mapping[str, Any],
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        """Take the rules and an index; circuits are made when the first claim needs them.

        Raises:
            CertificateError: The folder is about more games, or fewer.
        """
        written = index.get("games")
        about = (
            [row for row in written if isinstance(row, dict)] if isinstance(written, list) else []
        )
        if not len(games) == len(about) <= 2:  # noqa: PLR2004  # one game, or two beside each other
            raise CertificateError(
                f"it is about {counted(len(about), 'game')}, "
                f"{len(games)} {'is' if len(games) == 1 else 'are'} given"
            )
        self.names = " and ".join(game.id for game in games)
        self._texts = [
            f"the text of {game.id} is not the one that the folder names ({row.get('name')})"
            for game, row in zip(games, about, strict=True)
            if row.get("rules") != game.digest()
        ]
        self._hurried: tuple[str, ...] = ()
        is_single = len(games) == 1
        self._asked = (
            _OneGame(games[0], index, limits) if is_single else _TwoGames(games, index, limits)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What stands for what, how formulas read, which texts have changed, and what is unsure."""
        return (*self._texts, *self._hurried, *self._asked.notes)

    def __call__(self, claim: Mapping[str, Any], data: Callable[[str], bytes]) -> str:
        """Return what the files of a claim are about, in words.

        Args:
            claim: Its row of the index.
            data: Gives a file by name.

        Raises:
            CertificateError: They are about other rules.
        """
        if claim["kind"] == RENAMING and isinstance(self._asked, _TwoGames):
            self._asked.check_rules([data(name) for name in (RULES, OTHER_RULES)])
            return f"these are the rules of {self.names}"
        asked = self._asked.of_claim(claim["name"])
        is_shown = claim["kind"] in {SHOWN, REACHED, LOOP}
        if asked.is_shown not in {None, is_shown}:
            raise CertificateError(
                f"{claim['name']} is {'no' if is_shown else 'a'} claim that a play shows"
            )
        model = read_aiger(data(MODEL))
        try:
            _Comparison(asked.system, model, self.names).compare(asked)
        except _OtherLogicError:
            # Rules whose text has changed are others; else time may have made the difference.
            self._hurried = () if self._texts else (HURRIED,)
            raise
        if claim["name"] == DIFFER:
            _check_shown(model, read_play(model, _text(data, PLAY)))
        if claim["name"] == SUMS_DIFFER and isinstance(self._asked, _OneGame):
            plays = [read_play(model, _text(data, PLAY)).rows[:-1]]
            if BESIDE in claim["files"]:
                plays.append(read_rows(model, _text(data, BESIDE).splitlines(), BESIDE))
            self._asked.check_sums(model, plays)
        return f"the system is that of {self.names}"


def _text(data: Callable[[str], bytes], name: str) -> str:
    return data(name).decode("ascii", "replace")


def _check_shown(model: AigerFile, play: ShownPlay) -> None:
    """Check that a play shows more than that turns are no turns.

    Raises:
        CertificateError: It does not: of the games in plies it says nothing.
    """
    if {model.names.get(f"b{number}") for number in play.bads} <= {BROKEN}:
        raise CertificateError("the play shows no difference, but that plies make no turns there")


class _OtherLogicError(CertificateError):
    """Something is made of other gates, which may say the same in all states of play."""


class _Comparison:
    """A system that rules give, and one that was read, in one graph."""

    def __init__(self, system: System, model: AigerFile, games: str) -> None:
        """Bring inputs and latches together by their names.

        Raises:
            CertificateError: There are others; names one.
        """
        self.system, self.model, self.games = system, model, games
        self.aig = Aig()
        self.moves = self._inputs("i", model.inputs, [one_line(name) for name in system.choices])
        names = [*(one_line(called(fact)) for fact in system.facts), PLAYED]
        # What the last move did is a fact of the claim: one more of both, which nothing else asks.
        memory = [
            name
            for n in range(len(model.nexts))
            if (name := model.names.get(f"l{n}", "")) not in names
        ]
        memory = [name for name in memory if name.startswith(f"{SIDES[2]}: ")]
        self.facts = self._inputs("l", len(model.nexts), [*names, *memory])
        self.read = self._values()

    def _inputs(self, kind: str, count: int, names: Sequence[str]) -> dict[str, Lit]:
        """Return a new input of the graph for each of the file, by its name."""
        what = "move" if kind == "i" else "fact"
        read = [self.model.names.get(f"{kind}{number}", "") for number in range(count)]
        for has, lacks, here in ((names, read, "no"), (read, names, "a")):
            odd = next((name for name in has if name not in set(lacks)), None)
            if odd is not None:
                raise CertificateError(f"the system has {here} {what} {odd}, unlike {self.games}")
        if len(set(names)) < len(names) or len(set(read)) < len(read):
            raise CertificateError(f"two {what}s of the system have one name")
        return {name: self.aig.add_input() for name in read}

    def _values(self) -> list[Lit]:
        """Return an edge of the common graph for each variable of the file. Cost O(gates)."""
        values = [0, *self.moves.values(), *self.facts.values()]
        for left, right in self.model.gates:
            a, b = values[left >> 1] ^ (left & 1), values[right >> 1] ^ (right & 1)
            values.append(self.aig.conj(a, b))
        return values

    def _edge(self, edge: int) -> Lit:
        return self.read[edge >> 1] ^ (edge & 1)

    def _made(self, edges: Sequence[Lit]) -> list[Lit]:
        """Return edges of the system of the rules in the common graph."""
        system = self.system
        facts = [self.facts[one_line(called(fact))] for fact in system.facts]
        moves = [self.moves[one_line(name)] for name in system.choices]
        table = {edge >> 1: to for edge, to in zip(system.fact_inputs, facts, strict=True)}
        table |= {edge >> 1: to for edge, to in zip(system.flat_choices, moves, strict=True)}
        return copy_cone(system.aig, self.aig, table, edges)

    def compare(self, asked: _Asked) -> None:
        """Check that steps, first values, and what is denied or shown, are those of the rules.

        Raises:
            CertificateError: Something is another; says what.
        """
        model, system = self.model, self.system
        latches = dict(zip(self.facts, range(len(model.nexts)), strict=True))
        names = [one_line(called(fact)) for fact in system.facts]
        *nexts, goes_on = self._made([*system.next, legal_step(system)])
        played = self.facts[PLAYED]
        rows = [*zip(names, nexts, system.initial, strict=True)]
        rows.append((PLAYED, self.aig.conj(played, goes_on), True))
        for name, after, first in rows:
            number = latches[name]
            if self._edge(model.nexts[number]) != after:
                raise _OtherLogicError(f"{name!r} does not become what {self.games} makes of it")
            if model.resets[number] != first:
                raise CertificateError(f"{name!r} is at first not what it is in {self.games}")
        self._compare_bads(asked, played, set(latches) - {*names, PLAYED})

    def _compare_bads(self, asked: _Asked, played: Lit, memory: Iterable[str]) -> None:
        bads = self._bads(asked.bads, played, memory)
        allowed: dict[str, set[Lit]] = {}
        for name, edges in bads:
            allowed.setdefault(name, set()).update(edges)
        looked_at: set[tuple[str, Lit]] = set()
        for number, edge in enumerate(self.model.bads):
            name = _plain(self.model.names.get(f"b{number}", ""))
            if name in allowed:
                if self._edge(edge) not in allowed[name]:
                    raise _OtherLogicError(f"{name!r} is not what it is in {self.games}")
                looked_at.add((name, self._edge(edge)))
            elif name not in OF_EACH or asked.is_shown or asked.ends:
                raise CertificateError(f"{name!r} is nothing that the claim asks of {self.games}")
        # Several may have one name, and each of these has to be there: two of one are not both.
        for bad, (name, edges) in zip(asked.bads, bads, strict=True):
            if bad in asked.needed and looked_at.isdisjoint((name, edge) for edge in edges):
                raise CertificateError(f"{name!r}, which the claim asks, is not looked at")
        if not (looked_at or asked.ends):
            raise CertificateError("nothing that the claim asks is looked at")

    def _bads(
        self, bads: Sequence[_Bad], played: Lit, memory: Iterable[str]
    ) -> list[tuple[str, list[Lit]]]:
        """Return of each the name and the edges it may have; of moves the facts that keep them."""
        edges = self._made([bad.edge for bad in bads])
        kept: dict[Lit, list[Lit]] = {}
        latches = list(self.facts)
        for name in memory:
            number = latches.index(name)
            if not self.model.resets[number]:
                after = self._edge(self.model.nexts[number])
                kept.setdefault(after, []).append(self.facts[name])
        return [
            (
                _plain(bad.name),
                [
                    self.aig.conj(lit, played)
                    for lit in (kept.get(edge, []) if bad.of_moves else [edge])
                ],
            )
            for bad, edge in zip(bads, edges, strict=True)
        ]


def _plain(name: str) -> str:
    """Return the name of a bad as its file has it, without the file in which a rule stands."""
    return PLACE.sub("", one_line(name)) if PLACE.match(name) else one_line(name)


class _OneGame:
    """One game, and what `gdl verify` asks of it."""

    def __init__(self, game: Ruleset, index: Mapping[str, Any], limits: Limits) -> None:
        self.game, self.limits = game, limits
        self.custom = _written_properties(index.get("properties", []))
        self.notes = [
            f"{wanted.name}: {'possible' if wanted.is_possible else 'never'} {wanted.formula}"
            for wanted in self.custom
            if wanted.name != f"never {wanted.formula}"
        ]

    @cached_property
    def _made(self) -> tuple[GameCircuit, list[well_formed.Property]]:
        description = self.game.checked(self.limits)
        roles = Reasoner(description, limits=self.limits).roles
        role = first_role(roles)
        try:
            # A formula under the name of what is asked of every game would stand for that.
            check_names(self.custom, asked_of_all(roles, ()))
        except GdlError as error:
            raise CertificateError(error.headline) from error
        try:
            own = bodies(self.game.description, self.custom, limits=self.limits)
        except GdlError as error:
            why = error.headline or str(error).split("\n", 1)[0]
            raise CertificateError(f"a formula of the folder means nothing here: {why}") from error
        monitored = with_monitors(self.game.description, role, own)
        limits = CompileLimits(seconds=SECONDS)
        circuit, edges = monitor_edges(build(monitored.description, limits=limits), monitored)
        asked = well_formed.standard_properties(circuit)
        asked += own_properties(self.custom, edges, monitored, role)
        return circuit, [*asked, well_formed.some_end(circuit)]

    def of_claim(self, name: str) -> _Asked:
        """Return what the rules say a claim of this name is about.

        Raises:
            CertificateError: It is no claim about one game.
        """
        circuit, properties = self._made
        by_name = {asked.name: asked for asked in properties[:-1]}  # the last is no claim
        shorter = name.startswith(NO_SHORTER)
        asked, denial = _stripped(name.removeprefix(NO_SHORTER), by_name)
        asked_bad = by_name.get(asked)
        is_possible = asked in OF_EACH or (asked_bad is not None and asked_bad.is_possible)
        # A play shows what is possible, and that it is not so what must never be; nothing else.
        is_of_play = is_possible if not denial else denial == NOT
        if denial == (NOT if is_possible else NEVER) or (shorter and not is_of_play):
            raise CertificateError(f"{name!r} is nothing that is said of {self.game.id}")
        is_shown = is_of_play and not shorter
        if asked == ENDING:
            return _Asked(game_system(circuit), (), frozenset(), is_shown=is_shown, ends=True)
        if asked in OF_EACH and denial != UNDECIDED:
            return self._covering(asked, denial)
        if asked == well_formed.CONSTANT_SUM[0]:
            return self._of_sums(is_shown=is_shown)
        if asked_bad is None:
            raise CertificateError(f"{asked!r} is nothing that is asked of {self.game.id}")
        bad = _Bad(asked_bad.name, asked_bad.edge, asked_bad.of_moves)
        return _Asked(game_system(circuit), (bad,), frozenset({bad}), is_shown=is_shown)

    def _of_sums(self, *, is_shown: bool) -> _Asked:
        """Return that no end has another sum than one of those that goals allow; or no end is."""
        circuit, properties = self._made
        sums = {0}
        for role in well_formed.players(circuit.roles):
            values = {value for value, _ in circuit.goals[role]} | {0}
            sums = {total + value for total in sums for value in values}
        asked = [well_formed.constant_sum(circuit, total) for total in sorted(sums)]
        if not is_shown:
            asked.append(properties[-1])
        bads = tuple(_Bad(bad.name, bad.edge) for bad in asked)
        return _Asked(game_system(circuit), bads, frozenset(), is_shown=is_shown)

    def check_sums(self, model: AigerFile, plays: Iterable[Sequence[str]]) -> None:
        """Check that ends of plays give several sums.

        That an end has another sum than some number says nothing: perhaps none has that number.

        Args:
            model: The system, whose inputs are moves of this game.
            plays: The inputs of each step.

        Raises:
            CertificateError: They do not, or one is no play to an end.
        """
        circuit, _ = self._made
        sums: set[int] = set()
        for rows in plays:
            facts = frozenset(circuit.facts[fact] for fact in circuit.initial)
            for joint in _joint_moves(circuit, model, rows):
                now = evaluate(circuit, facts, joint)
                is_legal = all(move in own for move, own in zip(joint, now.legal, strict=True))
                if now.terminal or not is_legal:
                    raise CertificateError("a step of a play is not legal")
                facts = now.next
            end = evaluate(circuit, facts)
            if not end.terminal:
                raise CertificateError("a play does not come to an end")
            goals = (end.goals[role] or (0,) for role in well_formed.players(circuit.roles))
            sums.update(map(sum, product(*goals)))
        if len(sums) < 2:  # noqa: PLR2004  # else all are the same, as far as is shown
            raise CertificateError("no two ends of other sums are shown")

    def _covering(self, asked: str, denial: str) -> _Asked:
        circuit, _ = self._made
        if asked == FIRING.name:
            monitored = monitor_rules(
                self.game.description, circuit, limits=CompileLimits(seconds=SECONDS)
            )
            if isinstance(monitored, str):
                raise CertificateError(
                    f"of the rules of {self.game.id} nothing is known: {monitored}"
                )
            circuit, points = monitored.circuit, list(monitored.rules)
        else:
            machine = Reasoner(self.game.checked(self.limits), limits=self.limits)
            make = move_points if asked == MOVES.name else fact_points
            points = make(circuit, self.game.description, machine)
        bads = tuple(map(_of_point, points))
        needed = frozenset(() if denial else bads)
        return _Asked(game_system(circuit), bads, needed, is_shown=not denial)


def _joint_moves(
    circuit: GameCircuit, model: AigerFile, rows: Iterable[str]
) -> Iterator[list[Term]]:
    """Yield the moves of all roles that rows of inputs stand for.

    Raises:
        CertificateError: One stands for none, or for several of a role.
    """
    moves = [(role, move) for role, row in enumerate(circuit.moves) for move in row]
    names = map(one_line, game_system(circuit).choices)
    move_of = dict(zip(names, moves, strict=True))
    for row in rows:
        chosen = [move_of[model.names[f"i{n}"]] for n, bit in enumerate(row) if bit == "1"]
        joint = dict(chosen)
        if len(chosen) != len(circuit.roles) or len(joint) != len(circuit.roles):
            raise CertificateError("a step of a play is no joint move")
        yield [joint[role] for role in range(len(circuit.roles))]


def _of_point(point: CoverPoint) -> _Bad:
    return _Bad(point.name, point.edge, point.of_moves)


def _stripped(name: str, names: Collection[str]) -> tuple[str, str]:
    """Return the property that a claim is about, and what it says of it; nothing for that it is."""
    if name in names:
        return name, ""
    for denial in (NOT, UNDECIDED, NEVER):
        if name.startswith(denial):
            asked = name.removeprefix(denial)
            return LENGTH.sub("", asked) if denial == UNDECIDED else asked, denial
    return name, ""


def _written_properties(written: Any) -> list[CustomProperty]:  # noqa: ANN401  # JSON
    """Return the formulas of a user that an index lists.

    Raises:
        CertificateError: It lists something else.
    """
    try:
        return [
            CustomProperty(str(row["name"]), str(row["formula"]), is_possible=bool(row["possible"]))
            for row in written
        ]
    except (TypeError, KeyError) as error:
        raise CertificateError("what its index lists are no properties") from error


class _TwoGames:
    """Two games side by side, and that they agree or differ."""

    def __init__(self, games: Sequence[Ruleset], index: Mapping[str, Any], limits: Limits) -> None:
        self.games, self.limits, self.written = games, limits, index.get("matching")
        self.notes: list[str] = []

    def check_rules(self, texts: Sequence[bytes]) -> None:
        """Check that two lists of rules are those of the games, helpers written out.

        Raises:
            CertificateError: One is not.
        """
        for game, text in zip(self.games, texts, strict=True):
            rules = written_rules(unfold(game.checked(self.limits).clauses))
            if "".join(f"{rule}\n" for rule in rules).encode() != text:
                raise CertificateError(f"the rules that lie there are not those of {game.id}")

    @cached_property
    def _made(self) -> Product:
        if not isinstance(self.written, dict):
            raise CertificateError("the folder does not say what stands for what in two games")
        turned = self.written.get("turns")
        if not isinstance(turned, list) or [type(flag) for flag in turned] != [bool, bool]:
            raise CertificateError("the folder does not say which games are read in whole turns")
        sides = []
        for number, (game, in_turns) in enumerate(zip(self.games, turned, strict=True)):
            side = prepare_game(game, limits=self.limits)
            side = replace(side, met=read_plays(side.plies, self.written, number))
            try:
                sides.append(side.turned(Budget(SECONDS)) if in_turns else side)
            except TurnError as error:
                raise CertificateError(f"{game.id} has no whole turns: {error.headline}") from error
        left, right = sides
        matching = read_matching(left.circuit, right.circuit, self.written)
        self.notes += (f"matched: {line}" for line in matched_lines((left, right), matching))
        return side_by_side(left, right, matching)

    def of_claim(self, name: str) -> _Asked:
        """Return what the rules say a claim of this name is about.

        Raises:
            CertificateError: It is no claim about two games.
        """
        both = self._made
        asked = LENGTH.sub("", name)  # that they differ is said of no lengths
        if name.removeprefix(NO_SHORTER) != DIFFER and asked not in {AGREE, OPEN_AGREE}:
            raise CertificateError(f"{name!r} is nothing that is asked of two games")
        settled, opened = (
            tuple(_Bad(bad.name, bad.edge) for bad in row)
            for row in (both.system.bads, both.open_bads)
        )
        needed = frozenset(opened if asked == OPEN_AGREE else settled)
        return _Asked(both.system, (*settled, *opened), needed, is_shown=name == DIFFER)
