"""Write the results of one model, or of several with their comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rosegen.files import placed, write_json, write_text
from rosegen.scoring.compare import Comparison, compare
from rosegen.scoring.evaluation import STALE, Evaluation
from rosegen.scoring.names import SEALS
from rosegen.scoring.tables import as_csv, as_latex, as_markdown, score_tables

_LONGEST = 60  # characters of a folder's name: 240 bytes at most


def write_results(
    evaluations: Sequence[Evaluation], out: Path, *, digits: int = 1, report: bool = False
) -> Comparison | None:
    """Write everything; of several models each in a folder under ``models``, beside the comparison.

    Raises:
        RosegenError: two models have one name, or the disk will not take the files.
    """
    if len(evaluations) == 1:
        evaluations[0].write(out, digits=digits, report=report)
        return None
    first = evaluations[0]
    names = [evaluation.name for evaluation in evaluations]
    comparison = compare(
        [evaluation.scored for evaluation in evaluations], names, first.seed, first.resamples
    )
    tables = score_tables({each.name: each.statistics for each in evaluations})
    tables.append(comparison.table())
    with placed(out, STALE, SEALS) as stage:
        for folder, evaluation in zip(_folders(names), evaluations):
            (stage / "models" / folder).mkdir(parents=True)
            evaluation.write_files(stage / "models" / folder, digits)
        write_text(stage / "tables.md", as_markdown(tables, digits))
        write_text(stage / "tables.tex", as_latex(tables, digits))
        write_text(stage / "tables.csv", as_csv(tables))
        write_json(stage / "comparison.json", comparison.to_dict())
        if report:
            from rosegen.scoring.report import write_report  # noqa: PLC0415

            write_report(stage, evaluations, comparison, digits=digits)
    return comparison


def _folders(names: Sequence[str]) -> list[str]:
    """A folder name for each model: letters, digits, dot, dash; all different in any case."""
    folders: list[str] = []
    for name in names:
        plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:_LONGEST] or "model"
        folder, number = plain, 2
        while folder.lower() in (taken.lower() for taken in folders):
            folder, number = f"{plain}_{number}", number + 1
        folders.append(folder)
    return folders
