"""Run one function over many items on a dask cluster, here or elsewhere.

To be imported only where dask is wanted: it need not be there.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from types import TracebackType
from typing import Any, TypeVar

import dask
from distributed import Client, Future, LocalCluster, Worker, WorkerPlugin
from distributed.scheduler import KilledWorker

from rosegen.engine.local import PATIENCE, TIMES_THE_SLOWEST, available_cores, each
from rosegen.errors import RosegenError

Task = TypeVar("Task")
Result = TypeVar("Result")

_AHEAD = 4  # chunks of tasks under way, a worker
_RETRIES = 3
_HANGS = 3
_RESTART = 30  # seconds that a worker may take to start
_STARTS = count(1)


class Cluster:
    """A dask cluster: one that runs at an address, or one of this machine's cores.

    As a context it closes what it started, and leaves alone what ran before.

    Args:
        address: ``HOST:PORT`` of a scheduler; None starts a cluster here.
        workers: processes of a cluster that is started here; None for one a core.
        alike: told by every worker, and the same for all, or they would not do the same work.

    Raises:
        RosegenError: nobody answers, or workers are unlike.
    """

    def __init__(
        self, address: str | None, workers: int | None, alike: Callable[[], object]
    ) -> None:
        self._cluster: LocalCluster | None = None
        if address is None:
            # Workers that trim their heap after every array spend their time in page faults.
            trim = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 1 << 28}
            with dask.config.set(trim):
                self._cluster = LocalCluster(
                    n_workers=workers or available_cores(),
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",
                    memory_limit=0,
                    silence_logs=40,
                )
            self._client: Client = Client(self._cluster)
        else:
            try:
                self._client = Client(f"tcp://{address}", timeout=10)
            except (OSError, ValueError) as error:
                raise RosegenError(
                    f"--engine dask://{address}: no scheduler answers there: start one with "
                    f"dask scheduler, and workers with dask worker {address} --nthreads 1"
                ) from error
        self._check(alike)

    def _check(self, alike: Callable[[], object]) -> None:
        told = self._client.run(alike, on_error="return")
        if not told:
            self.close()
            raise RosegenError(
                "--engine dask: the cluster has no workers: start some with dask worker"
            )
        here = alike()
        for worker, answer in told.items():
            if answer != here:
                self.close()
                raise RosegenError(
                    f"--engine dask: the worker {worker} is unlike this process ({answer!r}, not "
                    f"{here!r}): install the same versions there"
                )

    def start(
        self,
        initializer: Callable[..., None],
        initargs: Sequence[Any] = (),
        patience: float = PATIENCE,
    ) -> ClusterPool:
        """A pool whose workers, those that join later too, have called ``initializer``."""
        return ClusterPool(self._client, initializer, tuple(initargs), patience)

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class ClusterPool:
    """Workers of a cluster whose results come back in the order of their tasks."""

    def __init__(
        self,
        client: Client,
        initializer: Callable[..., None],
        initargs: tuple[Any, ...],
        patience: float,
    ) -> None:
        self._client, self._patience = client, patience
        self._plugin = f"rosegen-{next(_STARTS)}"
        client.register_plugin(_Initializer(initializer, initargs), name=self._plugin)
        self._slowest = 0.0
        self.workers = len(client.scheduler_info()["workers"])

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """As ``LocalPool.map``; a task whose worker dies is done by another.

        Raises:
            RosegenError: a task's workers died, or hung, again and again.
        """
        remaining = iter(tasks)
        chunks = iter(lambda: list(islice(remaining, chunk)), [])
        under_way: deque[Future] = deque()
        try:
            while True:
                while len(under_way) < _AHEAD * self.workers and (taken := next(chunks, None)):
                    sent = self._client.submit(each, function, taken, pure=False, retries=_RETRIES)
                    under_way.append(sent)
                if not under_way:
                    return
                results: list[Result] = self._result(under_way[0])
                under_way.popleft().release()
                yield from results
        except KilledWorker as error:
            raise RosegenError(
                f"--engine dask: workers died again and again, most likely for want of memory: "
                f"{error}"
            ) from error
        finally:
            self._client.cancel(list(under_way))

    def _result(self, future: Future) -> Any:
        """What comes of a task; workers that hang at it are started anew."""
        begun = time.monotonic()
        for _ in range(_HANGS):
            limit = max(self._patience, TIMES_THE_SLOWEST * self._slowest)
            try:
                result = future.result(limit)
            except TimeoutError:
                self._restart_workers_at(future)
            else:
                self._slowest = max(self._slowest, time.monotonic() - begun)
                return result
        raise RosegenError(
            f"--engine dask: workers hung {_HANGS} times at the same task, the last for "
            f"{limit:.0f} s: the same command goes on from what is done"
        )

    def _restart_workers_at(self, future: Future) -> None:
        running: dict[str, Sequence[str]] = self._client.processing()
        hung = {worker for worker, tasks in running.items() if future.key in tasks}
        # A worker may hang when it has done the task: then its result is not to be had.
        hung.update(self._client.who_has([future]).get(future.key, ()))
        # One that no nanny watches is not started anew: the scheduler gives it up after a while.
        with suppress(ValueError):
            self._client.restart_workers(sorted(hung), timeout=_RESTART, raise_for_error=False)

    def __enter__(self) -> ClusterPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:  # after an error a worker may hang, and never answer
            self._client.unregister_worker_plugin(self._plugin)


class _Initializer(WorkerPlugin):
    """A worker plugin that calls a function in each worker as it joins."""

    def __init__(self, function: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments

    def setup(self, worker: Worker) -> None:
        """Called by dask."""
        self.function(*self.arguments)
