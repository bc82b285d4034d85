"""Check rejections.jsonl, the log of refused pairs and unfit art, against the export summary.

It speaks of whole subsets, in a partial release as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rosegen.verify.reading import Row
from rosegen.verify.report import Fault, fault
from rosegen.verify.summary import NAME as SUMMARY

NAME = "rejections.jsonl"

_OF_A_PAIR = ("scene_id", "cell_size", "pair_key", "group", "b")
"""What the row of a refused pair has, and that of unfit art has not."""
_MEASURES = ("ssim", "phash_distance", "changed_pixel_share", "max_local_color_difference")


def _problem(row: Row, prefix: str) -> str | None:
    """What is wrong with a row, if anything.

    Args:
        row: a row that obeys the schema.
        prefix: what ids of its subset begin with.
    """
    if row["pair_key"] is None:
        said = [name for name in (*_OF_A_PAIR, *_MEASURES) if row[name] is not None]
        return f"{said[0]} is {row[said[0]]!r} of art that is in no pair" if said else None
    missing = [name for name in _OF_A_PAIR if row[name] is None]
    if missing:
        return f"{missing[0]} of a pair is null"
    scene_id: str = row["scene_id"]
    if scene_id.rpartition("SCENE_")[0] != prefix:
        return f"scene_id is {scene_id}, but ids of {row['rose_subset']} begin with {prefix}"
    return None


def check_rejections(
    rows: Iterable[tuple[int, Row]],
    summary: Mapping[str, Any],
    prefixes: Mapping[str, str],
    whole: Callable[[], bool],
) -> list[Fault]:
    """Recount the refused pairs and the unfit art of every subset.

    Args:
        rows: line number and row of the log, one after the other.
        summary: the summary, which obeys its schema.
        prefixes: by subset, what ids of its scenes begin with.
        whole: told when they have been taken, whether every row could be read.
    """
    faults = []
    pairs: dict[str, Counter[str]] = {}
    unfit: dict[str, Counter[str]] = {}
    subsets = summary["counts"]["subsets"]
    known = {**{subset: counts["prefix"] for subset, counts in subsets.items()}, **prefixes}
    for line, row in rows:
        subset = row["rose_subset"]
        if subset in subsets:
            problem = _problem(row, known[subset])
        else:
            problem = f"the release has no subset {subset}"
        if problem is not None:
            faults.append(fault("rejection", f"{NAME}:{line}", problem))
            continue
        kind = unfit if row["pair_key"] is None else pairs
        kind.setdefault(subset, Counter())[row["reason"]] += 1
    if faults or not whole():
        return faults  # what cannot be read cannot be counted
    for subset in subsets:
        faults += _count(
            subset, summary, pairs.get(subset, Counter()), unfit.get(subset, Counter())
        )
    return faults


def _count(
    subset: str, summary: Mapping[str, Any], pairs: Counter[str], unfit: Counter[str]
) -> list[Fault]:
    found, says = pairs + unfit, Counter(summary["rejections"].get(subset, {}))
    unlike = sorted(reason for reason in {*found, *says} if found[reason] != says[reason])
    if unlike:
        return [
            _wrong(f"rejections.{subset}.{reason}", says[reason], found[reason])
            for reason in unlike
        ]
    pool = summary["pools"].get(subset)
    if pool is None:
        return []
    counts = {"rejected": pairs.total(), "unfit_tiles": unfit.total()}
    return [
        _wrong(f"pools.{subset}.{name}", pool[name], count)
        for name, count in counts.items()
        if pool[name] != count
    ]


def _wrong(path: str, says: int, found: int) -> Fault:
    return fault("summary", SUMMARY, f"{path} is {says}, but {NAME} has {found}")
