"""The dataset card of a replayed release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rosegen.release.card import front_matter, license_lines, scene_table


def make_card(
    summary: Mapping[str, Any], schema: Mapping[str, Any], substituted: Mapping[str, int]
) -> str:
    """``README.md`` of a replayed release.

    Args:
        summary: the export summary.
        schema: the JSON Schema of a row.
        substituted: subset to how many of its scenes show art that stands in for other art.
    """
    bridges = (
        "- `bridges/`: two more tasks on the same images (T1 to click, T3's region to count)\n"
        if summary["bridges"]
        else ""
    )
    return f"""---
{front_matter(summary, schema)}---

# {summary["name"]}, replayed

These are the scenes of published records, drawn again. Grids, exceptions, regions, ids, seeds,
prompts and answers are the records' own; the pictures are drawn anew. Tasks that no record tells of
are not here. The records: {summary["pipeline"]["name"]}.

{_about_art(summary, substituted)}

{scene_table(summary)}

## Files

- `metadata_dev.jsonl`, `metadata_test.jsonl`: one row an item; every row has every column
- `images/<subset>/<image_id>.png`: the plain image, and the image with its cue where it is known
{bridges}- `manifest.jsonl`: pixel hash, packs and licences of every image
- `replay_notes.jsonl`: contradictions in the records, what was left out, assumed or substituted
- `export_summary.json`: counts, toolchain, packs
- `item.schema.json`: JSON Schema (2020-12) of a row
- `LICENSES.md`: whose art this is and on what terms

Made by rosegen {summary["rosegen_version"]}. The task design and the row format are those of ROSE
(Wang et al., 2026, arXiv 2606.19965).
"""


def _about_art(summary: Mapping[str, Any], substituted: Mapping[str, int]) -> str:
    total, scenes = summary["counts"]["scenes"], sum(substituted.values())
    if not scenes:
        return "All of them show the art that the records name."
    told = ", ".join(f"{name} {count:,}" for name, count in substituted.items() if count)
    return (
        f"Of the {total:,} scenes, {scenes:,} show other art than the records name ({told}), for "
        "theirs was not at hand: the column\n`substituted` says on every row of theirs what "
        "stands in for what."
    )


def make_licenses(summary: Mapping[str, Any]) -> str:
    """``LICENSES.md``: every pack that a picture of the release shows art of."""
    return license_lines(summary["name"], summary["packs"], summary["licenses"])
