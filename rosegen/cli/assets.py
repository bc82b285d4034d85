"""Asset packs: list, fetch, check."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from rosegen.cli.common import FOUND, Bar, as_json_option, offline_option, quiet_option
from rosegen.errors import RosegenError


@click.group()
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
@as_json_option
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
@offline_option
@quiet_option
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
@quiet_option
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
