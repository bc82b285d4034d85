"""Rows: every column of every real row, with its type, and nothing left to guess."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rosegen.data import schemas_dir
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.plan import plan_subset
from rosegen.release.rows import (
    SOURCE_COLUMNS_AFTER_PAIR,
    SOURCE_COLUMNS_BEFORE_PAIR,
    SceneIds,
    bridge_row,
    image_path,
    make_row,
)
from rosegen.scene import T1B, T4, T5, Scene, Tile
from rosegen.sources.base import Candidate, SourceConfig
from rosegen.sources.registry import open_source
from rosegen.tasks import make_bridges, make_items
from rosegen.verify.layout import image_file
from tests.core_maker import REFERENCE, emoji_characters, pair, scene_of

SCHEMA = json.loads((schemas_dir() / "item.schema.json").read_text(encoding="utf-8"))
OWN_COLUMNS = (
    "font_size",
    *SOURCE_COLUMNS_BEFORE_PAIR,
    *SOURCE_COLUMNS_AFTER_PAIR,
    "asset_resize_mode",
)
PIPELINE = load_pipeline("rose-v0.1")
SUBSETS = [subset.name for subset in PIPELINE.subsets]
RECIPES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ROSE-ChineseGlyph": ({"face": "F", "text": "未"}, {"face": "F", "text": "末"}),
    "ROSE-EmojiStyle": ({"key": "2764", "provider": "x"}, {"key": "2764", "provider": "y"}),
    "ROSE-EmojiContent": ({"key": "2764", "provider": "x"}, {"key": "1f44d", "provider": "x"}),
    "ROSE-PixelEdit": ({"sprite": "s"}, {"sprite": "s", "operation": "add", "take": 0}),
    "ROSE-PixelContent": ({"sprite": "s"}, {"sprite": "t"}),
}


@lru_cache(maxsize=8)
def subset_of(name: str) -> Subset:
    return next(subset for subset in PIPELINE.subsets if subset.name == name)


@pytest.fixture(params=SUBSETS)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Scene:
    """A scene of each of the five subsets, with the columns its own source fills."""
    subset = subset_of(request.param)
    packs = {"characters": emoji_characters(tmp_path)}
    compare = {k: v for k, v in subset.options.items() if k == "compare"}
    config = SourceConfig(subset.kind, compare, packs, tmp_path, subset.background, subset.ink)
    a, b = (Tile(f"art/{n}", "p", "CC0-1.0", r) for n, r in enumerate(RECIPES[subset.name]))
    plan = plan_subset(subset)[0]
    candidate = Candidate("a__b", "face", a, b, ("a",))
    fields = open_source(config).fields(candidate, True, plan.grid.cell_size)
    return scene_of(subset, replace(plan, split="test"), pair(fields=fields))


def rows_of(scene: Scene, pipeline: Pipeline = PIPELINE) -> list[dict[str, Any]]:
    """The five items and the two bridge items of a scene, in this order."""
    subset = subset_of(scene.subset)
    style = subset.cue_style
    items = [make_row(pipeline, subset, scene, i) for i in make_items(scene, subset.wording, style)]
    bridges = [
        bridge_row(pipeline, subset, scene, i) for i in make_bridges(scene, subset.wording, style)
    ]
    return items + bridges


def real_rows(subset: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every real row of a subset, with the place of its like in ``rows_of``."""
    for place, bridge in ((5, "global_click"), (6, "matched_local_count")):
        path = REFERENCE / "rose_v0.1" / f"{bridge}.metadata_test.jsonl.gz"
        if not path.is_file():
            pytest.skip(f"ROSE's public rows are not at {path}")
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["rose_subset"] == subset:
                    yield place, row


def test_rows_are_what_their_schema_says_in_its_order(scene: Scene) -> None:
    validator = Draft202012Validator(SCHEMA)
    for row in rows_of(scene):
        assert [error.message for error in validator.iter_errors(row)] == []
        assert list(row) == list(SCHEMA["properties"])
        assert json.loads(json.dumps(row)) == row


def test_every_column_of_the_real_rows_is_there_with_its_type(scene: Scene) -> None:
    ours = rows_of(scene)
    seen: set[str] = set()
    for place, real in real_rows(scene.subset):
        row = ours[place]
        for column, value in real.items():
            assert type(row[column]) is type(value), column
            if isinstance(value, list) and value and row[column]:
                assert type(row[column][0]) is type(value[0]), column
            if isinstance(value, dict):
                assert set(value) <= set(row[column])
        seen |= set(real)
    for column in OWN_COLUMNS:
        # ROSE's rows of the pixel subsets and of emoji have no more of these than ours.
        assert (ours[5][column] is not None) == (column in seen), column


