"""Counts of what the server does, as Prometheus reads them.

In: numbers. Out: a text in the exposition format, version 0.0.4.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Final

BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper ends of the histogram's buckets, in seconds."""


class Metrics:
    """The counts of one server."""

    def __init__(self) -> None:
        """Begin with nothing counted."""
        self._counts: Counter[tuple[str, tuple[tuple[str, str], ...]]] = Counter()
        self._buckets = [0] * (len(BOUNDS) + 1)
        self._seconds = 0.0

    def count(self, name: str, **labels: str) -> None:
        """Count one event."""
        self._counts[name, tuple(sorted(labels.items()))] += 1

    def time_action(self, seconds: float) -> None:
        """Note how long an action took from its arrival to its answer."""
        self._seconds += seconds
        place = next((n for n, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))
        self._buckets[place] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return all counts, and gauges that are measured just now."""
        lines: list[str] = []
        last = ""
        for (name, labels), value in sorted(self._counts.items()):
            if name != last:
                lines.append(f"# TYPE {name} counter")
                last = name
            shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
            lines.append(f"{name}{{{shown}}} {value}" if shown else f"{name} {value}")
        lines += self._histogram("gdl_action_seconds")
        lines += ["# TYPE process_cpu_seconds_total counter"]
        lines += [f"process_cpu_seconds_total {time.process_time():.3f}"]
        for name, measured in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {measured:g}"]
        return "\n".join(lines) + "\n"

    def _histogram(self, name: str) -> list[str]:
        lines = [f"# TYPE {name} histogram"]
        total = 0
        for bound, count in zip([*map(str, BOUNDS), "+Inf"], self._buckets, strict=True):
            total += count
            lines.append(f'{name}_bucket{{le="{bound}"}} {total}')
        return [*lines, f"{name}_sum {self._seconds:.6f}", f"{name}_count {total}"]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
