"""Pairs: mine them, look at them, check what was accepted."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from rosegen.cli.common import (
    FOUND,
    Bar,
    as_json_option,
    counted,
    offline_option,
    quiet_option,
    subsets_option,
    workers_option,
)


@click.group()
def pairs() -> None:
    """Candidate pairs: mine them into a list, accept or refuse them by eye, check the list.

    \b
    Example:
      rosegen pairs mine my.yaml --out pairs.csv --limit 300
      rosegen pairs show my.yaml pairs.csv --out sheet.html    decide, and save the list
      rosegen pairs check my.yaml pairs.csv
    and then, in each subset of my.yaml, curated: pairs.csv
    """


@pairs.command()
@click.argument("pipeline")
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="The list: .csv, .jsonl or .parquet.",
)
@subsets_option
@click.option(
    "--cell-size",
    type=click.IntRange(16, 512),
    metavar="PIXELS",
    help="Measure at this size (default: the middle of the subset's span).",
)
@click.option("--limit", type=click.IntRange(min=1), help="At most so many pairs of each subset.")
@click.option("--all", "refused_too", is_flag=True, help="List refused pairs too, and why.")
@click.option(
    "--force", is_flag=True, help="Mine the list at --out anew; its verdicts and notes are kept."
)
@workers_option
@offline_option
@quiet_option
@as_json_option
def mine(
    pipeline: str,
    out: Path,
    subsets: tuple[str, ...],
    cell_size: int | None,
    limit: int | None,
    refused_too: bool,
    force: bool,
    workers: int | None,
    offline: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """List the pairs that PIPELINE could use, with all measures, the most varied first.

    \b
    Examples:
      rosegen pairs mine rose-v0.1 --out pairs.csv --subset ROSE-EmojiStyle
      rosegen pairs mine my.yaml --out all.parquet --all
    """
    from rosegen.curation import mine_pairs

    bar = Bar(quiet or as_json)
    try:
        mined = mine_pairs(
            pipeline,
            out,
            subsets=subsets,
            cell_size=cell_size,
            limit=limit,
            refused_too=refused_too,
            workers=workers,
            offline=offline,
            force=force,
            progress=bar,
        )
    finally:
        bar.close()
    if as_json:
        print(json.dumps({**asdict(mined), "out": str(out)}))
    elif not quiet:
        for subset in mined.subsets:
            most = sorted(subset.refused.items(), key=lambda item: -item[1])[:3]
            reasons = ", ".join(f"{reason} {count}" for reason, count in most)
            print(
                f"{subset.name}: {counted(subset.listed, 'pair')} listed, measured at "
                f"{subset.cell_size} px ({counted(subset.candidates, 'candidate')}, "
                f"{subset.tried:,} tried; refused most for: {reasons or 'none'})"
            )
        kept = _kept(mined.kept, mined.changed, mined.carried)
        print(f"{out} holds {counted(mined.rows, 'pair')}{kept}")


def _kept(kept: int, changed: int, carried: int) -> str:
    said = []
    if kept or carried:
        said.append(f"{counted(kept, 'verdict')} kept")
    if carried:
        said.append(
            "1 decided pair that was not mined again stays as it was"
            if carried == 1
            else f"{carried:,} decided pairs that were not mined again stay as they were"
        )
    if changed:
        said.append(f"{counted(changed, 'verdict')} taken back, for the art has changed")
    return f"; {'; '.join(said)}" if said else ""


@pairs.command()
@click.argument("pipeline")
@click.argument("pair_list", metavar="LIST", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="The sheet: an HTML file."
)
@subsets_option
@click.option(
    "--png", type=click.Path(path_type=Path), metavar="DIR", help="Also write pages of pictures."
)
@workers_option
@offline_option
@quiet_option
@as_json_option
def show(
    pipeline: str,
    pair_list: Path,
    out: Path,
    subsets: tuple[str, ...],
    png: Path | None,
    workers: int | None,
    offline: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write a sheet on which the pairs of LIST are accepted or refused by eye.

    Open it in a browser (it needs no network), press ? for the keys, and save the list.

    \b
    Example:
      rosegen pairs show my.yaml pairs.csv --out sheet.html
    """
    from rosegen.curation import show_pairs

    bar = Bar(quiet or as_json)
    try:
        sheet = show_pairs(
            pipeline,
            pair_list,
            out,
            subsets=subsets,
            png=png,
            workers=workers,
            offline=offline,
            progress=bar,
        )
    finally:
        bar.close()
    if as_json:
        print(
            json.dumps({**asdict(sheet), "out": str(out), "pages": [str(p) for p in sheet.pages]})
        )
    elif not quiet:
        missing = f", {sheet.without_picture:,} of them gone" if sheet.without_picture else ""
        pages = f"; {counted(len(sheet.pages), 'page')} in {png}" if png else ""
        shown = f"{counted(sheet.pairs, 'pair')}{missing}"
        print(f"{out} shows {shown} ({sheet.size / 1e6:.1f} MB){pages}")


@pairs.command()
@click.argument("pipeline")
@click.argument("pair_list", metavar="LIST", type=click.Path(path_type=Path))
@subsets_option
@workers_option
@offline_option
@quiet_option
@as_json_option
def check(
    pipeline: str,
    pair_list: Path,
    subsets: tuple[str, ...],
    workers: int | None,
    offline: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Tell whether PIPELINE can be built from the accepted pairs of LIST. Exit code 1 if not.

    \b
    Example:
      rosegen pairs check my.yaml pairs.csv
    """
    from rosegen.curation import check_pairs

    bar = Bar(quiet or as_json)
    try:
        checked = check_pairs(
            pipeline, pair_list, subsets=subsets, workers=workers, offline=offline, progress=bar
        )
    finally:
        bar.close()
    if as_json:
        print(json.dumps({"list": str(pair_list), "ok": checked.ok, **asdict(checked)}))
    else:
        for fault in checked.faults:
            print(fault)
        if not quiet:
            state = "clean" if checked.ok else counted(len(checked.faults), "fault")
            counts = "; ".join(
                f"{one.name}: {one.accepted:,} accepted for {counted(one.scenes, 'scene')} "
                f"({one.dev_scenes:,} dev), {one.refused:,} refused, {one.undecided:,} undecided"
                for one in checked.subsets
            )
            print(f"{pair_list}: {state} ({counts})")
    if not checked.ok:
        sys.exit(FOUND)
