"""One thing is broken at a time: it must be named, and little else with it."""

from __future__ import annotations

import ast
import json
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import rosegen.verify
from rosegen.errors import RosegenError
from rosegen.verify import verify_release
from tests.verify.checking import check_only, verified
from tests.verify.release_maker import (
    Region,
    Release,
    default_specs,
    draw_cue,
    make_release,
    pixel_hash,
)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return make_release(tmp_path / "release")


def paint(path: Path, change: Callable[[np.ndarray], object]) -> np.ndarray:
    image = np.array(Image.open(path))
    change(image)
    Image.fromarray(image).save(path)
    return image


def test_a_sound_release_has_no_faults(release: Release) -> None:
    report = verified(release)
    assert report.faults == ()
    assert (report.scenes, report.images, report.items) == (6, 12, 42)
    assert json.loads(report.to_json())["ok"] is True


def test_a_sound_release_without_bridges_and_with_gaps(tmp_path: Path) -> None:
    release = make_release(tmp_path / "r", [default_specs()[0], default_specs()[2]], bridges=False)
    release.summary["complete"] = False
    release.write()
    assert verified(release).faults == ()
    release.summary["complete"] = True
    release.write()
    check_only(release, "summary", "export_summary.json", "not numbered 1 to 2")


def test_two_processes_report_the_same(release: Release) -> None:
    release.image("SQIMG_000001").unlink()
    ticks: list[tuple[int, int]] = []
    report = verify_release(release.root, workers=2, progress=lambda *done: ticks.append(done))
    assert report.faults == verified(release).faults
    assert ticks == sorted(ticks)
    assert ticks[-1] == (6, 6)


@pytest.mark.parametrize(
    ("item", "column", "value", "kind"),
    [
        ("SQITEM_000002", "answer", "COUNT(7)", "answer"),
        ("SQITEM_000003", "ground_truth_formal_answer", "CLICK(R4,C6); DONE", "answer"),
        ("SQITEM_000005", "ground_truth_clicks", ["R1,C1"], "answer"),
        ("SQITEM_000001", "ground_truth_count", 3, "answer"),
        ("SQITEM_000001", "all_target_cells", ["R4,C6", "R2,C3"], "answer"),
        ("SQITEM_000004", "region_target_cells", [], "answer"),
        ("SQITEM_000002", "region_target_count", 0, "answer"),
        ("SQITEM_000002", "global_target_count", 4, "answer"),
        ("SQITEM_000002", "num_out_region_targets", 4, "answer"),
        ("SQITEM_000002", "region_cell_count", 5, "region"),
        ("SQITEM_000002", "region_non_target_count", 5, "region"),
        ("SQITEM_000002", "region_ratio", 0.1, "region"),
        ("SQITEM_000002", "region_case", "zero", "region"),
        ("SQITEM_000002", "target_cells", [[4, 6], [2, 4]], "scene"),
        ("SQITEM_000002", "target_cells", [[4, 6], [999, 3]], "scene"),
        ("SQITEM_000002", "rows", 9, "scene"),
        ("SQITEM_000002", "pair_key", "other", "scene"),
        ("SQITEM_000002", "rose_subset", "ROSE-Marks", "scene"),
        ("SQITEM_000002", "prompt_global", "Be brief.\n", "scene"),
        ("SQITEM_000002", "split", "dev", "split"),
        ("SQITEM_000002", "item_seed", 13, "id"),
        ("SQITEM_000002", "scene_id", "SQSCENE_000002", "id"),
        ("SQITEM_000002", "image_id", "SQIMG_000002", "id"),
        ("SQITEM_000002", "image", "images/ROSE-Squares/SQIMG_000002.png", "path"),
        ("SQITEM_000002", "image_width", 10, "field"),
        ("SQITEM_000002", "task_mode", "CLICK", "field"),
        ("SQITEM_000003", "expected_output_format", "COUNT(n)", "field"),
        ("SQITEM_000003", "difficulty", "bridge", "field"),
        ("MLCNT_SQITEM_000003", "difficulty", "hard", "bridge"),
        ("SQITEM_000002", "prompt", "?", "prompt"),
        ("SQITEM_000002", "background_path", "art\\x.png", "schema"),
        ("SQITEM_000001__GCLK", "answer", "DONE", "answer"),
        ("SQITEM_000001__GCLK", "source_item_id", "SQITEM_000002", "bridge"),
        ("SQITEM_000001__GCLK", "cell_size", 20, "bridge"),
        ("MLCNT_SQITEM_000003", "ground_truth_count", 9, "answer"),
        ("MLCNT_SQITEM_000003", "split", "dev", "split"),
    ],
)
def test_a_wrong_value(release: Release, item: str, column: str, value: object, kind: str) -> None:
    row = release.row(item)
    assert row[column] != value
    row[column] = value
    release.write()
    # The summary counts an item's difficulty, and its bridge has the same.
    most = 3 if (item, column) == ("SQITEM_000003", "difficulty") else 1
    check_only(release, kind, item, column, most)


