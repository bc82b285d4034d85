"""``python -m benchmarks [NAME ...]``: run benchmarks and print their tables."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from importlib import import_module

import click

from benchmarks.measure import as_text
from rosegen.errors import RosegenError

QUICK = (
    "png",
    "grid",
    "ssim",
    "phash",
    "measures",
    "mining",
    "schema",
    "placement",
    "scoring",
    "job",
)
SLOW = ("build", "scoring_scale")


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds (default: the benchmark's own).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a table.")
@click.option("--tiny", is_flag=True, help="On tiny input, only to see that it works.")
def run(names: tuple[str, ...], rounds: int | None, as_json: bool, tiny: bool) -> None:
    """Measure speed and memory. Without NAME: all but the slow ones (build, scoring_scale)."""
    for name in names:
        if name not in QUICK + SLOW:
            known = ", ".join(QUICK + SLOW)
            raise RosegenError(f"no benchmark {name!r} (known are {known})")
    for name in names or QUICK:
        try:
            module = import_module(f"benchmarks.{name}")
        except ImportError as error:
            raise RosegenError(
                f"{name} needs {error.name}: run `pip install 'rosegen[test]'`"
            ) from error
        for table in module.tables(rounds or module.ROUNDS, tiny):
            if as_json:
                print(json.dumps({"benchmark": name, **asdict(table)}), flush=True)
            else:
                print(as_text(table), end="\n\n", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; what a user can mend is one line on standard error."""
    try:
        run.main(args=arguments, standalone_mode=False)
    except RosegenError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        print(f"benchmarks: {error.format_message()}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
