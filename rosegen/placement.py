"""Where the exceptions lie and which regions are asked about, chosen together.

Every region of the wanted type is enumerated (at most a few thousand), so a region case is met
exactly wherever a placement can meet it. Regions that must hold every exception are chosen first,
and the exceptions put where those overlap; the other regions are looked up after that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice

import numpy as np
import numpy.typing as npt

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.geometry import Box, Cell, Region, RegionType
from rosegen.pipeline import RegionShapes, Subset
from rosegen.plan import ScenePlan
from rosegen.scene import T1, T4, T5, TEMPLATES, Context, whole_grid

Boxes = npt.NDArray[np.int64]  # (n, 4): r1, r2, c1, c2

_TRIES = 400
_SEARCHED = 100_000


@dataclass(frozen=True)
class Placement:
    """The exceptions in draw order, and the context of each of the five templates."""

    exceptions: tuple[Cell, ...]
    contexts: Mapping[str, Context]


def place(subset: Subset, plan: ScenePlan) -> Placement:
    """A placement that meets every region case of the plan.

    Raises:
        RosegenError: when none was found, which means the quotas ask for the impossible.
    """
    for attempt in range(_TRIES):
        draws = Draws(subset.seed, subset.name, plan.number, "place", attempt)
        placement = _try(subset, plan, draws)
        if placement is not None:
            return placement
    placement = _search(subset, plan)
    if placement is not None:
        return placement
    wanted = ", ".join(f"{t[:2]} {case}" for t, case in plan.cases.items())
    raise RosegenError(
        f"{subset.name} scene {plan.number}: no placement of {plan.exceptions} exceptions on a "
        f"{plan.grid.rows} x {plan.grid.cols} grid meets {wanted}: change region_cases or regions"
    )


def _inside_case(template: str, case: str) -> str:
    """The case as seen from inside the box: T5 asks about what lies outside it."""
    return {"zero": "all", "all": "zero"}.get(case, case) if template == T5 else case


def _try(subset: Subset, plan: ScenePlan, draws: Draws) -> Placement | None:
    grid, count = plan.grid, plan.exceptions
    inside = {t: _inside_case(t, case) for t, case in plan.cases.items()}
    boxes = {t: _boxes(subset.regions, grid.rows, grid.cols, plan.region_types[t]) for t in inside}
    chosen: dict[str, Box] = {}
    ground = Box(1, grid.rows, 1, grid.cols)
    for template in (t for t, case in inside.items() if case == "all"):
        overlaps = _overlap_sizes(boxes[template], ground)
        fitting = np.flatnonzero(overlaps >= count)
        if fitting.size == 0:
            return None
        chosen[template] = _box(boxes[template][fitting[draws.below(fitting.size)]])
        ground = _overlap(ground, chosen[template])
    exceptions = tuple(draws.sample(list(ground.cells()), count))
    for template in (t for t in inside if t not in chosen):
        held = _held(boxes[template], exceptions, grid.rows, grid.cols)
        fitting = np.flatnonzero(_meets(inside[template], held, count))
        if fitting.size == 0:
            return None
        chosen[template] = _box(boxes[template][fitting[draws.below(fitting.size)]])
    return _placement(plan, exceptions, chosen)


def _meets(inside: str, held: Boxes, count: int) -> npt.NDArray[np.bool_]:
    """Which boxes hold as many exceptions as the case, seen from inside, asks for."""
    if inside == "zero":
        return np.asarray(held == 0)
    return np.asarray(held == count if inside == "all" else (held > 0) & (held < count))


def _boxes_by_template(subset: Subset, plan: ScenePlan) -> dict[str, Boxes]:
    rows, cols = plan.grid.rows, plan.grid.cols
    return {t: _boxes(subset.regions, rows, cols, plan.region_types[t]) for t in plan.cases}


def _placement(
    plan: ScenePlan, exceptions: tuple[Cell, ...], chosen: Mapping[str, Box]
) -> Placement:
    contexts = {T1: whole_grid(plan.grid)}
    for template in TEMPLATES[1:]:
        # T4's region is a rectangle too, but what a row says of it is that it is marked.
        kind = RegionType.VISUAL_REGION if template == T4 else plan.region_types[template]
        region = Region(kind, chosen[template])
        contexts[template] = Context(region, plan.cases[template], excluded=template == T5)
    return Placement(exceptions, contexts)


def _search(subset: Subset, plan: ScenePlan) -> Placement | None:
    """Every set of exceptions in turn, in a drawn order, until one meets all cases.

    For given exceptions the templates do not depend on each other, so this misses nothing. Only a
    small grid comes to this; on a large one ``_SEARCHED`` sets are looked at.
    """
    grid, count = plan.grid, plan.exceptions
    draws = Draws(subset.seed, subset.name, plan.number, "search")
    inside = {t: _inside_case(t, case) for t, case in plan.cases.items()}
    boxes = _boxes_by_template(subset, plan)
    cells = draws.shuffled(list(Box(1, grid.rows, 1, grid.cols).cells()))
    for exceptions in islice(combinations(cells, count), _SEARCHED):
        fitting = {}
        for template, case in inside.items():
            held = _held(boxes[template], exceptions, grid.rows, grid.cols)
            fitting[template] = np.flatnonzero(_meets(case, held, count))
            if fitting[template].size == 0:
                break
        else:
            chosen = {
                t: _box(boxes[t][found[draws.below(found.size)]]) for t, found in fitting.items()
            }
            return _placement(plan, exceptions, chosen)
    return None


@lru_cache(maxsize=4096)
def _boxes_of(
    shapes: tuple[tuple[int, int], tuple[int, int], tuple[float, float]],
    rows: int,
    cols: int,
    kind: RegionType,
) -> Boxes:
    lines, sides, coverage = shapes
    found: list[tuple[int, int, int, int]] = []
    if kind is RegionType.ROW_RANGE:
        for height in range(lines[0], min(lines[1], rows - 1) + 1):
            found += [(r, r + height - 1, 1, cols) for r in range(1, rows - height + 2)]
    elif kind is RegionType.COL_RANGE:
        for width in range(lines[0], min(lines[1], cols - 1) + 1):
            found += [(1, rows, c, c + width - 1) for c in range(1, cols - width + 2)]
    else:
        for height in range(sides[0], min(sides[1], rows) + 1):
            for width in range(sides[0], min(sides[1], cols) + 1):
                covers = height * width / (rows * cols)
                if coverage[0] <= covers <= coverage[1] and covers < 1:
                    found += [
                        (r, r + height - 1, c, c + width - 1)
                        for r in range(1, rows - height + 2)
                        for c in range(1, cols - width + 2)
                    ]
    return np.array(found, np.int64).reshape(-1, 4)


def _boxes(shapes: RegionShapes, rows: int, cols: int, kind: RegionType) -> Boxes:
    """Every region of a type on a grid, sizes first, then places from the top left."""
    key = (shapes.range_lines, shapes.rectangle_sides, shapes.rectangle_coverage)
    return _boxes_of(key, rows, cols, kind)


def _held(boxes: Boxes, exceptions: tuple[Cell, ...], rows: int, cols: int) -> Boxes:
    """How many exceptions each box holds, from sums over the grid."""
    marks = np.zeros((rows + 1, cols + 1), np.int64)
    for cell in exceptions:
        marks[cell.row, cell.col] = 1
    sums = marks.cumsum(axis=0).cumsum(axis=1)
    r1, r2, c1, c2 = boxes.T
    return np.asarray(sums[r2, c2] - sums[r1 - 1, c2] - sums[r2, c1 - 1] + sums[r1 - 1, c1 - 1])


def _overlap_sizes(boxes: Boxes, ground: Box) -> Boxes:
    r1, r2, c1, c2 = boxes.T
    height = np.minimum(r2, ground.r2) - np.maximum(r1, ground.r1) + 1
    width = np.minimum(c2, ground.c2) - np.maximum(c1, ground.c1) + 1
    return np.asarray(np.maximum(height, 0) * np.maximum(width, 0))


def _overlap(a: Box, b: Box) -> Box:
    return Box(max(a.r1, b.r1), min(a.r2, b.r2), max(a.c1, b.c1), min(a.c2, b.c2))


def _box(bounds: Boxes) -> Box:
    return Box(*(int(value) for value in bounds))
