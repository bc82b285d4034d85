"""The numbers of all scored rows as arrays: about 150 bytes a row, whatever the text was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from rosegen.row_files import name_of
from rosegen.scoring.failures import BIT

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.int8]

# None becomes NaN.
FLOATS = (
    "unified_soft",
    "count_mae",
    "count_bias",
    "count_soft",
    "click_precision",
    "click_recall",
    "click_f1",
    "click_f1_strict",
    "click_iou",
    "click_iou_strict",
    "near_miss_rate",
)
# 0 or 1; None becomes -1. So become counts: whether they are above 0.
FLAGS = (
    "pass",
    "format_valid",
    "format_error",
    "api_error",
    "count_applicable",
    "count_exact",
    "click_applicable",
    "click_exact_set",
    "click_exact_set_strict",
    "region_ok",
    "submit_applicable",
    "submit_exact",
    "click_submit_consistency",
    "global_default_error",
    "exclusion_failure",
)
COUNTS = (
    "region_violation_count",
    "invalid_coordinate_count",
    "duplicate_click_count",
    "over_click_count",
    "under_click_count",
)
# Names, as numbers that ``levels`` spells out.
NAMED = ("rose_subset", "task_template", "task_mode", "region_type", "scene_id")
BREAKDOWNS = (
    "difficulty",
    "grid_profile",
    "exception_count",
    "region_case",
    "similarity_bin",
)

_floats, _flags, _counts = itemgetter(*FLOATS), itemgetter(*FLAGS), itemgetter(*COUNTS)
_named = itemgetter(*NAMED)
_CHUNK = 4096
_BINS = ((0.80, "< 0.80"), (0.90, "0.80 to 0.90"), (0.95, "0.90 to 0.95"), (2.0, ">= 0.95"))
UNKNOWN = "unknown"


class Columns:
    """The scored rows, column by column.

    ``floats[name]``, ``flags[name]`` and ``codes[name]`` are arrays of one value a row;
    ``levels[name]`` spells out the codes; ``failures`` holds a bit for each kind of failure.
    """

    def __init__(self) -> None:
        self.floats: dict[str, Floats] = {}
        self.flags: dict[str, Flags] = {}
        self.codes: dict[str, npt.NDArray[np.int32]] = {}
        self.failures: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self.levels: dict[str, list[str]] = {}
        self._known: dict[str, dict[str, int]] = {name: {} for name in (*NAMED, *BREAKDOWNS)}
        self._pending: tuple[list[Any], ...] = ([], [], [])
        self._done: tuple[list[npt.NDArray[Any]], ...] = ([], [], [])

    def add(self, row: Mapping[str, Any], item: Mapping[str, Any], failures: Sequence[str]) -> None:
        """Take in a scored row, the row of metadata it came from, and how it failed."""
        floats, flags, codes = self._pending
        floats.append(_floats(row))
        flags.append((*_flags(row), *_counts(row), None if row["pred_count"] is None else 1))
        names = (*map(str, _named(row)), *_breakdown(row, item))
        code = [
            known.setdefault(name, len(known)) for known, name in zip(self._known.values(), names)
        ]
        code.append(sum(BIT[name] for name in failures))
        codes.append(code)
        if len(floats) == _CHUNK:
            self._flush()

    def _flush(self) -> None:
        floats, flags, codes = self._pending
        if floats:
            judged = np.array(flags, np.float64).T  # None becomes NaN
            self._done[0].append(np.array(floats, np.float64).T)
            self._done[1].append(np.where(np.isnan(judged), -1, judged > 0).astype(np.int8))
            self._done[2].append(np.array(codes, np.int32).T)
        for pending in self._pending:
            pending.clear()

    def finish(self, order: npt.NDArray[np.intp]) -> None:
        """Put the rows in their final order; nothing can be added after."""
        self._flush()
        floats, flags, codes = (np.concatenate(done, axis=1) for done in self._done)
        self._done = ([], [], [])
        self.floats = {name: column[order] for name, column in zip(FLOATS, floats)}
        self.flags = {
            name: column[order] for name, column in zip((*FLAGS, *COUNTS, "has_count"), flags)
        }
        self.codes = {name: column[order] for name, column in zip(self._known, codes)}
        self.failures = codes[-1][order]
        self.levels = {name: list(map(name_of, known)) for name, known in self._known.items()}
        self._known.clear()

    def select(self, rows: npt.NDArray[np.bool_]) -> Columns:
        """Some of the rows, in the same order."""
        part = Columns()
        part.floats = {name: column[rows] for name, column in self.floats.items()}
        part.flags = {name: column[rows] for name, column in self.flags.items()}
        part.codes = {name: column[rows] for name, column in self.codes.items()}
        part.failures = self.failures[rows]
        for name, codes in list(part.codes.items()):
            used, places = np.unique(codes, return_inverse=True)
            part.codes[name] = places.astype(np.int32)
            part.levels[name] = [self.levels[name][code] for code in used]
        return part

    def __len__(self) -> int:
        return len(self.failures)

    def value(self, name: str) -> Floats:
        """A float column, or a flag as 0, 1 or NaN."""
        if name in self.floats:
            return self.floats[name]
        flags = self.flags[name].astype(np.float64)
        flags[flags < 0] = np.nan
        return flags

    def is_level(self, name: str, level: str) -> npt.NDArray[np.bool_]:
        """Which rows have this level of a named column."""
        levels = self.levels[name]
        if level not in levels:
            return np.zeros(len(self), bool)
        return np.asarray(self.codes[name] == levels.index(level))


def _breakdown(row: Mapping[str, Any], item: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        str(row["difficulty"] or UNKNOWN),
        str(item.get("grid_size_profile") or UNKNOWN),
        str(len(row["all_target_cells"])),
        region_case(str(row["region_case"] or UNKNOWN)),
        similarity_bin(item.get("similarity")),
    )


@lru_cache(maxsize=4096)
def region_case(name: str) -> str:
    """``zero``, ``partial`` or ``all``: what a fallback label of ROSE got, not what it wanted."""
    return name.split("_")[1] if name.startswith("fallback_") and name.count("_") > 1 else name


def similarity_bin(similarity: Any) -> str:
    """A bin of the pair's similarity; 0.95 is where ROSE's rule of difficulty has its edge."""
    if not isinstance(similarity, int | float):
        return UNKNOWN
    for edge, name in _BINS:
        if similarity < edge:
            return name
    return UNKNOWN
