"""Builds that are killed, stopped or starved: the same command again ends in the same release."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from rosegen.build import build
from rosegen.cli import main
from rosegen.engine.journal import JOURNAL, FolderJournal
from rosegen.errors import RosegenError
from rosegen.pipeline import Subset
from rosegen.placement import Placement, place
from rosegen.plan import ScenePlan
from rosegen.selection import Selection
from rosegen.verify import verify_release

PROJECT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

PIPELINE = """
format: 1
name: squares
title: Squares, so many that their pairs serve again.
defaults:
  kind: image_pairs
  seed: 3
  admission: {ssim: [0, 0.999], phash_distance: [0, 64], changed_pixel_share: [0.001, 1]}
subsets:
  - name: Again
    prefix: AGAIN
    scenes: 150
    dev_scenes: 40
    repeat_pairs: true
    packs: [{folder: art, license: CC0-1.0, attribution: us}]
  - name: Once
    prefix: SINGLE
    scenes: 20
    dev_scenes: 5
    packs: [{folder: more, license: CC0-1.0, attribution: us}]
"""


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipeline")
    for art, tint in (("art", 90), ("more", 150)):
        (folder / art).mkdir()
        for number in range(32):
            picture = Image.new("RGB", (40, 40), (250, 240, 200))
            picture.paste((30, tint, 7 * number), (4, 4, 36, 36))
            picture.save(folder / f"{art}/tile{number:02}.png")
            picture.paste((220, 60, 30), (6 + number % 16, 8, 16 + number % 16, 18))
            picture.save(folder / f"{art}/tile{number:02}.edit.png")
    path = folder / "squares.yaml"
    path.write_text(textwrap.dedent(PIPELINE))
    return path


@pytest.fixture(scope="module")
def undisturbed(pipeline: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("undisturbed") / "release"
    build(pipeline, out, workers=1, offline=True)
    assert verify_release(out, workers=1).ok
    return out


def files(folder: Path) -> dict[str, bytes]:
    """Every file under a folder by its path, with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def assert_same(one: Path, other: Path) -> None:
    a, b = files(one), files(other)
    assert a.keys() == b.keys()
    assert [name for name in a if a[name] != b[name]] == []


def entries(out: Path) -> list[str]:
    """The portions that are recorded of an unfinished build."""
    journal = out.parent / f".{out.name}.part" / JOURNAL
    return sorted(path.name for path in journal.glob("*.json"))


