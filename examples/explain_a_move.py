"""Ask why: a proof for what holds, the literal that fails for what does not.

python examples/explain_a_move.py
"""

import gdl


def main() -> None:
    """Explain an occupied square, a move that works, and the end of a game."""
    state = gdl.load("gomoku/freestyle").initial()
    for move in ("7,7", "0,0", "8,7", "1,0", "9,7", "2,0", "10,7", "3,0"):
        state = state.play(f"PLACE_STONE {{{move}}}")
    print(state)

    print("May black play on a stone?")
    print(state.why("legal black PLACE_STONE {0,0}"))

    print("\nMay black play beside its four?")
    print(state.why("legal black PLACE_STONE {11,7}"))

    print("\nAnd is the game over then?")
    print(state.play("PLACE_STONE {11,7}").why("terminal"))


if __name__ == "__main__":
    main()
