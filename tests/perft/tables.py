"""Reading perft tables; the format is described in README.md beside this file."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """The leaves at one depth; see README.md for what is counted."""

    depth: int
    nodes: int
    terminal: int
    goals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One state and its rows, in order of depth."""

    id: str
    ruleset: str
    moves: tuple[str, ...]
    rows: tuple[Row, ...]


def read_table(path: Path) -> list[Case]:
    """Return the cases of a ``.perft`` file.

    Raises:
        ValueError: A line with an unknown first word, or a record without its fields.
    """
    records = path.read_text(encoding="utf-8").split("\n\n")
    return [case for record in records if (case := read_case(record, path.name)) is not None]


def read_case(record: str, name: str) -> Case | None:
    """Return the case that a block of lines states; None for a block of comments."""
    fields: dict[str, list[str]] = {"id": [], "ruleset": [], "moves": [], "perft": []}
    for line in record.splitlines():
        word, _, rest = line.partition(" ")
        if word in fields:
            fields[word].append(rest.strip())
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{name}: cannot read {line!r}")
    if not any(fields.values()):
        return None
    if len(fields["id"]) != 1 or len(fields["ruleset"]) != 1 or not fields["perft"]:
        raise ValueError(f"{name}: id, ruleset and perft are needed in {record!r}")
    moves = (move.strip() for line in fields["moves"] for move in line.split(";"))
    rows = [tuple(map(int, line.split())) for line in fields["perft"]]
    return Case(
        id=fields["id"][0],
        ruleset=fields["ruleset"][0],
        moves=tuple(filter(None, moves)),
        rows=tuple(Row(depth, nodes, end, tuple(goals)) for depth, nodes, end, *goals in rows),
    )


def all_cases() -> list[Case]:
    """Return the cases of every table in this folder."""
    return [case for path in sorted(FOLDER.glob("*.perft")) for case in read_table(path)]
