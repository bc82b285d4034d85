"""Read pack files: YAML, checked against the JSON Schema, every complaint with file and line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rosegen.data import assets_dir
from rosegen.errors import RosegenError
from rosegen.licenses import license_problem
from rosegen.packs.model import Pack, Source
from rosegen.yaml_file import read_checked


def load_packs(directory: Path | None = None) -> dict[str, Pack]:
    """Read every pack file of a folder.

    Args:
        directory: the folder with ``NAME.yaml`` files; None for the packs that ship with rosegen.

    Returns:
        Name → pack, sorted by name.

    Raises:
        RosegenError: the folder cannot be read, a file is malformed (file and line are named), or
            two packs give a face the same name.
    """
    directory = assets_dir() / "packs" if directory is None else directory
    if not directory.is_dir():
        raise RosegenError(f"{directory}: no such folder of asset packs")
    files = sorted(directory.glob("*.yaml"), key=lambda path: path.stem)
    packs = {path.stem: load_pack(path) for path in files}
    _check_faces(packs.values())
    return packs


def load_pack(path: Path) -> Pack:
    """Read one pack file.

    Raises:
        RosegenError: the file cannot be read or is malformed; file and line are named.
    """
    checked = read_checked(path, "asset_pack")
    if checked.data["name"] != path.stem:
        raise checked.error(f"{checked.data['name']!r} must be the file's own name", "name")
    problem = license_problem(checked.data["license"])
    if problem is not None:
        raise checked.error(problem, "license")
    return _pack(path, checked.data)


def _pack(path: Path, data: dict[str, Any]) -> Pack:
    source = data["source"]
    return Pack(
        name=data["name"],
        kind=data["kind"],
        source=Source(
            type=source["type"],
            package=source["path"] if source["type"] == "folder" else source["package"],
            version=source.get("version", ""),
            sha256=source.get("sha256"),
        ),
        license=data["license"],
        attribution=data["attribution"],
        homepage=data["homepage"],
        files=tuple(data["files"]),
        contents=data["contents"],
        default=data["default"],
        path=path,
    )


def _check_faces(packs: Iterable[Pack]) -> None:
    owners: dict[str, Path] = {}
    for pack in packs:
        for face in pack.contents.get("faces", []):
            if face["name"] in owners:
                raise RosegenError(
                    f"{pack.path}: face {face['name']!r} is already named in "
                    f"{owners[face['name']]}; face names must be unique over all packs"
                )
            owners[face["name"]] = pack.path
