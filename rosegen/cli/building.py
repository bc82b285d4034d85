"""build, verify, sources and doctor."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

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
from rosegen.errors import RosegenError


@click.command()
@click.argument("pipeline")
@click.option("--out", required=True, help="The release's folder, or a URL: s3://bucket/name.")
@workers_option
@click.option(
    "--engine",
    default="local",
    show_default=True,
    metavar="local|dask|dask://HOST:PORT",
    help="Where workers run: here, or on a dask cluster, started here or running elsewhere.",
)
@click.option("--shard", metavar="I/N", help="Only the Ith of N runs of scenes: see merge.")
@subsets_option
@click.option("--limit", type=int, help="Only the first so many scenes of each subset.")
@click.option("--scene", "scenes", metavar="N[-M]", multiple=True, help="Only these scenes.")
@click.option("--force", is_flag=True, help="Replace a release that stands at --out.")
@offline_option
@quiet_option
@as_json_option
def build(
    pipeline: str,
    out: str,
    workers: int | None,
    engine: str,
    shard: str | None,
    subsets: tuple[str, ...],
    limit: int | None,
    scenes: tuple[str, ...],
    force: bool,
    offline: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Build a release from PIPELINE, a file or the name of a shipped one (demo, rose-v0.1).

    A build that was interrupted, killed or stopped by a full disk goes on when it is called again.

    Scenes chosen by --subset, --limit, --scene or --shard come out as they do in the whole release.

    \b
    Examples:
      rosegen build rose-v0.1 --out build/ROSE-v0.1
      rosegen build my.yaml --out build/mine --subset ROSE-PixelEdit --limit 10
      rosegen build rose-v0.1 --out build/one --scene 200
      rosegen build rose-v0.1 --out shards/3 --shard 3/8
    """
    from rosegen.build import build as run
    from rosegen.selection import Selection

    if Path(out).name in ("", ".."):
        raise RosegenError(f"--out {Path(out)}: give the release a folder with a name of its own")
    selection = Selection(subsets, limit, _scene_numbers(scenes), _shard(shard))
    bar = Bar(quiet or as_json)
    try:
        result = run(
            pipeline,
            out,
            workers=workers,
            engine=engine,
            selection=selection,
            force=force,
            offline=offline,
            progress=bar,
        )
    finally:
        bar.close()
    counts = result.summary["counts"]
    if as_json:
        print(json.dumps({"out": str(out), "built": result.built, "counts": counts}))
    elif not quiet:
        done = "built" if result.built else "stands already, nothing to do:"
        print(
            f"{out} {done} {counted(counts['scenes'], 'scene')}, "
            f"{counted(counts['images'], 'image')}, {counted(counts['items'], 'item')} "
            f"({counts['dev_items']:,} dev, {counts['test_items']:,} test)"
        )