def test_a_wrong_region_bound_is_one_fault(release: Release) -> None:
    for item, key in (("SQITEM_000002", "r2"), ("SQITEM_000003", "c1"), ("SQITEM_000004", "c2")):
        row = release.row(item)
        kept = row["region_params"][key]
        row["region_params"][key] = kept - 1 if key != "c1" else kept - 2
        release.write()
        check_only(release, "region", item, "region_params say")
        row["region_params"][key] = kept
    release.row("SQITEM_000005")["region_params"]["exclude_params"]["r2"] = 7
    release.write()
    check_only(release, "region", "SQITEM_000005", "but the prompt")


@pytest.mark.parametrize(
    ("params", "detail"),
    [
        ({"r1": 0}, "less than 1"),
        ({"r1": 6}, "not on a 8 x 9 grid"),
        ({"c1": 1}, "must not have c1"),
        ({"r2": None}, "lacks r2"),
        ({"r2": 99}, "not on a 8 x 9 grid"),
        ({"r2": 5.0}, "not of type"),
        ({"exclude_type": "ROW_RANGE"}, "must not exclude"),
    ],
)
def test_impossible_bounds(release: Release, params: dict[str, object], detail: str) -> None:
    release.row("SQITEM_000002")["region_params"].update(params)
    release.write()
    first = verified(release).faults[0]
    assert "SQITEM_000002" in first.where
    assert detail in first.detail


def test_prompts_must_name_the_region(release: Release) -> None:
    def say(item: str, local: str) -> None:
        row = release.row(item)
        row["prompt_local"], row["prompt"] = local, row["prompt_global"] + "\n" + local
        release.write()

    for item, old, new in (
        ("SQITEM_000001", "whole grid", "grid"),
        ("SQITEM_000002", "rows 3 to 5", "rows 3 to 6"),
        ("SQITEM_000004", "the red box", "the red box in rows 2 to 5"),
        ("SQITEM_000004", "red box", "blue shaded area"),
        ("SQITEM_000005", "row 1 column 1", "row 1 column 2"),
        ("SQITEM_000005", "from row 1 column 1 to row 3 column 4", "1, 1, 3, 4"),
    ):
        kept = release.row(item)["prompt_local"]
        assert old in kept
        say(item, kept.replace(old, new))
        check_only(release, "prompt", item, "prompt_local")
        say(item, kept)
    assert verified(release).ok


def test_rows_missing_or_twice(release: Release) -> None:
    rows = release.metadata["test"]
    row = rows.pop(1)
    release.write()
    assert any(each.detail.startswith("has no T2_COUNT") for each in verified(release).faults)
    rows.insert(1, row)
    rows.insert(2, dict(row))
    release.write()
    report = verified(release)
    assert any(
        each.kind == "duplicate" and each.where == "SQITEM_000002 (metadata_test.jsonl:3)"
        for each in report.faults
    )
    rows.pop(2)
    rows[3] = {**rows[3], "item_id": "SQITEM_000011"}
    release.write()
    report = verified(release)
    assert {each.kind for each in report.faults} == {"duplicate", "id"}


def test_a_scene_across_the_split(release: Release) -> None:
    row = release.metadata["test"].pop(1)
    release.metadata["dev"].append({**row, "split": "dev"})
    release.write()
    report = verified(release)
    check_only(report, "split", "SQITEM_000002", "its scene is test")


def test_a_pair_on_both_sides(tmp_path: Path) -> None:
    specs = default_specs()
    specs[1].tone = specs[0].tone
    report = verified(make_release(tmp_path / "r", specs))
    assert {each.kind for each in report.faults} == {"split"}
    assert any("two tiles" in each.detail for each in report.faults)
    assert any("pair 'tone" in each.detail for each in report.faults)


def test_a_pair_in_reverse_on_both_sides(release: Release) -> None:
    key = release.row("SQITEM_000001")["pair_key"]
    for item in release.metadata["dev"] + [r for rows in release.bridges.values() for r in rows]:
        if item["scene_id"] == "SQSCENE_000002":
            item["pair_key"] = "__".join(reversed(key.split("__")))
    release.write()
    check_only(release, "split", "SQSCENE_000002", "and test in SQSCENE_000001")


def test_bridge_rows_missing_unknown_or_misplaced(release: Release) -> None:
    path = "bridges/matched_local_count/metadata_test.jsonl"
    row = release.bridges[path].pop(0)
    release.write()
    check_only(release, "bridge", row["item_id"], "is missing from", 2)
    release.bridges["bridges/global_click/metadata_test.jsonl"].append(row)
    release.write()
    report = verified(release)
    assert any("does not belong into" in each.detail for each in report.faults)
    assert len(report.faults) == 2
    release.bridges["bridges/global_click/metadata_test.jsonl"].pop()
    release.bridges[path].insert(0, {**row, "region_params": {**row["region_params"], "c2": 5}})
    release.write()
    check_only(release, "region", row["item_id"], "but the prompt")


# Images


def test_a_changed_block_in_a_cell(release: Release) -> None:
    path = release.image("SQIMG_000001")
    paint(path, lambda image: image[5 * 24 + 2 : 5 * 24 + 4, 24 + 2 : 24 + 4].fill(0))
    check_only(release, "pixels", "SQIMG_000001", "cell R6,C2 looks like neither")


def test_a_changed_exception(release: Release) -> None:
    path = release.image("SQIMG_000005")  # its scene has one exception, R8,C8
    paint(path, lambda image: image[-2:, -2:].fill(0))
    check_only(release, "pixels", "SQIMG_000005", "cell R8,C8")
    path = release.image("SQIMG_000001")
    paint(path, lambda image: image[3 * 24 : 3 * 24 + 2, 5 * 24 : 5 * 24 + 2].fill(0))
    check_only(release, "pixels", "SQIMG_000001", "cell R4,C6 looks like neither", 2)


