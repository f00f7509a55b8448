"""Games and products as AIGER: the file plays the game, and is bad where it should be."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import gdl
from gdl.cli.main import main
from gdl.language.render import render
from gdl.reason.machine import Reasoner
from gdl.ruleset import find
from gdl.verify.verification import verify
from tests.circuit.aiger_file import Machine, read_aiger

ABC = shutil.which("berkeley-abc") or shutil.which("abc")
needs_abc = pytest.mark.skipif(ABC is None, reason="ABC is not there (Debian: berkeley-abc)")


def written(folder: Path, *options: str, name: str = "game.aig") -> Machine:
    path = folder / name
    assert main(["convert", *options, "--to", "aiger", "-o", str(path)]) == 0
    return read_aiger(path.read_bytes())


def faulty(folder: Path) -> Path:
    """Return tic-tac-toe with a line that nobody drew."""
    text = render(find("tictactoe").description)
    path = folder / "faulty.kif"
    path.write_text(text + "\n(<= (line ?r) (true (cell a 1 ?r)) (true (cell b 3 ?r)) (role ?r))")
    return path


def test_both_forms_say_the_same(tmp_path: Path) -> None:
    binary = written(tmp_path, "tictactoe")
    assert written(tmp_path, "tictactoe", name="game.aag") == binary
    assert (tmp_path / "game.aag").read_bytes().startswith(b"aag ")
    names = [binary.names[f"b{index}"] for index in range(len(binary.bads))]
    assert names == [
        "playable",
        "goals unique",
        "goals in range",
        "turn-taking",
        "one cell a place",
    ]


def test_a_file_is_bad_where_the_formula_holds(tmp_path: Path) -> None:
    formula = "(and (true (cell b 2 x)) (true (control x)))"
    machine = written(tmp_path, "tictactoe", "--never", formula)
    reasoner = Reasoner(find("tictactoe").description)
    assert sum(compared(machine, reasoner, formula, random.Random(seed)) for seed in range(6)) > 0


def compared(machine: Machine, reasoner: Reasoner, formula: str, chance: random.Random) -> int:
    """Play at random in both; return in how many states the formula held."""
    bits, state, found = machine.start(), reasoner.initial(), 0
    while True:
        held = {f"(true {fact})" for fact in reasoner.facts(state)}
        assert machine.facts(bits) == held | {"every step so far was a play"}
        options = [reasoner.legal(state, role) for role in reasoner.roles]
        joint = tuple(chance.choice(moves) for moves in options if moves)
        chosen = {f"(does {r} {m})" for r, m in zip(reasoner.roles, joint, strict=False)}
        bads, bits = machine.step(bits, chosen)
        expected = {"(true (cell b 2 x))", "(true (control x))"} <= held
        found += expected
        assert bads == ({f"never {formula}"} if expected else set())
        if reasoner.is_terminal(state):
            break
        state = reasoner.successor(state, joint)
    assert "every step so far was a play" not in machine.facts(bits)  # nobody moves after the end
    return found


def test_nothing_is_bad_after_a_move_that_is_not_legal(tmp_path: Path) -> None:
    machine = written(tmp_path, "tictactoe", "--never", "(not (true (cell b 2 x)))")
    bads, bits = machine.step(machine.start(), {"(does x (mark a 1))", "(does o (mark a 1))"})
    assert len(bads) == 1
    bads, bits = machine.step(bits, {"(does x noop)", "(does o (mark b 1))"})
    assert not bads
    assert "every step so far was a play" not in machine.facts(bits)


@pytest.mark.slow
def test_a_product_is_bad_where_two_games_part(tmp_path: Path) -> None:
    other = faulty(tmp_path)
    machine = written(tmp_path, "tictactoe", "--against", str(other))
    answer = gdl.diff("tictactoe", other)
    assert answer.play is not None
    bits = machine.start()
    seen = []
    for joint in [*answer.play, ()]:
        chosen = {f"(does {r} {m} & {m})" for r, m in zip("xo", joint, strict=False)}
        bads, bits = machine.step(bits, chosen)
        seen.append(bool(bads))
    assert seen == [False] * answer.depth + [True]


@pytest.mark.slow
@needs_abc
def test_abc_finds_what_verify_finds(tmp_path: Path) -> None:
    other = faulty(tmp_path)
    names = ["playable", "goals unique", "turn-taking", "one cell a place"]
    names += ["winnable by x", "winnable by o"]
    for game in ("tictactoe", str(other)):
        found = verify(game)
        written(tmp_path, game, *(word for name in names for word in ("--bad", name)))
        text = abc(f"read {tmp_path / 'game.aig'}; pdr -a; print_status")
        sat = sum((found[name].play is not None) for name in names)
        assert counted(text) == (sat, len(names) - sat)
        for name in names[-2:]:
            written(tmp_path, game, "--bad", name)
            text = abc(f"read {tmp_path / 'game.aig'}; bmc3 -F 20")
            match = re.search(r"asserted in frame\s+(\d+)", text)
            assert match is not None
            assert int(match[1]) == found[name].depth


@pytest.mark.slow
@needs_abc
def test_abc_agrees_on_products(tmp_path: Path) -> None:
    other = faulty(tmp_path)
    machine = written(tmp_path, "tictactoe", "--against", "tictactoe")
    text = abc(f"read {tmp_path / 'game.aig'}; pdr -a; print_status")
    assert counted(text) == (0, len(machine.bads))
    written(tmp_path, "tictactoe", "--against", str(other))
    text = abc(f"read {tmp_path / 'game.aig'}; bmc3 -F 20")
    match = re.search(r"asserted in frame\s+(\d+)", text)
    assert match is not None
    assert int(match[1]) == gdl.diff("tictactoe", other).depth


def abc(commands: str) -> str:
    """Return what ABC says, without colours."""
    assert ABC is not None
    ran = subprocess.run(
        [ABC, "-c", commands], capture_output=True, encoding="utf-8", timeout=300, check=False
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout)


def counted(text: str) -> tuple[int, int]:
    """Return how many properties ABC refuted and proved."""
    match = re.search(r"contains (\d+) SAT, (\d+) UNSAT, and 0 UNDEC", text)
    assert match is not None, text
    return int(match[1]), int(match[2])


def test_a_property_that_is_not_known_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "tictactoe", "--to", "aiger", "--bad", "fair"]) == 1
    assert capsys.readouterr().err == (
        "error: there is no property fair\n"
        "  expected: one of playable, goals unique, goals in range, turn-taking, "
        "one cell a place, winnable by x, winnable by o\n"
    )


def test_questions_are_for_model_checkers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "tictactoe", "--to", "hrf", "--never", "(line x)"]) == 2
    assert capsys.readouterr().err == (
        "error: --against, --bad and --never ask a model checker; hrf goes to none\n"
        "  help: add --to aiger\n"
    )
