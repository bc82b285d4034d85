"""Check the bridge rows: each is one main row, asked in another way."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rosegen.verify.reading import Row, Table
from rosegen.verify.report import Fault, fault
from rosegen.verify.rows import check_row
from rosegen.verify.scenes import VERSION_COLUMNS, Scene, SceneKey, scene_key
from rosegen.verify.templates import T1, T1B, T2B, T3, ids


@dataclass(frozen=True)
class Bridge:
    """A bridge task and where its rows stand."""

    folder: str
    template: str
    source: str
    versions: bool
    """Whether it has the versions of its scene's items; if not, it has its own."""
    copied: tuple[str, ...]
    """Columns it has from the item it was made from."""


BRIDGES = (
    Bridge("global_click", T1B, T1, False, ()),
    Bridge("matched_local_count", T2B, T3, True, ("difficulty",)),
)


def bridge_files(split: str) -> dict[str, Bridge]:
    """Path of each bridge's metadata of a split."""
    return {f"bridges/{each.folder}/metadata_{split}.jsonl": each for each in BRIDGES}


def _check_one(row: Row, bridge: Bridge, scene: Scene, split: str) -> list[Fault]:
    where = row["item_id"]
    if split != scene.split or row["split"] != scene.split:
        detail = f"split is {row['split']!r} in the {split} file; its scene is {scene.split}"
        return [fault("split", where, detail)]
    shared = {
        column: value
        for column, value in scene.shared.items()
        if bridge.versions or column not in VERSION_COLUMNS
    }
    faults = [
        fault("bridge", where, f"{column} is {row[column]!r}, but its scene says {value!r}")
        for column, value in shared.items()
        if row[column] != value
    ]
    origin = scene.rows.get(bridge.source)
    if origin is not None:
        faults += [
            fault(
                "bridge",
                where,
                f"{column} is {row[column]!r}, not {origin[column]!r} as in its source",
            )
            for column in bridge.copied
            if row[column] != origin[column]
            # Of published records the one may tell what the other does not.
            and not (scene.partial and None in (row[column], origin[column]))
        ]
    if scene.truth is not None:
        found, area = check_row({**row, **shared}, scene.truth)
        faults += found
        source = scene.areas.get(bridge.source)
        if area is not None and source is not None and area != source:
            detail = f"asks about cells {area.shown}, its source about those {source.shown}"
            faults.append(fault("bridge", where, detail))
    return faults


@dataclass
class BridgeFaults:
    """What is wrong with the bridge rows of some scenes."""

    certain: list[Fault]
    no_scene: list[Fault]
    """Of rows without a scene: faults only if every main row could be read."""
    missing: list[Fault]
    """Of scenes without a row: faults only if every row of the bridge could be read."""


def check_bridge(
    table: Table,
    bridge: Bridge,
    split: str,
    scenes: Mapping[SceneKey, Scene],
    unworded: Collection[str] = (),
) -> BridgeFaults:
    """Check rows of one bridge file against the main rows.

    Args:
        table: the rows.
        bridge: which bridge it is.
        split: which split's file it is.
        scenes: all scenes of which there may be rows in it.
        unworded: prefixes of the subsets whose words are not told, so that nobody could make a
            bridge that was not published.
    """
    found = BridgeFaults([], [], [])
    seen: set[SceneKey] = set()
    for line, row in table.rows:
        where = f"{row['item_id']} ({table.name}:{line})"
        key = scene_key(row)
        scene = scenes.get(key) if key is not None else None
        if row["task_template"] != bridge.template:
            detail = f"{row['task_template']} does not belong into {table.name}"
            found.certain.append(fault("bridge", where, detail))
        elif key is None or scene is None:
            found.no_scene.append(fault("bridge", where, "the release has no such scene"))
        elif key in seen:
            detail = f"{scene.scene_id} has a row here already"
            found.certain.append(fault("duplicate", where, detail))
        else:
            seen.add(key)
            found.certain += _check_one(row, bridge, scene, split)
    found.missing += [
        fault("bridge", ids(*key, bridge.template)[0], f"is missing from {table.name}")
        for key, scene in scenes.items()
        if scene.split == split
        and key not in seen
        and key[0] not in unworded
        # Where scenes may lack items, a bridge goes with the item it is made from.
        and (not scene.partial or bridge.source in scene.rows)
    ]
    return found
