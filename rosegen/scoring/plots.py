"""The five plots of a report: counting and action, conditioned action, subsets, scaling, failures.

All shares are in percent; whiskers are the 95 % intervals of ``rosegen.scoring.intervals``.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosegen.scoring.failures import FAILURES
from rosegen.scoring.intervals import Key, Statistic, level_order
from rosegen.scoring.names import TEMPLATE_SHORT, subset_short
from rosegen.scoring.plot_style import (
    INK,
    LINE,
    MUTED,
    PAPER,
    TASK_COLOURS,
    WIDTH,
    Plot,
    colour,
    drawing,
    finished,
    ink_on,
    marker,
    percent_axis,
)
from rosegen.scoring.shown import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rosegen.scoring.evaluation import Evaluation

_SHORTS = tuple(TEMPLATE_SHORT.values())
_CONDITIONED = ("L-Cnt | T1", "L-Clk | T1", "V-Clk | T1", "Excl. C+S | T1", "Action Ret.")
_SCALING = {
    "difficulty": "Difficulty",
    "grid_profile": "Grid profile",
    "region_case": "Exceptions inside the region",
    "exception_count": "Exceptions in the scene",
    "similarity_bin": "Similarity of the pair",
}
_TASK_COLOURS = {**dict(zip(_SHORTS, TASK_COLOURS)), "other tasks": MUTED}
_MOST_TICKS = 14


@dataclass(frozen=True)
class Model:
    """What the plots need to know of one model."""

    name: str
    statistics: Mapping[Key, Statistic]
    failures: Mapping[str, Mapping[str, int]]  # of all, of each task and of others, by kind
    items: int

    def share(self, task: str, kind: str) -> float:
        """Items of a task that failed in this way, in percent of all items scored."""
        return 100 * self.failures[task][kind] / self.items

    def value(self, group: str, level: str) -> float:
        """PASS in percent; NaN where there is none."""
        found = self.statistics.get((group, level, "PASS"))
        return math.nan if found is None or found.value is None else 100 * found.value

    def whisker(self, group: str, level: str) -> tuple[float, float] | None:
        """The interval of PASS in percent, where there is one."""
        found = self.statistics.get((group, level, "PASS"))
        if found is None or found.low is None or found.high is None:
            return None
        return 100 * found.low, 100 * found.high

    def levels(self, group: str) -> set[str]:
        """The levels of a group that have a PASS."""
        return {
            level
            for (of, level, metric), found in self.statistics.items()
            if of == group and metric == "PASS" and found.value is not None
        }


def draw_plots(evaluations: Sequence[Evaluation]) -> list[Plot]:
    """Draw what there is data for.

    Args:
        evaluations: of one to about six models, on the same release.
    """
    models = [
        Model(
            label(each.name, 32),
            {(s.group, s.level, s.metric): s for s in each.statistics},
            _with_others(each.failure_counts()),
            len(each.scored.columns),
        )
        for each in evaluations
    ]
    kinds: list[Callable[[Sequence[Model]], Plot | None]] = [
        gap_dumbbell,
        conditioned_action,
        subset_by_template,
        difficulty_scaling,
        failures,
    ]
    with drawing():
        return [plot for draw in kinds if (plot := draw(models)) is not None]


def gap_dumbbell(models: Sequence[Model]) -> Plot | None:
    """Counting Avg. and Action Avg. of each model, and the gap between them."""
    ends = [
        (name, shape, size, tint)
        for name, shape, size, tint in (
            ("Counting Avg.", "o", 8, colour(0)),
            ("Action Avg.", "s", 5, colour(1)),
        )
        if any(model.value("gap", name) >= 0 for model in models)
    ]
    if not ends:
        return None
    figure = _figure(0.95 + 0.3 * len(models))
    axes = figure.add_subplot()
    for y, model in enumerate(models):
        values = [model.value("gap", name) for name, *_ in ends]
        axes.plot(values, [y] * len(values), color=MUTED, linewidth=1, zorder=2)
        for (name, shape, size, tint), value in zip(ends, values):
            whisker = model.whisker("gap", name)
            if whisker:
                axes.plot(whisker, [y, y], color=tint, lw=6, alpha=0.35, solid_capstyle="butt")
            axes.plot(
                [value], [y], shape, color=tint, markersize=size, mec=PAPER, mew=0.7, zorder=3
            )
        axes.annotate(
            _with_interval(model, "gap", "Gap"),
            (1.02, y),
            xycoords=("axes fraction", "data"),
            va="center",
            annotation_clip=False,
        )
    axes.annotate(
        "Gap, points", (1.02, 1.0), (0, 3), "axes fraction", textcoords="offset points", color=MUTED
    )
    percent_axis(axes, "x")
    axes.set_xlim(-1.5, 101.5)
    axes.set_ylim(len(models) - 0.4, -0.6)
    axes.set_yticks(range(len(models)), [model.name for model in models])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("PASS, %")
    _legend(figure, [(name, tint, shape) for name, shape, _, tint in ends])
    said = "; ".join(
        f"{model.name}: counting {_number(model.value('gap', 'Counting Avg.'))}, "
        f"action {_number(model.value('gap', 'Action Avg.'))}, "
        f"gap {_number(model.value('gap', 'Gap'))}"
        for model in models
    )
    return finished(
        "gap_dumbbell",
        figure,
        "From counting to action",
        "Counting Avg. is the mean of G-Cnt and L-Cnt, Action Avg. that of L-Clk, V-Clk and "
        "Excl. C+S. Bands are 95 % intervals.",
        f"Dot plot, percent PASS. {said}.",
    )


def conditioned_action(models: Sequence[Model]) -> Plot | None:
    """PASS of the other tasks on scenes whose global count is right, and Action Ret."""
    names = [
        name
        for name in _CONDITIONED
        if any(model.value("conditioned", name) >= 0 for model in models)
    ]
    if not names:
        return None
    figure = _figure(2.7)
    axes = figure.add_subplot()
    width = 0.8 / len(models) if len(models) > 1 else 0.5
    for m, model in enumerate(models):
        for x, name in enumerate(names):
            value = model.value("conditioned", name)
            at = x + (m - (len(models) - 1) / 2) * width
            if math.isnan(value):
                axes.text(at, 1.5, "–", ha="center", color=MUTED)
                continue
            axes.bar(at, value, 0.92 * width, color=colour(m), linewidth=0)
            whisker = model.whisker("conditioned", name)
            if whisker:
                axes.plot([at, at], whisker, color=INK, linewidth=0.9)
            axes.text(
                at,
                max(value, whisker[1] if whisker else 0.0) + 2,
                _number(value),
                ha="center",
                va="bottom",
                fontsize=7 if len(models) < 4 else 6.5,
                rotation=0 if len(models) < 4 else 90,
            )
    percent_axis(axes, "y", 112)
    axes.set_xlim(-0.55, len(names) - 0.45)
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(axis="x", length=0)
    axes.set_ylabel("PASS, %")
    if "Action Ret." in names and len(names) > 1:
        axes.axvline(names.index("Action Ret.") - 0.5, color=MUTED, linewidth=0.6, dashes=(3, 3))
    _model_legend(figure, models, "s")
    return finished(
        "conditioned_action",
        figure,
        "Where the global count is right: how often the other tasks are, too",
        "Only scenes whose G-Cnt (T1) the same model has right. Action Ret. is the mean of the "
        "three action tasks.",
        "Bar chart with 95 % intervals, percent PASS given a right global count. "
        + "; ".join(
            f"{model.name}: "
            + ", ".join(f"{name} {_number(model.value('conditioned', name))}" for name in names)
            for model in models
        )
        + ".",
    )


def subset_by_template(models: Sequence[Model]) -> Plot | None:
    """PASS of each task in each subset, one panel a model."""
    subsets = list(
        dict.fromkeys(
            level for model in models for (group, level, _) in model.statistics if group == "subset"
        )
    )
    cells = [model.levels("subset_template") for model in models]
    seen = set().union(*cells)
    shorts = [short for short in _SHORTS if any(f"{subset} {short}" in seen for subset in subsets)]
    if not shorts:
        return None
    down, across = _panels(len(models))
    row = 0.3 if len(models) == 1 else 0.26
    width = min(WIDTH, 1.4 + 0.8 * len(shorts)) if len(models) == 1 else WIDTH
    figure = _figure(0.5 + down * (0.55 + row * len(subsets)), width)
    grid = figure.subplots(down, across, squeeze=False, sharey=True)
    for panel, axes in enumerate(grid.flat):
        if panel >= len(models):
            axes.set_visible(False)
            continue
        _heat_map(axes, models[panel], subsets, shorts, narrow=across > 2)
        axes.tick_params(labelleft=panel % across == 0)
        if len(models) > 1:
            axes.set_title(label(models[panel].name, 26), fontweight="bold")
    return finished(
        "subset_by_template",
        figure,
        "PASS by subset and task, %",
        "The darker, the more items are right. A cell with a dash has no items.",
        "Heat map of percent PASS, subsets by tasks, one panel a model; the numbers are in "
        "statistics.csv.",
    )


def _heat_map(
    axes: Axes, model: Model, subsets: Sequence[str], shorts: Sequence[str], *, narrow: bool
) -> None:
    from matplotlib import colormaps  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    tints = colormaps["Blues"]
    for y, subset in enumerate(subsets):
        for x, short in enumerate(shorts):
            value = model.value("subset_template", f"{subset} {short}")
            blank = math.isnan(value)
            tint = tints(0.0 if blank else 0.05 + 0.9 * value / 100)[:3]
            fill = LINE if blank else tint
            axes.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1)
            )
            ink = INK if blank else ink_on(tint)
            axes.text(x, y, _number(value), ha="center", va="center", color=ink, fontsize=7)
    axes.set_xlim(-0.5, len(shorts) - 0.5)
    axes.set_ylim(len(subsets) - 0.5, -0.5)
    names = [short.replace(". ", ".\n") for short in shorts] if narrow else list(shorts)
    axes.set_xticks(range(len(shorts)), names, fontsize=6.5 if narrow else 7.5)
    axes.set_yticks(range(len(subsets)), [label(subset_short(name), 24) for name in subsets])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def difficulty_scaling(models: Sequence[Model]) -> Plot | None:
    """PASS by difficulty, grid profile, region case, number of exceptions and similarity."""
    panels: dict[str, list[str]] = {}
    for group in _SCALING:
        levels = sorted(set().union(*(model.levels(group) for model in models)), key=level_order)
        if levels and levels != ["unknown"]:
            panels[group] = levels
    if not panels:
        return None
    names = list(panels)
    top = math.ceil(len(names) / 2) if len(names) > 3 else len(names)
    rows = [row for row in (names[:top], names[top:]) if row]
    figure = _figure(0.6 + 1.75 * len(rows))
    grid = figure.add_gridspec(len(rows), 6)
    for y, row in enumerate(rows):
        span = 6 // len(row)
        for x, group in enumerate(row):
            axes = figure.add_subplot(grid[y, x * span : (x + 1) * span])
            _scaling_panel(axes, models, group, panels[group])
            axes.set_title(_SCALING[group])
            if x == 0:
                axes.set_ylabel("PASS, %")
            else:
                axes.tick_params(labelleft=False)
    _model_legend(figure, models, None)
    return finished(
        "difficulty_scaling",
        figure,
        "PASS by what makes an item hard",
        "Item means with 95 % intervals. Exceptions inside the region: none, some or all of the "
        "scene's. Lines only guide the eye.",
        f"Points with whiskers, percent PASS by {', '.join(_SCALING[name] for name in names)}; the "
        "numbers are in the table of breakdowns.",
    )


def _scaling_panel(axes: Axes, models: Sequence[Model], group: str, levels: Sequence[str]) -> None:
    step = min(0.16, 0.6 / len(models))
    for m, model in enumerate(models):
        shift = (m - (len(models) - 1) / 2) * step
        values = [model.value(group, level) for level in levels]
        places = [x + shift for x in range(len(levels))]
        axes.plot(places, values, color=colour(m), linewidth=0.8, alpha=0.35)
        for place, level in zip(places, levels):
            whisker = model.whisker(group, level)
            if whisker:
                axes.plot([place, place], whisker, color=colour(m), linewidth=1.2)
        axes.plot(places, values, marker(m), color=colour(m), markersize=4, mec=PAPER, mew=0.5)
    percent_axis(axes, "y")
    axes.set_ylim(-3, 103)
    axes.set_xlim(-0.5, len(levels) - 0.5)
    every = math.ceil(len(levels) / _MOST_TICKS)
    axes.set_xticks(
        range(0, len(levels), every),
        [textwrap.fill(label(level, 24), 8, break_long_words=False) for level in levels[::every]],
    )


def failures(models: Sequence[Model]) -> Plot | None:
    """How items failed, one panel a model, each bar by task."""
    kinds = [kind for kind in FAILURES if any(model.failures["all"][kind] for model in models)]
    if not kinds:
        return None
    down, across = _panels(len(models))
    figure = _figure(0.8 + down * (0.5 + 0.19 * len(kinds)))
    grid = figure.subplots(down, across, squeeze=False, sharex=True, sharey=True)
    high = max(model.share("all", kind) for model in models for kind in kinds)
    for panel, axes in enumerate(grid.flat):
        if panel >= len(models):
            axes.set_visible(False)
            continue
        _failure_panel(axes, models[panel], kinds, high * (1.1 if across == 1 else 1.25))
        if panel + across >= len(models):
            axes.set_xlabel("% of items scored")
            axes.tick_params(labelbottom=True)
        if len(models) > 1:
            axes.set_title(label(models[panel].name, 26), fontweight="bold")
    grid[0][0].set_ylim(len(kinds) - 0.4, -0.6)
    _legend(
        figure,
        [
            (task, tint, "s")
            for task, tint in _TASK_COLOURS.items()
            if any(any(model.failures[task].values()) for model in models)
        ],
    )
    return finished(
        "failures",
        figure,
        "How items failed, % of items scored",
        "Each bar is the items that failed in that way, by task; their number stands at its end. "
        "An item may fail in several ways.",
        "Stacked bars, one a kind of failure, by task, one panel a model; the numbers are in the "
        "table of failures.",
    )


def _failure_panel(axes: Axes, model: Model, kinds: Sequence[str], end: float) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    places = range(len(kinds))
    left = [0.0] * len(kinds)
    for task, tint in _TASK_COLOURS.items():
        parts = [model.share(task, kind) for kind in kinds]
        axes.barh(places, parts, 0.72, left, color=tint, linewidth=0)
        left = [start + part for start, part in zip(left, parts)]
    for y, kind in enumerate(kinds):
        axes.annotate(
            f"{model.failures['all'][kind]:,}",
            (model.share("all", kind), y),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize=6.5,
        )
    axes.set_xlim(0, end)
    axes.set_xticks([x for x in MaxNLocator(5).tick_values(0, end) if 0 <= x <= min(end, 100)])
    axes.set_yticks(places, [kind.replace("_", " ") for kind in kinds])
    axes.tick_params(axis="y", length=0)
    axes.grid(True, axis="x")


# Pieces


def _with_others(counts: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
    """Failures by task, with those of tasks that have no name here."""
    others = {
        kind: count - sum(counts[short][kind] for short in _SHORTS)
        for kind, count in counts["all"].items()
    }
    return {**counts, "other tasks": others}


def _panels(models: int) -> tuple[int, int]:
    """Rows and columns of panels, one a model."""
    across = 2 if models in (2, 4) else min(models, 3)
    return math.ceil(models / across), across


def _figure(height: float, width: float = WIDTH) -> Figure:
    from matplotlib.figure import Figure as New  # noqa: PLC0415

    return New(figsize=(width, height), layout="constrained")


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1f}"


def _with_interval(model: Model, group: str, level: str) -> str:
    whisker, text = model.whisker(group, level), _number(model.value(group, level))
    return f"{text} [{whisker[0]:.1f}, {whisker[1]:.1f}]" if whisker else text


def _model_legend(figure: Figure, models: Sequence[Model], shape: str | None) -> None:
    if len(models) > 1:
        _legend(figure, [(m.name, colour(n), shape or marker(n)) for n, m in enumerate(models)])


def _legend(figure: Figure, entries: Sequence[tuple[str, str, str]]) -> None:
    """A legend below everything: (text, colour, marker) each."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles: list[Any] = [
        Line2D([], [], color=tint, marker=shape, linestyle="none", markersize=5)
        for _, tint, shape in entries
    ]
    longest = max(len(text) for text, *_ in entries)
    figure.legend(
        handles,
        [text for text, *_ in entries],
        loc="outside lower center",
        ncols=max(1, min(len(entries), 90 // (longest + 6))),
        handletextpad=0.3,
        columnspacing=1.2,
    )
