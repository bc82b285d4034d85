"""A pipeline file as a checked Pipeline: the one place where settings meet."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from rosegen.data import assets_dir, pipelines_dir
from rosegen.draws import apportion
from rosegen.errors import RosegenError
from rosegen.geometry import RegionType
from rosegen.licenses import entry_problem, license_problem
from rosegen.packs import Pack, folder_pack
from rosegen.pipeline_checks import (
    all_cases,
    check_columns,
    check_names,
    check_points,
    check_subset,
)
from rosegen.render.cue import Color, CueStyle, read_color
from rosegen.render.grid import GridLines
from rosegen.settings import DIFFICULTY, SETTINGS
from rosegen.sources.admission import Window
from rosegen.sources.base import Source
from rosegen.sources.registry import source_class
from rosegen.wording import ENGLISH, Wording, WordingProblem, read_wording
from rosegen.yaml_file import CheckedYaml, Problem, problem_of, read_checked

Span = tuple[int, int]


@dataclass(frozen=True)
class Profile:
    """A size of grid: rows and columns are drawn from ``lines``, each for itself."""

    name: str
    lines: Span
    share: float


@dataclass(frozen=True)
class RegionShapes:
    """The regions that may be asked about."""

    range_lines: Span
    rectangle_sides: Span
    rectangle_coverage: tuple[float, float]
    type_shares: Mapping[str, float]


@dataclass(frozen=True)
class Point:
    """A condition on a row that is worth one point of difficulty."""

    field: str
    subset: str | None
    equals: str | float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Whether a row meets the condition."""
        if self.subset is not None and row["rose_subset"] != self.subset:
            return False
        value = row[self.field]
        if self.equals is not None:
            return bool(value == self.equals)
        if self.at_least is not None:
            return bool(value >= self.at_least)
        return bool(value <= self.at_most)


@dataclass(frozen=True)
class Difficulty:
    """From how many points on an item is hard."""

    hard_at: int
    points: tuple[Point, ...]

    def of(self, row: Mapping[str, Any]) -> str:
        """``hard`` or ``medium``."""
        return "hard" if sum(p.holds(row) for p in self.points) >= self.hard_at else "medium"


@dataclass(frozen=True)
class Subset:
    """One subset, checked."""

    name: str
    prefix: str
    seed: int
    scenes: int
    dev_scenes: int
    kind: str
    options: Mapping[str, Any]
    primitive_type: str  # what rows call the source: CHINESE_GLYPH
    packs: tuple[str | Pack, ...]  # by name, by the path of a pack file, or a folder in place
    curated: Path | None
    group_shares: Mapping[str, float]
    background: Color
    grid_lines: GridLines | None
    ink: float
    repeat_pairs: bool
    palette: bool  # whether images of at most 256 colours are PNGs with a palette
    profiles: Mapping[str, Profile]
    cell_size: Span
    exceptions: Mapping[str, float]
    regions: RegionShapes
    region_cases: Mapping[str, Mapping[str, float]]
    cue_shares: Mapping[str, float]
    cue_style: CueStyle
    window: Window
    level_high: float
    level_medium: float
    wording: Wording
    folder: Path  # what relative paths start from: the pipeline's

    @property
    def source_class(self) -> type[Source]:
        """The class of its source."""
        return source_class(self.kind, self.options)

    def similarity_level(self, ssim: float) -> str:
        """``high``, ``medium`` or ``low``."""
        if ssim >= self.level_high:
            return "high"
        return "medium" if ssim >= self.level_medium else "low"


@dataclass(frozen=True)
class Pipeline:
    """A benchmark, checked: nothing in it can fail for being misspelled or out of range."""

    name: str
    title: str
    protocol_version: str
    bridges: bool
    licenses: tuple[str, ...] | None  # what the art may be under; None: anything
    difficulty: Difficulty
    subsets: tuple[Subset, ...]
    path: Path
    sha256: str  # of the file's bytes, line ends as LF, and of the files it names

    @property
    def columns(self) -> dict[str, Mapping[str, Any]]:
        """The columns that only sources of these subsets know: name to JSON Schema."""
        return {
            name: column
            for subset in self.subsets
            for name, column in subset.source_class.columns.items()
        }