def test_an_exception_moved_in_the_picture_and_its_hash(release: Release) -> None:
    spec = release.specs[0]
    spec.targets = [(4, 6), (2, 4)]
    image = spec.base()
    Image.fromarray(image).save(release.image("SQIMG_000001"))
    release.listed("SQIMG_000001")["pixel_sha256"] = pixel_hash(image)
    release.write()
    check_only(release, "pixels", "SQIMG_000001", "exceptions at cells R2,C4 R4,C6, the rows at")


def test_swapped_images(release: Release) -> None:
    one, other = release.image("SQIMG_000001"), release.image("MKIMG_000003")
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())  # of another size
    check_only(release, "pixels", "SQIMG_000001", "holds the picture of MKIMG_000003")
    one.write_bytes(kept)
    one, other = release.image("SQIMG_000005"), release.image("MKIMG_000001")
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())  # of the same size
    other.write_bytes(kept)
    report = verified(release)
    check_only(report, "pixels", "MKIMG_000001", "holds the picture of SQIMG_000005", 2)
    assert report.faults[1].where == "SQIMG_000005"


def test_plain_and_cued_image_swapped(release: Release) -> None:
    one, other = release.image("SQIMG_000001"), release.image("SQIMG_000002")
    kept = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(kept)
    check_only(release, "pixels", "SQIMG_000001", "holds the picture of SQIMG_000002", 2)


def test_image_files_missing_and_extra(release: Release) -> None:
    release.image("SQIMG_000001").rename(release.root / "images" / "spare.png")
    report = verified(release)
    assert {(f.kind, f.where) for f in report.faults} == {
        ("layout", "images/spare.png"),
        ("image", "SQIMG_000001"),
    }


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (lambda data: data[: len(data) // 2], "truncated"),
        (lambda data: data[:20], "truncated"),
        (lambda data: b"", "not a PNG"),
        (lambda data: data + b"trailing", "8 bytes after the end"),
        (lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:], "checksum"),
        (lambda data: b"GIF89a" + data, "not a PNG"),
        (lambda data: data[:16] + b"\0\xff\xff\xff\0\xff\xff\xff" + data[24:], "but must be"),
        (lambda data: data + b"\0" * 10**7, "more than the"),
    ],
)
def test_damaged_pngs(release: Release, change: Callable[[bytes], bytes], detail: str) -> None:
    path = release.image("SQIMG_000003")
    path.write_bytes(change(path.read_bytes()))
    check_only(release, "image", "SQIMG_000003", detail)


def test_a_palette_is_as_good_as_rgb_if_it_is_whole(release: Release) -> None:
    path = release.image("SQIMG_000001")
    with Image.open(path) as image:
        image.quantize(256, dither=Image.Dither.NONE).save(path, bits=8)
    sound = path.read_bytes()
    assert b"PLTE" in sound
    assert verified(release).ok
    for data, detail in (
        (sound.replace(b"PLTE", b"PLTX"), "a PNG chunk b'PLTX'"),
        (without_chunk(sound, b"PLTE"), "has no palette"),
        (after_chunk(sound, b"PLTE", b"tRNS", b"\0"), "a PNG chunk b'tRNS'"),
        (after_chunk(sound, b"PLTE", b"PLTE", bytes(768)), "has a palette that is none"),
        (after_chunk(sound, b"IDAT", b"PLTE", bytes(768)), "has a palette that is none"),
        (after_chunk(without_chunk(sound, b"PLTE"), b"IHDR", b"PLTE", bytes(4)), "palette that is"),
        (after_chunk(without_chunk(sound, b"PLTE"), b"IHDR", b"PLTE", bytes(3)), "palette has not"),
    ):
        path.write_bytes(data)
        found = verified(release).faults
        assert [each.kind for each in found] == ["image"], detail
        assert detail in found[0].detail


def chunks(data: bytes) -> list[bytes]:
    found, at = [], 8
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at : at + 4], "big")
        found.append(data[at:end])
        at = end
    return found


def without_chunk(data: bytes, kind: bytes) -> bytes:
    return data[:8] + b"".join(each for each in chunks(data) if each[4:8] != kind)


def after_chunk(data: bytes, kind: bytes, new: bytes, body: bytes) -> bytes:
    """The PNG with a chunk more, after the first of a kind."""
    parts = chunks(data)
    place = next(number for number, each in enumerate(parts) if each[4:8] == kind) + 1
    more = len(body).to_bytes(4, "big") + new + body
    more += zlib.crc32(new + body).to_bytes(4, "big")
    return data[:8] + b"".join([*parts[:place], more, *parts[place:]])


@pytest.mark.parametrize("mode", ["RGBA", "L", "1", "I;16"])
def test_other_kinds_of_png(release: Release, mode: str) -> None:
    path = release.image("SQIMG_000003")
    image = Image.open(path).copy()
    (image.convert("L").convert(mode) if mode == "I;16" else image.convert(mode)).save(path)
    check_only(release, "image", "SQIMG_000003", "not 8-bit RGB")


