"""A file of tests as values.

In: TOML. Out: a `Suite` of cases, or one error with every problem of the file and where it stands.

    game = "tictactoe"          # or games = ["hex?size=3", "hex?size=4"]; a test may name its own

    [[test]]
    name = "three in a row win"
    play = "a1; b1; a2; b2; a3"
    over = true
    goals = { x = 100, o = 0 }

    [verify]
    expect."constant sum" = "proved"

    [[diff]]
    with = "mnk?columns=3&rows=3&line=3"
    equivalent = true

What the words of a position mean is in docs/testing.md.

Source: TOML 1.0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from gdl.language.diagnostics import GdlError
from gdl.language.files import read_source
from gdl.language.limits import DEFAULT_LIMITS
from gdl.language.source import Source, Span
from gdl.plies import split_plies
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.toml_table import Table, TomlFile

SUFFIX: Final = ".test.toml"
"""How the name of a file of tests ends."""
ANYBODY: Final = ""
"""Stands for the only role that has a choice."""
OUTCOMES: Final = ("proved", "refuted")
SECONDS: Final = 60.0
"""What proving may take where the file does not say."""
MAX_SECONDS: Final = 10_000_000
"""What it may say at most: four months."""

_TOP: Final = ("game", "games", "test", "verify", "diff")
_OF_ANY: Final = ("name", "game", "games", "skip")
_EXPECTED: Final = (
    *("legal", "can", "cannot", "count", "over", "goals", "holds", "fails", "perft"),
)
_A_GAME: Final = "a ruleset id, or a rule file or manifest beside this file"
_MOVES: Final = 'moves, such as ["a1", "b2"], or such a list for each role'


class SuiteError(GdlError):
    """A file of tests that cannot be used; carries every problem found in it."""


@dataclass(frozen=True, slots=True)
class Position:
    """What must hold in one position.

    Attributes:
        facts: The position as one line of facts; empty for the first one.
        play: What is played from there, ply by ply.
        legal: For each role exactly its legal moves; `ANYBODY` for the only one with a choice.
        can: Likewise moves that are among them.
        cannot: Likewise moves that are not.
        count: Likewise how many there are.
        over: Whether the game is over.
        goals: Of each role.
        holds: Sentences that the rules derive.
        fails: Sentences that they do not.
        perft: Numbers of plays of 1, 2, ... joint moves from there.
    """

    facts: str
    play: tuple[str, ...]
    legal: dict[str, tuple[str, ...]]
    can: dict[str, tuple[str, ...]]
    cannot: dict[str, tuple[str, ...]]
    count: dict[str, int]
    over: bool | None
    goals: dict[str, int]
    holds: tuple[str, ...]
    fails: tuple[str, ...]
    perft: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """What `gdl verify` must say.

    Attributes:
        expect: What it must say of properties by name; ``proved`` where nothing is said.
        skip: Properties that are of no interest.
        never: Formulas that must never hold.
        possible: Formulas that must be possible.
        seconds: What proving may take.
    """

    expect: dict[str, str]
    skip: tuple[str, ...]
    never: tuple[str, ...]
    possible: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """How another ruleset must compare.

    Attributes:
        other: It.
        after: Moves of the shortest play after which the two part; None: they are equivalent.
        seconds: What comparing may take.
    """

    other: str
    after: int | None
    seconds: float


Body: TypeAlias = Position | Proofs | Comparison


@dataclass(frozen=True, slots=True)
class Case:
    """One test of one game.

    Attributes:
        name: What it is called, unique in its file.
        game: What it is a test of, as the file names it.
        body: What must hold.
        table: Where it stands.
        skip: Why it is not run; empty if it is.
    """

    name: str
    game: str
    body: Body
    table: Table
    skip: str = ""

    @property
    def folder(self) -> Path:
        """Where its file lies: names of files are read from there."""
        return Path(self.table.file.source.name).parent

    def place(self, *key: str | int, text: str = "") -> Span:
        """Return where a key of the test stands, or a text in its value."""
        file, path = self.table.file, (*self.table.path, *key)
        return file.value_place(path, text) or Span(file.source, 0, 0)


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of a file, in order."""

    path: Path
    cases: tuple[Case, ...]


