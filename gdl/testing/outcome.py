"""How a test went."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gdl.language.diagnostics import Diagnostic
from gdl.testing.suite import Case

Status: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one test went.

    Attributes:
        case: The test.
        problems: What is not as it must be; empty unless it failed.
        seconds: How long it took, wall clock.
    """

    case: Case
    problems: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """Passed, failed or skipped."""
        if self.case.skip:
            return "skipped"
        return "failed" if self.problems else "passed"

    @property
    def name(self) -> str:
        """The file and the test."""
        return f"{self.case.table.file.source.name}::{self.case.name}"
