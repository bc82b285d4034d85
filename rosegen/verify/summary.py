"""Check export_summary.json against the rows: counts, quotas, difficulty and distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from rosegen.verify.cues import LEAST_CONTRAST, MASK, OUTLINE, Look
from rosegen.verify.reading import Row
from rosegen.verify.report import Fault, fault
from rosegen.verify.rows import region_case
from rosegen.verify.scenes import Scene
from rosegen.verify.templates import T4, TEMPLATES
from rosegen.verify.wording import wording_problems

NAME = "export_summary.json"

_ROUNDING = 1e-4
"""How far a rounded statistic may lie from the exact one."""
_ROUNDED_COLOR = 0.05
"""How far apart two readings of a colour difference may lie: coefficients of sRGB are rounded."""
_OF_A_BUILD = ("quotas", "pools", "rejections")
"""Sections that speak of every subset, and of none in a replayed release."""
_TOLD = ("sources", "prompts", "similarity")
"""Sections that speak of every subset; of a replayed one where its release told."""
_OF_SCENES = ("difficulty", "cues")
"""Sections that speak of every subset; of a replayed one where its records tell."""

Summary = Mapping[str, Any]


def _wrong(path: str, says: object, found: object) -> Fault:
    return fault("summary", NAME, f"{path} is {says!r}, but the rows give {found!r}")


def _counts(scenes: Sequence[Scene]) -> dict[str, int]:
    found: dict[str, int] = {"scenes": len(scenes)}
    found["images"] = sum(len(scene.image_ids) for scene in scenes)
    found["items"] = sum(len(scene.rows) for scene in scenes)
    for split in ("dev", "test"):
        members = [scene for scene in scenes if scene.split == split]
        found[f"{split}_scenes"] = len(members)
        found[f"{split}_items"] = sum(len(scene.rows) for scene in members)
    return found


def _case(scene: Scene, template: str) -> str | None:
    area = scene.areas.get(template)
    if area is None or scene.truth is None:
        return None
    inside = sum(area.holds(spot) for spot in scene.truth.targets)
    return region_case(inside, len(scene.truth.targets))


def _tally(values: Iterable[str | None]) -> Counter[str]:
    return Counter(value for value in values if value is not None)


def _compare(path: str, quotas: Mapping[str, Any], found: Counter[str]) -> list[Fault]:
    faults = [
        _wrong(f"{path}.{name}.reached", quota["reached"], found[name])
        for name, quota in quotas.items()
        if quota["reached"] != found[name]
    ]
    unknown = sorted(set(found) - set(quotas))
    if unknown:
        faults.append(_wrong(path, "silent on " + ", ".join(unknown), dict(found)))
    return faults


def _check_quotas(path: str, quotas: Mapping[str, Any], scenes: Sequence[Scene]) -> list[Fault]:
    def by(column: str) -> Counter[str]:
        return _tally(str(scene.shared[column]) for scene in scenes)

    exceptions = _tally(str(len(scene.shared["target_cells"])) for scene in scenes)
    cues = _tally(scene.rows[T4]["cue_type"] for scene in scenes if T4 in scene.rows)
    faults = _compare(f"{path}.grid_profiles", quotas["grid_profiles"], by("grid_size_profile"))
    faults += _compare(f"{path}.exceptions", quotas["exceptions"], exceptions)
    faults += _compare(f"{path}.cue_types", quotas["cue_types"], cues)
    for name, part in (
        ("region_cases", quotas["region_cases"]),
        ("region_types", quotas["region_types"]),
    ):
        for template, wanted in part.items():
            if template not in TEMPLATES:
                faults.append(fault("summary", NAME, f"{path}.{name} has no template {template}"))
                continue
            if name == "region_cases":
                found = _tally(_case(scene, template) for scene in scenes)
            else:
                found = _tally(
                    scene.areas[template].kind for scene in scenes if template in scene.areas
                )
            faults += _compare(f"{path}.{name}.{template}", wanted, found)
    return faults


def _check_distribution(path: str, says: Mapping[str, float], values: list[float]) -> list[Fault]:
    values.sort()
    last = len(values) - 1
    exact = {
        "min": values[0],
        "median": median(values),
        "max": values[-1],
        "mean": fmean(values),
    }
    faults = [
        _wrong(f"{path}.{name}", says[name], round(value, 6))
        for name, value in exact.items()
        if abs(says[name] - value) > _ROUNDING * max(1.0, abs(value))
    ]
    # Quartiles have several definitions; each lies between neighbours of the same rank.
    for name, share in (("p25", 0.25), ("p75", 0.75)):
        low = values[max(0, int(share * last) - 1)]
        high = values[min(last, int(share * last) + 2)]
        if not low - _ROUNDING <= says[name] <= high + _ROUNDING:
            faults.append(_wrong(f"{path}.{name}", says[name], [low, high]))
    return faults


def _check_similarity(subset: str, says: Mapping[str, Any], scenes: Sequence[Scene]) -> list[Fault]:
    faults = []
    for measure, stats in says.items():
        path = f"similarity.{subset}.{measure}"
        values = [scene.shared[measure] for scene in scenes]
        if None in values:
            faults.append(fault("summary", NAME, f"{path}: the rows do not tell it of every scene"))
        else:
            faults += _check_distribution(path, stats, [float(value) for value in values])
    return faults


def _check_contrast(subset: str, summary: Summary, scenes: Sequence[Scene]) -> list[Fault]:
    """Whether the cues that are shown can be seen on the background, where both are told."""
    if subset not in summary["cues"] or subset not in summary["sources"]:
        return []
    look = Look.of(summary["cues"][subset])
    red, green, blue = summary["sources"][subset]["background"]
    shown = {scene.rows[T4]["cue_type"] for scene in scenes if T4 in scene.rows}
    found = {kind: look.contrast(kind, (red, green, blue)) for kind in (OUTLINE, MASK)}
    return [
        fault(
            "summary",
            NAME,
            f"cues.{subset}: {kind} is {far:.1f} from the background in CIELAB: it would hardly be "
            f"seen, {LEAST_CONTRAST:g} is the least",
        )
        for kind, far in found.items()
        if kind in shown and far < LEAST_CONTRAST - _ROUNDED_COLOR
    ]


def _check_subset(
    subset: str, summary: Summary, scenes: Sequence[Scene], readable: bool
) -> list[Fault]:
    counts = summary["counts"]["subsets"][subset]
    path = f"counts.subsets.{subset}"
    faults = [
        _wrong(f"{path}.{name}", counts[name], value)
        for name, value in _counts(scenes).items()
        if counts[name] != value
    ]
    prefixes = {scene.key[0] for scene in scenes}
    if prefixes and prefixes != {counts["prefix"]}:
        faults.append(_wrong(f"{path}.prefix", counts["prefix"], sorted(prefixes)))
    if counts["seed"] is None and not summary["replayed"]:
        detail = f"{path}.seed is null, which only a replayed release may have"
        faults.append(fault("summary", NAME, detail))
    numbers = [scene.key[1] for scene in scenes]
    # Records may be published of some scenes only: ROSE's are of its test split.
    built = summary["complete"] and not summary["replayed"]
    if built and numbers != list(range(1, len(numbers) + 1)):
        detail = f"{subset} is called complete, but its scenes are not numbered 1 to {len(numbers)}"
        faults.append(fault("summary", NAME, detail))
    faults += _check_contrast(subset, summary, scenes)
    if not readable:
        return faults
    if subset in summary["quotas"]:
        faults += _check_quotas(f"quotas.{subset}", summary["quotas"][subset], scenes)
    if subset in summary["difficulty"]:
        levels = _tally(row["difficulty"] for scene in scenes for row in scene.rows.values())
        says = summary["difficulty"][subset]
        found = {level: levels[level] for level in says}
        if found != says:
            faults.append(_wrong(f"difficulty.{subset}", says, found))
    if subset in summary["similarity"] and scenes:
        faults += _check_similarity(subset, summary["similarity"][subset], scenes)
    if subset in summary["pools"] and built:
        used = len({scene.shared["pair_key"] for scene in scenes})
        for name, count in (("scenes", len(scenes)), ("used", used)):
            says = summary["pools"][subset][name]
            if says != count:
                faults.append(_wrong(f"pools.{subset}.{name}", says, count))
    return faults


def check_summary(
    summary: Summary, scenes: Sequence[Scene], bridge_rows: int | None, readable: bool
) -> list[Fault]:
    """Recount what the summary says.

    Args:
        summary: the summary, which obeys its schema.
        scenes: all scenes, by prefix and number.
        bridge_rows: rows of the bridges; None when some could not be read.
        readable: whether every scene's exceptions and regions make sense; what is counted by them
            is compared only then.
    """
    faults: list[Fault] = []
    by_subset: dict[str, list[Scene]] = {name: [] for name in summary["counts"]["subsets"]}
    for scene in scenes:
        subset = str(scene.shared["rose_subset"])
        if subset in by_subset:
            by_subset[subset].append(scene)
        else:
            detail = f"counts.subsets has no {subset}, the subset of {scene.scene_id}"
            faults.append(fault("summary", NAME, detail))
    faults += _check_sections(summary, by_subset)
    for subset, members in by_subset.items():
        faults += _check_subset(subset, summary, members, readable)
    substituted = sum(scene.shared.get("substituted") is not None for scene in scenes)
    if summary["substituted_scenes"] != substituted:
        faults.append(_wrong("substituted_scenes", summary["substituted_scenes"], substituted))
    found = _counts(scenes)
    if bridge_rows is not None:
        found["bridge_items"] = bridge_rows
    faults += [
        _wrong(f"counts.{name}", summary["counts"][name], value)
        for name, value in found.items()
        if summary["counts"][name] != value
    ]
    return faults


def _check_sections(summary: Summary, by_subset: Mapping[str, Sequence[Scene]]) -> list[Fault]:
    """Whether the sections speak of the subsets they should."""
    faults: list[Fault] = []
    for section in (*_OF_A_BUILD, *_TOLD, *_OF_SCENES):
        wanted, allowed = set(by_subset), set(by_subset)
        if summary["replayed"]:
            if section in _OF_A_BUILD:
                wanted = allowed = set()
            elif section in _TOLD:
                wanted = set()
            elif section == "cues":
                wanted = {n for n, own in by_subset.items() if any(T4 in s.rows for s in own)}
        faults += [
            fault("summary", NAME, f"{section} has no {name}")
            for name in by_subset
            if name in wanted and name not in summary[section]
        ]
        for name in summary[section]:
            if name not in by_subset:
                detail = f"{section} speaks of {name}, which counts.subsets has not"
                faults.append(fault("summary", NAME, detail))
            elif name not in allowed:
                detail = f"{section} speaks of {name}, but no build made a replayed release"
                faults.append(fault("summary", NAME, detail))
    return faults


def check_prompts(summary: Summary) -> list[Fault]:
    """What is wrong with the subsets' wording as such.

    Args:
        summary: the summary, which obeys its schema.
    """
    faults = []
    for subset, entry in summary["prompts"].items():
        if entry is None:
            if not summary["replayed"]:
                detail = f"prompts.{subset} is null, which only a replayed release may have"
                faults.append(fault("summary", NAME, detail))
        elif subset in summary["cues"]:
            problems = wording_problems(entry, summary["cues"][subset], summary["bridges"])
            faults += [fault("summary", NAME, f"prompts.{subset}: {each}") for each in problems]
    return faults


def check_packs(summary: Summary, scenes: Iterable[Scene], manifest: Iterable[Row]) -> list[Fault]:
    """Every pack that rows or manifest name is one of the summary's.

    Args:
        summary: the summary, which obeys its schema.
        scenes: all scenes.
        manifest: the manifest's rows.
    """
    known = {pack["name"] for pack in summary["packs"]}
    used: dict[str, Row] = {}
    for row in (*(scene.shared for scene in scenes), *manifest):
        for column in ("background_pack", "target_pack"):
            if row[column] is not None:
                used.setdefault(row[column], row)
    return [
        fault(
            "summary", NAME, f"packs has no {name!r}, which tiles of {row['rose_subset']} come from"
        )
        for name, row in used.items()
        if name not in known
    ]
