"""The tables on a terminal, with rich."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from rosegen.scoring.compare import Comparison
from rosegen.scoring.evaluation import Evaluation
from rosegen.scoring.tables import Table, score_tables


class _Console(Console):
    """One whose broken pipe is for the command line to deal with."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def show(
    evaluations: Sequence[Evaluation], comparison: Comparison | None = None, digits: int = 1
) -> None:
    """Print the tables of one or more models to standard output, and what does not add up."""
    console = _Console(highlight=False)
    if not console.is_terminal:
        console.width = 200  # a pipe or a file has no width to fit
    tables = score_tables({each.name: each.statistics for each in evaluations})
    if comparison is not None:
        tables.append(comparison.table())
    for table in tables:
        console.print(Text(f"{table.title}, percent [95 % interval]", style="bold"))
        console.print(_turned(table, digits))
    for evaluation in evaluations:
        coverage = evaluation.scored.coverage
        counts = {
            "missing": len(coverage.missing),
            "extra": len(coverage.extra),
            "answered twice": len(coverage.duplicates),
        }
        odd = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        console.print(
            _plain(
                f"{evaluation.name}: {len(evaluation.scored.columns):,} of {coverage.expected:,} "
                f"items of the split {evaluation.scored.split}" + (f"; {odd}" if odd else "")
            )
        )


def _plain(text: str) -> Text:
    """Text without what a terminal obeys: a model may have any name."""
    return Text("".join(each if each.isprintable() else " " for each in text))


def _turned(table: Table, digits: int) -> RichTable:
    """Columns as rows: a model's numbers, with intervals, fit below each other on any terminal."""
    shown = RichTable(box=box.SIMPLE_HEAD)
    shown.add_column("")
    for name, _ in table.rows:
        shown.add_column(_plain(name), justify="right")
    for place, column in enumerate(table.columns):
        cells = [
            Text(f"{cells[place].text(digits)} {cells[place].interval(digits):>14}")
            for _, cells in table.rows
        ]
        shown.add_row(Text(column), *cells)
    return shown
