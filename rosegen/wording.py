"""How the tasks are put to a model: in ROSE's English, or in any language by template.

The wording of T1, T2, T3 and the bridges is ROSE's own; that of T4 and T5, which is not public,
keeps to its manner.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rosegen.geometry import Phrases, Region
from rosegen.scene import T1, T1B, T2, T2B, T3, T4, T5, TEMPLATES

PROMPT_GLOBAL = (
    "You are given a grid image. Rows are counted from top to bottom, and columns from left to "
    "right, both starting from 1. Output only the formal answer in the required format. Do not "
    "output any explanation.\n"
    "\n"
    "Allowed answer formats:\n"
    "1) COUNT(n)\n"
    "2) CLICK(Rr,Cc); CLICK(Rr,Cc); ...; DONE\n"
    "3) CLICK(Rr,Cc); CLICK(Rr,Cc); ...; SUBMIT(n)\n"
    "\n"
    "Examples:\n"
    "COUNT(3)\n"
    "CLICK(R2,C5); CLICK(R4,C7); DONE\n"
    "CLICK(R2,C5); CLICK(R4,C7); SUBMIT(2)\n"
)

_COUNT = (
    "Count the number of cells that are different from the majority {where}. "
    "Answer only in the format: COUNT(n)."
)
_CLICK = (
    "Click all cells that are different from the majority {where}. "
    "Answer only using CLICK(Rr,Cc); ...; DONE."
)
_TASKS: Mapping[str, str] = {
    T1: _COUNT,
    T2: _COUNT,
    T3: _CLICK,
    T4: _CLICK,
    T5: "Click all cells that are different from the majority in the whole grid, except those "
    "{where}, and submit the number of cells you clicked. "
    "Answer only using CLICK(Rr,Cc); ...; SUBMIT(n).",
    T1B: _CLICK,
    T2B: _COUNT,
}
_REGIONS = Phrases()
_CUES: Mapping[str, str] = {
    "OUTLINE_BOX": "inside the {color} box marked in the image",
    "MASK": "inside the {color} shaded area marked in the image",
}


@dataclass(frozen=True)
class Wording:
    """Every word of a subset's prompts.

    Attributes:
        language: BCP 47 tag, such as ``en`` or ``zh-Hans``.
        instructions: what all items share (``prompt_global``); ends with a newline.
        tasks: template to the item's own instruction; ``{where}`` is the region or the cue.
        regions: how a region is spelled.
        cues: cue type to how T4 speaks of the marked region; ``{color}`` is the cue's colour.
        colors: English name of a colour to its name in this language.
    """

    language: str = "en"
    instructions: str = PROMPT_GLOBAL
    tasks: Mapping[str, str] = field(default_factory=lambda: _TASKS)
    regions: Phrases = _REGIONS
    cues: Mapping[str, str] = field(default_factory=lambda: _CUES)
    colors: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_english(self) -> bool:
        """Whether the language is any kind of English."""
        return is_english(self.language)

    def ask(self, template: str, region: Region, cue: str = "", color: str = "") -> str:
        """An item's own instruction (``prompt_local``).

        Args:
            template: one of the seven.
            region: what the task speaks of; T4 does not say it, and T5 leaves it out.
            cue: T4 only, ``OUTLINE_BOX`` or ``MASK``.
            color: T4 only, the cue's colour in words.
        """
        if template == T4:
            where = self.cues[cue].replace("{color}", color)
        else:
            where = region.spelled(self.regions)
        return self.tasks[template].replace("{where}", where)

    def as_dict(self) -> dict[str, Any]:
        """The words of the tasks in the shape of ``schemas/prompts.schema.json``.

        A bridge task that has no words is None.
        """
        return {
            "language": self.language,
            "global": self.instructions,
            "tasks": {template: self.tasks.get(template) for template in _TASKS},
            "regions": self.regions._asdict(),
            "cues": dict(self.cues),
        }


ENGLISH = Wording()


def is_english(language: str) -> bool:
    """Whether a BCP 47 tag is one of English."""
    return language.lower().split("-")[0] == "en"


_PLACEHOLDER = re.compile(r"\{[^{}\s]*\}")
_BOUNDS: Mapping[str, tuple[str, ...]] = {
    "whole": (),
    "row": ("{r1}",),
    "rows": ("{r1}", "{r2}"),
    "column": ("{c1}",),
    "columns": ("{c1}", "{c2}"),
    "rectangle": ("{r1}", "{r2}", "{c1}", "{c2}"),
}
_WHERE: Mapping[str, tuple[str, ...]] = dict.fromkeys(_TASKS, ("{where}",))
_SYMBOLS: Mapping[str, str] = {T1: "COUNT", T2: "COUNT", T3: "DONE", T4: "DONE", T5: "SUBMIT"}


@dataclass(frozen=True)
class WordingProblem:
    """What is wrong with a wording, and the steps that lead to it."""

    message: str
    steps: tuple[str, ...]


def read_wording(data: Mapping[str, Any], bridges: bool) -> Wording | WordingProblem:
    """A wording from data that obeys ``schemas/prompts.schema.json``.

    English may leave out what stays as ROSE has it; any other language must give every part, for
    half a translation is none.

    Args:
        data: the data.
        bridges: whether the bridge tasks must be worded, too.
    """
    language = data["language"]
    english = is_english(language)
    parts = (
        ("tasks", _TASKS if bridges else {t: _TASKS[t] for t in TEMPLATES}),
        ("regions", _REGIONS._asdict()),
        ("cues", _CUES),
    )
    if not english:
        if "global" not in data:
            return WordingProblem(f"no 'global' in {language}", ())
        for part, wanted in parts:
            missing = [key for key in wanted if key not in data.get(part, {})]
            if missing:
                return WordingProblem(f"not in {language} yet: {', '.join(missing)}", (part,))
    wording = Wording(
        language=language,
        instructions=str(data.get("global", PROMPT_GLOBAL)).rstrip() + "\n",
        tasks={
            **(_TASKS if english else {}),
            **{name: text for name, text in data.get("tasks", {}).items() if text is not None},
        },
        regions=Phrases(**data.get("regions", {})),
        cues={**(_CUES if english else {}), **data.get("cues", {})},
        colors=data.get("colors", {}),
    )
    return _problem_of(wording) or wording


def _problem_of(wording: Wording) -> WordingProblem | None:
    """Why a model could not know what is asked: a region not named, a format not told."""
    texts = (
        *((("tasks", t), text, _WHERE[t], ()) for t, text in wording.tasks.items()),
        *((("regions", k), v, _BOUNDS[k], ()) for k, v in wording.regions._asdict().items()),
        *((("cues", cue), text, (), ("{color}",)) for cue, text in wording.cues.items()),
    )
    for steps, text, needed, allowed in texts:
        found = _PLACEHOLDER.findall(text)
        missing = [name for name in needed if name not in found]
        strange = [name for name in found if name not in (*needed, *allowed)]
        if missing:
            return WordingProblem(f"does not say {' '.join(missing)}", steps)
        if strange:
            known = " ".join((*needed, *allowed)) or "none here"
            return WordingProblem(f"{strange[0]} is no placeholder (known: {known})", steps)
        if re.search(r"\}\{", text):
            return WordingProblem("two placeholders run together", steps)
    for cue, text in wording.cues.items():
        if re.search(r"\d", text):
            return WordingProblem(
                "has a number, where only the cue may tell the region", ("cues", cue)
            )
    for one, other in (("row", "column"), ("rows", "columns")):
        names = (
            re.sub(r"\{[rc](\d)\}", r"{\1}", getattr(wording.regions, n)) for n in (one, other)
        )
        if len(set(names)) == 1:
            return WordingProblem(f"is spelled as {other} is", ("regions", one))
    for template, symbol in _SYMBOLS.items():
        if symbol not in wording.tasks[template] and symbol not in wording.instructions:
            message = f"neither this nor 'global' tells the answer's format ({symbol}...)"
            return WordingProblem(message, ("tasks", template))
    if wording.cues["OUTLINE_BOX"] == wording.cues["MASK"]:
        return WordingProblem("both cues are called the same", ("cues",))
    return None
