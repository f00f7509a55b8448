"""What a server allows: one value with all knobs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gdl.language.limits import Limits
from gdl.web.agents import Offered

MOST_FILES: Final = 1 << 16
"""Open files that a server lets the system allow it, if it does: each connection is one."""
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
        entries: Length of a log that is imported.
        proxies: Addresses and networks of proxies in front of the server, which say who asks; of
            all others nobody is believed. An asterisk stands for whoever connects.
        names: Names under which the server may be asked; none for any.
        connections: Connections that one address may have open at once, sockets apart; never more
            than are free for others.
        openings: Rate of new connections of one address; beyond it they are heard later.
        head_seconds: How long the head of a request may take, in seconds.
        body_seconds: How long the body of a request may take, in seconds.
        sockets: Sockets and event streams of spectators open at once.
        client_sockets: Of them, those of one client.
        client_seats: Sockets and event streams of one client that has seats; when there are more,
            the oldest is let go.
        watchers: Of those of spectators, those that watch one match.
        seat_sockets: Sockets and event streams with which one seat watches its match; when there
            are more, the oldest is let go.
        malformed: Messages on a socket that may make no sense before it is closed.
        queued: Messages that may wait for a slow watcher before it is let go.
        matches: Matches held in memory at once; others are read again when asked for.
        workers: Processes that run rules somebody sent, one a match, at once; of more matches the
            one not used for longest is set up again when it is.
        studies: Processes that check rules and look at positions, for shipped rules and as many for
            rules that somebody sent.
        questions: Questions that one client may have asked at once about shipped rules.
        sent_questions: The same about rules that somebody sent.
        agents: Processes in which programs think.
        worker_bytes: Memory of one of these processes, in bytes.
        worker_seconds: How long one request to such a process may take, in seconds.
        agent_seconds: How long a program thinks about a move, in seconds.
        most_agent_seconds: The longest that may be asked for.
        takeover_seconds: How long after its time a program may still move, in seconds; where it
            does not, its server is lost, and this one moves for it.
        late_seconds: How late requests may be looked at before those of spectators are refused, in
            seconds; questions half as late again, actions twice as late (`gdl.web.overload`).
        poll_seconds: How often the database is asked for actions of other servers, in seconds.
        heard_poll_seconds: The same where other servers are heard (`gdl.web.neighbours`).
        pages: Rate of files of the page, for one client; beyond it they come later.
        reads: Rate of requests that change nothing, for one client.
        acts: Rate of actions, for one client.
        creations: Rate of new matches, seats, checks and positions, for one client.
        tables: Folder of tables of ``gdl solve -o``, which exact values are read from.
        warm: Whether processes are started before anybody needs them.
        players: Programs that are offered beside those that everybody has.
        untrusted: What rules that somebody sent may take.
    """

    body: int = 16_000
    upload: int = 1_000_000
    message: int = 16_000
    entries: int = 2_000
    proxies: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    connections: int = 2_000
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    sockets: int = 2_000
    client_sockets: int = 500
    client_seats: int = 500
    watchers: int = 1_000
    seat_sockets: int = 10
    malformed: int = 20
    queued: int = 100
    matches: int = 1_000
    workers: int = 4
    studies: int = 2
    questions: int = 60
    sent_questions: int = 8
    agents: int = 2
    worker_bytes: int = 1 << 30
    worker_seconds: float = 10.0
    agent_seconds: float = 1.0
    most_agent_seconds: float = 10.0
    takeover_seconds: float = 4.0
    late_seconds: float = 0.15
    poll_seconds: float = 0.5
    heard_poll_seconds: float = 3.0
    pages: Rate = Rate(per_second=200, burst=4_000)
    reads: Rate = Rate(per_second=100, burst=600)
    acts: Rate = Rate(per_second=100, burst=400)
    creations: Rate = Rate(per_second=10, burst=400)
    openings: Rate = Rate(per_second=100, burst=1_500)
    tables: str | None = None
    warm: bool = True
    players: tuple[Offered, ...] = ()
    untrusted: Limits = UNTRUSTED


def most_files() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft


def allow_files() -> None:
    """Let this process have as many files open as the system lets it, up to `MOST_FILES`."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if most > soft != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
