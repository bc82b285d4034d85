"""Scenes of high numbers, whose images lie in numbered folders, are replayed like any others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rosegen.release.rows import image_path
from rosegen.replay import replay
from rosegen.verify import verify_release
from tests.replay.maker import Row, lines, release_rows, write

SHIFT = 12_345  # scenes
_IDS = re.compile("(ED|CO)(SCENE|IMG|ITEM)_([0-9]{6})")
_STEPS = {"SCENE": 1, "IMG": 2, "ITEM": 5}  # ids a scene


def numbered_higher(rows: list[Row]) -> list[Row]:
    """The rows as if so many scenes came before them."""
    text = _IDS.sub(
        lambda match: f"{match[1]}{match[2]}_{int(match[3]) + SHIFT * _STEPS[match[2]]:06d}",
        json.dumps(rows),
    )
    shifted: list[Row] = json.loads(text)
    for row in shifted:
        row["item_seed"] += 10 * SHIFT
        row["image"] = image_path(row["rose_subset"], row["image_id"])
    return shifted


def flat(row: Row) -> Row:
    return {**row, "image": f"images/{row['rose_subset']}/{row['image_id']}.png"}


def numbered_from_none(row: Row) -> Row:
    return {**row, "image": f"images/{row['rose_subset']}/0000/{row['image_id']}.png"}


@pytest.mark.parametrize("written", [dict, flat, numbered_from_none])
def test_images_of_high_numbers_lie_where_every_release_has_them(
    written: Callable[[Row], Row], small: Path, tmp_path: Path
) -> None:
    rows = numbered_higher(release_rows(small))
    path = write(tmp_path / "rows.jsonl", map(written, rows))
    made = replay([path], tmp_path / "made", workers=1, offline=True)
    assert (made.faults, made.lost, made.substituted) == ((), (), 0)
    by_id = {row["item_id"]: row for row in rows}
    for row in release_rows(made.out):
        assert row == {**by_id[row["item_id"]], "substituted": None}
        assert re.fullmatch("images/[A-Za-z]+/0002/[A-Z0-9_]+[.]png", row["image"])
    files = {row["image"] for row in lines(made.out / "manifest.jsonl")}
    found = {path.relative_to(made.out).as_posix() for path in made.out.rglob("*.png")}
    assert files <= found
    report = verify_release(made.out, workers=1)
    assert report.ok, [str(fault) for fault in report.faults[:5]]


def test_a_folder_that_is_none_of_images_is_named(small: Path, tmp_path: Path) -> None:
    rows = release_rows(small)
    rows[0]["image"] = rows[0]["image"].replace("images/", "images/0001/more/")
    made = replay([write(tmp_path / "rows.jsonl", rows)], tmp_path / "made", workers=1)
    assert [fault.field for fault in made.faults] == ["image"]
