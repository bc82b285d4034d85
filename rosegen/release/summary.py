"""``export_summary.json``: what a release holds, how it was built, how far its quotas were met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import rosegen
from rosegen.data import pipelines_dir
from rosegen.draws import apportion
from rosegen.pipeline import Difficulty, Pipeline, Subset, case_counts, type_counts
from rosegen.release.tally import Tally, add, distribution, of_split, total
from rosegen.render.cue import CueStyle
from rosegen.scene import T2, T3, T5, TEMPLATES
from rosegen.toolchain import toolchain

Record = dict[str, Any]


def wanted_quotas(subset: Subset) -> Record:
    """What the pipeline asks for, as whole numbers of scenes."""
    profiles = {name: profile.share for name, profile in subset.profiles.items()}
    return {
        "grid_profiles": apportion(profiles, subset.scenes),
        "exceptions": apportion(subset.exceptions, subset.scenes),
        "cue_types": apportion(subset.cue_shares, subset.scenes),
        "region_cases": {t: case_counts(subset, t) for t in TEMPLATES[1:]},
        "region_types": {t: type_counts(subset) for t in (T2, T3, T5)},
    }


def plain_summary(
    pipeline: Pipeline,
    candidates: Mapping[str, int],
    packs: Sequence[Mapping[str, Any]],
    selection: Mapping[str, Any],
) -> Record:
    """The summary of a release that has no scene yet.

    Args:
        pipeline: the pipeline.
        candidates: by subset, in the order of the release, how many pairs its source offers.
        packs: what is recorded of each pack.
        selection: which scenes are made, null where nothing is left out.
    """
    subsets = [subset for subset in pipeline.subsets if subset.name in candidates]
    return {
        "format": 1,
        "name": pipeline.name,
        "title": pipeline.title,
        "rosegen_version": rosegen.__version__,
        "complete": not any(selection.values()),
        "selection": dict(selection),
        "replayed": False,
        "substituted_scenes": 0,
        "pipeline": {
            "name": pipeline.path.name,
            "sha256": pipeline.sha256,
            "shipped": pipeline.path.parent.resolve() == pipelines_dir().resolve(),
        },
        "bridges": pipeline.bridges,
        "counts": {
            "subsets": {
                subset.name: {"prefix": subset.prefix, "seed": subset.seed} for subset in subsets
            }
        },
        "quotas": {subset.name: _none_reached(wanted_quotas(subset)) for subset in subsets},
        "difficulty_rule": _difficulty_rule(pipeline.difficulty),
        "difficulty": {subset.name: {} for subset in subsets},
        "similarity": {subset.name: {} for subset in subsets},
        "sources": {subset.name: _source(subset) for subset in subsets},
        "pools": {
            subset.name: {"candidates": candidates[subset.name], "scenes": subset.scenes}
            for subset in subsets
        },
        "rejections": {subset.name: {} for subset in subsets},
        "cues": {subset.name: cue_record(subset.cue_style) for subset in subsets},
        "prompts": {subset.name: subset.wording.as_dict() for subset in subsets},
        "columns": dict(pipeline.columns),
        "licenses": {},
        "toolchain": dict(toolchain()),
        "packs": list(packs),
    }


def _none_reached(wanted: Mapping[str, Any]) -> Record:
    return {
        key: _none_reached(value) if isinstance(value, Mapping) else {"wanted": value, "reached": 0}
        for key, value in wanted.items()
    }


def _difficulty_rule(rule: Difficulty) -> Record:
    return {"hard_at": rule.hard_at, "points": [asdict(point) for point in rule.points]}


def _source(subset: Subset) -> Record:
    lines = subset.grid_lines
    return {
        "kind": subset.kind,
        "options": dict(subset.options),
        "curated": None if subset.curated is None else subset.curated.name,
        "background": list(subset.background),
        "ink": subset.ink,
        "grid_lines": lines and {"color": list(lines.color), "width": lines.width},
    }


def cue_record(style: CueStyle) -> Record:
    """How cues are drawn, and what prompts call them."""
    return {
        "outline_color": list(style.outline_color),
        "outline_name": style.outline_name,
        "outline_half_width": style.outline_half_width,
        "mask_color": list(style.mask_color),
        "mask_name": style.mask_name,
        "mask_alpha": style.mask_alpha,
    }


def with_counts(plain: Mapping[str, Any], tallies: Mapping[str, Tally]) -> Record:
    """A summary with everything that is counted in the rows.

    Args:
        plain: a summary of the same subsets; what it counts gives way.
        tallies: by subset, of all its scenes and of its rejections.
    """
    counts, licenses = {}, Tally()
    for name, own in plain["counts"]["subsets"].items():
        counts[name] = {
            "prefix": own["prefix"],
            "seed": own["seed"],
            "scenes": total(tallies[name], "scenes"),
            "images": 2 * total(tallies[name], "scenes"),
            "items": total(tallies[name], "items"),
            **of_split(tallies[name], "scenes"),
            **of_split(tallies[name], "items"),
        }
        add(licenses, tallies[name].get("licenses", {}))
    summed = [key for key in next(iter(counts.values())) if key not in ("prefix", "seed")]
    return {
        **plain,
        "counts": {
            **{key: sum(own[key] for own in counts.values()) for key in summed},
            "bridge_items": sum(total(tally, "bridge_items") for tally in tallies.values()),
            "subsets": counts,
        },
        "quotas": {
            name: _reached(wanted, tallies[name].get("quotas", {}))
            for name, wanted in plain["quotas"].items()
        },
        "difficulty": {
            name: {level: tally.get("difficulty", {}).get(level, 0) for level in ("medium", "hard")}
            for name, tally in tallies.items()
        },
        "similarity": {
            name: {
                measure: distribution(values)
                for measure, values in tally.get("measures", {}).items()
            }
            for name, tally in tallies.items()
        },
        "pools": {name: _pool(own, tallies[name]) for name, own in plain["pools"].items()},
        "rejections": {name: _reasons(tally) for name, tally in tallies.items()},
        "licenses": dict(sorted(licenses.items())),
    }


def _reached(wanted: Mapping[str, Any], reached: Mapping[str, Any]) -> Record:
    """Quotas, each with what the scenes came to."""
    found = {}
    for key, value in wanted.items():
        if "wanted" in value:
            found[key] = {"wanted": value["wanted"], "reached": reached.get(key, 0)}
        else:
            found[key] = _reached(value, reached.get(key, {}))
    return found


def _pool(plain: Mapping[str, int], tally: Tally) -> dict[str, int]:
    return {
        "candidates": plain["candidates"],
        "admitted": total(tally, "scenes"),
        "rejected": total(tally, "rejected"),
        "used": len(tally.get("pairs", {})),
        "scenes": plain["scenes"],
        "unfit_tiles": total(tally, "unfit"),
    }


def _reasons(tally: Tally) -> dict[str, int]:
    counted = Tally()
    add(counted, tally.get("rejected", {}))
    add(counted, tally.get("unfit", {}))
    return dict(sorted(counted.items(), key=lambda entry: (-entry[1], entry[0])))