def load_pipeline(path: Path | str) -> Pipeline:
    """Read a pipeline file, or the shipped pipeline of that name (``demo``, ``rose-v0.1``).

    Raises:
        RosegenError: with file and line, for anything that is misspelled, out of range, unknown or
            impossible.
    """
    path = _find(Path(path))
    checked = read_checked(path, "pipeline")
    data = checked.data
    bridges = data.get("bridges", False)
    subsets = tuple(_subset(checked, index, bridges) for index in range(len(data["subsets"])))
    check_names(checked, subsets)
    check_points(checked, subsets)
    check_columns(checked, subsets)
    _refuse_unknown_licenses(checked)
    rule = data.get("difficulty", DIFFICULTY)
    return Pipeline(
        name=data["name"],
        title=data.get("title", data["name"]),
        protocol_version=data.get("protocol_version", "v0.3"),
        bridges=bridges,
        licenses=tuple(data["licenses"]) if "licenses" in data else None,
        difficulty=Difficulty(
            rule["hard_at"], tuple(Point(**{"subset": None, **p}) for p in rule["points"])
        ),
        subsets=subsets,
        path=path,
        sha256=_sha256(checked, subsets),
    )


def _refuse_unknown_licenses(checked: CheckedYaml) -> None:
    for number, entry in enumerate(checked.data.get("licenses", ())):
        problem = entry_problem(entry)
        if problem is not None:
            raise checked.error(problem, "licenses", number)


def _find(path: Path) -> Path:
    if path.is_file() or path.suffix in (".yaml", ".yml") or len(path.parts) > 1:
        return path
    shipped = pipelines_dir() / f"{path.name}.yaml"
    if not shipped.exists():
        names = ", ".join(sorted(p.stem for p in pipelines_dir().glob("*.yaml")))
        raise RosegenError(f"{path}: no such file, and no shipped pipeline of that name ({names})")
    return shipped


def _merged(defaults: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, Any]:
    """A section over the defaults, key by key and one level deeper where both are tables."""
    merged = dict(defaults)
    for key, value in section.items():
        under = merged.get(key)
        if isinstance(under, Mapping) and isinstance(value, Mapping):
            merged[key] = {**under, **value}
        else:
            merged[key] = value
    return merged


