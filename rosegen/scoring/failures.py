"""How an answer failed: one item may fail in several ways; the first is the one to look at.

The six from ``failure_to_abstain`` to ``region_over_reach`` are those ROSE's paper names; each is
defined on sets of cells, with P the cells of the grid that were clicked, G the gold cells, T all
exceptions of the scene, A the cells asked about. A click outside A is always one of
``region_ignored`` and ``region_over_reach``. To abstain is to click nothing: a number above 0
where G is empty is a wrong count, no failure to abstain: ROSE sets the one against the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from rosegen.scene import T1
from rosegen.scoring.items import Area, Cell, cells_of

FAILURES = {
    "api": "the API gave an error, and no right answer",
    "format": "the answer is not of the grammar",
    "off_grid": "a click off the grid",
    "duplicate_click": "a cell clicked twice",
    "failure_to_abstain": "G is empty, and there is a click",
    "region_ignored": "a click on an exception outside A",
    "count_anchoring": "the number given (or, for CLICK, of P) is that of T, not of G",
    "one_cell_shift": "clicks are as many as G, each on or next to a cell of G of its own",
    "set_expansion": "P is more than G, and all extra clicks hang on clicked cells of G",
    "region_over_reach": "a click outside A, on no exception",
    "submit_mismatch": "the number submitted is not that of P",
    "miscount": "the number given is wrong, and not that of T",
    "missed_target": "a cell of G is not clicked",
    "extra_click": "a click on a cell of A that is no exception",
}
BIT = {name: 1 << place for place, name in enumerate(FAILURES)}


def failures_of(row: Mapping[str, Any], area: Area) -> Sequence[str]:
    """The ways a scored row failed, most telling first; empty when it passed.

    Args:
        row: as ``score_item`` makes it.
        area: the cells the item asks about.
    """
    if row["pass"]:
        return ()
    if row["api_error"]:
        return ["api"]
    if not row["format_valid"]:
        return ["format"]
    found = _by_clicks(row, area) if row["click_applicable"] else set()
    # ROSE's rows have SUBMIT's number as pred_count; a CLICK answer has none but its clicks'.
    said = row["pred_click_count_unique"] if row["pred_count"] is None else row["pred_count"]
    everywhere, wanted = len(row["all_target_cells"]), row["gt_count"]
    anchored = said == everywhere != wanted and row["task_template"] != T1
    if anchored:
        found.add("count_anchoring")
    elif row["count_applicable"] and said != wanted:
        found.add("miscount")
    if row["click_submit_consistency"] == 0:
        found.add("submit_mismatch")
    return [name for name in FAILURES if name in found]


def _by_clicks(row: Mapping[str, Any], area: Area) -> set[str]:
    clicked = cells_of(row["pred_clicks_valid_unique"])
    gold = cells_of(row["gt_clicks"])
    targets = cells_of(row["all_target_cells"])
    # As one text: labels read one by one are kept, and these may be of any length.
    off_grid = cells_of(" ".join(row["pred_clicks_invalid"]))
    extra, missed = clicked - gold, gold - clicked
    outside = {cell for cell in extra if not area.holds(cell)}
    signs = {
        "off_grid": bool(off_grid),
        "duplicate_click": row["duplicate_click_count"] > 0,
        "failure_to_abstain": bool(clicked or off_grid) and not gold,
        "region_ignored": bool(outside & targets),
        # A shift at the border leaves the grid.
        "one_cell_shift": _shifted(clicked | off_grid, gold),
        # Where the extra clicks are on exceptions, it is the region that was ignored.
        "set_expansion": len(clicked) > len(gold)
        and bool(extra - targets)
        and _hangs_on(extra, clicked & gold),
        "region_over_reach": bool(outside - targets),
        "missed_target": bool(missed),
        "extra_click": bool(extra - outside),
    }
    return {name for name, shown in signs.items() if shown}


def _around(cell: Cell) -> list[Cell]:
    """A cell and those that share a side or a corner with it, by row, then column."""
    row, col = cell
    return [(row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]


def _shifted(clicks: Set[Cell], gold: Set[Cell]) -> bool:
    """Whether the clicks are the gold cells but for one step each (bipartite matching)."""
    if clicks == gold or len(clicks) != len(gold):
        return False
    partner: dict[Cell, Cell] = {}

    def place(click: Cell, tried: set[Cell]) -> bool:
        near = [cell for cell in _around(click) if cell in gold and cell not in tried]
        tried.update(near)
        for target in sorted(near, key=partner.__contains__):  # those without a partner first
            if target not in partner or place(partner[target], tried):
                partner[target] = click
                return True
        return False

    return all(place(click, set()) for click in sorted(clicks))


def _hangs_on(extra: Set[Cell], found: Set[Cell]) -> bool:
    """Whether every extra click reaches a gold cell that was clicked through neighbours."""
    left, edge = set(extra), set(found)
    while edge and left:
        edge = left & {near for cell in edge for near in _around(cell)}
        left -= edge
    return not left
