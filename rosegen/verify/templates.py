"""The task templates: what the dataset fixes for each, and how its rows are numbered."""

from __future__ import annotations

from dataclasses import dataclass

_LOCAL = frozenset({"ROW_RANGE", "COL_RANGE", "RECTANGLE"})


@dataclass(frozen=True)
class Template:
    """What the dataset fixes for one task template."""

    name: str
    number: int
    """Its place among a scene's five items, from 1; a bridge's is that of its source."""
    mode: str
    region_types: frozenset[str]
    source: str | None = None
    """The template a bridge row is made from."""


T1 = "T1_COUNT_GLOBAL"
T3 = "T3_CLICK_LOCAL_NUMERIC"
T4 = "T4_CLICK_VISUAL_REGION"
T5 = "T5_CLICK_COUNT_EXCLUSION"
T1B = "T1B_CLICK_GLOBAL"
T2B = "T2B_COUNT_LOCAL_MATCHED"

TEMPLATES = {
    each.name: each
    for each in (
        Template(T1, 1, "COUNT", frozenset({"GLOBAL"})),
        Template("T2_COUNT_LOCAL_NUMERIC", 2, "COUNT", _LOCAL),
        Template(T3, 3, "CLICK", _LOCAL),
        Template(T4, 4, "CLICK", frozenset({"VISUAL_REGION"})),
        Template(T5, 5, "CLICK_COUNT", frozenset({"EXCLUSION"})),
        Template(T1B, 1, "CLICK", frozenset({"GLOBAL"}), T1),
        Template(T2B, 3, "COUNT", _LOCAL, T3),
    )
}
MAIN_TEMPLATES = tuple(name for name, each in TEMPLATES.items() if each.source is None)


def ids(prefix: str, number: int, template: str) -> tuple[str, str, str]:
    """Item, scene and image id of one template's row of scene ``number``."""
    known = TEMPLATES[template]
    item = f"{prefix}ITEM_{5 * (number - 1) + known.number:06d}"
    if template == T1B:
        item = f"{item}__GCLK"
    elif template == T2B:
        item = f"MLCNT_{item}"
    image = 2 * number if template == T4 else 2 * number - 1
    return item, f"{prefix}SCENE_{number:06d}", f"{prefix}IMG_{image:06d}"
