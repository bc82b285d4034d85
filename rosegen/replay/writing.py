"""Write a replayed release."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rosegen.files import write_json, write_jsonl, write_text
from rosegen.packs.hashing import file_sha256
from rosegen.release.finishing import SUMMARY
from rosegen.replay.card import make_card, make_licenses
from rosegen.replay.making import Making
from rosegen.replay.manifest import manifest_rows
from rosegen.replay.notes import NAME as NOTES
from rosegen.replay.own_columns import SUBSTITUTED
from rosegen.replay.published import Told
from rosegen.replay.records import labels_of, printable
from rosegen.replay.rows import SUBSTITUTED_COLUMN, release_row, schema_of_rows
from rosegen.replay.summary import make_summary
from rosegen.scene import BRIDGE_TEMPLATES, T1B, T2B

Row = dict[str, Any]

_FOLDERS = {T1B: "bridges/global_click", T2B: "bridges/matched_local_count"}


def write_release(
    stage: Path,
    making: Making,
    told: Told,
    columns: Mapping[str, Row],
    files: Sequence[Path],
    notes: Iterable[Row],
) -> Row:
    """Write everything but the images.

    Args:
        stage: the folder.
        making: the scenes, and the packs their art is from.
        told: what the releases around the records say.
        columns: of ``own_columns``.
        files: those of the records.
        notes: of ``make_notes``.

    Returns:
        The export summary.
    """
    made = making.made
    substituted = Counter(each.scene.subset for each in made if each.substituted)
    columns = {**columns, SUBSTITUTED: SUBSTITUTED_COLUMN}
    bridges = {
        template: [
            release_row(each, template, columns) for each in made if template in each.templates
        ]
        for template in BRIDGE_TEMPLATES
    }
    rows = [
        release_row(each, template, columns)
        for each in made
        for template in each.templates
        if template not in BRIDGE_TEMPLATES
    ]
    for split in ("dev", "test"):
        write_jsonl(stage / f"metadata_{split}.jsonl", _of_split(rows, split))
        for template, folder in _FOLDERS.items():
            if any(bridges.values()):
                path = stage / folder / f"metadata_{split}.jsonl"
                write_jsonl(path, _of_split(bridges[template], split))
    manifest, schema = manifest_rows(made), schema_of_rows(columns)
    summary = make_summary(
        made, rows, bridges, manifest, told, columns, making.packs, _fingerprint(files)
    )
    write_jsonl(stage / "manifest.jsonl", manifest)
    write_jsonl(stage / NOTES, notes)
    write_json(stage / "item.schema.json", schema)
    write_text(stage / "README.md", make_card(summary, schema, substituted))
    write_text(stage / "LICENSES.md", make_licenses(summary))
    write_json(stage / SUMMARY, summary)
    return summary


def _of_split(rows: Iterable[Row], split: str) -> list[Row]:
    return [row for row in rows if row["split"] == split]


def _fingerprint(files: Sequence[Path]) -> dict[str, str]:
    """The records' files by name, and one hash of what is in them, whatever they are called."""
    digests = sorted(bytes.fromhex(file_sha256(file)) for file in files)
    names = ", ".join(printable(label) for label in labels_of(files).values())
    return {"name": names, "sha256": hashlib.sha256(b"".join(digests)).hexdigest()}
