"""Group rows into scenes, and check what a scene's rows must have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosegen.verify.grid import Area
from rosegen.verify.reading import Row, Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.rows import Truth, check_row, target_problem
from rosegen.verify.rules import Rules
from rosegen.verify.templates import MAIN_TEMPLATES, T1, T4, TEMPLATES, ids

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

_PAIR_COLUMNS = (
    ("pair_key", "pair_key"),
    ("background_path", "target_path"),
    ("background_char", "target_char"),
)
"""What tells a scene's pair: its key, or else the names of its two tiles."""

_IDS = {
    "item_id": re.compile(r"(?:MLCNT_)?([A-Za-z0-9]+)ITEM_([0-9]{6,9})(?:__GCLK)?"),
    "scene_id": re.compile(r"([A-Za-z0-9]+)SCENE_([0-9]{6,9})"),
    "image_id": re.compile(r"([A-Za-z0-9]+)IMG_([0-9]{6,9})"),
}

SceneKey = tuple[str, int]
"""Prefix and number of a scene."""


@dataclass
class Scene:
    """A scene's rows and what has been settled about it."""

    key: SceneKey
    partial: bool = False
    """Whether it may lack items, as scenes made from published records may."""
    rows: dict[str, Row] = field(default_factory=dict)
    """Main rows by template."""
    bridges: dict[str, Row] = field(default_factory=dict)
    """Bridge rows by template, where they have a say in what the scene is."""
    splits: dict[str, str] = field(default_factory=dict)
    """By template, the split of the file the row stands in."""
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
        return ids(*self.key, T1)[1]

    @property
    def base_id(self) -> str:
        """Id of the plain image."""
        return ids(*self.key, T1)[2]

    @property
    def cue_id(self) -> str | None:
        """Id of the cued image; None where no item asks about it."""
        return None if self.partial and T4 not in self.rows else ids(*self.key, T4)[2]

    @property
    def image_ids(self) -> tuple[str, ...]:
        """Ids of its images."""
        return (self.base_id,) if self.cue_id is None else (self.base_id, self.cue_id)

    @property
    def pair(self) -> tuple[str, str, str] | None:
        """The subset and the pair of tiles, the same in both directions; None if nothing tells."""
        for column, other in _PAIR_COLUMNS:
            if self.shared[column] is None or self.shared[other] is None:
                continue
            names = [str(self.shared[column]), str(self.shared[other])]
            if column == other:
                names = list(names[0].partition("__")[::2])
            first, second = sorted(names)
            return str(self.shared["rose_subset"]), first, second
        return None


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
    if row["item_seed"] is not None:
        numbers[row["item_seed"] // 10 % 10**7] += 1
    return prefixes.most_common(1)[0][0], numbers.most_common(1)[0][0]


def majority(values: Sequence[Any]) -> Any:
    """The commonest of some values; of several, the first."""
    first = values[0]
    if values.count(first) == len(values):
        return first
    counts = Counter(map(repr, values))
    return next(value for value in values if repr(value) == counts.most_common(1)[0][0])


def settle(
    rows: Sequence[Row], columns: Iterable[str], others: Collection[Row] = ()
) -> tuple[dict[str, Any], list[Fault]]:
    """The majority's value of each column, and a fault for every row that says otherwise.

    Args:
        rows: rows of a scene.
        columns: the columns that say the same in each.
        others: rows that have a say, but are not themselves looked at.
    """
    shared: dict[str, Any] = {}
    faults = []
    for column in columns:
        values = [row[column] for row in rows]
        voters = [*values, *(row[column] for row in others)] if others else values
        shared[column] = agreed = majority(voters)
        if values.count(agreed) == len(values):
            continue
        for row, value in zip(rows, values, strict=True):
            if value != agreed:
                detail = f"{column} is {value!r}, but the scene's other rows say {agreed!r}"
                faults.append(fault("scene", row["item_id"], detail))
    return shared, faults


def doubled(tables: Iterable[Table]) -> list[Fault]:
    """A fault for every row whose item_id stands before it already.

    Args:
        tables: rows of both splits, among them all that may have the same.
    """
    faults: list[Fault] = []
    places: dict[str, str] = {}
    for table in tables:
        for line, row in table.rows:
            here = f"{table.name}:{line}"
            place = places.setdefault(row["item_id"], here)
            if place != here:
                detail = f"the same item_id stands at {place}"
                faults.append(fault("duplicate", f"{row['item_id']} ({here})", detail))
    return faults


def group(tables: Mapping[str, Table], partial: bool) -> tuple[dict[SceneKey, Scene], list[Fault]]:
    """Sort main rows of both splits into scenes.

    Args:
        tables: by split, rows of its metadata.
        partial: whether scenes may lack items.
    """
    scenes: dict[SceneKey, Scene] = {}
    faults: list[Fault] = []
    for split, table in tables.items():
        for line, row in table.rows:
            where = f"{row['item_id']} ({table.name}:{line})"
            template = row["task_template"]
            key = scene_key(row)
            if template not in MAIN_TEMPLATES:
                faults.append(fault("bridge", where, f"{template} is no template of the main file"))
            elif key is None or key[1] < 1:
                faults.append(fault("id", where, "the row's ids name no scene"))
            else:
                scene = scenes.setdefault(key, Scene(key, partial))
                if template not in scene.rows:
                    scene.rows[template] = row
                    scene.splits[template] = split
                elif scene.rows[template]["item_id"] != row["item_id"]:
                    detail = f"{scene.scene_id} has a second {template} row"
                    faults.append(fault("duplicate", where, detail))
    return dict(sorted(scenes.items())), faults


def with_bridges(
    scenes: Mapping[SceneKey, Scene], bridges: Iterable[tuple[str, Table]]
) -> dict[SceneKey, Scene]:
    """The scenes, and those of which bridge rows alone tell.

    Args:
        scenes: those of the main rows; what bridge rows say of them is noted.
        bridges: every bridge table, with its split.
    """
    found = dict(scenes)
    for split, table in bridges:
        for _, row in table.rows:
            key, template = scene_key(row), row["task_template"]
            if key is None or key[1] < 1 or template in MAIN_TEMPLATES:
                continue
            scene = found.setdefault(key, Scene(key, partial=True))
            scene.bridges.setdefault(template, row)
            if key not in scenes:
                scene.splits.setdefault(template, split)
    return dict(sorted(found.items()))


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


def check_complete(scene: Scene, lost: Collection[str | None]) -> list[Fault]:
    """The rows a scene lacks; faults only where every row that cannot be read tells its id.

    Args:
        scene: the scene.
        lost: ids of rows that were unfit to be read.
    """
    wanted = MAIN_TEMPLATES
    if scene.partial:  # T1 needs nothing but the scene, so that it can always be made
        wanted = (T1,) if scene.rows else ()
    missing = [name for name in wanted if name not in scene.rows]
    return [
        fault("scene", scene.scene_id, f"has no {name} row ({item_id})")
        for name in missing
        if (item_id := ids(*scene.key, name)[0]) not in lost
    ]


def check_scene(scene: Scene, rules: Rules, own: Sequence[str]) -> list[Fault]:
    """Check a scene's rows against each other and compute every derived column anew.

    Args:
        scene: the scene; what is settled here is stored in it.
        rules: those of its subset.
        own: columns of the release's own.
    """
    faults = _check_split(scene)
    ordered = sorted(scene.rows.values(), key=lambda row: TEMPLATES[row["task_template"]].number)
    # Published records have versions of their own.
    columns = (*(() if scene.partial else VERSION_COLUMNS), *SHARED_COLUMNS, *own)
    # What bridge rows say is compared with the scene where they are checked.
    scene.shared, odd = settle(ordered, columns, scene.bridges.values())
    shared = scene.shared
    faults += odd
    targets = [(row, col) for row, col in shared["target_cells"]]
    problem = target_problem(targets, shared["rows"], shared["cols"])
    if problem is not None:
        return [*faults, fault("answer", scene.scene_id, problem)]
    scene.truth = Truth(
        prefix=scene.key[0],
        number=scene.key[1],
        subset=shared["rose_subset"],
        rows=shared["rows"],
        cols=shared["cols"],
        cell_size=shared["cell_size"],
        targets=tuple(targets),
        rules=rules,
    )
    for row in ordered:
        # A row that strays in a shared column has been named for it: what follows is compared
        # with the scene's own value, so that one mistake is reported once.
        found, area = check_row({**row, **shared}, scene.truth)
        faults += found
        if area is not None:
            scene.areas[row["task_template"]] = area
    return faults
