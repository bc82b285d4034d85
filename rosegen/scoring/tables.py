"""Tables for papers and terminals: one row a model, each number with its interval."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rosegen.scoring.intervals import Statistic
from rosegen.scoring.names import FAMILIES, TEMPLATE_SHORT, subset_short


class Cell(NamedTuple):
    """A share from 0 to 1 with its interval; shown in percent."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def text(self, digits: int = 1) -> str:
        """``60.2``, or ``--``."""
        return "--" if self.value is None else _percent(self.value, digits)

    def interval(self, digits: int = 1) -> str:
        """``[57.2, 63.2]``, or nothing."""
        if self.low is None or self.high is None:
            return ""
        return f"[{_percent(self.low, digits)}, {_percent(self.high, digits)}]"


def _percent(share: float, digits: int) -> str:
    shown = f"{100 * share:.{digits}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown  # no -0.0


@dataclass(frozen=True)
class Table:
    """A titled table: a name and a cell for each column in every row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    first: str = "Model"


def score_tables(models: Mapping[str, Sequence[Statistic]]) -> list[Table]:
    """The tables of the paper, and one of what rosegen adds, of one or more models.

    Args:
        models: the statistics of each model, by the name to show.
    """
    lookup = {
        model: {(s.group, s.level, s.metric): Cell(s.value, s.low, s.high) for s in found}
        for model, found in models.items()
    }
    subsets = list(
        dict.fromkeys(s.level for found in models.values() for s in found if s.group == "subset")
    )
    families = [
        name for name in FAMILIES if any(("family", name, "PASS") in has for has in lookup.values())
    ]

    def table(title: str, columns: Mapping[str, tuple[str, str, str]]) -> Table:
        rows = tuple(
            (model, tuple(has.get(key, Cell(None)) for key in columns.values()))
            for model, has in lookup.items()
        )
        return Table(title, tuple(columns), rows)

    average = {f"Avg. {metric}": ("overall", "Avg.", metric) for metric in ("PASS", "SOFT")}
    valid = {"VALID": ("overall", "Avg.", "VALID")}
    return [
        table(
            "PASS and SOFT by subset",
            {
                f"{subset_short(name)} {metric}": ("subset", name, metric)
                for name in subsets
                for metric in ("PASS", "SOFT")
            }
            | average
            | valid,
        ),
        table(
            "PASS by task and by visual source",
            {short: ("template", short, "PASS") for short in TEMPLATE_SHORT.values()}
            | {name: ("family", name, "PASS") for name in families}
            | {"Avg.": ("overall", "Avg.", "PASS")}
            | valid
            | {name: ("overall", "Avg.", name) for name in ("C-F1", "R-OK", "R-OK | VALID")},
        ),
        table(
            "From counting to action",
            {
                "Counting Avg.": ("gap", "Counting Avg.", "PASS"),
                "Action Avg.": ("gap", "Action Avg.", "PASS"),
                "Gap": ("gap", "Gap", "PASS"),
                "Action Ret.": ("conditioned", "Action Ret.", "PASS"),
                "All five right": ("scene", "all five right", "PASS"),
                "If independent": ("scene", "if independent", "PASS"),
            },
        ),
    ]


def as_markdown(tables: Sequence[Table], digits: int = 1) -> str:
    """GitHub tables, ``60.2 [57.2, 63.2]`` in a cell."""
    blocks = []
    for table in tables:
        lines = [f"### {table.title}", ""]
        lines.append("| " + " | ".join(map(_md, (table.first, *table.columns))) + " |")
        lines.append("|---" + "|---:" * len(table.columns) + "|")
        for name, cells in table.rows:
            shown = [f"{cell.text(digits)} {cell.interval(digits)}".strip() for cell in cells]
            lines.append("| " + " | ".join([_md(name), *shown]) + " |")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _md(text: str) -> str:
    return re.sub(r"[\\`*_\[\]<>&|~]", r"\\\g<0>", _line(text))


def _line(text: str) -> str:
    """On one line: white space and control characters, however many, are one space."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", text).strip()


def as_latex(tables: Sequence[Table], digits: int = 1) -> str:
    """``tabular`` environments for booktabs, the interval small beside the number."""
    blocks = []
    for table in tables:
        head = " & ".join(map(_tex, (table.first, *table.columns)))
        lines = [f"% {table.title}", rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}"]
        lines += [r"\toprule", rf"{head} \\", r"\midrule"]
        for name, cells in table.rows:
            shown = [
                cell.text(digits)
                + (rf"\,{{\scriptsize {cell.interval(digits)}}}" if cell.interval() else "")
                for cell in cells
            ]
            lines.append(" & ".join([_tex(name), *shown]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def _tex(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {character: f"\\{character}" for character in "&%$#_{}"}
    special |= {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    special |= {"[": "{[}", "*": "{*}"}  # would be arguments of the row's end before them
    return re.sub(r"[\\~^&%$#_{}|<>\[*]", lambda match: special[match[0]], _line(text))


def as_csv(tables: Sequence[Table]) -> str:
    """One long table: table, row, column, value, low and high in percent, unrounded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("table", "row", "column", "percent", "low", "high"))
    for table in tables:
        for name, cells in table.rows:
            for column, cell in zip(table.columns, cells):
                numbers = (None if number is None else 100 * number for number in cell)
                writer.writerow((table.title, _line(name), column, *numbers))
    return text.getvalue()


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """As ROSE's evaluator: UTF-8 with BOM, CRLF; a column for each key in the order they come."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for row in rows:
            # Python 3.10 cannot write a NUL into a CSV.
            writer.writerow(
                {k: v.replace("\0", " ") if isinstance(v, str) else v for k, v in row.items()}
            )
