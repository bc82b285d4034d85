"""A build end to end: what it writes, that it always writes the same, and how it fails."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from rosegen.build import Build, build
from rosegen.cli import main
from rosegen.errors import RosegenError
from rosegen.selection import Selection
from rosegen.verify import verify_release

PROJECT = Path(__file__).resolve().parents[2]


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def rows(release: Path) -> list[dict]:
    return lines(release / "metadata_dev.jsonl") + lines(release / "metadata_test.jsonl")


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run the command line in this process: exit code, standard output, standard error."""
    code = 0
    try:
        main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_demo_is_whole_and_verifies(demo: Build) -> None:
    assert demo.built
    counts = demo.summary["counts"]
    assert (counts["scenes"], counts["images"], counts["items"]) == (25, 50, 125)
    report = verify_release(demo.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults]
    templates = Counter(row["task_template"] for row in rows(demo.out))
    assert set(templates.values()) == {25}
    assert not any("fallback" in row["region_case"] for row in rows(demo.out))


def test_one_worker_makes_what_two_make(demo: Build, tmp_path: Path) -> None:
    again = build("demo", tmp_path / "again", workers=1, offline=True)
    for name in ("metadata_dev.jsonl", "metadata_test.jsonl", "manifest.jsonl", "rejections.jsonl"):
        assert (again.out / name).read_bytes() == (demo.out / name).read_bytes(), name


@pytest.mark.parametrize(
    "selection",
    [
        Selection(scenes=frozenset({3})),
        Selection(shard=(2, 2)),
        Selection(limit=2, subsets=("ROSE-PixelContent", "ROSE-ChineseGlyph")),
    ],
    ids=["one scene", "a shard", "a limit on two subsets"],
)
def test_a_part_is_the_same_as_in_the_whole(
    demo: Build, tmp_path: Path, selection: Selection
) -> None:
    part = build("demo", tmp_path / "part", workers=1, selection=selection, offline=True)
    whole = {row["item_id"]: row for row in rows(demo.out)}
    assert part.summary["complete"] is False
    assert rows(part.out)
    for row in rows(part.out):
        assert row == whole[row["item_id"]]
    hashes = {row["image_id"]: row for row in lines(demo.out / "manifest.jsonl")}
    for row in lines(part.out / "manifest.jsonl"):
        assert row == hashes[row["image_id"]]
    report = verify_release(part.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults]


def test_a_second_build_does_nothing(demo: Build) -> None:
    before = (demo.out / "manifest.jsonl").stat().st_mtime_ns
    again = build("demo", demo.out, workers=1, offline=True)
    assert not again.built
    assert (demo.out / "manifest.jsonl").stat().st_mtime_ns == before


def test_another_release_gives_way_only_to_force(demo: Build, tmp_path: Path) -> None:
    out = tmp_path / "release"
    shutil.copytree(demo.out, out)
    one = Selection(limit=1, subsets=("ROSE-PixelEdit",))
    with pytest.raises(RosegenError, match="--force"):
        build("demo", out, workers=1, selection=one, offline=True)
    assert len(rows(out)) == 125
    build("demo", out, workers=1, selection=one, offline=True, force=True)
    assert len(rows(out)) == 5
    assert [path.name for path in tmp_path.iterdir()] == ["release"]


def test_a_folder_of_other_files_is_never_replaced(tmp_path: Path) -> None:
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    with pytest.raises(RosegenError, match="not a release"):
        build("demo", out, workers=1, offline=True, force=True)
    assert (out / "thesis.tex").read_text() == "years of work"


def variant(tmp_path: Path, old: str, new: str) -> Path:
    """The demo pipeline with one piece of text changed."""
    text = (PROJECT / "pipelines" / "demo.yaml").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "changed.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kind: sprite\n    options: {compare: edits}", "kynd: sprite", "kynd"),
        ("compare: edits", "compare: edit", "'edit' is not one of"),
        ("exceptions: {1: 1, 2: 2, 3: 2}", "exceptions: {1: 1}", "partial regions wanted"),
        ("packs: [noto-sc]", "packs: [noto-sd]", "no asset pack 'noto-sd'"),
        ("scenes: 5\n", "scenes: five\n", "'five' is not of type 'integer'"),
        ("ssim: [0.90, 0.998]", "ssim: [0.998, 0.90]", "above the highest"),
        ("ssim: [0.72, 0.97]", "ssim: [1.5, 2]", "pool has pairs for 0 of 5 scenes"),
        ("groups: [Animals & Nature]", "groups: [Beasts]", "no emoji is left"),
        ("faces: [NotoSansSC-Regular]", "faces: [Comic-Sans]", "no font face 'Comic-Sans'"),
        ("format: 1\n", "format: 1\nname: twice\n", "given twice"),
        ("format: 1\n", "format: [1\n", "not valid YAML"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else None,
)
def test_a_bad_pipeline_is_one_line_exit_2_and_leaves_nothing(
    packs_cached: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    says: str,
) -> None:
    pipeline = variant(tmp_path, old, new)
    out = tmp_path / "out" / "release"
    code, printed, complaint = run(
        "build", str(pipeline), "--out", str(out), "--workers", "1", "--offline", capsys=capsys
    )
    assert code == 2
    assert printed == ""
    assert len(complaint.splitlines()) == 1
    assert says in complaint
    assert not out.parent.exists() or not any(out.parent.iterdir())


