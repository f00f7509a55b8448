"""Names, secrets and times of what happens: the first two random, and too long to guess.

Source: RFC 4086 on what is random enough.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from typing import Final

MATCH_ID: Final = re.compile(r"[0-9a-f]{24}")
_EPOCH: Final = time.time_ns() - time.monotonic_ns()
"""When the clock that is never set began, in nanoseconds since 1970."""


def now_ms() -> int:
    """Return the time, in milliseconds since 1970 (UTC), as it was when this process began.

    From then on it goes by a clock that nobody sets: where the system's is put forward or back,
    no player gains or loses time.
    """
    return (_EPOCH + time.monotonic_ns()) // 1_000_000


def new_id() -> str:
    """Return a name for a match."""
    return secrets.token_hex(12)


def new_secret() -> str:
    """Return a secret: 32 random bytes, as text."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return what is kept of a secret. It is random and long, so it needs no salt."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
