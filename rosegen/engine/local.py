"""Run one function over many items on this machine's cores."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from types import TracebackType
from typing import Any, TypeVar

from rosegen.errors import RosegenError

Task = TypeVar("Task")
Result = TypeVar("Result")


def available_cores() -> int:
    """Cores this process may use (a container may allow fewer than the machine has)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _start_worker(
    parent: int, initializer: Callable[..., None] | None, initargs: tuple[Any, ...]
) -> None:
    """Set a worker up so that it leaves signals to its parent and does not outlive it."""
    # Ctrl-C reaches the whole group: the parent handles it, stops the pool and tidies up.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)
    if initializer is not None:
        initializer(*initargs)


def _check_sendable(function: Callable[..., object]) -> None:
    """Complain of what the executor would wait for without end."""
    try:
        pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise TypeError(
            f"{function!r} cannot be sent to a worker: define it at the top of a module"
        ) from error


_PR_SET_PDEATHSIG = 1  # linux/prctl.h


PATIENCE = 600.0
"""Seconds that a task may take at least; a portion of a build takes about one."""
TIMES_THE_SLOWEST = 20
"""How many times as long as the slowest task before it a task may take."""


class LocalPool:
    """A pool of worker processes whose results come back in the order of their tasks.

    With one worker everything runs in this process, so that a debugger and a profiler see it. When
    a worker dies or hangs, all are started anew, and what was under way is done again. A worker
    hangs when the task that has waited longest takes longer than ``patience`` and than 20 times
    the slowest so far: no clock tells a stuck task from a slow one, but the tasks of a map are
    alike, and a worker that is stopped, or waits for a disk that is gone, never ends.

    Args:
        workers: how many processes, at most twice the cores; None for one a core.
        initializer: run once in each worker (and in this process when ``workers`` is 1).
        initargs: its arguments.
        forks: whether workers may be forked, where that can be: this process has no threads that
            they would lack.
        patience: seconds that any task may take.
    """

    def __init__(
        self,
        workers: int | None = None,
        initializer: Callable[..., None] | None = None,
        initargs: Sequence[Any] = (),
        forks: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        self._forks, self._patience = forks, patience
        self.workers = min(workers or available_cores(), 2 * available_cores())
        self._initializer, self._initargs = initializer, tuple(initargs)
        self._executor: ProcessPoolExecutor | None = None
        if self.workers > 1:
            self._executor = self._start()
        elif initializer is not None:
            initializer(*initargs)

    def _start(self) -> ProcessPoolExecutor:
        # Forked workers start at once and serve callers that cannot be imported again (a
        # notebook, a script on standard input). Nothing here starts threads before the fork.
        method = "fork" if self._forks and sys.platform == "linux" else "spawn"
        return ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context(method),
            initializer=_start_worker,
            initargs=(os.getpid(), self._initializer, self._initargs),
        )

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """Yield ``function(task)`` for every task, in order.

        Few tasks are taken ahead of the result that is waited for, so that there may be any number.

        Args:
            function: one that other processes can import.
            tasks: its arguments.
            chunk: how many of them a worker is sent at a time.

        Raises:
            RosegenError: workers were killed from outside, again and again.
            TypeError: the function cannot be sent to another process.
        """
        if self._executor is None:
            yield from map(function, tasks)
            return
        _check_sendable(function)
        remaining = iter(tasks)
        chunks = iter(lambda: list(islice(remaining, chunk)), [])
        under_way: deque[tuple[list[Task], Future[list[Result]]]] = deque()
        deaths, slowest = 0, 0.0
        while True:
            while len(under_way) < _AHEAD * self.workers and (taken := next(chunks, None)):
                under_way.append((taken, self._submit(function, taken)))
            if not under_way:
                return
            begun, limit = time.monotonic(), max(self._patience, TIMES_THE_SLOWEST * slowest)
            try:
                # The oldest is the first that a worker takes: it is done, or a worker is at it.
                results = under_way[0][1].result(limit)
            except (BrokenProcessPool, FutureTimeout) as error:
                deaths += 1
                if deaths == _DEATHS and isinstance(error, BrokenProcessPool):
                    raise RosegenError(
                        f"worker processes were killed {deaths} times, most likely for want of "
                        f"memory: try again with fewer --workers"
                    ) from error
                if deaths == _DEATHS:
                    self._kill()
                    raise RosegenError(
                        f"worker processes hung {deaths} times, the last for {limit:.0f} s: is "
                        f"the disk there? If so, the same command goes on from what is done"
                    ) from error
                self._restart()
                again = [(taken, self._submit(function, taken)) for taken, _ in under_way]
                under_way = deque(again)
                continue
            deaths, slowest = 0, max(slowest, time.monotonic() - begun)
            under_way.popleft()
            yield from results

    def _submit(
        self, function: Callable[[Task], Result], tasks: list[Task]
    ) -> Future[list[Result]]:
        if self._executor is None:
            raise ValueError("the pool is closed")
        try:
            return self._executor.submit(each, function, tasks)
        except BrokenProcessPool as error:  # it broke since: the future tells when it is asked
            failed: Future[list[Result]] = Future()
            failed.set_exception(error)
            return failed

    def _restart(self) -> None:
        self._kill()
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
        self._executor = self._start()

    def _kill(self) -> None:
        """End the workers, whatever they are at."""
        if self._executor is not None:
            for process in list((self._executor._processes or {}).values()):
                process.kill()

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._executor is None:
            return
        if kind is not None:  # what is under way is of no use, and nobody wants to wait for it
            self._kill()
        self._executor.shutdown(wait=True, cancel_futures=kind is not None)


_AHEAD = 4
_DEATHS = 3


def each(function: Callable[[Task], Result], tasks: list[Task]) -> list[Result]:
    """What a worker makes of the tasks that it is sent at a time."""
    return [function(task) for task in tasks]
