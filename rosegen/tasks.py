"""The templater: a scene becomes five items, and two bridge items where they are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rosegen.geometry import Cell
from rosegen.protocol import (
    CLICK,
    CLICK_COUNT,
    COUNT,
    format_clicks,
    format_count,
    format_submit,
)
from rosegen.render.cue import CueStyle, CueType
from rosegen.scene import (
    BRIDGE_TEMPLATES,
    ORIGINS,
    T1,
    T1B,
    T2,
    T2B,
    T3,
    T4,
    T5,
    TEMPLATES,
    Context,
    Scene,
)
from rosegen.wording import Wording

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


def make_item(
    template: str, context: Context, exceptions: Iterable[Cell], prompt_local: str
) -> Item:
    """One item, of any of the seven templates.

    Args:
        template: of the seven.
        context: of the template, or of the one a bridge comes from.
        exceptions: those of the whole grid.
        prompt_local: the words.
    """
    mode = MODES[template]
    targets = tuple(sorted(cell for cell in exceptions if context.holds(cell)))
    return Item(template, mode, context, targets, prompt_local, _answer(mode, targets))


def make_items(scene: Scene, wording: Wording, style: CueStyle) -> tuple[Item, ...]:
    """The five items of a scene, T1 to T5."""
    return tuple(_item(scene, template, wording, style) for template in TEMPLATES)


def make_bridges(scene: Scene, wording: Wording, style: CueStyle) -> tuple[Item, ...]:
    """The two bridge items: T1's grid to click, and T3's region to count."""
    return tuple(_item(scene, template, wording, style) for template in BRIDGE_TEMPLATES)


def _item(scene: Scene, template: str, wording: Wording, style: CueStyle) -> Item:
    context = scene.contexts[ORIGINS.get(template, template)]
    color = style.color_name(CueType(scene.cue))
    prompt = wording.ask(template, context.region, scene.cue, color)
    return make_item(template, context, scene.exceptions, prompt)


def _answer(mode: str, targets: tuple[Cell, ...]) -> str:
    if mode == COUNT:
        return format_count(len(targets))
    return format_clicks(targets) if mode == CLICK else format_submit(targets)
