"""The command line: it parses, calls and prints."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from tqdm import tqdm

import rosegen
from rosegen.build import Progress, Selection
from rosegen.errors import RosegenError

FOUND, WRONG, INTERRUPTED, TERMINATED = 1, 2, 130, 143

F = TypeVar("F", bound=Callable[..., Any])


class Bar:
    """A progress bar for each stage of the work, on standard error, where that is a terminal."""

    def __init__(self, quiet: bool) -> None:
        self._bar: tqdm[Any] | None = None
        self._hidden = quiet or not sys.stderr.isatty()
        tqdm.monitor_interval = 0  # its thread would have to live through a fork

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show that ``stage`` is ``done`` of ``total``."""
        if self._hidden:
            return
        if self._bar is None or self._bar.desc != f"{stage}: ":
            self.close()
            self._bar = tqdm(total=total, desc=stage, leave=False, file=sys.stderr)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _quiet(function: F) -> F:
    return click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")(function)


def _as_json(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        function
    )


def _workers(function: F) -> F:
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="Processes, at most twice the cores (default: one a core). Changes only the time.",
    )(function)


def _offline(function: F) -> F:
    return click.option("--offline", is_flag=True, help="Take asset packs from the cache alone.")(
        function
    )


def _subsets(function: F) -> F:
    return click.option(
        "--subset", "subsets", multiple=True, help="Only this subset (repeatable)."
    )(function)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(rosegen.__version__, prog_name="rosegen")
def cli() -> None:
    """Author visual benchmarks of the ROSE kind.

    \b
    Examples:
      rosegen build demo --out build/demo        a small benchmark in seconds
      rosegen build rose-v0.1 --out build/ROSE-v0.1
      rosegen verify build/ROSE-v0.1             prove it from its own pixels
      rosegen sources preview demo --out sheets  look at its pairs
    """


