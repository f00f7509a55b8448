"""The process apart: runs rules that nobody has vouched for, and programs that think.

In: one JSON object a line on standard input, ``{"do": name, ...}``. Out: one a line on standard
output, ``{"ok": answer}`` or ``{"problem": ...}``, and ``{}`` first, when it is ready. A problem
that nobody foresaw has its traceback beside it, under ``trace``, for the server's log. The process
gives itself limits of memory, of open files and of what it may write before it reads the first
line, and leaves the network behind; how long an answer may take is for its parent
to watch, and should that be gone, processor time has a limit as well.

Source: limits as in setrlimit(2), networks as in unshare(2).
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.language.limits import DEFAULT_LIMITS, Limits
from gdl.match.actions import Action, Kind, read_entry
from gdl.match.log import read_header
from gdl.match.match import start
from gdl.web import carried, study
from gdl.web.problems import ProblemError, problem_of
from gdl.web.table import Table
from gdl.web.thinking import Thinkers

OPEN_FILES: Final = 64
ANSWER_SECONDS: Final = 60
"""Processor time of an answer, long after a parent that is there has ended it."""
NEW_NETWORK, NEW_USER = 0x40000000, 0x10000000
"""Flags of unshare(2)."""


class Worker:
    """What one such process holds: at most one match, and programs that think."""

    def __init__(self, *, is_confined: bool) -> None:
        """Begin empty."""
        self._table: Table | None = None
        self._thinkers = Thinkers("reason" if is_confined else "auto")
        self._study: dict[str, Callable[..., Any]] = {
            "check": study.check,
            "prepare": study.prepare,
            "imported": study.imported,
            "position": study.position,
            "carried": carried.carried,
            "why": study.why,
        }

    def answer(self, request: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
        """Return the answer to a request.

        Raises:
            GdlError: It cannot be done.
            ProblemError: It may not be done.
        """
        name = request["do"]
        args = request.get("args", {})
        if name in ("choose", "evaluate", "values", "known", "correspond"):
            return getattr(self._thinkers, name)(**args, limits=_limits(request))
        if name in self._study:
            return self._study[name](**args, limits=_limits(request))
        if name == "open":
            self._table = Table(start(read_header(args["header"]), limits=_limits(request)))
            return None
        assert self._table is not None
        return _of_table(self._table, name, args)


def _of_table(table: Table, name: str, args: dict[str, Any]) -> Any:  # noqa: ANN401  # JSON
    """Return what a table says to a question of `gdl.web.referee.Apart`, as JSON."""
    match name:
        case "extend":
            return asdict(table.extend([read_entry(entry) for entry in args["entries"]]))
        case "judge":
            action = Action(**{**args["action"], "kind": Kind(args["action"]["kind"])})
            return table.judge(action, args["at"]).to_json()
        case "flag":
            verdict = table.flag(**args)
            return None if verdict is None else verdict.to_json()
        case "view":
            return table.view(**args)
        case "clock":
            return table.clock(**args)
        case "entries":
            return table.entries(**args)
        case "legal":
            return table.legal(**args)
        case _:
            return table.export(**args)


def _limits(request: dict[str, Any]) -> Limits:
    return Limits(**request["limits"]) if "limits" in request else DEFAULT_LIMITS


def reply(worker: Worker, line: bytes) -> dict[str, Any]:
    """Return what is written for one line."""
    try:
        return {"ok": worker.answer(json.loads(line))}
    except ProblemError as problem:
        return {"problem": problem.to_wire()}
    except GdlError as error:
        return {"problem": problem_of(error).to_wire()}
    except (RecursionError, MemoryError):
        large = ProblemError(422, "rules-too-large", "this takes more than the server allows")
        return {"problem": large.to_wire()}
    except Exception:  # noqa: BLE001  # told to the server, which notes it
        fault = ProblemError(500, "internal", "this is a fault of the server")
        return {"problem": fault.to_wire(), "trace": traceback.format_exc()}


def written(answer: dict[str, Any], *, is_bounded: bool) -> bytes:
    """Return an answer as it is written; one that the server would long be reading is refused."""
    line = json.dumps(answer).encode()
    if is_bounded and not _is_log(answer.get("ok")):
        try:
            study.require_tellable(line)
        except ProblemError as large:
            return json.dumps({"problem": large.to_wire()}).encode()
    return line


def _is_log(told: object) -> bool:
    return isinstance(told, list) and all("seq" in entry for entry in told)


def confine(memory: int) -> None:
    """Give this process limits that it cannot raise again, where the system has such."""
    leave_network()
    try:
        import resource
    except ImportError:  # Windows has none
        return
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def leave_network() -> bool:
    """Go where no address can be reached, for good; return whether the system allows it.

    Linux does, if this process may make a network of its own or be its own superuser; many
    containers forbid both.
    """
    if sys.platform != "linux":
        return False
    unshare = ctypes.CDLL(None).unshare
    return any(unshare(flags) == 0 for flags in (NEW_NETWORK, NEW_USER | NEW_NETWORK))


def allow(seconds: int) -> None:
    """Let this process take so much more processor time, after which the system ends it."""
    with suppress(ImportError):  # Windows has no such limit
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds, hard))


def main() -> None:
    """Answer until standard input ends."""
    memory = int(sys.argv[1])
    if memory:
        confine(memory)
    worker = Worker(is_confined=bool(memory))
    answers = sys.stdout.buffer
    sys.stdout = sys.stderr  # whatever else writes must not be taken for an answer
    answers.write(b"{}\n")
    answers.flush()
    for line in sys.stdin.buffer:
        if memory:
            allow(ANSWER_SECONDS)
        answers.write(written(reply(worker, line), is_bounded=bool(memory)) + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
