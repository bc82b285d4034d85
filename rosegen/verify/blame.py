"""Many items worded otherwise than the summary has it: one wrong phrase there, named once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

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


@dataclass
class Parts:
    """The parts of wordings that items are made of."""

    users: Counter[str] = field(default_factory=Counter)
    """Part to how many items use it."""
    odd: dict[str, list[str]] = field(default_factory=dict)
    """Part to those of its items that are worded otherwise."""

    def add(self, other: Parts) -> None:
        """Add those of other items."""
        self.users.update(other.users)
        for part, items in other.odd.items():
            self.odd.setdefault(part, []).extend(items)


def parts_of(
    scenes: Mapping[SceneKey, Scene], bridges: Iterable[Table], faults: Iterable[Fault]
) -> Parts:
    """The parts that the items of some scenes are made of, where their subset has a wording.

    Args:
        scenes: the scenes, checked.
        bridges: their rows in the bridges.
        faults: what is wrong with them.
    """
    odd = set(_worded_otherwise(faults))
    found = Parts()
    for row, area, subset in _items(scenes, bridges):
        for part in _parts(row, area, subset):
            found.users[part] += 1
            if row["item_id"] in odd:
                found.odd.setdefault(part, []).append(row["item_id"])
    return found


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


def _worded_otherwise(faults: Iterable[Fault]) -> dict[str, Fault]:
    return {
        each.where: each
        for each in faults
        if each.kind == "prompt" and each.detail.startswith(OTHERWISE)
    }


def blame_wording(faults: Sequence[Fault], parts: Parts) -> list[Fault]:
    """The faults, where a part of a wording that none of several items has replaces theirs.

    Args:
        faults: those found so far.
        parts: of all items.
    """
    odd = _worded_otherwise(faults)
    suspects: dict[frozenset[str], list[str]] = {}  # items to the parts that just they are made of
    for part, items in parts.odd.items():
        if 1 < len(items) == parts.users[part]:
            suspects.setdefault(frozenset(items), []).append(part)
    blamed: list[Fault] = []
    covered: set[str] = set()
    for own, made_of in sorted(suspects.items(), key=lambda entry: -len(entry[0])):
        if own <= covered:
            continue
        first = min(own)
        told = f"none of {len(own)} items is worded so: in {first} {odd[first].detail}"
        blamed.append(fault("summary", SUMMARY, f"{' or '.join(made_of)}: {told}"))
        covered |= own
    settled = {odd[item_id] for item_id in covered}
    return [*blamed, *(each for each in faults if each not in settled)]
