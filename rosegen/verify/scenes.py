"""Group rows into scenes, and check what a scene's rows must have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosegen.verify.grid import Area
from rosegen.verify.reading import Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.rows import (
    MAIN_TEMPLATES,
    TEMPLATES,
    Row,
    Truth,
    check_row,
    ids,
    target_problem,
)

VERSION_COLUMNS = ("dataset_version", "protocol_version")
"""Shared by a scene's five items; the global-click bridge has its own."""

SHARED_COLUMNS = (
    "rose_subset",
    "primitive_type",
    "prompt_global",
    "rows",
    "cols",
    "cell_size",
    "font_size",
    "grid_size_profile",
    "target_cells",
    "background_char",
    "target_char",
    "source_group",
    "font_name",
    "similarity_level",
    "pair_key",
    "background_emoji",
    "target_emoji",
    "emoji_char",
    "unicode_key",
    "majority_style",
    "target_style",
    "h2_label",
    "h3_title",
    "emoji_name_zh",
    "background_unicode",
    "target_unicode",
    "background_name_zh",
    "target_name_zh",
    "background_name_en",
    "target_name_en",
    "similarity",
    "background_path",
    "target_path",
    "asset_resize_mode",
    "image_split",
    "ssim",
    "phash_distance",
    "changed_pixel_share",
    "max_local_color_difference",
    "background_pack",
    "target_pack",
    "background_license",
    "target_license",
)
"""Columns that say the same in every row of a scene, and do not follow from others."""

_IDS = {
    "item_id": re.compile(r"(?:MLCNT_)?([A-Za-z0-9]+)ITEM_([0-9]{6,9})(?:__GCLK)?"),
    "scene_id": re.compile(r"([A-Za-z0-9]+)SCENE_([0-9]{6,9})"),
    "image_id": re.compile(r"([A-Za-z0-9]+)IMG_([0-9]{6,9})"),
}

WORDED_FREELY = ("T4_CLICK_VISUAL_REGION", "T5_CLICK_COUNT_EXCLUSION")

SceneKey = tuple[str, int]
"""Prefix and number of a scene."""


@dataclass
class Scene:
    """A scene's rows and what has been settled about it."""

    key: SceneKey
    rows: dict[str, Row] = field(default_factory=dict)
    """Main rows by template."""
    splits: dict[str, str] = field(default_factory=dict)
    """The split of the file each of them stands in."""
    shared: dict[str, Any] = field(default_factory=dict)
    """The value of every shared column, by the majority of the rows."""
    split: str = ""
    truth: Truth | None = None
    """None when the scene's exceptions make no sense."""
    areas: dict[str, Area] = field(default_factory=dict)
    """By template, the area a row asks about."""

    @property
    def scene_id(self) -> str:
        """``CHSCENE_000001``."""
        return ids(*self.key, MAIN_TEMPLATES[0])[1]

    @property
    def base_id(self) -> str:
        """Id of the plain image."""
        return ids(*self.key, MAIN_TEMPLATES[0])[2]

    @property
    def cue_id(self) -> str:
        """Id of the cued image."""
        return ids(*self.key, "T4_CLICK_VISUAL_REGION")[2]

    @property
    def pair(self) -> tuple[str, str, str]:
        """The subset and the pair of tiles, the same in both directions."""
        key = str(self.shared["pair_key"])
        first, _, second = key.partition("__")
        return (str(self.shared["rose_subset"]), *sorted((first, second)))  # type: ignore[return-value]


