"""ROSE's own English: of T1 to T3 every word is public, of T4 and T5 only the manner."""

from __future__ import annotations

import re

from rosegen.verify.grid import Area
from rosegen.verify.reading import Row
from rosegen.verify.templates import T4, T5, TEMPLATES

_PHRASES = (
    (
        "RECTANGLE",
        re.compile(r"\brow (\d{1,4}) column (\d{1,4}) to row (\d{1,4}) column (\d{1,4})"),
    ),
    ("ROW_RANGE", re.compile(r"\brows (\d{1,4}) to (\d{1,4})")),
    ("ROW_RANGE", re.compile(r"\brow (\d{1,4})")),
    ("COL_RANGE", re.compile(r"\bcolumns (\d{1,4}) to (\d{1,4})")),
    ("COL_RANGE", re.compile(r"\bcolumn (\d{1,4})")),
)
_ENDS = {
    "COUNT": ". Answer only in the format: COUNT(n).",
    "CLICK": ". Answer only using CLICK(Rr,Cc); ...; DONE.",
    "CLICK_COUNT": ". Answer only using CLICK(Rr,Cc); ...; SUBMIT(n).",
}
_EXCLUDING = re.compile(r"\b(?:except|outside|exclud)")
_CUE_NOUNS = {"OUTLINE_BOX": "box", "MASK": "shaded"}


class RoseEnglish:
    """The words of releases that do not give their own: those made from published records."""

    def problem(self, row: Row, area: Area) -> str | None:
        """What is wrong with a row's ``prompt_local``, if it asks about ``area``."""
        template = TEMPLATES[row["task_template"]]
        text: str = row["prompt_local"]
        asks = "Click all" if template.mode != "COUNT" else "Count the number of"
        start = f"{asks} cells that are different from the majority "
        end = _ENDS[template.mode]
        if template.name not in (T4, T5):
            wanted = f"{start}{area.phrase}{end}"
            return None if text == wanted else f"says {text!r}, not {wanted!r}"
        if not text.startswith(start) or not text.endswith(end):
            return f"does not begin with {start!r} and end with {end!r}"
        where = text[len(start) : -len(end)]
        if template.name == T4:
            return _marked_problem(where, row["cue_type"])
        return _excluded_problem(where, area)

    def area(self, row: Row, rows: int, cols: int) -> Area | None:
        """The area a row's ``prompt_local`` names by its bounds, if it fits the grid."""
        return _named(row["prompt_local"], rows, cols, row["task_template"] == T5)


def _marked_problem(where: str, cue: str) -> str | None:
    numbers = re.findall(r"\d+", where)
    if numbers:
        return f"gives numbers ({', '.join(numbers)}) where only the cue may tell the region"
    other = _CUE_NOUNS["MASK" if cue == "OUTLINE_BOX" else "OUTLINE_BOX"]
    if re.search(rf"\b{other}\b", where):
        return f"speaks of a {other} where the cue is {cue}"
    return None if "inside" in where else "does not ask about what is inside the cue"


def _excluded_problem(where: str, area: Area) -> str | None:
    if re.findall(r"\d+", where) != re.findall(r"\d+", area.phrase):
        return f"does not name the excluded region, {area.phrase}, by its numbers"
    named = _named(where, 10**4, 10**4, outside=True)
    if named is None or named.kind != area.kind:
        return f"does not name the excluded region as {area.phrase}"
    return None if _EXCLUDING.search(where) else f"does not exclude the region {area.phrase}"


def _named(text: str, rows: int, cols: int, outside: bool) -> Area | None:
    for kind, pattern in _PHRASES:
        found = pattern.search(text)
        if found is None:
            continue
        numbers = [int(each) for each in found.groups()]
        if kind == "RECTANGLE":
            r1, c1, r2, c2 = numbers
        elif kind == "ROW_RANGE":
            r1, r2, c1, c2 = numbers[0], numbers[-1], 1, cols
        else:
            r1, r2, c1, c2 = 1, rows, numbers[0], numbers[-1]
        fits = 1 <= r1 <= r2 <= rows and 1 <= c1 <= c2 <= cols
        return Area(kind, (r1, r2, c1, c2), outside) if fits else None
    return None
