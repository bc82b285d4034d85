"""Recompute every main row's difficulty from the rule in the export summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Rule:
    """The summary's rule, as far as it makes sense."""

    points: tuple[_Point, ...]
    hard_at: int


def _read(rule: Mapping[str, Any], columns: Collection[str]) -> tuple[list[_Point], list[Fault]]:
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


def _level(row: Row, scene: Scene, rule: Rule) -> str | None:
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
    won = sum(
        point.holds(settled.get(point.field, row[point.field]), subset) for point in rule.points
    )
    return "hard" if won >= rule.hard_at else "medium"


def read_rule(rule: Mapping[str, Any] | None, columns: Collection[str]) -> Rule | list[Fault]:
    """The rule by which rows are called hard, or what is wrong with it.

    Args:
        rule: the summary's ``difficulty_rule``.
        columns: of a row.
    """
    if rule is None:
        detail = "difficulty_rule is null, which only a replayed release may have"
        return [fault("summary", NAME, detail)]
    points, faults = _read(rule, columns)
    return faults or Rule(tuple(points), rule["hard_at"])


@dataclass
class Levels:
    """What comes of comparing rows with the rule."""

    rows: int = 0
    odd: int = 0
    """Rows that have another difficulty than it gives."""
    first: list[tuple[str, str, str]] = field(default_factory=list)
    """Of the first of those: item, what it says and what it must."""

    def note(self, scenes: Iterable[Scene], rule: Rule) -> None:
        """Compare the main rows of scenes that have been checked."""
        for scene in scenes:
            for row in scene.rows.values():
                self.rows += 1
                level, says = _level(row, scene, rule), row["difficulty"]
                # That a main row is no bridge has been said where rows are checked one by one.
                if level is not None and says not in (level, "bridge"):
                    self.odd += 1
                    self.first.append((row["item_id"], says, level))
        del self.first[_MOST_NAMED:]

    def add(self, other: Levels) -> None:
        """Add what comes of later scenes."""
        self.rows += other.rows
        self.odd += other.odd
        self.first = [*self.first, *other.first][:_MOST_NAMED]

    def faults(self) -> list[Fault]:
        """A fault for each odd row, or one that there are many."""
        if self.odd > _MOST_NAMED:
            item_id, says, level = self.first[0]
            detail = (
                f"difficulty_rule gives {self.odd} of {self.rows} items another difficulty than"
                f" they have: {level!r}, not {says!r}, to {item_id}, the first"
            )
            return [fault("summary", NAME, detail)]
        return [
            fault(
                "field",
                item_id,
                f"difficulty is {says!r}, but must be {level!r} by difficulty_rule",
            )
            for item_id, says, level in self.first
        ]
