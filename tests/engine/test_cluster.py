"""A dask cluster does what the local pool does, and outlives its workers' deaths."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from rosegen.engine.choice import Local, open_engine
from rosegen.engine.cluster import Cluster
from rosegen.errors import RosegenError

_told: list[int] = []


def take(number: int) -> None:
    _told[:] = [number]


def times(number: int) -> int:
    return _told[0] * number


def complain(number: int) -> int:
    raise RosegenError(f"item {number}: no good")


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def stop_once(task: tuple[int, str]) -> int:
    """The third task's worker is stopped, as by kill -STOP, unless one was before."""
    number, mark = task
    if number == 3:
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return number
        os.kill(os.getpid(), signal.SIGSTOP)
    return number


def alike() -> str:
    return "the same"


def unlike() -> int:
    return os.getpid()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(None, 2, alike) as running:
        yield running


def test_results_come_in_the_order_of_their_tasks(cluster: Cluster) -> None:
    for factor in (3, 5):  # a pool's initializer is called in every worker, whatever came before
        with cluster.start(take, (factor,)) as pool:
            for chunk in (1, 4):
                found = list(pool.map(times, range(25), chunk=chunk))
                assert found == [factor * number for number in range(25)]
            assert list(pool.map(times, [])) == []


def test_an_error_in_a_worker_arrives_as_itself(cluster: Cluster) -> None:
    with (
        cluster.start(take, (1,)) as pool,
        pytest.raises(RosegenError, match="item 0: no good"),
    ):
        list(pool.map(complain, range(3)))


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a worker with SIGSTOP")
def test_what_a_stopped_worker_was_at_is_done_again(cluster: Cluster, tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "stopped")) for number in range(6)]
    with cluster.start(take, (2,), patience=5) as pool:
        assert list(pool.map(stop_once, tasks)) == list(range(6))
    assert (tmp_path / "stopped").exists()


def test_few_tasks_are_taken_ahead(cluster: Cluster) -> None:
    """There may be any number of them."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(10_000):
            taken.append(number)
            yield number

    with cluster.start(take, (2,)) as pool:
        results = pool.map(times, tasks())
        assert [next(results) for _ in range(5)] == [0, 2, 4, 6, 8]
        results.close()
    assert len(taken) < 40


def test_unlike_workers_are_refused() -> None:
    with pytest.raises(RosegenError, match="is unlike this process"):
        Cluster(None, 1, unlike)


def test_an_address_where_nobody_answers_is_one_line() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(RosegenError) as refused:
        open_engine(f"dask://{address}", None, alike)
    assert "no scheduler answers there" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "ray", "dask://", "dask://host", "dask:/h:1", "local "])
def test_an_engine_that_nobody_knows_is_one_line(name: str) -> None:
    with pytest.raises(RosegenError, match="give local, dask or dask://HOST:PORT"):
        open_engine(name, None, alike)


def test_local_is_the_local_pool() -> None:
    with open_engine("local", 1, alike) as engine, engine.start(take, (7,)) as pool:
        assert isinstance(engine, Local)
        assert list(pool.map(times, [1, 2])) == [7, 14]