def _subset(checked: CheckedYaml, index: int, bridges: bool) -> Subset:
    own, defaults = checked.data["subsets"][index], checked.data.get("defaults", {})
    given = _merged(_merged(SETTINGS, defaults), own)
    _refuse_unfit(checked, index, given)
    kind = _class_of(checked, index, given)
    data = reduce(_merged, (SETTINGS, kind.settings, defaults, own))
    _refuse_unfit(checked, index, data)
    grid, regions, cues = data["grid"], data["regions"], data["cues"]
    levels = data.get("similarity_levels", {"high": 0.9, "medium": 0.75})
    curated, lines = data.get("curated"), data.get("grid_lines")
    wording = _wording(checked, index, data.get("prompts"), bridges)
    _refuse_unnamed_colors(checked, index, (kind.settings, defaults, own))
    names = _color_names(checked, index, cues, wording)
    folder = checked.path.parent
    subset = Subset(
        name=data["name"],
        prefix=data["prefix"],
        seed=data["seed"],
        scenes=data["scenes"],
        dev_scenes=data.get("dev_scenes", data["scenes"] // 4),
        kind=data["kind"],
        options=data.get("options", {}),
        primitive_type=data.get("primitive_type", kind.primitive_type),
        packs=_packs(checked, index, data["packs"], kind),
        curated=None if curated is None else folder / curated,
        group_shares=data.get("group_shares", {}),
        background=read_color(data["background"]),
        grid_lines=lines and GridLines(read_color(lines["color"]), lines.get("width", 1)),
        ink=data["ink"],
        repeat_pairs=data["repeat_pairs"],
        palette=data.get("png", "rgb") == "palette",
        profiles={
            name: Profile(name, _span(profile["lines"]), profile["share"])
            for name, profile in grid["profiles"].items()
        },
        cell_size=_span(grid["cell_size"]),
        exceptions={str(count): share for count, share in grid["exceptions"].items()},
        regions=RegionShapes(
            range_lines=_span(regions["range_lines"]),
            rectangle_sides=_span(regions["rectangle_sides"]),
            rectangle_coverage=tuple(regions["rectangle_coverage"]),
            type_shares=regions["type_shares"],
        ),
        region_cases=data["region_cases"],
        cue_shares=cues["shares"],
        cue_style=CueStyle.read({**cues, **names}),
        window=Window({name: tuple(bounds) for name, bounds in data["admission"].items()}),
        level_high=levels["high"],
        level_medium=levels["medium"],
        wording=wording,
        folder=folder,
    )
    check_subset(
        subset, lambda message, *steps: _error(checked, index, subset.name, message, steps)
    )
    return subset


def _refuse_unfit(checked: CheckedYaml, index: int, data: Mapping[str, Any]) -> None:
    problem = problem_of(data, "subset")
    if problem is not None:
        raise checked.error(problem.message, *_place(checked, index, problem.steps))


def _class_of(checked: CheckedYaml, index: int, data: Mapping[str, Any]) -> type[Source]:
    try:
        return source_class(data["kind"], data.get("options", {}))
    except RosegenError as problem:
        raise _error(checked, index, data["name"], str(problem), ("kind",)) from None


def _error(
    checked: CheckedYaml, index: int, subset: str, message: str, steps: tuple[str | int, ...]
) -> RosegenError:
    return checked.error(f"{subset}: {message}", *_place(checked, index, steps))


def _packs(
    checked: CheckedYaml, index: int, entries: Iterable[Any], kind: type[Source]
) -> tuple[str | Pack, ...]:
    """Packs as they are named; those that are folders in place hold what the source reads."""
    found: list[str | Pack] = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, str):
            problem = license_problem(entry["license"])
            if problem is not None:
                place = _place(checked, index, ("packs", number, "license"))
                raise checked.error(problem, *place)
        if isinstance(entry, str):
            beside = entry.endswith((".yaml", ".yml"))
            path = checked.path.parent / entry
            if beside:
                place = _place(checked, index, ("packs", number))
                _refuse_absent(checked, path, "pack file", place)
            found.append(str(path) if beside else entry)
        elif not kind.pack_kinds:
            message = f"kind {kind.kind} reads no packs"
            raise checked.error(message, *_place(checked, index, ("packs", number)))
        else:
            found.append(folder_pack(checked.path, entry, kind.pack_kinds[0]))
    return tuple(found)


def _wording(checked: CheckedYaml, index: int, given: Any, bridges: bool) -> Wording:
    """The prompts of a subset: ROSE's, a shipped language's, those of a file, or given in place."""
    if given is None:
        return ENGLISH
    file, steps = checked, _place(checked, index, ("prompts",))
    if isinstance(given, str):
        file, given, steps = _prompts_file(checked, index, given), None, ()
    data = file.data if given is None else given
    wrong: Problem | WordingProblem | Wording | None = problem_of(data, "prompts")
    if wrong is None:
        wrong = read_wording(data, bridges)
    if isinstance(wrong, Wording):
        return wrong
    raise file.error(wrong.message, *steps, *wrong.steps)


def _refuse_unnamed_colors(
    checked: CheckedYaml, index: int, sections: Sequence[Mapping[str, Any]]
) -> None:
    """A colour that is changed must be named beside it, or prompts would speak of the old one.

    Args:
        checked: the file.
        index: of the subset.
        sections: what goes before what: the settings of the kind, the defaults, the subset's own.
    """
    for part, example in (("outline", "green"), ("mask", "yellow")):
        color, named = SETTINGS["cues"][f"{part}_color"], True
        for cues in (section.get("cues", {}) for section in sections):
            given = cues.get(f"{part}_color", color).lower()
            named = f"{part}_name" in cues or (named and given == color)
            color = given
        if not named:
            raise checked.error(
                f"say beside it what prompts call this colour ({part}_name: {example})",
                *_place(checked, index, ("cues", f"{part}_color")),
            )


