"""What the tests of scoring share: the reference data, a small release in memory, comparisons."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

from rosegen.cli import main
from rosegen.errors import RosegenError

Row = dict[str, Any]

REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference" / "evaluator"
METADATA = REFERENCE / "metadata_test.jsonl.gz"
PREDICTIONS = REFERENCE / "predictions.jsonl.gz"
SUBSETS = ("ROSE-ChineseGlyph", "ROSE-PixelEdit")
# Template, mode, region, its parameters, the gold cells and the right answer, on a 6 x 6 grid
# with exceptions at R1,C1 and R2,C5. Parameters are null-filled, as those of a release are.
TASKS = (
    ("T1_COUNT_GLOBAL", "COUNT", "GLOBAL", {}, ["R1,C1", "R2,C5"], "COUNT(2)"),
    ("T2_COUNT_LOCAL_NUMERIC", "COUNT", "ROW_RANGE", {"r1": 1, "r2": 1}, ["R1,C1"], "COUNT(1)"),
    (
        "T3_CLICK_LOCAL_NUMERIC",
        "CLICK",
        "COL_RANGE",
        {"c1": 4, "c2": 6},
        ["R2,C5"],
        "CLICK(R2,C5); DONE",
    ),
    (
        "T4_CLICK_VISUAL_REGION",
        "CLICK",
        "VISUAL_REGION",
        {"r1": 5, "r2": 6, "c1": 1, "c2": 6},
        [],
        "DONE",
    ),
    (
        "T5_CLICK_COUNT_EXCLUSION",
        "CLICK_COUNT",
        "EXCLUSION",
        {
            "exclude_type": "RECTANGLE",
            "exclude_params": {"r1": 2, "r2": 3, "c1": 4, "c2": 6},
        },
        ["R1,C1"],
        "CLICK(R1,C1); SUBMIT(1)",
    ),
)
BOUNDS = {"r1": None, "r2": None, "c1": None, "c2": None}

needs_reference = pytest.mark.skipif(
    not REFERENCE.is_dir(), reason="needs ../shared/reference/evaluator, which is not here"
)


def reference_rows(name: str) -> list[Row]:
    """The rows of one file of the reference."""
    with gzip.open(REFERENCE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def reference_json(name: str) -> Any:
    """One document of the reference."""
    return json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))


def read_jsonl(path: Path) -> list[Row]:
    """The rows of a file that rosegen wrote."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def differences(want: Any, got: Any, where: str = "") -> Iterator[str]:
    """Where two JSON values differ: keys, their order and types count, floats beyond 1e-9."""
    if type(want) is not type(got):
        yield f"{where}: {want!r} is not {got!r}"
    elif isinstance(want, dict):
        if list(want) != list(got):
            yield f"{where}: keys {list(want)} are not {list(got)}"
        for key in want.keys() & got.keys():
            yield from differences(want[key], got[key], f"{where}/{key}")
    elif isinstance(want, list):
        if len(want) != len(got):
            yield f"{where}: {len(want)} is not {len(got)} long"
        for place, (one, other) in enumerate(zip(want, got)):
            yield from differences(one, other, f"{where}/{place}")
    elif isinstance(want, float):
        if not math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{where}: {want!r} is not {got!r}"
    elif want != got:
        yield f"{where}: {want!r} is not {got!r}"


def items(scenes: int = 2, split: str = "test", subsets: Sequence[str] = SUBSETS) -> list[Row]:
    """Rows of metadata: the five tasks of some scenes of each subset."""
    rows: list[Row] = []
    for subset in subsets:
        for number in range(scenes):
            scene = f"{split}-{subset}-{number}"
            for template, mode, region, params, gold, answer in TASKS:
                rows.append(
                    {
                        "item_id": f"{scene}-{template[:2]}",
                        "scene_id": scene,
                        "image_id": f"{scene}-main",
                        "split": split,
                        "rose_subset": subset,
                        "primitive_type": "GLYPH",
                        "task_template": template,
                        "task_mode": mode,
                        "region_type": region,
                        "region_params": {
                            **BOUNDS,
                            "exclude_type": None,
                            "exclude_params": BOUNDS,
                            **params,
                        },
                        "region_case": "partial",
                        "cue_type": "NONE",
                        "difficulty": "easy",
                        "rows": 6,
                        "cols": 6,
                        "ground_truth_count": len(gold),
                        "ground_truth_clicks": gold,
                        "ground_truth_formal_answer": answer,
                        "all_target_cells": ["R1,C1", "R2,C5"],
                        "region_target_cells": gold,
                        "target_cells": [[1, 1], [2, 5]],
                        "similarity": 0.97,
                        "grid_size_profile": "small",
                    }
                )
    return rows


def answers(rows: Iterable[Mapping[str, Any]], model: str = "m", wrong: int = 0) -> list[Row]:
    """A right answer to each item, but for the first ``wrong``."""
    return [
        {
            "item_id": row["item_id"],
            "model": model,
            "raw_text": "no idea" if place < wrong else row["ground_truth_formal_answer"],
            "error": None,
        }
        for place, row in enumerate(rows)
    ]


def jsonl(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(path: Path, content: str | bytes) -> Path:
    """A file of this content, and the folders it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def release(folder: Path, scenes: int = 2) -> Path:
    """A release on disk: its metadata alone, of both splits."""
    for split in ("test", "dev"):
        write(folder / f"metadata_{split}.jsonl", jsonl(items(scenes, split)))
    return folder


def table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows as `datasets` holds them: one type a column, nested records filled up with nulls."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: pa.array([row.get(name) for row in rows]) for name in names}
    empty = [name for name in names if columns[name].type == pa.struct([])]
    return pa.table({name: columns[name] for name in names if name not in empty})


def write_parquet(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Rows as a Parquet file."""
    pa.parquet.write_table(table(rows), path)
    return path


def run(*arguments: Any) -> int:
    """The exit code of a command line, run in this process."""
    try:
        main([str(argument) for argument in arguments])
    except SystemExit as done:
        return int(done.code or 0)
    return 0


def files_in(folder: Path) -> list[str]:
    """The files and folders in a folder, by name; nothing where there is no folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def is_one_line(error: pytest.ExceptionInfo[RosegenError]) -> bool:
    """Whether an error is told in one line."""
    return len(str(error.value).splitlines()) == 1
