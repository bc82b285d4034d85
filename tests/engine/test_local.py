"""The local pool: order, one worker in this process, and workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.engine.local import LocalPool, available_cores
from rosegen.errors import RosegenError

PROJECT = Path(__file__).resolve().parents[2]


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


def stop(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGSTOP)
    return number


def turn(number: int) -> int:
    """A task that never ends."""
    while number == 3:
        pass
    return number


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


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a worker with SIGSTOP")
def test_what_a_stopped_worker_was_at_is_done_again(tmp_path: Path) -> None:
    tasks = [(number, str(tmp_path / "stopped")) for number in range(12)]
    with LocalPool(2, patience=2) as pool:
        assert list(pool.map(stop_once, tasks)) == list(range(12))
        assert list(pool.map(double, range(4))) == [0, 2, 4, 6]
    assert (tmp_path / "stopped").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="stops a worker with SIGSTOP")
@pytest.mark.parametrize("hang", [stop, turn])
def test_a_task_at_which_workers_hang_is_one_line(hang: Callable[[int], int]) -> None:
    with LocalPool(2, patience=1) as pool:
        results = pool.map(hang, range(8))
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(RosegenError, match=r"hung 3 times.* the same command"):
            next(results)


def test_no_more_workers_than_twice_the_cores() -> None:
    with LocalPool(5000) as pool:
        assert pool.workers == 2 * available_cores()
        assert list(pool.map(double, range(4))) == [0, 2, 4, 6]


@pytest.mark.skipif(sys.platform != "linux", reason="workers follow their parent on Linux")
def test_workers_do_not_outlive_a_parent_that_is_killed() -> None:
    script = (
        "import os, sys, time\n"
        "from rosegen.engine.local import LocalPool\n"
        "from tests.engine.test_local import where\n"
        "with LocalPool(2) as pool:\n"
        "    print(*set(pool.map(where, range(8))), flush=True)\n"
        "    time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    assert parent.stdout is not None
    workers = [int(word) for word in parent.stdout.readline().split()]
    assert workers
    parent.kill()
    parent.wait(timeout=30)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "workers live on"
        time.sleep(0.05)


def test_a_function_that_cannot_be_sent_to_a_worker_is_named_at_once() -> None:
    with LocalPool(2) as pool, pytest.raises(TypeError, match="define it at the top of a module"):
        list(pool.map(lambda task: task, [1, 2]))