def read_suite(path: str | Path, *, may_be_empty: bool = False) -> Suite:
    """Return the tests of a file.

    Raises:
        FileError: It cannot be read.
        SuiteError: It is no file of tests; holds every problem. One without a test is none, unless
            it may be empty.
    """
    source = read_source(path, most=DEFAULT_LIMITS.bytes + 1)
    return suite_in(suite_file(source), may_be_empty=may_be_empty)


def suite_of(source: Source, *, keeps: bool = True) -> Suite:
    """Return the tests of a text, whose name is the path of its file; see `TomlFile` for ``keeps``.

    Raises:
        SuiteError: It is no file of tests; holds every problem.
    """
    return suite_in(suite_file(source, keeps=keeps))


def suite_file(source: Source, *, keeps: bool = True) -> TomlFile:
    """Return a text as a file of tests, not read yet; see `TomlFile` for ``keeps``."""
    return TomlFile(source, what="the file", error=SuiteError, keeps=keeps)


def suite_in(file: TomlFile, *, may_be_empty: bool = False) -> Suite:
    """Return the tests of a file; see `read_suite`."""
    root = file.root()
    root.only(_TOP)
    games = _games(root) or [""]
    cases: list[Case] = []
    for table in root.tables("test", "a [[test]] table"):
        cases += _cases(table, games, _position, "")
    for number, table in enumerate(root.tables("diff", "a [[diff]] table")):
        cases += _cases(table, games, _comparison, f"diff {table.values.get('with', number)}")
    if (proofs := root.table("verify")) is not None:
        cases += _cases(proofs, games, _proofs, "verify")
    if not (cases or file.problems or may_be_empty):
        root.problem("no-test", None, "there is no test in this file", "a [[test]] table")
    _check_names(cases)
    file.finish()
    return Suite(Path(file.source.name), tuple(cases))


def _games(table: Table) -> list[str]:
    """Return the games that a table names."""
    if "games" in table.values:
        return list(table.list_of("games", str, f"a list; each {_A_GAME}"))
    name = table.text("game", _A_GAME, default="")
    return [name] if name else []


def _cases(table: Table, games: list[str], read: Callable[[Table], Body], name: str) -> list[Case]:
    """Return the test of a table, once for each game."""
    own = _games(table) or games
    said = name or table.text("name", "a text")
    if own == [""]:
        table.problem("missing-key", None, f"{table.name} has no game", _A_GAME)
    skip = table.text("skip", "why it is not run", default="") if read is not _proofs else ""
    body = read(table)
    several = len(own) > 1
    return [Case(f"{said} [{g}]" if several else said, g, body, table, skip) for g in own]


def _position(table: Table) -> Position:
    table.only((*_OF_ANY, "position", "play", *_EXPECTED))
    lines = "moves, separated by ;, or a list of such lines"
    if isinstance(table.values.get("play"), list):
        played = table.list_of("play", str, lines)
    else:
        played = [table.value("play", str, lines) or ""]
    plies = [ply for line in played for ply in split_plies(line)]
    before = len(table.file.problems)
    perft = table.list_of("perft", int, "numbers of plays of 1, 2, ... moves")
    _bounded(table, "perft", perft, least=0)
    goals = _by_role(table, "goals", _whole, "a goal for each role, such as { x = 100, o = 0 }")
    over = table.value("over", bool, "true or false")
    position = Position(
        facts=table.text("position", "facts on one line", default=""),
        play=tuple(plies),
        legal=_by_role(table, "legal", _texts, _MOVES, default=ANYBODY),
        can=_by_role(table, "can", _texts, _MOVES, default=ANYBODY),
        cannot=_by_role(table, "cannot", _texts, _MOVES, default=ANYBODY),
        count=_by_role(table, "count", _whole, "a number of moves", default=ANYBODY),
        over=over,
        goals=goals,
        holds=tuple(table.list_of("holds", str, "sentences")),
        fails=tuple(table.list_of("fails", str, "sentences")),
        perft=tuple(perft),
    )
    if not _expects(position) and len(table.file.problems) == before:
        said = "this test expects nothing"
        table.problem("no-expectation", None, said, one_of(_EXPECTED, most=len(_EXPECTED)))
    return position