def test_transparency_and_gamma_are_refused(release: Release) -> None:
    path = release.image("SQIMG_000003")
    Image.open(path).save(path, transparency=(245, 245, 245))
    check_only(release, "image", "SQIMG_000003", "tRNS")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="this system has no symbolic links")
def test_symbolic_links_and_folders_in_place_of_files(release: Release, tmp_path: Path) -> None:
    path = release.image("SQIMG_000003")
    outside = tmp_path / "outside.png"
    path.rename(outside)
    path.symlink_to(outside)
    check_only(release, "image", "SQIMG_000003", "symbolic link")
    path.unlink()
    path.mkdir()
    check_only(release, "image", "SQIMG_000003", "not a regular file")
    path.rmdir()
    outside.rename(path)
    manifest = release.root / "manifest.jsonl"
    manifest.unlink()
    manifest.mkdir()
    check_only(release, "layout", "manifest.jsonl", "not a regular file")


# Cues


def test_a_cue_on_another_region(release: Release) -> None:
    spec = release.specs[0]
    image = draw_cue(spec.base(), spec.cue, Region("VISUAL_REGION", 2, 5, 3, 8), spec.cell)
    Image.fromarray(image).save(release.image("SQIMG_000002"))
    detail = "shows OUTLINE_BOX on rows 2-5, columns 3-8"
    check_only(release, "cue", "SQIMG_000002", detail)
    release.listed("SQIMG_000002")["pixel_sha256"] = pixel_hash(image)
    release.write()
    check_only(release, "cue", "SQIMG_000002", detail)


def test_a_cue_of_another_type(release: Release) -> None:
    spec = release.specs[0]
    region = spec.regions["T4_CLICK_VISUAL_REGION"]
    Image.fromarray(draw_cue(spec.base(), "MASK", region, spec.cell)).save(
        release.image("SQIMG_000002")
    )
    check_only(release, "cue", "SQIMG_000002", "shows MASK on rows 2-5, columns 3-7")


def test_a_cue_in_another_colour(release: Release) -> None:
    spec = release.specs[0]
    region = spec.regions["T4_CLICK_VISUAL_REGION"]
    image = draw_cue(spec.base(), spec.cue, region, spec.cell, outline=(0, 200, 0))
    Image.fromarray(image).save(release.image("SQIMG_000002"))
    check_only(release, "cue", "SQIMG_000002", "drawn in (0, 200, 0)")


@pytest.mark.parametrize(("key", "value"), [("outline_color", [0, 0, 0]), ("mask_alpha", 60)])
def test_a_wrong_look_in_the_summary_is_one_fault(
    release: Release, key: str, value: object
) -> None:
    release.summary["cues"]["ROSE-Squares" if "line" in key else "ROSE-Marks"][key] = value
    release.write()
    check_only(release, "summary", "export_summary.json", "looks so")


@pytest.mark.parametrize(("ground", "far"), [([200, 30, 40], "0.0"), ([206, 40, 46], "2.3")])
def test_a_cue_that_is_hardly_to_be_seen(release: Release, ground: list[int], far: str) -> None:
    release.summary["sources"]["ROSE-Squares"]["background"] = ground
    release.write()
    detail = f"OUTLINE_BOX is {far} from the background in CIELAB"
    check_only(release, "summary", "export_summary.json", detail)


def test_no_cue_at_all(release: Release) -> None:
    shutil.copy(release.image("SQIMG_000003"), release.image("SQIMG_000004"))
    report = verified(release)
    check_only(report, "pixels", "SQIMG_000004", "holds the picture of SQIMG_000003")
    base = release.listed("SQIMG_000003")["pixel_sha256"]
    release.listed("SQIMG_000004")["pixel_sha256"] = base
    release.write()
    check_only(release, "cue", "SQIMG_000004", "no cue is to be seen")


@pytest.mark.parametrize(
    ("image", "where"), [("SQIMG_000002", (0, 0)), ("SQIMG_000004", (100, 30))]
)
def test_a_change_beside_the_cue(release: Release, image: str, where: tuple[int, int]) -> None:
    y, x = where
    paint(release.image(image), lambda pixels: pixels[y : y + 2, x : x + 2].fill(9))
    cell = f"R{y // 24 + 1},C{x // 24 + 1}"
    check_only(release, "cue", image, f"cell {cell} differs from the plain image")


def test_a_change_under_the_cue(release: Release) -> None:
    paint(release.image("SQIMG_000004"), lambda pixels: pixels[30:32, 30:32].fill(9))
    check_only(release, "cue", "SQIMG_000004", "cell R2,C2")


def test_an_exception_hidden_by_the_cue(tmp_path: Path) -> None:
    spec = default_specs()[0]

    class Hidden(type(spec)):  # type: ignore[misc]
        def tiles(self) -> tuple[np.ndarray, np.ndarray]:
            tile, _ = super().tiles()
            odd = tile.copy()
            odd[0, 4:9] = 0  # on the cell's upper edge
            return tile, odd

    spec.__class__ = Hidden
    spec.regions["T4_CLICK_VISUAL_REGION"] = Region("VISUAL_REGION", 4, 6, 5, 7)
    report = verified(make_release(tmp_path / "r", [spec], bridges=False))
    check_only(report, "cue", "SQIMG_000002", "hides cell R4,C6")