def test_a_missing_pipeline_names_the_shipped_ones(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, complaint = run("build", "nowhere", "--out", "x", capsys=capsys)
    assert code == 2
    assert "demo" in complaint and "rose-v0.1" in complaint


def test_an_empty_pack_is_one_line(
    packs_cached: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = variant(
        tmp_path,
        "{compare: relatives}\n",
        "{compare: relatives, own_sprites: false}\n",
    )
    code, _, complaint = run(
        "build",
        str(pipeline),
        "--out",
        str(tmp_path / "o"),
        "--workers",
        "1",
        "--offline",
        capsys=capsys,
    )
    assert code == 2
    assert len(complaint.splitlines()) == 1
    assert "no pack is named" in complaint


def test_a_full_disk_is_one_line_and_leaves_nothing(
    packs_cached: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, written = Path.write_bytes, []

    def until_full(self: Path, data: bytes) -> int:
        if self.parent.name == "scratch":
            written.append(self)
            if len(written) > 7:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", until_full)
    code, _, complaint = run(
        "build",
        "demo",
        "--out",
        str(tmp_path / "release"),
        "--workers",
        "1",
        "--offline",
        capsys=capsys,
    )
    assert code == 2
    assert complaint.splitlines() == [
        f"rosegen: {tmp_path / 'release'}: the disk is full: free some space and run it again"
    ]
    assert list(tmp_path.iterdir()) == []


def shell(command: str) -> subprocess.CompletedProcess[str]:
    rosegen = f"{shlex.quote(sys.executable)} -m rosegen"
    return subprocess.run(
        ["bash", "-c", command.replace("rosegen", rosegen)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full and bash")
@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        ("set -o pipefail; rosegen assets list --json | head -c 5", 0, ""),
        ("rosegen assets list > /dev/full", 2, "rosegen: cannot write the output"),
        ("ROSEGEN_CACHE='~nobody-here/x' rosegen assets list", 2, "rosegen: ROSEGEN_CACHE="),
        ("PYTHONIOENCODING=ascii rosegen verify 'nö 测试'", 2, "rosegen: n\\xf6"),
        ("rosegen build demo --out x --scene 5-2", 2, "rosegen: --scene 5-2"),
        ("rosegen build demo --out ''", 2, "rosegen: --out ."),
        ("rosegen", 0, ""),
    ],
)
def test_the_shell_gets_one_line_and_a_clear_code(command: str, code: int, says: str) -> None:
    done = shell(command)
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == (1 if says else 0), done.stderr
    assert done.stderr.startswith(says)


def test_the_users_own_edits_are_pairs(packs_cached: None, tmp_path: Path) -> None:
    """A folder of originals and edits, joined by name, with a pack file beside the pipeline."""
    art = tmp_path / "art"
    for folder, color in (("before", (200, 30, 30, 255)), ("after", (200, 130, 30, 255))):
        (art / folder).mkdir(parents=True)
        for number in range(6):
            image = Image.new("RGBA", (16, 16), (90, 160, 40 * number, 255))
            image.paste(color, (4 + number, 4, 8 + number, 7))
            image.save(art / folder / f"tile{number}.png")
    (tmp_path / "mine.yaml").write_text(
        "name: mine\nkind: sprites\ndefault: false\nsource: {type: folder, path: art}\n"
        "license: CC0-1.0\nattribution: me\nhomepage: https://example.org\n"
        "files: ['before/*.png', 'after/*.png']\n"
        "contents: {images: {glob: 'before/*.png'}, edits: {glob: 'after/*.png'}}\n"
    )
    pipeline = variant(
        tmp_path,
        "{compare: edits}\n    packs: []",
        "{compare: edits, own_sprites: false}\n    packs: [mine.yaml]",
    )
    text = pipeline.read_text().replace("ssim: [0.90, 0.998]", "ssim: [0.1, 0.998]")
    text = text.replace("phash_distance: [0, 16]", "phash_distance: [0, 64]")
    pipeline.write_text(text)
    only = Selection(subsets=("ROSE-PixelEdit",))
    made = build(pipeline, tmp_path / "release", workers=1, selection=only, offline=True)
    assert {row["pair_key"] for row in rows(made.out)} <= {f"mine/tile{n}" for n in range(6)}
    assert {row["background_license"] for row in rows(made.out)} == {"CC0-1.0"}
    report = verify_release(made.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults]
