"""Refuse an SVG that would not be drawn as it is meant, or reaches outside itself."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.parsers import expat

from rosegen.sources.pictures.refusal import Refusal, one_line

NAMESPACE = "{http://www.w3.org/2000/svg}"
_DEEPEST = 100  # elements; the renderer recurses, and a thousand overflow its stack
_REFUSED_ELEMENTS = {
    **dict.fromkeys(
        ("text", "tspan", "tref", "textPath", "textArea", "flowRoot"),
        "text, which looks different on every machine: turn it into paths",
    ),
    **dict.fromkeys(("script", "handler"), "a script: export it as plain SVG"),
    **dict.fromkeys(
        ("foreignObject", "iframe", "audio", "video", "canvas", "object", "embed"),
        "something that is not SVG: export it as plain SVG",
    ),
    **dict.fromkeys(("image", "feImage"), "another picture: save it as PNG"),
}
_COMMENTS = re.compile(r"/\*.*?\*/", re.DOTALL)
# Functions of CSS that resvg does not know, and the forms of colours that came with CSS Color 4.
_UNKNOWN_VALUES = re.compile(
    r"(?<![\w-])(?:"
    r"(?P<name>var|env|attr|calc|min|max|clamp|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark"
    r"|device-cmyk|icc-color)\("
    r"|(?P<colour>rgb|hsl)a?\([^()]*(?:/|deg|rad|turn|none|[a-z-]\())",
    re.IGNORECASE,
)
_ANIMATIONS = {"animate", "animateColor", "animateMotion", "animateTransform", "set"}


def check_xml(data: bytes) -> None:
    """Look at the form of an XML file before anything is made of it.

    Raises:
        Refusal: it is too deep, declares entities or takes its style from another file.
        expat.ExpatError: it is no XML.
    """
    depth = 0

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Refusal(f"has elements more than {_DEEPEST} deep: save it as PNG")

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(*_: object) -> None:
        raise Refusal("declares XML entities: export it as plain SVG")

    def instruction(target: str, _: str) -> None:
        if target == "xml-stylesheet":
            raise Refusal("takes its style from another file: export it as plain SVG")

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler, parser.ProcessingInstructionHandler = entity, instruction
    parser.Parse(data, True)


def check_elements(element: ElementTree.Element) -> bool:
    """Refuse what cannot be drawn as meant, drop what is not SVG; whether anything moves.

    Raises:
        Refusal: it, or what is in it, cannot be drawn as meant.
    """
    name = element.tag.removeprefix(NAMESPACE)
    if name in _REFUSED_ELEMENTS:
        raise Refusal(f"holds {_REFUSED_ELEMENTS[name]}")
    for key, value in element.attrib.items():
        local = key.rpartition("}")[2]
        if local.startswith("on"):  # a handler of events
            raise Refusal(f"holds {_REFUSED_ELEMENTS['script']}")
        _check_references(f"url({value})" if local == "href" and value else value)
        if not key.startswith(("{", "aria-", "data-")) and key not in ("class", "id"):
            _check_values(value)
    if name == "style":
        _check_references("".join(element.itertext()))
        _check_values("".join(element.itertext()))
    moves = name in _ANIMATIONS
    for child in list(element):
        if "}" not in child.tag.removeprefix(NAMESPACE):
            moves |= check_elements(child)
        elif any(each.tag.endswith("}script") for each in child.iter()):
            raise Refusal(f"holds {_REFUSED_ELEMENTS['script']}")
        else:
            element.remove(child)
    return moves


def _check_values(style: str) -> None:
    """Refuse a style, or the value of an attribute, for which resvg would take black or nothing."""
    found = _UNKNOWN_VALUES.search(_COMMENTS.sub("", style))
    if found is not None:
        name = found["name"] or f"a new form of {found['colour']}"
        raise Refusal(f"is styled by {name}(), which cannot be drawn: export it as plain SVG")


def _check_references(style: str) -> None:
    """Refuse a style, or the value of an attribute, that refers to anything but ``url(#name)``."""
    targets = [part.lstrip("\"' \t\r\n\f") for part in re.split("(?i:url)\\(", style)[1:]]
    if "@import" in style.lower() or not all(target.startswith("#") for target in targets):
        raise Refusal(
            f"refers to something outside itself ({one_line(style)}): export it as plain SVG"
        )