# Manifest and summary


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("pixel_sha256", "f" * 64),
        ("background_sha256", "f" * 64),
        ("target_sha256", "f" * 64),
        ("width", 99),
        ("split", "dev"),
        ("scene_id", "SQSCENE_000002"),
        ("background_license", "MIT"),
        ("cue_type", "MASK"),
    ],
)
def test_a_wrong_manifest_value(release: Release, column: str, value: object) -> None:
    release.listed("SQIMG_000001")[column] = value
    release.write()
    check_only(release, "manifest", "SQIMG_000001", column)


def test_manifest_rows_missing_twice_unknown_or_out_of_order(release: Release) -> None:
    row = release.manifest.pop(0)
    release.write()
    check_only(release, "manifest", "SQIMG_000001", "is missing from manifest.jsonl")
    release.manifest.insert(1, row)
    release.write()
    check_only(release, "manifest", "SQIMG_000001", "order")
    release.manifest.insert(2, row)
    release.write()
    check_only(release, "duplicate", "SQIMG_000001", "twice")
    release.manifest[2] = {**row, "image_id": "SQIMG_000099"}
    release.write()
    check_only(release, "manifest", "SQIMG_000099", "no item shows this image")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("counts.items", 31),
        ("counts.bridge_items", 0),
        ("counts.subsets.ROSE-Marks.dev_scenes", 2),
        ("counts.subsets.ROSE-Marks.prefix", "MM"),
        ("quotas.ROSE-Squares.region_cases.T3_CLICK_LOCAL_NUMERIC.zero.reached", 9),
        ("quotas.ROSE-Squares.region_types.T5_CLICK_COUNT_EXCLUSION.RECTANGLE.reached", 9),
        ("quotas.ROSE-Squares.exceptions.1.reached", 0),
        ("quotas.ROSE-Squares.cue_types.MASK.reached", 2),
        ("quotas.ROSE-Squares.grid_profiles.small.reached", 7),
        ("similarity.ROSE-Marks.ssim.median", 0.5),
        ("similarity.ROSE-Marks.ssim.p25", 0.5),
        ("pools.ROSE-Marks.scenes", 4),
        ("pools.ROSE-Marks.used", 4),
        ("format", 2),
        ("complete", "yes"),
    ],
)
def test_a_wrong_summary_value(release: Release, path: str, value: object) -> None:
    *parents, last = path.split(".")
    record = release.summary
    for name in parents:
        record = record[name]
    record[last] = value
    release.write()
    kind = "schema" if path in ("format", "complete") else "summary"
    check_only(release, kind, "export_summary.json", last if kind == "schema" else path)


def test_a_wrong_seed_is_named_in_every_item(release: Release) -> None:
    release.summary["counts"]["subsets"]["ROSE-Marks"]["seed"] = 9
    release.write()
    assert {each.kind for each in verified(release).faults} == {"id"}


def test_an_unknown_pack_or_subset(release: Release) -> None:
    release.summary["packs"][0]["name"] = "circles"
    release.write()
    check_only(release, "summary", "export_summary.json", "packs has no 'squares'")
    release.summary["packs"][0]["name"] = "squares"
    release.summary["pools"]["ROSE-Other"] = release.summary["pools"].pop("ROSE-Marks")
    release.write()
    check_only(release, "summary", "export_summary.json", "pools has no ROSE-Marks", 2)


def test_licences_are_counted_by_image(release: Release) -> None:
    licenses = release.summary["licenses"]
    assert licenses == {"CC0-1.0": 12, "CC-BY-4.0": 6}
    licenses["CC-BY-4.0"] = 5
    release.write()
    check_only(release, "summary", "export_summary.json", "licenses.CC-BY-4.0 is 5, but the mani")
    del licenses["CC-BY-4.0"]
    release.write()
    check_only(release, "summary", "export_summary.json", "licenses.CC-BY-4.0 is 0, but the mani")
    licenses.update({"CC-BY-4.0": 6, "MIT": 2})
    release.write()
    check_only(release, "summary", "export_summary.json", "MIT is 2, but the manifest gives 0")


@pytest.mark.parametrize("em", [0.52, 0.72, "wide", None, True, -0.5, 0, 1e308, [], {}])
def test_font_sizes_follow_from_the_options(release: Release, em: object) -> None:
    """At 0.5 they are those of the rows: 12 px in a cell of 24, and 15 in one of 30."""
    release.summary["sources"]["ROSE-Marks"]["options"]["em"] = em
    release.summary["sources"]["ROSE-Squares"]["options"]["em"] = em  # which is not set in type
    release.write()
    report = verified(release)
    if em == 0.52:  # gives 12 and 15 as well
        assert report.ok
    else:
        path = "sources.ROSE-Marks.options.em"
        check_only(report, "summary", "export_summary.json", path)


def test_a_font_size_of_one_scene(release: Release) -> None:
    for row in [
        r for rows in (*release.metadata.values(), *release.bridges.values()) for r in rows
    ]:
        if row["scene_id"] == "MKSCENE_000002":
            row["font_size"] = 14
    release.write()
    check_only(release, "field", "MKSCENE_000002", "font_size is 14, but must be 15")


