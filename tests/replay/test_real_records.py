"""ROSE's own public records: all scenes come back, and become their rows again, field by field."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from rosegen.geometry import labels
from rosegen.replay import Recovered, RecoveredScene, derive_row, recover
from rosegen.scene import BRIDGE_TEMPLATES, T1, T1B, T2B, T3, T4, T5, TEMPLATES
from tests.replay.maker import (
    EVALUATOR_ROWS,
    GLOBAL_CLICK,
    LOCAL_COUNT,
    Row,
    needs_rose,
    rows_of,
    write,
)

pytestmark = needs_rose

FILES = {T1B: GLOBAL_CLICK, T2B: LOCAL_COUNT}
SIZES = {
    "ROSE-ChineseGlyph": 301,
    "ROSE-EmojiStyle": 221,
    "ROSE-EmojiContent": 221,
    "ROSE-PixelEdit": 221,
    "ROSE-PixelContent": 148,
}


@lru_cache(maxsize=4)
def found(*paths: Path) -> Recovered:
    return recover(paths)


def scenes_of(*paths: Path) -> dict[str, RecoveredScene]:
    return {scene.scene_id: scene for scene in found(*paths).scenes}


def pairs(template: str) -> Iterator[tuple[Row, RecoveredScene]]:
    """Every row of a bridge with its scene, recovered from both files."""
    scenes = scenes_of(GLOBAL_CLICK, LOCAL_COUNT)
    for row in rows_of(FILES[template]):
        yield row, scenes[row["scene_id"]]


@pytest.mark.parametrize("paths", [(GLOBAL_CLICK,), (LOCAL_COUNT,), (GLOBAL_CLICK, LOCAL_COUNT)])
def test_every_scene_is_recovered_and_nothing_contradicts_it(paths: tuple[Path, ...]) -> None:
    recovered = found(*paths)
    assert (recovered.faults, recovered.lost) == ((), ())
    counts = {name: sum(s.subset == name for s in recovered.scenes) for name in SIZES}
    assert counts == SIZES
    assert len(recovered.scenes) == 1112


@pytest.mark.parametrize("template", BRIDGE_TEMPLATES)
def test_every_row_comes_out_equal_in_every_field_and_in_its_order(template: str) -> None:
    equal = 0
    for row, scene in pairs(template):
        derived = derive_row(scene, template)
        assert derived == row
        # As text, too: 1 is not 1.0, and the keys stand where ROSE has them.
        assert json.dumps(derived) == json.dumps(row)
        equal += 1
    assert equal == 1112


def test_a_bridge_alone_gives_the_scenes_that_both_give() -> None:
    both = scenes_of(GLOBAL_CLICK, LOCAL_COUNT)
    for path, templates in ((GLOBAL_CLICK, {T1}), (LOCAL_COUNT, {T1, T3})):
        for name, scene in scenes_of(path).items():
            other = both[name]
            assert set(scene.contexts) == templates
            assert (scene.grid, scene.exceptions, scene.seed) == (
                other.grid,
                other.exceptions,
                other.seed,
            )
            assert scene.columns == other.columns
            assert all(other.contexts[t] == scene.contexts[t] for t in templates)


def test_the_main_rows_a_bridge_asks_again_are_known_but_for_what_is_not_public() -> None:
    for row, scene in pairs(T2B):
        click = derive_row(scene, T3)
        same = set(click) - {
            *("item_id", "task_template", "task_mode", "prompt_local", "prompt", "answer"),
            *("expected_output_format", "ground_truth_formal_answer"),
        }
        assert {key: click[key] for key in same} == {key: row[key] for key in same}
        assert click["item_id"] == row["source_item_id"]
        assert click["task_mode"] == row["source_task_mode"]
        assert not [key for key in click if "bridge" in key or "source_item" in key]
    for row, scene in pairs(T1B):
        count = derive_row(scene, T1)
        assert count["answer"] == f"COUNT({len(row['target_cells'])})"
        assert count["protocol_version"] == "v0.3"
        assert derive_row(scene, T4)["region_params"] is None


def test_asset_paths_are_paths_though_they_are_written_with_backslashes() -> None:
    seen = 0
    for row, scene in pairs(T1B):
        if "background_path" in row:
            assert scene.columns["background_path"] == row["background_path"]
            path = scene.path("background_path")
            assert path is not None
            assert "\\".join(path.parts) == row["background_path"]
            seen += 1
        else:
            assert scene.path("background_path") is None
    assert seen == 442


def test_published_cases_are_kept_fallbacks_and_all(tmp_path: Path) -> None:
    fallbacks = 0
    for row, scene in pairs(T2B):
        assert scene.contexts[T3].case == row["region_case"]
        fallbacks += row["region_case"].startswith("fallback_")
    assert fallbacks == 309


def test_either_slash_and_either_order_of_files_give_the_same_scenes(tmp_path: Path) -> None:
    slashed = rows_of(GLOBAL_CLICK)
    for row in slashed:
        for key in ("background_path", "target_path"):
            if key in row:
                row[key] = row[key].replace("\\", "/")
        row["image"] = row["image"].replace("/", "\\")
    recovered = recover([LOCAL_COUNT, write(tmp_path / "slashed.jsonl", slashed)])
    assert recovered.faults == ()
    both = scenes_of(GLOBAL_CLICK, LOCAL_COUNT)
    assert {scene.scene_id: scene for scene in recovered.scenes} == both


def test_half_made_rows_still_give_their_scenes_and_every_answer() -> None:
    """The evaluator's rows: scenes and answers are sound, wording and seeds are T1B's."""
    if not EVALUATOR_ROWS.is_file():
        pytest.skip(f"the evaluator's rows are not at {EVALUATOR_ROWS}")
    recovered = found(EVALUATOR_ROWS)
    scenes = scenes_of(EVALUATOR_ROWS)
    assert (len(recovered.scenes), recovered.lost) == (200, ())
    rows = rows_of(EVALUATOR_ROWS)
    assert {row["task_template"] for row in rows} == set(TEMPLATES)
    for row in rows:
        scene, template = scenes[row["scene_id"]], row["task_template"]
        derived = derive_row(scene, template)
        for key in ("ground_truth_formal_answer", "region_params", "region_target_cells"):
            assert derived[key] == row[key]
        context = scene.contexts[template]
        assert labels(filter(context.holds, scene.exceptions)) == row["ground_truth_clicks"]
        assert context.excluded == (template == T5)
    named = {fault.field for fault in recovered.faults}
    assert {"prompt_local", "item_seed", "region_ratio", "image_id"} <= named
    assert not {"answer", "ground_truth_clicks", "rows", "target_cells"} & named
