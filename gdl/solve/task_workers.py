"""Workers for the tasks of a folder: this process, several, or a Ray cluster on shared files.

In: tasks and what does one. Out: nothing but files, and the processor time that it took. A task
that is done twice writes the same files, so whatever process or machine is lost, its task is done
again, by whoever comes.

Source: Ray (Moritz et al., "Ray: A Distributed Framework for Emerging AI Applications", OSDI 2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from typing import Any, Final, Self

from gdl._workers import worker_pool
from gdl.language.diagnostics import GdlError
from gdl.language.packages import need_packages
from gdl.solve.disk import Task

MOST_DEATHS: Final = 3
"""Times that processes may die one after the other without a task done between."""
MOST_LOSSES: Final = 100
"""Times that a cluster begins one task again."""

Doing = Callable[[Task], float]
"""Does a task; returns the processor time that it took. It can be pickled."""
Told = Callable[[float], None]
"""Told the processor time of each task that is done; raises to stop."""
Crew = Callable[[list[Task]], None]


class CrewError(GdlError):
    """Processes die again and again, or there is no cluster."""


@contextmanager
def crew(doing: Doing, told: Told, workers: int, address: str | None) -> Iterator[Crew]:
    """Give what does tasks.

    Args:
        doing: Does one.
        told: Told of each that is done.
        workers: Processes; one does all in this process.
        address: Of a Ray cluster, as ``ray.init`` takes it, or ``local``; None for processes here.

    Raises:
        CrewError: Ray is not installed, or there is no cluster at the address.
    """
    if address is not None:
        with _cluster(address) as ray:
            yield lambda tasks: _on_cluster(ray, doing, told, tasks)
    elif workers == 1:
        yield lambda tasks: _alone(doing, told, tasks)
    else:
        with _Pools(doing, told, workers) as pools:
            yield pools.do


def _alone(doing: Doing, told: Told, tasks: list[Task]) -> None:
    for task in tasks:
        told(doing(task))


class _Pools:
    """Pools of processes, one after the other if processes die."""

    def __init__(self, doing: Doing, told: Told, workers: int) -> None:
        self.doing, self.told, self.workers = doing, told, workers
        self.pool: ProcessPoolExecutor | None = None
        self.held = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.held.close()

    def do(self, tasks: list[Task]) -> None:
        """Do tasks; return when all are done.

        Raises:
            CrewError: Processes die again and again.
        """
        left, deaths = dict.fromkeys(tasks), 0
        while left:
            before = len(left)
            try:
                self._do_once(left)
            except BrokenProcessPool:
                self.pool = None
                self.held.close()
                deaths = deaths + 1 if len(left) == before else 0
                if deaths >= MOST_DEATHS:
                    raise CrewError(
                        f"{deaths} times a process that solved died, the last time with "
                        f"{len(left)} tasks to do",
                        help="is there enough memory? the same command goes on from here",
                    ) from None

    def _do_once(self, left: dict[Task, None]) -> None:
        """Do tasks until none is left or a process dies; what is done is taken from ``left``."""
        if self.pool is None:
            self.pool = self.held.enter_context(worker_pool(self.workers))
        running: dict[Future[float], Task] = {self.pool.submit(self.doing, t): t for t in left}
        try:
            while running:
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    task = running.pop(future)
                    seconds = future.result()
                    del left[task]
                    self.told(seconds)
        finally:
            for future in running:
                future.cancel()


@contextmanager
def _cluster(address: str) -> Iterator[Any]:
    need_packages("--ray", ("ray",), "ray")
    import ray

    began = not ray.is_initialized()
    if began:
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise CrewError(
                f"there is no Ray cluster at {address}: {error}",
                expected="HOST:PORT of a cluster, auto for the one of this machine, or local to "
                "begin one",
            ) from error
    try:
        yield ray
    finally:
        if began:
            ray.shutdown()


def _on_cluster(ray: Any, doing: Doing, told: Told, tasks: list[Task]) -> None:  # noqa: ANN401  # a module
    """Do tasks on a cluster whose machines see the folder under the same name."""
    remote = ray.remote(max_retries=MOST_LOSSES)(_do)
    running = [remote.remote(doing, task) for task in tasks]
    while running:
        done, running = ray.wait(running, num_returns=1)
        try:
            told(sum(ray.get(done)))
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise cause if isinstance(cause, Exception) else error from None
        except ray.exceptions.RayError as error:
            raise CrewError(
                f"the cluster was lost: {error}", help="the same command goes on from here"
            ) from error


def _do(doing: Doing, task: Task) -> float:
    return doing(task)
