"""Another model checker beside ours: agreed, held to its word, refused where it is wrong."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

import gdl
from gdl.compile.pipeline import build
from gdl.language.diagnostics import GdlError
from gdl.ruleset import find
from gdl.verify import opinion, verify
from gdl.verify.opinion import compare_opinions
from gdl.verify.properties import examination, second_opinion
from gdl.verify.properties.examination import Examination
from gdl.verify.properties.verdict import Verdict
from gdl.verify.properties.well_formed import Property, standard_properties
from gdl.verify.properties.witness import Witness
from gdl.verify.proving import berkeley_abc
from gdl.verify.proving.berkeley_abc import PROGRAM, ask_outside, read_invariant, read_play
from gdl.verify.proving.inductive_check import UnsoundError, check_inductive
from gdl.verify.proving.invariants import Invariants
from gdl.verify.proving.pdr import ReachabilityResult
from gdl.verify.proving.search import Result
from gdl.verify.solvers.budget import Budget
from gdl.verify.systems.bit_parallel import Simulator
from gdl.verify.systems.state_space import whole_space
from gdl.verify.systems.system import Bad, System, game_system
from tests.shared import some
from tests.verify.planted import Pair, equal, planted
from tests.verify.test_planted import agreeing, differing, side_by_side

needs_abc = pytest.mark.skipif(
    shutil.which(PROGRAM) is None, reason=f"{PROGRAM} is not installed (apt-get install {PROGRAM})"
)


def asked_of(name: str, property_: str) -> System:
    circuit = build(find(name).description)
    (asked,) = (each for each in standard_properties(circuit) if each.name == property_)
    return game_system(circuit).asking([Bad(asked.name, asked.edge)])


@pytest.mark.later
@needs_abc
def test_it_agrees_on_a_game_and_says_so() -> None:
    found = verify("tictactoe", second_opinion=True)
    for name in ("playable", "goals unique", "winnable by x", "turn-taking"):
        assert found[name].text.endswith(f"; {PROGRAM} agrees"), name


@pytest.mark.later
@needs_abc
@pytest.mark.parametrize("name", ["goals unique", "winnable by x"])
@pytest.mark.sample(1)
def test_what_is_open_here_it_answers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is given nothing to find; what ABC finds is checked and then counts."""

    def unknown(asked: Property, *_: object) -> Verdict:
        return Verdict(asked.name, asked.claim, "open", "nothing known")

    monkeypatch.setattr(examination, "decide", unknown)
    found = Examination(find("tictactoe"), (), Budget(60), second_opinion=True).run()[name]
    assert found.status == "proved"
    assert found.text.startswith(f"{PROGRAM}, its ")
    assert (found.play is not None) == name.startswith("winnable")


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return where the files of a disagreement are kept."""
    folder = tmp_path / "kept"
    folder.mkdir()
    monkeypatch.setattr(berkeley_abc, "mkdtemp", lambda **_: str(folder))
    return folder


@pytest.mark.parametrize("is_reached", [True, False])
def test_a_disagreement_is_no_answer(
    is_reached: bool,  # noqa: FBT001  # a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = (
        ReachabilityResult(-1, play=())
        if is_reached
        else ReachabilityResult(-1, Invariants({}, ()))
    )
    monkeypatch.setattr(second_opinion, "ask_outside", lambda *_: wrong)
    monkeypatch.setattr(Witness, "confirmed", lambda *_: ())
    with pytest.raises(UnsoundError, match="please report it"):
        Examination(find("tictactoe"), (), Budget(60), second_opinion=True).run()


CROSS = """
(role r) (init (n 0)) (<= (legal r go) (role r)) (after 0 1) (after 1 2) (after 2 3)
(<= (next (n ?b)) (true (n ?a)) (after ?a ?b))
(<= terminal (true (n 3))) (<= (goal r {goal}) (true (n 3)))
"""


@pytest.fixture
def pair(tmp_path: Path) -> Callable[[int], tuple[Path, Path]]:
    """Return two games of three moves, the second of which pays so much; not the same text."""

    def written(goal: int) -> tuple[Path, Path]:
        paths = tmp_path / "a.kif", tmp_path / f"b{goal}.kif"
        paths[0].write_text(CROSS.format(goal=50), encoding="utf-8")
        again = "(<= terminal (true (n 3)) (role r))"
        paths[1].write_text(CROSS.format(goal=goal) + again, encoding="utf-8")
        return paths

    return written


@needs_abc
def test_it_agrees_on_two_games_and_says_so(pair: Callable[[int], tuple[Path, Path]]) -> None:
    for goal, is_equal in ((50, True), (60, False)):
        one, other = pair(goal)
        answer = gdl.diff(one, other, seconds=60, second_opinion=True)
        assert (answer.equivalent, answer.proved) == (is_equal, True)
        assert f"{PROGRAM} agrees" in answer.notes


def test_two_games_of_one_text_are_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: "/bin/true")
    answer = gdl.diff("tictactoe", "tictactoe", second_opinion=True)
    assert answer.notes == (f"{PROGRAM} was not asked: the texts say it",)


def lonely_system() -> System:
    return side_by_side(agreeing, 1, 4)


def test_an_answer_that_is_open_here_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = Result(None, proved=False, depth=2, method="no time")
    for theirs in (
        ReachabilityResult(-1, Invariants({}, ())),
        ReachabilityResult(-1, play=((0,),) * 3),
    ):
        monkeypatch.setattr(opinion, "ask_outside", lambda *_, said=theirs: said)
        found, note = compare_opinions(lonely_system(), ours, (), Budget(9))
        assert found.proved
        assert (found.play, found.method.split(",")[0]) == (theirs.play, PROGRAM)
        assert note.startswith(PROGRAM)
    monkeypatch.setattr(opinion, "ask_outside", lambda *_: None)
    assert compare_opinions(lonely_system(), ours, (), Budget(9)) == (
        ours,
        f"{PROGRAM} does not tell",
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (
            Result(None, proved=True, depth=2, method=""),
            ReachabilityResult(-1, play=((0,),) * 9),
            "no play tells the games apart here, one of 9 does by berkeley-abc",
        ),
        (
            Result(None, proved=False, depth=2, method=""),
            ReachabilityResult(-1, play=((0,),) * 2),
            "no play of 2 moves or fewer tells the games apart here, one of 2 does by berkeley-abc",
        ),
        (
            Result(((0,),) * 4, proved=True, depth=3, method=""),
            ReachabilityResult(-1, Invariants({}, (((0, True), (1, False)),))),
            "a play of 4 moves tells the games apart here, none by berkeley-abc",
        ),
    ],
)
def test_a_disagreement_on_two_games_saves_everything(
    ours: Result, theirs: ReachabilityResult, said: str, monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    monkeypatch.setattr(opinion, "ask_outside", lambda *_: theirs)
    system = lonely_system()
    with pytest.raises(UnsoundError) as caught:
        compare_opinions(system, ours, ["(role a)", "(role b)"], Budget(9))
    assert str(caught.value) == f"{said}; please report it with what lies in {kept}"
    files = {path.name: path.read_bytes() for path in kept.iterdir()}
    found = "clauses.txt" if theirs.play is None else "play.txt"
    assert files.keys() == {"asked.aig", "said.txt", "1.kif", "2.kif", found}
    assert files["1.kif"] == b"(role a)"
    assert files["said.txt"].decode() == f"{said}\n"
    assert files["asked.aig"].startswith(b"aig ")
    lines = files[found].decode().splitlines()
    assert lines == (["l0 -l1"] if theirs.play is None else ["0"] * len(theirs.play))


@needs_abc
def test_an_invariant_that_does_not_pass_is_kept(
    monkeypatch: pytest.MonkeyPatch, kept: Path
) -> None:
    def refuse(*_: object) -> None:
        raise UnsoundError("not inductive")

    monkeypatch.setattr(berkeley_abc, "check_inductive", refuse)
    with pytest.raises(UnsoundError, match="not inductive; please report it with what lies in"):
        ask_outside(asked_of("tictactoe", "one cell a place"), Budget(60))
    assert {path.name for path in kept.iterdir()} >= {"asked.aig", "invariant.pla"}


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    for ask in (
        lambda: verify("tictactoe", second_opinion=True),
        lambda: gdl.diff("tictactoe", "breakthrough", second_opinion=True),
    ):
        with pytest.raises(GdlError) as caught:
            ask()
        assert str(caught.value) == (
            "a second opinion needs berkeley-abc\n"
            "  help: apt-get install berkeley-abc, or leave out --second-opinion"
        )


# ------------------------------------------------------------------ alone, on crafted pairs


@needs_abc
@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(3_000, 3_020), 4))
def test_alone_it_is_never_wrong(seed: int) -> None:
    for make in (planted, equal, differing, agreeing):
        pair, system = make(seed, 6), side_by_side(make, seed, 6)
        found = ask_outside(system, Budget(20))
        assert_right(found, pair)


@needs_abc
@pytest.mark.parametrize("make", [differing, agreeing])
def test_alone_it_settles_a_pair(make: Callable[[int, int], Pair]) -> None:
    found = ask_outside(side_by_side(make, 1, 4), Budget(60))
    assert found is not None
    assert_right(found, make(1, 4))


@needs_abc
def test_a_play_is_also_looked_for_length_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is a shortest one."""
    monkeypatch.setattr(berkeley_abc, "TURNS", (("bmc3", 0.1),))
    found = ask_outside(side_by_side(differing, 1, 4), Budget(60))
    assert found is not None
    assert found.play is not None
    assert len(found.play) == differing(1, 4).depth


