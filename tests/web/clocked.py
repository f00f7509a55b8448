"""An event loop whose clock goes on when it waits, and by nothing else.

What lasts a second for a coroutine takes none, and lasts neither more nor less where the machine is
busy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


class Clocked(asyncio.SelectorEventLoop):
    """Waits for nobody: its clock is put forward instead.

    Attributes:
        now: What its clock says, in seconds; a test may put it forward.
    """

    def __init__(self) -> None:
        """Begin at second 0."""
        self.now = 0.0
        super().__init__()
        select = self._selector.select  # type: ignore[attr-defined]  # where the loop waits

        def wait(timeout: float | None) -> Any:  # noqa: ANN401  # events, which pass through
            self.now += timeout or 0.0
            return select(timeout if timeout is None else 0.0)

        self._selector.select = wait  # type: ignore[attr-defined]

    def time(self) -> float:
        """Return what its clock says."""
        return self.now


def run(work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401  # whatever it returns
    """Run a coroutine on such a loop; return what it returns."""
    with asyncio.Runner(loop_factory=Clocked) as runner:
        return runner.run(work)
