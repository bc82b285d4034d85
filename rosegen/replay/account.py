"""What one record says of its scene, as far as the record agrees with itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from rosegen.geometry import Cell, Region, RegionType, labels
from rosegen.replay.asked import difficulty_follows, may_be_said, words_follow
from rosegen.replay.known import fits, is_known
from rosegen.replay.records import Record, Row, cells, text, whole
from rosegen.replay.recovered import Published, RecoveredScene
from rosegen.row_files import name_of
from rosegen.scene import ORIGINS, T1, T4, T5, Context, Grid, case_of, whole_grid

_BOUNDS: Mapping[RegionType, frozenset[str]] = {
    RegionType.ROW_RANGE: frozenset({"r1", "r2"}),
    RegionType.COL_RANGE: frozenset({"c1", "c2"}),
    RegionType.RECTANGLE: frozenset({"r1", "r2", "c1", "c2"}),
}
_CASE = re.compile(r"(zero|partial|all)|fallback_(zero|partial|all)_wanted_(?:zero|partial|all)")
CUES = ("OUTLINE_BOX", "MASK")
LEVELS = ("easy", "medium", "hard")
SPLITS = ("dev", "test")


class Wrong(NamedTuple):
    """A field that its own record speaks against."""

    field: str
    should: str


@dataclass(frozen=True)
class Core:
    """What every record of a scene must agree on: without it there is no scene."""

    subset: str
    rows: int
    cols: int
    cell_size: int
    exceptions: tuple[Cell, ...]

    @property
    def whole(self) -> Context:
        """The context of T1."""
        return whole_grid(Grid("", self.rows, self.cols, self.cell_size))

    def differs(self, other: Core) -> list[str]:
        """The fields of a row in which two cores differ."""
        names = {
            "rose_subset": "subset",
            "rows": "rows",
            "cols": "cols",
            "cell_size": "cell_size",
            "target_cells": "exceptions",
        }
        return [name for name, own in names.items() if getattr(self, own) != getattr(other, own)]


@dataclass(frozen=True)
class Shared:
    """What else every record of a scene says again. ``columns`` as written, if they may be so."""

    split: str | None
    profile: str | None
    image_split: str | None
    columns: Mapping[str, Any]

    def filled(self, other: Shared) -> Shared:
        """This account, with the other's word where this one is silent."""
        return Shared(
            self.split or other.split,
            self.profile or other.profile,
            self.image_split or other.image_split,
            {**self.columns, **{k: v for k, v in other.columns.items() if k not in self.columns}},
        )


def read_core(row: Row) -> tuple[Core | None, tuple[Wrong, ...]]:
    """The core of a scene, or None with what is wrong: a field that is missing, no cell of the
    grid, given twice, or at odds with another field of the same row."""
    wrong = []
    subset = text(row, "rose_subset")
    if subset is None:
        wrong.append(Wrong("rose_subset", "the name of a subset"))
    sizes = {key: whole(row.get(key)) or 0 for key in ("rows", "cols", "cell_size")}
    wrong += [Wrong(key, "a whole number from 1 up") for key, size in sizes.items() if not size]
    exceptions = cells(row.get("target_cells"))
    if exceptions is None:
        wrong.append(Wrong("target_cells", "a list of [row, col] pairs"))
    if wrong or subset is None or exceptions is None:
        return None, tuple(wrong)
    rows, cols, cell_size = sizes.values()
    if not all(1 <= row <= rows and 1 <= col <= cols for row, col in exceptions):
        wrong.append(Wrong("target_cells", f"cells of the grid of {rows} x {cols}"))
    if len(set(exceptions)) < len(exceptions):
        wrong.append(Wrong("target_cells", "cells that are all different"))
    follows: dict[str, Any] = {
        "image_width": cols * cell_size,
        "image_height": rows * cell_size,
    }
    if not wrong:
        follows["all_target_cells"] = labels(exceptions)
    for key, value in follows.items():
        if key in row and row[key] != value:
            wrong.append(Wrong(key, f"{json.dumps(value)} by the row's other fields"))
    core = Core(subset, rows, cols, cell_size, exceptions)
    return (None if wrong else core), tuple(wrong)


