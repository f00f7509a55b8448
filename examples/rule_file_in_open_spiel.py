"""Put a rule file into OpenSpiel and let its algorithms loose on it.

Needs the extra ``openspiel``. Run it: ``python examples/rule_file_in_open_spiel.py``.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from gdl.adapters import openspiel
from gdl.adapters.packages import MissingPackageError

# Rock, paper, scissors, but a win with the rock counts for less: how often should one show it?
STONES = """
(role left) (role right)
(init open)
(beats rock scissors 75) (beats paper rock 100) (beats scissors paper 100)
(hand rock) (hand paper) (hand scissors)
(<= (legal ?r (show ?h)) (role ?r) (hand ?h))
(<= (next (shown ?r ?h)) (does ?r (show ?h)))
(<= terminal (not (true open)))
(<= (wins ?r ?goal)
    (true (shown ?r ?h)) (true (shown ?s ?g)) (distinct ?r ?s) (beats ?h ?g ?goal))
(<= decided (wins ?r ?goal))
(<= (goal ?r ?goal) (wins ?r ?goal))
(<= (goal ?r 25) (wins ?s 75) (role ?r) (distinct ?r ?s))
(<= (goal ?r 0) (wins ?s 100) (role ?r) (distinct ?r ?s))
(<= (goal ?r 50) (role ?r) (not decided))
"""


def solve_stones(path: Path) -> None:
    """Find how to play the stones by regret minimisation, and how good that is."""
    name = openspiel.register(path)  # asks for OpenSpiel, and says how to get it

    import pyspiel
    from open_spiel.python.algorithms import cfr, exploitability

    game = pyspiel.load_game_as_turn_based(name)
    solver = cfr.CFRSolver(game)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    state = game.new_initial_state()
    for action, share in policy.action_probabilities(state).items():
        print(f"  {state.action_to_string(0, action)}: {share:.2f}")
    print(f"exploitability {exploitability.exploitability(game, policy):.3f}")


def search_tictactoe() -> None:
    """Let its tree search play against chance."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts
    from open_spiel.python.bots import uniform_random

    game = pyspiel.load_game(openspiel.register("tictactoe"))
    rng = np.random.RandomState(0)
    searcher = mcts.MCTSBot(game, 2, 50, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    chance = uniform_random.UniformRandomBot(1, rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        bot = (searcher, chance)[state.current_player()]
        state.apply_action(bot.step(state))
    print(state)
    print("tree search against chance:", state.returns())


def main() -> None:
    """Solve a small game of simultaneous moves, then search a larger one."""
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "stones.kif"
            path.write_text(STONES, encoding="utf-8")
            solve_stones(path)
        search_tictactoe()
    except MissingPackageError as error:
        print(error)


if __name__ == "__main__":
    main()