def scene_key(row: Row) -> SceneKey | None:
    """The scene that most of a row's ids and its seed speak of."""
    prefixes: Counter[str] = Counter()
    numbers: Counter[int] = Counter()
    for column, pattern in _IDS.items():
        match = pattern.fullmatch(row[column])
        if match is None:
            continue
        number = int(match[2])
        prefixes[match[1]] += 1
        numbers[-(-number // {"item_id": 5, "scene_id": 1, "image_id": 2}[column])] += 1
    if not numbers:
        return None
    numbers[row["item_seed"] // 10 % 10**7] += 1
    return prefixes.most_common(1)[0][0], numbers.most_common(1)[0][0]


def _majority(values: Sequence[Any]) -> Any:
    first = values[0]
    if all(value == first for value in values):
        return first
    counts = Counter(map(repr, values))
    return next(value for value in values if repr(value) == counts.most_common(1)[0][0])


def settle(rows: Iterable[Row], columns: Iterable[str]) -> tuple[dict[str, Any], list[Fault]]:
    """The majority's value of each column, and a fault for every row that says otherwise."""
    members = list(rows)
    shared: dict[str, Any] = {}
    faults = []
    for column in columns:
        values = [row[column] for row in members]
        shared[column] = agreed = _majority(values)
        for row, value in zip(members, values, strict=True):
            if value != agreed:
                detail = f"{column} is {value!r}, but the scene's other rows say {agreed!r}"
                faults.append(fault("scene", row["item_id"], detail))
    return shared, faults


def group(tables: Mapping[str, Table]) -> tuple[dict[SceneKey, Scene], list[Fault]]:
    """Sort the main rows of both splits into scenes.

    Args:
        tables: by split, the rows of its metadata.
    """
    scenes: dict[SceneKey, Scene] = {}
    faults: list[Fault] = []
    places: dict[str, str] = {}
    for split, table in tables.items():
        for line, row in table.rows:
            where = f"{row['item_id']} ({table.name}:{line})"
            template = row["task_template"]
            key = scene_key(row)
            place = places.setdefault(row["item_id"], f"{table.name}:{line}")
            if place != f"{table.name}:{line}":
                faults.append(fault("duplicate", where, f"the same item_id stands at {place}"))
            if template not in MAIN_TEMPLATES:
                faults.append(fault("bridge", where, f"{template} is no template of the main file"))
            elif key is None or key[1] < 1:
                faults.append(fault("id", where, "the row's ids name no scene"))
            else:
                scene = scenes.setdefault(key, Scene(key))
                if template not in scene.rows:
                    scene.rows[template] = row
                    scene.splits[template] = split
                elif scene.rows[template]["item_id"] != row["item_id"]:
                    detail = f"{scene.scene_id} has a second {template} row"
                    faults.append(fault("duplicate", where, detail))
    return dict(sorted(scenes.items())), faults


def _check_split(scene: Scene) -> list[Fault]:
    files = Counter(scene.splits.values())
    scene.split = files.most_common(1)[0][0]
    faults = []
    for template, row in scene.rows.items():
        where, file = row["item_id"], scene.splits[template]
        if file != scene.split:
            detail = f"stands in metadata_{file}.jsonl, but its scene is {scene.split}"
            faults.append(fault("split", where, detail))
        elif row["split"] != file:
            detail = f"split is {row['split']!r} in metadata_{file}.jsonl"
            faults.append(fault("split", where, detail))
    return faults


def _check_complete(scene: Scene, lost: set[str | None]) -> list[Fault]:
    if None in lost:
        return []  # an unreadable row may be any of those that seem to be missing
    missing = [name for name in MAIN_TEMPLATES if name not in scene.rows]
    return [
        fault("scene", scene.scene_id, f"has no {name} row ({item_id})")
        for name in missing
        if (item_id := ids(*scene.key, name)[0]) not in lost
    ]


def check_scene(scene: Scene, seed: int | None, lost: set[str | None]) -> list[Fault]:
    """Check a scene's rows against each other and compute every derived column anew.

    Args:
        scene: the scene; what is settled here is stored in it.
        seed: the subset's seed, None when it is not known.
        lost: ids of rows that were unfit to be read; None among them for a row without one.
    """
    faults = _check_split(scene) + _check_complete(scene, lost)
    ordered = sorted(scene.rows.values(), key=lambda row: TEMPLATES[row["task_template"]].number)
    shared, odd = settle(ordered, VERSION_COLUMNS + SHARED_COLUMNS)
    scene.shared = shared
    faults += odd
    targets = [(row, col) for row, col in shared["target_cells"]]
    problem = target_problem(targets, shared["rows"], shared["cols"])
    if problem is not None:
        return [*faults, fault("answer", scene.scene_id, problem)]
    scene.truth = Truth(
        prefix=scene.key[0],
        number=scene.key[1],
        seed=seed,
        subset=shared["rose_subset"],
        rows=shared["rows"],
        cols=shared["cols"],
        cell_size=shared["cell_size"],
        targets=tuple(targets),
    )
    for row in ordered:
        # A row that strays in a shared column has been named for it: what follows is compared
        # with the scene's own value, so that one mistake is reported once.
        found, area = check_row({**row, **shared}, scene.truth)
        faults += found
        if area is not None:
            scene.areas[row["task_template"]] = area
    return faults


def check_uniform(scenes: Sequence[Scene]) -> list[Fault]:
    """Columns that are the same in a whole release, or in a whole subset."""
    faults: list[Fault] = []
    by_subset: dict[str, list[Scene]] = {}
    for scene in scenes:
        by_subset.setdefault(str(scene.shared["rose_subset"]), []).append(scene)
    scopes = [("prompt_global", list(scenes)), ("protocol_version", list(scenes))]
    scopes += [("primitive_type", members) for members in by_subset.values()]
    for column, members in scopes:
        values = [scene.shared[column] for scene in members]
        agreed = _majority(values) if values else None
        faults += [
            fault("scene", scene.scene_id, f"{column} is {value!r}, but {agreed!r} elsewhere")
            for scene, value in zip(members, values, strict=True)
            if value != agreed
        ]
    return faults


def _unlike(text: str, other: str) -> tuple[str, str]:
    """Two texts without the words with which both begin, and those with which both end."""
    words, others = text.split(" "), other.split(" ")
    while words and others and words[0] == others[0]:
        del words[0], others[0]
    while words and others and words[-1] == others[-1]:
        del words[-1], others[-1]
    return " ".join(words), " ".join(others)


def check_wording(scenes: Iterable[Scene], odd: Collection[str]) -> list[Fault]:
    """Instructions of T4 and T5 are worded alike in a subset, but for cue and region.

    The dataset's description fixes every word of the other templates' instructions.

    Args:
        scenes: the scenes, checked.
        odd: ids of the items whose instruction is known to be wrong.
    """
    worded: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for scene in scenes:
        for template in WORDED_FREELY:
            row, area = scene.rows.get(template), scene.areas.get(template)
            if row is None or area is None or row["item_id"] in odd:
                continue
            key = (str(scene.shared["rose_subset"]), template, row["cue_type"])
            text = row["prompt_local"].replace(area.phrase, "...")
            worded.setdefault(key, {}).setdefault(text, []).append(row["item_id"])
    faults = []
    for (subset, _, _), wordings in worded.items():
        (agreed, first), *others = sorted(wordings.items(), key=lambda entry: -len(entry[1]))
        for text, item_ids in others:
            here, there = _unlike(text, agreed)
            detail = f"prompt_local says {here!r} where others of {subset} say {there!r}"
            if len(item_ids) == len(first):  # either may be the one that strays
                faults.append(fault("prompt", f"{item_ids[0]} or {first[0]}", detail))
            else:
                faults += [fault("prompt", item_id, detail) for item_id in item_ids]
    return faults


def check_leaks(scenes: Iterable[Scene]) -> list[Fault]:
    """No pair of a subset, in either direction, stands on both sides of the split."""
    faults = []
    first: dict[tuple[str, str, str], Scene] = {}
    for scene in scenes:
        other = first.setdefault(scene.pair, scene)
        if other.split != scene.split:
            detail = (
                f"pair {scene.shared['pair_key']!r} is {scene.split} here"
                f" and {other.split} in {other.scene_id}"
            )
            faults.append(fault("split", scene.scene_id, detail))
    return faults
