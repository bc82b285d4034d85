"""A rule that a source breaks, and how that is told."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import rosegen

_OURS = Path(rosegen.__file__).parent


@dataclass(frozen=True)
class Breach:
    """What is wrong, by which rule, and how to mend it."""

    rule: str
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.what}: {self.mend}"


class BreachError(Exception):
    """A breach after which nothing more can be looked at."""

    def __init__(self, breach: Breach) -> None:
        super().__init__(str(breach))
        self.breach = breach


@contextmanager
def calling(rule: str, what: str, mend: str) -> Iterator[None]:
    """Tell of whatever a source raises in the block.

    Raises:
        BreachError: in place of it.
    """
    try:
        yield
    except BreachError:
        raise
    except Exception as error:
        raise BreachError(Breach(rule, f"{what} raises {told(error)}", mend)) from error


def told(error: BaseException) -> str:
    """An exception in one line, with the innermost line outside rosegen that it comes from."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not Path(frame.filename).is_relative_to(_OURS)]
    if not theirs:
        return text
    return f"{text} ({Path(theirs[-1].filename).name}:{theirs[-1].lineno})"


def first_of(breaches: list[Breach]) -> list[Breach]:
    """The first of several breaches of one rule, and how many more there are."""
    if len(breaches) < 2:
        return breaches
    first = breaches[0]
    return [Breach(first.rule, f"{first.what} (and {len(breaches) - 1} more such)", first.mend)]


def shown(value: object) -> str:
    """A value as Python writes it, cut when it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
