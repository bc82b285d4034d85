"""The faces of a font pack by the names that tiles have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from rosegen.packs import OpenPack
from rosegen.sources.font_choice import PackFace, faces_of, read_place
from rosegen.sources.font_file import at_location


@lru_cache(maxsize=64)
def pack_faces(opened: OpenPack) -> Mapping[str, PackFace]:
    """Every face of a pack by name, in the pack's order.

    Raises:
        RosegenError: a font of the pack cannot be read.
    """
    found: dict[str, PackFace] = {}
    for face in faces_of(opened):
        found.setdefault(face.name, face)
    return found


def face_named(opened: OpenPack, name: str) -> PackFace | None:
    """The face that tiles call ``Name``, or ``Name@wght=700`` at a place of its axes.

    Raises:
        RosegenError: a font of the pack cannot be read, or has no such axis.
    """
    faces = pack_faces(opened)
    base, axes = read_place(name)
    if name in faces or not axes:
        return faces.get(name)
    face = faces.get(base)
    if face is None:
        return None
    font = at_location(face.font, {**dict(face.font.location), **axes})
    return replace(face, name=name, font=font)
