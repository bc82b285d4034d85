"""The files of a release, written from what was recorded of its portions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rosegen.engine.journal import Entry, copy_section
from rosegen.engine.store import Store
from rosegen.files import json_document
from rosegen.release.card import make_card, make_licenses
from rosegen.release.row_schema import row_schema
from rosegen.scene import SPLITS

SUMMARY = "export_summary.json"
MANIFEST, REJECTIONS = "manifest.jsonl", "rejections.jsonl"
BRIDGES = ("bridges/global_click", "bridges/matched_local_count")


def row_files(bridges: bool) -> list[str]:
    """Every file of a release that has a line an item, an image or a refusal.

    Args:
        bridges: whether the release has bridge items.
    """
    folders = ["", *(f"{folder}/" for folder in BRIDGES if bridges)]
    metadata = [f"{folder}metadata_{split}.jsonl" for folder in folders for split in SPLITS]
    return [*metadata, MANIFEST, REJECTIONS]


def write_release(store: Store, summary: Mapping[str, Any], entries: Sequence[Entry]) -> None:
    """Write everything but the images; the summary comes last.

    Args:
        store: where the images are.
        summary: the export summary.
        entries: of all portions, in the order of the release.
    """
    for name in row_files(summary["bridges"]):
        with store.writer(name) as out:
            copy_section(store, entries, name, out)
    write_papers(store, summary)


def write_papers(store: Store, summary: Mapping[str, Any]) -> None:
    """Write what follows from the summary: schema of a row, card, licences, and itself."""
    schema = row_schema(summary["columns"])
    store.keep("item.schema.json", json_document(schema))
    store.keep("README.md", make_card(summary, schema).encode())
    store.keep("LICENSES.md", make_licenses(summary, summary["packs"]).encode())
    store.keep(SUMMARY, json_document(summary))
