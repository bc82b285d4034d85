"""The engine that a build runs on: this machine's cores, or a dask cluster."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Protocol

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError


class Engine(Protocol):
    """Something that starts pools of workers."""

    def start(self, initializer: Callable[..., None], initargs: Sequence[Any] = ()) -> Any:
        """A pool, as a context, whose workers have called ``initializer``."""

    def __enter__(self) -> Engine: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Local:
    """The cores of this machine."""

    def __init__(self, workers: int | None, forks: bool) -> None:
        self.workers = workers
        self.forks = forks

    def start(self, initializer: Callable[..., None], initargs: Sequence[Any] = ()) -> LocalPool:
        """A pool of processes."""
        return LocalPool(self.workers, initializer, initargs, forks=self.forks)

    def __enter__(self) -> Local:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


def open_engine(
    name: str, workers: int | None, alike: Callable[[], object], forks: bool = True
) -> Engine:
    """The engine of a name: ``local``, ``dask`` (a cluster of this machine) or ``dask://HOST:PORT``.

    Args:
        name: of the engine.
        workers: processes here; None for one a core.
        alike: told by every worker of a cluster, and the same for all.
        forks: whether this process has no threads that forked workers would lack.

    Raises:
        RosegenError: there is no such engine, it is not installed, or it does not answer.
    """
    if name == "local":
        return Local(workers, forks)
    match = re.fullmatch(r"dask(?:://([^/\s]+:[0-9]{1,5}))?", name)
    if match is None:
        raise RosegenError(f"--engine {name}: give local, dask or dask://HOST:PORT")
    try:
        cluster = importlib.import_module("rosegen.engine.cluster")
    except ImportError:
        raise RosegenError(
            f"--engine {name}: dask.distributed is missing: pip install 'rosegen[dask]'"
        ) from None
    running: Engine = cluster.Cluster(match[1], workers, alike)
    return running
