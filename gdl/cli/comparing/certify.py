"""``gdl certify``: does a certificate hold?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gdl.cli.comparing.proving import UNKNOWN
from gdl.cli.terminal.console import say, say_json
from gdl.cli.terminal.guard import FAILED
from gdl.cli.terminal.options import JsonOption, argument
from gdl.cli.terminal.ticker import ticker
from gdl.language.diagnostics import GdlError

if TYPE_CHECKING:
    from gdl.certify import Checked

TRUSTED = (
    "Taken on trust: that the circuit says what the rules say, and the claim's name what the bads\n"
    "are (parser, grounder and compiler, which the tests hold to the rules); of rules that were\n"
    "renamed, that they were read rightly and their helpers written out; and this checker."
)


def certify(
    folder: Annotated[Path, argument("FOLDER", "What --certificates of gdl verify or diff wrote.")],
    json: JsonOption = False,
) -> None:
    """Check certificates, trusting nothing that wrote them.

    Each claim is the bad of its own AIGER file. The formulas that prove it are made anew from
    that file, and each step of their proofs is checked; no solver is asked.

    Exit codes: 0 all hold; 1 one does not; 3 a claim has no certificate.

    Examples:
      gdl certify shown     what gdl verify tictactoe --certificates shown wrote
      gdl certify --json shown
    """
    from gdl.certify import CertificateError, check_folder

    try:
        with ticker() as line:
            checked = list(check_folder(folder, lambda name: line.tick(lambda: name)))
    except CertificateError as error:
        raise GdlError(
            f"{folder} holds no certificates: {error}",
            expected="a folder with certificates.json and the files of each claim in it",
            help="gdl verify GAME --certificates FOLDER writes them",
        ) from error
    if json:
        say_json([_as_json(claim) for claim in checked])
    else:
        _print(checked)
    if any(claim.holds is False for claim in checked):
        raise typer.Exit(FAILED)
    if any(claim.holds is None for claim in checked):
        raise typer.Exit(UNKNOWN)


def _print(checked: Sequence[Checked]) -> None:
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
    say(TRUSTED)


def _one_line(text: str) -> str:
    """Return a text of a folder so that it cannot look like lines of ours."""
    return " ".join(text.split())


def _as_json(claim: Checked) -> dict[str, object]:
    return {"name": claim.name, "kind": claim.kind, "holds": claim.holds, "text": claim.text}
