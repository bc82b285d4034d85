"""Write a pipeline file of one subset, ready to run, that says what else could be set."""

from __future__ import annotations

import json
import os
import re
import tempfile
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from rosegen.data import schemas_dir
from rosegen.errors import RosegenError
from rosegen.files import disk_error, write_text
from rosegen.licenses import license_problem
from rosegen.new.font_start import characters_of_fonts
from rosegen.new.source_package import prefix_of
from rosegen.pipeline import load_pipeline
from rosegen.settings import SETTINGS
from rosegen.sources.registry import source_class


@dataclass(frozen=True)
class Folder:
    """Someone's own art: a folder, its licence as an SPDX expression, and whom to credit."""

    path: Path
    license: str
    attribution: str


@dataclass(frozen=True)
class _Start:
    """What a pipeline of a kind begins with."""

    options: Mapping[str, Any] = field(default_factory=dict)
    packs: tuple[str, ...] = ()  # without a folder
    beside: tuple[str, ...] = ()  # with a folder
    needs: str = ""  # what the folder must hold, where one is needed


_EMOJI_NAMES = ("emoji-data", "emoji-names-zh")
_STARTS: Mapping[str, _Start] = {
    "glyph": _Start({"characters": ["script:Cyrillic"]}, ("noto-sans",)),
    "emoji": _Start({"compare": "emoji"}, ("twemoji", *_EMOJI_NAMES), _EMOJI_NAMES),
    "sprite": _Start({"compare": "edits"}),
    "image_pairs": _Start(needs="pictures and their edits, such as cat.png and cat.edit.png"),
    "image_pool": _Start(needs="pictures, of which those that look alike are made pairs"),
}


def new_pipeline(
    name: str, kind: str, folder: Folder | None = None, out: Path | None = None
) -> Path:
    """Write the file.

    Args:
        name: of the benchmark and of its subset.
        kind: of its source.
        folder: the art, where it is one's own.
        out: the file; None for ``NAME.yaml``.

    Raises:
        RosegenError: something given is no use; nothing is written then.
    """
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise RosegenError(f"{name!r}: name it in letters, digits, '.', '_' and '-'")
    start = _STARTS.get(kind, _Start())
    source_class(kind, start.options)
    if folder is None and start.needs:
        raise RosegenError(
            f"kind {kind} needs a folder of {start.needs}: give --folder, --license, --attribution"
        )
    out = Path(f"{name}.yaml") if out is None else out
    if out.suffix not in (".yaml", ".yml"):
        raise RosegenError(f"{out}: a pipeline file ends in .yaml")
    if out.exists() or out.is_symlink():
        raise RosegenError(f"{out}: is there already: name another file by --out")
    if not out.parent.is_dir():
        raise RosegenError(f"{out.parent}: no such folder")
    if kind == "glyph" and folder is not None:
        spec = characters_of_fonts(folder.path)
        start = start if spec is None else replace(start, options={"characters": [spec]})
    _write(out, "\n".join(_lines(name, kind, start, folder, out)) + "\n")
    return out


def _write(out: Path, text: str) -> None:
    """Give the file its name once it has been read as a pipeline."""
    part: Path | None = None
    try:
        handle, made = tempfile.mkstemp(prefix=".", suffix=".yaml", dir=out.parent)
        os.close(handle)
        part = Path(made)
        write_text(part, text)
        part.chmod(0o644)
        load_pipeline(part)
        part.rename(out)
    except RosegenError as error:
        raise RosegenError(str(error).replace(str(part), str(out))) from error
    except OSError as error:
        raise disk_error(out, error) from error
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


