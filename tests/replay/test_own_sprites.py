"""A release of somebody's own sprites is itself again where the files are given that it names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rosegen.build import build
from rosegen.replay import replay
from rosegen.verify import verify_release
from tests.core_maker import SMALL
from tests.replay.maker import lines, release_rows, run

PACK = """name: mine
kind: sprites
source: {type: folder, path: art}
license: CC0-1.0
attribution: me
homepage: https://example.org
files: ["*"]
default: false
contents: {images: {glob: "originals/*"}, edits: {glob: "edits/*"}}
"""


def sprite(path: Path, number: int, seed: int) -> None:
    """Pixel art of a few colours, of which every edit can be made."""
    drawn = np.random.default_rng(seed)
    pixels = np.zeros((24, 24, 4), np.uint8)
    pixels[3:21, 3:21] = (*(90 + drawn.integers(0, 90, 3)), 255)
    for row, col in drawn.integers(4, 16, (6, 2)):
        pixels[row : row + 4, col : col + 4] = (*drawn.integers(0, 255, 3), 255)
    pixels[4 + number : 8 + number, 5:9] = (250, 10 * number, 20, 255)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def pipeline(folder: Path, pack: str) -> Path:
    """The small pipeline with sprites of one's own."""
    text = SMALL.read_text(encoding="utf-8")
    head, defaults, subsets = text.partition("subsets:")
    subsets = subsets.replace("takes: 1", "takes: 1\n      own_sprites: false")
    subsets = subsets.replace("compare: relatives", "compare: relatives, own_sprites: false")
    subsets = subsets.replace("packs: []", f"packs: [{pack}]\n    repeat_pairs: true")
    path = folder / "own.yaml"
    path.write_text(head + defaults + subsets, encoding="utf-8")
    return path


def build_own(folder: Path) -> Path:
    """A release of a folder of sprites, which lies beside it."""
    for number in range(8):
        sprite(folder / f"art/a/red-cat-{number}.png", number, 1)
        sprite(folder / f"art/b/red-dog-{number}.png", number, 2)
    for side in "ab":  # two files of one stem are told apart by their folders
        sprite(folder / f"art/{side}/red-owl.png", 1, ord(side))
    path = pipeline(folder, "{folder: art, license: CC-BY-4.0, attribution: me}")
    return build(path, folder / "Own", workers=1, offline=True).out


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sprites beside the release of them. Tests must not change it."""
    return build_own(tmp_path_factory.mktemp("own")).parent


def images(release: Path) -> dict[str, str]:
    return {row["image_id"]: row["pixel_sha256"] for row in lines(release / "manifest.jsonl")}


@pytest.mark.parametrize("given", ["art", "."])
def test_with_its_files_at_hand_a_release_of_own_sprites_is_itself_again(
    given: str, own: Path, tmp_path: Path
) -> None:
    made = replay([own / "Own"], tmp_path / "made", sprites=[own / given], workers=1, offline=True)
    assert (made.faults, made.lost, made.substituted) == ((), (), 0)
    assert (made.compared.images, made.compared.differing) == (len(images(own / "Own")), ())
    rows = release_rows(made.out)
    assert [{**row, "substituted": None} for row in release_rows(own / "Own")] == rows
    shown = {name for row in rows for name in (row["background_path"], row["target_path"])}
    assert {"~" in name for name in shown} == {True, False}
    assert any(name.startswith("art/art/") or name.startswith("art/a/") for name in shown)
    report = verify_release(made.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]


def test_edits_that_are_files_are_found_beside_their_originals(tmp_path: Path) -> None:
    for number in range(8):
        sprite(tmp_path / f"art/originals/cat-{number}.png", 1, number)
        sprite(tmp_path / f"art/edits/cat-{number}.png", 9, number)
    (tmp_path / "mine.yaml").write_text(PACK, encoding="utf-8")
    original = build(pipeline(tmp_path, "mine.yaml"), tmp_path / "Own", workers=1, offline=True).out
    assert any(row["target_path"].endswith("~True") for row in release_rows(original))
    made = replay(
        [original], tmp_path / "made", sprites=[tmp_path / "art"], workers=1, offline=True
    )
    assert (made.faults, made.lost, made.compared.differing) == ((), (), ())
    assert images(made.out) == images(original)


def test_without_its_files_one_line_says_which_are_wanted_and_what_to_do(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ran = run(capsys, own / "Own", "--out", tmp_path / "made")
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert " sprites (art/" in ran.err[0]
    assert ran.err[0].endswith("give --sprites, or --substitute")
    assert list(tmp_path.iterdir()) == []


def test_files_that_are_others_than_they_were_are_told(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (own / "art").rglob("*.png"):
        pixels = np.array(Image.open(path))
        pixels[3, 3:21] = (1, 2, 3, 255)
        (tmp_path / path.relative_to(own)).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(tmp_path / path.relative_to(own))
    ran = run(capsys, own / "Own", "--out", tmp_path / "made", "--sprites", tmp_path / "art")
    assert (ran.code, ran.err) == (1, [])
    assert any("the files given for pack art may be others" in line for line in ran.out)


def test_two_files_that_a_row_may_mean_are_refused_with_their_paths(
    own: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sprite(tmp_path / "more/red-cat-1.png", 3, 3)
    ran = run(
        capsys, own / "Own", "--out", tmp_path / "made",
        "--sprites", own / "art", "--sprites", tmp_path / "more",
    )  # fmt: skip
    assert (ran.code, ran.out, len(ran.err)) == (2, [], 1)
    assert "red-cat-1.png" in ran.err[0]
