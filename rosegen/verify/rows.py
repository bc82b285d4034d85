"""What every column of one row must say, given its scene: computed anew and compared."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rosegen.verify.grid import Area, Spot, area_of, formal_answer, label, labels
from rosegen.verify.layout import image_file
from rosegen.verify.reading import Row
from rosegen.verify.report import Fault, fault
from rosegen.verify.rules import Rules
from rosegen.verify.templates import T1B, T2B, T4, T5, TEMPLATES, Template, ids

_NO_BOUNDS = {"r1": None, "r2": None, "c1": None, "c2": None}
_FORMATS = {
    "COUNT": "COUNT(n)",
    "CLICK": "CLICK(Rr,Cc); ...; DONE",
    "CLICK_COUNT": "CLICK(Rr,Cc); ...; SUBMIT(n)",
}


@dataclass(frozen=True)
class Truth:
    """What is settled about a scene before its rows are compared with it."""

    prefix: str
    number: int
    subset: str
    rows: int
    cols: int
    cell_size: int
    targets: tuple[Spot, ...]
    rules: Rules


def region_case(inside: int, everywhere: int) -> str:
    """zero, partial or all, by how many of the exceptions lie in the region."""
    return "zero" if inside == 0 else "all" if inside == everywhere else "partial"


def _published_case(row: Row, template: Template, inside: int, everywhere: int) -> str:
    """The region case as a published row may have it: with the one that was wanted, too."""
    said: str = row["region_case"]
    case = region_case(inside, everywhere)
    got = said.split("_")[1] if said.startswith("fallback_") else said
    # ROSE does not say whether T5's case is that of the cells left out or of those asked about.
    either = (case, region_case(everywhere - inside, everywhere))
    return said if got == case or (template.name == T5 and got in either) else case


def _bridge_columns(truth: Truth, template: Template) -> dict[str, Any]:
    source = template.source and ids(truth.prefix, truth.number, template.source)[0]
    matched = template.name == T2B
    return {
        "bridge_task": template.source is not None,
        "bridge_type": "MATCHED_LOCAL_COUNT_FROM_T3" if matched else None,
        "source_item_id": source,
        "source_click_item_id": source if matched else None,
        "source_task_template": template.source,
        "source_task_mode": "CLICK" if matched else None,
    }


def _glyph_columns(row: Row, replayed: bool) -> dict[str, Any]:
    majority, exception = row["background_char"], row["target_char"]
    if majority is None or exception is None:
        # What speaks of two characters is null where there are none.
        return dict.fromkeys(
            ("source_pair", "source_group", "pair_direction", "undirected_pair_key")
        )
    pair = sorted([majority, exception])
    listed, group = row["source_pair"], row["source_group"] or []
    wanted = {
        "source_pair": listed if sorted(listed or []) == pair else pair,
        "source_group": group if set(pair) <= set(group) else pair,
        "pair_direction": f"{majority}_majority_{exception}_target",
        "undirected_pair_key": "__".join(pair),
        "pair_key": "__".join(pair),
    }
    if replayed:  # published records do not tell all
        return {column: value for column, value in wanted.items() if row[column] is not None}
    return wanted


def _code_points(text: str) -> str:
    return "-".join(f"{ord(char):x}" for char in text)


def _emoji_columns(row: Row) -> dict[str, Any]:
    """Emoji and their code points; the presentation selector may be there or not."""
    wanted: dict[str, Any] = {}
    for emoji, key in (
        ("emoji_char", "unicode_key"),
        ("background_emoji", "background_unicode"),
        ("target_emoji", "target_unicode"),
    ):
        if row[emoji] is None or row[key] is None:
            continue
        points = _code_points(row[emoji])
        same = row[key].replace("-fe0f", "") == points.replace("-fe0f", "")
        wanted[key] = row[key] if same else points
    return wanted


def _expected(row: Row, truth: Truth, area: Area) -> dict[str, Any]:
    template = TEMPLATES[row["task_template"]]
    item_id, scene_id, image_id = ids(truth.prefix, truth.number, template.name)
    hits = sorted(spot for spot in truth.targets if area.holds(spot))
    everywhere, cells = len(truth.targets), area.size(truth.rows, truth.cols)
    cued, rules = template.name == T4, truth.rules
    answer = formal_answer(template.mode, hits)
    wanted: dict[str, Any] = {
        "item_id": item_id,
        "scene_id": scene_id,
        "image_id": image_id,
        "image": image_file(truth.subset, image_id),
        "task_mode": template.mode,
        "expected_output_format": _FORMATS[template.mode],
        "all_target_cells": labels(truth.targets),
        "region_target_cells": labels(hits),
        "ground_truth_clicks": labels(hits),
        "ground_truth_count": len(hits),
        "ground_truth_formal_answer": answer,
        "answer": answer,
        "region_target_count": len(hits),
        "region_cell_count": cells,
        "region_non_target_count": cells - len(hits),
        "num_out_region_targets": everywhere - len(hits),
        "global_target_count": everywhere,
        "region_ratio": round(cells / (truth.rows * truth.cols), 6),
        "region_case": region_case(len(hits), everywhere),
        "prompt": f"{row['prompt_global']}\n{row['prompt_local']}",
        "image_width": truth.cols * truth.cell_size,
        "image_height": truth.rows * truth.cell_size,
        "image_cue_type": row["cue_type"],
        "image_region_type": "VISUAL_REGION" if cued else "GLOBAL",
        "image_region_params": area.bounds if cued else _NO_BOUNDS,
        **_bridge_columns(truth, template),
        **_glyph_columns(row, rules.replayed),
        **_emoji_columns(row),
    }
    if rules.seed is not None:
        wanted["item_seed"] = (rules.seed * 10**7 + truth.number) * 10 + template.number
    if rules.replayed:
        if rules.known and rules.seed is None:
            wanted["item_seed"] = None
        wanted["region_case"] = _published_case(row, template, len(hits), everywhere)
    if not cued:
        wanted["cue_type"] = "NONE"
    if template.name == T1B:
        wanted["difficulty"] = "bridge"
    return wanted


_KINDS = {
    "item_id": "id",
    "scene_id": "id",
    "image_id": "id",
    "item_seed": "id",
    "image": "path",
    "prompt": "prompt",
    "region_case": "region",
    "region_cell_count": "region",
    "region_ratio": "region",
    "region_non_target_count": "region",
    "image_region_params": "region",
    "image_region_type": "region",
    "all_target_cells": "answer",
    "region_target_cells": "answer",
    "ground_truth_clicks": "answer",
    "ground_truth_count": "answer",
    "ground_truth_formal_answer": "answer",
    "answer": "answer",
    "region_target_count": "answer",
    "num_out_region_targets": "answer",
    "global_target_count": "answer",
}


def _kind(column: str) -> str:
    bridge = column.startswith("source_") and column not in ("source_pair", "source_group")
    return "bridge" if bridge or column.startswith("bridge_") else _KINDS.get(column, "field")


def _differences(row: Row, truth: Truth, area: Area) -> list[Fault]:
    where = row["item_id"]
    found = [
        fault(_kind(column), where, f"{column} is {row[column]!r}, but must be {value!r}")
        for column, value in _expected(row, truth, area).items()
        if row[column] != value
    ]
    words = truth.rules.words
    problem = words.problem(row, area) if words is not None else None
    if problem is not None:
        found.append(fault("prompt", where, f"prompt_local {problem}"))
    return found


def _other_areas(row: Row, truth: Truth) -> list[tuple[str, Area]]:
    """Areas that other columns of a row speak of, for when its own bounds do not hold."""
    template = TEMPLATES[row["task_template"]]
    found: list[tuple[str, Area | None]] = []
    if template.name == T4:
        shown = {**row["image_region_params"], "exclude_type": None, "exclude_params": {}}
        with suppress(ValueError):
            area = area_of("VISUAL_REGION", shown, truth.rows, truth.cols)
            found.append(("image_region_params", area))
    elif "GLOBAL" in template.region_types:
        found.append(("the template", Area("GLOBAL", (1, truth.rows, 1, truth.cols))))
    elif truth.rules.words is not None:
        found.append(("the prompt", truth.rules.words.area(row, truth.rows, truth.cols)))
    return [(name, area) for name, area in found if area is not None]


def check_row(row: Row, truth: Truth) -> tuple[list[Fault], Area | None]:
    """Recompute every derived column of a row.

    Where the bounds in ``region_params`` contradict most of the row, and another column names an
    area that agrees with it, the bounds are the one fault reported.

    Args:
        row: a row that obeys the schema.
        truth: what its scene has settled.

    Returns:
        The faults, and the area the row asks about (None when no reading of it holds).
    """
    template = TEMPLATES[row["task_template"]]
    where = row["item_id"]
    try:
        if row["region_type"] not in template.region_types:
            raise ValueError(f"region_type {row['region_type']} is not one of {template.name}")
        own = area_of(row["region_type"], row["region_params"], truth.rows, truth.cols)
        faults, claim = _differences(row, truth, own), f"region_params say {own.shown}"
        best: Area | None = own
    except ValueError as error:
        faults, best, claim = [fault("region", where, str(error))], None, str(error)
    if best is None or len(faults) > 1:
        for name, area in _other_areas(row, truth):
            instead = _differences(row, truth, area)
            if best is None or len(instead) + 1 < len(faults):
                detail = f"{claim}, but {name} and the row's counts say {area.shown}"
                faults, best = [fault("region", where, detail), *instead], area
    if template.name == T4 and row["cue_type"] == "NONE":
        faults.append(fault("cue", where, "cue_type of a T4 item is NONE"))
    if template.name != T1B and row["difficulty"] == "bridge":
        faults.append(fault("field", where, f"difficulty of a {template.name} row is 'bridge'"))
    return faults, best


def target_problem(targets: list[Spot], rows: int, cols: int) -> str | None:
    """What is wrong with a scene's exceptions as such, if anything."""
    if len(set(targets)) < len(targets):
        return "a cell stands twice in target_cells"
    for spot in targets:
        if not (1 <= spot[0] <= rows and 1 <= spot[1] <= cols):
            return f"target cell {label(spot)} is not on the {rows} x {cols} grid"
    if 2 * len(targets) >= rows * cols:
        return f"{len(targets)} of {rows * cols} cells are exceptions, so there is no majority"
    return None
