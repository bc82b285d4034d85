"""What a pipeline's schema cannot say: settings that contradict each other, or can never be met."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Protocol

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from rosegen.cue_contrast import MIN_CONTRAST, color_difference, cue_contrasts
from rosegen.data import item_schema
from rosegen.draws import apportion
from rosegen.errors import RosegenError
from rosegen.render.cue import CueStyle, CueType
from rosegen.scene import REGION_CASES, TEMPLATES
from rosegen.settings import SETTINGS
from rosegen.yaml_file import CheckedYaml, explain, unknown_name

if TYPE_CHECKING:
    from rosegen.pipeline import RegionShapes, Subset


class Complain(Protocol):
    """Makes an error at the line of the setting that ``steps`` lead to."""

    def __call__(self, message: str, *steps: str | int) -> RosegenError: ...


def check_subset(subset: Subset, error: Complain) -> None:
    """Refuse a subset that obeys its schema and cannot be built all the same.

    Raises:
        RosegenError: as ``error`` makes it.
    """
    for steps, span in _spans(subset):
        if span[0] > span[1]:
            raise error(f"the lowest {span[0]} is above the highest {span[1]}", *steps)
    if subset.dev_scenes > subset.scenes:
        raise error(f"more dev_scenes than the {subset.scenes} scenes", "dev_scenes")
    _check_options(subset, error)
    if subset.level_high < subset.level_medium:
        raise error("high is below medium", "similarity_levels", "high")
    for steps, table in _share_tables(subset):
        if not any(table.values()):
            raise error("every share is zero", *steps)
    _check_cases(subset, error)
    _check_rectangles(subset, error)
    _check_cues(subset, error)
    lines = subset.grid_lines
    if lines is not None and 4 * lines.width > subset.cell_size[0]:
        raise error(f"lines of {lines.width} px leave too little of a cell", "grid_lines", "width")


_CUE_WORDS: Mapping[CueType, tuple[str, str]] = {
    CueType.OUTLINE_BOX: ("the box", "outline_color or background"),
    CueType.MASK: ("the mask", "mask_color, mask_alpha or background"),
}


def _check_cues(subset: Subset, error: Complain) -> None:
    """A cue that nobody can see leaves T4 without an answer."""
    shown = [cue for cue, share in subset.cue_shares.items() if share > 0]
    for cue, far in cue_contrasts(subset.cue_style, subset.background).items():
        if cue.value in shown and far < MIN_CONTRAST:
            words, settings = _CUE_WORDS[cue]
            raise error(
                f"{words} would hardly be seen: it is {far:.1f} from the background in CIELAB, and "
                f"must be {MIN_CONTRAST:g} away (change {settings})",
                *_to_blame(subset, cue),
            )
    lines = subset.grid_lines
    if lines is not None and "OUTLINE_BOX" in shown:
        far = color_difference(lines.color, subset.cue_style.outline_color)
        if far < MIN_CONTRAST:
            raise error(
                f"grid lines in the colour of the cue's box would hide it: they are {far:.1f} "
                f"apart in CIELAB, and must be {MIN_CONTRAST:g}",
                "grid_lines",
                "color",
            )


def _to_blame(subset: Subset, cue: CueType) -> tuple[str, ...]:
    """The setting that keeps a cue from being seen: the first that is not as it is by itself."""
    style, usual = subset.cue_style, CueStyle.read(SETTINGS["cues"])
    if cue is CueType.OUTLINE_BOX and style.outline_color != usual.outline_color:
        return "cues", "outline_color"
    if cue is CueType.MASK and style.mask_alpha != usual.mask_alpha:
        return "cues", "mask_alpha"
    if cue is CueType.MASK and style.mask_color != usual.mask_color:
        return "cues", "mask_color"
    return ("background",)


def _check_options(subset: Subset, error: Complain) -> None:
    kind = subset.source_class
    for name, value in subset.options.items():
        if name not in kind.options:
            known = sorted(kind.options)
            told = f"kind {subset.kind} has no such option: {unknown_name(name, known)}"
            raise error(told, "options", name)
        wrong = best_match(Draft202012Validator(kind.options[name]).iter_errors(value))
        if wrong is not None:
            raise error(explain(wrong), "options", name, *wrong.absolute_path)


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


def _check_cases(subset: Subset, error: Complain) -> None:
    """A scene of one exception has no partial region: is there room for the partial quotas?"""
    counts = apportion(subset.exceptions, subset.scenes)
    several = subset.scenes - counts.get("1", 0)
    for template in TEMPLATES[1:]:
        wanted = apportion(all_cases(subset.region_cases[template]), subset.scenes)
        if wanted["partial"] > several:
            raise error(
                f"{wanted['partial']} partial regions wanted, but only {several} of "
                f"{subset.scenes} scenes have two or more exceptions",
                "region_cases",
                template,
                "partial",
            )


def _check_rectangles(subset: Subset, error: Complain) -> None:
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


def all_cases(shares: Mapping[str, float]) -> dict[str, float]:
    """Shares of the three region cases, 0 where nothing is said."""
    return {case: shares.get(case, 0) for case in REGION_CASES}


def check_columns(checked: CheckedYaml, subsets: tuple[Subset, ...]) -> None:
    """Refuse sources whose own columns are called as others are.

    Raises:
        RosegenError: at the subset's line.
    """
    taken: dict[str, object] = dict(item_schema()["properties"])
    for index, subset in enumerate(subsets):
        for name, column in subset.source_class.columns.items():
            if taken.setdefault(name, column) != column:
                raise checked.error(
                    f"kind {subset.kind} declares a column {name!r} that is there already: rename "
                    f"it in the source, or fill the one there is",
                    "subsets",
                    index,
                    "kind",
                )


def check_points(checked: CheckedYaml, subsets: tuple[Subset, ...]) -> None:
    """Refuse difficulty points that could never hold, or not be compared at all.

    Raises:
        RosegenError: at the line of the point.
    """
    names = [subset.name for subset in subsets]
    for index, point in enumerate(checked.data.get("difficulty", {}).get("points", ())):
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


def check_names(checked: CheckedYaml, subsets: tuple[Subset, ...]) -> None:
    """Refuse two subsets of one name or one prefix, whatever its case: folders are called so.

    Raises:
        RosegenError: at the second one's line.
    """
    for field in ("name", "prefix"):
        seen: set[str] = set()
        for index, subset in enumerate(subsets):
            value = getattr(subset, field)
            if value.lower() in seen:
                raise checked.error(f"{value!r} is used twice", "subsets", index, field)
            seen.add(value.lower())
