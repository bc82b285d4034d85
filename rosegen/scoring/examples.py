"""For each kind of failure, an item or two that failed that way, with a picture where there is one.

Which items are shown is not chance: of those whose first kind it is, in the order of their ids,
some that are far apart, and for each kind at other places, so that all subsets have their turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rosegen.row_files import Row
from rosegen.scoring.failures import BIT, FAILURES
from rosegen.scoring.items import Area, Cell, Gold, cells_of, gold_of
from rosegen.scoring.names import TEMPLATE_SHORT, subset_short
from rosegen.scoring.pictures import scene_picture

if TYPE_CHECKING:
    from rosegen.scoring.evaluation import Evaluation

_TURN = 0.618  # of all items, from one kind to the next: multiples of it spread evenly


@dataclass(frozen=True)
class Example:
    """One failed item, as the texts of a report. They are the model's and the release's own."""

    item_id: str
    where: str  # subset, task, grid, difficulty
    task: str | None  # the last line of the prompt
    region: str
    right: str
    said: object
    error: object  # what the API said, where it said something
    problem: str | None  # the name of what is wrong with the grammar
    kinds: tuple[str, ...]
    picture: str | None  # data URI
    alt: str


def examples(evaluation: Evaluation, per_kind: int) -> dict[str, list[Example]]:
    """Examples of each kind of failure that there is.

    Args:
        evaluation: whose metadata is read once more, up to the last item wanted.
        per_kind: how many of each kind at most.
    """
    chosen = _chosen(evaluation, per_kind)
    places = sorted({place for found in chosen.values() for place in found})
    rows = dict(zip(places, evaluation.scored.rows(np.array(places, np.intp))))
    items = _items(evaluation, {evaluation.scored.ids[place] for place in places})
    return {
        kind: [
            _example(evaluation, place, rows[place], items.get(evaluation.scored.ids[place]))
            for place in found
        ]
        for kind, found in chosen.items()
    }


def _chosen(evaluation: Evaluation, per_kind: int) -> dict[str, list[int]]:
    """The places of the items to show."""
    masks = evaluation.scored.columns.failures
    first = masks & -masks  # the lowest bit: kinds are in the order of their bits
    chosen: dict[str, list[int]] = {}
    for number, (kind, bit) in enumerate(BIT.items()):
        found = np.flatnonzero(first == bit)
        if not len(found):
            found = np.flatnonzero(masks & bit)
        if len(found):
            shares = (number * _TURN + np.arange(per_kind) / per_kind) % 1
            chosen[kind] = sorted({int(found[int(share * len(found))]) for share in shares})
    return chosen


def _items(evaluation: Evaluation, wanted: set[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    source = evaluation.metadata.source
    if not wanted or (isinstance(source, Path) and not source.is_file()):
        return found  # a pipe can be read but once
    for _, item in evaluation.metadata.rows(evaluation.scored.split):
        if (item_id := str(item.get("item_id"))) in wanted:
            found[item_id] = item
            if len(found) == len(wanted):
                break
    return found


def _example(
    evaluation: Evaluation, place: int, row: Mapping[str, Any], item: Row | None
) -> Example:
    mask = int(evaluation.scored.columns.failures[place])
    gold = gold_of(item) if item is not None else None
    clicked = sorted(cells_of(row["pred_clicks_valid_unique"]))
    picture, alt = None, ""
    folder = evaluation.metadata.folder
    if item is not None and gold is not None and folder is not None and item.get("image"):
        right = gold.region_targets
        picture = scene_picture(
            folder, str(item["image"]), gold.area, right, gold.targets - right, clicked
        )
        alt = (
            f"The scene, {gold.rows} rows by {gold.cols} columns. Right cells: {_list(right)}. "
            f"Clicked: {_list(clicked)}."
        )
    template = str(row["task_template"])
    parts = [
        subset_short(str(row["rose_subset"])),
        TEMPLATE_SHORT.get(template, template),
        f"{row['rows']} × {row['cols']}",
        row["difficulty"],
    ]
    return Example(
        item_id=evaluation.scored.ids[place],
        where=", ".join(str(part) for part in parts if part),
        task=_task(item),
        region=_region(gold) if gold else str(row["region_type"]),
        right=_right(row),
        said=row["raw_text"],
        error=row["api_error_text"] if row["api_error"] else None,
        problem=None if row["format_valid"] or row["api_error"] else row["parse_error"],
        kinds=tuple(name for name in FAILURES if mask & BIT[name]),
        picture=picture,
        alt=alt,
    )


def _task(item: Row | None) -> str | None:
    """The last line of the prompt: what comes before it is the same for all items."""
    prompt = str((item or {}).get("prompt") or (item or {}).get("prompt_local") or "").strip()
    return prompt.splitlines()[-1] if prompt else None


def _right(row: Mapping[str, Any]) -> str:
    cells = _list(cells_of(row["gt_clicks"]))
    return str(row["ground_truth_formal_answer"] or f"{row['gt_count']} ({cells})")


def _region(gold: Gold) -> str:
    """What is asked about, in words."""
    area = gold.area
    if not area.excluded and area.size == area.rows * area.cols:
        return "the whole grid"
    box = _box(area)
    marked = ", marked in the image" if gold.region_type == "VISUAL_REGION" else ""
    return f"all but {box}" if area.excluded else box + marked


def _box(area: Area) -> str:
    r1, r2, c1, c2 = area.box
    rows = f"row {r1}" if r1 == r2 else f"rows {r1} to {r2}"
    cols = f"column {c1}" if c1 == c2 else f"columns {c1} to {c2}"
    if (c1, c2) == (1, area.cols):
        return rows
    return cols if (r1, r2) == (1, area.rows) else f"{rows}, {cols}"


def _list(cells: Iterable[Cell]) -> str:
    return "; ".join(f"R{row},C{col}" for row, col in sorted(cells)) or "none"
