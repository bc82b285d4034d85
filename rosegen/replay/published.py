"""Which files hold the records, and what the release around them tells of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.pipeline import Difficulty, Point
from rosegen.render.cue import CueStyle, read_color
from rosegen.render.grid import GridLines
from rosegen.replay.assets.tiles import PLAIN_STYLE, Color, TileStyle
from rosegen.replay.pictures import Picture, read_pictures
from rosegen.settings import SETTINGS
from rosegen.sources.pixel import RESIZE_MODES
from rosegen.wording import Wording, read_wording

_SUMMARY = "export_summary.json"
_NAMES = ("metadata_dev.jsonl", "metadata_test.jsonl")
_BRIDGES = ("bridges/global_click", "bridges/matched_local_count")

_HEX = re.compile("#[0-9a-fA-F]{6}")

Section = Mapping[str, Any]


@dataclass(frozen=True)
class Look:
    """How a subset's pictures and prompts look.

    Attributes:
        cue_style: how T4's regions are marked.
        tiles: how the tiles are drawn.
        grid_lines: around the cells.
        wording: of the prompts, the colours of the cues put in; None where it is not known.
        prompts: the subset's entry in the summary's ``prompts``, where there is one.
        source: and in its ``sources``.
    """

    cue_style: CueStyle
    tiles: TileStyle = PLAIN_STYLE
    grid_lines: GridLines | None = None
    wording: Wording | None = None
    prompts: Section | None = None
    source: Section | None = None


# How ROSE draws its cues is not public: they are rosegen's own.
PLAIN = Look(CueStyle.read(SETTINGS["cues"]))


@dataclass(frozen=True)
class Told:
    """What the releases around the records tell of them.

    Attributes:
        looks: subset name to its look, in the order of subsets.
        rule: of difficulty; None where none or several are told.
        columns: name to JSON Schema of those that not every release has.
        packs: name to what is told of each pack.
        tools: name to version of what drew the pictures.
        pictures: image id to what is told of each picture.
    """

    looks: Mapping[str, Look] = field(default_factory=dict)
    rule: Difficulty | None = None
    columns: Mapping[str, Section] = field(default_factory=dict)
    packs: Mapping[str, Section] = field(default_factory=dict)
    tools: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)


def record_files(paths: Iterable[Path]) -> list[Path]:
    """The files of records, as they are named, or all that a release's folder has; by path.

    Raises:
        RosegenError: a folder is no release, or a file is of a kind that cannot hold records.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        for file in _files_of(path) if path.is_dir() else [path]:
            if file.name.lower().removesuffix(".gz").endswith(".csv"):
                raise RosegenError(f"{file}: CSV has no numbers or lists: give JSON Lines, Parquet")
            if file.exists() and not file.is_file():
                raise RosegenError(f"{file}: is no file: save the records in one first")
            found.setdefault(file.resolve(), file)
    # In whatever order they are given, the same comes of them.
    return sorted(found.values(), key=lambda file: file.as_posix())


def _files_of(release: Path) -> list[Path]:
    own = [release / folder / name for folder in ("", *_BRIDGES) for name in _NAMES]
    there = [file for file in own if file.is_file()]
    if not there:
        raise RosegenError(f"{release}: holds no metadata_test.jsonl: name a release or its files")
    return there


def may_be_empty(paths: Iterable[Path], files: Iterable[Path]) -> frozenset[Path]:
    """Those files of releases that need not hold a row: there is one for each split and bridge.

    Args:
        paths: as for ``record_files``.
        files: of ``record_files``.
    """
    folders = [path for path in paths if path.is_dir()]
    return frozenset(
        file
        for file in files
        if file.name in _NAMES and (any(map(file.is_relative_to, folders)) or _summaries([file]))
    )


def told_around(files: Iterable[Path]) -> Told:
    """What the releases say in whose folders the files lie.

    Raises:
        RosegenError: an ``export_summary.json`` that stands there is of another shape, or two of
            them give one subset different looks.
    """
    looks: dict[str, Look] = {}
    rules: list[Difficulty | None] = []
    columns: dict[str, Section] = {}
    packs: dict[str, Section] = {}
    tools: dict[str, str] = {}
    pictures: dict[str, Picture] = {}
    for path in _summaries(files):
        own = _read(path)
        for name, look in own.looks.items():
            if looks.setdefault(name, look) != look:
                raise RosegenError(
                    f"{path}: {name} looks otherwise in another of these releases: replay them "
                    f"one by one"
                )
        rules += [own.rule] if own.rule not in rules else []
        columns |= own.columns
        packs |= own.packs
        tools |= own.tools
        pictures = {**read_pictures(path.parent), **pictures}
    rule = rules[0] if len(rules) == 1 else None
    return Told(looks, rule, columns, packs, tools, pictures)


