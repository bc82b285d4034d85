"""Metadata of scenes drawn at random, and answers with random faults, for tests of statistics."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = dict[str, Any]

T1, T2, T3, T4, T5 = TEMPLATES = {
    "T1_COUNT_GLOBAL": "COUNT",
    "T2_COUNT_LOCAL_NUMERIC": "COUNT",
    "T3_CLICK_LOCAL_NUMERIC": "CLICK",
    "T4_CLICK_VISUAL_REGION": "CLICK",
    "T5_CLICK_COUNT_EXCLUSION": "CLICK_COUNT",
}
SHORTS = dict(zip(TEMPLATES, ("G-Cnt", "L-Cnt", "L-Clk", "V-Clk", "Excl. C+S")))
ROSE_SUBSETS = (
    "ROSE-ChineseGlyph",
    "ROSE-EmojiStyle",
    "ROSE-EmojiContent",
    "ROSE-PixelEdit",
    "ROSE-PixelContent",
)
SIZE = 6  # rows and columns of every grid


def metadata(
    sizes: Mapping[str, int], seed: int = 0, templates: Iterable[str] = TEMPLATES
) -> list[Row]:
    """Rows of metadata: so many scenes of each subset, one item a template."""
    draw = random.Random(seed)
    rows: list[Row] = []
    for subset, scenes in sizes.items():
        for number in range(scenes):
            rows += _scene(draw, subset, f"{subset}/{number:04}", templates)
    return rows


def _scene(draw: random.Random, subset: str, scene: str, templates: Iterable[str]) -> list[Row]:
    grid = [(r, c) for r in range(1, SIZE + 1) for c in range(1, SIZE + 1)]
    targets = sorted(draw.sample(grid, draw.randint(1, 4)))
    shared = {
        "scene_id": scene,
        "split": "test",
        "rose_subset": subset,
        "rows": SIZE,
        "cols": SIZE,
        "difficulty": draw.choice(["easy", "medium", "hard"]),
        "grid_size_profile": draw.choice(["small", "large", None]),
        "similarity": draw.choice([0.5, 0.85, 0.93, 0.97, None]),
        "all_target_cells": labels(targets),
    }
    rows = []
    for template in templates:
        kind, params, inside = _region(draw, template)
        gold = [cell for cell in targets if inside(cell)]
        case = "zero" if not gold else "all" if gold == targets else "partial"
        rows.append(
            {
                **shared,
                "item_id": f"{scene}/{template}",
                "task_template": template,
                "task_mode": TEMPLATES.get(template, "CLICK"),
                "region_type": kind,
                "region_params": params,
                "region_case": draw.choice([case, f"fallback_{case}_wanted_all"]),
                "ground_truth_count": len(gold),
                "ground_truth_clicks": labels(gold),
                "region_target_cells": labels(gold),
            }
        )
    return rows


def _region(draw: random.Random, template: str) -> tuple[str, Row, Any]:
    if template not in (T2, T3, T4, T5):
        return "GLOBAL", {}, lambda cell: True
    r1, r2 = sorted(draw.choices(range(1, SIZE + 1), k=2))
    c1, c2 = sorted(draw.choices(range(1, SIZE + 1), k=2))
    box = {"r1": r1, "r2": r2, "c1": c1, "c2": c2}

    def inside(cell: tuple[int, int]) -> bool:
        return r1 <= cell[0] <= r2 and c1 <= cell[1] <= c2

    if template == T5:
        excluded = {"exclude_type": "RECTANGLE", "exclude_params": box}
        return "EXCLUSION", excluded, lambda cell: not inside(cell)
    return "RECTANGLE", box, inside


def labels(cells: Iterable[tuple[int, int]]) -> list[str]:
    """``["R3,C4"]``."""
    return [f"R{row},C{col}" for row, col in cells]


def answer(row: Row, clicks: Sequence[str] | None = None, count: int | None = None) -> str:
    """The right answer of a row, or one with other clicks or another count."""
    count = row["ground_truth_count"] if count is None else count
    if row["task_mode"] == "COUNT":
        return f"COUNT({count})"
    end = "DONE" if row["task_mode"] == "CLICK" else f"SUBMIT({count})"
    clicks = row["ground_truth_clicks"] if clicks is None else clicks
    return "; ".join([*(f"CLICK({label})" for label in clicks), end])


def wrong_answer(row: Row, draw: random.Random) -> str:
    """An answer that does not pass: of the grammar or not, on the grid or not."""
    gold, count = row["ground_truth_clicks"], row["ground_truth_count"]
    faults = [f"The answer is {answer(row)}.", "", answer(row, count=count + draw.randint(1, 3))]
    if row["task_mode"] == "COUNT":
        return draw.choice(faults)
    other = [label for label in labels([(1, 1), (3, 3), (6, 6), (0, 2)]) if label not in gold]
    extra = draw.choice(other)
    faults[2] = answer(row, [*gold, extra], count + 1)
    faults += [answer(row, [*gold, extra]), answer(row, [extra])]
    if gold:
        faults += [answer(row, gold[1:], count - 1), answer(row, [*gold, gold[0]])]
    return draw.choice(faults)


def predictions(
    rows: Sequence[Row], seed: int = 0, model: str = "m", skill: float = 0.7, spread: float = 0.3
) -> list[Row]:
    """An answer to each row: right with a chance of ``skill``, more or less by scene."""
    draw = random.Random(f"{seed} {model}")
    luck = {scene: draw.uniform(-spread, spread) for scene in {row["scene_id"]: 0 for row in rows}}
    said = []
    for row in rows:
        right = draw.random() < skill + luck[row["scene_id"]]
        text = answer(row) if right else wrong_answer(row, draw)
        said.append({"item_id": row["item_id"], "model": model, "raw_text": text, "error": None})
    return said


def says(rows: Sequence[Row], passes: Iterable[bool], model: str = "m") -> list[Row]:
    """The right answer to these rows, and nothing to the others."""
    return [
        {"item_id": row["item_id"], "model": model, "raw_text": answer(row) if right else ""}
        for row, right in zip(rows, passes, strict=True)
    ]
