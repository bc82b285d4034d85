"""How an answer failed: one item may fail in several ways; the first is the one to look at.

The first five regional kinds are those ROSE's paper names; each is defined on sets of cells, with
P the cells clicked, G the gold cells, T all exceptions of the scene, A the cells asked about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosegen.scene import T1
from rosegen.scoring.items import Area, Cell, cells_of

FAILURES = {
    "api": "the API gave an error, no answer",
    "format": "the answer is not of the grammar",
    "off_grid": "a click off the grid",
    "duplicate_click": "a cell clicked twice",
    "failure_to_abstain": "G is empty, P is not",
    "region_ignored": "a click on an exception outside A",
    "count_anchoring": "the number given (or, for CLICK, of P) is that of T, not of G",
    "one_cell_shift": "P is as many as G, and each wrong click is next to a missed cell of its own",
    "set_expansion": "P is more than G, and all extra clicks hang together with a cell of G",
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
    extra, missed = clicked - gold, gold - clicked
    outside = {cell for cell in extra if not area.holds(cell)}
    signs = {
        "off_grid": row["invalid_coordinate_count"] > 0,
        "duplicate_click": row["duplicate_click_count"] > 0,
        "failure_to_abstain": bool(clicked) and not gold,
        "region_ignored": bool(outside & targets),
        "one_cell_shift": bool(extra) and len(extra) == len(missed) and _paired(extra, missed),
        "set_expansion": bool(gold) and len(clicked) > len(gold) and _hangs_on(extra, gold),
        "region_over_reach": bool(outside - targets),
        "missed_target": bool(missed),
        "extra_click": bool(extra - outside),
    }
    return {name for name, shown in signs.items() if shown}


def _touch(a: Cell, b: Cell) -> bool:
    """Whether two cells share a side or a corner."""
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def _paired(extra: set[Cell] | frozenset[Cell], missed: frozenset[Cell]) -> bool:
    """Whether each wrong click can have a missed neighbour of its own (augmenting paths)."""
    partner: dict[Cell, Cell] = {}

    def place(click: Cell, tried: set[Cell]) -> bool:
        for target in sorted(missed - tried):
            if _touch(click, target) and target not in tried:
                tried.add(target)
                if target not in partner or place(partner[target], tried):
                    partner[target] = click
                    return True
        return False

    return all(place(click, set()) for click in sorted(extra))


def _hangs_on(extra: frozenset[Cell], gold: frozenset[Cell]) -> bool:
    """Whether every extra click reaches a gold cell through neighbours that were clicked."""
    left, edge = set(extra), set(gold)
    while edge and left:
        around = {(r + i, c + j) for r, c in edge for i in (-1, 0, 1) for j in (-1, 0, 1)}
        edge = left & around
        left -= edge
    return not left
