"""How the tests of the command line run it: within the process, and as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from gdl.cli.main import build

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "GDL_RULESETS")
"""Variables of the surroundings that would change what is written."""
PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str


def gdl(*words: str, stdin: str = "", columns: int = 100) -> Ran:
    """Run the command line within this process; an exception that escapes it is raised."""
    without = dict.fromkeys(set(LEFT_OUT) - {"GDL_RULESETS"})
    result = CliRunner(env={**PLAIN, **without, "COLUMNS": str(columns)}).invoke(
        build(), list(words), input=stdin, prog_name="gdl"
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def process(
    *words: str, stdin: str = "", cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> Ran:
    """Run ``python -m gdl`` as a process of its own."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
    done = subprocess.run(
        [sys.executable, "-m", "gdl", *words],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env={**surroundings(), "PYTHONPATH": path, **(env or {})},
        check=False,
        timeout=60,
    )
    return Ran(done.returncode, _text(done.stdout), _text(done.stderr))


def surroundings() -> dict[str, str]:
    """Return the environment for a process whose output is compared."""
    kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    return {**kept, **PLAIN}


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("\r\n", "\n")