@cli.command()
@click.argument("pipeline")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The release's folder.")
@_workers
@click.option("--shard", metavar="I/N", help="Only every Nth scene, starting with the Ith.")
@_subsets
@click.option("--limit", type=int, help="Only the first so many scenes of each subset.")
@click.option("--scene", "scenes", metavar="N[-M]", multiple=True, help="Only these scenes.")
@click.option("--force", is_flag=True, help="Replace a release that stands at --out.")
@_offline
@_quiet
@_as_json
def build(
    pipeline: str,
    out: Path,
    workers: int | None,
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

    Scenes chosen by --subset, --limit, --scene or --shard come out as they do in the whole release.

    \b
    Examples:
      rosegen build rose-v0.1 --out build/ROSE-v0.1
      rosegen build my.yaml --out build/mine --subset ROSE-PixelEdit --limit 10
      rosegen build rose-v0.1 --out build/one --scene 200
    """
    from rosegen.build import build as run

    if out.name in ("", ".."):
        raise RosegenError(f"--out {out}: give the release a folder with a name of its own")
    selection = Selection(subsets, limit, _scene_numbers(scenes), _shard(shard))
    bar = Bar(quiet or as_json)
    try:
        result = run(
            pipeline,
            out,
            workers=workers,
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
            f"{out} {done} {counts['scenes']:,} scenes, {counts['images']:,} images, "
            f"{counts['items']:,} items "
            f"({counts['dev_items']:,} dev, {counts['test_items']:,} test)"
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


@cli.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option(
    "--through",
    metavar="SPEC",
    help="Also look at the images as a model is sent them: jpeg:85, resize:1024, or both by comma.",
)
@_workers
@_quiet
@_as_json
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
            state = "clean" if report.ok else f"{len(report.faults)} faults"
            print(
                f"{directory}: {state} ({report.scenes:,} scenes, {report.images:,} images, "
                f"{report.items:,} items in {report.seconds:.1f} s)"
            )
    if not report.ok:
        sys.exit(FOUND)


@cli.group()
def assets() -> None:
    """Asset packs: third-party fonts, emoji and sprites, by hash."""


def _named_packs(names: tuple[str, ...], every: bool) -> list[Any]:
    from rosegen.packs import load_packs

    known = load_packs()
    for name in names:
        if name not in known:
            raise RosegenError(f"no asset pack {name!r} (known are {', '.join(known)})")
    if names:
        return [known[name] for name in names]
    return [pack for pack in known.values() if every or pack.default]


@assets.command("list")
@_as_json
def assets_list(as_json: bool) -> None:
    """List the known packs: kind, licence, where from, whether cached."""
    from rosegen.packs import status

    rows = status(_named_packs((), every=True))
    if as_json:
        print(json.dumps([vars(row) for row in rows], default=str))
        return
    for row in rows:
        cached = "not cached" if row.size is None else f"{row.size / 1e6:.1f} MB"
        print(
            f"{row.name:<20} {row.kind:<11} {row.license:<34} {row.package} {row.version}  {cached}"
        )


@assets.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--all", "every", is_flag=True, help="The optional packs too.")
@_offline
@_quiet
def assets_fetch(names: tuple[str, ...], every: bool, offline: bool, quiet: bool) -> None:
    """Fetch packs into the cache (default: all that the shipped pipelines need).

    \b
    Examples:
      rosegen assets fetch
      rosegen assets fetch twemoji lxgw-wenkai
    """
    from rosegen.packs import fetch

    bar = Bar(quiet)
    packs = _named_packs(names, every)
    try:
        for done, pack in enumerate(packs):
            bar("packs", done, len(packs))
            fetch(pack, offline=offline)
    finally:
        bar.close()
    if not quiet:
        print(f"{len(packs)} packs are in the cache")


@assets.command("check")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_quiet
def assets_check(names: tuple[str, ...], quiet: bool) -> None:
    """Hash every cached file again. Exit code 1 when one is not what it was."""
    from rosegen.packs import check

    packs = _named_packs(names, every=False)
    problems = [problem for pack in packs for problem in check(pack)]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(FOUND)
    if not quiet:
        print(f"{len(packs)} packs are whole")


@cli.group()
def sources() -> None:
    """Visual sources: what exceptions are made of."""


@sources.command("list")
@_as_json
def sources_list(as_json: bool) -> None:
    """List the visual sources and their options."""
    from rosegen.sources.registry import SOURCES

    rows = [
        {
            "name": name,
            "primitive_type": kind.primitive_type,
            "packs": sorted(kind.pack_kinds),
            "options": sorted(kind.options),
            "about": (kind.__doc__ or "").strip().splitlines()[0],
        }
        for name, kind in SOURCES.items()
    ]
    if as_json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"{row['name']:<14} {row['about']}")
        print(f"{'':<14} options: {', '.join(row['options'])}")


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
@_subsets
@_workers
@_offline
@_quiet
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

    bar: Progress = Bar(quiet)
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
        bar.close()  # type: ignore[attr-defined]
    if not quiet:
        for path in written:
            print(path)


@cli.command()
@_as_json
def doctor(as_json: bool) -> None:
    """Say what this machine has: versions, cache, packs, package clients."""
    from rosegen.doctor import examine

    findings = examine()
    if as_json:
        print(json.dumps([vars(finding) for finding in findings]))
    else:
        for finding in findings:
            print(f"{'ok ' if finding.ok else 'BAD'} {finding.what:<22} {finding.detail}")
    if not all(finding.ok for finding in findings):
        sys.exit(FOUND)


class _Terminated(BaseException):
    """SIGTERM, as timeout, docker stop and systemd send it."""


def _terminate(signal_number: int, frame: object) -> None:
    raise _Terminated


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every error a user can mend is one line on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a path may not fit the terminal
    given = sys.argv[1:] if arguments is None else arguments
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        _run(given or ["--help"])
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(arguments: list[str]) -> None:
    try:
        with cli.make_context("rosegen", list(arguments)) as context:
            cli.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except RosegenError as error:
        _complain(str(error), WRONG)
    except click.ClickException as error:
        _complain(error.format_message(), WRONG)
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted; nothing half done was left", INTERRUPTED)
    except _Terminated:
        _complain("terminated; nothing half done was left", TERMINATED)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: that is no fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        # What the work itself reads and writes is told by RosegenError: this is our own output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _complain(f"cannot write the output: {error.strerror or error}", WRONG)


def _complain(message: str, code: int) -> None:
    print(f"rosegen: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
