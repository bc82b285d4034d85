"""Broken records: each fault is named where it is, and whatever is sound is still recovered."""

from __future__ import annotations

import copy
import gzip
import itertools
import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.replay import Recovered, derive_row, recover
from rosegen.scene import T1B, T2B, T3
from tests.core_maker import LAW
from tests.replay.maker import (
    ROSE,
    Row,
    made_bridges,
    made_rows,
    real_bridges,
    without_nulls,
    write,
)

CLICK, COUNT = 0, 1  # the two rows of the first scene


@pytest.fixture(params=["made", "real"])
def rows(request: pytest.FixtureRequest) -> list[Row]:
    """Two bridge rows of each of a few scenes: T1B, T2B, T1B, T2B and so on."""
    if request.param == "real" and not ROSE.is_dir():
        pytest.skip(f"ROSE's public rows are not at {ROSE}")
    return real_bridges() if request.param == "real" else made_bridges()


def recovered_from(rows: list[Row]) -> Recovered:
    with tempfile.TemporaryDirectory() as folder:
        return recover([write(Path(folder) / "rows.jsonl", rows)])


def named(recovered: Recovered) -> set[tuple[int, str]]:
    """Place of the row, from 0, and field of every fault."""
    return {(int(f.where.rsplit(":", 1)[1]) - 1, f.field) for f in recovered.faults}


def put(key: str, value: Any) -> Callable[[Row], None]:
    return lambda row: row.update({key: value})


def drop(key: str) -> Callable[[Row], None]:
    return lambda row: row.pop(key) and None


def more(key: str, by: int = 1) -> Callable[[Row], None]:
    return lambda row: row.update({key: row[key] + by})


def off_grid(row: Row) -> None:
    row["target_cells"][0] = [row["rows"] + 1, 1]


def doubled(row: Row) -> None:
    row["target_cells"].append(row["target_cells"][0])


def unsorted(row: Row) -> None:
    row["all_target_cells"] = [*row["all_target_cells"], "R1,C1"][::-1]


def of_another_scene(key: str) -> Callable[[Row], None]:
    return lambda row: row.update({key: row[key].replace("00000", "00007")})


# Which row, what is done to it, and the fields that must be named: those and no others.
ONE_FIELD: dict[str, tuple[int, Callable[[Row], None], set[str]]] = {
    "a missing field": (COUNT, drop("region_ratio"), {"region_ratio"}),
    "a null field": (COUNT, put("ground_truth_clicks", None), {"ground_truth_clicks"}),
    "a missing grid": (CLICK, drop("rows"), {"rows"}),
    "no exceptions": (CLICK, drop("target_cells"), {"target_cells"}),
    "a wrong count": (COUNT, more("ground_truth_count"), {"ground_truth_count"}),
    "a wrong total": (CLICK, more("global_target_count"), {"global_target_count"}),
    "a wrong count of cells": (COUNT, more("region_cell_count", -1), {"region_cell_count"}),
    "a ratio of more places": (COUNT, more("region_ratio", 1), {"region_ratio"}),
    "a cell off the grid": (CLICK, off_grid, {"target_cells"}),
    "a cell twice": (COUNT, doubled, {"target_cells"}),
    "labels out of order": (CLICK, unsorted, {"all_target_cells"}),
    "another answer": (CLICK, put("answer", "DONE"), {"answer"}),
    "another question": (COUNT, put("prompt_local", "How many?"), {"prompt_local"}),
    "other rules": (CLICK, put("prompt_global", "Rules"), {"prompt_global"}),
    "a mode that is not the task's": (CLICK, put("task_mode", "COUNT"), {"task_mode"}),
    "a wider image": (CLICK, more("image_width"), {"image_width"}),
    "text for a number": (COUNT, put("cell_size", "54"), {"cell_size"}),
    "a number for a list": (CLICK, put("all_target_cells", 7), {"all_target_cells"}),
    "an item id that does not fit": (CLICK, of_another_scene("item_id"), {"item_id"}),
    "a scene id that does not fit": (CLICK, of_another_scene("scene_id"), {"scene_id"}),
    "another scene's picture": (COUNT, of_another_scene("image"), {"image"}),
    "a seed that does not fit": (COUNT, more("item_seed", 20), {"item_seed"}),
    "a template nobody knows": (CLICK, put("task_template", "T9"), {"task_template"}),
    "a case that is not so": (COUNT, put("region_case", "most"), {"region_case"}),
    "a source that does not fit": (COUNT, put("source_item_id", "CHITEM_1"), {"source_item_id"}),
    "a bridge that is none": (CLICK, put("bridge_task", False), {"bridge_task"}),
    "a level that is none": (COUNT, put("difficulty", "bridge"), {"difficulty"}),
    "a missing source": (COUNT, drop("pair_key"), {"pair_key"}),
    "a cue where there is none": (CLICK, put("cue_type", "MASK"), {"cue_type"}),
    "one for true": (COUNT, put("bridge_task", 1), {"bridge_task"}),
    "too deep a nest": (CLICK, put("source_item_id", [[[[[[[[[[0]]]]]]]]]]), {"source_item_id"}),
}


