"""The command line: it parses, calls and prints."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys

import click

import rosegen
from rosegen.cli.common import INTERRUPTED, TERMINATED, WRONG
from rosegen.errors import RosegenError, Terminated

# The module of each command: only that of the command called is imported.
_COMMANDS = {
    "build": "building",
    "merge": "building",
    "verify": "building",
    "replay": "replay",
    "evaluate": "scoring",
    "evaluate-bridge": "scoring",
    "consistency": "scoring",
    "assets": "assets",
    "sources": "building",
    "pairs": "pairs",
    "new": "new",
    "doctor": "building",
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"rosegen.cli.{_COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(rosegen.__version__, prog_name="rosegen")
def cli() -> None:
    """Author visual benchmarks of the ROSE kind.

    \b
    Examples:
      rosegen build demo --out build/demo        a small benchmark in seconds
      rosegen build rose-v0.1 --out build/ROSE-v0.1
      rosegen verify build/ROSE-v0.1             prove it from its own pixels
      rosegen sources preview demo --out sheets  look at its pairs
      rosegen evaluate build/ROSE-v0.1 predictions.jsonl --out eval
    """


_NOTHING_LEFT = "nothing half done was left"


def _terminate(signal_number: int, frame: object) -> None:
    raise Terminated


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
    except (KeyboardInterrupt, click.Abort) as stop:
        _complain(f"interrupted; {stop if stop.args else _NOTHING_LEFT}", INTERRUPTED)
    except Terminated as stop:
        _complain(f"terminated; {stop if stop.args else _NOTHING_LEFT}", TERMINATED)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: that is no fault.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except ModuleNotFoundError as error:
        # A package that rosegen needs and that is not there; one of rosegen's own is a bug.
        if (error.name or "rosegen").startswith("rosegen"):
            raise
        _complain(f"the package {error.name} is missing: pip install rosegen brings it", WRONG)
    except OSError as error:
        # What the work itself reads and writes is told by RosegenError: this is our own output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _complain(f"cannot write the output: {error.strerror or error}", WRONG)


def _complain(message: str, code: int) -> None:
    print(f"rosegen: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
