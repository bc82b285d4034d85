"""Score the predictions of a model against a release: the one function, and what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from rosegen.files import placed, write_json, write_text
from rosegen.scoring.failures import BIT, FAILURES
from rosegen.scoring.intervals import DEFAULT_RESAMPLES, LEVEL, Statistic, statistics
from rosegen.scoring.names import SEALS, TEMPLATE_SHORT, subset_order, subset_short
from rosegen.scoring.predictions import Duplicates, load_predictions
from rosegen.scoring.release import Metadata, find_metadata
from rosegen.scoring.scored import Progress, Scored, score_all
from rosegen.scoring.summary import coverage_by_group, evaluation_summary, format_percent
from rosegen.scoring.tables import as_csv, as_latex, as_markdown, score_tables, write_csv

if TYPE_CHECKING:
    import pandas as pd

# Of one model; of several, each has a folder with these.
FILES = (
    *("per_item_eval.jsonl", "error_cases.jsonl", "evaluation_summary.json"),
    *("summary_by_subset.csv", "summary_by_template.csv", "coverage_by_subset_template.csv"),
    *("table1_row.txt", "table2_row.txt", "tables.md", "tables.tex", "tables.csv"),
    *("statistics.json", "statistics.csv", "failures.jsonl"),
)
# What an earlier evaluation in the same folder may have left.
STALE = (
    *("report.html", "plots/*.png", "plots/*.svg", "comparison.json"),
    *FILES,
    *(f"models/*/{name}" for name in FILES),
)


def evaluate(
    release: str | Path | Any,
    predictions: str | Path | Any,
    *,
    split: str = "test",
    allow_partial: bool = False,
    text_column: str | None = None,
    model: str | None = None,
    display_name: str | None = None,
    near_miss_l1: int = 1,
    duplicates: Duplicates = "error",
    revision: str | None = None,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    spool_folder: str | Path | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score predictions exactly as ROSE's public evaluator does, and say how sure the numbers are.

    Args:
        release: a release's folder, a file of its metadata (JSON Lines, .gz, Parquet), the id of
            a dataset on the Hub (``owner/name``), a pandas DataFrame, or rows.
        predictions: a file (JSON Lines, .gz, CSV, Parquet), a DataFrame, or rows; each with
            ``item_id``, the answer, and, if known, ``model`` and ``error``.
        split: ``test`` or ``dev``.
        allow_partial: score what there is when items of the split have no prediction.
        text_column: the column of the answers; by default the first there is of ``raw_text``,
            ``prediction`` and ``response``.
        model: the model's name; by default the one the predictions give.
        display_name: the name in tables; by default ROSE's name for the model, if it has one.
        near_miss_l1: how many rows and columns together a near miss is off at most.
        duplicates: what to do with a second answer to an item: refuse, keep the first or the last.
        revision: of a release on the Hub.
        seed: of the bootstrap over scenes.
        resamples: how many draws.
        spool_folder: where scored rows are kept meanwhile; by default the system's.
        progress: called with what is done.

    Raises:
        RosegenError: something is missing, broken, or does not belong together; one line says
            what, where, and what to do.
    """
    metadata = find_metadata(release, split, revision=revision)
    said = load_predictions(
        predictions, text_column=text_column, model=model, duplicates=duplicates
    )
    scored = score_all(
        metadata,
        said,
        split,
        allow_partial=allow_partial,
        near_miss_l1=near_miss_l1,
        spool_folder=None if spool_folder is None else str(spool_folder),
        progress=progress,
    )
    source = str(Path(said.source).resolve()) if isinstance(predictions, str | Path) else None
    summary = evaluation_summary(
        scored, metadata, source, allow_partial=allow_partial, display_name=display_name
    )
    return Evaluation(scored, metadata, summary, seed, resamples)


