"""Check manifest.jsonl against the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosegen.verify.layout import image_file
from rosegen.verify.reading import Row, Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import Scene
from rosegen.verify.summary import NAME as SUMMARY
from rosegen.verify.templates import T4

NAME = "manifest.jsonl"

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


@dataclass
class ManifestFaults:
    """What is wrong with the manifest's rows of some images."""

    certain: list[Fault]
    no_item: list[Fault]
    """Of images without an item: faults only if every main row could be read."""
    missing: list[Fault]
    """Of images without a row: faults only if every row of the manifest could be read."""


def check_manifest(
    table: Table, scenes: Mapping[str, Scene]
) -> tuple[dict[str, Row], ManifestFaults]:
    """Compare rows of the manifest with those of their scenes.

    Args:
        table: the rows.
        scenes: by image id, the scene it shows; all of which there may be rows.

    Returns:
        The manifest's rows by image id, and the faults.
    """
    found = ManifestFaults([], [], [])
    rows: dict[str, Row] = {}
    for line, row in table.rows:
        image_id = row["image_id"]
        where = f"{image_id} ({table.name}:{line})"
        if image_id in rows:
            found.certain.append(fault("duplicate", where, "the manifest names this image twice"))
            continue
        rows[image_id] = row
        scene = scenes.get(image_id)
        if scene is None:
            found.no_item.append(fault("manifest", where, "no item shows this image"))
            continue
        found.certain += [
            fault("manifest", image_id, f"{column} is {row[column]!r}, but must be {value!r}")
            for column, value in _expected(scene, image_id).items()
            if row[column] != value
        ]
    found.missing += [
        fault("manifest", image_id, f"is missing from {table.name}")
        for image_id in scenes
        if image_id not in rows
    ]
    return rows, found


def check_order(first: tuple[int, str] | None) -> list[Fault]:
    """Rows stand by subset, then by image number.

    Args:
        first: line number and id of the first image that does not.
    """
    if first is None:
        return []
    where = f"{first[1]} ({NAME}:{first[0]})"
    return [fault("manifest", where, "rows are not in the order of subset and image number")]


def check_licenses(says: Mapping[str, int], found: Mapping[str, int]) -> list[Fault]:
    """Compare the images that show art under each licence with what the manifest says.

    Args:
        says: the summary's ``licenses``.
        found: how many there are by the manifest, whose rows are all sound.
    """
    return [
        fault(
            "summary",
            SUMMARY,
            f"licenses.{name} is {says.get(name, 0)}, but the manifest gives {found.get(name, 0)}",
        )
        for name in dict.fromkeys([*says, *found])
        if says.get(name, 0) != found.get(name, 0)
    ]
