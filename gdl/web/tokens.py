"""Names, secrets and times of what happens: the first two random, and too long to guess.

Source: RFC 4086 on what is random enough.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import time
from typing import Final

MATCH_ID: Final = re.compile(r"[0-9a-f]{24}")
EPOCH: Final = "GDL_SERVE_EPOCH"
"""The variable that tells the workers of one server when its clock began."""
_EPOCH: Final = int(os.environ.get(EPOCH) or time.time_ns() - time.monotonic_ns())
"""When the clock that is never set began, in nanoseconds since 1970."""


def now_ms() -> int:
    """Return the time, in milliseconds since 1970 (UTC), as it was when this server began.

    From then on it goes by a clock that nobody sets: where the system's is put forward or back,
    no player gains or loses time. A worker that is started later goes by that of the others.
    """
    return (_EPOCH + time.monotonic_ns()) // 1_000_000


def share_clock() -> None:
    """Let the processes that this one starts go by its clock."""
    os.environ[EPOCH] = str(_EPOCH)


def new_id() -> str:
    """Return a name for a match."""
    return secrets.token_hex(12)


def new_secret() -> str:
    """Return a secret: 32 random bytes, as text."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return what is kept of a secret. It is random and long, so it needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
