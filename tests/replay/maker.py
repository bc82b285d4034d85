"""What the tests of replay share: ROSE's own rows, rows made on the spot, and files of them."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rosegen.cli import main
from rosegen.pipeline import Subset, load_pipeline
from rosegen.plan import plan_subset
from rosegen.release.rows import bridge_row, make_row
from rosegen.scene import Scene
from rosegen.tasks import make_bridges, make_items
from tests.core_maker import REFERENCE, pair, scene_of

Row = dict[str, Any]

ROSE = REFERENCE / "rose_v0.1"
GLOBAL_CLICK = ROSE / "global_click.metadata_test.jsonl.gz"
LOCAL_COUNT = ROSE / "matched_local_count.metadata_test.jsonl.gz"
EVALUATOR_ROWS = REFERENCE / "evaluator" / "metadata_test.jsonl.gz"

needs_rose = pytest.mark.skipif(not ROSE.is_dir(), reason=f"ROSE's public rows are not at {ROSE}")

# Columns that a source would fill, for subsets that need no pack to be thought of.
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "ROSE-ChineseGlyph": {
        "background_char": "未",
        "target_char": "末",
        "source_group": ["未", "末"],
        "source_pair": ["未", "末"],
        "pair_direction": "未_majority_末_target",
        "undirected_pair_key": "未__末",
        "font_name": "Face-Regular",
    },
    "ROSE-PixelContent": {"asset_resize_mode": "integer"},
}
KEYS = {"ROSE-ChineseGlyph": "未__末", "ROSE-PixelContent": "a__b"}


@lru_cache(maxsize=1)
def made_scenes() -> tuple[tuple[Subset, Scene], ...]:
    """The first three scenes of two of ROSE's subsets, with pairs that nobody drew."""
    pipeline = load_pipeline("rose-v0.1")
    return tuple(
        (subset, scene_of(subset, plan, made_pair(subset.name, plan.grid.cell_size)))
        for subset in pipeline.subsets
        if subset.name in FIELDS
        for plan in plan_subset(subset)[:3]
    )


def made_pair(subset: str, cell_size: int) -> Any:
    size = {"font_size": int(cell_size * 0.72)} if subset == "ROSE-ChineseGlyph" else {}
    return pair(KEYS[subset], {**FIELDS[subset], **size})


@lru_cache(maxsize=1)
def _made_rows() -> tuple[Row, ...]:
    pipeline = load_pipeline("rose-v0.1")
    rows: list[Row] = []
    for subset, scene in made_scenes():
        style = subset.cue_style
        rows += [
            make_row(pipeline, subset, scene, i) for i in make_items(scene, subset.wording, style)
        ]
        bridges = make_bridges(scene, subset.wording, style)
        rows += [bridge_row(pipeline, subset, scene, item) for item in bridges]
    return tuple(rows)


def made_rows() -> list[Row]:
    """Seven rows of each made scene, as rosegen writes them."""
    return copy.deepcopy(list(_made_rows()))


def made_bridges() -> list[Row]:
    """The two bridge rows of each made scene."""
    return [row for row in made_rows() if row["bridge_task"]]


@lru_cache(maxsize=4)
def _rows_of(path: Path) -> tuple[Row, ...]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


def rows_of(path: Path) -> list[Row]:
    """The rows of a file of ROSE's, as it has them."""
    return copy.deepcopy(list(_rows_of(path)))


def real_bridges() -> list[Row]:
    """Both bridge rows of two scenes of each of ROSE's subsets."""
    rows = []
    for clicks, counts in zip(_rows_of(GLOBAL_CLICK), _rows_of(LOCAL_COUNT)):
        if int(clicks["scene_id"][-6:]) in (1, 6, 8):
            rows += [clicks, counts]
    return copy.deepcopy(rows)


def rose_slice(count: int = 3) -> tuple[list[Row], list[Row]]:
    """The rows of the first scenes of each of ROSE's subsets, of either bridge."""
    kept = []
    for path in (GLOBAL_CLICK, LOCAL_COUNT):
        seen: dict[str, int] = {}
        rows = []
        for row in _rows_of(path):
            seen[row["rose_subset"]] = seen.get(row["rose_subset"], 0) + 1
            if seen[row["rose_subset"]] <= count:
                rows.append(copy.deepcopy(row))
        kept.append(rows)
    return kept[0], kept[1]


def lines(path: Path) -> list[Row]:
    """The objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def release_rows(release: Path) -> list[Row]:
    """Every row of a release, of every file."""
    files = [*sorted(release.glob("metadata_*.jsonl")), *sorted(release.glob("bridges/*/*.jsonl"))]
    return [row for file in files for row in lines(file)]


def by_id(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["item_id"]: row for row in rows}


def as_published(row: Row) -> Row:
    """A row of a replayed release as ROSE would have it."""
    published = without_nulls(row)
    if not row["bridge_task"]:
        del published["bridge_task"]
    return published


def same_files(one: Path, other: Path, *, but: Iterable[str] = ()) -> bool:
    """Whether two folders hold the same files, byte for byte."""

    def files(root: Path) -> dict[str, bytes]:
        found = (path for path in sorted(root.rglob("*")) if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}

    ones, others = files(one), files(other)
    assert ones.keys() == others.keys()
    return all(ones[name] == others[name] for name in ones if name not in but)


class Ran(NamedTuple):
    """What the command line did."""

    code: int
    out: list[str]
    err: list[str]


def run(capsys: pytest.CaptureFixture[str], *arguments: object, workers: int = 1) -> Ran:
    """``rosegen replay``, offline, from this process."""
    code = 0
    try:
        main(["replay", *map(str, arguments), "--offline", "--workers", str(workers)])
    except SystemExit as stop:
        code = int(stop.code or 0)
    said = capsys.readouterr()
    return Ran(code, said.out.splitlines(), said.err.splitlines())


def write(path: Path, rows: Iterable[Row]) -> Path:
    """Rows as JSON Lines."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def without_nulls(row: Row) -> Row:
    """The row as ROSE would have it: a key that is null is not there, nor a record of nulls."""
    kept: Row = {}
    for key, value in row.items():
        if isinstance(value, dict):
            inner = without_nulls(value)
            if inner or key in ("region_params", "image_region_params"):
                kept[key] = inner
        elif value is not None:
            kept[key] = value
    return kept
