"""A report to look at: one HTML file that needs nothing else, and the plots as files.

All text in it may be a model's or another author's: it is escaped, shortened, and rid of hidden
characters wherever it is put. The page has no script, and forbids itself the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosegen.files import write_text
from rosegen.scoring.columns import BREAKDOWNS
from rosegen.scoring.compare import Comparison
from rosegen.scoring.examples import Example, examples
from rosegen.scoring.failures import FAILURES
from rosegen.scoring.intervals import FEWEST_SCENES, LEVEL, METRICS, Key, Statistic
from rosegen.scoring.names import TEMPLATE_SHORT, subset_short
from rosegen.scoring.plot_style import PAGE_COLOURS, inlined
from rosegen.scoring.plots import draw_plots
from rosegen.scoring.release import Metadata
from rosegen.scoring.shown import label, shown
from rosegen.scoring.tables import Cell, Table, score_tables

if TYPE_CHECKING:
    from rosegen.scoring.evaluation import Evaluation

_HEADLINES: dict[str, Key] = {
    "PASS": ("overall", "Avg.", "PASS"),
    "SOFT": ("overall", "Avg.", "SOFT"),
    "VALID": ("overall", "Avg.", "VALID"),
    "Gap": ("gap", "Gap", "PASS"),
    "Action Ret.": ("conditioned", "Action Ret.", "PASS"),
    "All five right": ("scene", "all five right", "PASS"),
}
_BREAKDOWN_TITLES = {
    "difficulty": "Difficulty",
    "grid_profile": "Grid profile",
    "exception_count": "Exceptions in the scene",
    "region_case": "Exceptions inside the region",
    "similarity_bin": "Similarity of the pair",
}
_LISTED = 5  # ids named in a warning
_LONGEST = 8000  # characters of any one text; the template shortens most of them much more


@dataclass(frozen=True)
class ShownCell:
    """A number as it stands in a table."""

    text: str
    interval: str
    strong: bool = False


@dataclass(frozen=True)
class ShownTable:
    """A table as it stands in the report: each row a head and its cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ShownCell, ...]], ...]
    first: str = ""


@dataclass(frozen=True)
class Group:
    """The levels of one breakdown: (level, items, scenes, cells)."""

    title: str
    rows: tuple[tuple[str, int, int, tuple[ShownCell, ...]], ...]


@dataclass(frozen=True)
class Kind:
    """A kind of failure, how often it was, and examples."""

    name: str
    meaning: str
    counts: tuple[int, ...]  # all, then by task
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Section:
    """What the report says of one model alone."""

    number: int
    name: str
    coverage: Mapping[str, int]
    warnings: tuple[str, ...]
    breakdowns: tuple[Group, ...]
    tasks: tuple[str, ...]
    kinds: tuple[Kind, ...]
    failed: int


def write_report(
    folder: Path,
    evaluations: Sequence[Evaluation],
    comparison: Comparison | None = None,
    *,
    digits: int = 1,
) -> None:
    """Write ``report.html``, and each plot as PNG and SVG into ``plots``.

    Args:
        folder: where to; it exists.
        evaluations: of one model or several, on the same release.
        comparison: of these models.
        digits: decimals of percentages in tables.

    Raises:
        OSError: the disk will not take the files.
    """
    plots = draw_plots(evaluations)
    for plot in plots:
        write_text(folder / "plots" / f"{plot.name}.svg", plot.svg)
        (folder / "plots" / f"{plot.name}.png").write_bytes(plot.png)
    first = evaluations[0]
    # Two of each for six models would make a page of some 6 MB.
    per_kind = 2 if len(evaluations) == 1 else 1
    sections = [
        _section(number, evaluation, per_kind, digits)
        for number, evaluation in enumerate(evaluations, start=1)
    ]
    tables = score_tables({each.name: each.statistics for each in evaluations})
    page = _render(
        models=[section.name for section in sections],
        release=_release(first.metadata),
        split=first.scored.split,
        seed=first.seed,
        resamples=first.resamples,
        level=round(100 * LEVEL),
        fewest=FEWEST_SCENES,
        sections=sections,
        tables=[_turned(table, digits) for table in [_headlines(evaluations), *tables]],
        comparison=comparison,
        differences=None if comparison is None else _differences(comparison.table(), digits),
        plots=[(plot, inlined(plot)) for plot in plots],
        colours=" ".join(f"--{name}: {colour};" for colour, name in PAGE_COLOURS.items()),
        metrics=list(METRICS),
    )
    write_text(folder / "report.html", page)


