"""Many games on a Ray cluster.

In: tasks, and the address of a cluster. Out: their outcomes, as they come. Ray plays a game
again when the process or the machine that played it is lost; each outcome is given out once.

Source: Ray (Moritz et al., "Ray: A Distributed Framework for Emerging AI
Applications", OSDI 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages
from gdl.play.tournament.game import Outcome
from gdl.play.tournament.local import OnOutcome, Task

AHEAD: Final = 2
"""Games that wait for each processor of the cluster."""
MOST_LOSSES: Final = 100
"""Times that one game is begun again before the cluster is given up."""
LOOK_SECONDS: Final = 5.0
"""How often to look whether the cluster has grown, in seconds."""


class ClusterError(GdlError):
    """There is no cluster, or no Ray."""


def play_on_cluster(tasks: Sequence[Task], *, address: str, on_outcome: OnOutcome) -> None:
    """Play games on a cluster.

    The machines of the cluster need this package in the version that runs here.

    Args:
        tasks: The games.
        address: Of the cluster, as ``ray.init`` takes it, or ``local``.
        on_outcome: Takes each outcome, in the order in which games end.

    Raises:
        MissingPackageError: Ray is not installed.
        ClusterError: The cluster cannot be reached or is lost.
    """
    need_packages("--ray", ("ray",), "ray")
    import ray

    began = not ray.is_initialized()
    if began:
        _join(ray, address)
    try:
        _play(ray, tasks, on_outcome)
    except ray.exceptions.RayError as error:
        raise ClusterError(f"the cluster was lost: {error}") from error
    finally:
        if began:
            ray.shutdown()


def _join(ray: Any, address: str) -> None:  # noqa: ANN401  # a module
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ClusterError(
            f"there is no Ray cluster at {address}: {error}",
            expected=(
                "HOST:PORT or ray://HOST:PORT of a cluster, auto for the one of this machine, or "
                "local to begin one"
            ),
        ) from error


def _play(ray: Any, tasks: Sequence[Task], on_outcome: OnOutcome) -> None:  # noqa: ANN401  # a module
    remote = ray.remote(max_retries=MOST_LOSSES)(_play_one)
    waiting = iter(tasks)
    running: list[Any] = []
    given: set[int] = set()
    while True:
        room = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while len(running) < room and (task := next(waiting, None)) is not None:
            running.append(remote.remote(task))
        if not running:
            return
        done, running = ray.wait(running, num_returns=1, timeout=LOOK_SECONDS)
        for outcome in ray.get(done):
            if outcome.bout.number not in given:
                given.add(outcome.bout.number)
                on_outcome(outcome)


def _play_one(task: Task) -> Outcome:
    return task.play()