def read_shared(row: Row, fields: Set[str]) -> Shared:
    """What the row says of its scene beside the core; columns are what ``fields`` does not name."""
    split = text(row, "split")
    columns = {key: _writable(value) for key, value in row.items() if key not in fields}
    return Shared(
        split if split in SPLITS else None,
        text(row, "grid_size_profile"),
        text(row, "image_split"),
        {key: value for key, value in columns.items() if not is_known(key) or fits(key, value)},
    )


def _writable(value: Any) -> Any:
    """Text that every file can hold: half a surrogate pair is spelled out."""
    if isinstance(value, str):
        return name_of(value)
    return [_writable(part) for part in value] if isinstance(value, list) else value


def read_published(record: Record, scene: RecoveredScene) -> Published:
    """What only this record can tell of its scene: wording and difficulty where nothing else does.

    Args:
        record: one with a template.
        scene: as far as it is known.
    """
    row, template = record.row, record.template or ""
    prompt = note = None
    if not words_follow(scene, template):
        whole_prompt = text(row, "prompt") or ""
        start = f"{scene.wording.instructions}\n"
        prompt = text(row, "prompt_local") or whole_prompt.removeprefix(start)
        prompt = prompt if may_be_said(scene, template, prompt, read_cue(row)) else None
    if template == T4:
        note = text(row, "image_note")
    level = None if difficulty_follows(scene, template) else text(row, "difficulty")
    return Published(
        text(row, "dataset_version"),
        text(row, "protocol_version"),
        level if level in LEVELS else None,
        prompt or None,
        note,
    )


def read_cue(row: Row) -> str | None:
    """How T4's row says its region is marked."""
    for key in ("cue_type", "image_cue_type"):
        if (cue := text(row, key)) in CUES:
            return cue
    return None


def read_context(record: Record, core: Core) -> Context | None:
    """The region and the case a record speaks of; None when its region is none of the grid's.

    The case is the published one where it fits what the region holds, else what that is.
    """
    template = ORIGINS.get(record.template or "", record.template)
    if template == T1:
        return core.whole
    excluded = template == T5
    region = _read_region(record.row, template == T4, excluded, core)
    if region is None:
        return None
    inside = sum(region.box.holds(cell) for cell in core.exceptions)
    total = len(core.exceptions)
    real = case_of(total - inside if excluded else inside, total)
    said = text(record.row, "region_case") or ""
    match = _CASE.fullmatch(said)
    # ROSE does not say of which cells T5's case speaks: those asked about, or those left out.
    fitting = {real, case_of(inside, total)}
    fits = match is not None and (match[1] or match[2]) in fitting
    return Context(region, said if fits else real, excluded)


def _read_region(row: Row, marked: bool, excluded: bool, core: Core) -> Region | None:
    """The type is the one the row names, or what its bounds amount to when it names none."""
    params, kind = row.get("region_params"), row.get("region_type")
    if excluded:
        inner = params if isinstance(params, dict) else {}
        params, kind = inner.get("exclude_params"), inner.get("exclude_type")
    if not isinstance(params, dict):
        return None
    if marked:
        kind = RegionType.RECTANGLE.value
    fitting = [each for each, keys in _BOUNDS.items() if each.value == kind and keys <= set(params)]
    fitting += [each for each, keys in _BOUNDS.items() if keys == set(params)]
    if not fitting:
        return None
    bounds = {key: whole(params[key]) for key in _BOUNDS[fitting[0]]}
    if None in bounds.values():
        return None
    named = RegionType.VISUAL_REGION if marked else fitting[0]
    try:
        return Region.from_params(named, bounds, core.rows, core.cols)
    except ValueError:
        return None
