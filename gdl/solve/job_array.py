"""The same command begun many times on one folder: one process leads, all of them do its tasks.

In: a folder that all see, whatever machines they are on. Out: who leads, and tasks that are done.
What one process has at a time is a file that was made only where there was none, and whose time is
renewed while it lives; a file whose time stands still for a lease is taken from who had it (one who
died on this machine is missed at once). That is no lock: a process that was stopped for longer goes
on beside the one that took its place. Nothing goes wrong then, for tasks that are done twice write
the same files, and parts that do not fit together are never put together (`gdl.solve.disk`). So no
lock of the file system is asked for, nor clocks that agree: each process looks at its own how long
a time has stood still.

Source: leases as in Gray, Cheriton, "Leases: An Efficient Fault-Tolerant Mechanism for Distributed
File Cache Consistency", SOSP 1989.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

from gdl._files import replaced
from gdl.language.diagnostics import GdlError
from gdl.solve.disk import TABLE, Crew, Folder, Task

PLACE: Final = "jobs"
"""The folder of claims, in that of the layers."""
LEAD: Final = "lead"
"""The claim of the one that leads."""
POSTED: Final = "tasks.json"
"""Where it posts what is to be done."""
LEASE: Final = 120.0
"""Seconds for which a time has to stand still before a claim is taken from who had it: servers of
files may tell what is new a minute late."""
BEATS: Final = 6
"""Times that a claim is renewed in a lease."""
PAUSE: Final = 0.2
"""Seconds between two looks at what others do."""


class EndedError(GdlError):
    """The process that led gave up."""


class LeadLostError(Exception):
    """Another process took this one for dead, and leads."""


class Solved(NamedTuple):
    """How the one that led did it.

    Attributes:
        way: See `gdl.solve.strong.Solution`.
        layers: Likewise.
        bits: Likewise.
    """

    way: str
    layers: int
    bits: int


class Claims:
    """What one process of many has at a time, as files in a folder."""

    def __init__(self, folder: Path) -> None:
        """Make the folder if there is none."""
        self.folder = folder
        self.me = uuid4().hex
        self._away = folder / f".{self.me}"
        self._held: set[Path] = set()
        self._seen: dict[str, tuple[object, float]] = {}
        self._over = threading.Event()
        folder.mkdir(parents=True, exist_ok=True)
        threading.Thread(target=self._renew, daemon=True).start()

    def take(self, name: str, *, freed_by: str = "") -> bool:
        """Take what nobody has, or whoever had it has not renewed; return whether it was.

        Args:
            name: What is taken.
            freed_by: Who does not need it any more.
        """
        file = self.folder / name
        if file.exists() and not self._move_away(file, freed_by):
            return False
        try:
            with file.open("x", encoding="utf-8") as new:
                new.write(json.dumps({"by": self.me, "at": _here(), "pid": os.getpid()}))
        except FileExistsError:
            return False
        self._held.add(file)
        return True

    def _move_away(self, file: Path, freed_by: str) -> bool:
        """Move a claim away that nobody has any more; return whether there is none now."""
        told = self.said(file.name)
        by = told.get("by")
        is_freed = bool(freed_by) and by == freed_by
        if not (is_freed or _is_dead(told) or self._is_left(file)):
            return False
        away = self._away
        # Of several that see it left one moves it; Windows moves nothing that somebody looks into.
        with suppress(FileNotFoundError, PermissionError):
            file.replace(away)
            if self.said(away.name).get("by") != by:  # one that was made since: put it back
                with suppress(OSError):
                    os.link(away, file)
                return False
        return True

    def has(self, name: str) -> bool:
        """Return whether this process has it still."""
        return self.said(name).get("by") == self.me

    def said(self, name: str) -> dict[str, Any]:
        """Return what is in a claim; nothing where there is none."""
        try:
            told = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):  # it is gone, or not written yet
            return {}
        return told if isinstance(told, dict) else {}

    def say(self, name: str, **told: object) -> None:
        """Write into a claim of this process, for those who look at it."""
        with replaced(self.folder / name) as file:
            by = {"by": self.me, "at": _here(), "pid": os.getpid()}
            file.write(json.dumps(by | told).encode())

    def leave(self, name: str, **told: object) -> None:
        """Write into a claim for ever; it is not renewed any more."""
        self.say(name, **told)
        self._held.discard(self.folder / name)

    def release(self, name: str) -> None:
        """Leave a claim to others, if this process has it still."""
        file = self.folder / name
        self._held.discard(file)
        if self.has(name):
            file.unlink(missing_ok=True)

    def _is_left(self, file: Path) -> bool:
        """Return whether the time of a claim has stood still for a lease, by this clock."""
        try:
            with file.open("rb") as opened:  # which asks a server of files for what is new
                told: object = (os.fstat(opened.fileno()).st_mtime_ns, opened.read())
        except FileNotFoundError:
            return True
        before, since = self._seen.get(file.name, (None, 0.0))
        if told != before:
            self._seen[file.name] = told, time.monotonic()
            return False
        return time.monotonic() - since > LEASE

    def _renew(self) -> None:
        while not self._over.wait(LEASE / BEATS):
            for file in list(self._held):
                if self.has(file.name):
                    with suppress(OSError):
                        os.utime(file)

    def close(self) -> None:
        """Leave all claims to others."""
        self._over.set()
        for file in list(self._held):
            self.release(file.name)
        self._away.unlink(missing_ok=True)


@contextmanager
def joined(folder: Path) -> Iterator[JobArray]:
    """Join the others that work in a folder; leave them all claims in the end."""
    jobs = JobArray(folder)
    try:
        yield jobs
    finally:
        jobs.claims.close()


class JobArray:
    """One process of many that were begun for the same folder."""

    def __init__(self, folder: Path) -> None:
        """Join the others."""
        self.claims = Claims(folder / PLACE)
        self._table = folder / TABLE
        self._failed: set[str] = set()
        self._seen_alive = ""

    def wait(self, help_: Callable[[dict[str, Any]], bool]) -> Solved | None:
        """Do tasks of whoever leads until nobody does; then this process leads.

        Args:
            help_: Does one of the tasks that were posted, if any; returns whether there was one.

        Returns:
            How it was solved; None where this process leads now.

        Raises:
            EndedError: Who led while this process was there has given up, and says why.
        """
        while True:
            told = self.claims.said(LEAD)
            is_solved = "way" in told
            if is_solved and self._table.exists():
                return Solved(told["way"], told["layers"], told["bits"])
            ended = told.get("ended")
            if ended is not None and told["by"] == self._seen_alive:
                raise EndedError(
                    f"the process that led gave up: {ended}",
                    help="the same command goes on from here",
                )
            is_over = is_solved or ended is not None
            if self.claims.take(LEAD, freed_by=told["by"] if is_over else ""):
                return None
            self._seen_alive = told.get("by", "")
            posted = self.claims.said(POSTED)
            if not help_(posted if posted.get("by") == self._seen_alive else {}):
                time.sleep(PAUSE)

    def end(self, **told: object) -> None:
        """Tell the others how this process ended that led."""
        with suppress(OSError):  # a full disk: one of them leads next, and finds out by itself
            if self.claims.has(LEAD):
                self.claims.leave(LEAD, **told)

    def crew(
        self,
        folder: Folder,
        do: Callable[[Task], float],
        told: Callable[[float], None],
        **setup: object,
    ) -> Crew:
        """Return what posts tasks, does them with the others and waits until all are done.

        Args:
            folder: Where their files are.
            do: Does one here; returns its processor time.
            told: Told that, and now and then nothing; raises to stop.
            setup: What the others have to know.
        """

        def do_all(tasks: list[Task]) -> None:
            self.require_lead()
            self.claims.say(POSTED, tasks=tasks, **setup)
            left = tasks
            while left := folder.left(left):
                task = self._taken(folder, left)
                if task is None:
                    self.require_lead()
                    time.sleep(PAUSE)
                    told(0.0)
                    continue
                try:
                    told(do(task))
                finally:
                    self.claims.release(_name(folder, task))
            self.require_lead()

        return do_all

    def require_lead(self) -> None:
        """Go on only while this process leads.

        Raises:
            LeadLostError: It does not.
        """
        if not self.claims.has(LEAD):
            raise LeadLostError

    def help_with(self, folder: Folder, tasks: Iterable[Task], do: Callable[[Task], None]) -> bool:
        """Do one of some tasks that nobody does; return whether one was done.

        What it raises the one that leads will meet as well, who does what nobody else can.
        """
        wanted = [task for task in tasks if _name(folder, task) not in self._failed]
        task = self._taken(folder, folder.left(wanted))
        if task is None:
            return False
        try:
            do(task)
        except FileNotFoundError:  # all of it was done meanwhile
            return False
        except Exception:  # noqa: BLE001  # it is raised again where somebody hears it
            self._failed.add(_name(folder, task))
            return False
        finally:
            self.claims.release(_name(folder, task))
        return True

    def _taken(self, folder: Folder, tasks: list[Task]) -> Task | None:
        return next((task for task in tasks if self.claims.take(_name(folder, task))), None)


@cache
def _here() -> str:
    """Name what the numbers of processes are those of: a kernel and its name space, where known."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def _is_dead(told: dict[str, Any]) -> bool:
    """Return whether it is known here that the process of a claim is no more."""
    if not _here() or told.get("at") != _here():
        return False
    return not Path(f"/proc/{told.get('pid')}").exists()


def _name(folder: Folder, task: Task) -> str:
    return "-".join(map(str, (folder.guess, *task)))
