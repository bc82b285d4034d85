"""The local pool: order, one worker in this process, and workers that die."""

from __future__ import annotations

import os
import signal

import pytest

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError


def double(number: int) -> int:
    return 2 * number


def die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def complain(number: int) -> int:
    raise RosegenError(f"item {number}: no good")


def where(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("chunk", [1, 4])
def test_results_come_in_the_order_of_their_tasks(workers: int, chunk: int) -> None:
    with LocalPool(workers) as pool:
        assert list(pool.map(double, range(25), chunk=chunk)) == [2 * n for n in range(25)]
        assert list(pool.map(double, [])) == []


def test_one_worker_is_this_process() -> None:
    with LocalPool(1) as pool:
        assert set(pool.map(where, range(3))) == {os.getpid()}
    with LocalPool(2) as pool:
        assert os.getpid() not in set(pool.map(where, range(3)))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_worker_arrives_as_itself(workers: int) -> None:
    with LocalPool(workers) as pool, pytest.raises(RosegenError, match="item 0: no good"):
        list(pool.map(complain, range(3)))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a worker with SIGKILL")
def test_a_killed_worker_is_one_line() -> None:
    with LocalPool(2) as pool, pytest.raises(RosegenError, match="fewer --workers"):
        list(pool.map(die, range(8)))
