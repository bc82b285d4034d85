"""Whether a face can draw what a record wants, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterable

from rosegen.errors import RosegenError
from rosegen.replay.assets.record import Record
from rosegen.sources import text_tile
from rosegen.sources.font_file import FontFace

# What is wrong with a text in a cell, and is borne with, since its record wants it there.
_BEARABLE = {
    "clipped": "is wider or taller than its cell: cut off",
    "near-blank": "is hardly to be seen",
}


def notes_on(face: FontFace, texts: Iterable[str], record: Record) -> tuple[str, ...]:
    """Notes on texts as they stand in a scene's cells; a text may be a word.

    Raises:
        RosegenError: one cannot be drawn: it is not in the face, has no ink or is in colour.
    """
    notes = []
    for text in dict.fromkeys(texts):
        wrong = text_tile.why_not(
            face, text, record.scene.grid.cell_size, record.em_share, one_cluster=False
        )
        if wrong is None:
            continue
        note = _BEARABLE.get(wrong.partition(":")[0])
        if note is None:
            raise RosegenError(f"{face.label}: {text!r} cannot be drawn: {wrong}")
        notes.append(f"{text!r} {note}")
    return tuple(notes)
