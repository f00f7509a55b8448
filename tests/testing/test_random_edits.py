"""Edits that a seed draws: each is one, and those of a small game are found."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from gdl.language.parse import parse, read
from gdl.ruleset.search import shipped_folder
from tests.shared import needs
from tests.testing.random_edits import EACH, GAMES, SEED, edits_of, finders, put, refuted

every_game = pytest.mark.parametrize(("game", "file"), GAMES, ids=[game for game, _ in GAMES])


@pytest.mark.sample(2)
@every_game
def test_each_edit_changes_one_rule(game: str, file: str, tmp_path: Path) -> None:
    right = list(read(shipped_folder() / file).rules)
    for number, slip in enumerate(islice(edits_of(game, file, SEED), EACH)):
        text = put(file, slip, tmp_path / str(number)).read_text(encoding="utf-8")
        wrong = list(parse(text).rules)
        assert len(wrong) == len(right) - (not slip.new)
        kept = [rule for rule in right if rule in wrong]
        assert len(set(right) - set(kept)) <= 1
        assert wrong != right


@needs("verify")
@pytest.mark.slow
def test_those_of_a_small_game_are_found(tmp_path: Path) -> None:
    game, file = GAMES[0]
    right = refuted(game, 2)
    for number, slip in enumerate(islice(edits_of(game, file, SEED), 3)):
        assert finders(game, put(file, slip, tmp_path / str(number)), right, 2), slip
