"""A replayed release is there whole or not at all, whatever stands in the way."""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from rosegen.cli.common import Bar
from rosegen.errors import RosegenError
from rosegen.replay import replay
from tests.replay.maker import (
    Row,
    release_rows,
    run,
    same_files,
    write,
)


@pytest.fixture
def faulty(small: Path, tmp_path: Path) -> list[Path]:
    """Three files of rows with a fault in each."""
    rows: list[Row] = release_rows(small)
    paths = []
    for place in range(3):
        own = rows[place::3]
        own[4]["answer"] = "COUNT(77)"
        paths.append(write(tmp_path / f"part{place}.jsonl", own))
    return paths


def test_neither_workers_nor_the_order_of_files_change_a_byte(
    faulty: list[Path], tmp_path: Path
) -> None:
    orders = (faulty, faulty[::-1], [faulty[1], faulty[2], faulty[0]])
    made = [
        replay(order, tmp_path / f"made{n}", workers=1 + n % 2, offline=True)
        for n, order in enumerate(orders)
    ]
    assert len(made[0].faults) == 3
    assert made[0].faults == made[1].faults == made[2].faults
    assert same_files(made[0].out, made[1].out)
    assert same_files(made[0].out, made[2].out)


def test_the_progress_that_is_told_ends_where_it_should(small: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    replay([small], tmp_path / "made", workers=1, progress=lambda *step: told.append(step))
    assert told[-1] == ("scenes", 34, 34)


# --- what stands at --out


def test_a_release_gives_way_to_force_alone(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made"
    assert run(capsys, small, "--out", out).code == 0
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    again = run(capsys, small, "--out", out)
    assert (again.code, again.out, len(again.err)) == (2, [], 1)
    assert "give --force" in again.err[0]
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    assert run(capsys, small, "--out", out, "--force").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_release_can_be_replayed_in_its_own_place(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made"
    assert run(capsys, small, "--out", out).code == 0
    assert run(capsys, out, "--out", out, "--force").code == 0
    assert len(release_rows(out)) == 238


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_other_peoples_files_are_never_replaced(
    force: tuple[str, ...], small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.tex").write_text("mine", encoding="utf-8")
    for name, out in (("file", "file"), ("folder", "folder"), ("file", "file/below")):
        ran = run(capsys, small, "--out", tmp_path / out, *force)
        assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
        assert name in ran.err[0]
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder", "thesis.tex"]


@pytest.mark.parametrize("out", ["", ".", "..", "/"])
def test_an_out_without_a_name_is_one_line(
    out: str, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, small, "--out", out)
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder nobody may write")
def test_a_folder_that_may_not_be_written_is_one_line(
    small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, small, "--out", "/proc/made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert "cannot be written" in ran.err[0]


# --- when it cannot be finished


def test_a_full_disk_is_one_line_and_leaves_nothing(
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, written = Path.write_bytes, []

    def until_full(self: Path, data: bytes) -> int:
        written.append(self)
        if len(written) > 7:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    ran = run(capsys, small, "--out", tmp_path / "made")
    assert (ran.code, ran.out) == (2, [])
    assert ran.err == [
        f"rosegen: {tmp_path}/made: the disk is full: free some space and run it again"
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_the_system_will_not_let_grow_is_one_error_and_leaves_nothing(
    workers: int, small: Path, tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))  # less than most images have
    try:
        with pytest.raises(RosegenError, match="cannot be written"):
            replay([small], tmp_path / "made", workers=workers, offline=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("sent", "code", "says"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
    ids=["ctrl-c", "sigterm"],
)
def test_a_signal_in_the_middle_leaves_nothing(
    sent: signal.Signals,
    code: int,
    says: str,
    workers: int,
    small: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there: list[Path] = []

    def step(bar: object, stage: str, done: int, total: int) -> None:
        if (stage, done) == ("scenes", total // 2):
            there.extend(tmp_path.rglob("*.png"))
            signal.raise_signal(sent)

    monkeypatch.setattr(Bar, "__call__", step)
    ran = run(capsys, small, "--out", tmp_path / "made", workers=workers)
    assert len(there) >= 34  # it was in the middle
    assert (ran.code, ran.out) == (code, [])
    assert ran.err == [f"rosegen: {says}; nothing half done was left"]
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_no_text_can_hold_is_spelled_out(small: Path, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/ro\xffws.jsonl"))
    rows = release_rows(small)
    rows[0]["answer"] = "COUNT(77)"
    try:
        write(path, rows)
    except OSError:
        pytest.skip("this disk has no such names")
    made = replay([path], tmp_path / "made", workers=1, offline=True)
    assert made.faults[0].where == "ro\\udcffws.jsonl:1"
    summary = json.loads((made.out / "export_summary.json").read_text(encoding="utf-8"))
    assert summary["pipeline"]["name"] == "ro\\udcffws.jsonl"
