"""Sprites of somebody's own pack, which rows of rosegen name: drawn from the user's own files.

A build calls a sprite ``pack/stem``, or ``pack/folder/stem`` where two have one stem. An edit is
``pack/stem~operation-take`` if the build made it, and ``pack/stem~True`` if it is a file.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from rosegen.errors import RosegenError
from rosegen.replay.assets.outcome import Found, Lack
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.tiles import USER_LICENSE, SpriteEdit, SpriteFileTile
from rosegen.replay.assets.user_files import UserFile, alike_once, named
from rosegen.replay.records import printable
from rosegen.sources.pixel_edits import OPERATIONS


def own_sprite(pack: str, name: str, license: str, resize: str, places: Places) -> Found:
    """The tile of a name, from the file that is called so.

    Args:
        pack: the pack's name, as the row tells it.
        name: the tile's, as the row tells it.
        license: as the row tells it.
        resize: how it is scaled.
        places: where the user's sprites are.
    """
    above, _, sprite = name.partition("/")
    if above != pack or not sprite:
        return Lack("sprite", name, f"is no sprite of pack {pack}", by_record=True)
    stem, _, how = sprite.rpartition("~")
    edit = _edit(pack, stem, how)
    try:
        if edit is None and how == "True" and stem:
            file = _find_edited(stem, places)
        else:
            file = _find(stem if edit else sprite, places)
    except RosegenError as error:
        return Lack("sprite", name, str(error))
    if file is None:
        return Lack("sprite", name)
    shown = printable(license) or USER_LICENSE
    return SpriteFileTile(name, printable(pack), shown, file.path, resize, edit=edit)


def _edit(pack: str, stem: str, how: str) -> SpriteEdit | None:
    operation, _, take = how.rpartition("-")
    if stem and operation in OPERATIONS and take.isascii() and take.isdigit():
        return SpriteEdit(pack, stem, operation, int(take[:9]))
    return None


def _find(stem: str, places: Places) -> UserFile | None:
    """The one file of a stem, or of the end of a path without its ending; an original, not an edit.

    Raises:
        RosegenError: several different files are called so.
    """
    files = _called(stem, places)
    names = {file.below[-1] for file in files}
    if len(names) == 1 and len(alike_once(files, path_of=lambda file: file.path)) == 2:
        return places.sprite_shelf.find_pair(names.pop())[0]
    return _only(files)


def _find_edited(stem: str, places: Places) -> UserFile | None:
    """The edit among the files of a stem.

    Raises:
        RosegenError: it cannot be told which file is the edit.
    """
    names = {file.below[-1] for file in _called(stem, places)}
    if len(names) > 1:
        raise RosegenError(f"which is the edit cannot be told among {', '.join(sorted(names))}")
    return places.sprite_shelf.find_pair(names.pop())[1] if names else None


def _called(stem: str, places: Places) -> list[UserFile]:
    found = []
    for file in places.sprite_shelf.of_stem(PurePosixPath(stem).name):
        bare = PurePosixPath(file.relative).with_suffix("").as_posix()
        if f"/{bare}".endswith(f"/{stem}"):
            found.append(file)
    return found


def _only(files: list[UserFile]) -> UserFile | None:
    files = alike_once(files, path_of=lambda file: file.path)
    if len(files) > 1:
        raise RosegenError(f"several files: {named(file.path for file in files)}")
    return files[0] if files else None