@dataclass
class Evaluation:
    """One model's scored answers.

    ``summary`` is ROSE's ``evaluation_summary.json``; ``statistics`` every number with its
    interval; ``items``, ``by_subset``, ``by_template``, ``intervals`` and ``failures`` are pandas
    DataFrames; ``write`` makes the files.
    """

    scored: Scored
    metadata: Metadata
    summary: dict[str, Any]
    seed: int = 0
    resamples: int = DEFAULT_RESAMPLES
    _frames: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def model(self) -> str:
        """The model's name, as the predictions have it."""
        return self.scored.model

    @property
    def name(self) -> str:
        """The model's name in tables."""
        return str(self.summary["display_name"])

    @cached_property
    def statistics(self) -> list[Statistic]:
        """Every statistic with its 95 % interval; see ``rosegen.scoring.intervals``."""
        return statistics(self.scored.columns, self.seed, self.resamples)

    @property
    def items(self) -> pd.DataFrame:
        """The scored rows, as in ``per_item_eval.jsonl``."""
        return self._frame("items", lambda: list(self.scored.rows()))

    @property
    def by_subset(self) -> pd.DataFrame:
        """The metrics of each subset, as in ``summary_by_subset.csv``."""
        return self._frame("by_subset", lambda: _subset_rows(self.summary))

    @property
    def by_template(self) -> pd.DataFrame:
        """The metrics of each template, as in ``summary_by_template.csv``."""
        return self._frame("by_template", lambda: _template_rows(self.summary))

    @property
    def intervals(self) -> pd.DataFrame:
        """The statistics, one a row."""
        return self._frame("intervals", lambda: [vars(found) for found in self.statistics])

    @property
    def failures(self) -> pd.DataFrame:
        """How each failed item failed, one item a row."""
        return self._frame("failures", lambda: list(self.failure_rows()))

    def _frame(self, name: str, rows: Any) -> pd.DataFrame:
        import pandas as pd  # noqa: PLC0415  # half a second that the command line need not wait

        if name not in self._frames:
            self._frames[name] = pd.DataFrame(rows())
        return self._frames[name]

    def failure_rows(self) -> Iterator[dict[str, Any]]:
        """How each failed item failed, most telling way first."""
        columns = self.scored.columns
        for place in np.flatnonzero(columns.failures).tolist():
            mask = int(columns.failures[place])
            yield {
                "item_id": self.scored.ids[place],
                **{
                    name: columns.levels[name][columns.codes[name][place]]
                    for name in ("scene_id", "rose_subset", "task_template")
                },
                "failures": [name for name in FAILURES if mask & BIT[name]],
            }

    def failure_counts(self) -> dict[str, dict[str, int]]:
        """How many items failed in each way, over all and by template."""
        columns = self.scored.columns

        def count(rows: Any) -> dict[str, int]:
            masks = columns.failures[rows]
            return {name: int(((masks & bit) > 0).sum()) for name, bit in BIT.items()}

        return {"all": count(np.ones(len(columns), bool))} | {
            short: count(columns.is_level("task_template", template))
            for template, short in TEMPLATE_SHORT.items()
        }

    def write(self, out: str | Path, *, digits: int = 1, report: bool = False) -> None:
        """Write ROSE's eight files and our own into a folder.

        Raises:
            RosegenError: it holds other files, or the disk will not take them.
        """
        with placed(Path(out), STALE, SEALS) as stage:
            self.write_files(stage, digits)
            if report:
                from rosegen.scoring.report import write_report  # noqa: PLC0415

                write_report(stage, [self], digits=digits)

    def write_files(self, folder: Path, digits: int = 1) -> None:
        """Write the files of one model, without a report."""
        self._write_rose_files(folder, digits)
        tables = score_tables({self.name: self.statistics})
        write_text(folder / "tables.md", as_markdown(tables, digits))
        write_text(folder / "tables.tex", as_latex(tables, digits))
        write_text(folder / "tables.csv", as_csv(tables))
        document = orjson.dumps(self.statistics_document(), option=orjson.OPT_INDENT_2)
        (folder / "statistics.json").write_bytes(document + b"\n")
        write_csv(folder / "statistics.csv", [vars(found) for found in self.statistics])
        with (folder / "failures.jsonl").open("wb") as file:
            file.writelines(orjson.dumps(row) + b"\n" for row in self.failure_rows())

    def statistics_document(self) -> dict[str, Any]:
        """What ``statistics.json`` holds."""
        return {
            "model": self.model,
            "split": self.scored.split,
            "interval": {
                "level": LEVEL,
                "method": "percentile bootstrap over scenes within subsets",
                "resamples": self.resamples,
                "seed": self.seed,
            },
            "coverage": {
                "expected": self.scored.coverage.expected,
                "prediction_rows": self.scored.coverage.prediction_rows,
                "missing": len(self.scored.coverage.missing),
                "extra": len(self.scored.coverage.extra),
                "duplicates": len(self.scored.coverage.duplicates),
                "duplicate_item_ids": self.scored.coverage.duplicates,
            },
            "statistics": [vars(found) for found in self.statistics],
            "failure_kinds": FAILURES,
            "failures": self.failure_counts(),
        }

    def _write_rose_files(self, folder: Path, digits: int) -> None:
        failed = (self.scored.columns.flags["pass"] != 1).tolist()
        with (
            (folder / "per_item_eval.jsonl").open("wb") as every,
            (folder / "error_cases.jsonl").open("wb") as errors,
        ):
            for line, wrong in zip(self.scored.lines(), failed):
                every.write(line)
                if wrong:
                    errors.write(line)
        write_json(folder / "evaluation_summary.json", self.summary)
        write_csv(folder / "summary_by_subset.csv", _subset_rows(self.summary))
        write_csv(folder / "summary_by_template.csv", _template_rows(self.summary))
        groups = coverage_by_group(self.scored)
        write_csv(
            folder / "coverage_by_subset_template.csv",
            [{"group": "subset", **row} for row in groups["by_subset"]]
            + [{"group": "template", **row} for row in groups["by_template"]],
        )
        write_text(folder / "table1_row.txt", self.table1_row(digits) + "\n")
        write_text(folder / "table2_row.txt", self.table2_row(digits) + "\n")

    def table1_row(self, digits: int = 1) -> str:
        r"""ROSE's row for its Table 1: name, PASS and SOFT of each subset, averages, VALID."""
        table = self.summary["paper_metrics"]["table1"]
        values = [
            record[metric] for record in table["by_subset"].values() for metric in ("PASS", "SOFT")
        ]
        values += [table["Avg. PASS"], table["Avg. SOFT"], table["VALID"]]
        return _latex_row(self.name, values, digits)

    def table2_row(self, digits: int = 1) -> str:
        """ROSE's row for its Table 2: name, PASS of each template, C-F1, R-OK, Avg. PASS."""
        return _latex_row(self.name, list(self.summary["paper_metrics"]["table2"].values()), digits)

    def close(self) -> None:
        """Give the temporary file of scored rows back; the frames made so far stay."""
        self.scored.spool.close()


def _latex_row(name: str, values: Sequence[float | None], digits: int) -> str:
    return f"{name}\n& {' & '.join(format_percent(value, digits) for value in values)} \\\\"


def _subset_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups = summary["by_subset"]
    return [
        {"rose_subset": name, "subset_short": subset_short(name), **groups.get(name, {"n": 0})}
        for name in subset_order(row["rose_subset"] for row in summary["coverage"]["by_subset"])
    ]


def _template_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    groups = summary["by_template"]
    return [
        {"task_template": name, "task_short": short, **groups.get(name, {"n": 0})}
        for name, short in TEMPLATE_SHORT.items()
    ]