def assert_right(found: ReachabilityResult | None, pair: Pair) -> None:
    if found is None:
        return
    assert (found.play is None) == (pair.depth is None), pair.kind
    assert (found.invariants is None) == (found.play is not None)
    if found.play is not None and pair.depth is not None:
        assert len(found.play) >= pair.depth


# --------------------------------------------------------------- what it says, and says wrong

INVARIANT = "# made by hand\n.i {width}\n.o 1\n{cubes}\n.e\n"


def cubes_of(system: System) -> list[str]:
    """Return the cubes that say what is true of tic-tac-toe: no cell holds both marks."""
    names = [str(label.term) for label in system.facts]
    cubes = []
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            is_pair = one.startswith("(cell") and one[:-2] == other[:-2]
            if i < j and is_pair:
                cubes.append("".join("1" if k in (i, j) else "-" for k in range(len(names))) + "0")
    control = [i for i, name in enumerate(names) if name.startswith("(control")]
    values = ["0" if system.initial[i] else "1" for i in control]  # both
    row = ["-"] * len(names)
    for i, value in zip(control, values, strict=True):
        row[i] = value
    return [*cubes, "".join(row) + "0"]


def test_an_invariant_is_read_and_a_changed_one_refused() -> None:
    """Of sixty changes each is refused, or what it says is true of every state all the same."""
    system, budget = asked_of("tictactoe", "one cell a place"), Budget(60)
    cubes = cubes_of(system)
    written = INVARIANT.format(width=len(cubes[0]), cubes="\n".join(f"{c} 1" for c in cubes))
    right = read_invariant(written, system)
    assert len(right.clauses) == 10
    check_inductive(system, right, budget)
    space = whole_space(system, budget)
    assert space is not None
    states = space.columns()
    stop = Simulator(system.aig, system.fact_inputs, [system.stop]).run(states)[0]
    chance, refused = Random(0), 0
    for _ in range(60):
        mutant = [list(cube) for cube in cubes]
        cube = chance.choice(mutant)
        at = chance.randrange(len(cube) - 1)
        cube[at] = chance.choice([value for value in "01-" if value != cube[at]])
        text = INVARIANT.format(
            width=len(cubes[0]), cubes="\n".join(f"{''.join(c)} 1" for c in mutant)
        )
        changed = read_invariant(text, system)
        holds = all(
            np.logical_or.reduce([states[fact, ~stop] == value for fact, value in clause]).all()
            for clause in changed.clauses
        )
        try:
            check_inductive(system, changed, budget)
        except UnsoundError:
            refused += 1
        else:
            assert holds
    assert refused > 8


