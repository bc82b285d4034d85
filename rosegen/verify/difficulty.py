"""Recompute every main row's difficulty from the rule in the export summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rosegen.verify.reading import Row
from rosegen.verify.report import Fault, fault
from rosegen.verify.rows import region_case
from rosegen.verify.scenes import Scene
from rosegen.verify.summary import NAME

_MOST_NAMED = 4
"""Rows that are named one by one; if more go against it, the rule itself is in doubt."""
_TESTS = ("equals", "at_least", "at_most")


@dataclass(frozen=True)
class _Point:
    field: str
    subset: str | None
    test: str
    bound: str | float

    def holds(self, value: object, subset: object) -> bool:
        if self.subset is not None and subset != self.subset:
            return False
        if self.test == "equals":
            return value == self.bound
        if isinstance(value, str) or not isinstance(value, (int, float)):
            return False
        bound = float(self.bound)
        return value >= bound if self.test == "at_least" else value <= bound


def _read(rule: Mapping[str, Any], columns: Row) -> tuple[list[_Point], list[Fault]]:
    points, faults = [], []
    for index, each in enumerate(rule["points"]):
        tests = [name for name in _TESTS if each[name] is not None]
        path = f"difficulty_rule.points[{index}]"
        if len(tests) != 1:
            detail = f"{path} must have one of {', '.join(_TESTS)}, but has {len(tests)}"
            faults.append(fault("summary", NAME, detail))
        elif each["field"] not in columns:
            detail = f"{path}.field is {each['field']!r}, which is no column of an item"
            faults.append(fault("summary", NAME, detail))
        else:
            points.append(_Point(each["field"], each["subset"], tests[0], each[tests[0]]))
    return points, faults


def _level(row: Row, scene: Scene, points: Sequence[_Point], hard_at: int) -> str | None:
    """The row's difficulty by its scene's settled values; None when those make no sense."""
    area = scene.areas.get(row["task_template"])
    if scene.truth is None or area is None:
        return None
    targets = scene.truth.targets
    inside = sum(area.holds(spot) for spot in targets)
    settled = {
        **scene.shared,
        "global_target_count": len(targets),
        "region_target_count": inside,
        "region_case": region_case(inside, len(targets)),
    }
    subset = scene.shared["rose_subset"]
    won = sum(point.holds(settled.get(point.field, row[point.field]), subset) for point in points)
    return "hard" if won >= hard_at else "medium"


def check_difficulty(
    rule: Mapping[str, Any] | None, scenes: Sequence[Scene], replayed: bool
) -> list[Fault]:
    """Compare the difficulty of every main row with what the rule gives.

    Args:
        rule: the summary's ``difficulty_rule``.
        scenes: the scenes, checked.
        replayed: whether the release is a replayed one, which may know no rule.
    """
    if rule is None:
        detail = "difficulty_rule is null, which only a replayed release may have"
        return [] if replayed else [fault("summary", NAME, detail)]
    rows = [(row, scene) for scene in scenes for row in scene.rows.values()]
    if not rows:
        return []
    points, faults = _read(rule, rows[0][0])
    if faults:
        return faults
    odd = []
    for row, scene in rows:
        level = _level(row, scene, points, rule["hard_at"])
        # That a main row is no bridge has been said where rows are checked one by one.
        if level not in (None, row["difficulty"]) and row["difficulty"] != "bridge":
            odd.append((row, level))
    if len(odd) > _MOST_NAMED:
        first, level = odd[0]
        detail = (
            f"difficulty_rule gives {len(odd)} of {len(rows)} items another difficulty than they"
            f" have: {level!r}, not {first['difficulty']!r}, to {first['item_id']}, the first"
        )
        return [fault("summary", NAME, detail)]
    return [
        fault(
            "field",
            row["item_id"],
            f"difficulty is {row['difficulty']!r}, but must be {level!r} by difficulty_rule",
        )
        for row, level in odd
    ]
