"""Writes a small, sound release with its own drawing: squares, of which a few have a mark.

Nothing here comes from the code that builds or verifies releases, so that the tests compare three
independent readings of one description.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
ITEM_SCHEMA = json.loads((ROOT / "schemas" / "item.schema.json").read_text(encoding="utf-8"))
REPLAYED_SCHEMA = json.loads(
    (ROOT / "schemas" / "replayed_item.schema.json").read_text(encoding="utf-8")
)
COLUMNS = list(ITEM_SCHEMA["properties"])
OWN_COLUMNS: dict[str, Any] = {
    "tone": {"description": "Red of the square.", "type": "integer", "minimum": 0},
    "size": {"description": "What the mark looks like.", "type": "string", "enum": ["dot", "big"]},
    "parts": {
        "description": "What a tile is made of.",
        "type": ["array", "null"],
        "items": {"type": "string", "minLength": 1},
    },
}
NO_BOUNDS = {"r1": None, "r2": None, "c1": None, "c2": None}
NO_POINT = {"field": None, "subset": None, "equals": None, "at_least": None, "at_most": None}
OUTLINE, MASK, ALPHA, HALF_SHARE = (200, 30, 40), (20, 90, 200), 90, 0.06
LINE_COLOR, LINE_WIDTH, EM = (120, 130, 140), 2, 0.5
PROMPT_GLOBAL = "Rows and columns are counted from 1.\nCOUNT(n), CLICK(Rr,Cc), DONE, SUBMIT(n)\n"
SUBSETS = {"ROSE-Squares": ("SQ", 7), "ROSE-Marks": ("MK", 8)}
TEMPLATES = {
    "T1_COUNT_GLOBAL": "COUNT",
    "T2_COUNT_LOCAL_NUMERIC": "COUNT",
    "T3_CLICK_LOCAL_NUMERIC": "CLICK",
    "T4_CLICK_VISUAL_REGION": "CLICK",
    "T5_CLICK_COUNT_EXCLUSION": "CLICK_COUNT",
}
FORMATS = {
    "COUNT": "COUNT(n)",
    "CLICK": "CLICK(Rr,Cc); ...; DONE",
    "CLICK_COUNT": "CLICK(Rr,Cc); ...; SUBMIT(n)",
}


BRIDGES = {"T1B_CLICK_GLOBAL": "CLICK", "T2B_COUNT_LOCAL_MATCHED": "COUNT"}


@dataclass(frozen=True)
class Words:
    """How a subset asks."""

    language: str
    instructions: str
    count: str
    click: str
    submit: str
    regions: dict[str, str]
    cues: dict[str, str]
    colors: dict[str, str]

    @property
    def tasks(self) -> dict[str, str]:
        by_mode = {"COUNT": self.count, "CLICK": self.click, "CLICK_COUNT": self.submit}
        return {template: by_mode[mode] for template, mode in {**TEMPLATES, **BRIDGES}.items()}

    @property
    def entry(self) -> dict[str, Any]:
        return {
            "language": self.language,
            "global": self.instructions,
            "tasks": self.tasks,
            "regions": dict(self.regions),
            "cues": dict(self.cues),
        }

    def ask(self, template: str, region: Region, cue: str) -> str:
        if template == "T4_CLICK_VISUAL_REGION":
            where = self.cues[cue].format(color=self.colors[cue])
        else:
            where = self.regions[region.shape].format(**vars(region))
        return self.tasks[template].format(where=where)


ENGLISH = Words(
    "en",
    PROMPT_GLOBAL,
    "Count the number of cells that are different from the majority {where}. Answer only in the"
    " format: COUNT(n).",
    "Click all cells that are different from the majority {where}. Answer only using"
    " CLICK(Rr,Cc); ...; DONE.",
    "Click all cells that are different from the majority outside the excluded region {where}."
    " Answer only using CLICK(Rr,Cc); ...; SUBMIT(n).",
    {
        "whole": "in the whole grid",
        "row": "in row {r1}",
        "rows": "in rows {r1} to {r2}",
        "column": "in column {c1}",
        "columns": "in columns {c1} to {c2}",
        "rectangle": "from row {r1} column {c1} to row {r2} column {c2}",
    },
    {
        "OUTLINE_BOX": "inside the region marked by the {color} box in the image",
        "MASK": "inside the region marked by the {color} shaded area in the image",
    },
    {"OUTLINE_BOX": "red", "MASK": "blue"},
)
FRENCH = Words(
    "fr",
    "Les lignes et les colonnes sont comptées à partir de 1.\n",
    "Comptez les cases {where} qui diffèrent de la majorité. Format : COUNT(n).",
    "{where}, cliquez les cases qui diffèrent de la majorité. Format : CLICK(Rr,Cc); ...; DONE.",
    "Cliquez les cases différentes, sauf {where}. Format : CLICK(Rr,Cc); ...; SUBMIT(n).",
    {
        "whole": "dans toute la grille",
        "row": "à la ligne {r1}",
        "rows": "de la ligne {r1} à la ligne {r2}",
        "column": "à la colonne {c1}",
        "columns": "de la colonne {c1} à la colonne {c2}",
        "rectangle": "aux colonnes {c1} à {c2} des lignes {r1} à {r2}",
    },
    {"OUTLINE_BOX": "dans le cadre {color}", "MASK": "dans la zone {color}"},
    {"OUTLINE_BOX": "rouge", "MASK": "bleue"},
)


@dataclass
class Region:
    kind: str
    r1: int
    r2: int
    c1: int
    c2: int

    def __contains__(self, spot: tuple[int, int]) -> bool:
        return self.r1 <= spot[0] <= self.r2 and self.c1 <= spot[1] <= self.c2

    @property
    def params(self) -> dict[str, int | None]:
        keys = {"ROW_RANGE": "r", "COL_RANGE": "c", "GLOBAL": ""}.get(self.kind, "rc")
        return {k: getattr(self, k) if k[0] in keys else None for k in NO_BOUNDS}

    @property
    def shape(self) -> str:
        if self.kind == "ROW_RANGE":
            return "rows" if self.r1 < self.r2 else "row"
        if self.kind == "COL_RANGE":
            return "columns" if self.c1 < self.c2 else "column"
        return "whole" if self.kind == "GLOBAL" else "rectangle"


@dataclass
class SceneSpec:
    subset: str
    number: int
    split: str
    rows: int
    cols: int
    cell: int
    targets: list[tuple[int, int]]
    regions: dict[str, Region]
    cue: str
    tone: int
    """Makes the scene's tiles differ from other scenes'."""
    mark: int = 3
    """Side of the exception's mark, in pixels."""
    noise: bool = False
    words: Words = ENGLISH
    lined: bool = False
    """Whether its cells have lines around them."""
    font_size: int | None = None
    target_license: str = "CC0-1.0"

    @property
    def ids(self) -> tuple[str, str, str]:
        prefix, n = SUBSETS[self.subset][0], self.number
        return (
            f"{prefix}SCENE_{n:06d}",
            f"{prefix}IMG_{2 * n - 1:06d}",
            f"{prefix}IMG_{2 * n:06d}",
        )

    def tiles(self) -> tuple[np.ndarray, np.ndarray]:
        cell = self.cell
        tile = np.full((cell, cell, 3), 245, np.uint8)
        if self.noise:
            rng = np.random.default_rng(self.tone)
            inside = tile[cell // 8 : -(cell // 8), cell // 8 : -(cell // 8)]
            inside[...] = rng.integers(0, 255, (*inside.shape[:2], 1), dtype=np.uint8)
        else:
            tile[cell // 4 : -cell // 4, cell // 4 : -cell // 4] = (self.tone, 60, 90)
        odd = tile.copy()
        at = cell // 3
        odd[at : at + self.mark, at : at + self.mark] = (250, 220, 10)
        for each in (tile, odd) if self.lined else ():
            near = np.minimum(np.arange(cell), np.arange(cell)[::-1]) < LINE_WIDTH
            each[near[:, None] | near[None, :]] = LINE_COLOR
        return tile, odd

    def base(self) -> np.ndarray:
        tile, odd = self.tiles()
        image = np.tile(tile, (self.rows, self.cols, 1))
        for row, col in self.targets:
            image[
                (row - 1) * self.cell : row * self.cell, (col - 1) * self.cell : col * self.cell
            ] = odd
        return image

    def cued(self) -> np.ndarray:
        region = self.regions["T4_CLICK_VISUAL_REGION"]
        return draw_cue(self.base(), self.cue, region, self.cell)


def draw_cue(
    image: np.ndarray, kind: str, region: Region, cell: int, outline: tuple[int, int, int] = OUTLINE
) -> np.ndarray:
    image = image.copy()
    y1, y2, x1, x2 = (
        (region.r1 - 1) * cell,
        region.r2 * cell,
        (region.c1 - 1) * cell,
        region.c2 * cell,
    )
    if kind == "MASK":
        part = image[y1:y2, x1:x2].astype(int)
        image[y1:y2, x1:x2] = (part * (255 - ALPHA) + np.array(MASK) * ALPHA + 127) // 255
        return image
    half = max(2, int(cell * HALF_SHARE))
    ys, xs = np.mgrid[: image.shape[0], : image.shape[1]]
    near_y = ((ys >= y1 - half) & (ys < y1 + half)) | ((ys >= y2 - half) & (ys < y2 + half))
    near_x = ((xs >= x1 - half) & (xs < x1 + half)) | ((xs >= x2 - half) & (xs < x2 + half))
    within_y, within_x = (ys >= y1 - half) & (ys < y2 + half), (xs >= x1 - half) & (xs < x2 + half)
    image[(near_y & within_x) | (near_x & within_y)] = outline
    return image


def pixel_hash(image: np.ndarray) -> str:
    head = f"{image.shape[1]}x{image.shape[0]} RGB8\n".encode()
    return hashlib.sha256(head + image.tobytes()).hexdigest()


def names(spots: list[tuple[int, int]]) -> list[str]:
    return [f"R{row},C{col}" for row, col in sorted(spots)]


def answer(mode: str, spots: list[tuple[int, int]]) -> str:
    if mode == "COUNT":
        return f"COUNT({len(spots)})"
    clicks = [f"CLICK({name})" for name in names(spots)]
    return "; ".join([*clicks, "DONE" if mode == "CLICK" else f"SUBMIT({len(spots)})"])


def item_row(spec: SceneSpec, template: str, k: int) -> dict[str, Any]:
    scene_id, base_id, cue_id = spec.ids
    prefix, seed = SUBSETS[spec.subset]
    region, mode = spec.regions[template], TEMPLATES[template]
    outside = k == 5
    hits = [spot for spot in spec.targets if (spot in region) != outside]
    size = (region.r2 - region.r1 + 1) * (region.c2 - region.c1 + 1)
    cells = spec.rows * spec.cols - size if outside else size
    params: dict[str, Any] = {**NO_BOUNDS, "exclude_type": None, "exclude_params": dict(NO_BOUNDS)}
    if outside:
        params["exclude_type"], params["exclude_params"] = region.kind, region.params
    else:
        params.update(region.params)
    image_id = cue_id if k == 4 else base_id
    local = spec.words.ask(template, region, spec.cue)
    everywhere = len(spec.targets)
    points = (spec.rows >= 9) + (everywhere >= 4) + (not hits)
    key = f"tone{spec.tone:03d}"
    values: dict[str, Any] = {
        "item_id": f"{prefix}ITEM_{5 * spec.number - 5 + k:06d}",
        "scene_id": scene_id,
        "image_id": image_id,
        "split": spec.split,
        "dataset_version": "squares-1",
        "protocol_version": "v0.3",
        "item_seed": (seed * 10**7 + spec.number) * 10 + k,
        "primitive_type": "SQUARES",
        "task_template": template,
        "task_mode": mode,
        "reference_source": "REF_MAJORITY",
        "selection_predicate": "SELECT_DIFFERENT",
        "target_rule": "ODD_FROM_MAJORITY",
        "region_type": "EXCLUSION" if outside else region.kind,
        "region_params": params,
        "region_case": "zero" if not hits else "all" if len(hits) == everywhere else "partial",
        "cue_type": spec.cue if k == 4 else "NONE",
        "prompt_global": spec.words.instructions,
        "prompt_local": local,
        "expected_output_format": FORMATS[mode],
        "ground_truth_count": len(hits),
        "ground_truth_clicks": names(hits),
        "ground_truth_formal_answer": answer(mode, hits),
        "all_target_cells": names(spec.targets),
        "region_target_cells": names(hits),
        "region_non_target_count": cells - len(hits),
        "num_out_region_targets": everywhere - len(hits),
        "global_target_count": everywhere,
        "region_target_count": len(hits),
        "region_cell_count": cells,
        "region_ratio": round(cells / (spec.rows * spec.cols), 6),
        "difficulty": "hard" if points >= 2 else "medium",
        "rose_subset": spec.subset,
        "image": f"images/{spec.subset}/{image_id}.png",
        "prompt": spec.words.instructions + "\n" + local,
        "answer": answer(mode, hits),
        "rows": spec.rows,
        "cols": spec.cols,
        "cell_size": spec.cell,
        "font_size": spec.font_size,
        "image_width": spec.cols * spec.cell,
        "image_height": spec.rows * spec.cell,
        "grid_size_profile": "large" if spec.rows >= 9 else "small",
        "target_cells": [list(spot) for spot in spec.targets],
        "pair_key": f"{key}__{key}-marked",
        "similarity": 0.9,
        "background_path": f"art/{key}.png",
        "target_path": f"art/{key}-marked.png",
        "image_split": "main",
        "image_cue_type": spec.cue if k == 4 else "NONE",
        "image_region_type": "VISUAL_REGION" if k == 4 else "GLOBAL",
        "image_region_params": region.params if k == 4 else dict(NO_BOUNDS),
        "image_note": "cued image" if k == 4 else "base image without visual cue",
        "ssim": 0.95,
        "phash_distance": 2,
        "changed_pixel_share": 0.01,
        "max_local_color_difference": 12.5,
        "background_pack": "squares",
        "target_pack": "squares",
        "background_license": "CC0-1.0",
        "target_license": spec.target_license,
        "bridge_task": False,
        "tone": None if spec.lined else spec.tone,
        "size": "dot" if spec.lined else None,
        "parts": ["square", "mark"][: spec.number] if spec.lined else None,
    }
    return {column: values.get(column) for column in (*COLUMNS, *OWN_COLUMNS)}


def bridge_rows(spec: SceneSpec) -> tuple[dict[str, Any], dict[str, Any]]:
    t1 = item_row(spec, "T1_COUNT_GLOBAL", 1)
    t3 = item_row(spec, "T3_CLICK_LOCAL_NUMERIC", 3)
    local = spec.words.ask("T1B_CLICK_GLOBAL", spec.regions["T1_COUNT_GLOBAL"], spec.cue)
    click = {
        "item_id": t1["item_id"] + "__GCLK",
        "dataset_version": "squares-1_global_click_bridge",
        "protocol_version": "v0.3+global_click_bridge",
        "task_template": "T1B_CLICK_GLOBAL",
        "task_mode": "CLICK",
        "expected_output_format": FORMATS["CLICK"],
        "prompt_local": local,
        "prompt": spec.words.instructions + "\n" + local,
        "ground_truth_formal_answer": answer("CLICK", spec.targets),
        "answer": answer("CLICK", spec.targets),
        "difficulty": "bridge",
        "bridge_task": True,
        "source_item_id": t1["item_id"],
        "source_task_template": t1["task_template"],
    }
    region = spec.regions["T3_CLICK_LOCAL_NUMERIC"]
    local = spec.words.ask("T2B_COUNT_LOCAL_MATCHED", region, spec.cue)
    count = {
        "item_id": "MLCNT_" + t3["item_id"],
        "task_template": "T2B_COUNT_LOCAL_MATCHED",
        "task_mode": "COUNT",
        "expected_output_format": FORMATS["COUNT"],
        "prompt_local": local,
        "prompt": spec.words.instructions + "\n" + local,
        "ground_truth_formal_answer": f"COUNT({t3['ground_truth_count']})",
        "answer": f"COUNT({t3['ground_truth_count']})",
        "bridge_task": True,
        "bridge_type": "MATCHED_LOCAL_COUNT_FROM_T3",
        "source_item_id": t3["item_id"],
        "source_click_item_id": t3["item_id"],
        "source_task_template": "T3_CLICK_LOCAL_NUMERIC",
        "source_task_mode": "CLICK",
    }
    return {**t1, **click}, {**t3, **count}


def default_specs() -> list[SceneSpec]:
    """Six scenes in two subsets: both cues, edges and corners of the grid, all kinds of region."""

    a, b = SUBSETS

    def scene(
        subset: str,
        number: int,
        split: str,
        shape: tuple[int, int],
        targets: list[tuple[int, int]],
        *rest: Any,
        cell: int = 24,
    ) -> SceneSpec:
        cue, boxes, tone = rest
        rows, cols = shape
        kinds = {
            "T1_COUNT_GLOBAL": Region("GLOBAL", 1, rows, 1, cols),
            "T2_COUNT_LOCAL_NUMERIC": Region("ROW_RANGE", boxes[0][0], boxes[0][1], 1, cols),
            "T3_CLICK_LOCAL_NUMERIC": Region("COL_RANGE", 1, rows, *boxes[1]),
            "T4_CLICK_VISUAL_REGION": Region("VISUAL_REGION", *boxes[2]),
            "T5_CLICK_COUNT_EXCLUSION": Region("RECTANGLE", *boxes[3]),
        }
        spec = SceneSpec(subset, number, split, rows, cols, cell, targets, kinds, cue, tone)
        if subset == b:  # in another language, with lines, and set in type
            spec.words, spec.lined, spec.font_size = FRENCH, True, int(cell * EM)
            spec.target_license = "CC-BY-4.0"
        return spec

    return [
        scene(a, 1, "test", (8, 9), [(4, 6), (2, 3)], "OUTLINE_BOX",
              [(3, 5), (4, 4), (2, 5, 3, 7), (1, 3, 1, 4)], 20),
        scene(a, 2, "dev", (9, 8), [(1, 1), (9, 8), (5, 5), (6, 2)], "MASK",
              [(1, 1), (7, 8), (1, 3, 1, 3), (5, 6, 2, 5)], 30),
        scene(a, 3, "test", (8, 8), [(8, 8)], "OUTLINE_BOX",
              [(2, 4), (1, 3), (6, 8, 6, 8), (1, 3, 1, 3)], 40),
        scene(b, 1, "test", (8, 8), [(1, 2), (5, 7), (3, 3)], "MASK",
              [(5, 7), (2, 3), (4, 6, 5, 8), (5, 7, 6, 8)], 50),
        scene(b, 2, "dev", (8, 9), [(3, 4)], "OUTLINE_BOX",
              [(3, 3), (1, 2), (1, 3, 1, 3), (3, 4, 4, 5)], 60, cell=30),
        scene(b, 3, "test", (8, 8), [(2, 2), (7, 7)], "MASK",
              [(1, 4), (7, 7), (1, 3, 1, 3), (7, 8, 6, 8)], 70),
    ]  # fmt: skip


@dataclass
class Release:
    """A sound release on disk, with what it was made from."""

    root: Path
    specs: list[SceneSpec]
    metadata: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bridges: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    manifest: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)
    rejections: list[dict[str, Any]] = field(default_factory=list)
    notes: list[dict[str, Any]] = field(default_factory=list)
    schema: dict[str, Any] = field(default_factory=dict)

    def image(self, image_id: str) -> Path:
        return next(self.root.glob(f"images/*/{image_id}.png"))

    def row(self, item_id: str) -> dict[str, Any]:
        tables = [*self.metadata.values(), *self.bridges.values()]
        return next(row for rows in tables for row in rows if row["item_id"] == item_id)

    def listed(self, image_id: str) -> dict[str, Any]:
        return next(row for row in self.manifest if row["image_id"] == image_id)

    def write(self) -> None:
        """Write the text files anew."""
        for split, rows in self.metadata.items():
            write_rows(self.root / f"metadata_{split}.jsonl", rows)
        for name, rows in self.bridges.items():
            write_rows(self.root / name, rows)
        write_rows(self.root / "manifest.jsonl", self.manifest)
        if self.summary["replayed"]:
            write_rows(self.root / "replay_notes.jsonl", self.notes)
        else:
            write_rows(self.root / "rejections.jsonl", self.rejections)
        write_json(self.root / "export_summary.json", self.summary)
        write_json(self.root / "item.schema.json", self.schema)
        (self.root / "README.md").write_bytes(card(self.summary, list(self.bridges)).encode())
        (self.root / "LICENSES.md").write_bytes(license_list(self.summary).encode())


def card(summary: dict[str, Any], bridges: list[str]) -> str:
    """A card with what a reader, and the Hub, must find in it."""
    paths = ["metadata_dev.jsonl", "metadata_test.jsonl", *bridges]
    head = "configs:\n- config_name: all\n  data_files:\n"
    head += "".join(f"  - {{split: {i}, path: {path}}}\n" for i, path in enumerate(paths))
    columns = ("scenes", "images", "dev_items", "test_items")
    counts = summary["counts"]
    rows = [("`" + name + "`", own) for name, own in counts["subsets"].items()]
    lines = ["| Subset | S | I | D | T |", "| :-- | --: | --: | --: | --: |"]
    for name, own in [*rows, ("**Total**", counts)]:
        lines.append(f"| {name} | " + " | ".join(f"{own[each]:,}" for each in columns) + " |")
    lines += ["", "Here is whose art it is.", "", "| Licence of the art | Images |", "|---|---:|"]
    lines += [f"| {name} | {count:,} |" for name, count in summary["licenses"].items()]
    return f"---\n{head}---\n\n# Squares\n\n" + "\n".join(lines) + "\n\nThat is all.\n"


def license_list(summary: dict[str, Any]) -> str:
    """Packs with their licences; then those of single pictures."""
    rows = [f"| {p['name']} | {p['license']} | {p['attribution']} |" for p in summary["packs"]]
    others = ", ".join(sorted(summary["licenses"]))
    table = "\n".join(["| Pack | Licence | By |", "|---|---|---|", *rows])
    return f"# Licences\n\nAll is well.\n\n{table}\n\nSingle pictures: {others}.\n"


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(r, ensure_ascii=False).encode() + b"\n" for r in rows))


