"""evaluate, evaluate-bridge and consistency."""

from __future__ import annotations

import gc
import json
import os
from pathlib import Path
from typing import Any

import click

from rosegen.cli.common import Bar, F, as_json_option, quiet_option
from rosegen.errors import RosegenError

# One thread is enough, and sums then come out to the same bit however many cores there are. Said
# here because it is read when NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _scoring(function: F) -> F:
    """Options that every command that scores predictions has."""
    options = [
        click.option("--split", type=click.Choice(["dev", "test"]), default="test"),
        click.option(
            "--text-column",
            metavar="NAME",
            help="Column of the answers (default: raw_text, prediction or response).",
        ),
        click.option("--model", help="The model's name (default: the one the predictions give)."),
        click.option(
            "--allow-partial",
            is_flag=True,
            help="Score what there is when predictions are missing.",
        ),
        click.option(
            "--near-miss-l1",
            type=click.IntRange(min=0),
            default=1,
            show_default=True,
            help="How far off a near miss is at most, rows and columns together.",
        ),
        click.option(
            "--revision", metavar="REV", help="Branch, tag or commit of a release on the Hub."
        ),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@click.command()
@click.argument("release")
@click.argument("predictions", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the results."
)
@_scoring
@click.option("--display-name", metavar="NAME", help="The model's name in tables.")
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "last"]),
    default="error",
    show_default=True,
    help="What to do with a second answer to an item.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 12),
    default=1,
    show_default=True,
    help="Decimals of percentages in tables.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="Draws of the bootstrap.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the bootstrap.")
@click.option("--report", is_flag=True, help="Also write report.html and plots (a few seconds).")
@quiet_option
@as_json_option
def evaluate(
    release: str,
    predictions: tuple[Path, ...],
    out: Path,
    display_name: str | None,
    duplicates: Any,
    digits: int,
    resamples: int,
    seed: int,
    report: bool,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Score PREDICTIONS against RELEASE: a folder, a file of metadata, or owner/name on the Hub.

    PREDICTIONS are rows with item_id and the answer: JSON Lines (.gz), CSV or Parquet. Several
    files are several models: each gets a folder of its own, and they are compared in pairs.

    \b
    Examples:
      rosegen evaluate build/ROSE-v0.1 predictions.jsonl --out eval
      rosegen evaluate build/ROSE-v0.1 a.jsonl b.jsonl --out eval --report
      rosegen evaluate sysuwyh357/ROSE-v0.1 answers.csv --text-column response --out eval
      rosegen evaluate build/demo some.jsonl --split dev --allow-partial --out eval
    """
    from rosegen.files import refuse_other_files
    from rosegen.scoring.evaluation import evaluate as run
    from rosegen.scoring.names import SEALS
    from rosegen.scoring.several import write_results

    if len(predictions) > 1 and (options["model"] or display_name):
        raise RosegenError("--model and --display-name name one model: give one file, or neither")
    refuse_other_files(out, SEALS)  # before minutes are spent, and again when it is written to
    if quiet or as_json:
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    collected = gc.isenabled()
    gc.disable()  # rows hold no circles, and looking for them takes a tenth of the time
    bar = Bar(quiet or as_json)
    done = []
    try:
        for path in predictions:
            done.append(
                run(
                    release,
                    path,
                    display_name=display_name,
                    duplicates=duplicates,
                    resamples=resamples,
                    seed=seed,
                    progress=bar,
                    **options,
                )
            )
        bar.close()
        comparison = write_results(done, out, digits=digits, report=report)
        if as_json:
            print(json.dumps(_evaluated(done, comparison, out)))
        elif not quiet:
            from rosegen.scoring.terminal import show

            show(done, comparison, digits)
            print(f"{out} holds the results")
    finally:
        bar.close()
        for evaluation in done:
            evaluation.close()
        if collected:
            gc.enable()


def _evaluated(done: list[Any], comparison: Any, out: Path) -> dict[str, Any]:
    models = [
        {
            "model": evaluation.model,
            "items": len(evaluation.scored.columns),
            "complete": evaluation.scored.coverage.complete,
            "missing": len(evaluation.scored.coverage.missing),
            "extra": len(evaluation.scored.coverage.extra),
            "duplicates": len(evaluation.scored.coverage.duplicates),
            "statistics": [
                vars(found)
                for found in evaluation.statistics
                if found.group in ("overall", "template", "gap", "conditioned", "scene")
            ],
        }
        for evaluation in done
    ]
    compared = None if comparison is None else comparison.to_dict()
    return {"out": str(out), "models": models, "comparison": compared}


@click.command("evaluate-bridge")
@click.argument("release")
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the results."
)
@click.option(
    "--main-eval",
    type=click.Path(path_type=Path),
    help="per_item_eval.jsonl of the main benchmark, or a folder that holds it.",
)
@click.option(
    "--main-model",
    metavar="NAME",
    help="The model's name in --main-eval (default: the predictions').",
)
@click.option(
    "--bridge",
    type=click.Choice(["global_click", "matched_local_count"]),
    help="Which bridge (default: the one whose items PREDICTIONS answer).",
)
@click.option(
    "--duplicates",
    type=click.Choice(["error", "first", "last"]),
    default="last",
    show_default=True,
    help="What to do with a second answer to an item.",
)
@_scoring
@quiet_option
@as_json_option
def evaluate_bridge(
    release: str, predictions: Path, out: Path, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Score the PREDICTIONS of a bridge task and pair them with the main evaluation.

    RELEASE is a release with bridges, or the folder or file of a bridge's own metadata.

    \b
    Examples:
      rosegen evaluate-bridge build/ROSE-v0.1 gclk.jsonl --main-eval eval --out eval/global_click
      rosegen evaluate-bridge build/ROSE-v0.1 mlcnt.jsonl --main-eval eval --out eval/mlcnt
    """
    from rosegen.scoring.bridges import evaluate_bridge as run

    result = run(release, predictions, **options)
    result.write(out)
    if as_json:
        print(json.dumps({"out": str(out), "bridge": result.bridge.name, **result.paper_table}))
    elif not quiet:
        counts = result.summary
        for name, value in result.paper_table.items():
            print(f"{name:<30} {'--' if value is None else value}")
        print(
            f"{out} holds the results ({counts['num_predictions_used']:,} of "
            f"{counts['num_expected']:,} items; {counts['num_missing']:,} missing, "
            f"{counts['num_extra']:,} extra, "
            f"{counts['num_duplicate_prediction_rows']:,} duplicate rows)"
        )


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder of the results."
)
@click.option("--split", default="test", show_default=True)
@click.option("--model", "models", multiple=True, help="Only this model (repeatable).")
@click.option("--digits", type=click.IntRange(0, 12), default=1, show_default=True)
@quiet_option
@as_json_option
def consistency(
    paths: tuple[Path, ...],
    out: Path,
    split: str,
    models: tuple[str, ...],
    digits: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """T2 to T5 on the scenes whose global count the same model has right.

    PATHS are per_item_eval.jsonl files, or folders that hold them.

    \b
    Example:
      rosegen consistency eval --out eval/consistency
    """
    from rosegen.scoring.consistency import consistency as run

    result = run(paths, split=split, models=models, digits=digits)
    result.write(out)
    if as_json:
        print(json.dumps(result.document))
    elif not quiet:
        for record in result.document["models"]:
            shown = (
                f"{name} {'--' if value is None else f'{100 * value:.{digits}f}'}"
                for name, value in record["macro_equal_subset"].items()
            )
            print(f"{record['model']}: {', '.join(shown)}")
        print(f"{out} holds the results")
