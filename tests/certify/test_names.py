"""A claim is called what its certificate shows: nothing of more plays, nor the opposite."""

from collections.abc import Sequence

import pytest

from gdl.certify import CertificateError
from gdl.certify.names import check_name, check_renamed

BOTH = ("turns broken", "terminal", "sees", "legal r", "goal r")
OPEN = ("open goal r",)

RIGHT: list[tuple[str, Sequence[str], bool]] = [
    ("the games agree", BOTH, False),
    ("the games agree, up to 4 moves", BOTH, False),
    ("the games differ", (*BOTH, *OPEN), True),
    ("no shorter play: the games differ", BOTH, False),
    ("goals agree while play goes on", (*OPEN, *BOTH), False),
    ("terminating", (), False),
    ("playable", ("playable",), False),
    ("not goals unique", ("goals unique",), True),
    ("no shorter play: winnable by r", ("winnable by r",), False),
    ("no play decides playable, up to 3 moves", ("playable",), False),
    ("a property of the user's", ("a property of the user's",), True),
    ("never winnable by r", ("winnable by r",), False),
    ("not one cell a place", ("one cell a place",), True),
    ("never moves reachable", ("r: go",), False),
]
WRONG: list[tuple[str, Sequence[str], bool]] = [
    ("the games agree", BOTH, True),
    ("the games differ", BOTH, False),
    ("the games agree", OPEN, False),
    ("the games agree", ("legal r",), False),
    ("no shorter play: the games differ", BOTH, True),
    ("goals agree while play goes on", BOTH, False),
    ("the games agree", (), False),
    ("not terminating", (), False),
    ("playable", ("goals unique",), False),
    ("not winnable by r", ("winnable by s",), True),
    ("never (line x)", ("never (line x)",), True),
    ("playable", ("playable",), True),
    ("winnable by r", ("winnable by r",), False),
    ("not playable", ("playable",), False),
    ("the games differ, up to 4 moves", BOTH, False),
    ("the games  differ ", BOTH, False),
    ("the games\u200b differ", BOTH, False),
    ("no shorter play: the games agree", BOTH, False),
    ("no shorter play: playable", ("playable",), False),
    ("playable, up to 3 moves", ("playable",), True),
    ("constant sum", ("constant sum",), True),
    ("one cell a place", ("one cell a place",), True),
    ("never playable", ("playable",), False),
    ("not winnable by r", ("winnable by r",), True),
    ("terminating", ("playable",), False),
    ("not terminating", ("playable",), True),
    ("no play decides terminating", ("terminating",), False),
]


@pytest.mark.parametrize(("name", "bads", "is_shown"), RIGHT)
def test_a_name_that_says_what_is_shown(name: str, bads: Sequence[str], *, is_shown: bool) -> None:
    check_name(name, bads, is_shown=is_shown, is_loop=False)


@pytest.mark.parametrize(("name", "bads", "is_shown"), WRONG)
def test_a_name_that_says_something_else(name: str, bads: Sequence[str], *, is_shown: bool) -> None:
    with pytest.raises(CertificateError):
        check_name(name, bads, is_shown=is_shown, is_loop=False)


def test_a_renaming_says_that_games_agree() -> None:
    check_renamed("the games agree")
    with pytest.raises(CertificateError, match="show that games agree, and nothing else"):
        check_renamed("playable")
