"""A PostgreSQL server of our own for the tests: Debian's, started in a temporary folder."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ENCODING = ("--no-locale", "-E", "UTF8")
HELP = "apt-get install postgresql gives it; the test starts its own server"


@dataclass
class Database:
    """A running server, which may be stopped and started again on the same data."""

    port: int
    command: Sequence[str]
    home: Path
    user: str | None
    running: subprocess.Popen[bytes] | None = None
    counter: Iterator[int] = field(default_factory=itertools.count)

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """Yield the URL of an empty database."""
        import psycopg

        name = f"matches{next(self.counter)}"
        with psycopg.connect(self._dsn("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}")
        yield f"postgresql+psycopg://tester@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.running = subprocess.Popen(
            self.command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self.user,
            cwd=self.home,
        )
        _wait(self.port)

    def stop(self) -> None:
        """Stop it at once, as if it had crashed: it recovers when it starts again."""
        assert self.running is not None
        self.running.send_signal(signal.SIGQUIT)  # what PostgreSQL calls an immediate shutdown
        self.running.wait(30)

    def _dsn(self, name: str) -> str:
        return f"host=127.0.0.1 port={self.port} user=tester dbname={name}"


def programs() -> Path | None:
    """Return the folder of initdb and postgres, None where they are not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def why_not() -> str:
    """Return why there can be no server here, empty if there can."""
    import importlib.util

    if programs() is None:
        return f"PostgreSQL is not installed: {HELP}"
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed: pip install 'psycopg[binary]'"
    if os.geteuid() == 0 and _other_user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres or nobody"
    return ""


def _other_user() -> str | None:
    import pwd  # Windows has none, nor a server of ours

    for name in ("postgres", "nobody"):
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    return None


@contextmanager
def server() -> Iterator[Database]:
    """Run a server while the body runs."""
    folder = programs()
    assert folder is not None
    user = _other_user() if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="gdl-postgresql-") as home:
        if user is not None:
            shutil.chown(home, user)
        place = Path(home) / "cluster"
        subprocess.run(
            [folder / "initdb", "-D", place, "-A", "trust", "-U", "tester", "-N", *ENCODING],
            check=True,
            capture_output=True,
            user=user,
            cwd=home,
        )
        port = _free_port()
        command = [str(folder / "postgres"), "-D", str(place), "-p", str(port)]
        command += ["-k", home, "-h", "127.0.0.1"]
        database = Database(port, command, Path(home), user)
        try:
            database.start()
            yield database
        finally:
            database.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(port: int) -> None:
    import psycopg

    end = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(f"host=127.0.0.1 port={port} user=tester dbname=postgres").close()
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
        else:
            return
