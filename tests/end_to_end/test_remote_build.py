"""A release that is written to an object store is the one that is written here."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("s3fs", reason="s3fs is not installed")
pytest.importorskip("moto.server", reason="moto[server] is not installed")

import fsspec
from moto.server import ThreadedMotoServer

from rosegen.build import build
from rosegen.errors import RosegenError
from rosegen.selection import Selection
from tests.end_to_end.test_interruptions import PROJECT, files, pipeline, undisturbed

__all__ = ["pipeline", "undisturbed"]  # fixtures

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@pytest.fixture(scope="module")
def store() -> Iterator[Any]:
    """An S3 server on loopback, and its file system; the environment says where it is."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    told = {
        "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "FSSPEC_S3_KEY": "key",
        "FSSPEC_S3_SECRET": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in told.items():
            patch.setenv(name, value)
        fsspec.config.set_conf_env(fsspec.config.conf)
        yield fsspec.filesystem("s3")
        for name in ("s3",):
            fsspec.config.conf.pop(name, None)
    server.stop()


@pytest.fixture
def bucket(store: Any, request: pytest.FixtureRequest) -> str:
    name = f"b{abs(hash(request.node.name)) % 10**9}"
    store.mkdir(name)
    return name


def objects(store: Any, root: str) -> dict[str, bytes]:
    """Every object under a path by what follows it, with its bytes."""
    store.invalidate_cache()
    return {path[len(root) + 1 :]: store.cat_file(path) for path in store.find(root)}


# A build whose leases run out at once, as that of a killed one does in time.
SHORT = """
import sys
from rosegen.engine import remote
remote._EXPIRES = 1.0
from rosegen.cli import main
if __name__ == "__main__":
    main(sys.argv[1:])
"""


def started(tmp_path: Path, pipeline: Path, out: str) -> subprocess.Popen[str]:
    script = tmp_path / "short.py"
    script.write_text(SHORT)
    arguments = ["build", str(pipeline), "--out", out, "--offline", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_workers_write_the_same_release_there(
    store: Any, bucket: str, pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    process = started(tmp_path, pipeline, f"s3://{bucket}/deep/release")
    printed, complaint = process.communicate(timeout=180)
    assert process.returncode == 0, complaint
    assert printed.startswith(f"s3://{bucket}/deep/release built 170 scenes")
    assert objects(store, f"{bucket}/deep/release") == files(undisturbed)


def test_a_build_that_is_killed_goes_on(
    store: Any, bucket: str, pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out = f"{bucket}/release"
    for recorded in (1, 3):
        process = started(tmp_path, pipeline, f"s3://{out}")
        deadline = time.monotonic() + 120
        while len(store.glob(f"{out}/journal/*.json")) < recorded:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            store.invalidate_cache()
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert f"{out}/export_summary.json" not in store.find(out)
        time.sleep(1.1)
    process = started(tmp_path, pipeline, f"s3://{out}")
    _, complaint = process.communicate(timeout=180)
    assert process.returncode == 0, complaint
    assert objects(store, out) == files(undisturbed)


def test_what_stands_there_is_never_overwritten_unasked(
    store: Any, bucket: str, pipeline: Path
) -> None:
    out = f"s3://{bucket}/release"
    one, two = (Selection(limit=number, subsets=("Once",)) for number in (1, 2))
    assert build(pipeline, out, workers=1, selection=one, offline=True).built
    before = objects(store, f"{bucket}/release")
    assert not build(pipeline, out, workers=1, selection=one, offline=True).built
    with pytest.raises(RosegenError, match="another release stands there: give --force"):
        build(pipeline, out, workers=1, selection=two, offline=True)
    assert objects(store, f"{bucket}/release") == before
    build(pipeline, out, workers=1, selection=two, offline=True, force=True)
    after = objects(store, f"{bucket}/release")
    assert len(after["manifest.jsonl"].splitlines()) == 4
    assert {name for name in after if name.startswith("build.")} == set()
    store.pipe_file(f"{bucket}/thesis/thesis.tex", b"years of work")
    for force in (False, True):
        with pytest.raises(RosegenError, match="holds other files, not a release"):
            build(pipeline, f"s3://{bucket}/thesis", workers=1, offline=True, force=force)
    assert store.cat_file(f"{bucket}/thesis/thesis.tex") == b"years of work"


def test_another_process_that_is_at_work_is_not_disturbed(
    store: Any, bucket: str, pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = f"{bucket}/release"
    moments = iter(range(100))

    def renewed(seconds: float) -> None:
        lease = {"host": "elsewhere", "process": 1, "time": time.time() + next(moments)}
        store.pipe_file(f"{out}/build.lease", json.dumps(lease).encode())

    renewed(0)
    monkeypatch.setattr("rosegen.engine.remote.time.sleep", renewed)
    with pytest.raises(RosegenError, match="another process builds it at this moment"):
        build(pipeline, f"s3://{out}", workers=1, offline=True)
    assert list(objects(store, out)) == ["build.lease"]


def test_a_scheme_that_nobody_knows_is_one_line(pipeline: Path) -> None:
    with pytest.raises(RosegenError, match="nowhere://x/y") as refused:
        build(pipeline, "nowhere://x/y", workers=1, offline=True)
    assert "\n" not in str(refused.value)


def test_a_store_that_does_not_answer_or_knows_no_keys_is_one_line(pipeline: Path) -> None:
    """Its libraries raise errors of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
    for keys in ({"FSSPEC_S3_KEY": "k", "FSSPEC_S3_SECRET": "s"}, {}):
        kept = {
            name: os.environ[name] for name in os.environ if not name.startswith(("AWS", "FSS"))
        }
        told = {"FSSPEC_S3_ENDPOINT_URL": closed, "AWS_EC2_METADATA_DISABLED": "true", **keys}
        done = subprocess.run(
            [sys.executable, "-m", "rosegen", "build", str(pipeline), "--out", "s3://b/r"],
            cwd=PROJECT,
            env={**kept, **told, "HOME": str(pipeline.parent)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 2
        (complaint,) = done.stderr.splitlines()
        assert complaint.startswith("rosegen: s3://b/r: ")
        assert complaint.endswith("see to its address, keys and network, and run it again")
