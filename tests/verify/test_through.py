"""What is left of exceptions after the resizing and JPEG an image may go through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rosegen.errors import RosegenError
from rosegen.verify import verify_release
from rosegen.verify.through import Through, told_apart
from tests.verify.release_maker import Region, SceneSpec, make_release

KINDS = {
    "T1_COUNT_GLOBAL": Region("GLOBAL", 1, 10, 1, 10),
    "T2_COUNT_LOCAL_NUMERIC": Region("ROW_RANGE", 3, 5, 1, 10),
    "T3_CLICK_LOCAL_NUMERIC": Region("COL_RANGE", 1, 10, 2, 4),
    "T4_CLICK_VISUAL_REGION": Region("VISUAL_REGION", 2, 4, 3, 5),
    "T5_CLICK_COUNT_EXCLUSION": Region("RECTANGLE", 1, 3, 1, 3),
}


def scene(cell: int, mark: int, *, noise: bool = False) -> SceneSpec:
    targets = [(2, 3), (7, 9), (10, 10)]
    return SceneSpec(
        "ROSE-Squares", 1, "test", 10, 10, cell, targets, KINDS, "MASK", 90, mark, noise
    )


@pytest.mark.parametrize("spec", ["jpeg:85", "jpeg:70:444", "resize:700", "resize:600,jpeg:85"])
@pytest.mark.parametrize("noise", [False, True])
def test_plain_exceptions_survive(spec: str, noise: bool) -> None:
    made = scene(90, 24, noise=noise)
    assert told_apart(made.base(), 10, 10, Through.parse(spec)) == set(made.targets)


def test_small_exceptions_survive_jpeg_of_phases_that_differ() -> None:
    made = scene(61, 8)  # JPEG's blocks of 8 fall on every cell in another way
    assert told_apart(made.base(), 10, 10, Through.parse("jpeg:85")) == set(made.targets)


def test_exceptions_that_are_lost_are_reported(tmp_path: Path) -> None:
    release = make_release(tmp_path / "r", [scene(90, 2)], bridges=False)
    assert verify_release(release.root).ok
    report = verify_release(release.root, through="resize:60,jpeg:20")
    assert [(each.kind, each.where) for each in report.faults] == [("through", "SQIMG_000001")]
    assert "after resize:60,jpeg:20" in report.faults[0].detail
    assert verify_release(release.root, through="resize:2000").ok


def test_nothing_stands_out_of_a_grid_without_exceptions() -> None:
    made = scene(61, 8, noise=True)
    plain = np.tile(made.tiles()[0], (10, 10, 1))
    assert told_apart(plain, 10, 10, Through.parse("resize:5000")) == set()


def test_the_steps_do_what_they_say() -> None:
    image = np.zeros((100, 300, 3), np.uint8)
    assert Through.parse("resize:150").apply(image).size == (150, 50)
    assert Through.parse("resize:600").apply(image).size == (300, 100)
    assert Through.parse("jpeg:85,resize:30").apply(image).size == (30, 10)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "jpeg",
        "jpeg:0",
        "jpeg:101",
        "jpeg:85:411",
        "resize:0",
        "resize:1",
        "resize:-5",
        "webp:80",
        "jpeg:85,",
        "jpeg:85 ",
        "resize:1e3",
    ],
)
def test_steps_that_are_none(spec: str, tmp_path: Path) -> None:
    with pytest.raises(RosegenError, match="is not a step"):
        verify_release(tmp_path, through=spec)
