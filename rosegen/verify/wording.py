"""The words of a subset's prompts, as the export summary gives them by template.

Prompts are put together from them anew, and regions are read back out of prompts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from rosegen.verify.grid import Area
from rosegen.verify.reading import Row
from rosegen.verify.templates import T4, T5, TEMPLATES

OTHERWISE = "prompt_local says"
"""How a fault begins whose item is worded otherwise than its subset's wording has it."""

_WHERE, _COLOR = "{where}", "{color}"
_BOUND = re.compile(r"\{([rc][12])\}")
_PLACEHOLDER = re.compile(r"\{[^{}\s]*\}")
_KNOWN = re.compile(r"\{(?:where|color|[rc][12])\}")
_TOUCHING = re.compile(r"\}\{|\d\{|\}\d")
_PHRASES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "rectangle": ("RECTANGLE", ("{r1}", "{r2}", "{c1}", "{c2}")),
    "rows": ("ROW_RANGE", ("{r1}", "{r2}")),
    "row": ("ROW_RANGE", ("{r1}",)),
    "columns": ("COL_RANGE", ("{c1}", "{c2}")),
    "column": ("COL_RANGE", ("{c1}",)),
    "whole": ("GLOBAL", ()),
}
"""A phrase to the type of region it is for and the bounds that name one."""
_SYMBOLS = {"COUNT": "COUNT", "CLICK": "DONE", "CLICK_COUNT": "SUBMIT"}
"""Task mode to what an instruction cannot leave out if it tells the answer's format."""


class Words(Protocol):
    """How prompts are worded."""

    def problem(self, row: Row, area: Area) -> str | None:
        """What is wrong with a row's ``prompt_local``, if it asks about ``area``."""

    def area(self, row: Row, rows: int, cols: int) -> Area | None:
        """The area a row's ``prompt_local`` names by its bounds, if it fits the grid."""


def spelling_of(area: Area) -> str:
    """Which of a wording's phrases names an area, or the one that is left out."""
    r1, r2, c1, c2 = area.box
    if area.kind == "ROW_RANGE":
        return "row" if r1 == r2 else "rows"
    if area.kind == "COL_RANGE":
        return "column" if c1 == c2 else "columns"
    return "whole" if area.kind == "GLOBAL" else "rectangle"


def unlike(text: str, other: str) -> tuple[str, str]:
    """Two texts without the words with which both begin, and those with which both end."""
    words, others = text.split(" "), other.split(" ")
    while words and others and words[0] == others[0]:
        del words[0], others[0]
    while words and others and words[-1] == others[-1]:
        del words[-1], others[-1]
    return " ".join(words), " ".join(others)


@dataclass(frozen=True)
class Wording:
    """A subset's words."""

    instructions: str
    """``prompt_global``."""
    tasks: Mapping[str, str | None]
    """Template to ``prompt_local``; None where a bridge is not worded."""
    regions: Mapping[str, str]
    cues: Mapping[str, str]
    """Cue type to the phrase of the marked region, its colour put in."""

    @classmethod
    def of(cls, entry: Mapping[str, Any], look: Mapping[str, Any]) -> Wording:
        """Read a subset's entries of the summary's ``prompts`` and ``cues``."""
        return cls(
            entry["global"],
            entry["tasks"],
            entry["regions"],
            {
                cue: entry["cues"][cue].replace(_COLOR, look[name])
                for cue, name in (("OUTLINE_BOX", "outline_name"), ("MASK", "mask_name"))
            },
        )

    def _asked(self, row: Row, area: Area) -> str | None:
        """What the row must ask; None where the wording, or the row's cue, is not to be had."""
        template = row["task_template"]
        task = self.tasks[template]
        if template == T4:
            where = self.cues.get(row["cue_type"])
        else:
            where = self.regions[spelling_of(area)]
            for name, bound in zip(("{r1}", "{r2}", "{c1}", "{c2}"), area.box, strict=True):
                where = where.replace(name, str(bound))
        return None if task is None or where is None else task.replace(_WHERE, where)

    def problem(self, row: Row, area: Area) -> str | None:
        """How the instruction is not what the wording makes of ``area``."""
        text, asked = row["prompt_local"], self._asked(row, area)
        if asked is None or text == asked:
            return None
        here, there = unlike(text, asked)
        return f"says {here!r} where its wording has {there!r}"

    def area(self, row: Row, rows: int, cols: int) -> Area | None:
        """The area the instruction names, if it is worded as it should be."""
        template = row["task_template"]
        task = self.tasks[template] or ""
        for phrase, (kind, bounds) in _PHRASES.items():
            found = _pattern(task, self.regions[phrase]).fullmatch(row["prompt_local"])
            if found is None or not bounds:
                continue
            said = {name: int(number) for name, number in found.groupdict().items()}
            r1, c1 = said.get("r1", 1), said.get("c1", 1)
            r2 = said.get("r2", r1 if kind == "ROW_RANGE" else rows)
            c2 = said.get("c2", c1 if kind == "COL_RANGE" else cols)
            if 1 <= r1 <= r2 <= rows and 1 <= c1 <= c2 <= cols:
                return Area(kind, (r1, r2, c1, c2), template == T5)
        return None


