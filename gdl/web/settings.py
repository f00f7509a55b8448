"""What a server allows: one value with all knobs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gdl.language.limits import Limits

UNTRUSTED: Final = Limits(
    bytes=256_000,
    symbol_length=200,
    depth=50,
    rule_length=20_000,
    rules=20_000,
    facts=100_000,
    term_depth=30,
    seconds=5.0,
)
"""What rules that somebody sent may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many requests a second, and so many at once.

    Attributes:
        per_second: In the long run.
        burst: At once.
    """

    per_second: float
    burst: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a server allows.

    Attributes:
        body: Size of a request's body, in bytes.
        upload: Size of a body that may hold rules or a log, in bytes.
        message: Size of a message on a socket, in bytes.
        sockets: Sockets and event streams open at once.
        watchers: Of them, those that watch one match.
        queued: Messages that may wait for a slow watcher before it is let go.
        matches: Matches held in memory at once; others are read again when asked for.
        workers: Processes that run rules somebody sent, one a match.
        studies: Processes that check rules and look at positions.
        agents: Processes in which programs think.
        worker_bytes: Memory of one of these processes, in bytes.
        worker_seconds: How long one request to such a process may take, in seconds.
        agent_seconds: How long a program thinks about a move, in seconds.
        most_agent_seconds: The longest that may be asked for.
        poll_seconds: How often the database is asked for actions of other servers, in seconds.
        reads: Rate of requests that change nothing, for one client.
        acts: Rate of actions, for one client.
        creations: Rate of new matches, seats, checks and positions, for one client.
        untrusted: What rules that somebody sent may take.
    """

    body: int = 16_000
    upload: int = 1_000_000
    message: int = 16_000
    sockets: int = 2_000
    watchers: int = 500
    queued: int = 100
    matches: int = 1_000
    workers: int = 4
    studies: int = 2
    agents: int = 1
    worker_bytes: int = 1 << 30
    worker_seconds: float = 10.0
    agent_seconds: float = 1.0
    most_agent_seconds: float = 10.0
    poll_seconds: float = 0.5
    reads: Rate = Rate(per_second=50, burst=200)
    acts: Rate = Rate(per_second=20, burst=60)
    creations: Rate = Rate(per_second=2, burst=30)
    untrusted: Limits = UNTRUSTED
