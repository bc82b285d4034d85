"""new: starting points for a source in code and for a pipeline file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from rosegen.cli.common import as_json_option, quiet_option
from rosegen.errors import RosegenError


@click.group()
def new() -> None:
    """Write a starting point: a source of your own, or a pipeline file."""


@new.command("source")
@click.argument("name")
@click.option(
    "--out", type=click.Path(path_type=Path), help="The package's folder (default: NAME)."
)
@quiet_option
@as_json_option
def new_source(name: str, out: Path | None, quiet: bool, as_json: bool) -> None:
    """Write a package with a visual source that works, its contract test and a pipeline.

    \b
    Example:
      rosegen new source my_shapes
    """
    from rosegen.new import new_source as write

    files = write(name, out)
    folder = Path(name) if out is None else out
    if as_json:
        print(json.dumps({"out": str(folder), "files": [path.as_posix() for path in files]}))
    elif not quiet:
        for path in files:
            print(path)
        print(f"next: cd {folder} && pip install -e . && pytest")


@new.command("pipeline")
@click.argument("name")
@click.option("--kind", required=True, help="The visual source (see rosegen sources list).")
@click.option("--folder", type=click.Path(path_type=Path), help="Your own fonts or pictures.")
@click.option("--license", "license_", metavar="SPDX", help="Their licence, such as CC0-1.0.")
@click.option("--attribution", metavar="WHO", help="Who made them, as a release credits them.")
@click.option("--out", type=click.Path(path_type=Path), help="The file (default: NAME.yaml).")
@quiet_option
@as_json_option
def new_pipeline(
    name: str,
    kind: str,
    folder: Path | None,
    license_: str | None,
    attribution: str | None,
    out: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Write a pipeline file of one subset, with comments on what else can be set.

    \b
    Examples:
      rosegen new pipeline letters --kind glyph
      rosegen new pipeline photos --kind image_pool --folder photos --license CC-BY-4.0 \\
          --attribution "Photos by me"
    """
    from rosegen.new import Folder
    from rosegen.new import new_pipeline as write
    from rosegen.sources.registry import source_class

    source_class(kind, {})  # whether there is one, before anything else is asked for
    given = {"--folder": folder, "--license": license_, "--attribution": attribution}
    art = None
    if folder is not None and license_ is not None and attribution is not None:
        art = Folder(folder, license_, attribution)
    elif any(value is not None for value in given.values()):
        lacking = [option for option, value in given.items() if value is None]
        raise RosegenError(f"{' and '.join(lacking)} must be given, too: art needs a licence")
    written = write(name, kind, art, out)
    if as_json:
        print(json.dumps({"out": written.as_posix()}))
    elif not quiet:
        print(written)
        print(f"next: rosegen sources preview {written}")
