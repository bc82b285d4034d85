"""SVG: drawn as it is meant, or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rosegen.sources.pictures import open_picture, svg_drawing
from tests.sources.pictures.picture_maker import BOX, reading, refusal, svg


def test_an_svg_is_drawn_with_its_longer_side_as_asked(tmp_path: Path) -> None:
    found = reading(tmp_path, svg(), svg_side=200)
    assert found.rgba.shape == (100, 200, 4)
    assert found.notes == ("drawn from SVG at 200 x 100",)
    expected = np.zeros((100, 200, 4), np.uint8)
    expected[20:80, 20:80] = (0xC8, 0x3C, 0x5A, 255)
    assert np.array_equal(found.rgba, expected)
    assert np.array_equal(reading(tmp_path, svg(), svg_side=999, max_side=200).rgba, expected)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: b"\n <!-- hello -->\n" + text.encode(),
        lambda text: b'<?xml version="1.0" encoding="ISO-8859-1"?>' + text.encode("latin-1"),
        lambda text: (
            '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" '
            '"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">' + text
        ).encode(),
        lambda text: (
            text.replace("<svg xmlns=", "<s:svg xmlns:s=")
            .replace("<rect", "<s:rect")
            .replace("</svg", "</s:svg")
            .encode()
        ),
    ],
)
def test_every_form_of_an_svg_is_the_same_picture(
    tmp_path: Path, change: Callable[[str], bytes]
) -> None:
    text = svg('<rect id="é" width="9" height="9" fill="red"/>').decode()
    plain = reading(tmp_path, text.encode())
    assert np.array_equal(reading(tmp_path, change(text)).rgba, plain.rgba)


@pytest.mark.parametrize(
    "body",
    [
        '<defs><linearGradient id="g"><stop stop-color="red"/></linearGradient></defs>'
        '<path d="M0 0h9v9z" fill="url(#g)"/>',
        "<style>.a{fill:url( '#g' )}</style><linearGradient id='g'><stop stop-color='red'/>"
        "</linearGradient><path class='a' d='M0 0h9v9z'/>",
        '<symbol id="s" viewBox="0 0 9 9"><rect width="9" height="9"/></symbol><use href="#s"/>',
        '<g id="s"><rect width="9" height="9"/></g><use xlink:href="#s" x="9"/>',
        '<clipPath id="c"><circle r="5"/></clipPath>'
        '<rect width="9" height="9" clip-path="url(#c)"/>',
        '<title>text</title><metadata xmlns:x="urn:x"><x:a href="http://x"/></metadata>' + BOX,
    ],
)
def test_references_inside_an_svg_are_followed(tmp_path: Path, body: str) -> None:
    found = reading(tmp_path, svg(body))
    assert (found.rgba[..., 3] == 255).any()
    assert found.notes == ("drawn from SVG at 512 x 256",)


def test_what_moves_is_drawn_at_rest(tmp_path: Path) -> None:
    moving = BOX.replace("/>", '><animate attributeName="x" to="9" dur="1s"/></rect>')
    found = reading(tmp_path, svg(moving))
    assert np.array_equal(found.rgba, reading(tmp_path, svg()).rgba)
    assert found.notes == ("drawn from SVG at 512 x 256", "animation left out")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("<text>a</text>", "text"),
        ("<g><text><tspan>a</tspan></text></g>", "text"),
        ("<defs><flowRoot/></defs>", "text"),
        ("<script>1</script>", "script"),
        ('<x:script xmlns:x="http://www.w3.org/1999/xhtml">1</x:script>', "script"),
        ('<g onload="draw()"/>', "script"),
        ("<foreignObject><p/></foreignObject>", "not SVG"),
        ('<image href="data:image/png;base64,AAAA"/>', "another picture"),
        ('<image href="file:///etc/passwd"/>', "another picture"),
        ('<filter id="f"><feImage href="#a"/></filter>', "another picture"),
        ('<use href="other.svg#a"/>', "outside itself (url(other.svg#a))"),
        ('<use xlink:href="http://127.0.0.1:9/a.svg#a"/>', "outside itself"),
        ('<a href="javascript:1"/>', "outside itself"),
        ('<path fill="url(other.svg#g)"/>', "outside itself"),
        ("<path style=\"fill: URL( 'http://127.0.0.1:9/#g' )\"/>", "outside itself"),
        ("<style>@import 'a.css';</style>", "outside itself"),
        ("<style>@font-face{src:url(a.woff)}</style>", "outside itself"),
        ("<g>" * 120 + "</g>" * 120, "deep"),
        ("<g>", "cannot be read as SVG"),
        ("", "fully transparent"),
    ],
)
def test_an_svg_that_would_not_be_drawn_as_meant_is_refused(
    tmp_path: Path, body: str, why: str
) -> None:
    assert why in refusal(tmp_path, svg(BOX * (why != "fully transparent") + body))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("var(--a)", "var()"),
        ("VAR( --a, #d02020 )", "VAR()"),
        ("oklch(55% .2 25)", "oklch()"),
        ("lab(45% 65 45)", "lab()"),
        ("hwb(0 12% 18%)", "hwb()"),
        ("color(srgb .8 .1 .1)", "color()"),
        ("color-mix(in srgb, red, blue)", "color-mix()"),
        ("light-dark(red, blue)", "light-dark()"),
        ("#d02020 icc-color(acme, 0.1)", "icc-color()"),
        ("rgb(208 32 32 / 1)", "a new form of rgb()"),
        ("rgb(calc(200 + 8) 32 32)", "a new form of rgb()"),
        ("hsl(0deg 73% 47%)", "a new form of hsl()"),
    ],
)
def test_colours_that_would_be_drawn_as_black_are_refused_with_their_name(
    tmp_path: Path, value: str, why: str
) -> None:
    square = '<rect width="20" height="10" {}/>'
    for body in (
        square.format(f'fill="{value}"'),
        square.format(f'style="opacity:1;fill:{value}"'),
        f"<style>:root{{--a:#d02020}} rect{{fill:{value}}}</style>" + square.format(""),
        f"<style><![CDATA[rect{{fill:{value}}}]]></style>" + square.format(""),
    ):
        told = f"is styled by {why}, which cannot be drawn: export it as plain SVG"
        assert refusal(tmp_path, svg(body)) == told


@pytest.mark.parametrize(
    "value",
    ["#d02020", "rgb(208 32 32)", "rgb(208,32,32)", "rgba(208,32,32,1)", "rgb(81.6%,12.5%,12.5%)"],
)
def test_colours_of_every_older_form_are_drawn(tmp_path: Path, value: str) -> None:
    body = (
        "<style>:root{--a:red} /* var(--a) */</style>"
        f'<rect id="var(1)" aria-label="color (red)" width="20" height="10" fill="{value}"/>'
    )
    assert (reading(tmp_path, svg(body)).rgba == (208, 32, 32, 255)).all()


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ('<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>', "entities"),
        ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>', "entities"),
        ("<!DOCTYPE svg [<!ENTITY % a \"<!ENTITY b 'c'>\">%a;]>", "entities"),
        ('<?xml-stylesheet href="a.css"?>', "another file"),
        ('<?xml version="1.0" encoding="nowhere"?>', "cannot be read as SVG"),
        ("<html/>", "cannot be read as SVG"),
    ],
)
def test_what_stands_before_an_svg_is_looked_at(tmp_path: Path, before: str, why: str) -> None:
    assert why in refusal(tmp_path, before.encode() + svg())


def test_other_xml_is_no_picture(tmp_path: Path) -> None:
    assert "is XML but no SVG" in refusal(tmp_path, b"<html><svg/></html>")
    page = b"<!DOCTYPE html><html><body><p>404<br></body></html>"
    assert "is no picture of a kind that is read" in refusal(tmp_path, page)


@pytest.mark.parametrize(
    "size",
    ['width="1e9" height="10"', 'width="9px" height="300in"', 'viewBox="0 0 9 9000"']
    + ['height="9e999" viewBox="0 0 1 1"'],
)
def test_an_svg_that_says_it_is_huge_is_refused(tmp_path: Path, size: str) -> None:
    assert "more than 8192 a side" in refusal(tmp_path, svg(size=size))


@pytest.mark.parametrize("size", ['width="0" height="9"', 'width="-9" height="9"'])
def test_an_svg_of_no_size_is_refused(tmp_path: Path, size: str) -> None:
    assert "cannot be drawn" in refusal(tmp_path, svg(size=size))


def test_a_drawing_that_needs_all_memory_ends_in_a_refusal(tmp_path: Path) -> None:
    pattern = '<pattern id="p" width="1e6" height="1e6" patternUnits="userSpaceOnUse">'
    body = f'{pattern}{BOX}</pattern><rect width="9" height="9" fill="url(#p)"/>'
    assert "cannot be drawn" in refusal(tmp_path, svg(body))


@pytest.mark.parametrize(
    ("limit", "side"), [("_LEAST_SECONDS", 512), ("_MOST_SECONDS", 4096), ("_PATIENCE", 512)]
)
def test_a_drawing_without_end_ends_in_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, side: int
) -> None:
    monkeypatch.setattr(svg_drawing, limit, 1 if limit.endswith("SECONDS") else 0.05)
    masked = '<rect width="9" height="9" fill="#fff" mask="url(#m{})"/>'
    body = f'<mask id="m0">{BOX}</mask>'
    for level in range(40):
        body += f'<mask id="m{level + 1}">' + masked.format(level) * 2 + "</mask>"
    body += masked.format(40)
    told = refusal(tmp_path, svg(body), svg_side=side)
    assert told == "takes too long to draw: save it as PNG"


@pytest.mark.parametrize(
    ("unit", "pixels"),
    [("px", 1), ("pt", 96 / 72), ("mm", 96 / 25.4), ("cm", 96 / 2.54), ("in", 96)],
)
def test_lengths_are_read_in_every_unit_of_css(tmp_path: Path, unit: str, pixels: float) -> None:
    """Drawing programs write millimetres and points, for the page and for the stroke."""
    path = tmp_path / "units.svg"
    half, whole = f"{48 / pixels}{unit}", f"{96 / pixels}{unit}"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="{whole}">'
        f'<rect width="{half}" height="{whole}" fill="#00f"/></svg>',
        encoding="utf-8",
    )
    rgba = open_picture(path, svg_side=96).rgba
    assert rgba.shape == (96, 96, 4)
    assert tuple(rgba[50, 20]) == (0, 0, 255, 255)
    assert rgba[50, 70, 3] == 0
