"""Find a face among the font files of a user, by whatever name a record calls it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rosegen.errors import RosegenError
from rosegen.replay.assets.user_files import alike_once, files_below, named
from rosegen.sources.font_choice import read_place
from rosegen.sources.font_file import (
    FontFace,
    at_location,
    find_face,
    list_faces,
    open_face,
    path_name,
)

_SUFFIXES = frozenset((".ttf", ".otf", ".ttc", ".otc", ".woff", ".woff2"))

# Family, full and typographic family name: OpenType 1.9.1, "name" table.
_NAME_IDS = frozenset((1, 4, 16))


@dataclass(frozen=True)
class FontShelf:
    """The faces at hand.

    Attributes:
        faces: in the order of the places and files.
        broken: stem of a file, case folded, to why it cannot be read.
    """

    faces: tuple[FontFace, ...]
    broken: Mapping[str, str]

    def find(self, name: str) -> FontFace | None:
        """The face of a name, whatever its case; None when there is none.

        A name is what ``find_face`` takes: a PostScript name, a full name, a family or a file
        name; failing that, a family or full name in another language. ``Name@wght=700`` is the
        variable font of a name at a place of its axes. Copies of a file are one. Where several
        faces answer, the first face of the one file that bears the name is meant.

        Raises:
            RosegenError: several faces answer to it, its file cannot be read, or the font has no
                such axis or no such place on it.
        """
        base, axes = read_place(name)
        if not axes or self._answering(name):
            return self._called(name)
        face = self._called(base, frozenset(axes))
        return None if face is None else at_location(face, axes)

    def _called(self, name: str, axes: frozenset[str] = frozenset()) -> FontFace | None:
        """The one face of a name; of several, one that has the axes is meant."""
        answering = self._answering(name)
        varying = [face for face in answering if axes <= {axis.tag for axis in face.axes}]
        if answering:
            return _meant(varying or answering, name)
        if name.casefold() in self.broken:
            raise RosegenError(self.broken[name.casefold()])
        return None

    def _answering(self, name: str) -> Sequence[FontFace]:
        wanted = name.casefold()
        return self._by_name.get(wanted) or self._by_foreign_name.get(wanted) or ()

    @cached_property
    def _by_name(self) -> Mapping[str, list[FontFace]]:
        found: dict[str, list[FontFace]] = {}
        for face in self.faces:
            for name in {
                face.postscript_name.casefold(),
                path_name(face.postscript_name).casefold(),  # as the names of tiles have it
                face.full_name.casefold(),
                face.family.casefold(),
                face.label.casefold(),
                *_names_of_file(face),
                f"{Path(face.path).name}#{face.index}".casefold(),
            }:
                found.setdefault(name, []).append(face)
        return found

    @cached_property
    def _by_foreign_name(self) -> Mapping[str, list[FontFace]]:
        """By the names a font has in languages other than English."""
        found: dict[str, list[FontFace]] = {}
        for face in self.faces:
            font = open_face(face).face
            names = {
                str(font.get_name(entry.name_id, entry.language)).casefold()
                for entry in font.list_names()
                if int(entry.name_id) in _NAME_IDS and entry.language
            }
            for name in names:
                found.setdefault(name, []).append(face)
        return found


def open_fonts(places: Iterable[Path]) -> FontShelf:
    """List the faces of font files and of the font files below folders.

    Raises:
        RosegenError: a place is not there or cannot be read. A broken font is not an error until
            it is asked for.
    """
    faces: list[FontFace] = []
    broken: dict[str, str] = {}
    seen: set[Path] = set()
    for place in places:
        for path in files_below(place, _SUFFIXES):
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            try:
                faces += list_faces(path)
            except RosegenError as error:
                broken.setdefault(path.stem.casefold(), str(error))
                broken.setdefault(path.name.casefold(), str(error))
            except OSError as error:
                broken.setdefault(path.stem.casefold(), f"{path}: cannot be read ({error})")
    return FontShelf(tuple(faces), broken)


def _names_of_file(face: FontFace) -> set[str]:
    return {Path(face.path).name.casefold(), Path(face.path).stem.casefold()}


def _meant(answering: Sequence[FontFace], name: str) -> FontFace:
    """The one face of those that answer to a name."""
    if len(answering) == 1:
        return answering[0]
    originals = alike_once(
        list(dict.fromkeys(Path(face.path) for face in answering)), path_of=lambda path: path
    )
    faces = [face for face in answering if Path(face.path) in originals]
    if len(faces) == 1:
        return faces[0]
    try:
        return find_face(faces, name)
    except RosegenError as error:
        own = [face for face in faces if name.casefold() in _names_of_file(face)]
        files = {face.path for face in own}
        if len(files) == 1:
            # What a program shows of a collection unless told otherwise, ROSE's too.
            return min(own, key=lambda face: face.index)
        if files:
            raise RosegenError(f"several files: {named(map(Path, sorted(files)))}") from error
        labels = ", ".join(face.label for face in faces[:4])
        raise RosegenError(f"more than one face: {labels}: give fewer files") from error