@click.command()
@click.argument("shards", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The release's folder.")
@click.option("--link", is_flag=True, help="Link images rather than copy them, where possible.")
@click.option("--force", is_flag=True, help="Replace a release that stands at --out.")
@quiet_option
@as_json_option
def merge(
    shards: tuple[Path, ...], out: Path, link: bool, force: bool, quiet: bool, as_json: bool
) -> None:
    """Put the SHARDS of a release together: folders that `rosegen build --shard I/N` wrote.

    The release is the one that a single build would have made. Shards that are missing, given twice
    or of another release are named.

    \b
    Examples:
      rosegen build rose-v0.1 --out shards/1 --shard 1/2
      rosegen build rose-v0.1 --out shards/2 --shard 2/2
      rosegen merge shards/* --out build/ROSE-v0.1
    """
    from rosegen.merging import merge as run

    bar = Bar(quiet or as_json)
    try:
        merged = run(shards, out, link=link, force=force, progress=bar)
    finally:
        bar.close()
    counts = merged.summary["counts"]
    if as_json:
        print(json.dumps({"out": str(out), "shards": merged.shards, "counts": counts}))
    elif not quiet:
        print(
            f"{out} merged from {counted(merged.shards, 'shard')}: "
            f"{counted(counts['scenes'], 'scene')}, {counted(counts['images'], 'image')}, "
            f"{counted(counts['items'], 'item')}"
        )


def _scene_numbers(texts: tuple[str, ...]) -> frozenset[int]:
    numbers: set[int] = set()
    for text in texts:
        match = re.fullmatch(r"([1-9][0-9]{0,6})(?:-([1-9][0-9]{0,6}))?", text)
        if match is None:
            raise RosegenError(
                f"--scene {text}: give a number such as 200, or a range such as 1-10"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        if first > last:
            raise RosegenError(f"--scene {text}: the first number is above the last")
        numbers.update(range(first, last + 1))
    return frozenset(numbers)


def _shard(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", text)
    if match is None:
        raise RosegenError(f"--shard {text}: give I/N, such as 1/4")
    return int(match[1]), int(match[2])


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--through",
    metavar="SPEC",
    help="Also look at the images as a model is sent them: jpeg:85, resize:1024, or both by comma.",
)
@workers_option
@quiet_option
@as_json_option
def verify(
    directory: Path, through: str | None, workers: int | None, quiet: bool, as_json: bool
) -> None:
    """Prove a release from its own bytes: schema, invariants, pixels.

    Exit code 0 when nothing is wrong, 1 when something is: one line for each fault.

    \b
    Examples:
      rosegen verify build/ROSE-v0.1
      rosegen verify build/ROSE-v0.1 --through resize:1024,jpeg:85
    """
    from rosegen.verify import verify_release

    bar = Bar(quiet or as_json)
    try:
        report = verify_release(
            directory,
            through=through,
            workers=workers,
            progress=lambda done, total: bar("scenes", done, total),
        )
    finally:
        bar.close()
    if as_json:
        print(report.to_json())
    else:
        for fault in report.faults:
            print(fault)
        if not quiet:
            state = "clean" if report.ok else counted(len(report.faults), "fault")
            print(
                f"{directory}: {state} ({counted(report.scenes, 'scene')}, "
                f"{counted(report.images, 'image')}, {counted(report.items, 'item')} "
                f"in {report.seconds:.1f} s)"
            )
    if not report.ok:
        sys.exit(FOUND)


@click.group()
def sources() -> None:
    """Visual sources: what exceptions are made of."""


@sources.command("list")
@as_json_option
def sources_list(as_json: bool) -> None:
    """List the kinds of visual sources, those of installed packages among them."""
    from rosegen.sources.registry import broken_kinds, kinds

    rows = [_about(kind, source) for kind, source in kinds().items()]
    broken = broken_kinds()
    if as_json:
        print(json.dumps({"kinds": rows, "broken": broken}))
        return
    for row in rows:
        print(f"{row['kind']:<14} {row['about']}")
    for kind, reason in broken.items():
        print(f"{kind:<14} cannot be used: {reason}")
    print("rosegen sources show KIND tells its options")


@sources.command("show")
@click.argument("kind")
@as_json_option
def sources_show(kind: str, as_json: bool) -> None:
    """Tell what a kind of source takes: packs, options, its own settings and columns.

    \b
    Example:
      rosegen sources show glyph
    """
    from rosegen.sources.registry import source_class

    about = _about(kind, source_class(kind, {}))
    if as_json:
        print(json.dumps(about))
        return
    print(f"{kind}: {about['about']}")
    print(f"packs: {', '.join(about['packs']) or 'none'}")
    for name, option in about["options"].items():
        text = f"{_type(option)}. {option.get('description', '')}"
        print(f"  {name}: " + click.wrap_text(text, 96, "", "    ").strip())
    for name, column in about["columns"].items():
        print(f"  column {name}: {column['description']}")
    print(f"settings where a pipeline says nothing: {json.dumps(about['settings'])}")


def _about(kind: str, source: Any) -> dict[str, Any]:
    """What there is to know of a kind, over all the classes its options can mean."""
    from rosegen.sources.registry import kinds

    base = kinds().get(kind, source)
    merged: dict[str, Any] = {}
    for variant in base.variants():
        merged |= {k: v for k, v in variant.options.items() if k not in merged}
    return {
        "kind": kind,
        "about": (base.__doc__ or "").strip().partition("\n")[0],
        "packs": list(base.pack_kinds),
        "options": merged,
        "columns": {k: v for each in base.variants() for k, v in each.columns.items()},
        "settings": dict(source.settings),
    }


def _type(option: dict[str, Any]) -> str:
    """A JSON Schema in a word or two."""
    if "enum" in option:
        return " | ".join(map(str, option["enum"]))
    kind = option.get("type", "anything")
    kind = " or ".join(kind) if isinstance(kind, list) else kind
    if kind == "array":
        return f"list of {_type(option.get('items', {}))}"
    if "minimum" in option:
        kind += f" from {option['minimum']}"
    if "maximum" in option:
        kind += f" to {option['maximum']}"
    return str(kind)


@sources.command("preview")
@click.argument("pipeline")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("preview"),
    show_default=True,
    help="Folder of the sheets.",
)
@click.option("--pairs", type=click.IntRange(min=1), default=60, show_default=True)
@subsets_option
@workers_option
@offline_option
@quiet_option
def sources_preview(
    pipeline: str,
    out: Path,
    pairs: int,
    subsets: tuple[str, ...],
    workers: int | None,
    offline: bool,
    quiet: bool,
) -> None:
    """Write a contact sheet a subset: each pair large, at cell size, with its measures.

    \b
    Example:
      rosegen sources preview rose-v0.1 --out sheets --subset ROSE-PixelEdit --pairs 100
    """
    from rosegen.preview import preview
    from rosegen.selection import Selection

    bar = Bar(quiet)
    try:
        written = preview(
            pipeline,
            out,
            selection=Selection(subsets, limit=pairs),
            workers=workers,
            offline=offline,
            progress=bar,
        )
    finally:
        bar.close()
    if not quiet:
        for path in written:
            print(path)


@click.command()
@click.argument("pipeline", required=False)
@as_json_option
def doctor(pipeline: str | None, as_json: bool) -> None:
    """Say what this machine has, what is missing, and the command that mends it.

    With PIPELINE, whether it can be built here: its packs, its sources, and how many pairs they
    offer; other packs then do not count. Nothing is downloaded. Exit code 1 when something is not
    as it should be.

    \b
    Examples:
      rosegen doctor
      rosegen doctor my.yaml
    """
    from rosegen.doctor import examine

    findings = examine(pipeline)
    if as_json:
        print(json.dumps([vars(finding) for finding in findings]))
    else:
        for finding in findings:
            print(f"{'ok ' if finding.ok else 'BAD'} {finding.what:<22} {finding.detail}")
            if not finding.ok:
                print(f"    {'':<22} mend: {finding.mend}")
    if not all(finding.ok for finding in findings):
        sys.exit(FOUND)
