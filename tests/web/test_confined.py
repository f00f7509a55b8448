"""What a process for the rules of strangers can do no more, once it has confined itself."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="this system has no limits on a process")

CONFINED = "from gdl.web.worker import *; confine(1 << 32); "


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{CONFINED}{code}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_it_reaches_no_address() -> None:
    if run("sys.exit(not leave_network())").returncode:
        pytest.skip("this system lets no process leave its network")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        socket.create_connection(address, timeout=10).close()
        ended = run(f"import socket; socket.create_connection({address}, timeout=10)")
    assert "Network is unreachable" in ended.stderr


def test_it_writes_no_file(tmp_path: Path) -> None:
    ended = run(f"import pathlib; pathlib.Path({str(tmp_path / 'file')!r}).write_text('x')")
    assert "OSError" in ended.stderr


@pytest.mark.slow
def test_it_ends_when_it_has_had_its_processor_time() -> None:
    ended = run("allow(1); exec('while True: pass')")
    assert ended.returncode == -signal.SIGXCPU
