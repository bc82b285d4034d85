"""Check manifest.jsonl against the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from rosegen.verify.layout import image_file
from rosegen.verify.reading import Row, Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import Scene
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T4

_NO_BOUNDS = {"r1": None, "r2": None, "c1": None, "c2": None}
_OF_THE_ART = (
    "background_pack",
    "background_license",
    "target_pack",
    "target_license",
)


def _expected(scene: Scene, image_id: str) -> dict[str, Any]:
    shared = scene.shared
    wanted = {
        "scene_id": scene.scene_id,
        "rose_subset": shared["rose_subset"],
        "split": scene.split,
        "image": image_file(shared["rose_subset"], image_id),
        "width": shared["cols"] * shared["cell_size"],
        "height": shared["rows"] * shared["cell_size"],
    }
    # Published records do not tell whose art it is; the manifest does so even then.
    wanted.update({name: shared[name] for name in _OF_THE_ART if shared[name] is not None})
    if image_id == scene.base_id:
        wanted.update(cue_type="NONE", region_params=_NO_BOUNDS)
    elif T4 in scene.rows and T4 in scene.areas:
        wanted.update(cue_type=scene.rows[T4]["cue_type"], region_params=scene.areas[T4].bounds)
    return wanted


def _check_order(table: Table) -> list[Fault]:
    """Rows stand by subset, then by image number."""
    places: list[tuple[str, int]] = []
    for line, row in table.rows:
        match = re.search(r"[0-9]+\Z", row["image_id"])
        here = (row["rose_subset"], int(match[0]) if match else 0)
        if places:
            subset, number = places[-1]
            returns = here[0] != subset and any(place[0] == here[0] for place in places)
            if returns or (here[0] == subset and here[1] <= number):
                detail = "rows are not in the order of subset and image number"
                return [fault("manifest", f"{row['image_id']} ({table.name}:{line})", detail)]
            if here[0] == subset:
                places.pop()
        places.append(here)
    return []


def check_manifest(
    table: Table, scenes: Mapping[str, Scene], whole: bool
) -> tuple[dict[str, Row], list[Fault]]:
    """Compare every manifest row with the rows of its scene.

    Args:
        table: the manifest.
        scenes: by image id, the scene it shows.
        whole: whether every main row could be read; an image without one is a fault only then.

    Returns:
        The manifest's rows by image id, and the faults.
    """
    faults = list(table.faults)
    rows: dict[str, Row] = {}
    for line, row in table.rows:
        image_id = row["image_id"]
        where = f"{image_id} ({table.name}:{line})"
        if image_id in rows:
            faults.append(fault("duplicate", where, "the manifest names this image twice"))
            continue
        rows[image_id] = row
        scene = scenes.get(image_id)
        if scene is None:
            if whole:
                faults.append(fault("manifest", where, "no item shows this image"))
            continue
        faults += [
            fault("manifest", image_id, f"{column} is {row[column]!r}, but must be {value!r}")
            for column, value in _expected(scene, image_id).items()
            if row[column] != value
        ]
    if table.whole:
        faults += [
            fault("manifest", image_id, f"is missing from {table.name}")
            for image_id in scenes
            if image_id not in rows
        ]
    if not faults:
        faults += _check_order(table)
    return rows, faults


def check_licenses(says: Mapping[str, int], manifest: Mapping[str, Row]) -> list[Fault]:
    """Recount the images that show art under each licence.

    Args:
        says: the summary's ``licenses``.
        manifest: the manifest's rows by image id, all of them sound.
    """
    found: Counter[str] = Counter()
    for row in manifest.values():
        found.update({row["background_license"], row["target_license"]})
    return [
        fault(
            "summary",
            SUMMARY,
            f"licenses.{name} is {says.get(name, 0)}, but the manifest gives {found[name]}",
        )
        for name in dict.fromkeys([*says, *found])
        if says.get(name, 0) != found[name]
    ]
