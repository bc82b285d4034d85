"""replay: published records become a release again."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rosegen.cli.common import (
    FOUND,
    Bar,
    as_json_option,
    counted,
    offline_option,
    quiet_option,
    workers_option,
)
from rosegen.errors import RosegenError

if TYPE_CHECKING:
    from rosegen.replay import Compared

_SHOWN = 3  # reasons why pictures differ

_folders = click.Path(path_type=Path)


@click.command()
@click.argument("records", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@click.option(
    "--fonts",
    multiple=True,
    type=_folders,
    help="Font file, or folder of fonts: found by PostScript, family or file name (repeatable).",
)
@click.option(
    "--emoji",
    multiple=True,
    type=_folders,
    help="Folder with a folder a provider: twemoji_svg/1f9eb.svg (repeatable).",
)
@click.option(
    "--sprites",
    multiple=True,
    type=_folders,
    help="Folder of pixel art, found by file name (repeatable).",
)
@click.option(
    "--substitute",
    is_flag=True,
    help="Let other art stand in for what is not at hand; every row concerned says so.",
)
@workers_option
@click.option("--force", is_flag=True, help="Replace a release that stands at --out.")
@offline_option
@quiet_option
@as_json_option
def replay(
    records: tuple[Path, ...],
    out: Path,
    fonts: tuple[Path, ...],
    emoji: tuple[Path, ...],
    sprites: tuple[Path, ...],
    substitute: bool,
    workers: int | None,
    force: bool,
    offline: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Make a release again from its published rows: RECORDS are files of rows, or releases.

    Main rows, rows of either bridge, or any mix: each scene is recovered, drawn from the art at
    hand, and its items derived. Rows that contradict themselves or their scene are named, one line
    each, and the rest is done. Where a release's manifest tells what its pictures are, they are
    compared. Exit code 1 when there were such rows, a scene was lost, or a picture came out
    otherwise though its own art was at hand.

    \b
    Examples:
      rosegen replay metadata_test.jsonl --out build/again --fonts ~/fonts --sprites ~/pixel-art
      rosegen replay global_click.jsonl.gz local_count.jsonl.gz --out build/again --substitute
      rosegen replay build/ROSE-v0.1 --out build/again
    """
    from rosegen.replay import replay as run

    if out.name in ("", ".."):
        raise RosegenError(f"--out {out}: give the release a folder with a name of its own")
    bar = Bar(quiet or as_json)
    try:
        made = run(
            records,
            out,
            fonts=fonts,
            emoji=emoji,
            sprites=sprites,
            stand_ins=substitute,
            workers=workers,
            force=force,
            offline=offline,
            progress=bar,
        )
    finally:
        bar.close()
    counts, wrong = made.summary["counts"], [*made.faults, *made.lost]
    if as_json:
        report = {
            "out": str(out),
            "counts": counts,
            "substituted_scenes": made.substituted,
            "compared_images": made.compared.images,
            "differing_images": len(made.compared.differing),
            "differences": _reasons(made.compared),
            "contradictions": [vars(fault) for fault in made.faults],
            "lost": [vars(lost) for lost in made.lost],
        }
        print(json.dumps(report))
    else:
        _print(out, made.substituted, counts, wrong, quiet)
        _print_differing(made.compared)
    if wrong or made.compared.differing:
        sys.exit(FOUND)


def _print(
    out: Path, substituted: int, counts: Mapping[str, int], wrong: Sequence[object], quiet: bool
) -> None:
    for each in wrong:
        print(each)
    if quiet:
        return
    notes = "see replay_notes.jsonl"
    print(
        f"{out} made again: {counted(counts['scenes'], 'scene')}, "
        f"{counted(counts['images'], 'image')}, {counted(counts['items'], 'item')}, "
        f"{counted(counts['bridge_items'], 'bridge item')}"
    )
    if substituted:
        print(f"{substituted:,} scenes show art that stands in for other art: {notes}")
    if wrong:
        print(f"{len(wrong):,} rows or scenes are not as they should be: {notes}")


def _print_differing(compared: Compared) -> None:
    """How many, and a line a reason, the commonest first."""
    reasons = _reasons(compared)
    if not reasons:
        return
    print(
        f"{len(compared.differing):,} of {compared.images:,} pictures are not those of the "
        "release: see replay_notes.jsonl"
    )
    for reason, count in list(reasons.items())[:_SHOWN]:
        print(f"  {count:,}: {reason}")
    if len(reasons) > _SHOWN:
        print(f"  {len(reasons) - _SHOWN:,} reasons more")


def _reasons(compared: Compared) -> dict[str, int]:
    """Each reason with how many pictures differ for it, the commonest first."""
    return dict(Counter(each.reason for each in compared.differing).most_common())
