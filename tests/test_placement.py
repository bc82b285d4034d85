"""Placements: every region case is met, by regions of the shapes the pipeline allows."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from rosegen.data import pipelines_dir
from rosegen.errors import RosegenError
from rosegen.geometry import Cell, RegionType
from rosegen.pipeline import RegionShapes, Subset, load_pipeline
from rosegen.placement import Placement, place
from rosegen.plan import ScenePlan, plan_subset
from rosegen.scene import T1, T2, T3, T4, T5, Grid
from tests.core_maker import LAW, small_subset

LOCAL = (T2, T3, T4, T5)
KINDS = (RegionType.ROW_RANGE, RegionType.COL_RANGE, RegionType.RECTANGLE)
SHIPPED = sorted(path.stem for path in pipelines_dir().glob("*.yaml"))
Spot = tuple[int, int]


def shape_is_allowed(
    kind: RegionType, bounds: tuple[int, int, int, int], grid: Grid, shapes: RegionShapes
) -> bool:
    r1, r2, c1, c2 = bounds
    height, width = r2 - r1 + 1, c2 - c1 + 1
    if not (1 <= r1 <= r2 <= grid.rows and 1 <= c1 <= c2 <= grid.cols):
        return False
    lines, sides = shapes.range_lines, shapes.rectangle_sides
    if kind is RegionType.ROW_RANGE:
        return lines[0] <= height <= lines[1] and width == grid.cols and height < grid.rows
    if kind is RegionType.COL_RANGE:
        return lines[0] <= width <= lines[1] and height == grid.rows and width < grid.cols
    share = height * width / (grid.rows * grid.cols)
    low, high = shapes.rectangle_coverage
    fits = sides[0] <= height <= sides[1] and sides[0] <= width <= sides[1]
    return fits and low <= share <= high


def case_is_met(case: str, asked: int, total: int) -> bool:
    return {"zero": asked == 0, "partial": 0 < asked < total, "all": asked == total}[case]


def check_placement(subset: Subset, plan: ScenePlan, placed: Placement) -> None:
    grid, spots = plan.grid, [tuple(cell) for cell in placed.exceptions]
    assert len(spots) == len(set(spots)) == plan.exceptions
    assert all(1 <= r <= grid.rows and 1 <= c <= grid.cols for r, c in spots)
    assert set(placed.contexts) == {T1, *LOCAL}
    assert tuple(placed.contexts[T1].region.box) == (1, grid.rows, 1, grid.cols)
    for template in LOCAL:
        context = placed.contexts[template]
        r1, r2, c1, c2 = context.region.box
        inside = [1 for r, c in spots if r1 <= r <= r2 and c1 <= c <= c2]
        asked = len(spots) - len(inside) if template == T5 else len(inside)
        assert context.case == plan.cases[template]
        assert context.excluded == (template == T5)
        assert case_is_met(context.case, asked, len(spots)), (template, spots, context)
        kind = plan.region_types[template]
        assert context.region.type is (RegionType.VISUAL_REGION if template == T4 else kind)
        assert shape_is_allowed(kind, (r1, r2, c1, c2), grid, subset.regions)
        held = [cell for cell in all_cells(grid) if context.holds(cell)]
        assert len(held) == context.size(grid.rows, grid.cols)
        assert held, f"{template} asks about no cell at all"


def all_cells(grid: Grid) -> list[Cell]:
    return [Cell(r, c) for r in range(1, grid.rows + 1) for c in range(1, grid.cols + 1)]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_pipelines_meet_every_case(name: str) -> None:
    for subset in load_pipeline(name).subsets:
        for plan in plan_subset(subset)[::3]:
            check_placement(subset, plan, place(subset, plan))


@st.composite
def tasks(draw: st.DrawFn, largest: int = 12) -> tuple[Subset, ScenePlan]:
    rows, cols = draw(st.integers(3, largest)), draw(st.integers(3, largest))
    lines = draw(st.integers(1, 2))
    side = draw(st.integers(1, 3))
    shapes = RegionShapes(
        range_lines=(lines, lines + draw(st.integers(0, 3))),
        rectangle_sides=(side, side + draw(st.integers(0, 3))),
        rectangle_coverage=(draw(st.sampled_from([0.0, 0.05])), draw(st.sampled_from([0.5, 0.9]))),
        type_shares={"RECTANGLE": 1},
    )
    count = draw(st.integers(1, min(6, rows * cols - 1)))
    cases = ["zero", "all"] + ["partial"] * (count > 1)
    plan = ScenePlan(
        number=draw(st.integers(1, 10**5)),
        grid=Grid("any", rows, cols, 20),
        exceptions=count,
        cases={t: draw(st.sampled_from(cases)) for t in LOCAL},
        region_types={
            t: RegionType.RECTANGLE if t == T4 else draw(st.sampled_from(KINDS)) for t in LOCAL
        },
        cue="MASK",
        split="test",
    )
    return replace(small_subset(), regions=shapes), plan


@LAW
@given(tasks())
def test_a_placement_meets_every_case_or_says_that_it_cannot(
    task: tuple[Subset, ScenePlan],
) -> None:
    subset, plan = task
    try:
        placed = place(subset, plan)
    except RosegenError as error:
        assert f"{subset.name} scene {plan.number}: no placement" in str(error)
        assert "\n" not in str(error)
        return
    check_placement(subset, plan, placed)
    assert place(subset, plan) == placed


def boxes_by_looking(
    kind: RegionType, grid: Grid, shapes: RegionShapes
) -> list[tuple[int, int, int, int]]:
    rows, cols = range(1, grid.rows + 1), range(1, grid.cols + 1)
    every = [(r1, r2, c1, c2) for r1 in rows for r2 in rows for c1 in cols for c2 in cols]
    return [bounds for bounds in every if shape_is_allowed(kind, bounds, grid, shapes)]


def one_exists(subset: Subset, plan: ScenePlan) -> bool:
    """Whether any placement at all meets the plan, by trying every one."""
    boxes = {t: boxes_by_looking(plan.region_types[t], plan.grid, subset.regions) for t in LOCAL}
    size = plan.grid.rows * plan.grid.cols
    for spots in combinations(all_cells(plan.grid), plan.exceptions):
        for template in LOCAL:
            for r1, r2, c1, c2 in boxes[template]:
                if template == T5 and (r2 - r1 + 1) * (c2 - c1 + 1) == size:
                    continue  # outside the whole grid there is nothing to ask about
                inside = sum(r1 <= r <= r2 and c1 <= c <= c2 for r, c in spots)
                asked = plan.exceptions - inside if template == T5 else inside
                if case_is_met(plan.cases[template], asked, plan.exceptions):
                    break
            else:
                break
        else:
            return True
    return False


@settings(LAW, max_examples=250, phases=[Phase.generate])
@given(tasks(largest=4))
def test_a_placement_is_refused_only_where_there_is_none(task: tuple[Subset, ScenePlan]) -> None:
    subset, plan = task
    plan = replace(plan, exceptions=min(plan.exceptions, 3))
    if plan.exceptions == 1:
        plan = replace(
            plan, cases={t: "all" if c == "partial" else c for t, c in plan.cases.items()}
        )
    try:
        placed = place(subset, plan)
    except RosegenError:
        assert not one_exists(subset, plan)
        return
    check_placement(subset, plan, placed)


def test_a_placement_that_is_one_among_thousands_is_found() -> None:
    """Four on 5 x 5 that leave three neighbouring rows and columns empty: 9 of 12,650."""
    shapes = RegionShapes((3, 3), (2, 3), (0.0, 1.0), {"RECTANGLE": 1})
    subset = replace(small_subset(), regions=shapes)
    kinds = {T2: KINDS[0], T3: KINDS[1], T4: KINDS[2], T5: KINDS[2]}
    cases = {T2: "zero", T3: "zero", T4: "partial", T5: "partial"}
    for number in range(1, 6):
        plan = ScenePlan(number, Grid("any", 5, 5, 20), 4, cases, kinds, "MASK", "test")
        assert one_exists(subset, plan)
        check_placement(subset, plan, place(subset, plan))


@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_range_is_never_the_whole_grid(kind: RegionType) -> None:
    shapes = RegionShapes((2, 6), (1, 2), (0.0, 0.5), {"RECTANGLE": 1})
    subset = replace(small_subset(), regions=shapes)
    kinds = {T2: kind, T3: kind, T4: KINDS[2], T5: kind}
    for number in range(1, 31):
        cases = dict.fromkeys(LOCAL, "all") | {T5: "zero"}
        plan = ScenePlan(number, Grid("any", 3, 4, 20), 1, cases, kinds, "MASK", "test")
        check_placement(subset, plan, place(subset, plan))


def test_nothing_is_never_all_that_lies_outside_a_region() -> None:
    """Rectangles that may cover the whole grid are no regions to leave out."""
    shapes = RegionShapes((1, 2), (2, 4), (0.0, 1.0), {"RECTANGLE": 1})
    subset = replace(small_subset(), regions=shapes)
    kinds = dict.fromkeys(LOCAL, RegionType.RECTANGLE)
    cases = {T2: "all", T3: "all", T4: "all", T5: "zero"}
    for number in range(1, 41):
        plan = ScenePlan(number, Grid("any", 4, 4, 20), 2, cases, kinds, "MASK", "test")
        check_placement(subset, plan, place(subset, plan))


def test_the_impossible_is_refused_in_one_line() -> None:
    shapes = RegionShapes((1, 1), (1, 1), (0.0, 0.1), {"RECTANGLE": 1})
    plan = ScenePlan(
        4,
        Grid("any", 5, 5, 20),
        3,
        dict.fromkeys(LOCAL, "all"),
        dict.fromkeys(LOCAL, RegionType.RECTANGLE),
        "MASK",
        "test",
    )
    with pytest.raises(RosegenError, match="Edits scene 4: no placement of 3 exceptions on a 5 x"):
        place(replace(small_subset(), regions=shapes), plan)