def _expects(position: Position) -> bool:
    """Return whether a test can fail; of lists without an entry only that none is legal can."""
    return bool(
        position.legal
        or any((*position.can.values(), *position.cannot.values()))
        or position.count
        or position.over is not None
        or position.goals
        or position.holds
        or position.fails
        or position.perft
    )


def _proofs(table: Table) -> Proofs:
    table.only(("game", "games", "expect", "skip", "never", "possible", "seconds"))
    expect = _by_role(table, "expect", _word, f"{one_of(OUTCOMES)} for each property")
    skip = tuple(table.list_of("skip", str, "names of properties"))
    for name, word in expect.items():
        if isinstance(word, str) and word not in OUTCOMES:
            said, hint = f"{word} is nothing that is expected", did_you_mean(word, OUTCOMES)
            table.problem("wrong-value", "expect", said, one_of(OUTCOMES), hint=hint, at=word)
        if name in skip:
            said = f"{name} is expected and skipped"
            table.problem("wrong-value", "skip", said, "one of the two", at=name)
    return Proofs(
        expect=expect,
        skip=skip,
        never=tuple(table.list_of("never", str, "formulas of the rules")),
        possible=tuple(table.list_of("possible", str, "formulas of the rules")),
        seconds=_seconds(table),
    )


def _comparison(table: Table) -> Comparison:
    table.only((*_OF_ANY, "with", "equivalent", "after", "seconds"))
    after = table.value("after", int, "moves of the shortest play that tells them apart")
    equivalent = table.value("equivalent", bool, "true")
    if (after is None) is not (equivalent is True):
        said = "a comparison says one thing"
        table.problem("no-expectation", None, said, "equivalent = true, or after = N")
    return Comparison(table.text("with", _A_GAME), after, _seconds(table))


def _seconds(table: Table) -> float:
    seconds = table.values.get("seconds", SECONDS)
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not 0 < seconds <= MAX_SECONDS:
        expected = f"a number above 0, at most {MAX_SECONDS:,}"
        table.problem("wrong-value", "seconds", f"seconds is {seconds!r}", expected)
        return SECONDS
    return float(seconds)


def _by_role(  # a key, and what may stand there
    table: Table,
    key: str,
    read: Callable[[Any], Any],
    expected: str,
    default: str | None = None,
) -> dict[str, Any]:
    """Return a value for each role, of a table, or with a default of one value for that one."""
    given = table.values.get(key)
    if given is None:
        return {}
    if not isinstance(given, dict):
        given = {} if default is None else {default: given}
        if not given:
            table.problem("wrong-type", key, f"{key} is no table", expected)
    values = {}
    for role, value in given.items():
        values[role] = read(value)
        if values[role] is None:
            said = f"{key}{'.' + role if role else ''} cannot be {value!r}"
            table.problem("wrong-type", key, said, expected)
            values[role] = ()
    return values


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        return None
    return tuple(value)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _bounded(table: Table, key: str, values: list[int], *, least: int) -> None:
    for value in values:
        if value < least:
            said = f"{value} is less than {least}"
            table.problem("wrong-value", key, said, f"at least {least}", at=str(value))


def _check_names(cases: list[Case]) -> None:
    """Note every name that an earlier test has."""
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            said = f"an earlier test is called {case.name!r} too"
            case.table.problem("same-name", "name", said, "a name of its own")
        seen.add(case.name)
