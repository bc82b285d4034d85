"""A pipeline file as a checked Pipeline: the one place where settings meet."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from rosegen.data import pipelines_dir
from rosegen.draws import apportion
from rosegen.errors import RosegenError
from rosegen.geometry import RegionType
from rosegen.render.cue import Color, CueStyle
from rosegen.scene import REGION_CASES, TEMPLATES
from rosegen.sources.admission import Window
from rosegen.sources.registry import source_class
from rosegen.yaml_file import CheckedYaml, problem_of, read_checked

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
    source: str
    options: Mapping[str, Any]
    packs: tuple[str, ...]
    group_shares: Mapping[str, float]
    background: Color
    ink: float
    repeat_pairs: bool
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

    @property
    def primitive_type(self) -> str:
        """What rows call the source: ``CHINESE_GLYPH``."""
        return source_class(self.source).primitive_type

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
    difficulty: Difficulty
    subsets: tuple[Subset, ...]
    path: Path
    sha256: str  # of the file's bytes, line ends as LF


def load_pipeline(path: Path | str) -> Pipeline:
    """Read a pipeline file, or the shipped pipeline of that name (``demo``, ``rose-v0.1``).

    Raises:
        RosegenError: with file and line, for anything that is misspelled, out of range, unknown or
            impossible.
    """
    path = _find(Path(path))
    checked = read_checked(path, "pipeline")
    data = checked.data
    subsets = tuple(
        _subset(checked, index, _merged(data.get("defaults", {}), section))
        for index, section in enumerate(data["subsets"])
    )
    _refuse_twins(checked, subsets)
    _check_points(checked, subsets)
    rule = data["difficulty"]
    text = path.read_bytes().replace(b"\r\n", b"\n")
    return Pipeline(
        name=data["name"],
        title=data.get("title", data["name"]),
        protocol_version=data.get("protocol_version", "v0.3"),
        bridges=data.get("bridges", False),
        difficulty=Difficulty(
            rule["hard_at"], tuple(Point(**{"subset": None, **p}) for p in rule["points"])
        ),
        subsets=subsets,
        path=path,
        sha256=hashlib.sha256(text).hexdigest(),
    )


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


def _subset(checked: CheckedYaml, index: int, data: Mapping[str, Any]) -> Subset:
    problem = problem_of(data, "subset")
    if problem is not None:
        raise checked.error(problem.message, *_place(checked, index, problem.steps))
    grid, regions, cues = data["grid"], data["regions"], data["cues"]
    levels = data.get("similarity_levels", {"high": 0.9, "medium": 0.75})
    subset = Subset(
        name=data["name"],
        prefix=data["prefix"],
        seed=data["seed"],
        scenes=data["scenes"],
        dev_scenes=data["dev_scenes"],
        source=data["source"],
        options=data.get("options", {}),
        packs=tuple(_pack(checked.path, name) for name in data["packs"]),
        group_shares=data.get("group_shares", {}),
        background=_color(data.get("background", "#ffffff")),
        ink=data.get("ink", 0.84),
        repeat_pairs=data.get("repeat_pairs", False),
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
        cue_style=CueStyle(
            outline_color=_color(cues["outline_color"]),
            outline_name=cues["outline_name"],
            outline_half_width=cues["outline_half_width"],
            mask_color=_color(cues["mask_color"]),
            mask_name=cues["mask_name"],
            mask_alpha=cues["mask_alpha"],
        ),
        window=Window({name: tuple(bounds) for name, bounds in data["admission"].items()}),
        level_high=levels["high"],
        level_medium=levels["medium"],
    )
    _check(checked, index, subset)
    return subset


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


def _check(checked: CheckedYaml, index: int, subset: Subset) -> None:
    """What a schema cannot say. Each complaint stands at its line."""

    def error(message: str, *steps: str | int) -> RosegenError:
        return checked.error(f"{subset.name}: {message}", *_place(checked, index, steps))

    for steps, span in _spans(subset):
        if span[0] > span[1]:
            raise error(f"the lowest {span[0]} is above the highest {span[1]}", *steps)
    if subset.dev_scenes > subset.scenes:
        raise error(f"more dev_scenes than the {subset.scenes} scenes", "dev_scenes")
    try:
        kind = source_class(subset.source)
    except RosegenError as problem:
        raise error(str(problem), "source") from None
    for name, value in subset.options.items():
        if name not in kind.options:
            known = ", ".join(sorted(kind.options))
            raise error(
                f"source {subset.source} has no such option (it has {known})", "options", name
            )
        wrong = best_match(Draft202012Validator(kind.options[name]).iter_errors(value))
        if wrong is not None:
            raise error(wrong.message, "options", name)
    if subset.level_high < subset.level_medium:
        raise error("high is below medium", "similarity_levels", "high")
    for steps, table in _share_tables(subset):
        if not any(table.values()):
            raise error("every share is zero", *steps)
    _check_cases(subset, error)
    _check_rectangles(subset, error)


def _spans(subset: Subset) -> list[tuple[tuple[str, ...], tuple[float, float]]]:
    spans: list[tuple[tuple[str, ...], tuple[float, float]]] = [
        (("grid", "cell_size"), subset.cell_size),
        (("regions", "range_lines"), subset.regions.range_lines),
        (("regions", "rectangle_sides"), subset.regions.rectangle_sides),
        (("regions", "rectangle_coverage"), subset.regions.rectangle_coverage),
    ]
    for profile in subset.profiles.values():
        spans.append((("grid", "profiles", profile.name, "lines"), profile.lines))
    for measure, bounds in subset.window.bounds.items():
        spans.append((("admission", measure), bounds))
    return spans


def _share_tables(subset: Subset) -> list[tuple[tuple[str, ...], Mapping[str, float]]]:
    tables: list[tuple[tuple[str, ...], Mapping[str, float]]] = [
        (("grid", "exceptions"), subset.exceptions),
        (("regions", "type_shares"), subset.regions.type_shares),
        (("cues", "shares"), subset.cue_shares),
        (("grid", "profiles"), {p.name: p.share for p in subset.profiles.values()}),
    ]
    for template, shares in subset.region_cases.items():
        tables.append((("region_cases", template), shares))
    if subset.group_shares:
        tables.append((("group_shares",), subset.group_shares))
    return tables


def _check_cases(subset: Subset, error: Any) -> None:
    """A scene of one exception has no partial region: is there room for the partial quotas?"""
    counts = apportion(subset.exceptions, subset.scenes)
    several = subset.scenes - counts.get("1", 0)
    for template in TEMPLATES[1:]:
        wanted = apportion(_all_cases(subset.region_cases[template]), subset.scenes)
        if wanted["partial"] > several:
            raise error(
                f"{wanted['partial']} partial regions wanted, but only {several} of "
                f"{subset.scenes} scenes have two or more exceptions",
                "region_cases",
                template,
                "partial",
            )


def _check_rectangles(subset: Subset, error: Any) -> None:
    """Every grid must have a region of every type, with room for all exceptions."""
    regions = subset.regions
    most = max(int(k) for k, share in subset.exceptions.items() if share > 0)
    for profile in subset.profiles.values():
        steps = ("grid", "profiles", profile.name, "lines")
        if regions.range_lines[0] >= profile.lines[0]:
            raise error(f"a range of {regions.range_lines[0]} lines is the whole grid", *steps)
        lines = range(profile.lines[0], profile.lines[1] + 1)
        for rows, cols in combinations_with_replacement(lines, 2):  # a turned grid is no other
            room = _largest_rectangle(regions, rows, cols)
            if room == 0:
                low, high = regions.rectangle_coverage
                raise error(
                    f"no rectangle covers {low:g} to {high:g} of a {rows} x {cols} grid", *steps
                )
            if room < most:
                raise error(
                    f"no rectangle on a {rows} x {cols} grid has room for {most} exceptions", *steps
                )


def _largest_rectangle(regions: RegionShapes, rows: int, cols: int) -> int:
    """Cells of the largest rectangle that a grid of this size allows; 0 when it allows none."""
    shortest, longest = regions.rectangle_sides
    low, high = regions.rectangle_coverage
    sizes = (
        height * width
        for height in range(shortest, min(longest, rows) + 1)
        for width in range(shortest, min(longest, cols) + 1)
    )
    return max(
        (n for n in sizes if low <= n / (rows * cols) <= high and n < rows * cols), default=0
    )


def _all_cases(shares: Mapping[str, float]) -> dict[str, float]:
    return {case: shares.get(case, 0) for case in REGION_CASES}


def case_counts(subset: Subset, template: str) -> dict[str, int]:
    """How many scenes get each region case of a template."""
    return apportion(_all_cases(subset.region_cases[template]), subset.scenes)


def type_counts(subset: Subset) -> dict[str, int]:
    """How many scenes get each type of region (T2, T3 and T5, each for itself)."""
    kinds = (RegionType.ROW_RANGE, RegionType.COL_RANGE, RegionType.RECTANGLE)
    shares = {kind.value: subset.regions.type_shares.get(kind.value, 0) for kind in kinds}
    return apportion(shares, subset.scenes)


_NUMBERS = frozenset(
    {
        "global_target_count",
        "region_target_count",
        "similarity",
        "cell_size",
        "rows",
        "cols",
        "ssim",
    }
)


def _check_points(checked: CheckedYaml, subsets: tuple[Subset, ...]) -> None:
    """Difficulty points that could never hold, or not be compared at all."""
    names = [subset.name for subset in subsets]
    for index, point in enumerate(checked.data["difficulty"]["points"]):
        steps = ("difficulty", "points", index)
        field, numeric = point["field"], point["field"] in _NUMBERS
        if not numeric and "equals" not in point:
            raise checked.error(f"{field} is text: compare it by equals", *steps)
        if "equals" in point and isinstance(point["equals"], str) is numeric:
            raise checked.error(
                f"{field} is {'a number' if numeric else 'text'}, {point['equals']!r} is not",
                *steps,
                "equals",
            )
        named = point.get("subset", point["equals"] if field == "rose_subset" else names[0])
        if named not in names:
            known = ", ".join(names)
            raise checked.error(f"no subset {named!r} (there are {known})", *steps)


def _refuse_twins(checked: CheckedYaml, subsets: tuple[Subset, ...]) -> None:
    for field in ("name", "prefix"):
        seen: set[str] = set()
        for index, subset in enumerate(subsets):
            value = getattr(subset, field)
            if value.lower() in seen:
                raise checked.error(f"{value!r} is used twice", "subsets", index, field)
            seen.add(value.lower())


def _pack(pipeline: Path, name: str) -> str:
    """A pack's name, or the path of a pack file, which stands beside the pipeline file."""
    return str(pipeline.parent / name) if name.endswith(".yaml") else name


def _span(pair: list[int]) -> Span:
    return pair[0], pair[1]


def _color(text: str) -> Color:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
