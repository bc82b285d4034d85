"""The action protocol: COUNT, CLICK and SUBMIT. One grammar, to format and to parse.

    COUNT(n)
    CLICK(Rr,Cc); CLICK(Rr,Cc); ...; DONE
    CLICK(Rr,Cc); CLICK(Rr,Cc); ...; SUBMIT(n)

No cell to click leaves ``DONE`` or ``SUBMIT(0)`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rosegen.geometry import Cell

_CLICK = re.compile(r"CLICK\((R[1-9][0-9]*,C[1-9][0-9]*)\)")
_COUNT = re.compile(r"COUNT\((0|[1-9][0-9]*)\)")
_SUBMIT = re.compile(r"SUBMIT\((0|[1-9][0-9]*)\)")


@dataclass(frozen=True)
class Answer:
    """A formal answer. ``count`` is the number in COUNT or SUBMIT, None for a DONE answer."""

    mode: str  # COUNT, CLICK or CLICK_COUNT, as the column task_mode has it
    count: int | None
    clicks: tuple[Cell, ...] = ()


def format_count(count: int) -> str:
    """``COUNT(3)``."""
    return f"COUNT({count})"


def format_clicks(cells: Iterable[Cell]) -> str:
    """``CLICK(R2,C4); DONE``, cells sorted by row, then column."""
    return "; ".join([*(f"CLICK({cell.label})" for cell in sorted(cells)), "DONE"])


def format_submit(cells: Iterable[Cell]) -> str:
    """``CLICK(R1,C4); SUBMIT(1)``, cells sorted by row, then column."""
    ordered = sorted(cells)
    return "; ".join([*(f"CLICK({cell.label})" for cell in ordered), f"SUBMIT({len(ordered)})"])


def parse(text: str) -> Answer:
    """Read one formal answer, written exactly as the ``format_*`` functions write it.

    Raises:
        ValueError: when the text is not of the grammar.
    """
    if match := _COUNT.fullmatch(text):
        return Answer("COUNT", int(match[1]))
    *actions, last = text.split("; ")
    clicks = []
    for action in actions:
        match = _CLICK.fullmatch(action)
        if match is None:
            raise ValueError(f"{action!r} is not a CLICK(Rr,Cc) action")
        clicks.append(Cell.parse(match[1]))
    if last == "DONE":
        return Answer("CLICK", None, tuple(clicks))
    if match := _SUBMIT.fullmatch(last):
        return Answer("CLICK_COUNT", int(match[1]), tuple(clicks))
    raise ValueError(f"{last!r} is neither COUNT(n), DONE nor SUBMIT(n)")