@pytest.mark.parametrize("kind", ONE_FIELD)
def test_one_broken_field_is_named_alone_and_its_scene_recovered(
    kind: str, rows: list[Row]
) -> None:
    sound = recovered_from(rows)
    place, mutilate, fields = ONE_FIELD[kind]
    mutilate(rows[place])
    recovered = recovered_from(rows)
    assert named(recovered) == {(place, field) for field in fields}
    assert recovered.lost == ()
    if "level" in kind:  # a release of rosegen's may have any rule, so that its own row is heard
        level = derive_row(sound.scenes[0], T2B)["difficulty"]
        assert derive_row(recovered.scenes[0], T2B)["difficulty"] in (level, None)
    else:
        assert recovered.scenes == sound.scenes
    for fault in recovered.faults:
        assert str(fault).isprintable()
        assert f"rows.jsonl:{place + 1}: " in str(fault)
        assert fault.item_id == rows[place]["item_id"]


def test_any_field_that_is_missing_is_named() -> None:
    row = made_bridges()[COUNT]
    for field in row:
        if row[field] is None or field in ("dataset_version", "protocol_version"):
            continue
        rows = made_bridges()
        del rows[COUNT][field]
        recovered = recovered_from(rows)
        assert named(recovered) == {(COUNT, field)}


def test_a_region_off_the_grid_is_one_fault_and_the_rest_of_the_row_is_compared(
    rows: list[Row],
) -> None:
    sound = recovered_from(rows)
    rows[COUNT]["region_type"] = "RECTANGLE"
    rows[COUNT]["region_params"] = {"r1": 1, "r2": 2, "c1": 3, "c2": rows[COUNT]["cols"] + 1}
    rows[COUNT]["image_height"] += 1
    recovered = recovered_from(rows)
    assert named(recovered) == {(COUNT, "region_params"), (COUNT, "image_height")}
    scene = recovered.scenes[0]
    assert scene.context(T2B) is None
    assert scene.context(T1B) == sound.scenes[0].context(T1B)
    assert recovered.scenes[1:] == sound.scenes[1:]


def test_a_broken_region_is_mended_from_the_row_that_asks_about_it_again(rows: list[Row]) -> None:
    sound = recovered_from(rows)
    rows.append(derive_row(sound.scenes[0], T3))
    rows[COUNT]["region_params"] = {}
    recovered = recovered_from(rows)
    assert named(recovered) == {(COUNT, "region_params")}
    assert recovered.scenes[0].contexts == sound.scenes[0].contexts
    assert recovered.faults[0].says == "{}"


def test_of_two_regions_the_one_that_fits_more_fields_is_taken() -> None:
    rows = made_rows()
    sound = recovered_from(rows)
    place = next(i for i, row in enumerate(rows) if row["task_template"] == T3)
    scene = sound.scenes[0]
    params = rows[place]["region_params"]
    bounds = {"r1": 1, "r2": scene.grid.rows, "c1": 1, "c2": scene.grid.cols}
    rows[place]["region_params"] = {**params, **bounds}
    rows[place]["region_type"] = "RECTANGLE"
    recovered = recovered_from(rows)
    assert recovered.scenes[0].contexts == scene.contexts
    assert {fault.item_id for fault in recovered.faults} == {rows[place]["item_id"]}


