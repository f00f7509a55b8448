"""Asks a program that others have written, and proved right, about a proof; where it is installed.

In: the files of a formula and of its proof. Out: whether that program holds it for a refutation.
It is asked beside the check of our own, never instead of it.

Source: Tan, Heule, Myreen, "cake_lpr: Verified Propagation Redundancy Checking in CakeML", TACAS
2021 (a checker that is proved right down to its machine code).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

from gdl.certify.aiger_file import CertificateError

CHECKER: Final = "cake_lpr"
VERIFIED: Final = "s VERIFIED UNSAT"
SECONDS: Final = 3_600


def has_checker() -> bool:
    """Return whether the program is on the path."""
    return shutil.which(CHECKER) is not None


def ask_checker(formula: Path, proof: Path) -> None:
    """Let the program check a proof.

    Raises:
        CertificateError: It does not hold it for a refutation; says what the program said.
    """
    command = [CHECKER, str(formula.absolute()), str(proof.absolute())]
    try:
        done = subprocess.run(  # noqa: S603  # a fixed program, no shell
            command, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CertificateError(f"{CHECKER} gave no answer: {error}") from error
    if done.stdout.strip() != VERIFIED:
        said = " ".join((done.stdout + done.stderr).split())[:200]
        raise CertificateError(f"{CHECKER} does not verify it: {said}")
