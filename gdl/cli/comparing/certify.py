"""``gdl certify``: does a certificate hold?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gdl.cli.comparing.proving import UNKNOWN
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED, UsageError
from gdl.cli.terminal.options import JsonOption, argument, complete_id, option
from gdl.cli.terminal.ticker import ticker
from gdl.game import ruleset_of
from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from gdl.certify import Checked
    from gdl.verify.provenance import Provenance

NOTES: Final = 12
"""Shown, at most: what stands for what in two large games fills many screens."""
TRUSTED = (
    "Taken on trust: that the circuit says what the rules say, and the claim's name what the bads\n"
    "are (parser, grounder and compiler, which the tests hold to the rules); of rules that were\n"
    "renamed, that they were read rightly and their helpers written out; and this checker.\n"
    "gdl certify FOLDER --of GAME compares them with rules."
)
TRUSTED_OF_RULES = (
    "Taken on trust: parser, grounder and compiler, which made the systems of these rules\n"
    "here (the tests hold them to the rules); of rules that were renamed, how their helpers are\n"
    "written out; and this checker."
)


def certify(
    folder: Annotated[Path, argument("FOLDER", "What --certificates of gdl verify or diff wrote.")],
    other: Annotated[
        str | None,
        argument("[B]", "After --of A: the second game.", autocompletion=complete_id),
    ] = None,
    of: Annotated[
        list[str] | None,
        option(
            "--of",
            "A",
            "The rules that the certificates are about, of two games --of A B. What is not about "
            "them is refused.",
            autocompletion=complete_id,
        ),
    ] = None,
    json: JsonOption = False,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Check certificates, trusting nothing that wrote them.

    Each claim is the bad of its own AIGER file. The formulas that prove it are made anew from
    that file, and each step of their proofs is checked; no solver is asked.

    With --of the rules are compiled here, and each AIGER file has to be the system that they give:
    its moves, facts, first values, steps and end, and what the claim denies or shows.

    Exit codes: 0 all hold; 1 one does not; 2 there are none that can be read; 3 a claim has no
    certificate.

    Examples:
      gdl certify shown     what gdl verify tictactoe --certificates shown wrote
      gdl certify shown --of tictactoe
      gdl certify shown --of mine.kif tictactoe     what gdl diff mine.kif tictactoe wrote
    """
    from gdl.certify import CertificateError, check_folder

    games = [*(of or ()), *([other] if other is not None else ())]
    if other is not None and not of:
        raise UsageError(
            f"{other} stands beside the folder",
            expected="rules after --of",
            help=f"gdl certify {folder} --of {other}",
        )
    origin = None
    try:
        if games:
            origin = _provenance(folder, games, limits)
        with ticker() as line:
            checked = list(check_folder(folder, lambda name: line.tick(lambda: name), origin))
    except CertificateError as error:
        raise GdlError(
            f"{folder} holds no certificates: {error}",
            expected="a folder with certificates.json and the files of each claim in it",
            help="gdl verify GAME --certificates FOLDER writes them",
        ) from error
    if json:
        say_json([_as_json(claim) for claim in checked])
    else:
        _print(checked, origin)
    if any(claim.holds is False for claim in checked):
        raise typer.Exit(FAILED)
    if any(claim.holds is None for claim in checked):
        raise typer.Exit(UNKNOWN)


def _provenance(folder: Path, games: Sequence[str], limits: Limits) -> Provenance:
    """Return what compares claims with rules.

    Raises:
        CertificateError: The folder has no index.
        GdlError: It is about more games, or fewer.
    """
    from gdl.certify import CertificateError, read_index
    from gdl.verify.provenance import Provenance

    rulesets = [ruleset_of(name, limits=limits) for name in games]
    index = read_index(folder)
    try:
        return Provenance(rulesets, index, limits)
    except CertificateError as error:
        raise GdlError(
            f"{folder} is not about {' and '.join(games)}: {error}",
            expected="after --of as many games as the certificates were written of",
            help=f"gdl certify {folder} checks them without",
        ) from error


def _print(checked: Sequence[Checked], origin: Provenance | None) -> None:
    if not checked:
        say("no claim: what was found is a play, and a play shows itself (gdl replay)")
    for claim in checked:
        if claim.holds is None:
            say(f"unsaid   {_one_line(claim.name)}", style="yellow")
        else:
            how = ("refused", "bold red") if not claim.holds else ("holds", "green")
            say(f"{how[0]:8} {_one_line(claim.name)}: by {_one_line(claim.kind)}", style=how[1])
        say(f"         {_one_line(claim.text)}")
    say("")
    notes = () if origin is None else origin.notes
    for note in notes[:NOTES]:
        say(f"note: {_one_line(note)}")
    if len(notes) > NOTES:
        say(f"note: and {len(notes) - NOTES:,} more; certificates.json lists them")
    say(TRUSTED if origin is None else TRUSTED_OF_RULES)


def _one_line(text: str) -> str:
    """Return a text of a folder so that it cannot look like lines of ours."""
    return " ".join(text.split())


def _as_json(claim: Checked) -> dict[str, object]:
    return {"name": claim.name, "kind": claim.kind, "holds": claim.holds, "text": claim.text}
