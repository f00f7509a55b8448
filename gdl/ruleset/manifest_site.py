"""The ``cell`` and ``move`` tables of a board: which facts and moves belong to which sites.

In: a table. Out: a `CellFact` or `MovePlace`; problems are noted in the table's file. Sites are
named by patterns: ``?column ?row``, ``?column ?row right``, ``south ?pit``, ``bar``.
"""

from __future__ import annotations

from typing import Final

from gdl.language.template import TemplateError, holes, read_template
from gdl.language.terms import Term
from gdl.ruleset.errors import did_you_mean, one_of
from gdl.ruleset.toml_table import Table
from gdl.view.picture import (
    ANY,
    BARS,
    GRID,
    HEXAGONS,
    POINTS,
    SIDES,
    CellFact,
    Layout,
    MovePlace,
    Picture,
    default_steps,
)
from gdl.view.plan import plan

_FACT: Final = 'a term with ?column and ?row, for instance "(cell ?column ?row ?mark)"'
_POINT_FACT: Final = 'a term with ?point, for instance "(cell ?point ?mark)"'
_MOVE: Final = 'a term with ?column, ?row or ?block, for instance "(place ?column ?row)"'
_POINT_MOVE: Final = 'a term with ?point, for instance "(place ?point)"'
_SITE: Final = 'the name of a site, for instance "?column ?row right" or "bar"'
_BLOCK: Final = "row and column of a block, counted from 1 between the breaks, for instance [1, 2]"
_TURN: Final = "degrees, clockwise, from -359 to 359 and not 0: 90, 180 or -60"
_LINK: Final = "columns to the right and rows downwards, for instance [1, 2] or [2, -1]"
_LINK_FACT: Final = 'for instance "(link ?link ?column ?row ?mark)"'
_POINTING: Final = "degrees, clockwise from above, from 0 to 359: 0, 90 or 135"
FULL_TURN: Final = 360
CORNER: Final = "-"


def read_cell(table: Table, kind: str) -> CellFact | None:
    """Return which facts a ``cell`` table means; None, and a problem noted, if none."""
    table.only(("fact", "mark", "column-offset", "row-offset", "at", "turn", "link"))
    expected = _POINT_FACT if kind == POINTS else _FACT
    fact = _template(table, "fact", expected)
    mark = table.text("mark", "the name of a mark", default="") or None
    offsets = _offsets(table)
    turns = _turns(table, _POINTING, least=0)
    links = _links(table)
    at = table.text("at", _SITE, default="")
    if fact is None:
        return None
    named = set(holes(fact))
    wanted = () if at else ("point",) if kind == POINTS else ("column", "row")
    missing = [name for name in wanted if name not in named]
    if mark is None and not named & {"mark", "count"}:
        missing.append("mark")
    if missing:
        hint = 'or say which mark it is: mark = "queen"' if missing == ["mark"] else None
        table.problem("wrong-term", "fact", f"the fact has no ?{missing[0]}", expected, hint=hint)
        return None
    at = " ".join(at.split()) or ("?point" if kind == POINTS else "?column ?row")
    if ANY in at.split():
        said = "a fact stands in one place, not in any"
        table.problem("wrong-value", "at", said, _SITE, at=ANY)
        return None
    if links and (kind != GRID or "link" not in named):
        said = "a link is for facts with ?link on boards of kind grid"
        table.problem("wrong-value", "link", said, _LINK_FACT)
        return None
    if not _is_pattern(table, at, named, kind):
        return None
    return CellFact(fact, mark, offsets[0], offsets[1], at, turns, links)


def read_move(table: Table, kind: str, blocks: tuple[int, int]) -> MovePlace | None:
    """Return which moves a ``move`` table means; None, and a problem noted, if none.

    Args:
        table: The table.
        kind: Of the board.
        blocks: Rows and columns of blocks that a board has, for those that turn.
    """
    table.only(("move", "column-offset", "row-offset", "block", "turn", "at", "role"))
    move = _template(table, "move", _POINT_MOVE if kind == POINTS else _MOVE)
    offsets = _offsets(table)
    places = _block_places(table, blocks)
    turns = _turns(table, _TURN, least=1 - FULL_TURN)
    if move is None:
        return None
    named = set(holes(move))
    patterns = _patterns(table, named, kind)
    if not patterns and "block" not in named:
        expected = _POINT_MOVE if kind == POINTS else _MOVE
        table.problem("wrong-term", "move", "the move has no place on the board", expected)
        return None
    good = [pattern for pattern in patterns if _is_pattern(table, pattern, named, kind)]
    if len(good) < len(patterns):
        return None
    role = table.text("role", "a role, where only that one makes the move there", default="")
    return MovePlace(move, offsets[0], offsets[1], places, turns, patterns, role)


def _patterns(table: Table, named: set[str], kind: str) -> tuple[str, ...]:
    """Return the sites that a move touches one after the other, by default those of its names."""
    match table.values.get("at"):
        case None:
            if kind == POINTS:
                return ("?point",) if "point" in named else ()
            return default_steps(named)
        case str():
            patterns = [table.text("at", _SITE)]
        case _:
            patterns = table.list_of("at", str, f"{_SITE}, or a list of such")
    return tuple(" ".join(pattern.split()) for pattern in patterns if pattern.strip())


