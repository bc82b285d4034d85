"""A release that a dask cluster builds is the one that this machine builds."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="dask.distributed is not installed")

from distributed import LocalCluster

from rosegen.build import build
from rosegen.engine.journal import JOURNAL
from tests.end_to_end.test_interruptions import assert_same, pipeline, undisturbed

__all__ = ["pipeline", "undisturbed"]  # fixtures


def workers_of(cluster: LocalCluster) -> list[int]:
    return [nanny.pid for nanny in cluster.workers.values()]


def test_with_one_of_three_workers_killed_midway_the_release_is_the_same(
    pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out, killed = tmp_path / "release", []
    with LocalCluster(
        n_workers=3, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")

        def kill_one() -> None:
            journal = tmp_path / ".release.part" / JOURNAL
            deadline = time.monotonic() + 120
            while not any(journal.glob("*.json")) and time.monotonic() < deadline:
                time.sleep(0.005)
            killed.append(workers_of(cluster)[1])
            os.kill(killed[0], signal.SIGKILL)

        killer = threading.Thread(target=kill_one)
        killer.start()
        try:
            build(pipeline, out, engine=f"dask://{address}", offline=True)
        finally:
            killer.join(130)
    assert killed
    assert_same(out, undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_cluster_of_this_machine_builds_the_same(
    pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "release"
    build(pipeline, out, engine="dask", workers=2, offline=True)
    assert_same(out, undisturbed)
