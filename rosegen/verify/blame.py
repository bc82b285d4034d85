"""Many items worded otherwise than the summary has it: one wrong phrase there, named once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rosegen.verify.grid import Area
from rosegen.verify.reading import Row, Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import Scene, SceneKey, scene_key
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T1B, T4, TEMPLATES
from rosegen.verify.wording import OTHERWISE, Wording, spelling_of


def _parts(row: Row, area: Area | None, subset: str) -> list[str]:
    """The parts of a wording that an item's instruction is made of."""
    template = row["task_template"]
    parts = [f"prompts.{subset}.tasks.{template}"]
    if template == T4:
        parts.append(f"prompts.{subset}.cues.{row['cue_type']}")
    elif area is not None:
        parts.append(f"prompts.{subset}.regions.{spelling_of(area)}")
    return parts


def _items(
    scenes: Mapping[SceneKey, Scene], bridges: Iterable[Table]
) -> Iterator[tuple[Row, Area | None, str]]:
    """Every item of a subset that gives its wording, the area it asks about and the subset."""
    for scene in scenes.values():
        if _worded(scene):
            for template, row in scene.rows.items():
                yield row, scene.areas.get(template), str(scene.shared["rose_subset"])
    for table in bridges:
        for _, row in table.rows:
            found = scenes.get(scene_key(row) or ("", 0))
            if found is None or found.truth is None or not _worded(found):
                continue
            template = row["task_template"]
            area = found.areas.get(TEMPLATES[template].source or "")
            if template == T1B:
                area = Area("GLOBAL", (1, found.truth.rows, 1, found.truth.cols))
            yield row, area, str(found.shared["rose_subset"])


def _worded(scene: Scene) -> bool:
    return scene.truth is not None and isinstance(scene.truth.rules.words, Wording)


def blame_wording(
    faults: Sequence[Fault], scenes: Mapping[SceneKey, Scene], bridges: Iterable[Table]
) -> list[Fault]:
    """The faults, where a part of a wording that none of several items has replaces theirs.

    Args:
        faults: those found so far.
        scenes: the scenes, checked.
        bridges: the bridge tables.
    """
    odd = {
        each.where: each
        for each in faults
        if each.kind == "prompt" and each.detail.startswith(OTHERWISE)
    }
    if len(odd) < 2:
        return list(faults)
    users: dict[str, set[str]] = {}
    for row, area, subset in _items(scenes, bridges):
        for part in _parts(row, area, subset):
            users.setdefault(part, set()).add(row["item_id"])
    suspects: dict[frozenset[str], list[str]] = {}  # items to the parts that just they are made of
    for part, own in users.items():
        if len(own) > 1 and own <= set(odd):
            suspects.setdefault(frozenset(own), []).append(part)
    blamed: list[Fault] = []
    covered: set[str] = set()
    for items, parts in sorted(suspects.items(), key=lambda entry: -len(entry[0])):
        if items <= covered:
            continue
        first = min(items)
        told = f"none of {len(items)} items is worded so: in {first} {odd[first].detail}"
        blamed.append(fault("summary", SUMMARY, f"{' or '.join(parts)}: {told}"))
        covered |= items
    settled = {odd[item_id] for item_id in covered}
    return [*blamed, *(each for each in faults if each not in settled)]
