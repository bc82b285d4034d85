"""Cells and regions: spelled as ROSE spells them, and read back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.geometry import Box, Cell, Region, RegionType, labels
from tests.core_maker import LAW

CELLS = st.builds(Cell, st.integers(1, 99), st.integers(1, 99))
NAMED = (RegionType.ROW_RANGE, RegionType.COL_RANGE, RegionType.RECTANGLE)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[int, int, Box]:
    rows, cols = draw(st.integers(1, 20)), draw(st.integers(1, 20))
    r1, c1 = draw(st.integers(1, rows)), draw(st.integers(1, cols))
    return rows, cols, Box(r1, draw(st.integers(r1, rows)), c1, draw(st.integers(c1, cols)))


@LAW
@given(CELLS)
def test_a_label_is_read_back_as_its_cell(cell: Cell) -> None:
    assert Cell.parse(cell.label) == cell
    assert cell.label == f"R{cell.row},C{cell.col}"


@pytest.mark.parametrize(
    "label",
    [
        "",
        "R1",
        "R0,C1",
        "R1,C0",
        "R01,C1",
        "r1,c1",
        "R1, C1",
        "R1,C1 ",
        "R1,C1\n",
        "R-1,C1",
        "R١,C1",
    ],
)
def test_what_is_no_label_is_refused(label: str) -> None:
    with pytest.raises(ValueError, match="not a cell label"):
        Cell.parse(label)


@LAW
@given(boxes())
def test_a_box_holds_the_cells_it_lists_and_no_others(drawn: tuple[int, int, Box]) -> None:
    rows, cols, box = drawn
    listed = list(box.cells())
    assert listed == [
        Cell(r, c) for r in range(1, rows + 1) for c in range(1, cols + 1) if box.holds(Cell(r, c))
    ]
    assert len(listed) == box.size == box.height * box.width


@LAW
@given(boxes(), st.sampled_from(NAMED))
def test_params_are_read_back_as_the_region(drawn: tuple[int, int, Box], kind: RegionType) -> None:
    rows, cols, box = drawn
    if kind is RegionType.ROW_RANGE:
        box = box._replace(c1=1, c2=cols)
    if kind is RegionType.COL_RANGE:
        box = box._replace(r1=1, r2=rows)
    region = Region(kind, box)
    nulls = dict.fromkeys(("r1", "r2", "c1", "c2"))
    for params in (region.params, {**nulls, **region.params}):
        assert Region.from_params(kind, params, rows, cols) == region


@pytest.mark.parametrize(
    "params",
    [{"r1": 0, "r2": 2}, {"r1": 3, "r2": 2}, {"r1": 1, "r2": 6}, {"c1": 2, "c2": 8}, {"c1": -1}],
)
def test_bounds_off_the_grid_are_refused(params: dict[str, int | None]) -> None:
    with pytest.raises(ValueError, match="does not lie on a 5 x 7 grid"):
        Region.from_params(RegionType.RECTANGLE, params, 5, 7)


@pytest.mark.parametrize(
    ("region", "phrase", "params"),
    [
        (Region.whole(9, 8), "in the whole grid", {}),
        (Region(RegionType.ROW_RANGE, Box(4, 4, 1, 8)), "in row 4", {"r1": 4, "r2": 4}),
        (Region(RegionType.ROW_RANGE, Box(3, 5, 1, 8)), "in rows 3 to 5", {"r1": 3, "r2": 5}),
        (Region(RegionType.COL_RANGE, Box(1, 9, 8, 8)), "in column 8", {"c1": 8, "c2": 8}),
        (Region(RegionType.COL_RANGE, Box(1, 9, 2, 4)), "in columns 2 to 4", {"c1": 2, "c2": 4}),
        (
            Region(RegionType.RECTANGLE, Box(4, 8, 5, 9)),
            "from row 4 column 5 to row 8 column 9",
            {"r1": 4, "r2": 8, "c1": 5, "c2": 9},
        ),
    ],
)
def test_regions_are_named_as_rose_names_them(
    region: Region, phrase: str, params: dict[str, int]
) -> None:
    assert region.phrase == phrase
    assert region.params == params


def test_labels_are_sorted_by_row_then_column_as_numbers() -> None:
    cells = [Cell(11, 3), Cell(8, 5), Cell(2, 10), Cell(2, 9)]
    assert labels(cells) == ["R2,C9", "R2,C10", "R8,C5", "R11,C3"]