def test_two_rows_of_one_item_are_named_and_the_first_is_heard(rows: list[Row]) -> None:
    sound = recovered_from(rows)
    rows.append({**rows[CLICK], "rows": 99})
    recovered = recovered_from(rows)
    assert named(recovered) == {(len(rows) - 1, "item_id")}
    assert "rows.jsonl:1" in recovered.faults[0].should
    assert recovered.scenes == sound.scenes


def taller(row: Row) -> None:
    """Another grid, said so that nothing in the row contradicts it but the count of cells."""
    row["rows"] += 1
    row["image_height"] += row["cell_size"]


@pytest.mark.parametrize("place", [CLICK, COUNT])
def test_of_two_grids_the_one_whose_row_is_sound_otherwise_is_taken(
    place: int, rows: list[Row]
) -> None:
    sound = recovered_from(rows)
    taller(rows[place])
    recovered = recovered_from(rows)
    assert named(recovered) == {(place, "rows"), (place, "image_height")}
    assert (recovered.scenes, recovered.lost) == (sound.scenes, ())


def test_a_scene_of_two_accounts_that_are_both_sound_is_lost_and_no_other(rows: list[Row]) -> None:
    sound = recovered_from(rows)
    scene = sound.scenes[0]
    other = replace(scene, grid=replace(scene.grid, rows=scene.grid.rows + 1))
    rows[COUNT] = derive_row(other, T2B)
    recovered = recovered_from(rows)
    assert [lost.scene_id for lost in recovered.lost] == [scene.scene_id]
    assert "disagree about rows" in str(recovered.lost[0])
    assert "rows.jsonl:1" in recovered.lost[0].reason
    assert recovered.scenes == sound.scenes[1:]


def test_where_most_rows_agree_about_the_grid_the_scene_is_theirs(rows: list[Row]) -> None:
    sound = recovered_from(rows)
    rows.append(derive_row(sound.scenes[0], T3))
    taller(rows[CLICK])
    recovered = recovered_from(rows)
    assert recovered.lost == ()
    assert recovered.scenes[0].grid == sound.scenes[0].grid
    assert named(recovered) == {(CLICK, "rows"), (CLICK, "image_height")}


def test_a_scene_none_of_whose_rows_is_sound_is_lost_with_what_is_wrong(rows: list[Row]) -> None:
    sound = recovered_from(rows)
    off_grid(rows[CLICK])
    del rows[COUNT]["cols"]
    recovered = recovered_from(rows)
    assert [lost.scene_id for lost in recovered.lost] == [rows[CLICK]["scene_id"]]
    assert {(CLICK, "target_cells"), (COUNT, "cols")} <= named(recovered)
    assert recovered.scenes == sound.scenes[1:]


def test_a_row_without_any_id_is_named_and_left_out(rows: list[Row]) -> None:
    for key in ("item_id", "scene_id", "image_id", "source_item_id"):
        rows[CLICK][key] = "mine"
    recovered = recovered_from(rows)
    assert named(recovered) == {(CLICK, "scene_id")}
    assert T1B not in recovered.scenes[0].published


def test_a_broken_tile_is_not_believed_against_its_own_keys() -> None:
    for place in (CLICK, COUNT):
        rows = made_bridges()
        rows[place]["background_char"] = "木"
        recovered = recovered_from(rows)
        assert named(recovered) == {(place, "background_char")}
        assert recovered.scenes[0].columns["background_char"] == "未"


def test_faults_stand_in_the_order_of_the_rows_and_are_one_printable_line(rows: list[Row]) -> None:
    rows[5]["prompt"] = "Zähle\n\u2028\ud800" + "x" * 500
    rows[2]["answer"] = "\x1b[31m"
    rows[2]["region_ratio"] = 1.5
    rows[4]["odd\ncolumn"], rows[5]["odd\ncolumn"] = "this", "that"
    recovered = recovered_from(rows)
    assert [int(f.where.rsplit(":", 1)[1]) for f in recovered.faults] == [3, 3, 5, 6, 6]
    for fault in recovered.faults:
        assert str(fault).isprintable()
        assert len(str(fault)) < 400


@pytest.mark.parametrize(
    "content", [b"not JSON\nnor this\n", b"[1]\n", b"PAR1 and no more", b"\xff"]
)
def test_a_file_of_no_rows_is_an_error_that_names_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_bytes(content)
    with pytest.raises(RosegenError, match="broken.jsonl"):
        recover([path])
    with pytest.raises(RosegenError, match="absent.jsonl"):
        recover([tmp_path / "absent.jsonl"])


