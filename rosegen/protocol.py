"""The action protocol: COUNT, CLICK and SUBMIT. One grammar, to format and to parse.

    COUNT(n)
    CLICK(Rr,Cc); CLICK(Rr,Cc); ...; DONE
    CLICK(Rr,Cc); CLICK(Rr,Cc); ...; SUBMIT(n)

No cell to click leaves ``DONE`` or ``SUBMIT(0)`` alone. ``format_answer`` writes one spelling;
``parse`` reads what ROSE's evaluator reads: any case, white space between symbols, empty parts
between semicolons, leading zeros, and the decimal digits of any script.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rosegen.geometry import Cell

COUNT, CLICK, CLICK_COUNT = MODES = ("COUNT", "CLICK", "CLICK_COUNT")

_COUNT = re.compile(r"COUNT\s*\(\s*(\d+)\s*\)", re.IGNORECASE)
_CLICK = re.compile(r"CLICK\s*\(\s*R\s*(\d+)\s*,\s*C\s*(\d+)\s*\)", re.IGNORECASE)
_SUBMIT = re.compile(r"SUBMIT\s*\(\s*(\d+)\s*\)", re.IGNORECASE)
_DONE = re.compile(r"DONE", re.IGNORECASE)

# Python reads and writes no decimal number of more digits, unless it is told to.
_MOST_DIGITS = 4300


@dataclass(frozen=True)
class Answer:
    """A formal answer. ``count`` is the number in COUNT or SUBMIT, None for a DONE answer."""

    mode: str  # COUNT, CLICK or CLICK_COUNT, as the column task_mode has it
    count: int | None
    clicks: tuple[Cell, ...] = ()


class Reading(NamedTuple):
    """What a text says under the grammar of one mode, and why it says nothing when it does not."""

    error: str | None  # None for a valid answer, else ROSE's name for what is wrong
    number: int | None  # in COUNT or SUBMIT; a SUBMIT counts after a bad CLICK, too
    clicks: tuple[Cell, ...]  # in the order given, not yet held against any grid
    bad_tokens: tuple[str, ...]  # the parts that are no action

    @property
    def valid(self) -> bool:
        """Whether the text is of the grammar."""
        return self.error is None


def format_answer(answer: Answer) -> str:
    """The one spelling of an answer, its clicks in the order they have."""
    if answer.mode == COUNT:
        return f"COUNT({answer.count})"
    end = "DONE" if answer.mode == CLICK else f"SUBMIT({answer.count})"
    return "; ".join([*(f"CLICK({cell.label})" for cell in answer.clicks), end])


def format_count(count: int) -> str:
    """``COUNT(3)``."""
    return format_answer(Answer(COUNT, count))


def format_clicks(cells: Iterable[Cell]) -> str:
    """``CLICK(R2,C4); DONE``, cells sorted by row, then column."""
    return format_answer(Answer(CLICK, None, tuple(sorted(cells))))


def format_submit(cells: Iterable[Cell]) -> str:
    """``CLICK(R1,C4); SUBMIT(1)``, cells sorted by row, then column."""
    clicks = tuple(sorted(cells))
    return format_answer(Answer(CLICK_COUNT, len(clicks), clicks))


def parse(text: object, mode: str) -> Reading:
    """Read the answer of a model. Prose around it is no answer. Never raises.

    Args:
        text: what the model said; None counts as nothing, anything else is read as ``str`` has it.
        mode: the item's ``task_mode``: COUNT, CLICK or CLICK_COUNT.
    """
    said = "" if text is None else str(text).strip()
    if not said:
        return Reading("empty", None, (), ())
    if mode == COUNT:
        match = _COUNT.fullmatch(said)
        number = _number(match[1]) if match else None
        if number is None:
            return Reading("expected_COUNT_only", None, (), (said,))
        return Reading(None, number, (), ())
    if mode not in (CLICK, CLICK_COUNT):
        return Reading(f"unknown_task_mode:{mode}", None, (), (said,))

    parts = [stripped for part in said.split(";") if (stripped := part.strip())]
    number = None
    if mode == CLICK:
        if not parts or not _DONE.fullmatch(parts[-1]):
            return Reading("missing_DONE", None, (), tuple(parts))
    else:
        if not parts:
            return Reading("empty", None, (), ())
        match = _SUBMIT.fullmatch(parts[-1])
        number = _number(match[1]) if match else None
        if number is None:
            return Reading("missing_SUBMIT", None, (), tuple(parts))
    clicks = []
    bad = []
    for part in parts[:-1]:
        match = _CLICK.fullmatch(part)
        if match and len(match[1]) <= _MOST_DIGITS and len(match[2]) <= _MOST_DIGITS:
            clicks.append(Cell(int(match[1]), int(match[2])))
        else:
            bad.append(part)
    return Reading("invalid_CLICK_token" if bad else None, number, tuple(clicks), tuple(bad))


def answer_of(reading: Reading, mode: str) -> Answer | None:
    """The answer a valid reading stands for, None for an invalid one."""
    return Answer(mode, reading.number, reading.clicks) if reading.valid else None


def _number(digits: str) -> int | None:
    """The number, or None for one that no double holds: a count is scored by its distance."""
    if len(digits) > _MOST_DIGITS:
        return None
    number = int(digits)
    return number if number <= sys.float_info.max else None