def _summaries(files: Iterable[Path]) -> list[Path]:
    """The summary nearest to each file: beside it, or where its bridge's release begins."""
    found = []
    for file in files:
        folders = [file.parent]
        if file.parent.as_posix().endswith(_BRIDGES):
            folders.append(file.parent.parent.parent)
        summaries = (folder / _SUMMARY for folder in folders)
        found.append(next((each for each in summaries if each.is_file()), None))
    return list(dict.fromkeys(each for each in found if each is not None))


def _read(path: Path) -> Told:
    try:
        summary = json.loads(path.read_bytes())
        return Told(
            {name: _look(summary, name) for name in summary["counts"]["subsets"]},
            _rule(summary.get("difficulty_rule")),
            {name: dict(column) for name, column in summary.get("columns", {}).items()},
            {pack["name"]: dict(pack) for pack in summary.get("packs", ())},
            {str(tool): str(of) for tool, of in summary.get("toolchain", {}).items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise RosegenError(
            f"{path}: cannot be read as the summary of a release ({reason}): move the records "
            f"away from it, or mend it"
        ) from error


def _rule(said: Mapping[str, Any] | None) -> Difficulty | None:
    if said is None:
        return None
    return Difficulty(int(said["hard_at"]), tuple(Point(**point) for point in said["points"]))


def _look(summary: Mapping[str, Any], subset: str) -> Look:
    cues, source = summary.get("cues", {}).get(subset), summary.get("sources", {}).get(subset)
    prompts = summary.get("prompts", {}).get(subset)
    style = PLAIN.cue_style if cues is None else _cue_style(cues)
    look = replace(PLAIN, cue_style=style, prompts=prompts, source=source)
    if prompts is not None and cues is not None:
        look = replace(look, wording=_wording(subset, prompts, style))
    if source is None:
        return look
    lines = source.get("grid_lines")
    return replace(
        look,
        tiles=_tiles(source),
        grid_lines=lines and GridLines(_triple(lines["color"]), int(_from(1, lines["width"], 64))),
    )


def _tiles(source: Section) -> TileStyle:
    """How a source draws: what holds for every kind, and those of its kind's options that show."""
    ink, background = source.get("ink"), source.get("background", PLAIN_STYLE.background)
    style = TileStyle(_triple(background), ink and _from(0, ink, 1))
    options = source.get("options") or {}
    if source.get("kind") == "glyph":
        color, em = options.get("color"), options.get("em")
        return replace(
            style,
            color=PLAIN_STYLE.color if color is None else _hex(color),
            em=None if em is None else _from(0, em, 1),
        )
    if source.get("kind") == "sprite":
        resize = options.get("resize")
        if resize is not None and resize not in RESIZE_MODES:
            raise ValueError(f"{resize!r} is none of {', '.join(RESIZE_MODES)}")
        return replace(style, resize=resize)
    return style


def _wording(subset: str, prompts: Section, style: CueStyle) -> Wording:
    told = {template: text for template, text in prompts["tasks"].items() if text is not None}
    wording = read_wording({**prompts, "tasks": told}, bridges=False)
    if not isinstance(wording, Wording):
        raise ValueError(f"prompts.{subset}: {wording.message}")
    names = {"OUTLINE_BOX": style.outline_name, "MASK": style.mask_name}
    return replace(
        wording,
        cues={cue: text.replace("{color}", names[cue]) for cue, text in wording.cues.items()},
    )


def _cue_style(cues: Mapping[str, Any]) -> CueStyle:
    plain = PLAIN.cue_style
    return CueStyle(
        outline_color=_triple(cues["outline_color"]),
        outline_name=str(cues.get("outline_name", plain.outline_name)),
        outline_half_width=_from(0, cues["outline_half_width"], 0.5),
        mask_color=_triple(cues["mask_color"]),
        mask_name=str(cues.get("mask_name", plain.mask_name)),
        mask_alpha=int(_from(0, cues["mask_alpha"], 255)),
    )


def _hex(color: Any) -> Color:
    if not isinstance(color, str) or not _HEX.fullmatch(color):
        raise ValueError(f"{color!r} is no colour such as #20a0ff")
    return read_color(color)


def _triple(values: Iterable[int]) -> Color:
    red, green, blue = (int(_from(0, value, 255)) for value in values)
    return red, green, blue


def _from(least: float, value: Any, most: float) -> float:
    if isinstance(value, bool) or not least <= value <= most:
        raise ValueError(f"{value!r} is not from {least} to {most}")
    return float(value)