def _lines(name: str, kind: str, start: _Start, folder: Folder | None, out: Path) -> Iterator[str]:
    source = source_class(kind, start.options)
    about = (source.__doc__ or "").strip().splitlines() or [kind]
    yield f"# {name}: {about[0]}"
    yield "# Look at the pairs, then build, then prove:"
    yield f"#   rosegen sources preview {out.name}"
    yield f"#   rosegen build {out.name} --out build/{name}"
    yield f"#   rosegen verify build/{name}"
    yield "format: 1"
    yield f"name: {_plain(name)}"
    yield f"title: {_plain(name)}"
    yield ""
    yield "subsets:"
    yield f"  - name: {_plain(name)}"
    yield f"    prefix: {prefix_of(name)}  # what its ids begin with"
    yield f"    kind: {kind}"
    yield "    scenes: 20  # a quarter of them for development"
    yield from _packs(start, folder, out)
    yield from _options(source.options, start.options)
    yield ""
    yield "    # What holds when nothing is said; to change it, take the # before its lines away."
    yield from _settings(source.settings)


def _plain(value: Any) -> str:
    """A value on one line; JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)


def _packs(start: _Start, folder: Folder | None, out: Path) -> Iterator[str]:
    if folder is None:
        yield f"    packs: {_plain(list(start.packs))}  # see rosegen assets list"
        return
    for what, text in (("license", folder.license), ("attribution", folder.attribution)):
        if not text.strip():
            raise RosegenError(f"--{what} is empty")
    problem = license_problem(folder.license)
    if problem is not None:
        raise RosegenError(f"--license: {problem}")
    if not folder.path.is_dir():
        raise RosegenError(f"{folder.path}: no such folder")
    yield "    packs:  # paths start at this file"
    yield f"      - folder: {_plain(_from(out, folder.path))}"
    yield f"        license: {_plain(folder.license)}"
    yield f"        attribution: {_plain(folder.attribution)}"
    for pack in start.beside:
        yield f"      - {pack}"


def _from(out: Path, folder: Path) -> str:
    """A folder's path as the file must name it."""
    try:
        return Path(os.path.relpath(folder.resolve(), out.parent.resolve())).as_posix()
    except ValueError:  # another drive
        return folder.resolve().as_posix()


def _options(known: Mapping[str, Mapping[str, Any]], chosen: Mapping[str, Any]) -> Iterator[str]:
    if not known:
        return
    yield f"    options:{'' if chosen else ' {}'}"
    for name, value in chosen.items():
        yield f"      {name}: {_plain(value)}"
    others = [name for name in known if name not in chosen]
    if others:
        yield "    # It has these options, too:" if chosen else "    # It has these options:"
    for name in others:
        yield f"    #   {name}: {_told(known[name])}"
        said = known[name].get("description", "")
        yield from textwrap.wrap(
            said, 96, initial_indent="    #     ", subsequent_indent="    #     "
        )


def _told(schema: Mapping[str, Any]) -> str:
    """What an option takes, in words."""
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if schema.get("type") == "boolean":
        return "true or false"
    if schema.get("type") == "array":
        return f"a list of: {_told(schema.get('items', {}))}"
    kind = {"string": "a text", "integer": "a whole number", "number": "a number"}
    text = kind.get(str(schema.get("type")), "a value")
    if "minimum" in schema:
        text += f" from {schema['minimum']}"
    return f"{text} to {schema['maximum']}" if "maximum" in schema else text


def _settings(own: Mapping[str, Any]) -> Iterator[str]:
    """Every setting that is not given, as it is then, each under what it means."""
    path = schemas_dir() / "subset.schema.json"
    described = json.loads(path.read_text(encoding="utf-8"))["properties"]
    for name, value in SETTINGS.items():
        if name == "packs":
            continue
        mine = own.get(name, value)
        if isinstance(value, Mapping) and isinstance(mine, Mapping):
            mine = {**value, **mine}
        yield f"    # {described[name]['description']}"
        if isinstance(mine, Mapping):
            text = yaml.safe_dump({name: _unshared(mine)}, sort_keys=False, default_flow_style=None)
            yield from (f"    #{line}" for line in text.splitlines())
        else:
            yield f"    #{name}: {_plain(mine)}"


def _unshared(value: Any) -> Any:
    """A copy in which nothing stands twice, so that YAML writes no aliases."""
    return json.loads(json.dumps(value))
