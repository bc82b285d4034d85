"""Placing exceptions and regions together, against drawing until all region cases are met."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.material import evenly
from benchmarks.measure import Table, Way, compare
from rosegen.errors import RosegenError
from rosegen.geometry import Box, Cell, RegionType
from rosegen.pipeline import RegionShapes, Subset, load_pipeline
from rosegen.placement import place
from rosegen.plan import ScenePlan, plan_subset
from rosegen.scene import T5, case_of

ROUNDS = 5
TRIES = 400

Task = tuple[Subset, ScenePlan]
Placed = tuple[Sequence[Cell], Mapping[str, Box]]


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """One table, over every scene of rose-v0.1."""
    tasks = [(s, plan) for s in load_pipeline("rose-v0.1").subsets for plan in plan_subset(s)]
    tasks = evenly(tasks, 20) if tiny else tasks

    def by_drawing(draw: Callable[[Task, random.Random], Placed | None]) -> list[Placed | None]:
        return [draw(task, random.Random(number)) for number, task in enumerate(tasks)]

    def check(results: Sequence[list[Placed | None]]) -> list[str]:
        for result in results:
            for (_, plan), placed in zip(tasks, result):
                if placed is not None and not _meets(plan, *placed):
                    raise RosegenError(f"placement: scene {plan.number} misses a case")
        return []

    yield compare(
        f"placement of {len(tasks)} scenes of rose-v0.1, at most {TRIES} tries",
        [
            Way("draw all until met", lambda: by_drawing(_draw_all)),
            Way("draw each region until met", lambda: by_drawing(_draw_each)),
            Way("place", lambda: [_ours(task) for task in tasks]),
        ],
        rounds,
        check,
        lambda placed: f"{placed.count(None)} given up",
    )


def _ours(task: Task) -> Placed:
    placement = place(*task)
    boxes = {t: placement.contexts[t].region.box for t in task[1].cases}
    return placement.exceptions, boxes


def _draw_all(task: Task, rng: random.Random) -> Placed | None:
    """Exceptions and regions drawn anew until every case is met."""
    subset, plan = task
    for _ in range(TRIES):
        cells = _cells(plan, rng)
        boxes: dict[str, Box] = {}
        for template in plan.cases:
            boxes[template] = _box(subset.regions, plan, template, rng)
            if not _meets(plan, cells, {template: boxes[template]}):
                break
        else:
            return cells, boxes
    return None


def _draw_each(task: Task, rng: random.Random) -> Placed | None:
    """Exceptions drawn once, then each region until its own case is met."""
    subset, plan = task
    cells = _cells(plan, rng)
    boxes: dict[str, Box] = {}
    for template in plan.cases:
        for _ in range(TRIES):
            box = _box(subset.regions, plan, template, rng)
            if _meets(plan, cells, {template: box}):
                boxes[template] = box
                break
        else:
            return None
    return cells, boxes


def _cells(plan: ScenePlan, rng: random.Random) -> list[Cell]:
    places = rng.sample(range(plan.grid.rows * plan.grid.cols), plan.exceptions)
    return [Cell(place // plan.grid.cols + 1, place % plan.grid.cols + 1) for place in places]


def _box(shapes: RegionShapes, plan: ScenePlan, template: str, rng: random.Random) -> Box:
    """A region of the wanted type: its size drawn first, then its place."""
    rows, cols = plan.grid.rows, plan.grid.cols
    kind = plan.region_types[template]
    if kind is RegionType.RECTANGLE:
        low, high = shapes.rectangle_coverage
        while True:
            height, width = (
                rng.randint(*shapes.rectangle_sides),
                rng.randint(*shapes.rectangle_sides),
            )
            fits = height <= rows and width <= cols
            if fits and low <= height * width / (rows * cols) <= high:
                break
    else:
        lines = rng.randint(*shapes.range_lines)
        height, width = (lines, cols) if kind is RegionType.ROW_RANGE else (rows, lines)
    top, left = rng.randint(1, rows - height + 1), rng.randint(1, cols - width + 1)
    return Box(top, top + height - 1, left, left + width - 1)


def _meets(plan: ScenePlan, cells: Sequence[Cell], boxes: Mapping[str, Box]) -> bool:
    for template, box in boxes.items():
        inside = sum(box.holds(cell) for cell in cells)
        asked = plan.exceptions - inside if template == T5 else inside
        if case_of(asked, plan.exceptions) != plan.cases[template]:
            return False
    return True