def test_tiles_without_the_lines_around_cells(release: Release) -> None:
    lines = release.summary["sources"]["ROSE-Marks"]["grid_lines"]
    for key, value, detail in (
        ("color", [120, 130, 141], "2 px in (120, 130, 141) at its top, bottom, left, right"),
        ("width", 3, "no line of 3 px in (120, 130, 140) at its top"),
    ):
        kept, lines[key] = lines[key], value
        release.write()
        found = check_only(release, "summary", "export_summary.json", detail)
        assert "sources.ROSE-Marks.grid_lines: no image of 3 looks so" in found.detail
        lines[key] = kept


def test_a_tile_with_a_line_on_three_sides(tmp_path: Path) -> None:
    specs = default_specs()

    class Open(type(specs[0])):  # type: ignore[misc]
        def tiles(self) -> tuple[np.ndarray, np.ndarray]:
            tile, odd = super().tiles()
            odd[5:9, -1] = 0
            return tile, odd

    specs[3].__class__ = Open
    report = verified(make_release(tmp_path / "r", specs))
    detail = "the tile of the exceptions has no line of 2 px in (120, 130, 140) at its right"
    check_only(report, "pixels", "MKIMG_000001", detail)


# Difficulty and refused pairs


def point(field: str, **test: object) -> dict[str, object]:
    blank = {"subset": None, "equals": None, "at_least": None, "at_most": None}
    return {"field": field, **blank, **test}


def test_a_difficulty_against_the_rule(release: Release) -> None:
    row = release.row("SQITEM_000002")
    row["difficulty"] = "hard" if row["difficulty"] == "medium" else "medium"
    release.write()
    check_only(release, "field", "SQITEM_000002", "by difficulty_rule", 2)


def test_the_rule_of_another_release(release: Release) -> None:
    release.summary["difficulty_rule"]["hard_at"] = 1
    release.write()
    check_only(release, "summary", "export_summary.json", "difficulty_rule gives")


def test_every_kind_of_point(release: Release) -> None:
    for each, hard in (
        (point("rows", equals=8), lambda row: row["rows"] == 8),
        (point("cell_size", at_least=30), lambda row: row["cell_size"] >= 30),
        (point("region_target_count", at_most=1), lambda row: row["region_target_count"] <= 1),
        (point("region_case", equals="all"), lambda row: row["region_case"] == "all"),
        (
            point("ssim", at_most=1, subset="ROSE-Marks"),
            lambda row: row["rose_subset"] == "ROSE-Marks",
        ),
        (point("font_size", at_least=15), lambda row: (row["font_size"] or 0) >= 15),
        (point("rose_subset", at_least=0), lambda row: False),
    ):
        release.summary["difficulty_rule"] = {"hard_at": 1, "points": [each]}
        tallies = {name: {"medium": 0, "hard": 0} for name in release.summary["difficulty"]}
        for row in release.metadata["dev"] + release.metadata["test"]:
            row["difficulty"] = "hard" if hard(row) else "medium"
            tallies[row["rose_subset"]][row["difficulty"]] += 1
            for bridge in (rows for name, rows in release.bridges.items() if "matched" in name):
                for other in bridge:
                    if other["source_item_id"] == row["item_id"]:
                        other["difficulty"] = row["difficulty"]
        release.summary["difficulty"] = tallies
        release.write()
        assert verified(release).faults == ()


@pytest.mark.parametrize(
    ("bad", "detail"),
    [
        (point("rows"), "must have one of equals, at_least, at_most, but has 0"),
        (point("rows", equals=1, at_most=2), "but has 2"),
        (point("weight", at_least=1), "'weight', which is no column"),
    ],
)
def test_a_rule_that_is_none(release: Release, bad: dict[str, object], detail: str) -> None:
    release.summary["difficulty_rule"]["points"].append(bad)
    release.write()
    check_only(release, "summary", "export_summary.json", detail)


def test_refused_pairs_are_counted(release: Release) -> None:
    row = release.rejections[0]
    release.rejections.append({**row, "reason": "too alike"})
    release.write()
    check_only(release, "summary", "export_summary.json", "too alike is 0, but rejections.jsonl")
    release.summary["rejections"]["ROSE-Squares"]["too alike"] = 1
    release.write()
    check_only(release, "summary", "export_summary.json", "pools.ROSE-Squares.rejected is 1")
    release.summary["pools"]["ROSE-Squares"]["rejected"] = 2
    release.write()
    assert verified(release).ok


def test_unfit_art_is_counted_apart_from_pairs(release: Release) -> None:
    unfit = next(row for row in release.rejections if row["pair_key"] is None)
    assert unfit["rose_subset"] == "ROSE-Squares"
    release.rejections.append({**unfit, "reason": "too unlike", "detail": None})
    release.write()
    check_only(release, "summary", "export_summary.json", "ROSE-Squares.too unlike is 1, but rej")
    release.summary["rejections"]["ROSE-Squares"]["too unlike"] = 2
    release.write()
    check_only(release, "summary", "export_summary.json", "unfit_tiles is 1, but rejections.json")
    release.summary["pools"]["ROSE-Squares"]["unfit_tiles"] = 2
    release.write()
    assert verified(release).ok


