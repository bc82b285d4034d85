"""Scores are those of ROSE's public evaluator: every file, field and digit, by either way in."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rosegen
from tests.scoring.maker import (
    METADATA,
    PREDICTIONS,
    REFERENCE,
    Row,
    differences,
    needs_reference,
    read_jsonl,
    reference_json,
    reference_rows,
    run,
)

pytestmark = needs_reference

BRIDGES = ("global_click", "matched_local_count")
STEMS = {"global_click": "global_click", "matched_local_count": "matched_count"}


def bridge_file(bridge: str, what: str) -> Path:
    return REFERENCE / f"{bridge}_{what}.jsonl.gz"


def by_function(out: Path) -> None:
    """Everything through the functions that rosegen exports."""
    rosegen.evaluate(METADATA, PREDICTIONS, resamples=100).write(out / "main")
    for bridge in BRIDGES:
        rosegen.evaluate_bridge(
            bridge_file(bridge, "metadata_test"),
            bridge_file(bridge, "predictions"),
            main_eval=out / "main",
        ).write(out / bridge)
    rosegen.consistency([out / "main"]).write(out / "consistency")


def by_command(out: Path) -> None:
    """Everything through the command line."""
    main_eval = out / "main" / "per_item_eval.jsonl"
    called = [
        run("evaluate", METADATA, PREDICTIONS, "--out", out / "main", "--resamples", 100, "-q"),
        *(
            run(
                *("evaluate-bridge", bridge_file(bridge, "metadata_test")),
                *(bridge_file(bridge, "predictions"), "--main-eval", main_eval),
                *("--out", out / bridge, "-q"),
            )
            for bridge in BRIDGES
        ),
        run("consistency", main_eval, "--out", out / "consistency", "-q"),
    ]
    assert called == [0, 0, 0, 0]


@pytest.fixture(scope="module", params=[by_function, by_command])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of the reference's predictions: main, both bridges, consistency."""
    out = tmp_path_factory.mktemp("conformance")
    request.param(out)
    return out


def without_paths(document: Any, *names: str) -> Any:
    """A document whose paths are null, as the reference has them."""
    return {**document, **dict.fromkeys(names)}


def test_every_field_of_every_row_is_what_the_reference_says(written: Path) -> None:
    want = reference_rows("expected_per_item_eval")
    assert len(want) == 1000
    assert list(differences(want, read_jsonl(written / "main" / "per_item_eval.jsonl"))) == []


def test_error_cases_are_the_rows_that_did_not_pass(written: Path) -> None:
    want = [row for row in reference_rows("expected_per_item_eval") if row["pass"] != 1]
    assert len(want) > 100
    assert list(differences(want, read_jsonl(written / "main" / "error_cases.jsonl"))) == []


def test_the_summary_is_what_the_reference_says(written: Path) -> None:
    got = json.loads((written / "main" / "evaluation_summary.json").read_text(encoding="utf-8"))
    assert got["metadata_jsonl"] == str(METADATA.resolve())
    assert got["predictions_jsonl"] == str(PREDICTIONS.resolve())
    got = without_paths(got, "metadata_jsonl", "predictions_jsonl")
    assert list(differences(reference_json("expected_evaluation_summary"), got)) == []


