"""Counts of what the server does, as Prometheus reads them.

In: events and measures. Out: a text in the exposition format. Where several workers serve
(`gdl.web.workers`), each writes its counts into a file, and whichever is asked adds them up.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/; the files are those of
prometheus_client, https://prometheus.github.io/client_python/multiprocess/.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Final, Literal

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from gdl.compile.budget import memory_held
from gdl.web.workers import COUNTS

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of the histogram's buckets, in seconds."""
_MODES: Final[Mapping[str, Literal["livemostrecent", "livemax"]]] = {
    "gdl_matches": "livemostrecent",
    "gdl_matches_open": "livemostrecent",
    "gdl_late_seconds": "livemax",
}
"""What becomes of the gauges of several workers; those that are not named are added up."""


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        disable_created_metrics()  # type: ignore[no-untyped-call]  # of prometheus_client
        self._registry = of = CollectorRegistry()
        self._requests = Counter(
            "gdl_http_requests",
            "Requests by route, method and status",
            ("method", "route", "status"),
            registry=of,
        )
        self._actions = Counter(
            "gdl_actions",
            "Actions by result: accepted, repeated, or why not",
            ("result",),
            registry=of,
        )
        self._created = Counter(
            "gdl_matches_created",
            "New matches, of shipped rules or sent ones",
            ("trusted",),
            registry=of,
        )
        self._seconds = Histogram(
            "gdl_action_seconds",
            "From the arrival of an action to its answer",
            buckets=BOUNDS,
            registry=of,
        )
        self._cpu = Counter("process_cpu_seconds", "Processor time of the server", registry=of)
        self._spent = 0.0
        self._gauges = {
            name: Gauge(
                name,
                text,
                registry=of,
                multiprocess_mode=_MODES.get(name, "livesum"),
            )
            for name, text in (
                ("gdl_database_up", "Processes whose database takes what they write"),
                ("gdl_matches", "Matches in the database"),
                ("gdl_matches_open", "Of them, those that go on"),
                ("gdl_matches_in_memory", "Matches held in memory"),
                ("gdl_streams", "Sockets and event streams that are open"),
                ("gdl_workers", "Processes that serve"),
                ("gdl_neighbours_heard", "Of them, those that hear the others' notices"),
                ("gdl_late_seconds", "How long a request waits before it is looked at"),
                ("process_resident_memory_bytes", "Memory of the server"),
            )
        }

    def request(self, *, method: str, route: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(method, route, str(status)).inc()

    def action(self, result: str) -> None:
        """Count an action."""
        self._actions.labels(result).inc()

    def created(self, *, is_trusted: bool) -> None:
        """Count a new match."""
        self._created.labels(str(is_trusted).lower()).inc()

    def time_action(self, seconds: float) -> None:
        """Note how long an action took from its arrival to its answer."""
        self._seconds.observe(seconds)

    def measure(self, gauges: Mapping[str, float]) -> None:
        """Note what is measured just now, beside what every process knows of itself."""
        figures = {"gdl_workers": 1, "process_resident_memory_bytes": memory_held()}
        for name, value in {**figures, **gauges}.items():
            self._gauges[name].set(value)
        spent = time.process_time()
        self._cpu.inc(spent - self._spent)
        self._spent = spent

    def text(self) -> str:
        """Return all that was counted and measured, by all workers."""
        registry = self._registry
        if COUNTS in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # of prometheus_client
        return generate_latest(registry).decode()
