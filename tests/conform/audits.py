"""Games of the library beside other people's engines: the run behind docs/audits.md.

``python -m tests.conform.audits SECONDS [NAME...]`` holds each pair against each other for so long
and prints a row of the table: game, engine, positions, games, rules exercised, and what differs.
"""

from __future__ import annotations

import sys
import time
from typing import Final

from gdl.conform import conform
from gdl.language.diagnostics import GdlError

PASS: Final = ("pass-left-out",)
LIMIT: Final = ("move-limit",)
TURNS: Final = ("simultaneous-in-turn",)
PAIRS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("tictactoe", "pyspiel:tic_tac_toe", ()),
    ("mnk", "pyspiel:mnk(m=5,n=5,k=4)", ()),
    ("mnk?columns=7&rows=6&line=4", "pyspiel:mnk(m=7,n=6,k=4)", ()),
    ("connectfour", "pyspiel:connect_four", ()),
    ("connectfour?columns=8", "pyspiel:connect_four(columns=8,rows=6)", ()),
    ("pentago/utwente", "pyspiel:pentago", ()),
    ("gomoku/freestyle", "pyspiel:gomoku", ()),
    ("hex", "pyspiel:hex(board_size=11)", ()),
    ("hex?size=9", "pyspiel:hex(board_size=9)", ()),
    ("y?size=9", "pyspiel:y(board_size=9)", ()),
    ("y?size=5", "pyspiel:y(board_size=5)", ()),
    ("havannah?size=4", "pyspiel:havannah(board_size=4)", ()),
    ("breakthrough", "pyspiel:breakthrough", ()),
    ("clobber", "pyspiel:clobber", ()),
    ("othello", "pyspiel:othello", PASS),
    ("amazons/small", "pyspiel:amazons", ("whole-turns",)),
    ("kalah", "pyspiel:mancala", ()),
    ("dotsandboxes", "pyspiel:dots_and_boxes(num_rows=3,num_cols=3)", ()),
    ("quoridor?size=5", "pyspiel:quoridor(board_size=5)", LIMIT),
    ("linesofaction", "pyspiel:lines_of_action", PASS),
    ("checkers/american", "pyspiel:checkers", ()),
    ("oware", "pyspiel:oware", ()),
    ("morris/nine", "pyspiel:nine_mens_morris", LIMIT),
    ("twixt", "pyspiel:twixt(board_size=8)", ()),
    ("ultimatetictactoe", "pyspiel:ultimate_tic_tac_toe", ("whole-turns",)),
    ("go", "pyspiel:go(board_size=5,komi=0)", ()),
    ("chess", "pyspiel:chess", ()),
    ("kuhnpoker", "pyspiel:kuhn_poker", ("returns-scaled",)),
    ("leducpoker", "pyspiel:leduc_poker", ("returns-scaled",)),
    ("liarsdice", "pyspiel:liars_dice", ()),
    ("goofspiel?cards=5", "pyspiel:goofspiel(num_cards=5)", PASS),
    ("oshizumo?coins=8", "pyspiel:oshi_zumo(coins=8)", LIMIT),
    ("blotto", "pyspiel:blotto", ()),
    ("rockpaperscissors", "pyspiel:matrix_rps", ()),
    ("pig", "pyspiel:pig", ()),
    ("phantomtictactoe", "pyspiel:phantom_ttt(obstype=reveal-numturns)", ()),
    ("2048", "pyspiel:2048", ()),
    ("tictactoe", "pettingzoo:tictactoe_v3", ()),
    ("connectfour", "pettingzoo:connect_four_v3", ()),
    ("tictactoe", "pgx:tic_tac_toe", ()),
    ("connectfour", "pgx:connect_four", ()),
    ("othello", "pgx:othello", PASS),
    ("hex/swap", "pgx:hex", ()),
    ("chess/gardner", "pgx:gardner_chess", ()),
    ("chess", "python-chess:chess+draws", ()),
    ("chess/antichess", "python-chess:antichess+draws", ()),
    ("chess/atomic", "python-chess:atomic+draws", ()),
    ("chess/crazyhouse", "python-chess:crazyhouse+draws", ()),
    ("chess/horde", "python-chess:horde+draws", ()),
    ("chess/kingofthehill", "python-chess:kingofthehill+draws", ()),
    ("chess/racingkings", "python-chess:racingkings+draws", ()),
    ("chess/threecheck", "python-chess:3check+draws", ()),
    ("chess", "pyffish:chess+draws", ()),
    ("chess/gardner", "pyffish:gardner+draws", ()),
    ("chess/losalamos", "pyffish:losalamos+draws", ()),
    ("chess/crazyhouse", "pyffish:crazyhouse+draws", ()),
)
"""Game, engine, and the conventions that are allowed."""


def row(game: str, engine: str, allow: tuple[str, ...], seconds: float) -> str:
    """Return the row of one pair."""
    used = time.process_time()
    try:
        audit = conform(game, engine, positions=1_000_000, seconds=seconds, allow=allow)
    except GdlError as error:
        return f"| {game} | `{engine}` | | | | {error.headline} | |"
    used = time.process_time() - used
    rules = "" if audit.uncovered is None else f"{audit.rules - len(audit.uncovered)}/{audit.rules}"
    found = "agree"
    if audit.parting is not None:
        found = f"{audit.parting.what}: rules {audit.parting.ours}, engine {audit.parting.theirs}, "
        found += f"after {audit.parting.twin.depth} moves ({audit.first_length} when met)"
    found += "".join(f"; {name}" for name in audit.conventions)
    found += "".join(
        f"; {remark}" for remark in audit.remarks if "time was over before" not in remark
    )
    counts = f"{audit.positions:,} | {audit.games:,} | {rules}"
    return f"| {game} | `{engine}` | {counts} | {found} | {used:.0f} s |"


def main() -> None:
    """Print the rows of the pairs whose game or engine has one of the names, or of all."""
    seconds, names = float(sys.argv[1]), sys.argv[2:]
    for game, engine, allow in PAIRS:
        if not names or any(name in f"{game} {engine}" for name in names):
            sys.stdout.write(row(game, engine, allow, seconds) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