def _render(**values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    def fit(value: Any) -> Any:
        """Every value on its way into the page, before it is escaped."""
        return (
            value
            if isinstance(value, Markup) or not isinstance(value, str)
            else shown(value, _LONGEST)
        )

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=fit,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # What is ours, and no text: plots, and pictures in base64.
    environment.filters |= {"ours": Markup, "shorten": shown}
    return environment.get_template("report.html.j2").render(**values)


def _release(metadata: Metadata) -> str:
    """Where the items are from, without the path of this machine."""
    if metadata.repo_id:
        commit = f" at {metadata.revision[:12]}" if metadata.revision else ""
        return f"{metadata.repo_id} on the Hugging Face Hub{commit}"
    if metadata.shown is None:
        return "rows given in memory"
    path = Path(metadata.shown)
    folder = metadata.folder or path.parent
    inside = path.relative_to(folder) if path.is_relative_to(folder) else Path(path.name)
    return f"{folder.name} ({inside.as_posix()})" if folder.name else path.name


def _section(number: int, evaluation: Evaluation, per_kind: int, digits: int) -> Section:
    scored = evaluation.scored
    counts = evaluation.failure_counts()
    templates = set(scored.columns.levels["task_template"])
    tasks = tuple(short for name, short in TEMPLATE_SHORT.items() if name in templates)
    chosen = examples(evaluation, per_kind)
    return Section(
        number=number,
        name=label(evaluation.name, 80),
        coverage={
            "expected": scored.coverage.expected,
            "scored": len(scored.columns),
            "missing": len(scored.coverage.missing),
            "extra": len(scored.coverage.extra),
            "answered twice": len(scored.coverage.duplicates),
        },
        warnings=tuple(_warnings(evaluation)),
        breakdowns=_breakdowns(evaluation.statistics, digits),
        tasks=tasks,
        kinds=tuple(
            Kind(
                name,
                meaning,
                (counts["all"][name], *(counts[short][name] for short in tasks)),
                tuple(chosen.get(name, ())),
            )
            for name, meaning in FAILURES.items()
            if counts["all"][name]
        ),
        failed=int((scored.columns.failures != 0).sum()),
    )


def _warnings(evaluation: Evaluation) -> list[str]:
    """What keeps these numbers from being those of the whole split, in sentences."""
    coverage, said = evaluation.scored.coverage, []
    if coverage.missing:
        lacking = ", ".join(
            f"{subset_short(row['rose_subset'])} {row['expected'] - row['evaluated']:,} of "
            f"{row['expected']:,}"
            for row in evaluation.summary["coverage"]["by_subset"]
            if row["evaluated"] < row["expected"]
        )
        said.append(
            f"{len(coverage.missing):,} of {coverage.expected:,} items have no prediction "
            f"({lacking}). These numbers are not comparable with those of the whole split."
        )
    if coverage.extra:
        said.append(
            f"Predictions for items that are not in the split: {len(coverage.extra):,} "
            f"({_first(coverage.extra)}). They were not scored."
        )
    if coverage.duplicates:
        said.append(
            f"Items answered more than once: {len(coverage.duplicates):,} "
            f"({_first(coverage.duplicates)}). One answer to each was scored."
        )
    return said


def _first(ids: Sequence[str]) -> str:
    more = ", …" if len(ids) > _LISTED else ""
    return ", ".join(label(name) for name in ids[:_LISTED]) + more


def _breakdowns(found: Sequence[Statistic], digits: int) -> tuple[Group, ...]:
    groups = []
    for name in BREAKDOWNS:
        levels: dict[str, dict[str, Statistic]] = {}
        for statistic in found:
            if statistic.group == name:
                levels.setdefault(statistic.level, {})[statistic.metric] = statistic
        rows = tuple(
            (
                label(level),
                of["PASS"].items,
                of["PASS"].scenes,
                tuple(_cell(_as_cell(of[metric]), digits) for metric in METRICS),
            )
            for level, of in levels.items()
        )
        if rows and list(levels) != ["unknown"]:
            groups.append(Group(_BREAKDOWN_TITLES[name], rows))
    return tuple(groups)


# Tables


def _headlines(evaluations: Sequence[Evaluation]) -> Table:
    rows = []
    for evaluation in evaluations:
        found = {(s.group, s.level, s.metric): _as_cell(s) for s in evaluation.statistics}
        cells = tuple(found.get(key, Cell(None)) for key in _HEADLINES.values())
        rows.append((evaluation.name, cells))
    return Table("Headline numbers", tuple(_HEADLINES), tuple(rows))


def _as_cell(found: Statistic) -> Cell:
    return Cell(found.value, found.low, found.high)


def _cell(cell: Cell, digits: int, strong: bool = False) -> ShownCell:
    return ShownCell(cell.text(digits), cell.interval(digits), strong)


def _turned(table: Table, digits: int) -> ShownTable:
    """Columns as rows: a few models side by side fit on any page. Columns of nothing go."""
    rows = tuple(
        (column, tuple(_cell(cells[place], digits) for _, cells in table.rows))
        for place, column in enumerate(table.columns)
        if any(cells[place].value is not None for _, cells in table.rows)
    )
    return ShownTable(table.title, tuple(label(name) for name, _ in table.rows), rows)


def _differences(table: Table, digits: int) -> ShownTable:
    """Differences whose interval has no 0 in it stand out. Columns of nothing go."""
    places = [
        place
        for place in range(len(table.columns))
        if any(cells[place].value is not None for _, cells in table.rows)
    ]
    rows = tuple(
        (
            label(name, 200),
            tuple(_cell(cells[place], digits, _differs(cells[place])) for place in places),
        )
        for name, cells in table.rows
    )
    columns = tuple(table.columns[place] for place in places)
    return ShownTable(table.title, columns, rows, table.first)


def _differs(cell: Cell) -> bool:
    return cell.low is not None and cell.high is not None and not cell.low <= 0 <= cell.high
