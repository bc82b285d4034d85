"""The templater: a scene becomes five items, and two bridge items where they are wanted.

The wording of T1, T2, T3 and the bridges is ROSE's own; that of T4 and T5, which is not public,
keeps to its manner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rosegen.geometry import Cell, Region
from rosegen.protocol import format_clicks, format_count, format_submit
from rosegen.render.cue import CueStyle, CueType
from rosegen.scene import T1, T1B, T2, T2B, T3, T4, T5, TEMPLATES, Context, Scene

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

COUNT, CLICK, CLICK_COUNT = "COUNT", "CLICK", "CLICK_COUNT"
MODES: Mapping[str, str] = {
    T1: COUNT,
    T2: COUNT,
    T3: CLICK,
    T4: CLICK,
    T5: CLICK_COUNT,
    T1B: CLICK,
    T2B: COUNT,
}
OUTPUT_FORMATS: Mapping[str, str] = {
    COUNT: "COUNT(n)",
    CLICK: "CLICK(Rr,Cc); ...; DONE",
    CLICK_COUNT: "CLICK(Rr,Cc); ...; SUBMIT(n)",
}


@dataclass(frozen=True)
class Item:
    """One question about a scene and its answer."""

    template: str
    mode: str
    context: Context
    targets: tuple[Cell, ...]  # the exceptions asked about, by row, then column
    prompt_local: str
    answer: str

    @property
    def output_format(self) -> str:
        """The shape of the answer, as the row says it."""
        return OUTPUT_FORMATS[self.mode]


def make_items(scene: Scene, style: CueStyle) -> tuple[Item, ...]:
    """The five items of a scene, T1 to T5."""
    return tuple(_item(scene, t, scene.contexts[t], style) for t in TEMPLATES)


def make_bridges(scene: Scene, style: CueStyle) -> tuple[Item, Item]:
    """The two bridge items: T1's grid to click, and T3's region to count."""
    return (
        _item(scene, T1B, scene.contexts[T1], style),
        _item(scene, T2B, scene.contexts[T3], style),
    )


def _item(scene: Scene, template: str, context: Context, style: CueStyle) -> Item:
    mode = MODES[template]
    targets = tuple(sorted(cell for cell in scene.exceptions if context.holds(cell)))
    prompt = _prompt(template, context.region, CueType(scene.cue), style)
    return Item(template, mode, context, targets, prompt, _answer(mode, targets))


def _answer(mode: str, targets: tuple[Cell, ...]) -> str:
    if mode == COUNT:
        return format_count(len(targets))
    return format_clicks(targets) if mode == CLICK else format_submit(targets)


def _prompt(template: str, region: Region, cue: CueType, style: CueStyle) -> str:
    mode = MODES[template]
    if template == T4:
        mark = "box" if cue is CueType.OUTLINE_BOX else "shaded area"
        where = f"inside the {style.color_name(cue)} {mark} marked in the image"
    elif template == T5:
        where = f"in the whole grid, except those {region.phrase}"
    else:
        where = region.phrase
    different = f"cells that are different from the majority {where}"
    if mode == COUNT:
        return f"Count the number of {different}. Answer only in the format: COUNT(n)."
    if mode == CLICK:
        return f"Click all {different}. Answer only using CLICK(Rr,Cc); ...; DONE."
    return (
        f"Click all {different}, and submit the number of cells you clicked. "
        "Answer only using CLICK(Rr,Cc); ...; SUBMIT(n)."
    )
