"""Our own rows go the whole way round: all seven templates become scenes, and rows again."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from rosegen.build import Build
from rosegen.replay import Recovered, derive_row, recover
from rosegen.row_files import read_rows
from rosegen.scene import T1, T3, T4, T5, TEMPLATES
from tests.replay.maker import Row, made_rows, made_scenes, without_nulls, write


def assert_round(rows: list[Row], recovered: Recovered) -> None:
    """Every row comes out as ROSE would have written it, keys of its own included."""
    assert (recovered.faults, recovered.lost) == ((), ())
    scenes = {scene.scene_id: scene for scene in recovered.scenes}
    for row in rows:
        published = without_nulls(row)
        if not row["bridge_task"]:
            del published["bridge_task"]
        derived = derive_row(scenes[row["scene_id"]], row["task_template"])
        assert derived == published
        assert None not in derived.values()


def test_the_demo_release_is_its_scenes_again(demo: Build) -> None:
    files = [
        *sorted(demo.out.glob("metadata_*.jsonl")),
        *sorted(demo.out.glob("bridges/*/*.jsonl")),
    ]
    rows = [row for path in files for _, row in read_rows(path)]
    recovered = recover(files)
    assert (len(rows), len(recovered.scenes)) == (175, 25)
    assert_round(rows, recovered)
    assert {scene.split for scene in recovered.scenes} == {"dev", "test"}


def test_made_scenes_come_back_as_they_were_made(tmp_path: Path) -> None:
    rows = made_rows()
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert_round(rows, recovered)
    for (_, made), scene in zip(made_scenes(), recovered.scenes):
        assert (scene.subset, scene.number, scene.grid) == (made.subset, made.number, made.grid)
        assert (scene.exceptions, scene.cue) == (made.exceptions, made.cue)
        assert scene.contexts == dict(made.contexts)


def test_parquet_gives_the_same_scenes_as_json(tmp_path: Path) -> None:
    rows = made_rows()
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet")
    recovered = recover([tmp_path / "rows.parquet"])
    assert_round(rows, recovered)
    plain = recover([write(tmp_path / "rows.jsonl", rows)])
    assert recovered.scenes == plain.scenes


def test_null_and_absent_are_the_same(tmp_path: Path) -> None:
    full = recover([write(tmp_path / "full.jsonl", made_rows())])
    bare = recover([write(tmp_path / "bare.jsonl", map(without_nulls, made_rows()))])
    nan = [
        {key: float("nan") if value is None else value for key, value in row.items()}
        for row in made_rows()
    ]
    assert full == bare
    assert recover([write(tmp_path / "nan.jsonl", nan)]) == full


def test_t5_is_read_by_either_of_its_names(tmp_path: Path) -> None:
    rows = made_rows()
    for row in rows:
        if row["task_template"] == T5:
            row["task_template"] = "T5_CLICK_EXCLUSION_SUBMIT"
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert recovered == recover([write(tmp_path / "own.jsonl", made_rows())])
    assert derive_row(recovered.scenes[0], T5)["task_template"] == T5


def test_whole_numbers_may_be_written_as_a_data_frame_writes_them(tmp_path: Path) -> None:
    rows = made_rows()
    for row in rows:
        for key in ("rows", "cell_size", "ground_truth_count", "item_seed", "font_size"):
            row[key] = None if row[key] is None else float(row[key])
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert recovered == recover([write(tmp_path / "own.jsonl", made_rows())])
    assert all(type(scene.grid.rows) is int for scene in recovered.scenes)


@pytest.mark.parametrize("template", TEMPLATES)
def test_one_main_row_gives_its_scene_and_its_own_task(template: str, tmp_path: Path) -> None:
    rows = [row for row in made_rows() if row["task_template"] == template]
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert_round(rows, recovered)
    assert {*recovered.scenes[0].contexts} == {T1, template}


def test_what_nobody_says_is_null_and_not_made_up(tmp_path: Path) -> None:
    rows = [row for row in made_rows() if row["task_template"] == T1]
    scene = recover([write(tmp_path / "rows.jsonl", rows)]).scenes[0]
    click = derive_row(scene, T3)
    assert (click["region_params"], click["answer"], click["difficulty"]) == (None, None, None)
    assert click["all_target_cells"] == rows[0]["all_target_cells"]
    marked = derive_row(scene, T4)
    assert (marked["cue_type"], marked["prompt_local"]) == (None, None)
    assert marked["image_id"].endswith("000002")


def test_a_subset_that_is_not_roses_keeps_all_its_columns(tmp_path: Path) -> None:
    rows = made_rows()
    text = json.dumps(rows).replace("ROSE-PixelContent", "Sprites")
    text = text.replace('"PIXEL_CONTENT"', '"SPRITE"')
    rows = json.loads(text)
    for row in rows:
        row["palette"] = ["teal", 3]
    recovered = recover([write(tmp_path / "rows.jsonl", rows)])
    assert_round(rows, recovered)
    assert {scene.columns["palette"][1] for scene in recovered.scenes} == {3}
    assert recovered.scenes[-1].primitive_type == "SPRITE"
