"""ROSE's names for subsets, templates and models, in the order of its tables.

Source: the public evaluator of ROSE v0.1, whose files we write.
"""

from __future__ import annotations

from collections.abc import Iterable

from rosegen.scene import TEMPLATES

SUBSETS = {
    "ROSE-ChineseGlyph": "ChineseGlyph",
    "ROSE-EmojiStyle": "EmojiStyle",
    "ROSE-EmojiContent": "EmojiContent",
    "ROSE-PixelEdit": "PixelEdit",
    "ROSE-PixelContent": "PixelContent",
}
# The columns of the published tables that stand for two subsets are their mean.
FAMILIES = {
    "Glyph": ("ROSE-ChineseGlyph",),
    "Emoji": ("ROSE-EmojiStyle", "ROSE-EmojiContent"),
    "Pixel": ("ROSE-PixelEdit", "ROSE-PixelContent"),
}
TEMPLATE_SHORT = dict(zip(TEMPLATES, ("G-Cnt", "L-Cnt", "L-Clk", "V-Clk", "Excl. C+S")))
COUNTING, ACTION = TEMPLATES[:2], TEMPLATES[2:]

# The dataset card names the fifth template otherwise than the evaluator and the rows.
TEMPLATE_ALIASES = {"T5_CLICK_EXCLUSION_SUBMIT": "T5_CLICK_COUNT_EXCLUSION"}

SEALS = (
    *("evaluation_summary.json", "comparison.json", "global_click_summary.json"),
    *("matched_count_summary.json", "scene_consistency_*.json"),
)
"""One of these stands in every folder that an evaluation, or an analysis of one, has written."""

MODEL_DISPLAY = {
    "qwen3-vl-flash": "Qwen3-VL-Flash",
    "qwen3-vl-plus": "Qwen3-VL-Plus",
    "qwen3.6-plus": "Qwen3.6-Plus",
    "claude46sonnet": "Claude-Sonnet-4.6",
    "claude-sonnet-4.6": "Claude-Sonnet-4.6",
    "claude48opus": "Claude-Opus-4.8",
    "claude-opus-4.8": "Claude-Opus-4.8",
    "glm-4.6v": "GLM-4.6V",
    "glm46v": "GLM-4.6V",
    "glm-5v-turbo": "GLM-5V-Turbo",
    "glm5vturbo": "GLM-5V-Turbo",
    "gemini31pro": "Gemini-3.1-Pro",
    "gemini-3.1-pro": "Gemini-3.1-Pro",
    "gpt55none": "GPT-5.5",
    "gpt-5.5": "GPT-5.5",
    "human": "Human",
}


def subset_order(present: Iterable[str]) -> list[str]:
    """The subsets of a table: ROSE's five in its order, then others in the order they come.

    Data that has none of ROSE's five gets only its own.
    """
    own = list(dict.fromkeys(present))
    others = [name for name in own if name not in SUBSETS]
    return others if others and len(others) == len(own) else [*SUBSETS, *others]


def subset_short(name: str) -> str:
    """``ROSE-EmojiStyle`` without the ``ROSE-``."""
    return SUBSETS.get(name, name.removeprefix("ROSE-"))