def started(pipeline: Path, out: Path, workers: int = 2) -> subprocess.Popen[str]:
    """A build in a process group of its own."""
    arguments = ["build", str(pipeline), "--out", str(out), "--offline", "--workers", str(workers)]
    return subprocess.Popen(
        [sys.executable, "-m", "rosegen", *arguments],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until_recorded(process: subprocess.Popen[str], out: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while len(entries(out)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "nothing recorded in two minutes"
        time.sleep(0.01)


# A build that kills itself outright, with SIGKILL, at its nth step that touches the disk.
SUICIDE = """
import os, signal, sys
from rosegen.engine import journal, store
left = int(sys.argv[1])
def counted(function):
    def step(*args, **kwargs):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **kwargs)
    return step
store.LocalStore.remove = counted(store.LocalStore.remove)
store.os.replace = counted(os.replace)
store.os.fsync = counted(os.fsync)
journal.put_in_place = counted(journal.put_in_place)
from rosegen.cli import main
main(sys.argv[2:])
"""


def test_killed_at_any_step_again_and_again_it_ends_as_if_undisturbed(
    pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    """Dozens of kills: at each step of the end, and at drawn steps before it."""
    out, draws, kills, ends = tmp_path / "release", random.Random(5), 0, 0
    arguments = ["build", str(pipeline), "--out", str(out), "--offline", "--workers", "1"]
    while kills < 120:
        whole = len(entries(out)) == 4
        ends += whole  # a portion is 128 images at most; of the steps after them each is tried
        most = 55 if len(entries(out)) > 1 else 150  # not far beyond the end of a portion
        steps = ends if whole else draws.randint(1, most)
        done = subprocess.run(
            [sys.executable, "-c", SUICIDE, str(steps), *arguments],
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not out.exists()
        kills += 1
    assert ends > 24
    assert kills > ends
    assert_same(out, undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_killed_at_any_moment_with_its_workers_it_ends_as_if_undisturbed(
    pipeline: Path, undisturbed: Path, tmp_path: Path
) -> None:
    out, draws = tmp_path / "release", random.Random(11)
    for recorded in (1, 2, 3):
        process = started(pipeline, out)
        until_recorded(process, out, recorded)
        time.sleep(draws.random() / 10)
        if draws.random() < 0.5:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate(timeout=60)
    process = started(pipeline, out)
    printed, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint
    assert "built 170 scenes" in printed or "stands already" in printed
    assert_same(out, undisturbed)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize(
    ("sent", "code", "says"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
    ids=["ctrl-c", "sigterm"],
)
def test_a_signal_ends_it_at_once_and_says_how_far_it_got(
    pipeline: Path, undisturbed: Path, tmp_path: Path, sent: signal.Signals, code: int, says: str
) -> None:
    out = tmp_path / "release"
    process = started(pipeline, out)
    until_recorded(process, out, 1)
    before = time.monotonic()
    if sent is signal.SIGINT:
        os.killpg(process.pid, sent)  # as a terminal does: the whole group
    else:
        process.send_signal(sent)
    _, complaint = process.communicate(timeout=60)
    assert time.monotonic() - before < 30  # goal: 2 s, on a machine that does nothing else
    assert process.returncode == code
    last = complaint.splitlines()[-1]
    assert last.startswith(f"rosegen: {says}; ")
    assert last.endswith(" of 170 scenes are done: the same command goes on from there")
    assert "Traceback" not in complaint
    assert not out.exists()
    build(pipeline, out, workers=1, offline=True)
    assert_same(out, undisturbed)


@pytest.fixture
def unfinished(pipeline: Path, tmp_path: Path) -> Iterator[Path]:
    """Where a release would stand whose build was killed when two portions were recorded."""
    out = tmp_path / "release"
    process = started(pipeline, out, workers=1)
    until_recorded(process, out, 2)
    process.kill()
    process.communicate(timeout=60)
    yield out


@pytest.mark.parametrize("harm", ["cut image", "lost image", "cut rows", "cut entry", "no entry"])
def test_what_a_power_cut_tore_is_made_again(
    harm: str, unfinished: Path, pipeline: Path, undisturbed: Path
) -> None:
    stage = unfinished.parent / ".release.part"
    journal = stage / JOURNAL
    image = sorted((stage / "images" / "Again").glob("*.png"))[3]
    if harm == "cut image":
        image.write_bytes(image.read_bytes()[:40])
    elif harm == "lost image":
        image.unlink()
    elif harm == "cut rows":
        rows = journal / "000001.rows"
        rows.write_bytes(rows.read_bytes()[:-100])
    elif harm == "cut entry":
        (journal / "000000.json").write_bytes(b'{"unit": 0, "rows"')
    else:
        (journal / "000000.json").unlink()
    build(pipeline, unfinished, workers=1, offline=True)
    assert_same(unfinished, undisturbed)


@pytest.mark.parametrize("force", [False, True])
def test_what_is_recorded_is_not_made_again(
    force: bool, unfinished: Path, pipeline: Path, undisturbed: Path
) -> None:
    stage = unfinished.parent / ".release.part"
    image = stage / "images" / "Again" / "AGAINIMG_000001.png"
    assert image.exists()
    made = image.stat().st_mtime_ns
    build(pipeline, unfinished, workers=1, offline=True, force=force)
    assert (unfinished / "images" / "Again" / "AGAINIMG_000001.png").stat().st_mtime_ns == made
    assert_same(unfinished, undisturbed)


def test_an_unfinished_build_of_something_else_gives_way_only_to_force(
    unfinished: Path, pipeline: Path, tmp_path: Path
) -> None:
    other = pipeline.with_name("other.yaml")
    other.write_text(pipeline.read_text().replace("seed: 3", "seed: 4"))
    few = Selection(limit=2, subsets=("Once",))
    before = files(tmp_path)
    for changed, selection, what in (
        (other, None, "pipeline"),
        (pipeline, few, "packs, selection"),
    ):
        with pytest.raises(RosegenError) as refused:
            build(changed, unfinished, workers=1, offline=True, selection=selection)
        message = str(refused.value)
        assert "\n" not in message
        assert f"an unfinished build stands there that differs in {what} (its" in message
        one, two = message.split("fingerprint is ")[1].split(", this one's ")
        assert one[:12] != two[:12]
        assert "--force" in message
        assert files(tmp_path) == before
    build(pipeline, unfinished, workers=1, offline=True, selection=few, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["release"]
    assert len((unfinished / "manifest.jsonl").read_text().splitlines()) == 4


def test_other_tools_do_not_go_on_with_a_build(
    unfinished: Path, pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rosegen.build.toolchain", lambda: {"pillow": "99.0"})
    with pytest.raises(RosegenError, match="that differs in toolchain"):
        build(pipeline, unfinished, workers=1, offline=True)


def test_two_builds_of_one_release_do_not_meet(
    pipeline: Path, undisturbed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    process = started(pipeline, out)
    until_recorded(process, out, 1)
    with pytest.raises(SystemExit) as stopped:
        main(["build", str(pipeline), "--out", str(out), "--offline", "--workers", "1"])
    assert stopped.value.code == 2
    complaint = capsys.readouterr().err
    assert complaint.splitlines() == [
        f"rosegen: {out}: another process builds it at this moment: wait for it, or name another "
        f"--out"
    ]
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert_same(out, undisturbed)


def test_a_worker_that_dies_is_replaced(pipeline: Path, undisturbed: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    process = started(pipeline, out)
    until_recorded(process, out, 1)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        process.communicate(timeout=60)
        pytest.skip("there is no /proc that lists a process's children")
    for worker in children.read_text().split()[:1]:
        os.kill(int(worker), signal.SIGKILL)
    _, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint
    assert_same(out, undisturbed)


def test_a_disk_that_fills_up_is_one_line_and_loses_nothing(
    pipeline: Path,
    undisturbed: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, real, written = tmp_path / "release", Path.write_bytes, []

    def until_full(self: Path, data: bytes) -> int:
        written.append(self)
        if len(written) > 200:
            raise OSError(28, os.strerror(28), str(self))
        return real(self, data)

    arguments = ["build", str(pipeline), "--out", str(out), "--offline", "--workers", "1"]
    with monkeypatch.context() as patch, pytest.raises(SystemExit) as stopped:
        patch.setattr(Path, "write_bytes", until_full)
        main(arguments)
    assert stopped.value.code == 2
    complaint = capsys.readouterr().err
    assert complaint.splitlines() == [
        f"rosegen: {out}: the disk is full: free some space and run it again"
    ]
    assert entries(out) == ["000000.json"]
    main(arguments)
    assert_same(out, undisturbed)


def test_an_error_before_anything_is_made_leaves_nothing(pipeline: Path, tmp_path: Path) -> None:
    few = pipeline.with_name("few.yaml")
    few.write_text(pipeline.read_text().replace("scenes: 20", "scenes: 60"))
    with pytest.raises(RosegenError, match="the pool has pairs for"):
        build(few, tmp_path / "deep" / "release", workers=1, offline=True)
    assert list(tmp_path.iterdir()) == []


def test_a_pair_that_two_subsets_have_in_common_is_in_one_split(
    pipeline: Path, tmp_path: Path
) -> None:
    """What would not verify is not built."""
    shared = pipeline.with_name("shared.yaml")
    shared.write_text(pipeline.read_text().replace("folder: more", "folder: art"))
    with pytest.raises(RosegenError) as refused:
        build(shared, tmp_path / "release", workers=1, offline=True)
    assert str(refused.value).startswith("Again and Once have a pair of tiles in common, here ")
    assert not (tmp_path / "release").exists()


def test_a_scene_that_cannot_be_made_is_named(
    pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impossible(subset: Subset, plan: ScenePlan) -> Placement:
        if plan.number == 70:
            raise RosegenError(f"{subset.name} scene {plan.number}: no placement meets T2 partial")
        return place(subset, plan)

    monkeypatch.setattr("rosegen.portion.place", impossible)
    with pytest.raises(RosegenError, match="Again scene 70: no placement meets T2 partial"):
        build(pipeline, tmp_path / "release", workers=1, offline=True)
    assert entries(tmp_path / "release") == ["000000.json"]


def test_the_entry_names_everything_by_its_hash(unfinished: Path) -> None:
    stage = unfinished.parent / ".release.part"
    entry = json.loads((stage / JOURNAL / "000000.json").read_text())
    assert len(entry["files"]) == 128
    with pytest.raises(RosegenError, match="stands there that differs in"):
        FolderJournal(unfinished, "export_summary.json", {}).__enter__()