def test_constants_and_derived_fields_are_roses(scene: Scene) -> None:
    ours = rows_of(scene)
    same = [
        *("primitive_type", "task_template", "task_mode", "reference_source"),
        *("selection_predicate", "target_rule", "prompt_global", "expected_output_format"),
        *("rose_subset", "image_cue_type", "image_region_type", "image_note", "cue_type"),
        *("bridge_task", "source_task_template"),
    ]
    for place, real in real_rows(scene.subset):
        assert {k: ours[place][k] for k in same} == {k: real[k] for k in same}
        assert real.get("bridge_type") == ours[place]["bridge_type"]
        assert real.get("source_task_mode") == ours[place]["source_task_mode"]


def test_ids_and_seeds_are_numbered_as_roses(scene: Scene) -> None:
    for place, real in real_rows(scene.subset):
        number = int(real["scene_id"].split("_")[1])
        row = rows_of(replace(scene, number=number))[place]
        for column in ("item_id", "scene_id", "image_id", "image", "item_seed", "source_item_id"):
            assert row[column] == real[column]
        if place == 6:
            assert row["source_click_item_id"] == real["source_click_item_id"]
        if number > 40:
            return


def test_ids_of_a_scene() -> None:
    ids = SceneIds("CH", 2)
    assert (ids.scene, ids.plain_image, ids.cued_image) == (
        "CHSCENE_000002",
        "CHIMG_000003",
        "CHIMG_000004",
    )
    assert ids.item("T1_COUNT_GLOBAL") == "CHITEM_000006"
    assert ids.item(T5) == "CHITEM_000010"


def test_the_marked_image_goes_with_t4_alone(scene: Scene) -> None:
    for row in rows_of(scene):
        cued = row["task_template"] == T4
        assert (row["image_id"][-1] == "2") == cued
        assert (row["cue_type"] == row["image_cue_type"] == scene.cue) == cued
        assert (row["image_region_params"]["r1"] is not None) == cued
        if cued:
            box = scene.contexts[T4].region.box
            assert row["image_region_params"] == box._asdict()
            assert {k: row["region_params"][k] for k in box._fields} == box._asdict()


def test_t5_counts_what_lies_outside(scene: Scene) -> None:
    row = rows_of(scene)[4]
    box = scene.contexts[T5].region.box
    outside = [c for c in scene.exceptions if not box.holds(c)]
    params = row["region_params"]
    assert row["region_type"] == "EXCLUSION"
    assert params["exclude_type"] == scene.contexts[T5].region.type.value
    assert [params[key] for key in ("r1", "r2", "c1", "c2")] == [None] * 4
    assert row["region_cell_count"] == row["rows"] * row["cols"] - box.size
    assert row["ground_truth_count"] == len(outside)
    assert row["num_out_region_targets"] == len(scene.exceptions) - len(outside)


def test_difficulty_is_the_pipelines_rule(scene: Scene) -> None:
    for row in rows_of(scene):
        if row["task_template"] == T1B:
            assert row["difficulty"] == "bridge"
            continue
        points = (row["grid_size_profile"] == "large") + (row["global_target_count"] >= 4)
        points += (row["region_target_count"] == 0) + (row["rose_subset"] == "ROSE-PixelEdit")
        points += row["rose_subset"] == "ROSE-EmojiContent" and row["similarity"] >= 0.95
        assert row["difficulty"] == ("hard" if points >= 2 else "medium")


def test_difficulty_fits_every_real_t3(scene: Scene) -> None:
    """The rule of the shipped pipeline is the one ROSE's own rows follow."""
    for place, real in real_rows(scene.subset):
        if place == 6:
            assert PIPELINE.difficulty.of({"similarity": 0.0, **real}) == real["difficulty"]


def test_no_folder_holds_more_than_ten_thousand_images() -> None:
    per_folder = Counter(
        image_path("S", SceneIds("S", number).plain_image).rpartition("/")[0]
        for number in range(1, 12_001)
    )
    assert per_folder == {"images/S": 5000, "images/S/0001": 5000, "images/S/0002": 2000}
    assert image_path("S", "SIMG_010000") == "images/S/SIMG_010000.png"
    assert image_path("S", "SIMG_010001") == "images/S/0001/SIMG_010001.png"
    for number in (1, 5000, 5001, 10_000, 123_456, 9_999_999):
        for image_id in (SceneIds("S", number).plain_image, SceneIds("S", number).cued_image):
            assert image_file("S", image_id) == image_path("S", image_id)
