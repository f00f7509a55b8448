"""A tournament on disk: its plan, one line a game, and a replayable record of each game.

In: a folder. Out: which games were played and how they ended; each once, whatever happened.
``plan.json`` is written first. A game counts from the moment its line stands in
``results.jsonl``, which is only appended to and flushed to the disk; its record in ``games/``
is written before. A last line that was torn by a kill is cut off, and its game played again.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from gdl._files import locked
from gdl.language.diagnostics import GdlError
from gdl.language.parse import parse_term
from gdl.play.tournament.game import Outcome
from gdl.play.tournament.plan import Bout, Plan
from gdl.plays import SavedGame, saved_text

PLAN_NAME: Final = "plan.json"
RESULTS_NAME: Final = "results.jsonl"
LOCK_NAME: Final = "lock"
GAMES_NAME: Final = "games"
FORMAT: Final = 1
"""Changes when older programs could not read what is written."""


class StoreError(GdlError):
    """A folder that is no tournament, or another one than is meant."""


@dataclasses.dataclass(frozen=True, slots=True)
class Kept:
    """What is known of the rulesets of a tournament.

    Attributes:
        digests: SHA-256 of the rules of each ruleset, so that none changes halfway.
        roles: The roles of each.
    """

    digests: tuple[str, ...]
    roles: tuple[tuple[str, ...], ...]


class Store:
    """A folder with a tournament in it.

    Attributes:
        folder: Where.
        plan: What is played.
        kept: What its rulesets are.
        outcomes: The games played so far, by number.
    """

    def __init__(self, folder: Path, plan: Plan, kept: Kept) -> None:
        """Open a folder, or begin one; use it as a context to add to it.

        Raises:
            StoreError: Another tournament lies there, or the rules have changed since.
            OSError: The folder cannot be read or written.
        """
        self.folder, self.plan, self.kept = folder, plan, kept
        self._lock = ExitStack()
        wanted = _plan_table(plan, kept)
        there = read_plan(folder)
        if there is None:
            folder.mkdir(parents=True, exist_ok=True)
            _write(folder / PLAN_NAME, json.dumps(wanted, indent=2) + "\n")
        elif there != (plan, kept):
            raise StoreError(
                f"{folder} holds another tournament: {_difference(there, plan, kept)}",
                help="name another folder, or go on with this one by naming the folder alone",
            )
        (folder / GAMES_NAME).mkdir(exist_ok=True)
        self.outcomes: dict[int, Outcome] = {}
        self._sound = self._read_results()

    def _repr_html_(self) -> str:
        """Return the standings for notebooks, with a plot where matplotlib is installed."""
        from gdl.play.tournament.plot import plot_html
        from gdl.play.tournament.standings import ranking_html, standings

        names, outcomes = self.plan.players, list(self.outcomes.values())
        ranked = standings(len(names), outcomes)
        return ranking_html(names, ranked) + plot_html(names, ranked)

    def _read_results(self) -> int:
        """Read what was played; return how many bytes of the file are whole lines."""
        try:
            raw = (self.folder / RESULTS_NAME).read_bytes()
        except FileNotFoundError:
            return 0
        sound = 0
        for line in raw.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            try:
                outcome = outcome_from(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise StoreError(
                    f"{self.folder / RESULTS_NAME}: byte {sound} begins no result: {error}",
                    help="remove this line; its game is then played again",
                ) from error
            self.outcomes.setdefault(outcome.bout.number, outcome)
            sound += len(line)
        return sound

    def __enter__(self) -> Self:
        """Make sure that nobody else adds to the folder, and cut off a torn line.

        What is there is read again: another program may have added to it until now.

        Raises:
            StoreError: Another process has it.
        """
        try:
            self._lock.enter_context(locked(self.folder / LOCK_NAME, waits=False))
        except BlockingIOError as error:
            raise StoreError(
                f"another program is playing the tournament in {self.folder}",
                help="wait until it has ended, or end it",
            ) from error
        self.outcomes.clear()
        self._sound = self._read_results()
        path = self.folder / RESULTS_NAME
        if path.exists() and path.stat().st_size > self._sound:
            os.truncate(path, self._sound)
        return self

    def __exit__(self, *_: object) -> None:
        """Let others add to it."""
        self._lock.close()

    def add(self, outcome: Outcome) -> bool:
        """Keep the outcome of a game; whether it was not known before. Survives a power cut."""
        number = outcome.bout.number
        if number in self.outcomes:
            return False
        _write(self.record_path(number), self._record(outcome))
        with (self.folder / RESULTS_NAME).open("ab") as file:
            file.write(json.dumps(outcome_table(outcome)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self.outcomes[number] = outcome
        return True

    def record_path(self, number: int) -> Path:
        """Return where the record of a game is, whether it is there or not."""
        return self.folder / GAMES_NAME / f"{number:06}.toml"

    def _record(self, outcome: Outcome) -> str:
        """Return a game as a text that ``gdl replay`` plays again."""
        bout, plan = outcome.bout, self.plan
        roles = self.kept.roles[bout.ruleset]
        names = ["nature" if seat < 0 else plan.players[seat] for seat in bout.seats]
        seated = ", ".join(f"{role} {name}" for role, name in zip(roles, names, strict=True))
        play = tuple(tuple(parse_term(move) for move in joint) for joint in outcome.moves)
        game = SavedGame(
            plan.rulesets[bout.ruleset],
            play,
            outcome.is_over,
            dict(zip(roles, outcome.goals, strict=True)),
        )
        comments = [
            f"Game {bout.number} of a tournament: {seated}",
            f"The first {outcome.opening} joint moves were drawn.",
            *outcome.faults,
        ]
        return saved_text([game], comments)


def read_plan(folder: Path) -> tuple[Plan, Kept] | None:
    """Return the tournament that lies in a folder, None where there is none.

    Raises:
        StoreError: Something else lies there.
    """
    path = folder / PLAN_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        torn = _beside(path)  # whoever wrote the plan was killed
        if folder.is_dir() and any(file != torn for file in folder.iterdir()):
            raise StoreError(
                f"{folder} is not empty, and holds no tournament", expected="a new folder"
            ) from None
        return None
    try:
        table = json.loads(text)
        if table.pop("format") != FORMAT:
            raise StoreError(f"{path}: this is of another version of gdl")  # noqa: TRY301  # of its own
        kept = Kept(
            tuple(table.pop("digests")), tuple(tuple(roles) for roles in table.pop("roles"))
        )
        table["rulesets"], table["players"] = tuple(table["rulesets"]), tuple(table["players"])
        return Plan(**table), kept
    except StoreError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path}: this is no plan of a tournament: {error}") from error


def _plan_table(plan: Plan, kept: Kept) -> dict[str, Any]:
    return {
        "format": FORMAT,
        **dataclasses.asdict(plan),
        "digests": list(kept.digests),
        "roles": [list(roles) for roles in kept.roles],
    }


def _difference(there: tuple[Plan, Kept], plan: Plan, kept: Kept) -> str:
    """Return the first thing that differs, in words."""
    old, new = _plan_table(*there), _plan_table(plan, kept)
    for name, value in new.items():
        if json.dumps(old[name]) != json.dumps(value):
            if name in {"digests", "roles"}:
                return "its rules have changed since it began"
            return f"{name} is {_shown(old[name])} there, not {_shown(value)}"
    return "it differs"


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def outcome_table(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON takes it."""
    return dataclasses.asdict(outcome)