@pytest.mark.parametrize(
    "name",
    [
        "summary_by_subset.csv",
        "summary_by_template.csv",
        "coverage_by_subset_template.csv",
        "table1_row.txt",
        "table2_row.txt",
    ],
)
def test_a_table_is_the_reference_s_byte_for_byte(written: Path, name: str) -> None:
    want = (REFERENCE / f"expected_{name}").read_bytes()
    assert (written / "main" / name).read_bytes() == want


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_summary_of_a_bridge_is_what_the_reference_says(written: Path, bridge: str) -> None:
    name = f"{STEMS[bridge]}_summary"
    got = json.loads((written / bridge / f"{name}.json").read_text(encoding="utf-8"))
    assert got["main_eval"].startswith(str(written / "main"))
    got = without_paths(got, "main_eval")
    assert list(differences(reference_json(f"expected_{name}"), got)) == []


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_paper_table_of_a_bridge_is_what_the_reference_says(written: Path, bridge: str) -> None:
    name = f"{STEMS[bridge]}_paper_table"
    got = json.loads((written / bridge / f"{name}.json").read_text(encoding="utf-8"))
    want = reference_json(f"expected_{name}")
    assert list(differences(want, got)) == []
    with (written / bridge / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.DictReader(file)) == [{key: str(value) for key, value in want.items()}]


@pytest.mark.parametrize("bridge", BRIDGES)
def test_the_rows_of_a_bridge_are_scored_one_by_one(written: Path, bridge: str) -> None:
    rows = read_jsonl(written / bridge / f"per_item_{STEMS[bridge]}_eval.jsonl")
    errors = read_jsonl(written / bridge / f"{STEMS[bridge]}_error_cases.jsonl")
    asked = {row["item_id"] for row in reference_rows(f"{bridge}_metadata_test")}
    assert [row["item_id"] for row in rows] == sorted(asked)
    assert errors == [row for row in rows if row["pass"] != 1] != []
    rate = sum(row["pass"] for row in rows) / len(rows)
    micro = reference_json(f"expected_{STEMS[bridge]}_summary")["micro_pooled"]
    assert rate == micro["gclk_pass_rate" if bridge == "global_click" else "mlcnt_pass_rate"]


def test_counts_that_did_not_become_clicks_have_a_file_of_their_own(written: Path) -> None:
    folder = written / "matched_local_count"
    rows = read_jsonl(folder / "per_item_matched_count_eval.jsonl")
    lost = [row for row in rows if row["pass"] == 1 and row.get("base_lclk_pass") == 0]
    assert read_jsonl(folder / "mlcnt_correct_lclk_wrong.jsonl") == lost != []


def test_scene_consistency_is_what_the_reference_says(written: Path) -> None:
    name = "scene_consistency_test"
    got = json.loads((written / "consistency" / f"{name}.json").read_text(encoding="utf-8"))
    assert list(differences(reference_json(f"expected_{name}"), got)) == []
    with (written / "consistency" / f"{name}.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    macro = got["models"][0]["macro_equal_subset"]
    assert float(row["Action Ret."]) == round(100 * macro["Action Ret."], 1)


def test_a_command_of_its_own_process_says_the_same(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "rosegen", "evaluate", str(METADATA), str(PREDICTIONS)]
    done = subprocess.run(
        [*command, "--out", str(out), "--json", "--resamples", "100"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    want = reference_json("expected_evaluation_summary")["overall"]["pass_rate"]
    (model,) = json.loads(done.stdout)["models"]
    (pooled,) = (
        found["value"]
        for found in model["statistics"]
        if (found["group"], found["level"], found["metric"]) == ("overall", "pooled", "PASS")
    )
    assert pooled == pytest.approx(want, abs=1e-9)
    rows = reference_rows("expected_per_item_eval")
    assert list(differences(rows, read_jsonl(out / "per_item_eval.jsonl"))) == []


def test_frames_and_summary_are_there_without_writing_a_file() -> None:
    found = rosegen.evaluate(METADATA, PREDICTIONS)
    want: list[Row] = reference_rows("expected_per_item_eval")
    assert found.items["item_id"].tolist() == [row["item_id"] for row in want]
    assert found.items["pass"].tolist() == [row["pass"] for row in want]
    assert found.by_template["pass_rate"].tolist() == pytest.approx(
        [
            group["pass_rate"]
            for group in reference_json("expected_evaluation_summary")["by_template"].values()
        ],
        abs=1e-9,
    )
    assert len(found.failures) == sum(row["pass"] != 1 for row in want)