def _pattern(task: str, phrase: str) -> re.Pattern[str]:
    """What an instruction looks like whose region is spelled by ``phrase``, whatever its bounds."""
    parts = _BOUND.split(task.replace(_WHERE, phrase))
    pattern, seen = re.escape(parts[0]), set()
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        pattern += f"(?P={name})" if name in seen else f"(?P<{name}>[0-9]{{1,4}})"
        pattern += re.escape(text)
        seen.add(name)
    return re.compile(pattern)


def wording_problems(
    entry: Mapping[str, Any], look: Mapping[str, Any], bridges: bool
) -> Iterator[str]:
    """Why a model could not know what is asked, whatever the rows say.

    Args:
        entry: a subset's entry of the summary's ``prompts``.
        look: its entry of ``cues``.
        bridges: whether the release has bridge tasks.
    """
    if _KNOWN.search(entry["global"]):
        yield f"global has {_KNOWN.findall(entry['global'])[0]}, which nothing takes the place of"
    yield from _region_problems(entry["regions"])
    yield from _task_problems(entry["tasks"], entry["global"], bridges)
    phrases = Wording.of(entry, look).cues
    for cue, phrase in phrases.items():
        for name in _PLACEHOLDER.findall(phrase):
            yield f"cues.{cue} has {name}, which nothing takes the place of"
        if re.search(r"\d", phrase):
            yield f"cues.{cue} gives a number where only the cue may tell the region: {phrase!r}"
    if len(set(phrases.values())) < len(phrases):
        yield "cues: both are called the same"


def _misplaced(path: str, text: str, needed: tuple[str, ...]) -> Iterator[str]:
    """Placeholders a text lacks, or has and should not."""
    found = _PLACEHOLDER.findall(text)
    missing = [name for name in needed if name not in found]
    if missing:
        yield f"{path} does not name {' '.join(missing)}"
    for name in dict.fromkeys(found):
        if name not in needed:
            yield f"{path} has {name}, which nothing takes the place of"


def _region_problems(regions: Mapping[str, str]) -> Iterator[str]:
    for phrase, (_, bounds) in _PHRASES.items():
        yield from _misplaced(f"regions.{phrase}", regions[phrase], bounds)
        if _TOUCHING.search(regions[phrase]):
            yield f"regions.{phrase} runs numbers together: {regions[phrase]!r}"
    for row, column in (("row", "column"), ("rows", "columns")):
        if regions[row].replace("{r", "{") == regions[column].replace("{c", "{"):
            yield f"regions.{row} and regions.{column} are spelled the same"


def _task_problems(
    tasks: Mapping[str, str | None], instructions: str, bridges: bool
) -> Iterator[str]:
    for name, template in TEMPLATES.items():
        task = tasks[name]
        if task is None:
            if bridges:
                yield f"tasks.{name} is null, but the release has bridges"
            continue
        local = "GLOBAL" not in template.region_types
        yield from _misplaced(f"tasks.{name}", task, (_WHERE,) if local or _WHERE in task else ())
        symbol = _SYMBOLS[template.mode]
        if symbol not in task and symbol not in instructions:
            yield f"neither tasks.{name} nor global tells the answer's format ({symbol})"
