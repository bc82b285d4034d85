"""What rows come to, counted so that the counts of parts add up to those of the whole.

A tally is JSON: objects within objects down to whole numbers, so that two are added key by key. It
does not grow with the number of scenes: measures are counted by value, rounded to 4 places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosegen.errors import RosegenError
from rosegen.scene import SPLITS, T2, T3, T4, T5
from rosegen.sources.similarity import MEASURES

Tally = dict[str, Any]

MEASURED = (*MEASURES, "similarity")
_PLACES = 4


def tally_scene(rows: Sequence[Mapping[str, Any]]) -> Tally:
    """The tally of one scene, from its five main rows."""
    by_template = {row["task_template"]: row for row in rows}
    scene = rows[0]
    split = scene["split"]
    tally: Tally = {
        "scenes": {split: 1},
        "items": {split: len(rows)},
        "quotas": {
            "grid_profiles": {scene["grid_size_profile"]: 1},
            "exceptions": {str(scene["global_target_count"]): 1},
            "cue_types": {by_template[T4]["cue_type"]: 1},
            "region_cases": {t: {by_template[t]["region_case"]: 1} for t in (T2, T3, T4, T5)},
            "region_types": {t: {_region_type(by_template[t]): 1} for t in (T2, T3, T5)},
        },
        "difficulty": {},
        "measures": {name: {f"{scene[name]:.{_PLACES}f}": 1} for name in MEASURED},
        "licenses": dict.fromkeys((scene["background_license"], scene["target_license"]), 2),
        "pairs": {scene["pair_key"]: 1},
    }
    for row in rows:
        add(tally, {"difficulty": {row["difficulty"]: 1}})
    return tally


def _region_type(row: Mapping[str, Any]) -> str:
    return str(row["region_params"]["exclude_type"] or row["region_type"])


def tally_bridge(row: Mapping[str, Any]) -> Tally:
    """The tally of a bridge row."""
    return {"bridge_items": {row["split"]: 1}}


def tally_rejection(row: Mapping[str, Any]) -> Tally:
    """The tally of a row of ``rejections.jsonl``: of a refused pair, or of unfit art."""
    kind = "unfit" if row["pair_key"] is None else "rejected"
    return {kind: {row["reason"]: 1}}


def tally_image(row: Mapping[str, Any]) -> Tally:
    """The tally of a row of the manifest: on which side of the split its two tiles stand."""
    tiles = sorted((row["background_sha256"], row["target_sha256"]))
    return {"tiles": {"".join(tile[:16] for tile in tiles): {row["split"]: 1}}}


def refuse_torn_pairs(tallies: Mapping[str, Tally]) -> None:
    """Refuse a release in which two tiles make a pair on both sides of the split.

    Within a subset no build lets that happen; two subsets may have art in common.

    Args:
        tallies: by subset.

    Raises:
        RosegenError: there is such a pair.
    """
    seen: dict[str, tuple[str, str]] = {}
    for subset, tally in tallies.items():
        for tiles, splits in tally.get("tiles", {}).items():
            for split in splits:
                other, there = seen.setdefault(tiles, (subset, split))
                if there != split:
                    raise RosegenError(
                        f"{other} and {subset} have a pair of tiles in common, here {split}, there "
                        f"{there}: give one of them other packs or a curated list"
                    )


def add(tally: Tally, other: Mapping[str, Any]) -> None:
    """Add the counts of another part."""
    for key, value in other.items():
        if isinstance(value, Mapping):
            add(tally.setdefault(key, {}), value)
        else:
            tally[key] = tally.get(key, 0) + value


def total(tally: Mapping[str, Any], name: str) -> int:
    """The sum of a section's counts, of both splits."""
    counts: Mapping[str, int] = tally.get(name, {})
    return sum(counts.values())


def of_split(tally: Mapping[str, Any], name: str) -> dict[str, int]:
    """``dev_<name>`` and ``test_<name>``."""
    counts: Mapping[str, int] = tally.get(name, {})
    return {f"{split}_{name}": counts.get(split, 0) for split in SPLITS}


def distribution(counts: Mapping[str, int]) -> dict[str, float]:
    """Extremes, quartiles (between two ranks by proportion) and mean of what was counted by value.

    Args:
        counts: value, as text, to how often it occurs.
    """
    values = sorted((float(value), count) for value, count in counts.items())
    total = sum(count for _, count in values)

    def at(rank: int) -> float:
        for value, count in values:
            rank -= count
            if rank < 0:
                return value
        raise IndexError(rank)

    found = {}
    for name, share in (("min", 0), ("p25", 0.25), ("median", 0.5), ("p75", 0.75), ("max", 1)):
        place = share * (total - 1)
        low = int(place)
        one, next_one = at(low), at(min(low + 1, total - 1))
        found[name] = one + (place - low) * (next_one - one)
    found["mean"] = sum(value * count for value, count in values) / total
    return {name: round(value, _PLACES) for name, value in found.items()}
