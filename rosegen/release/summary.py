"""``export_summary.json``: what a release holds, how it was built, how far its quotas were met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

import rosegen
from rosegen.draws import apportion
from rosegen.pipeline import Difficulty, Pipeline, Subset, case_counts, type_counts
from rosegen.release.made import MadeSubset
from rosegen.render.cue import CueStyle
from rosegen.scene import T2, T3, T4, T5, TEMPLATES, Scene
from rosegen.sources.similarity import MEASURES
from rosegen.toolchain import toolchain


def wanted_quotas(subset: Subset) -> dict[str, Any]:
    """What the pipeline asks for, as whole numbers of scenes."""
    profiles = {name: profile.share for name, profile in subset.profiles.items()}
    return {
        "grid_profiles": apportion(profiles, subset.scenes),
        "exceptions": apportion(subset.exceptions, subset.scenes),
        "cue_types": apportion(subset.cue_shares, subset.scenes),
        "region_cases": {t: case_counts(subset, t) for t in TEMPLATES[1:]},
        "region_types": {t: type_counts(subset) for t in (T2, T3, T5)},
    }


def reached_quotas(scenes: Iterable[Scene]) -> dict[str, Any]:
    """What the scenes came to."""
    scenes = list(scenes)

    def tally(values: Iterable[object]) -> Counter[str]:
        return Counter(str(value) for value in values)

    return {
        "grid_profiles": tally(scene.grid.profile for scene in scenes),
        "exceptions": tally(len(scene.exceptions) for scene in scenes),
        "cue_types": tally(scene.cue for scene in scenes),
        "region_cases": {
            t: tally(scene.contexts[t].case for scene in scenes) for t in (T2, T3, T4, T5)
        },
        "region_types": {
            t: tally(scene.contexts[t].region.type.value for scene in scenes) for t in (T2, T3, T5)
        },
    }


def _side_by_side(wanted: Mapping[str, Any], reached: Mapping[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for key, value in wanted.items():
        got = reached.get(key, {} if isinstance(value, Mapping) else 0)
        if isinstance(value, Mapping):
            merged[key] = _side_by_side(value, got)
        else:
            merged[key] = {"wanted": value, "reached": got}
    return merged


def distribution(values: Sequence[float]) -> dict[str, float]:
    """Quartiles, extremes and mean, rounded to 6 places."""
    ordered = np.array(values, np.float64)
    points = np.percentile(ordered, [0, 25, 50, 75, 100])
    named = dict(zip(("min", "p25", "median", "p75", "max"), points))
    return {name: round(float(v), 6) for name, v in {**named, "mean": ordered.mean()}.items()}


def make_summary(
    pipeline: Pipeline,
    made: Sequence[MadeSubset],
    rows: Sequence[Mapping[str, Any]],
    bridge_rows: int,
    packs: Sequence[Mapping[str, Any]],
    complete: bool,
) -> dict[str, Any]:
    """The summary.

    Args:
        pipeline: the pipeline.
        made: the subsets, in the order of the release.
        rows: the rows of the five items of every scene.
        bridge_rows: how many bridge rows there are.
        packs: what is recorded of each pack.
        complete: whether every scene of every subset was made.
    """
    subsets = [part.subset for part in made]
    scenes = {part.subset.name: part.scenes for part in made}
    counts = {subset.name: _counts(subset, rows) for subset in subsets}
    totals = {
        key: sum(count[key] for count in counts.values())
        for key in (
            "scenes",
            "images",
            "items",
            "dev_scenes",
            "test_scenes",
            "dev_items",
            "test_items",
        )
    }
    return {
        "format": 1,
        "name": pipeline.name,
        "rosegen_version": rosegen.__version__,
        "complete": complete,
        "replayed": False,
        "substituted_scenes": 0,
        "pipeline": {"name": pipeline.path.name, "sha256": pipeline.sha256},
        "bridges": pipeline.bridges,
        "counts": {**totals, "bridge_items": bridge_rows, "subsets": counts},
        "quotas": {
            subset.name: _side_by_side(wanted_quotas(subset), reached_quotas(scenes[subset.name]))
            for subset in subsets
        },
        "difficulty_rule": _difficulty_rule(pipeline.difficulty),
        "difficulty": {subset.name: _difficulty(subset, rows) for subset in subsets},
        "similarity": {subset.name: _similarity(scenes[subset.name]) for subset in subsets},
        "sources": {subset.name: _source(subset) for subset in subsets},
        "pools": {part.subset.name: _pool(part) for part in made},
        "rejections": {part.subset.name: _reasons(part) for part in made},
        "cues": {subset.name: cue_record(subset.cue_style) for subset in subsets},
        "prompts": {subset.name: subset.wording.as_dict() for subset in subsets},
        "columns": dict(pipeline.columns),
        "licenses": _licenses(made),
        "toolchain": toolchain(),
        "packs": list(packs),
    }


def _counts(subset: Subset, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own = [row for row in rows if row["rose_subset"] == subset.name]
    per_split = {
        split: {row["scene_id"] for row in own if row["split"] == split}
        for split in ("dev", "test")
    }
    scenes = len(per_split["dev"] | per_split["test"])
    return {
        "prefix": subset.prefix,
        "seed": subset.seed,
        "scenes": scenes,
        "images": 2 * scenes,
        "items": len(own),
        "dev_scenes": len(per_split["dev"]),
        "test_scenes": len(per_split["test"]),
        "dev_items": sum(row["split"] == "dev" for row in own),
        "test_items": sum(row["split"] == "test" for row in own),
    }


def _difficulty_rule(rule: Difficulty) -> dict[str, Any]:
    return {"hard_at": rule.hard_at, "points": [asdict(point) for point in rule.points]}


def _difficulty(subset: Subset, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    own = Counter(row["difficulty"] for row in rows if row["rose_subset"] == subset.name)
    return {"medium": own["medium"], "hard": own["hard"]}


def _similarity(scenes: Sequence[Scene]) -> dict[str, Any]:
    values = {name: [scene.pair.measures[name] for scene in scenes] for name in MEASURES}
    values["similarity"] = [scene.pair.similarity for scene in scenes]
    return {name: distribution(value) for name, value in values.items() if value}


def _source(subset: Subset) -> dict[str, Any]:
    lines = subset.grid_lines
    return {
        "kind": subset.kind,
        "options": dict(subset.options),
        "curated": None if subset.curated is None else subset.curated.name,
        "background": list(subset.background),
        "ink": subset.ink,
        "grid_lines": lines and {"color": list(lines.color), "width": lines.width},
    }


def _pool(part: MadeSubset) -> dict[str, int]:
    pairing = part.pairing
    keys = {match.candidate.key for match in pairing.matches.values()}
    return {
        "candidates": pairing.candidates,
        "admitted": len(pairing.matches),
        "rejected": len(pairing.rejections),
        "used": len(keys),
        "scenes": part.subset.scenes,
        "unfit_tiles": len(part.refused),
    }


def _reasons(part: MadeSubset) -> dict[str, int]:
    counted = Counter(rejection.reason for rejection in part.pairing.rejections)
    counted.update(refusal.reason for refusal in part.refused)
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))


def _licenses(made: Sequence[MadeSubset]) -> dict[str, int]:
    """Licence to the number of images that show art under it."""
    counted: Counter[str] = Counter()
    for part in made:
        for scene in part.scenes:
            for license in {scene.pair.majority.license, scene.pair.exception.license}:
                counted[license] += 2  # the plain image and the cued one
    return dict(sorted(counted.items()))


def cue_record(style: CueStyle) -> dict[str, Any]:
    """How cues are drawn, and what prompts call them."""
    return {
        "outline_color": list(style.outline_color),
        "outline_name": style.outline_name,
        "outline_half_width": style.outline_half_width,
        "mask_color": list(style.mask_color),
        "mask_name": style.mask_name,
        "mask_alpha": style.mask_alpha,
    }
