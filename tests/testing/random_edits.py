"""Wrong edits that nobody chose: ``python -m tests.testing.random_edits [SEED] [GAME...]``.

A seed draws five edits of each of ten shipped games, other games than those of `wrong_edits`: a
literal dropped or negated, a variable, a constant or a relation swapped, arguments the other way
round, a rule dropped. Each is given to ``gdl check``, ``gdl verify`` (what is refuted that is not
of the right rules) and the tests beside the rules. What none of them finds is compared with the
right rules: edits that are proved to change nothing are no wrong edits, and another is drawn.
Out: a line for each edit, and the sums.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import gdl
from gdl.language.parse import read
from gdl.language.render import render_rule
from gdl.language.syntax import Description, Rule
from gdl.ruleset.search import shipped_folder
from gdl.testing.discover import files
from tests import mutants
from tests.testing.test_wrong_edits import fails

GAMES: Final = (
    ("rockpaperscissors", "rockpaperscissors/rockpaperscissors.kif"),
    ("leducpoker", "leducpoker/leducpoker.kif"),
    ("threeplayertictactoe", "threeplayertictactoe/threeplayertictactoe.kif"),
    ("lightsout", "lightsout/lightsout.kif"),
    ("goofspiel?cards=4", "goofspiel/goofspiel.kif"),
    ("morris/three", "morris/morris.kif"),
    ("y?size=3", "y/y.kif"),
    ("liarsdice", "liarsdice/liarsdice.kif"),
    ("phantomtictactoe", "phantomtictactoe/phantomtictactoe.kif"),
    ("oshizumo", "oshizumo/oshizumo.kif"),
)
EACH: Final = 5
SEED: Final = 20
SECONDS: Final = 4.0
"""What the verifier may take for an edit."""
DIFF_SECONDS: Final = 30.0
SLIPS: Final[dict[str, mutants.Edit]] = {
    "a literal dropped": mutants.delete_condition,
    "a literal negated": mutants.negate_condition,
    "a variable swapped": mutants.rename_variable,
    "a constant swapped": mutants.exchange_constant,
    "arguments swapped": mutants.swap_arguments,
    "a rule dropped": mutants.drop_rule,
}


class Slip(NamedTuple):
    """One edit: what the hand did, the rule as it was, and what stands there now."""

    kind: str
    old: str
    new: str


def slips(description: Description, chance: random.Random) -> Iterator[Slip]:
    """Yield edits of one rule each, for ever, none twice."""
    seen = set[Slip]()
    while True:
        kind = chance.choice(list(SLIPS))
        rules = list(description.rules)
        if not SLIPS[kind](rules, chance) or rules == list(description.rules):
            continue
        pairs = zip(description.rules, [*rules, None], strict=False)
        old, new = next(pair for pair in pairs if pair[0] != pair[1])
        put = "" if len(rules) < len(description.rules) or new is None else render_rule(new)
        slip = Slip(kind, _text(old), put)
        if slip not in seen:
            seen.add(slip)
            yield slip


def _text(rule: Rule) -> str:
    assert rule.place is not None
    return rule.place.span.text


def put(file: str, slip: Slip, folder: Path) -> Path:
    """Return a rule file with an edit, in a copy of its family."""
    family = Path(file).parent.name
    shutil.copytree(shipped_folder() / family, folder / family)
    path = folder / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(slip.old, slip.new, 1), encoding="utf-8")
    return path


def finders(game: str, path: Path, right: set[str], seconds: float = SECONDS) -> list[str]:
    """Return who finds what is wrong with a file; ``right`` is refuted of the right rules."""
    name = f"{path.parent / 'manifest.toml'}#{game}"
    found = ["check"] if gdl.check(name) else []
    found += ["verify"] if refuted(name, seconds) - right else []
    found += ["test"] if any(fails(suite) for suite in files(path.parent.parent)) else []
    return found


def refuted(name: str, seconds: float) -> set[str]:
    """Return the properties that are refuted, and are none that a good game may lack."""
    from gdl.verify.verification import verify

    try:
        verdicts = verify(gdl.load(name), seconds=seconds).verdicts
    except gdl.GdlError:
        return set()
    return {each.name for each in verdicts if each.status == "refuted" and not each.is_well}


def changes(game: str, path: Path) -> str:
    """Return what `gdl diff` says of an edit that nobody found."""
    name = f"{path.parent / 'manifest.toml'}#{game}"
    try:
        difference = gdl.diff(game, name, seconds=DIFF_SECONDS)
    except gdl.GdlError as error:
        return f"cannot be compared: {error.headline}"
    return (
        "equivalent" if difference.equivalent else f"{difference.headline}: {difference.sentence}"
    )


def edits_of(game: str, file: str, seed: int) -> Iterator[Slip]:
    """Return the edits of a game that a seed draws."""
    return slips(read(shipped_folder() / file), random.Random(f"{seed} {game}"))


def main(words: list[str]) -> None:
    """Write a line for each edit, and the sums."""
    seed = int(words[0]) if words else SEED
    counts, equal, missed = Counter[str](), 0, 0
    for game, file in GAMES:
        if words[1:] and game not in words[1:]:
            continue
        right, kept = refuted(game, SECONDS), 0
        for slip in edits_of(game, file, seed):
            with tempfile.TemporaryDirectory() as folder:
                path = put(file, slip, Path(folder))
                found = finders(game, path, right)
                said = " ".join(found) or changes(game, path)
            counts["+".join(found)] += bool(found)
            equal += said == "equivalent"
            missed += not found and said != "equivalent"
            kept += said != "equivalent"
            shown = " ".join(slip.old.split()), " ".join(slip.new.split())
            sys.stdout.write(f"{game}: {slip.kind}: {shown[0]} => {shown[1] or '-'}: {said}\n")
            sys.stdout.flush()
            if kept == EACH:
                break
    sys.stdout.write(f"{dict(counts)}, missed {missed}; {equal} change nothing\n")


if __name__ == "__main__":
    main(sys.argv[1:])
