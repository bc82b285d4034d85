"""What the commands share: options, the progress bar, exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from tqdm import tqdm

FOUND, WRONG, INTERRUPTED, TERMINATED = 1, 2, 130, 143

F = TypeVar("F", bound=Callable[..., Any])


class Bar:
    """A progress bar for each stage of the work, on standard error, where that is a terminal."""

    def __init__(self, quiet: bool) -> None:
        self._bar: tqdm[Any] | None = None
        self._hidden = quiet or not sys.stderr.isatty()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show that ``stage`` is ``done`` of ``total``."""
        if self._hidden:
            return
        if self._bar is None or self._bar.desc != f"{stage}: ":
            self.close()
            from tqdm import tqdm

            tqdm.monitor_interval = 0  # its thread would have to live through a fork
            self._bar = tqdm(total=total, desc=stage, leave=False, file=sys.stderr)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def counted(count: int, noun: str) -> str:
    """``1 fault``, ``1,200 faults``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quiet_option(function: F) -> F:
    return click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")(function)


def as_json_option(function: F) -> F:
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(
        function
    )


def workers_option(function: F) -> F:
    return click.option(
        "--workers",
        type=click.IntRange(min=1),
        help="Processes, at most twice the cores (default: one a core). Changes only the time.",
    )(function)


def offline_option(function: F) -> F:
    return click.option("--offline", is_flag=True, help="Take asset packs from the cache alone.")(
        function
    )


def subsets_option(function: F) -> F:
    return click.option(
        "--subset", "subsets", multiple=True, help="Only this subset (repeatable)."
    )(function)
