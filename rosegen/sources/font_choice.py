"""Which faces of the packs a subset is drawn in, and what each is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.sources.font_file import FontFace, at_location, list_faces, path_name

SUFFIXES = (".otc", ".otf", ".ttc", ".ttf", ".woff", ".woff2")

_LISTED = 12  # faces that an error names before it says "and more"


@dataclass(frozen=True)
class PackFace:
    """A face of a pack.

    Attributes:
        name: what the pack calls it, or its PostScript name; at a place of its axes that a pipeline
            chose, ``Name@wght=700``.
        font: the face.
        pack: the pack's name.
        license: SPDX expression of the pack.
        sha256: of the pack.
        file: of the font in the pack.
        index: which face of a collection; None when the file has one face only.
    """

    name: str
    font: FontFace
    pack: str
    license: str
    sha256: str
    file: str
    index: int | None

    @property
    def place(self) -> str:
        """``pack/file.ttf``, and ``pack/file.ttc#2`` for the third face of a collection."""
        return f"{self.pack}/{self.spot}"

    @property
    def spot(self) -> str:
        """The same inside the pack."""
        return self.file if self.index is None else f"{self.file}#{self.index}"


def faces_of(pack: OpenPack) -> list[PackFace]:
    """The faces a pack lists; every face of its font files when it lists none.

    Raises:
        RosegenError: a file cannot be read, has no such face or axis, or there is no font file.
    """
    if "faces" in pack.pack.contents:
        return [_listed_face(pack, entry) for entry in pack.pack.contents["faces"]]
    files = [rel for rel in pack.files if PurePosixPath(rel).suffix.lower() in SUFFIXES]
    if not files:
        raise RosegenError(
            f"asset pack {pack.pack.name} has no font file ({', '.join(SUFFIXES)}) among its "
            f"{len(pack.files)} files"
        )
    return [
        _pack_face(pack, rel, fonts, font, font.postscript_name)
        for rel, fonts in ((rel, _read(pack, rel)) for rel in files)
        for font in fonts
    ]


def choose_faces(
    packs: Iterable[OpenPack], wanted: Sequence[str | Mapping[str, Any]] | None
) -> list[PackFace]:
    """The faces in use, no two of one name.

    Args:
        packs: the packs of fonts, in the order of the pipeline.
        wanted: names, or name and ``axes`` (tag to value), in the order to use them; every face
            of the packs when None. A name is what the pack calls it, its file (``a.ttf``,
            ``bold/a.ttc#1``, ``pack/a.ttf``), or whatever ``find_face`` takes.

    Raises:
        RosegenError: no face has a name, or several do; an axis is not there; a file is broken.
    """
    known = [face for pack in packs for face in faces_of(pack)]
    if wanted is None:
        chosen = known
    else:
        chosen = list(dict.fromkeys(_wanted_face(known, entry) for entry in wanted))
    by_name: dict[str, PackFace] = {}
    for face in chosen:
        other = by_name.setdefault(face.name, face)
        if other is not face:
            raise RosegenError(
                f"{other.place} and {face.place} are both called {face.name}: name in `faces` the "
                f"one to use, by its file"
            )
    return chosen


def _listed_face(pack: OpenPack, entry: Mapping[str, Any]) -> PackFace:
    fonts, index = _read(pack, entry["file"]), entry.get("index", 0)
    if index >= len(fonts):
        raise RosegenError(
            f"asset pack {pack.pack.name}: {entry['file']} has {len(fonts)} faces, so that there "
            f"is no index {index} (they count from 0)"
        )
    font = at_location(fonts[index], entry.get("axes", {}))
    return _pack_face(pack, entry["file"], fonts, font, entry["name"])


def _read(pack: OpenPack, rel: str) -> tuple[FontFace, ...]:
    path = pack.path(rel)
    try:
        return list_faces(path)
    except RosegenError as error:
        # Where the cache keeps it is no help to whoever has to mend or drop it.
        reason = str(error).replace(str(path), rel)
        raise RosegenError(f"asset pack {pack.pack.name}: {reason}") from error


def _pack_face(
    pack: OpenPack, rel: str, fonts: Sequence[FontFace], font: FontFace, name: str
) -> PackFace:
    return PackFace(
        name=path_name(name),  # tiles are named face/text
        font=font,
        pack=pack.pack.name,
        license=pack.pack.license,
        sha256=pack.sha256,
        file=rel,
        index=font.index if len(fonts) > 1 else None,
    )


def _wanted_face(known: Sequence[PackFace], entry: str | Mapping[str, Any]) -> PackFace:
    if isinstance(entry, str):
        return _find(known, entry)
    face, axes = _find(known, entry["name"]), entry.get("axes", {})
    if not axes:
        return face
    font = at_location(face.font, {**dict(face.font.location), **axes})
    placed = [f"{tag}={value!r}".removesuffix(".0") for tag, value in font.location if tag in axes]
    return replace(face, font=font, name=f"{face.name}@{','.join(placed)}")


def read_place(name: str) -> tuple[str, dict[str, float]]:
    """What ``Name@wght=700,wdth=80`` says: the face's own name, and axis tag to value.

    A name that says no place is all name, with no axis.

    Raises:
        RosegenError: it says a place that is no number.
    """
    base, at, places = name.rpartition("@")
    if not at or "=" not in places:
        return name, {}
    axes = {}
    for place in places.split(","):
        tag, _, value = place.partition("=")
        try:
            axes[tag] = float(value)
        except ValueError as error:
            raise RosegenError(f"font {name!r}: {place!r} is no place of an axis") from error
    return base, axes


def _find(known: Sequence[PackFace], name: str) -> PackFace:
    for level in range(_LEVELS):
        # Names as they are written go first: files may differ by case alone.
        found = [face for face in known if name in _names(face)[level]] or [
            face for face in known if name.casefold() in map(str.casefold, _names(face)[level])
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise RosegenError(
                f"font {name!r} is more than one face: name one of {_told(known, found)}"
            )
    raise RosegenError(f"no font face {name!r}: there are {_told(known, known) or 'none'}")


_LEVELS = 7


def _names(face: PackFace) -> tuple[set[str], ...]:
    """What a face may be called by, the most telling first."""
    font, path = face.font, PurePosixPath(face.file)
    return (
        {face.name},
        {face.place, face.spot},
        {font.postscript_name},
        {font.full_name},
        {font.family},
        {path.name, path.stem, f"{path.name}#{font.index}"},
        {font.label},
    )


def _told(known: Sequence[PackFace], faces: Sequence[PackFace]) -> str:
    """Faces by what tells them apart: their name, or where they are."""
    names = [face.name.casefold() for face in known]
    told = [
        face.name if names.count(face.name.casefold()) == 1 else f"{face.place} ({face.name})"
        for face in faces[:_LISTED]
    ]
    more = f" and {len(faces) - _LISTED} more" if len(faces) > _LISTED else ""
    return ", ".join(told) + more