@pytest.mark.parametrize(
    ("column", "value", "detail"),
    [
        ("scene_id", "SQSCENE_000001", "scene_id is 'SQSCENE_000001' of art that is in no pair"),
        ("cell_size", 24, "cell_size is 24 of art that is in no pair"),
        ("group", "", "group is '' of art that is in no pair"),
        ("b", "x", "b is 'x' of art that is in no pair"),
        ("ssim", 0.5, "ssim is 0.5 of art that is in no pair"),
        ("pair_key", "a__b", "scene_id of a pair is null"),
    ],
)
def test_a_row_of_unfit_art_says_nothing_of_a_pair(
    release: Release, column: str, value: object, detail: str
) -> None:
    release.rejections[2][column] = value
    release.write()
    check_only(release, "rejection", "rejections.jsonl:3", detail)


@pytest.mark.parametrize(
    ("column", "value", "kind", "detail"),
    [
        ("rose_subset", "ROSE-Circles", "rejection", "no subset ROSE-Circles"),
        ("scene_id", "MKSCENE_000001", "rejection", "begin with SQ"),
        ("scene_id", "SQIMG_000001", "schema", "scene_id"),
        ("cell_size", None, "rejection", "cell_size of a pair is null"),
        ("cell_size", 3, "schema", "cell_size"),
        ("ssim", 1.5, "schema", "ssim"),
        ("reason", "", "schema", "reason"),
    ],
)
def test_a_wrong_refused_pair(
    release: Release, column: str, value: object, kind: str, detail: str
) -> None:
    release.rejections[0][column] = value
    release.write()
    check_only(release, kind, "rejections.jsonl:1", detail)


# What is told to people

TOLD = {
    "a pack under another licence": (
        "LICENSES.md", "| CC0-1.0 |", "| MIT |", "says 'MIT | ' of squares, the",
    ),
    "a pack that is not named": ("LICENSES.md", "| squares |", "| cubes |", "lacks squares"),
    "a licence that is not named": (
        "LICENSES.md", "Single pictures: CC", "Single pictures: BB", "does not name CC-BY-4.0",
    ),
    "no table of packs": ("LICENSES.md", "| Pack |", "| Box |", "has no table of packs"),
    "another number of scenes": (
        "README.md", "| `ROSE-Marks` | 3 |", "| `ROSE-Marks` | 4 |", "of ROSE-Marks, the",
    ),
    "a subset that is not there": (
        "README.md", "| `ROSE-Marks` |", "| `ROSE-Dots` |", "the table of scenes lacks ROSE-Marks",
    ),
    "another total": ("README.md", "| **Total** | 6", "| **Total** | 7", "of Total, the summary"),
    "no table of scenes": ("README.md", "| Subset |", "| Part |", "has no table of scenes"),
    "another licence of the art": (
        "README.md", "\n| CC0-1.0 |", "\n| MIT |", "the table of licences lacks CC0-1.0",
    ),
    "no head": ("README.md", "---\nconfigs", "configs", "does not begin with YAML"),
    "a head that is no YAML": ("README.md", "configs:", "configs: [", "its head is not valid YAML"),
    "a head without files": ("README.md", "configs:", "config:", "does not name the files"),
    "a head with another file": (
        "README.md", "path: metadata_dev.jsonl", "path: dev.jsonl", "names 'dev.jsonl', which",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_what_people_are_told_is_what_the_summary_says(release: Release, case: str) -> None:
    name, old, new, detail = TOLD[case]
    path = release.root / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    check_only(release, "text", name, detail, most=2)


def test_the_card_may_say_more(release: Release) -> None:
    path = release.root / "README.md"
    more = "\n| Model | PASS |\n|---|---|\n| mine | 99 |\n\nSee our paper.\n"
    path.write_bytes(path.read_bytes() + more.encode())
    assert verified(release).ok


# Files


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "LICENSES.md",
        "export_summary.json",
        "manifest.jsonl",
        "rejections.jsonl",
        "item.schema.json",
        "metadata_dev.jsonl",
        "bridges/global_click/metadata_dev.jsonl",
    ],
)
def test_a_missing_file(release: Release, name: str) -> None:
    (release.root / name).unlink()
    report = verified(release)
    assert ("layout", name) in [(each.kind, each.where) for each in report.faults]
    assert len(report.faults) <= 2, "\n".join(map(str, report.faults))


def test_extra_files_and_folders(release: Release) -> None:
    (release.root / "notes.txt").write_text("x")
    (release.root / "images" / "more").mkdir()
    (release.root / "bridges" / ".hidden").write_text("x")
    assert {(each.kind, each.where) for each in verified(release).faults} == {
        ("layout", "notes.txt"),
        ("layout", "images/more"),
        ("layout", "bridges/.hidden"),
    }


@pytest.mark.parametrize("name", ["metadata_test.jsonl", "manifest.jsonl", "rejections.jsonl"])
def test_marks_line_ends_and_last_lines(release: Release, name: str) -> None:
    path = release.root / name
    data = path.read_bytes()
    for broken, detail in (
        (b"\xef\xbb\xbf" + data, "byte order mark"),
        (data.replace(b"\n", b"\r\n"), "CR LF"),
        (data[:-1], "does not end with LF"),
    ):
        path.write_bytes(broken)
        check_only(release, "layout", name, detail)


@pytest.mark.parametrize(
    ("line", "detail"),
    [
        (b"", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"{", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'"\xff\xfe"', "not UTF-8"),
        (b"\x00", "not a JSON object"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", ""),
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"item_id": "\\ud800"}', ""),
    ],
)
def test_lines_that_are_no_rows(release: Release, line: bytes, detail: str) -> None:
    path = release.root / "metadata_test.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[3] = line
    path.write_bytes(b"\n".join(lines))
    report = verified(release)
    check_only(report, "schema", "metadata_test.jsonl:4", detail)
    report.to_json()
    str(report.faults[0]).encode()


