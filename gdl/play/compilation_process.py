"""The process that makes machine code of a game beside the play; see `gdl.play.compilation`.

In, on standard input: how many bytes, then ruleset and limits, pickled by who started it. Out, on
standard output: a JSON object that says why machine code cannot be had, or nothing; what was built
lies in the cache. It ends when its input does.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
from typing import IO

from gdl.language.diagnostics import GdlError
from gdl.play.compilation import compiled


def main(source: IO[bytes]) -> None:
    """Build what standard input says, and say on standard output why it cannot be had."""
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    ruleset, limits = pickle.loads(source.read(int.from_bytes(source.read(8), "little")))  # noqa: S301  # of our parent

    def watch() -> None:
        source.read()
        os._exit(1)  # nobody waits any more

    threading.Thread(target=watch, daemon=True).start()
    why = ""
    try:
        compiled(ruleset, limits)
    except GdlError as error:
        why = error.headline
    json.dump({"why": why}, out)
    out.flush()
    os._exit(0)  # the thread above holds standard input


if __name__ == "__main__":
    main(sys.stdin.buffer)
