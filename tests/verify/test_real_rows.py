"""ROSE's own public rows: the verifier's reading of the dataset must agree with every one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from rosegen.verify.english import RoseEnglish
from rosegen.verify.grid import area_of
from rosegen.verify.row_shape import row_shape
from rosegen.verify.rows import Truth, check_row, region_case, target_problem
from rosegen.verify.rules import Rules
from rosegen.verify.scenes import SHARED_COLUMNS, scene_key, settle
from tests.verify.release_maker import COLUMNS, NO_BOUNDS

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference"
SEEDS = {"CH": 2026, "ESTY": 2026, "ECON": 2026, "PEDIT": 2027, "PCONT": 2027}

pytestmark = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason=f"ROSE's public rows are not at {REFERENCE}"
)


def rows_of(name: str) -> list[dict[str, Any]]:
    with gzip.open(REFERENCE / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def normalised(row: dict[str, Any]) -> dict[str, Any]:
    """Absent is null."""
    whole = {column: row.get(column) for column in COLUMNS}
    params = row["region_params"]
    excluded = {**NO_BOUNDS, **params.get("exclude_params", {})}
    whole["region_params"] = {
        **NO_BOUNDS,
        "exclude_type": None,
        **params,
        "exclude_params": excluded,
    }
    whole["image_region_params"] = {**NO_BOUNDS, **row["image_region_params"]}
    return whole


def truth_of(row: dict[str, Any]) -> Truth:
    key = scene_key(row)
    assert key is not None
    targets = tuple((r, c) for r, c in row["target_cells"])
    assert target_problem(list(targets), row["rows"], row["cols"]) is None
    size = (row["rows"], row["cols"], row["cell_size"])
    rules = Rules(known=True, seed=SEEDS[key[0]], words=RoseEnglish(), replayed=True)
    return Truth(key[0], key[1], row["rose_subset"], *size, targets, rules)


@pytest.mark.parametrize("bridge", ["global_click", "matched_local_count"])
def test_every_derived_field_of_the_bridge_rows(bridge: str) -> None:
    rows = rows_of(f"rose_v0.1/{bridge}.metadata_test.jsonl.gz")
    assert len(rows) == 1112
    faults = [each for row in map(normalised, rows) for each in check_row(row, truth_of(row))[0]]
    assert faults == []
    glyphs = [row for row in rows if row["primitive_type"] == "CHINESE_GLYPH"]
    assert len(glyphs) == 301
    assert all(row["font_size"] == int(row["cell_size"] * 0.72) for row in glyphs)


@pytest.mark.parametrize("bridge", ["global_click", "matched_local_count"])
def test_every_row_is_one_of_a_replayed_release(bridge: str) -> None:
    """With every column there, and forward slashes in its paths."""
    check = row_shape({}, replayed=True).check
    strict = row_shape({}, replayed=False).check
    for row in map(normalised, rows_of(f"rose_v0.1/{bridge}.metadata_test.jsonl.gz")):
        for column in ("background_path", "target_path"):
            row[column] = row[column] and row[column].replace("\\", "/")
        row["bridge_task"] = True
        assert check(row) is None, row["item_id"]
        assert strict(row) is not None


def test_both_bridges_agree_on_their_scenes() -> None:
    pairs = zip(
        rows_of("rose_v0.1/global_click.metadata_test.jsonl.gz"),
        rows_of("rose_v0.1/matched_local_count.metadata_test.jsonl.gz"),
        strict=True,
    )
    for pair in pairs:
        both = [normalised(row) for row in pair]
        assert scene_key(both[0]) == scene_key(both[1])
        assert settle(both, SHARED_COLUMNS)[1] == []


def test_regions_and_answers_of_all_five_templates() -> None:
    """Their regions were drawn anew and their cell counts left as they were: compare the rest."""
    compared = {
        "region_case",
        "ground_truth_count",
        "ground_truth_clicks",
        "ground_truth_formal_answer",
        "answer",
        "region_target_cells",
        "region_target_count",
        "all_target_cells",
        "global_target_count",
    }
    rows = rows_of("evaluator/metadata_test.jsonl.gz")
    assert len(rows) == 1000
    for row in map(normalised, rows):
        truth = truth_of(row)
        area = area_of(row["region_type"], row["region_params"], truth.rows, truth.cols)
        hits = [spot for spot in truth.targets if area.holds(spot)]
        assert row["region_case"] == region_case(len(hits), len(truth.targets)), row["item_id"]
        wrong = {each.detail.split()[0] for each in check_row(row, truth)[0]}
        assert not wrong & compared, row["item_id"]
