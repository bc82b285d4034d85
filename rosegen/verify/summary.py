"""Check export_summary.json against the rows: counts, quotas, difficulty and distributions."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from rosegen.verify.cues import LEAST_CONTRAST, MASK, OUTLINE, Look
from rosegen.verify.facts import Facts, Subset
from rosegen.verify.report import Fault, fault
from rosegen.verify.templates import TEMPLATES
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
_COUNTED = ("scenes", "images", "items", "dev_scenes", "dev_items", "test_scenes", "test_items")

Summary = Mapping[str, Any]


def _wrong(path: str, says: object, found: object) -> Fault:
    return fault("summary", NAME, f"{path} is {says!r}, but the rows give {found!r}")


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


def _check_quotas(path: str, quotas: Mapping[str, Any], subset: Subset) -> list[Fault]:
    def found(section: str, template: str = "") -> Counter[str]:
        return subset.shares.get((section, template), Counter())

    faults: list[Fault] = []
    for section in ("grid_profiles", "exceptions", "cue_types"):
        faults += _compare(f"{path}.{section}", quotas[section], found(section))
    for section in ("region_cases", "region_types"):
        for template, wanted in quotas[section].items():
            if template in TEMPLATES:
                reached = found(section, template)
                faults += _compare(f"{path}.{section}.{template}", wanted, reached)
            else:
                detail = f"{path}.{section} has no template {template}"
                faults.append(fault("summary", NAME, detail))
    return faults


def _check_distribution(
    path: str, says: Mapping[str, float], counts: Mapping[float, int]
) -> list[Fault]:
    values = sorted(counts)
    ends = list(accumulate(counts[value] for value in values))  # ranks at which each value ends
    last = ends[-1] - 1

    def at(rank: int) -> float:
        return values[bisect_right(ends, rank)]

    exact = {
        "min": values[0],
        "median": (at(last // 2) + at((last + 1) // 2)) / 2,
        "max": values[-1],
        "mean": sum(value * count for value, count in counts.items()) / (last + 1),
    }
    faults = [
        _wrong(f"{path}.{name}", says[name], round(value, 6))
        for name, value in exact.items()
        if abs(says[name] - value) > _ROUNDING * max(1.0, abs(value))
    ]
    # Quartiles have several definitions; each lies between neighbours of the same rank.
    for name, share in (("p25", 0.25), ("p75", 0.75)):
        low = at(max(0, int(share * last) - 1))
        high = at(min(last, int(share * last) + 2))
        if not low - _ROUNDING <= says[name] <= high + _ROUNDING:
            faults.append(_wrong(f"{path}.{name}", says[name], [low, high]))
    return faults


def _check_similarity(name: str, says: Mapping[str, Any], subset: Subset) -> list[Fault]:
    faults = []
    for measure, stats in says.items():
        path = f"similarity.{name}.{measure}"
        counts = subset.measures.get(measure, Counter())
        if counts[None]:
            faults.append(fault("summary", NAME, f"{path}: the rows do not tell it of every scene"))
        else:
            told = {value: count for value, count in counts.items() if value is not None}
            faults += _check_distribution(path, stats, told)
    return faults


def _check_contrast(name: str, summary: Summary, subset: Subset) -> list[Fault]:
    """Whether the cues that are shown can be seen on the background, where both are told."""
    if name not in summary["cues"] or name not in summary["sources"]:
        return []
    look = Look.of(summary["cues"][name])
    red, green, blue = summary["sources"][name]["background"]
    shown = subset.shares.get(("cue_types", ""), Counter())
    found = {kind: look.contrast(kind, (red, green, blue)) for kind in (OUTLINE, MASK)}
    return [
        fault(
            "summary",
            NAME,
            f"cues.{name}: {kind} is {far:.1f} from the background in CIELAB: it would hardly be "
            f"seen, {LEAST_CONTRAST:g} is the least",
        )
        for kind, far in found.items()
        if kind in shown and far < LEAST_CONTRAST - _ROUNDED_COLOR
    ]


def _check_subset(name: str, summary: Summary, subset: Subset, readable: bool) -> list[Fault]:
    counts = summary["counts"]["subsets"][name]
    path = f"counts.subsets.{name}"
    faults = [
        _wrong(f"{path}.{what}", counts[what], subset.counts[what])
        for what in _COUNTED
        if counts[what] != subset.counts[what]
    ]
    if subset.prefixes and set(subset.prefixes) != {counts["prefix"]}:
        faults.append(_wrong(f"{path}.prefix", counts["prefix"], sorted(subset.prefixes)))
    if counts["seed"] is None and not summary["replayed"]:
        detail = f"{path}.seed is null, which only a replayed release may have"
        faults.append(fault("summary", NAME, detail))
    # Records may be published of some scenes only: ROSE's are of its test split.
    built = summary["complete"] and not summary["replayed"]
    scenes = subset.counts["scenes"]
    if built and scenes and (subset.first, subset.last) != (1, scenes):
        detail = f"{name} is called complete, but its scenes are not numbered 1 to {scenes}"
        faults.append(fault("summary", NAME, detail))
    faults += _check_contrast(name, summary, subset)
    if not readable:
        return faults
    if name in summary["quotas"]:
        faults += _check_quotas(f"quotas.{name}", summary["quotas"][name], subset)
    if name in summary["difficulty"]:
        levels = subset.shares.get(("difficulty", ""), Counter())
        says = summary["difficulty"][name]
        found = {level: levels[level] for level in says}
        if found != says:
            faults.append(_wrong(f"difficulty.{name}", says, found))
    if name in summary["similarity"] and scenes:
        faults += _check_similarity(name, summary["similarity"][name], subset)
    if name in summary["pools"] and built:
        for what, count in (("scenes", scenes), ("used", len(subset.pair_keys))):
            says = summary["pools"][name][what]
            if says != count:
                faults.append(_wrong(f"pools.{name}.{what}", says, count))
    return faults


def check_summary(summary: Summary, facts: Facts, bridge_rows: int | None) -> list[Fault]:
    """Recount what the summary says.

    Args:
        summary: the summary, which obeys its schema.
        facts: what all scenes come to; what is counted by exceptions and regions is compared only
            where those of all of them make sense.
        bridge_rows: rows of the bridges; None when some could not be read.
    """
    faults: list[Fault] = []
    known = summary["counts"]["subsets"]
    for name, scene_id in facts.first_of.items():
        if name not in known:
            detail = f"counts.subsets has no {name}, the subset of {scene_id}"
            faults.append(fault("summary", NAME, detail))
    by_subset = {name: facts.subsets.get(name, Subset()) for name in known}
    faults += _check_sections(summary, by_subset)
    for name, subset in by_subset.items():
        faults += _check_subset(name, summary, subset, facts.readable)
    if summary["substituted_scenes"] != facts.substituted:
        says = summary["substituted_scenes"]
        faults.append(_wrong("substituted_scenes", says, facts.substituted))
    found = {name: facts.counts[name] for name in _COUNTED}
    if bridge_rows is not None:
        found["bridge_items"] = bridge_rows
    faults += [
        _wrong(f"counts.{name}", summary["counts"][name], value)
        for name, value in found.items()
        if summary["counts"][name] != value
    ]
    return faults


def _check_sections(summary: Summary, by_subset: Mapping[str, Subset]) -> list[Fault]:
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
                wanted = {n for n, own in by_subset.items() if ("cue_types", "") in own.shares}
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


def check_packs(summary: Summary, users: Mapping[str, str]) -> list[Fault]:
    """Every pack that rows or manifest name is one of the summary's.

    Args:
        summary: the summary, which obeys its schema.
        users: pack to a subset whose tiles come from it.
    """
    known = {pack["name"] for pack in summary["packs"]}
    return [
        fault("summary", NAME, f"packs has no {name!r}, which tiles of {user} come from")
        for name, user in users.items()
        if name not in known
    ]
