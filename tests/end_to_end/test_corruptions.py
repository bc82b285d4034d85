"""A real release, one thing of it broken at a time: verifying names the thing, and little else."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rosegen.build import Build
from rosegen.verify import Report, verify_release
from tests.verify.release_maker import pixel_hash, write_rows

Row = dict[str, Any]
Pixels = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass
class Broken:
    """A copy of the release that may be broken."""

    root: Path

    def rows(self, name: str) -> list[Row]:
        return [
            json.loads(line) for line in (self.root / name).read_text(encoding="utf-8").splitlines()
        ]

    def edit(self, name: str, change: Callable[[list[Row]], object]) -> None:
        rows = self.rows(name)
        change(rows)
        write_rows(self.root / name, rows)

    def edit_row(self, name: str, id_: str, **values: object) -> None:
        """Set values of the row with an id; ``a__b`` names b within a."""
        rows = self.rows(name)
        row = next(r for r in rows if id_ in (r.get("item_id"), r.get("image_id")))
        assert row is not None
        for path, value in values.items():
            inner = row
            *parents, last = path.split("__")
            for parent in parents:
                inner = inner[parent]
            assert inner[last] != value, "nothing is broken"
            inner[last] = value
        write_rows(self.root / name, rows)

    def edit_summary(self, change: Callable[[Row], object]) -> None:
        path = self.root / "export_summary.json"
        summary = json.loads(path.read_text(encoding="utf-8"))
        change(summary)
        path.write_text(json.dumps(summary, ensure_ascii=False), encoding="utf-8")

    def image(self, image_id: str) -> Path:
        return next(self.root.glob(f"images/*/{image_id}.png"))

    def pixels(self, image_id: str) -> Pixels:
        return np.array(Image.open(self.image(image_id)))

    def paint(self, image_id: str, pixels: Pixels, *, hide: bool = False) -> None:
        """Replace an image; ``hide`` makes the manifest agree with it."""
        assert not np.array_equal(pixels, self.pixels(image_id)), "nothing is broken"
        Image.fromarray(pixels).save(self.image(image_id))
        if hide:
            self.edit_row("manifest.jsonl", image_id, pixel_sha256=pixel_hash(pixels))

    def report(self) -> Report:
        return verify_release(self.root, workers=1)


@dataclass(frozen=True)
class Picked:
    """A scene of the release, by its T1 and T4 rows."""

    file: str
    t1: Row
    t4: Row

    @property
    def cell(self) -> int:
        return int(self.t1["cell_size"])

    @property
    def exceptions(self) -> list[tuple[int, int]]:
        return [(row, col) for row, col in self.t1["target_cells"]]

    @property
    def box(self) -> tuple[int, int, int, int]:
        params = self.t4["region_params"]
        return params["r1"], params["r2"], params["c1"], params["c2"]

    def majority(self, count: int, *, cued: bool = False) -> list[tuple[int, int]]:
        """Some cells of the majority, inside the cued region or outside it."""
        r1, r2, c1, c2 = self.box
        spots = [
            (row, col)
            for row in range(1, self.t1["rows"] + 1)
            for col in range(1, self.t1["cols"] + 1)
            if (row, col) not in self.exceptions
            and (r1 <= row <= r2 and c1 <= col <= c2) is cued
            and (cued or not (r1 - 1 <= row <= r2 + 1 and c1 - 1 <= col <= c2 + 1))
        ]
        return spots[len(spots) // 2 :][:count]

    def view(self, pixels: Pixels, spot: tuple[int, int]) -> Pixels:
        top, left = (spot[0] - 1) * self.cell, (spot[1] - 1) * self.cell
        return pixels[top : top + self.cell, left : left + self.cell]


@pytest.fixture
def broken(demo: Build, tmp_path: Path) -> Broken:
    shutil.copytree(demo.out, tmp_path / "release")
    return Broken(tmp_path / "release")


def pick(broken: Broken, subset: str = "", *, cue: str = "", least: int = 1) -> Picked:
    """The first scene of a subset, with a cue and as many exceptions as wanted."""
    for split in ("test", "dev"):
        name = f"metadata_{split}.jsonl"
        by_scene: dict[str, list[Row]] = {}
        for row in broken.rows(name):
            by_scene.setdefault(row["scene_id"], []).append(row)
        for rows in by_scene.values():
            t1, t4 = rows[0], rows[3]
            if (
                subset in t1["rose_subset"]
                and cue in t4["cue_type"]
                and len(t1["target_cells"]) >= least
            ):
                return Picked(name, t1, t4)
    raise AssertionError("the demo has no such scene")


def cell_name(spot: tuple[int, int]) -> str:
    return f"R{spot[0]},C{spot[1]}"


def check_named(report: Report, kind: str, where: str, detail: str = "", most: int = 1) -> None:
    """The first fault is this one, and there are no more than ``most``."""
    shown = "\n".join(map(str, report.faults))
    assert report.faults, "nothing was found"
    first = report.faults[0]
    assert (first.kind, where in first.where, detail in first.detail) == (kind, True, True), shown
    assert len(report.faults) <= most, shown


@pytest.mark.parametrize("through", [None, "jpeg:85", "resize:1024", "resize:1024,jpeg:85"])
def test_untouched_it_has_no_fault(demo: Build, through: str | None) -> None:
    assert verify_release(demo.out, through=through, workers=1).faults == ()


SUBSETS = ["ChineseGlyph", "EmojiStyle", "EmojiContent", "PixelEdit", "PixelContent"]
hidden = pytest.mark.parametrize("hide", [False, True], ids=["unlisted", "listed"])


# Pixels of the plain image


@hidden
@pytest.mark.parametrize("subset", SUBSETS)
@pytest.mark.parametrize("whose", ["majority", "exception"])
def test_nine_pixels_one_level_off(broken: Broken, subset: str, whose: str, hide: bool) -> None:
    scene = pick(broken, subset, least=2)
    spot = scene.majority(1)[0] if whose == "majority" else scene.exceptions[0]
    image_id = scene.t1["image_id"]
    pixels = broken.pixels(image_id)
    scene.view(pixels, spot)[9:12, 9:12] ^= 1
    broken.paint(image_id, pixels, hide=hide)
    check_named(
        broken.report(), "pixels", image_id, f"cell {cell_name(spot)} looks like neither", 2
    )


@hidden
def test_the_only_exception_altered(broken: Broken, hide: bool) -> None:
    scene = next(
        found
        for subset in SUBSETS
        if len((found := pick(broken, subset)).exceptions) == 1 or subset == SUBSETS[-1]
    )
    image_id = scene.t1["image_id"]
    pixels = broken.pixels(image_id)
    for spot in scene.exceptions:
        scene.view(pixels, spot)[9:12, 9:12] ^= 1
    broken.paint(image_id, pixels, hide=hide)
    report = broken.report()
    if hide:
        check_named(
            report, "manifest", image_id, "target_sha256 is not the hash of the image's own", 2
        )
    else:
        check_named(report, "pixels", image_id, cell_name(sorted(scene.exceptions)[0]), 2)


@hidden
def test_an_exception_removed(broken: Broken, hide: bool) -> None:
    scene = pick(broken, least=2)
    image_id = scene.t1["image_id"]
    pixels = broken.pixels(image_id)
    gone = scene.exceptions[0]
    scene.view(pixels, gone)[...] = scene.view(pixels, scene.majority(1)[0])
    broken.paint(image_id, pixels, hide=hide)
    check_named(broken.report(), "pixels", image_id, "the pixels have exceptions at")


def test_the_last_exception_removed(broken: Broken) -> None:
    scene = pick(broken)
    image_id = scene.t1["image_id"]
    pixels = broken.pixels(image_id)
    for spot in scene.exceptions:
        scene.view(pixels, spot)[...] = scene.view(pixels, scene.majority(1)[0])
    broken.paint(image_id, pixels)
    check_named(broken.report(), "pixels", image_id, "there is no exception")


@hidden
def test_two_exceptions_added(broken: Broken, hide: bool) -> None:
    scene = pick(broken)
    image_id = scene.t1["image_id"]
    pixels = broken.pixels(image_id)
    for spot in scene.majority(2):
        scene.view(pixels, spot)[...] = scene.view(pixels, scene.exceptions[0])
    broken.paint(image_id, pixels, hide=hide)
    check_named(broken.report(), "pixels", image_id, cell_name(scene.majority(2)[1]))


def test_swapped_images(broken: Broken) -> None:
    first, second = (pick(broken, subset).t1["image_id"] for subset in SUBSETS[:2])
    one, two = broken.image(first), broken.image(second)
    kept = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(kept)
    report = broken.report()
    assert {(fault.where, fault.detail) for fault in report.faults} == {
        (first, f"holds the picture of {second}, by the manifest's hash"),
        (second, f"holds the picture of {first}, by the manifest's hash"),
    }


# The cue


def color_of_outline(cued: Pixels, plain: Pixels) -> list[int]:
    where = (cued != plain).any(axis=-1)
    colors, counts = np.unique(cued[where], axis=0, return_counts=True)
    return [int(level) for level in colors[counts.argmax()]]


@hidden
def test_an_outline_in_another_colour(broken: Broken, hide: bool) -> None:
    scene = pick(broken, cue="OUTLINE_BOX")
    image_id = scene.t4["image_id"]
    cued = broken.pixels(image_id)
    color = color_of_outline(cued, broken.pixels(scene.t1["image_id"]))
    cued[(cued == color).all(axis=-1)] = (32, 32, 224)
    broken.paint(image_id, cued, hide=hide)
    check_named(broken.report(), "cue", image_id, "the outline is drawn in (32, 32, 224)")


@hidden
def test_a_mask_in_another_colour(broken: Broken, hide: bool) -> None:
    scene = pick(broken, cue="MASK")
    image_id = scene.t4["image_id"]
    plain, cued = broken.pixels(scene.t1["image_id"]), broken.pixels(image_id)
    r1, r2, c1, c2 = scene.box
    ys = slice((r1 - 1) * scene.cell, r2 * scene.cell)
    xs = slice((c1 - 1) * scene.cell, c2 * scene.cell)
    cued[ys, xs] = (plain[ys, xs] * (191 / 255) + np.array([240, 112, 48]) * (64 / 255)).round()
    broken.paint(image_id, cued, hide=hide)
    check_named(broken.report(), "cue", image_id, "the mask is not drawn in")


@hidden
@pytest.mark.parametrize("cue", ["OUTLINE_BOX", "MASK"])
def test_a_cue_one_cell_off(broken: Broken, cue: str, hide: bool) -> None:
    scene = pick(broken, cue=cue)
    r1, r2, c1, c2 = scene.box
    image_id = scene.t4["image_id"]
    plain, cued = broken.pixels(scene.t1["image_id"]), broken.pixels(image_id)
    # Shifted to where there is room, and repainted on the plain image.
    step = -1 if c2 == scene.t1["cols"] else 1
    moved = (r1, r2, c1 + step, c2 + step)
    if moved[2] < 1:
        moved = (r1, r2, c1, c2 - 1)
    shown = plain.copy()
    top, bottom = (moved[0] - 1) * scene.cell, moved[1] * scene.cell
    left, right = (moved[2] - 1) * scene.cell, moved[3] * scene.cell
    if cue == "MASK":
        summary = json.loads((broken.root / "export_summary.json").read_text(encoding="utf-8"))
        look = summary["cues"][scene.t1["rose_subset"]]
        alpha = look["mask_alpha"]
        part = plain[top:bottom, left:right].astype(int) * (255 - alpha)
        shown[top:bottom, left:right] = (part + np.array(look["mask_color"]) * alpha + 127) // 255
    else:
        color = color_of_outline(cued, plain)
        half = max(2, int(scene.cell * 0.035))
        for y in (top, bottom):
            shown[max(0, y - half) : y + half, max(0, left - half) : right + half] = color
        for x in (left, right):
            shown[max(0, top - half) : bottom + half, max(0, x - half) : x + half] = color
    broken.paint(image_id, shown, hide=hide)
    text = "rows {}-{}, columns {}-{}".format(*moved)
    check_named(broken.report(), "cue", image_id, f"the picture shows {cue} on {text}")


@hidden
@pytest.mark.parametrize("inside", [False, True])
def test_pixels_of_the_cued_image_alone(broken: Broken, inside: bool, hide: bool) -> None:
    scene = pick(broken, cue="MASK", least=1)
    spots = scene.majority(1, cued=inside)
    image_id = scene.t4["image_id"]
    cued = broken.pixels(image_id)
    scene.view(cued, spots[0])[9:12, 9:12] ^= 1
    broken.paint(image_id, cued, hide=hide)
    check_named(broken.report(), "cue", image_id, cell_name(spots[0]))


# Rows


def test_an_answer(broken: Broken) -> None:
    scene = pick(broken)
    count = len(scene.exceptions)
    broken.edit_row(scene.file, scene.t1["item_id"], answer=f"COUNT({count + 1})")
    check_named(broken.report(), "answer", scene.t1["item_id"], f"answer is 'COUNT({count + 1})'")


def test_a_coordinate(broken: Broken) -> None:
    scene = pick(broken)
    cells = [*scene.t1["all_target_cells"]]
    cells[0] = cell_name(scene.majority(1)[0])
    broken.edit_row(scene.file, scene.t1["item_id"], all_target_cells=cells)
    check_named(broken.report(), "answer", scene.t1["item_id"], "all_target_cells is")


def test_a_coordinate_in_every_row(broken: Broken) -> None:
    """What the rows say among themselves is sound: the picture says otherwise."""
    scene = pick(broken)
    moved = [list(scene.majority(1)[0]), *scene.t1["target_cells"][1:]]

    def change(rows: list[Row]) -> None:
        for row in rows:
            if row["scene_id"] == scene.t1["scene_id"]:
                row["target_cells"] = moved

    broken.edit(scene.file, change)
    report = broken.report()
    shown = "\n".join(map(str, report.faults))
    said = [fault for fault in report.faults if fault.kind == "pixels"]
    assert [fault.where for fault in said] == [scene.t1["image_id"]], shown
    assert cell_name(scene.majority(1)[0]) in said[0].detail
    assert any(fault.where == scene.t1["item_id"] for fault in report.faults), shown


@pytest.mark.parametrize("place", [3, 4])
def test_a_region_bound(broken: Broken, place: int) -> None:
    scene = pick(broken)
    row = next(
        row
        for row in broken.rows(scene.file)
        if row["scene_id"] == scene.t1["scene_id"] and row["item_seed"] % 10 == place
    )
    key = next(key for key in ("r2", "c2") if row["region_params"][key] is not None)
    last = row["rows" if key == "r2" else "cols"]
    value = row["region_params"][key]
    changed = value + 1 if value < last else value - 1
    broken.edit_row(scene.file, row["item_id"], **{f"region_params__{key}": changed})
    check_named(broken.report(), "region", row["item_id"], "")


def test_the_split_of_a_row(broken: Broken) -> None:
    scene = pick(broken)
    other = "dev" if scene.t1["split"] == "test" else "test"
    broken.edit_row(scene.file, scene.t1["item_id"], split=other)
    check_named(broken.report(), "split", scene.t1["item_id"], f"split is {other!r}")


def test_the_split_of_a_scene(broken: Broken) -> None:
    """Its rows are moved to the other file: manifest, bridges and summary still know better."""
    scene = pick(broken)
    scene_id, other = scene.t1["scene_id"], "dev" if scene.t1["split"] == "test" else "test"
    rows = broken.rows(scene.file)
    moved = [{**row, "split": other} for row in rows if row["scene_id"] == scene_id]
    write_rows(broken.root / scene.file, [row for row in rows if row["scene_id"] != scene_id])
    target = f"metadata_{other}.jsonl"
    write_rows(broken.root / target, broken.rows(target) + moved)
    report = broken.report()
    shown = "\n".join(map(str, report.faults))
    kinds = {fault.kind for fault in report.faults}
    assert {"manifest", "summary"} <= kinds, shown
    assert any(scene.t1["image_id"] == fault.where for fault in report.faults), shown
    assert any(scene.t1["item_id"] in fault.where for fault in report.faults), shown


def test_a_duplicate_row(broken: Broken) -> None:
    scene = pick(broken)
    broken.edit(scene.file, lambda rows: rows.append(scene.t1))
    check_named(broken.report(), "duplicate", scene.t1["item_id"], "the same item_id stands at")


def test_a_duplicate_id(broken: Broken) -> None:
    scene = pick(broken)
    broken.edit_row(scene.file, scene.t4["item_id"], item_id=scene.t1["item_id"])
    report = broken.report()
    check_named(report, "duplicate", scene.t1["item_id"], "the same item_id stands at", 2)
    assert f"must be {scene.t4['item_id']!r}" in report.faults[-1].detail


@pytest.mark.parametrize("path", ["../outside.png", "images/../../outside.png", "/etc/hostname"])
def test_a_path_that_leaves_the_release(broken: Broken, path: str) -> None:
    scene = pick(broken)
    broken.edit_row(scene.file, scene.t1["item_id"], image=path)
    check_named(broken.report(), "schema", scene.t1["item_id"], "image")


def test_a_licence(broken: Broken) -> None:
    scene = pick(broken, "PixelContent")
    broken.edit_row(scene.file, scene.t1["item_id"], target_license="All rights reserved")
    check_named(broken.report(), "scene", scene.t1["item_id"], "target_license")


def test_a_licence_in_the_manifest(broken: Broken) -> None:
    image_id = pick(broken, "EmojiStyle").t1["image_id"]
    broken.edit_row("manifest.jsonl", image_id, background_license="All rights reserved")
    check_named(broken.report(), "manifest", image_id, "background_license")


@pytest.mark.parametrize("place", [1, 2, 3, 4, 5])
def test_a_prompt(broken: Broken, place: int) -> None:
    scene = pick(broken)
    row = next(
        row
        for row in broken.rows(scene.file)
        if row["scene_id"] == scene.t1["scene_id"] and row["item_seed"] % 10 == place
    )
    local = row["prompt_local"].replace("all cells", "cells").replace("Count the", "Count a")
    words = {"prompt_local": local, "prompt": f"{row['prompt_global']}\n{local}"}
    broken.edit_row(scene.file, row["item_id"], **words)
    check_named(broken.report(), "prompt", row["item_id"], "prompt_local")


@pytest.mark.parametrize("place", [4, 5])
def test_a_word_of_a_prompt(broken: Broken, place: int) -> None:
    scene = pick(broken)
    row = next(
        row
        for row in broken.rows(scene.file)
        if row["scene_id"] == scene.t1["scene_id"] and row["item_seed"] % 10 == place
    )
    word = "image" if place == 4 else "grid"
    local = row["prompt_local"].replace(f"the {word}", f"this {word}").replace("whole", "entire")
    words = {"prompt_local": local, "prompt": f"{row['prompt_global']}\n{local}"}
    broken.edit_row(scene.file, row["item_id"], **words)
    check_named(broken.report(), "prompt", row["item_id"], "where its wording has")


def test_a_prompt_that_is_not_its_parts(broken: Broken) -> None:
    scene = pick(broken)
    broken.edit_row(scene.file, scene.t1["item_id"], prompt=scene.t1["prompt"] + " Hurry.")
    check_named(broken.report(), "prompt", scene.t1["item_id"], "prompt is")


@pytest.mark.parametrize(
    ("folder", "column", "value", "kind"),
    [
        ("global_click", "answer", "DONE", "answer"),
        ("matched_local_count", "source_item_id", "CHITEM_999999", "bridge"),
        ("matched_local_count", "ground_truth_count", 99, "answer"),
        ("global_click", "cell_size", 20, "bridge"),
    ],
)
def test_a_bridge_row(broken: Broken, folder: str, column: str, value: object, kind: str) -> None:
    name = f"bridges/{folder}/metadata_test.jsonl"
    item_id = broken.rows(name)[1]["item_id"]
    broken.edit_row(name, item_id, **{column: value})
    check_named(broken.report(), kind, item_id, column)


def test_a_missing_bridge_row(broken: Broken) -> None:
    name = "bridges/global_click/metadata_dev.jsonl"
    item_id = broken.rows(name)[0]["item_id"]
    broken.edit(name, lambda rows: rows.pop(0))
    check_named(broken.report(), "bridge", item_id, "is missing", 2)


def test_a_difficulty(broken: Broken) -> None:
    scene = pick(broken)
    other = "hard" if scene.t1["difficulty"] == "medium" else "medium"
    broken.edit_row(scene.file, scene.t1["item_id"], difficulty=other)
    check_named(broken.report(), "field", scene.t1["item_id"], f"difficulty is {other!r}", 2)


# Records


def test_a_manifest_hash(broken: Broken) -> None:
    image_id = pick(broken).t1["image_id"]
    broken.edit_row("manifest.jsonl", image_id, pixel_sha256="0" * 64)
    check_named(broken.report(), "manifest", image_id, "pixel_sha256 is not that of the pixels")


def test_a_count(broken: Broken) -> None:
    broken.edit_summary(lambda summary: summary["counts"].update(images=51))
    check_named(broken.report(), "summary", "export_summary.json", "counts.images is 51")


def test_a_rule_of_difficulty(broken: Broken) -> None:
    broken.edit_summary(lambda summary: summary["difficulty_rule"].update(hard_at=1))
    check_named(broken.report(), "summary", "export_summary.json", "difficulty_rule gives")


def test_a_rejection(broken: Broken) -> None:
    reason = broken.rows("rejections.jsonl")[0]["reason"]
    broken.edit("rejections.jsonl", lambda rows: rows.pop(0))
    check_named(broken.report(), "summary", "export_summary.json", reason)


# Files


def test_a_missing_image(broken: Broken) -> None:
    image_id = pick(broken).t1["image_id"]
    broken.image(image_id).unlink()
    check_named(broken.report(), "image", image_id, "is missing")


@pytest.mark.parametrize(
    "name", ["export_summary.json", "manifest.jsonl", "rejections.jsonl", "README.md"]
)
def test_a_missing_file(broken: Broken, name: str) -> None:
    (broken.root / name).unlink()
    check_named(broken.report(), "layout", name, "is missing", 1)


@pytest.mark.parametrize(
    "name", ["notes.txt", "images/ROSE-PixelEdit/PEDITIMG_000099.png", "images/.DS_Store"]
)
def test_an_extra_file(broken: Broken, name: str) -> None:
    (broken.root / name).write_bytes(b"?")
    check_named(broken.report(), "layout", name, "is not part of a release")


@pytest.mark.parametrize("keep", [0, 20, 33, 0.5, -1])
def test_a_truncated_image(broken: Broken, keep: float) -> None:
    image_id = pick(broken).t1["image_id"]
    data = broken.image(image_id).read_bytes()
    length = int(len(data) * keep) if isinstance(keep, float) else keep % len(data)
    broken.image(image_id).write_bytes(data[:length])
    check_named(broken.report(), "image", image_id)


@pytest.mark.parametrize("place", [0.01, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("mend", [False, True], ids=["as it is", "with its checksum mended"])
def test_an_image_with_one_byte_flipped(broken: Broken, place: float, mend: bool) -> None:
    image_id = pick(broken).t1["image_id"]
    data = bytearray(broken.image(image_id).read_bytes())
    (length,) = struct.unpack_from(">I", data, 33)
    assert data[37:41] == b"IDAT"
    data[41 + int(place * length)] ^= 0x10
    if mend:
        struct.pack_into(">I", data, 41 + length, zlib.crc32(data[37 : 41 + length]))
    broken.image(image_id).write_bytes(data)
    report = broken.report()
    assert report.faults, "nothing was found"
    assert {fault.where for fault in report.faults} == {image_id}, report.faults


def test_an_image_that_is_a_link(broken: Broken, demo: Build) -> None:
    image_id = pick(broken).t1["image_id"]
    path = broken.image(image_id)
    path.unlink()
    path.symlink_to(demo.out / path.relative_to(broken.root))
    check_named(broken.report(), "image", image_id, "is a symbolic link")
