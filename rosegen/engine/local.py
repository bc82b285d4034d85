"""Run one function over many items on this machine's cores."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
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


class LocalPool:
    """A pool of worker processes whose results come back in the order of their tasks.

    With one worker everything runs in this process, so that a debugger and a profiler see it.

    Args:
        workers: how many processes, at most twice the cores; None for one a core.
        initializer: run once in each worker (and in this process when ``workers`` is 1).
        initargs: its arguments.
    """

    def __init__(
        self,
        workers: int | None = None,
        initializer: Callable[..., None] | None = None,
        initargs: Sequence[Any] = (),
    ) -> None:
        self.workers = min(workers or available_cores(), 2 * available_cores())
        self._executor: ProcessPoolExecutor | None = None
        if self.workers == 1:
            if initializer is not None:
                initializer(*initargs)
            return
        # Forked workers start at once and serve callers that cannot be imported again (a
        # notebook, a script on standard input). Nothing here starts threads before the fork.
        method = "fork" if sys.platform == "linux" else "spawn"
        self._executor = ProcessPoolExecutor(
            self.workers,
            mp_context=multiprocessing.get_context(method),
            initializer=_start_worker,
            initargs=(os.getpid(), initializer, tuple(initargs)),
        )

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """Yield ``function(task)`` for every task, in order.

        Raises:
            RosegenError: a worker was killed from outside.
            TypeError: the function cannot be sent to another process.
        """
        if self._executor is None:
            yield from map(function, tasks)
            return
        _check_sendable(function)
        try:
            yield from self._executor.map(function, tasks, chunksize=chunk)
        except BrokenProcessPool as error:
            raise RosegenError(
                f"one of {self.workers} worker processes was killed, most likely for want of "
                f"memory: try again with fewer --workers"
            ) from error

    def __enter__(self) -> LocalPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=kind is not None)