@pytest.mark.parametrize(
    "value",
    [None, True, [], {}, "x", -1, 10**30, 1.5, [[1]], {"r1": 1}],
)
def test_values_of_a_wrong_type_are_schema_faults(release: Release, value: object) -> None:
    for column in ("rows", "item_id", "region_params", "target_cells", "prompt_local"):
        row = release.row("SQITEM_000002")
        kept = row[column]
        if type(value) is type(kept) and value:
            continue
        row[column] = value
        release.write()
        check_only(release, "schema", "metadata_test.jsonl:2", column)
        row[column] = kept


def test_columns_missing_unknown_or_out_of_order(release: Release) -> None:
    rows = release.metadata["test"]
    whole = rows[1]
    rows[1] = {k: v for k, v in whole.items() if k != "similarity"}
    release.write()
    check_only(release, "schema", "SQITEM_000002", "similarity is missing")
    rows[1] = {**whole, "extra": 1}
    release.write()
    check_only(release, "schema", "SQITEM_000002", "'extra'")
    rows[1] = dict(reversed(whole.items()))
    release.write()
    check_only(release, "schema", "metadata_test.jsonl:2", "order")


@pytest.mark.parametrize(
    "image", ["../secret.png", "/etc/passwd", "images/../../x.png", "images\\x.png"]
)
def test_paths_that_leave_the_release(release: Release, image: str) -> None:
    release.row("SQITEM_000002")["image"] = image
    release.write()
    check_only(release, "schema", "SQITEM_000002", "image")


def test_a_subset_name_that_leaves_the_release(release: Release) -> None:
    for row in release.metadata["test"]:
        row["rose_subset"] = ".."
    release.write()
    assert {each.kind for each in verified(release).faults} == {"schema"}


def test_huge_grids_are_refused_unseen(release: Release) -> None:
    for row in [*release.metadata["test"], *release.metadata["dev"]]:
        if row["scene_id"] == "SQSCENE_000001":
            row["cell_size"] = 4096
    release.write()
    report = verified(release)
    assert any("more than the" in each.detail for each in report.faults)


def test_what_is_no_release(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folders" / "metadata_dev.jsonl").mkdir(parents=True)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name in ("none", "file", "loop"):
        with pytest.raises(RosegenError, match="not a folder"):
            verify_release(tmp_path / name)
    for name in ("", "folders", "/"):
        with pytest.raises(RosegenError, match="not a release"):
            verify_release(tmp_path / name)
    with pytest.raises(RosegenError, match=r"cannot be read|not a folder"):
        verify_release("x" * 5000)


def test_what_may_not_be_read(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root may read everything, the refusal is made up."""
    kept = Path.open

    def refuse(path: Path, *mode: Any) -> Any:
        if path in (release.root / "metadata_dev.jsonl", release.image("SQIMG_000001")):
            raise PermissionError(13, "Permission denied", str(path))
        return kept(path, *mode)

    monkeypatch.setattr(Path, "open", refuse)
    faults = verified(release).faults
    assert {(each.where, each.detail) for each in faults} == {
        ("metadata_dev.jsonl", "cannot be read: Permission denied"),
        ("SQIMG_000001", "cannot be read: Permission denied"),
    }

    def refuse_all(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse_all)
    with pytest.raises(RosegenError, match="cannot be read: Permission denied"):
        verify_release(release.root)


def test_metadata_alone(release: Release, tmp_path: Path) -> None:
    for split in ("dev", "test"):
        shutil.copy(release.root / f"metadata_{split}.jsonl", tmp_path)
    shutil.rmtree(release.root)
    release.root.mkdir()
    for split in ("dev", "test"):
        shutil.move(tmp_path / f"metadata_{split}.jsonl", release.root)
    assert [(each.kind, each.where) for each in verified(release).faults] == [
        ("layout", "export_summary.json"),
        ("layout", "rejections.jsonl"),
        ("layout", "README.md"),
        ("layout", "LICENSES.md"),
        ("layout", "item.schema.json"),
        ("layout", "manifest.jsonl"),
        ("layout", "images/ROSE-Marks"),
        ("layout", "images/ROSE-Squares"),
    ]


def test_it_stands_on_its_own() -> None:
    """Of rosegen, the verifier may use errors, the process pool and the schema files."""
    package = Path(rosegen.verify.__file__).parent
    allowed = {"rosegen.data", "rosegen.errors", "rosegen.engine.local"}
    for path in package.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [each.name for each in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                own = not name.startswith("rosegen") or name.startswith("rosegen.verify")
                assert own or name in allowed, f"{path.name} imports {name}"


@pytest.mark.parametrize("column", ["source_pair", "source_group"])
def test_a_list_of_characters_where_there_are_none(release: Release, column: str) -> None:
    """An empty list is not null: a loader would see another type."""
    path = release.root / "metadata_test.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows[0][column] is None
    rows[0][column] = []
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    report = verified(release)
    assert not report.ok
    assert report.faults[0].where == rows[0]["item_id"]
    assert column in report.faults[0].detail