def write_json(path: Path, value: Any) -> None:
    path.write_bytes((json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def rejection_row(subset: str) -> dict[str, Any]:
    return {
        "rose_subset": subset,
        "scene_id": f"{SUBSETS[subset][0]}SCENE_000002",
        "cell_size": 24,
        "pair_key": "a__b",
        "group": "",
        "a": "a",
        "b": "b",
        "reason": "too unlike",
        "detail": None,
        "ssim": 0.2,
        "phash_distance": 40,
        "changed_pixel_share": None,
        "max_local_color_difference": None,
    }


def unfit_row(subset: str) -> dict[str, Any]:
    blank = dict.fromkeys(rejection_row(subset))
    return {**blank, "rose_subset": subset, "a": "c", "reason": "blank", "detail": "all white"}


def row_schema(columns: dict[str, Any], replayed: bool) -> dict[str, Any]:
    """The item schema with the columns of a release, which may be null."""
    schema = copy.deepcopy(ITEM_SCHEMA)
    if replayed:
        schema["properties"].update(copy.deepcopy(REPLAYED_SCHEMA["properties"]))
    for name, column in columns.items():
        kinds = column["type"] if isinstance(column["type"], list) else [column["type"]]
        own = {**column, "type": kinds + ["null"] * ("null" not in kinds)}
        if "enum" in own:
            own["enum"] = [*own["enum"], None]
        schema["properties"][name] = own
        schema["required"].append(name)
    return schema


def _quotas(rows: list[dict[str, Any]], specs: list[SceneSpec]) -> dict[str, Any]:
    def quota(values: list[str]) -> dict[str, dict[str, int]]:
        return {name: {"wanted": n, "reached": n} for name, n in sorted(Counter(values).items())}

    by_template = {t: [r for r in rows if r["task_template"] == t] for t in TEMPLATES}
    return {
        "grid_profiles": quota(["large" if s.rows >= 9 else "small" for s in specs]),
        "exceptions": quota([str(len(s.targets)) for s in specs]),
        "cue_types": quota([s.cue for s in specs]),
        "region_cases": {
            t: quota([r["region_case"] for r in each]) for t, each in by_template.items()
        },
        "region_types": {t: quota([s.regions[t].kind for s in specs]) for t in list(TEMPLATES)[1:]},
    }


def _summary(
    specs: list[SceneSpec], rows: list[dict[str, Any]], bridge_items: int
) -> dict[str, Any]:
    def counts(some: list[SceneSpec]) -> dict[str, int]:
        dev = sum(s.split == "dev" for s in some)
        n = len(some)
        return {
            "scenes": n, "images": 2 * n, "items": 5 * n, "dev_scenes": dev,
            "test_scenes": n - dev, "dev_items": 5 * dev, "test_items": 5 * (n - dev),
        }  # fmt: skip

    def stats(values: list[float]) -> dict[str, float]:
        low, _, high = (np.percentile(values, p) for p in (25, 50, 75))
        return {
            "min": min(values), "p25": float(low), "median": median(values), "p75": float(high),
            "max": max(values), "mean": round(fmean(values), 6),
        }  # fmt: skip

    used = [name for name in SUBSETS if any(s.subset == name for s in specs)]
    mine = {name: [s for s in specs if s.subset == name] for name in used}
    its = {name: [r for r in rows if r["rose_subset"] == name] for name in used}
    measures = (
        "ssim",
        "phash_distance",
        "changed_pixel_share",
        "max_local_color_difference",
        "similarity",
    )
    levels = {n: Counter(r["difficulty"] for r in its[n]) for n in used}
    return {
        "format": 1,
        "name": "squares",
        "title": "Squares with marks",
        "rosegen_version": "0.1.0",
        "complete": True,
        "selection": dict.fromkeys(("subsets", "limit", "scenes", "shard")),
        "replayed": False,
        "substituted_scenes": 0,
        "pipeline": {"name": "squares", "sha256": "0" * 64, "shipped": False},
        "bridges": bridge_items > 0,
        "counts": {
            **counts(specs),
            "bridge_items": bridge_items,
            "subsets": {
                n: {"prefix": SUBSETS[n][0], "seed": SUBSETS[n][1], **counts(mine[n])} for n in used
            },
        },
        "quotas": {n: _quotas(its[n], mine[n]) for n in used},
        "difficulty_rule": {
            "hard_at": 2,
            "points": [
                {**NO_POINT, "field": "grid_size_profile", "equals": "large"},
                {**NO_POINT, "field": "global_target_count", "at_least": 4},
                {**NO_POINT, "field": "region_target_count", "at_most": 0},
            ],
        },
        "difficulty": {n: {"medium": levels[n]["medium"], "hard": levels[n]["hard"]} for n in used},
        "similarity": {
            n: {m: stats([r[m] for r in its[n] if r["item_seed"] % 10 == 1]) for m in measures}
            for n in used
        },
        "pools": {
            n: {
                "candidates": 9, "admitted": 8, "rejected": 1,
                "used": len({s.tone for s in mine[n]}), "scenes": len(mine[n]),
                "unfit_tiles": 1,
            }
            for n in used
        },
        "rejections": {n: {"too unlike": 1, "blank": 1} for n in used},
        "sources": {
            n: {
                "kind": "squares",
                "options": {"em": EM, "more": [1]} if mine[n][0].font_size else {},
                "curated": None,
                "background": [245, 245, 245],
                "ink": 0.9,
                "grid_lines": {"color": list(LINE_COLOR), "width": LINE_WIDTH}
                if mine[n][0].lined
                else None,
            }
            for n in used
        },
        "cues": {
            n: {
                "outline_color": list(OUTLINE),
                "outline_name": mine[n][0].words.colors["OUTLINE_BOX"],
                "outline_half_width": HALF_SHARE,
                "mask_color": list(MASK),
                "mask_name": mine[n][0].words.colors["MASK"],
                "mask_alpha": ALPHA,
            }
            for n in used
        },
        "prompts": {n: mine[n][0].words.entry for n in used},
        "columns": OWN_COLUMNS,
        "licenses": Counter(
            name for s in specs for name in {"CC0-1.0", s.target_license} for _ in range(2)
        ),
        "toolchain": {"pillow": "12"},
        "packs": [
            {
                "name": "squares", "kind": "tiles", "source": "drawn", "version": "1",
                "sha256": None, "license": "CC0-1.0", "attribution": "", "homepage": None,
            }
        ],
    }  # fmt: skip


def make_release(
    root: Path, specs: list[SceneSpec] | None = None, *, bridges: bool = True
) -> Release:
    specs = default_specs() if specs is None else specs
    release = Release(root, specs, {"dev": [], "test": []})
    if bridges:
        folders = ("global_click", "matched_local_count")
        for split in ("dev", "test"):
            for name in folders:
                release.bridges[f"bridges/{name}/metadata_{split}.jsonl"] = []
    for spec in specs:
        rows = [item_row(spec, template, k) for k, template in enumerate(TEMPLATES, 1)]
        release.metadata[spec.split] += rows
        if bridges:
            click, count = bridge_rows(spec)
            release.bridges[f"bridges/global_click/metadata_{spec.split}.jsonl"].append(click)
            release.bridges[f"bridges/matched_local_count/metadata_{spec.split}.jsonl"].append(
                count
            )
        folder = root / "images" / spec.subset
        folder.mkdir(parents=True, exist_ok=True)
        tile, odd = spec.tiles()
        for image_id, image in zip(spec.ids[1:], (spec.base(), spec.cued()), strict=True):
            Image.fromarray(image).save(folder / f"{image_id}.png", compress_level=1)
            cued = image_id == spec.ids[2]
            release.manifest.append(
                {
                    "image_id": image_id,
                    "scene_id": spec.ids[0],
                    "rose_subset": spec.subset,
                    "split": spec.split,
                    "image": f"images/{spec.subset}/{image_id}.png",
                    "width": spec.cols * spec.cell,
                    "height": spec.rows * spec.cell,
                    "pixel_sha256": pixel_hash(image),
                    "cue_type": spec.cue if cued else "NONE",
                    "region_params": rows[3]["image_region_params"] if cued else dict(NO_BOUNDS),
                    "background_pack": "squares",
                    "background_license": "CC0-1.0",
                    "target_pack": "squares",
                    "target_license": spec.target_license,
                    "background_sha256": pixel_hash(tile),
                    "target_sha256": pixel_hash(odd),
                }
            )
    rows = release.metadata["dev"] + release.metadata["test"]
    release.summary = _summary(specs, rows, sum(map(len, release.bridges.values())))
    release.rejections = [
        make(name) for make in (rejection_row, unfit_row) for name in release.summary["rejections"]
    ]
    release.schema = row_schema(OWN_COLUMNS, replayed=False)
    release.summary = copy.deepcopy(release.summary)  # its own, to be broken
    release.write()
    return release
