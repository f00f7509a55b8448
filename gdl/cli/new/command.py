"""``gdl new``: from nothing to a game that runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, NamedTuple, TypeVar

from gdl.cli.new.kinds import (
    KINDS,
    NAMES,
    VARIANT,
    checked_players,
    checked_size,
    kind_of,
    shown,
    write_game,
)
from gdl.cli.terminal.console import say
from gdl.cli.terminal.guard import UsageError, report
from gdl.cli.terminal.options import argument, complete_id, option
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits

T = TypeVar("T")

BASE: Final = "tictactoe"
"""The base of a variant if nobody says another."""


class _Given(NamedTuple):
    """What the command line says; None is asked for, or as usual."""

    name: str | None
    kind: str | None
    title: str | None
    players: str | None
    size: int | None
    base: str | None


def new(
    name: Annotated[
        str | None, argument("NAME", "The game's id, and the folder for it; may be a path.")
    ] = None,
    kind: Annotated[
        str | None,
        option(
            "--kind -k",
            "KIND",
            f"{', '.join(NAMES)}. Without it the command asks for whatever is not given.",
            autocompletion=lambda: list(NAMES),
        ),
    ] = None,
    title: Annotated[str | None, option("--title", "TEXT", "What people call the game.")] = None,
    players: Annotated[
        str | None, option("--players -p", "A,B", "The names of the roles, in order.")
    ] = None,
    size: Annotated[
        int | None, option("--size -n", "N", "How large: of the board, of the heaps, ...")
    ] = None,
    base: Annotated[
        str | None,
        option(
            "--base",
            "ID",
            "What a variant is a variant of, with the same players and the same size.",
            autocompletion=complete_id,
        ),
    ] = None,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Write a new game: rules that run, a manifest with a board, and tests.

    Asks five questions, or takes the answers as options. The folder is called like the game.
    docs/rulesets.md explains each word of a manifest, docs/testing.md of tests.

    Examples:
      gdl new
      gdl new mill --kind placement --size 4 --players black,white
      gdl new polite --kind variant --base connectfour
    """
    given = _Given(name, kind or (VARIANT if base else None), title, players, size, base)
    folder, texts = _answers(given, limits, asks=given.kind is None)
    # All is refused before anything is written: there is a whole game, or none.
    for path in (folder / file for file in texts):
        if path.exists():
            raise UsageError(
                f"{path} is there already",
                expected="a name that no folder has",
                help="nothing was written",
            )
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
        say(f"wrote {folder / file}")
    manifest = folder / "manifest.toml"
    say(
        f"\nIt runs. To look at it, and after each change:\n"
        f"  gdl play {manifest}\n  gdl check {folder}\n  gdl test {folder}\n  gdl verify {manifest}"
    )


def _answers(given: _Given, limits: Limits, *, asks: bool) -> tuple[Path, dict[str, str]]:
    """Return the folder of the new game, and its files: from options, or from answers.

    Raises:
        UsageError: An option makes no sense, or there are no more answers.
    """
    if asks:
        for offered in KINDS:
            say(f"  {offered.name:<13} {offered.summary}")
        say(f"  {VARIANT:<13} a game that is there, with other goals")

    # Options and answers go through the same readers, one question after the other, as later ones
    # hang on earlier ones: which players there may be on which kind. An option that makes no sense
    # ends the command; of an answer the question is put again.
    def answer(question: str, option: str | None, usual: str | None, read: Callable[[str], T]) -> T:
        if option is not None:
            return read(option)
        if asks:
            return _ask(question, usual, read)
        if usual is None:
            raise UsageError("the new game has no name", expected="gdl new NAME --kind KIND")
        return read(usual)

    kind = answer("What kind of game", given.kind, KINDS[0].name, _checked_kind)
    folder = answer("A name for it", given.name, None, _checked_folder)
    title = answer("A title for people", given.title, shown(folder.name), _checked_title)
    if kind == VARIANT:
        from gdl.cli.new.variant import write_variant

        if given.players is not None or given.size is not None:
            raise UsageError(
                "a variant has the players and the size of its base", expected="--base ID"
            )
        return folder, answer(
            "A variant of what", given.base, BASE,
            lambda base: write_variant(base, folder.name, title, limits),
        )  # fmt: skip
    if given.base is not None:
        raise UsageError(
            f"a game of the kind {kind} has no base", expected="--kind variant --base ID"
        )
    of = kind_of(kind)
    players = answer(
        "Its players", given.players, ", ".join(of.players),
        lambda text: checked_players(of, text.replace(",", " ").split()),
    )  # fmt: skip
    size = answer(
        f"Its size ({of.size}, {of.least} to {of.most})",
        None if given.size is None else str(given.size), str(of.usual),
        lambda text: checked_size(of, _whole(text)),
    )  # fmt: skip
    return folder, write_game(of, folder.name, title, players, size)


def _ask(question: str, usual: str | None, read: Callable[[str], T]) -> T:
    """Return the first answer that can be used; says what is wrong with others.

    Raises:
        UsageError: There is no further answer.
    """
    from gdl.cli.playing.prompt import read_line

    prompt = f"{question}{f' [{usual}]' if usual else ''}: "
    while True:
        try:
            line = read_line(prompt)
        except EOFError:
            raise UsageError("the answers ended before the questions", expected=question) from None
        try:
            return read(line or usual or "")
        except GdlError as error:
            report(error)


def _checked_kind(word: str) -> str:
    return word if word == VARIANT else kind_of(word).name


def _checked_folder(word: str) -> Path:
    folder = Path(word)
    if re.fullmatch(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", folder.name):
        return folder
    raise UsageError(
        f"{word!r} is no name for a game", expected="small letters and digits, - and _ between them"
    )


def _checked_title(text: str) -> str:
    if text.strip() and text.isprintable():
        return text.strip()
    raise UsageError("this is no title", expected="some words on one line")


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{text!r} is no size", expected="a whole number") from None