def test_a_download_that_was_cut_off_is_an_error(tmp_path: Path) -> None:
    whole = gzip.compress(write(tmp_path / "rows.jsonl", made_bridges()).read_bytes())
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(whole[:-20])
    with pytest.raises(RosegenError, match="gzip"):
        recover([path])
    path.write_bytes(whole)
    assert recover([path]).faults == ()


def test_rows_of_something_else_are_named_and_give_no_scene(tmp_path: Path) -> None:
    path = write(tmp_path / "predictions.jsonl", [{"item_id": "x", "response": "COUNT(1)"}, {}])
    recovered = recover([path])
    assert (recovered.scenes, recovered.lost) == ((), ())
    assert [(fault.field, fault.says) for fault in recovered.faults] == [
        ("scene_id", "nothing"),
        ("scene_id", "nothing"),
    ]
    assert recover([]) == Recovered((), (), ())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([0, 1, 7, "R1,C1", "T3_CLICK_LOCAL_NUMERIC", "CHSCENE_000001", [[1, 1]]]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["r1", "r2", "c1", "c2", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)
# What stands in one kind of row alone and follows from nothing.
FREE = ("dataset_version", "protocol_version", "task_template")


@lru_cache(maxsize=1)
def sound_rows() -> tuple[list[Row], Recovered]:
    rows = real_bridges() if ROSE.is_dir() else [without_nulls(row) for row in made_bridges()]
    return rows, recovered_from(rows)


def says_as_much(before: Row, after: Row, field: str) -> bool:
    """Whether a change of a field is none that anyone could tell: null is absent, or no bounds."""
    value = after[field]
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return before[field] in ({}, None)
    return without_nulls({field: value}) == {field: before[field]}


@LAW
@given(st.data())
def test_any_value_in_any_field_is_survived_and_harms_no_other_scene(data: st.DataObject) -> None:
    rows, sound = copy.deepcopy(sound_rows()[0]), sound_rows()[1]
    place = data.draw(st.integers(0, len(rows) - 1))
    field = data.draw(st.sampled_from(sorted(rows[place])))
    before = dict(rows[place])
    rows[place][field] = data.draw(JSON)
    recovered = recovered_from(rows)
    scene = rows[place ^ 1]["scene_id"]
    others = [each for each in sound.scenes if each.scene_id != scene]
    assert [each for each in recovered.scenes if each.scene_id != scene] == others
    if field not in FREE and not says_as_much(before, rows[place], field):
        faulted = {row for row, _ in named(recovered)}
        assert recovered.lost or faulted & {place, place ^ 1}
    assert all(str(each).isprintable() for each in (*recovered.faults, *recovered.lost))


@LAW
@given(st.data())
def test_many_broken_fields_at_once_end_in_no_traceback(data: st.DataObject) -> None:
    rows = made_rows()[:14]
    scenes = {row["scene_id"] for row in rows}
    fields = st.sampled_from(sorted(rows[0]))
    for _ in range(data.draw(st.integers(2, 25))):
        row = rows[data.draw(st.integers(0, len(rows) - 1))]
        other = rows[data.draw(st.integers(0, len(rows) - 1))]
        field = data.draw(fields)
        if data.draw(st.booleans()):
            row[field] = copy.deepcopy(other.get(field))
        else:
            row[field] = data.draw(JSON)
    recovered = recovered_from(rows)
    told = {s.scene_id for s in recovered.scenes} | {lost.scene_id for lost in recovered.lost}
    assert told & scenes
    assert all(str(each).isprintable() for each in (*recovered.faults, *recovered.lost))
    for scene, template in itertools.product(recovered.scenes, (T1B, T2B, T3)):
        assert derive_row(scene, template)["scene_id"] == scene.scene_id


@settings(LAW, max_examples=20)
@given(st.permutations(range(42)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    rows = made_rows()
    assert len(rows) == len(order)
    shuffled = recovered_from([rows[place] for place in order])
    assert shuffled.faults == ()
    by_id = {scene.scene_id: scene for scene in shuffled.scenes}
    assert by_id == {scene.scene_id: scene for scene in recovered_from(rows).scenes}
