"""Check rejections.jsonl, the log of refused pairs, against the export summary.

It speaks of whole subsets, in a partial release as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rosegen.verify.reading import Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import Scene
from rosegen.verify.summary import NAME as SUMMARY

NAME = "rejections.jsonl"


def check_rejections(
    table: Table, summary: Mapping[str, Any], scenes: Iterable[Scene]
) -> list[Fault]:
    """Recount the refused pairs of every subset.

    Args:
        table: the log.
        summary: the summary, which obeys its schema.
        scenes: the scenes; their ids have the last word on what those of a subset begin with.
    """
    faults = []
    reasons: dict[str, Counter[str]] = {}
    subsets = summary["counts"]["subsets"]
    prefixes = {subset: counts["prefix"] for subset, counts in subsets.items()}
    prefixes.update({str(scene.shared["rose_subset"]): scene.key[0] for scene in scenes})
    for line, row in table.rows:
        subset, scene_id = row["rose_subset"], row["scene_id"]
        where = f"{NAME}:{line}"
        if subset not in subsets:
            faults.append(fault("rejection", where, f"the release has no subset {subset}"))
            continue
        if scene_id.rpartition("SCENE_")[0] != prefixes[subset]:
            detail = f"scene_id is {scene_id}, but ids of {subset} begin with {prefixes[subset]}"
            faults.append(fault("rejection", where, detail))
        reasons.setdefault(subset, Counter())[row["reason"]] += 1
    if not table.whole or faults:
        return faults  # what cannot be read cannot be counted
    for subset in subsets:
        found = reasons.get(subset, Counter())
        says = Counter(summary["rejections"].get(subset, {}))
        pool = summary["pools"].get(subset)
        unlike = sorted(reason for reason in {*found, *says} if found[reason] != says[reason])
        if unlike:
            faults += [
                _wrong(f"rejections.{subset}.{reason}", says[reason], found[reason])
                for reason in unlike
            ]
        elif pool is not None and pool["rejected"] != sum(found.values()):
            faults.append(_wrong(f"pools.{subset}.rejected", pool["rejected"], sum(found.values())))
    return faults


def _wrong(path: str, says: int, found: int) -> Fault:
    return fault("summary", SUMMARY, f"{path} is {says}, but {NAME} has {found}")
