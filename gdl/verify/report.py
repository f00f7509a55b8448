"""An answer as text: the play in both notations, both boards, what differs, and why.

In: an answer, and the replay of its play. Out: text.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from gdl.language.diagnostics import GdlError
from gdl.language.source import display_width
from gdl.language.syntax import Term
from gdl.state import State
from gdl.verify.answer import Difference, Step
from gdl.verify.correspondence.compared_game import ComparedGame
from gdl.verify.replay import Replay
from gdl.verify.systems.matching import Matching

GAP: Final = "    "
MATCHED_LINES: Final = 8
"""Lines that say what stands for what, at most."""
WHY_LINES: Final = 12
"""Lines of an explanation, at most."""


def write_report(answer: Difference, seen: Replay | None = None) -> str:
    """Return the whole answer for people."""
    lines = [f"{answer.a} and {answer.b}: {answer.headline}"]
    lines += [f"  {answer.sentence}"] if answer.sentence else []
    lines.append(f"  matched by {answer.matching}")
    lines += (f"    {line}" for line in _shortened(answer.matched))
    if seen is not None:
        sides = seen.sides
        lines += ["", *_play(sides, seen), "", *_boards(sides, seen)]
        lines += ["", *(f"- {finding.text}" for finding in seen.findings)]
        lines += _reasons(sides, seen)
    lines += [f"  note: {note}" for note in answer.notes]
    lines += ["", *_stages(answer)]
    return "\n".join(lines)


def _shortened(lines: Sequence[str]) -> list[str]:
    if len(lines) <= MATCHED_LINES:
        return list(lines)
    return [*lines[:MATCHED_LINES], f"... and {len(lines) - MATCHED_LINES} more"]


def matched_lines(sides: tuple[ComparedGame, ComparedGame], matching: Matching) -> tuple[str, ...]:
    """Return roles and moves with what stands for them, where that is not the same name."""
    lines: list[str] = []
    left, right = (side.circuit for side in sides)
    for role, theirs in enumerate(matching.roles):
        names = left.roles[role], right.roles[theirs]
        if names[0] != names[1]:
            lines.append(f"{names[0]} = {names[1]}")
    for role, row in enumerate(matching.pairs):
        theirs = matching.roles[role]
        partners: dict[Term, list[Term]] = {}
        for a, b in row:
            partners.setdefault(left.moves[role][a], []).append(right.moves[theirs][b])
        for move, partner_moves in partners.items():
            if partner_moves != [move]:
                others = sides[1].listed(partner_moves)
                lines.append(f"{sides[0].text(move)} = {others}")
    seen = () if matching.percepts is None else matching.percepts.names
    for role_name, named in zip(left.roles, seen, strict=False):
        lines += (f"{role_name} sees {mine} = {its}" for mine, its in named.items() if mine != its)
    return tuple(dict.fromkeys(lines))


def _texts(sides: tuple[ComparedGame, ComparedGame], seen: Replay) -> list[tuple[str, str]]:
    """Return what is played in each game, move by move."""
    texts = []
    for moves in seen.moves:
        acting = [pair for pair in moves if str(pair[0]) != "noop"] or list(moves)
        left, right = (" & ".join(sides[i].text(pair[i]) for pair in acting) for i in (0, 1))
        texts.append((left, right))
    return texts


def step_by_step(seen: Replay) -> tuple[Step, ...]:
    """Return the play as it goes: before the first move, and after each."""
    texts = [("", ""), *_texts(seen.sides, seen)]
    return tuple(Step(*pair) for pair in zip(texts, seen.steps, strict=True))


def _play(sides: tuple[ComparedGame, ComparedGame], seen: Replay) -> list[str]:
    rows = [[f"{n}.", *texts] for n, texts in enumerate(_texts(sides, seen), start=1)]
    if not rows:
        return ["Before the first move:"]
    return columns([["", sides[0].name, sides[1].name], *rows])


def _boards(sides: tuple[ComparedGame, ComparedGame], seen: Replay) -> list[str]:
    drawn = [str(state).splitlines() for state in seen.states]
    heads = [side.name for side in sides]
    rows = [
        list(row)
        for row in zip_longest(*([h, *d] for h, d in zip(heads, drawn, strict=True)), fillvalue="")
    ]
    return columns(rows)


def _reasons(sides: tuple[ComparedGame, ComparedGame], seen: Replay) -> list[str]:
    """Return why the first thing that differs holds in each game, or does not."""
    lines: list[str] = []
    first = next((f for f in seen.findings if any(f.query)), None)
    if first is None:
        return lines
    for side, state, query in zip(sides, first.asked or seen.states, first.query, strict=True):
        if query:
            lines += ["", f"{side.name}:", *(f"  {line}" for line in why(state, query))]
    return lines


def why(state: State, query: str) -> list[str]:
    """Return the beginning of an explanation, or that there is none."""
    try:
        lines = str(state.why(query)).splitlines()
    except GdlError as error:
        return [error.headline]
    return lines[:WHY_LINES] + (["..."] if len(lines) > WHY_LINES else [])


def _stages(answer: Difference) -> list[str]:
    return columns([[s.name, f"{s.seconds:.1f} s", s.text] for s in answer.stages])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines in which each column begins at the same place."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell + " " * (width - display_width(cell))
            for cell, width in zip(row, widths, strict=True)
        ]
        lines.append(("  " + GAP.join(cells)).rstrip())
    return lines