def outcome_from(table: Mapping[str, Any]) -> Outcome:
    """Return the outcome that `outcome_table` gave.

    Raises:
        KeyError: Something is missing; likewise TypeError and ValueError for what is no outcome.
    """
    bout = table["bout"]
    first, second = bout["pair"]
    return Outcome(
        bout=Bout(
            int(bout["number"]),
            int(bout["ruleset"]),
            (int(first), int(second)),
            int(bout["round"]),
            tuple(int(seat) for seat in bout["seats"]),
        ),
        moves=_rows(table["moves"], str),
        opening=int(table["opening"]),
        is_over=bool(table["is_over"]),
        goals=_rows(table["goals"], int),
        faults=tuple(map(str, table["faults"])),
        faulty=tuple(map(int, table["faulty"])),
        seconds=tuple(map(float, table["seconds"])),
        wall=float(table["wall"]),
    )


def _rows(rows: Sequence[Sequence[Any]], kind: Any) -> tuple[tuple[Any, ...], ...]:  # noqa: ANN401  # JSON
    return tuple(tuple(kind(value) for value in row) for row in rows)


def _beside(path: Path) -> Path:
    """Return where a file is written before it takes its place."""
    return path.with_name(f".{path.name}.new")


def _write(path: Path, text: str) -> None:
    """Write a file beside its place and rename it; on the disk before this returns."""
    beside = _beside(path)
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
