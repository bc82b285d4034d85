"""Parametric pixel-art portraits from a DiceBear style definition, read as data.

A definition lists a canvas of elements, components with variants, and colours. rosegen picks the
variants and colours itself and writes the picture as SVG; nothing of DiceBear's own code runs.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import numpy.typing as npt
import resvg_py
from PIL import Image

from rosegen.draws import Draws

Pixels = npt.NDArray[np.uint8]

_FRAGMENT = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Portrait:
    """The choices that make one portrait: component to variant (None when absent), and colours."""

    variants: Mapping[str, str | None]
    colors: Mapping[str, str]

    def changed(self, component: str, variant: str | None) -> Portrait:
        """The same portrait with another variant of one component."""
        return Portrait({**self.variants, component: variant}, self.colors)


def draw_portrait(definition: Mapping[str, Any], draws: Draws) -> Portrait:
    """A portrait with drawn variants and colours; optional components are there half the time."""
    variants: dict[str, str | None] = {}
    for name, component in definition["components"].items():
        choice = draws.choice(sorted(component["variants"]))
        # The style's own odds (5 % hats, say) would make most portraits alike.
        absent = "probability" in component and draws.below(2) == 0
        variants[name] = None if absent else choice
    colors = {name: draws.choice(c["values"]) for name, c in definition["colors"].items()}
    return Portrait(variants, colors)


def render_portrait(definition: Mapping[str, Any], portrait: Portrait) -> Pixels:
    """The portrait at one pixel a canvas unit: RGBA uint8 (height, width, 4), alpha 0 or 255."""
    canvas = definition["canvas"]
    width, height = int(canvas["width"]), int(canvas["height"])
    writer = _Writer(definition, portrait)
    body = "".join(writer.element(element, "c") for element in canvas["elements"])
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" fill="none" '
        f'shape-rendering="crispEdges">{body}</svg>'
    )
    png = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, dpi=96, skip_system_fonts=True
    )
    with Image.open(io.BytesIO(bytes(png))) as image:
        pixels = np.array(image.convert("RGBA"))
    pixels[..., 3] = np.where(pixels[..., 3] >= 128, 255, 0)
    return pixels


class _Writer:
    """Writes a definition's elements as SVG under one portrait's choices."""

    def __init__(self, definition: Mapping[str, Any], portrait: Portrait) -> None:
        self._components = definition["components"]
        self._portrait = portrait

    def element(self, element: Mapping[str, Any], scope: str) -> str:
        """One element and its children; ``scope`` keeps the ids of components apart."""
        if element["type"] == "component":
            return self._component(element)
        name = element["name"]
        attributes = "".join(
            f" {key}={quoteattr(self._value(key, value, scope))}"
            for key, value in element.get("attributes", {}).items()
        )
        inner = "".join(self.element(child, scope) for child in element.get("children", ()))
        return f"<{name}{attributes}>{inner}</{name}>"

    def _component(self, element: Mapping[str, Any]) -> str:
        name = element["name"]
        variant = self._portrait.variants[name]
        if variant is None:
            return ""
        elements = self._components[name]["variants"][variant]["elements"]
        inner = "".join(self.element(child, name) for child in elements)
        transform = element.get("attributes", {}).get("transform")
        placed = "" if transform is None else f" transform={quoteattr(transform)}"
        return f"<g{placed}>{inner}</g>"

    def _value(self, key: str, value: Any, scope: str) -> str:
        if isinstance(value, Mapping):  # {"type": "color", "name": "skin"}
            return self._portrait.colors[value["name"]]
        if key == "id":
            return f"{scope}-{value}"
        return _FRAGMENT.sub(rf"url(#{scope}-\1)", str(value))