def test_an_invariant_of_another_model_is_refused() -> None:
    system = asked_of("tictactoe", "goals unique")
    with pytest.raises(UnsoundError, match="other latches"):
        read_invariant("010- 1\n", system)


def test_a_play_is_held_to_the_circuit() -> None:
    """One that is bad; then cut short, with a move twice at once, and with one not legal."""
    system = asked_of("tictactoe", "winnable by x")
    play = whole_play(system)
    assert read_play(frames(system, play), system) == play
    shorter = play[:-1]
    with pytest.raises(UnsoundError, match="nothing bad"):
        read_play(frames(system, shorter), system)
    with pytest.raises(UnsoundError, match="nothing bad"):
        read_play(frames(system, (play[0], *play)), system)  # the cell is taken
    both = frames(system, play).replace("i0@1=0", "i0@1=1").replace("i1@1=0", "i1@1=1")
    with pytest.raises(UnsoundError, match="nothing bad"):
        read_play(both, system)


def whole_play(system: System) -> tuple[tuple[int, ...], ...]:
    space = whole_space(system, Budget(60))
    assert space is not None
    shown = Simulator(system.aig, system.fact_inputs, [system.bads[0].edge]).run(space.columns())
    return space.play(int(shown[0].argmax()))


def frames(system: System, play: tuple[tuple[int, ...], ...]) -> str:
    """Return a play as ``write_cex -n`` writes it, with one more frame after it."""
    lines = ["# COUNTEREXAMPLE"]
    for ply, joint in enumerate((*play, None)):
        flat = 0
        for role, row in enumerate(system.choice_inputs):
            for index in range(len(row)):
                value = int(joint is not None and joint[role] == index)
                lines.append(f"i{flat}@{ply}={value}")
                flat += 1
    return "\n".join([*lines, "# DONE"])