def _color_names(
    checked: CheckedYaml, index: int, cues: Mapping[str, Any], wording: Wording
) -> dict[str, str]:
    """What the prompts call the cues' colours, in their own language."""
    names = {}
    for key in ("outline_name", "mask_name"):
        name = cues[key]
        if name not in wording.colors and name == SETTINGS["cues"][key] and not wording.is_english:
            raise checked.error(
                f"the prompts are in {wording.language}: say what it calls {name!r}, here or in "
                f"colors of the prompts",
                *_place(checked, index, ("cues", key)),
            )
        names[key] = wording.colors.get(name, name)
    return names


def _prompts_file(checked: CheckedYaml, index: int, name: str) -> CheckedYaml:
    if name.endswith((".yaml", ".yml")):
        path = checked.path.parent / name
        _refuse_absent(checked, path, "prompts", _place(checked, index, ("prompts",)))
        return read_checked(path, "prompts")
    path = assets_dir() / "prompts" / f"{name}.yaml"
    if re.fullmatch(r"[A-Za-z0-9-]+", name) and path.is_file():
        return read_checked(path, "prompts")
    shipped = ", ".join(sorted(each.stem for each in path.parent.glob("*.yaml")))
    raise checked.error(
        f"no prompts {name!r} (shipped are {shipped}; a file of your own ends in .yaml)",
        *_place(checked, index, ("prompts",)),
    )


def _refuse_absent(checked: CheckedYaml, path: Path, what: str, place: tuple[Any, ...]) -> None:
    if not path.exists():
        raise checked.error(f"no {what} at {path}: paths start from the pipeline's folder", *place)


def _sha256(checked: CheckedYaml, subsets: Sequence[Subset]) -> str:
    """Of the pipeline's bytes, and of every file it names besides packs."""
    text = _bytes_of(checked.path)
    named: list[Path] = []
    lists = {subset.curated for subset in subsets}
    for index, (section, subset) in enumerate(zip(checked.data["subsets"], subsets)):
        prompts = {**checked.data.get("defaults", {}), **section}.get("prompts")
        if isinstance(prompts, str):
            named.append(_prompts_file(checked, 0, prompts).path)
        if subset.curated is not None:
            named.append(subset.curated)
        for option in subset.source_class.option_files:
            if option in subset.options:
                path = subset.folder / subset.options[option]
                _refuse_absent(checked, path, option, _place(checked, index, ("options", option)))
                named.append(path)
    digest = hashlib.sha256(text)
    for path in dict.fromkeys(named):
        # A list of accepted pairs need not be there yet while pairs are mined for it.
        there = path.exists() or path not in lists
        digest.update(b"\0" + hashlib.sha256(_bytes_of(path) if there else b"").digest())
    return digest.hexdigest()


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes().replace(b"\r\n", b"\n")
    except OSError as error:
        raise RosegenError(f"{path}: cannot be read ({error.strerror or error})") from error


def _place(checked: CheckedYaml, index: int, steps: tuple[str | int, ...]) -> tuple[Any, ...]:
    """Where a setting of a subset stands in the file: in its section or among the defaults."""
    for place in (("subsets", index, *steps), ("defaults", *steps)):
        if _stands(checked.data, place):
            return place
    return ("subsets", index, *steps)


def _stands(node: Any, steps: tuple[Any, ...]) -> bool:
    for step in steps:
        if (isinstance(node, Mapping) and step in node) or (
            isinstance(node, list) and isinstance(step, int) and step < len(node)
        ):
            node = node[step]
        else:
            return False
    return True


def case_counts(subset: Subset, template: str) -> dict[str, int]:
    """How many scenes get each region case of a template."""
    return apportion(all_cases(subset.region_cases[template]), subset.scenes)


def type_counts(subset: Subset) -> dict[str, int]:
    """How many scenes get each type of region (T2, T3 and T5, each for itself)."""
    kinds = (RegionType.ROW_RANGE, RegionType.COL_RANGE, RegionType.RECTANGLE)
    shares = {kind.value: subset.regions.type_shares.get(kind.value, 0) for kind in kinds}
    return apportion(shares, subset.scenes)


def _span(pair: list[int]) -> Span:
    return pair[0], pair[1]
