"""Writes a small, sound release as one made again from published records would be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.verify.release_maker import (
    ENGLISH,
    OWN_COLUMNS,
    SUBSETS,
    Release,
    default_specs,
    make_release,
    row_schema,
)

UNTOLD = (
    "pair_key",
    "similarity",
    "similarity_level",
    "ssim",
    "phash_distance",
    "changed_pixel_share",
    "max_local_color_difference",
    "background_pack",
    "target_pack",
    "background_license",
    "target_license",
)
"""What published records do not tell."""
COLUMNS: dict[str, Any] = {
    **OWN_COLUMNS,
    "substituted": {
        "description": "What stands in for other art.",
        "type": "array",
        "items": {"type": "string"},
    },
}
KEPT = {
    "SQSCENE_000001": {"T1", "T3"},
    "SQSCENE_000002": {"T1", "T2", "T3", "T4", "T5"},
    "SQSCENE_000003": {"T1"},
    "MKSCENE_000001": {"T2B"},
    "MKSCENE_000002": {"T1", "T5"},
    "MKSCENE_000003": {"T1B"},
}
"""By scene, the templates of which there is a record; a bridge alone where no other is there."""
PUBLISHED_WORDS = replace(
    ENGLISH,
    regions=dict(ENGLISH.regions),
    cues={
        "OUTLINE_BOX": "inside the {color} box marked in the image",
        "MASK": "inside the {color} shaded area marked in the image",
    },
)


def _kept(row: dict[str, Any]) -> bool:
    kept = KEPT[row["scene_id"]]
    origin = {"T1B": "T1", "T2B": "T3"}.get(template := row["task_template"].split("_")[0])
    return template in kept or origin in kept


def _published(row: dict[str, Any]) -> dict[str, Any]:
    """The row as its record tells it."""
    row = {**row, **dict.fromkeys(UNTOLD), "substituted": None}
    if row["scene_id"] == "SQSCENE_000003":
        row["substituted"] = ["art/other.png"]
        row["dataset_version"] = None
    if row["rose_subset"] == "ROSE-Marks":
        row["item_seed"] = None
    if row["task_template"] == "T3_CLICK_LOCAL_NUMERIC":
        row["region_case"] = f"fallback_{row['region_case']}_wanted_all"
    if row["task_template"].startswith("T2_"):
        row["difficulty"] = "easy"
    if row["item_id"] == "MKITEM_000010":  # of the cells left out, not of those asked about
        asked = {"zero": "all", "partial": "partial", "all": "zero"}
        row["region_case"] = asked[row["region_case"]]
        row["difficulty"] = None
    return row


def _counts(rows: list[dict[str, Any]], release: Release) -> dict[str, int]:
    """Of scenes, images and items, by the rows of all files."""
    scenes = {row["scene_id"]: row["split"] for row in rows}
    main = [row for row in rows if not row["bridge_task"]]
    return {
        "scenes": len(scenes),
        "images": sum(row["scene_id"] in scenes for row in release.manifest),
        "items": len(main),
        **{f"{split}_scenes": list(scenes.values()).count(split) for split in ("dev", "test")},
        **{f"{split}_items": sum(r["split"] == split for r in main) for split in ("dev", "test")},
    }


def make_replayed(root: Path) -> Release:
    """A release of six scenes, of which few have all their items."""
    specs = default_specs()
    for spec in specs:
        spec.words = PUBLISHED_WORDS
    release = make_release(root, specs)
    (root / "rejections.jsonl").unlink()
    release.notes = [{"where": "rows.jsonl:3", "field": "answer"}, {"lost": "SQSCENE_000009"}]
    for tables in (release.metadata, release.bridges):
        for name, rows in tables.items():
            tables[name] = [_published(row) for row in rows if _kept(row)]
    main = [row for rows in release.metadata.values() for row in rows]
    bridges = [row for rows in release.bridges.values() for row in rows]
    shown = {row["image_id"] for row in main + bridges}
    for listed in release.manifest:
        if listed["image_id"] not in shown:
            release.image(listed["image_id"]).unlink()
    release.manifest = [row for row in release.manifest if row["image_id"] in shown]
    summary = release.summary
    summary.update(replayed=True, difficulty_rule=None, similarity={}, columns=COLUMNS)
    for section in ("quotas", "pools", "rejections", "sources", "prompts"):
        summary[section] = {}
    summary["substituted_scenes"] = 1
    del summary["cues"]["ROSE-Marks"]  # of which no item has a cue
    counts = summary["counts"]
    counts.update(_counts(main + bridges, release), bridge_items=len(bridges))
    for name in SUBSETS:
        own = [row for row in main + bridges if row["rose_subset"] == name]
        counts["subsets"][name].update(_counts(own, release))
        levels = Counter(row["difficulty"] for row in own if not row["bridge_task"])
        summary["difficulty"][name] = {level: levels[level] for level in ("medium", "hard")}
    counts["subsets"]["ROSE-Marks"]["seed"] = None
    summary["licenses"] = Counter(
        name
        for row in release.manifest
        for name in {row["background_license"], row["target_license"]}
    )
    release.schema = row_schema(COLUMNS, replayed=True)
    release.write()
    return release