def _is_pattern(table: Table, pattern: str, named: set[str], kind: str) -> bool:
    """Return whether a pattern can name sites; problems are noted."""
    words = pattern.split()
    for word in words:
        if word.startswith("?") and word[1:] not in named:
            variables = [f"?{name}" for name in sorted(named)]
            said, hint = f"{word} stands for nothing here", did_you_mean(word, variables)
            table.problem("wrong-value", "at", said, one_of(variables), hint=hint, at=word)
            return False
    if kind == POINTS:
        return True
    if kind != HEXAGONS and len(words) == 1 and words[0].startswith("?"):
        return True  # the number of a dark cell: whether the board has any, `check_names` asks
    if len(words) < 2 or (kind == HEXAGONS and len(words) > 2):  # noqa: PLR2004  # column and row
        said = f"{pattern!r} is no cell of the board"
        table.problem("wrong-value", "at", said, 'column and row: "?column ?row"', at=pattern)
        return False
    side, *bar = (*words[2:], "")[: max(1, len(words) - 2)]
    if side and side not in SIDES:
        said, hint = f"{side} is no edge or corner", did_you_mean(side, SIDES)
        table.problem("wrong-value", "at", said, one_of(SIDES), hint=hint, at=side)
        return False
    if bar and (CORNER not in side or len(bar) > 1 or bar[0] not in BARS):
        said = f"{pattern!r} is no wall"
        expected = '"?column ?row bottom-right across", or down, through a corner'
        table.problem("wrong-value", "at", said, expected, at=pattern)
        return False
    return True


def check_names(table: Table, layout: Layout) -> None:
    """Note every pattern, and every name in a line, that no site of the board has.

    A board with other problems is not looked at: its sites may not be those that are meant.
    """
    if table.file.problems:
        return
    sites = plan(Picture((layout,))).panels[0].names
    for cell, entry in zip(layout.cells, table.tables("cell", ""), strict=True):
        _check_name(entry, "at", cell.at, sites)
    for move, entry in zip(layout.moves, table.tables("move", ""), strict=True):
        for pattern in move.at:
            _check_name(entry, "at", pattern, sites)
    for line in layout.lines:
        for name in line:
            _check_name(table, "lines", name, sites)


def _check_name(table: Table, key: str, pattern: str, sites: dict[str, int]) -> None:
    wanted = pattern.split()
    if pattern in sites or any(_fits(wanted, name.split()) for name in sites):
        return
    hint = did_you_mean(pattern, sites)
    said = f"the board has no {pattern!r}"
    table.problem("wrong-value", key, said, one_of(sites), hint=hint, at=pattern)


def _fits(pattern: list[str], words: list[str]) -> bool:
    """Return whether a name has the words of a pattern where it has words of its own."""
    return len(pattern) == len(words) and all(
        part in {word, ANY} or part.startswith("?")
        for part, word in zip(pattern, words, strict=True)
    )


def _offsets(table: Table) -> list[int]:
    return [table.value(key, int, "a whole number") or 0 for key in ("column-offset", "row-offset")]


def _block_places(table: Table, blocks: tuple[int, int]) -> tuple[tuple[str, tuple[int, int]], ...]:
    section = table.table("block")
    if section is None:
        return ()
    places = []
    for name in section.values:
        numbers = section.list_of(name, int, _BLOCK)
        if len(numbers) == len(blocks) and all(
            1 <= number <= most for number, most in zip(numbers, blocks, strict=True)
        ):
            places.append((name, (numbers[0] - 1, numbers[1] - 1)))
        else:
            section.problem("wrong-value", name, f"{name} is no block of the board", _BLOCK)
    return tuple(places)


def _links(table: Table) -> tuple[tuple[str, tuple[int, int]], ...]:
    section = table.table("link")
    if section is None:
        return ()
    links = []
    for name in section.values:
        numbers = section.list_of(name, int, _LINK)
        if len(numbers) == 2 and any(numbers):  # noqa: PLR2004  # to the right and downwards
            links.append((name, (numbers[0], numbers[1])))
        else:
            section.problem("wrong-value", name, f"{name} is no step to another cell", _LINK)
    return tuple(links)


def _turns(table: Table, expected: str, *, least: int) -> tuple[tuple[str, int], ...]:
    section = table.table("turn")
    if section is None:
        return ()
    turns = []
    for name in section.values:
        degrees = section.value(name, int, expected)
        if degrees is None or not least <= degrees < FULL_TURN or (least < 0 and degrees == 0):
            section.problem("wrong-value", name, f"{name} is no turn", expected)
        else:
            turns.append((name, degrees))
    return tuple(turns)


def _template(table: Table, key: str, expected: str) -> Term | None:
    text = table.text(key, expected)
    if not text:
        return None
    try:
        return read_template(text)
    except TemplateError as error:
        table.problem("wrong-term", key, f"the {key} is no term: {error}", expected)
        return None
