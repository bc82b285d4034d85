"""``export_summary.json`` of a replayed release: what it holds, and what it was made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import rosegen
from rosegen.packs import OpenPack
from rosegen.pipeline import Difficulty, Point
from rosegen.release.summary import cue_record
from rosegen.replay.making import Art, Made
from rosegen.replay.published import PLAIN, Told
from rosegen.replay.records import printable
from rosegen.scene import T1B
from rosegen.sources.pixel_art import OWN_PACK
from rosegen.toolchain import toolchain

Row = Mapping[str, Any]

_LONGEST_NAME = 100

# Measured on ROSE's 1,112 public T3 rows, all of which it fits.
ROSE_RULE = Difficulty(
    2,
    (
        Point("grid_size_profile", None, equals="large"),
        Point("global_target_count", None, at_least=4),
        Point("region_target_count", None, equals=0),
        Point("rose_subset", None, equals="ROSE-PixelEdit"),
        Point("similarity", "ROSE-EmojiContent", at_least=0.95),
    ),
)


def make_summary(
    made: Sequence[Made],
    rows: Sequence[Row],
    bridges: Mapping[str, Sequence[Row]],
    manifest: Sequence[Row],
    told: Told,
    columns: Mapping[str, Row],
    packs: Mapping[str, OpenPack],
    records: Mapping[str, str],
) -> dict[str, Any]:
    """The summary.

    Args:
        made: the scenes.
        rows: their main rows.
        bridges: template to bridge rows.
        manifest: one row an image.
        told: what the releases around the records say.
        columns: beyond those of every release.
        packs: those that were opened.
        records: name and hash of the files of records.
    """
    subsets = list(dict.fromkeys(each.scene.subset for each in made))
    counts = {subset: _counts(subset, made, rows, manifest) for subset in subsets}
    summed = ("scenes", "images", "items", "dev_scenes", "test_scenes", "dev_items", "test_items")
    looks = {subset: told.looks.get(subset, PLAIN) for subset in subsets}
    return {
        "format": 1,
        "name": _name_of(bridges[T1B]) or _name_of(rows) or "replayed",
        "rosegen_version": rosegen.__version__,
        "title": "Made again from published records.",
        "complete": False,
        "selection": dict.fromkeys(("subsets", "limit", "scenes", "shard")),
        "replayed": True,
        "substituted_scenes": sum(bool(each.substituted) for each in made),
        "pipeline": {**records, "shipped": False},
        "bridges": any(bridges.values()),
        "counts": {
            **{key: sum(own[key] for own in counts.values()) for key in summed},
            "bridge_items": sum(len(own) for own in bridges.values()),
            "subsets": counts,
        },
        "quotas": {},
        "difficulty_rule": _rule(rows, told),
        "difficulty": {subset: _difficulty(subset, rows) for subset in subsets},
        "similarity": {},
        "sources": {name: dict(look.source) for name, look in looks.items() if look.source},
        "pools": {},
        "rejections": {},
        "cues": {name: cue_record(look.cue_style) for name, look in looks.items()},
        "prompts": _prompts(made, told),
        "columns": dict(columns),
        "licenses": _licenses(manifest),
        "toolchain": dict(toolchain()),
        "packs": _packs(made, packs, told),
    }


def _prompts(made: Iterable[Made], told: Told) -> dict[str, dict[str, Any] | None]:
    """By subset its wording as it is told; None where the records have words of their own.

    A subset that is left out is worded as ROSE's.
    """
    found: dict[str, dict[str, Any] | None] = {
        each.scene.subset: None for each in made if each.scene.customs.has_own_words
    }
    found.update({name: dict(look.prompts) for name, look in told.looks.items() if look.prompts})
    return found


def _name_of(rows: Iterable[Row]) -> str:
    """What most rows call the dataset: T1B's as one, the others of ROSE each part of it."""
    names = Counter(row["dataset_version"] for row in rows if row["dataset_version"])
    name = names.most_common(1)[0][0] if names else ""
    return printable(name.removesuffix("_global_click_bridge"))[:_LONGEST_NAME]


def _counts(
    subset: str, made: Iterable[Made], rows: Iterable[Row], manifest: Iterable[Row]
) -> dict[str, Any]:
    own = [each.scene for each in made if each.scene.subset == subset]
    items = Counter(row["split"] for row in rows if row["rose_subset"] == subset)
    scenes = Counter(scene.split or "test" for scene in own)
    return {
        "prefix": own[0].prefix,
        "seed": own[0].seed,
        "scenes": len(own),
        "images": sum(row["rose_subset"] == subset for row in manifest),
        "items": sum(items.values()),
        "dev_scenes": scenes["dev"],
        "test_scenes": scenes["test"],
        "dev_items": items["dev"],
        "test_items": items["test"],
    }


def _rule(rows: Sequence[Row], told: Told) -> dict[str, Any] | None:
    """The rule of difficulty that every row follows: as it is told, or else ROSE's, if either."""
    for rule in (told.rule, ROSE_RULE):
        if rule is not None and _is_followed(rule, rows):
            points = [asdict(point) for point in rule.points]
            return {"hard_at": rule.hard_at, "points": points}
    return None


def _is_followed(rule: Difficulty, rows: Iterable[Row]) -> bool:
    try:
        return all(row["difficulty"] == rule.of(row) for row in rows)
    except (KeyError, TypeError):  # a row does not tell what the rule asks about
        return False


def _difficulty(subset: str, rows: Iterable[Row]) -> dict[str, int]:
    levels = Counter(row["difficulty"] for row in rows if row["rose_subset"] == subset)
    return {"medium": levels["medium"], "hard": levels["hard"]}


def _licenses(manifest: Iterable[Row]) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for row in manifest:
        counted.update({row["background_license"], row["target_license"]})
    return dict(sorted(counted.items()))


def _packs(made: Iterable[Made], packs: Mapping[str, OpenPack], told: Told) -> list[dict[str, Any]]:
    """A record of every pack that a picture shows art of, and of the user's own files."""
    used = {art.pack: art for each in made for art in (each.shown.majority, each.shown.exception)}
    return [_pack(art, packs.get(name), told) for name, art in sorted(used.items())]


def _pack(art: Art, opened: OpenPack | None, told: Told) -> dict[str, Any]:
    if opened is not None:
        pack = opened.pack
        return {
            "name": pack.name,
            "kind": pack.kind,
            "source": pack.source.package,
            "version": pack.source.version,
            "sha256": opened.sha256,
            "license": pack.license,
            "attribution": pack.attribution,
            "homepage": pack.homepage,
        }
    own = art.pack == OWN_PACK
    published = told.packs.get(art.pack, {})
    return {
        "name": art.pack,
        "kind": art.kind,
        "source": "rosegen" if own else "files of the user's own",
        "version": rosegen.__version__ if own else "",
        "sha256": None,
        "license": art.license,
        "attribution": (
            "rosegen's own sprites, by the rosegen authors"
            if own
            else str(published.get("attribution", "unknown"))
        ),
        "homepage": None,
    }
