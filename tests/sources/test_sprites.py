"""The sprites: what the drawings promise, and what the format does and refuses."""

from __future__ import annotations

import re
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rosegen.errors import RosegenError
from rosegen.sources.sprites import Sprite, differing_parts, load_sprites

ROOT = Path(__file__).parents[2] / "assets" / "sprites"

PALETTE = """
colors: {w: "#ffffff", k: "#201830"}
tones:
  red: "#400000 #800000 #c00000 #ff4040"
  blue: "#000040 #000080 #0000c0 #4040ff"
"""

SQUARE = "\n".join(["2" * 14] * 14)


def grid(text: str, indent: int = 12) -> str:
    return "|\n" + "\n".join(" " * indent + row for row in text.split("\n"))


def kind(layers: str, rest: str = "", ramp: str = '{roles: "#123", tones: [red, blue]}') -> str:
    return f"""
category: test
kinds:
  box:
    size: 16 16
{rest}
    ramps: {{color: {ramp}}}
    layers:
{layers}
"""


BASE = f"""
      - at: 1 1
        grid: {grid(SQUARE)}
"""


def write(root: Path, text: str, name: str = "test.yaml") -> Path:
    (root / "palette.yaml").write_text(PALETTE, encoding="utf-8")
    (root / name).write_text(text, encoding="utf-8")
    return root


def draw(root: Path, text: str) -> dict[str, Sprite]:
    return {sprite.name: sprite for sprite in load_sprites(write(root, text))}


@pytest.fixture(scope="module")
def sprites() -> tuple[Sprite, ...]:
    return load_sprites(ROOT)


class TestOurDrawings:
    def test_there_are_enough(self, sprites: tuple[Sprite, ...]) -> None:
        assert len(sprites) >= 450
        assert len({(sprite.category, sprite.kind) for sprite in sprites}) >= 60

    def test_names_and_pixels_are_unique(self, sprites: tuple[Sprite, ...]) -> None:
        names = [sprite.name for sprite in sprites]
        assert len(set(names)) == len(names)
        assert all(re.fullmatch(r"[a-z0-9]+/[a-z0-9]+/[a-z0-9-]+", name) for name in names)
        looks = {(sprite.pixels.shape, sprite.pixels.tobytes()) for sprite in sprites}
        assert len(looks) == len(sprites)

    def test_names_spell_the_parts(self, sprites: tuple[Sprite, ...]) -> None:
        for sprite in sprites:
            variants = "-".join(sprite.parts.values())
            assert sprite.name == f"{sprite.category}/{sprite.kind}/{variants}"

    def test_pixels_are_read_only_rgba_with_hard_edges(self, sprites: tuple[Sprite, ...]) -> None:
        for sprite in sprites:
            assert sprite.pixels.dtype == np.uint8
            assert sprite.pixels.shape[2] == 4
            assert not sprite.pixels.flags.writeable
            assert set(np.unique(sprite.pixels[..., 3])) == {0, 255}

    def test_canvas_sizes(self, sprites: tuple[Sprite, ...]) -> None:
        for sprite in sprites:
            height, width, _ = sprite.pixels.shape
            assert height == width
            assert 16 <= width <= 32

    def test_drawings_fill_their_canvas(self, sprites: tuple[Sprite, ...]) -> None:
        spans = []
        for sprite in sprites:
            ys, xs = np.nonzero(sprite.pixels[..., 3])
            spans.append((max(np.ptp(ys), np.ptp(xs)) + 1) / len(sprite.pixels))
        assert min(spans) >= 0.75
        assert np.mean(np.array(spans) >= 0.8) > 0.95

    def test_one_part_is_more_than_a_stray_pixel(self, sprites: tuple[Sprite, ...]) -> None:
        by_kind: dict[tuple[str, str], list[Sprite]] = {}
        for sprite in sprites:
            by_kind.setdefault((sprite.category, sprite.kind), []).append(sprite)
        for family in by_kind.values():
            for a, b in combinations(family, 2):
                if len(differing_parts(a, b)) == 1:
                    changed = int((a.pixels != b.pixels).any(axis=2).sum())
                    assert changed >= 4, (a.name, b.name)

    def test_every_kind_has_partners_differing_in_one_part(
        self, sprites: tuple[Sprite, ...]
    ) -> None:
        by_kind: dict[tuple[str, str], list[Sprite]] = {}
        for sprite in sprites:
            by_kind.setdefault((sprite.category, sprite.kind), []).append(sprite)
        for key, family in by_kind.items():
            first = family[0]
            assert any(len(differing_parts(first, other)) == 1 for other in family[1:]), key

    def test_the_same_again_and_fast(self, sprites: tuple[Sprite, ...]) -> None:
        start = time.process_time()
        again = load_sprites(ROOT)
        # Half of this is usual; the tests may share a slow machine.
        assert time.process_time() - start < 2
        assert [sprite.name for sprite in again] == [sprite.name for sprite in sprites]
        assert all(np.array_equal(a.pixels, b.pixels) for a, b in zip(again, sprites, strict=True))


class TestFormat:
    def test_outline_ramp_and_canvas(self, tmp_path: Path) -> None:
        sprites = draw(tmp_path, kind(BASE))
        assert list(sprites) == ["test/box/red", "test/box/blue"]
        pixels = sprites["test/box/red"].pixels
        assert pixels.shape == (16, 16, 4)
        assert tuple(pixels[0, 5]) == (0x40, 0, 0, 255)
        assert tuple(pixels[5, 5]) == (0xC0, 0, 0, 255)
        assert tuple(pixels[0, 0]) == (0, 0, 0, 0)

    @pytest.mark.parametrize(
        ("outline", "colour"), [("w", (255, 255, 255, 255)), ("none", (0, 0, 0, 0))]
    )
    def test_outline_choices(
        self, tmp_path: Path, outline: str, colour: tuple[int, int, int, int]
    ) -> None:
        sprites = draw(tmp_path, kind(BASE, f"    outline: {outline}"))
        assert tuple(sprites["test/box/red"].pixels[0, 5]) == colour

    def test_mirror_reflects_about_the_canvas_and_swaps_roles(self, tmp_path: Path) -> None:
        layers = (
            BASE
            + """
      - at: 3 3
        mirror: {"3": "1"}
        grid: |
          3w
"""
        )
        pixels = draw(tmp_path, kind(layers))["test/box/red"].pixels
        assert tuple(pixels[3, 3]) == (255, 0x40, 0x40, 255)
        assert tuple(pixels[3, 12]) == (0x80, 0, 0, 255)
        assert tuple(pixels[3, 4]) == tuple(pixels[3, 11]) == (255, 255, 255, 255)

    def test_mirror_of_a_whole_kind_is_symmetric(self, tmp_path: Path) -> None:
        half = "\n".join(["..22222", ".222222", *["2222222"] * 10, "22..222", "2....22"])
        layers = f"      - at: 1 1\n        grid: {grid(half)}\n"
        pixels = draw(tmp_path, kind(layers, "    mirror: true"))["test/box/blue"].pixels
        assert np.array_equal(pixels, pixels[:, ::-1])

    def test_odd_canvas_keeps_its_middle_column(self, tmp_path: Path) -> None:
        half = "\n".join(["222222w"] * 13)
        text = kind(f"      - at: 1 1\n        mirror: true\n        grid: {grid(half)}\n")
        pixels = draw(tmp_path, text.replace("16 16", "15 15"))["test/box/red"].pixels
        assert np.array_equal(pixels[:, :15], pixels[:, :15][:, ::-1])
        assert tuple(pixels[5, 7]) == (255, 255, 255, 255)

    @pytest.mark.parametrize("shade", ["ball", "rim"])
    def test_light_comes_from_the_top_left(self, tmp_path: Path, shade: str) -> None:
        pixels = draw(tmp_path, kind(BASE, f"    shade: {shade}"))["test/box/red"].pixels
        brightness = pixels[1:15, 1:15, :3].sum(axis=2).astype(float)
        upper_left = np.add.outer(np.arange(14), np.arange(14)) < 13
        assert brightness[upper_left].mean() > brightness[upper_left[::-1, ::-1]].mean()
        assert len(np.unique(brightness)) == 3

    def test_under_takes_the_tone_below(self, tmp_path: Path) -> None:
        layers = f"""
      - at: 1 1
        shade: drop
        grid: {grid(SQUARE)}
      - at: 1 1
        shade: under
        clip: all
        grid: {grid(SQUARE.replace("2", "5"))}
"""
        ramp = '{roles: "#123 a456", tones: {both: red blue}}'
        pixels = draw(tmp_path, kind(layers, ramp=ramp))["test/box/both"].pixels
        assert tuple(pixels[3, 3]) == (0, 0, 0xC0, 255)
        assert tuple(pixels[14, 3]) == (0, 0, 0x80, 255)

    def test_clip_to_roles(self, tmp_path: Path) -> None:
        layers = (
            BASE
            + """
      - at: 4 4
        grid: |
          kk
      - at: 3 4
        clip: k
        grid: |
          wwww
"""
        )
        pixels = draw(tmp_path, kind(layers))["test/box/red"].pixels
        assert (pixels[4, 3:7] == 255).all(axis=1).tolist() == [False, True, True, False]

    def test_edge_outlines_a_part_on_top(self, tmp_path: Path) -> None:
        layers = (
            BASE
            + """
      - at: 6 6
        edge: true
        grid: |
          33
"""
        )
        pixels = draw(tmp_path, kind(layers))["test/box/red"].pixels
        assert tuple(pixels[5, 6]) == tuple(pixels[6, 8]) == (0x40, 0, 0, 255)

    def test_slots_moves_and_chosen_combinations(self, tmp_path: Path) -> None:
        layers = (
            BASE
            + """
      - slot: hat
        variants:
          low: ""
          high:
            at: 5 3
            moves: {eyes: 0 2}
            grid: |
              3333
      - slot: eyes
        at: 5 5
        variants:
          dot: |
            kk
          none: ""
"""
        )
        rest = "    sprites: [{color: all, hat: [low, high]}, {eyes: none}]"
        sprites = draw(tmp_path, kind(layers, rest))
        assert list(sprites) == [
            "test/box/low-dot-red",
            "test/box/low-dot-blue",
            "test/box/high-dot-red",
            "test/box/high-dot-blue",
            "test/box/low-none-red",
        ]
        ink = (0x20, 0x18, 0x30, 255)
        assert tuple(sprites["test/box/low-dot-red"].pixels[5, 5]) == ink
        assert tuple(sprites["test/box/high-dot-red"].pixels[7, 5]) == ink

    def test_differing_parts(self, tmp_path: Path) -> None:
        eyes = """
      - slot: eyes
        at: 5 5
        variants:
          dot: |
            kk
          none: ""
"""
        sprites = list(draw(tmp_path, kind(BASE + eyes)).values())
        assert differing_parts(sprites[0], sprites[0]) == ()
        assert differing_parts(sprites[0], sprites[1]) == ("color",)
        assert differing_parts(sprites[0], sprites[3]) == ("eyes", "color")

    def test_differing_parts_of_two_kinds(self, sprites: tuple[Sprite, ...]) -> None:
        with pytest.raises(RosegenError, match="different kinds"):
            differing_parts(sprites[0], sprites[-1])


EYES = """
      - slot: eyes
        at: 5 5
        variants:
          dot: |
            kk
"""

HAT = """
      - slot: hat
        variants:
          high: {moves: {eyes: 20 0}, grid: ""}
"""

TWO_SIZES = f"""
      - slot: body
        variants:
          large: {grid(SQUARE)}
          small: {grid("22")}
"""

BROKEN = {
    "no files": (None, "no sprite files"),
    "not yaml": ("category: [", "test.yaml: line"),
    "not a mapping": ("- 1", "test.yaml: not a mapping"),
    "repeated key": ("category: a\ncategory: b", "line 2: 'category' appears twice"),
    "missing key": ("category: test", "test.yaml: 'kinds' is missing"),
    "unknown key": (kind(BASE, "    colour: 1"), "box: unknown key 'colour'"),
    "bad name": (kind(BASE).replace("box", "Box!"), "bad name 'Box!'"),
    "bad size": (kind(BASE).replace("16 16", "16"), "box: size: '16' is not two whole numbers"),
    "huge size": (kind(BASE).replace("16 16", "16 99"), "not within 1 to 48"),
    "unknown role": (kind(BASE + EYES.replace("kk", "kQ")), "eyes: dot: unknown role 'Q' in row 1"),
    "unknown tone": (kind(BASE, ramp='{roles: "#123", tones: [pink]}'), "unknown tone 'pink'"),
    "too many roles": (kind(BASE, ramp='{roles: "#1234", tones: [red]}'), "1 to 4 characters"),
    "role bound twice": (kind(BASE, ramp='{roles: "#122", tones: [red]}'), "bound twice"),
    "no role bound": (kind(BASE, ramp='{roles: "-", tones: [red]}'), "no role bound"),
    "no tones": (kind(BASE, ramp='{roles: "#123", tones: []}'), "no tones"),
    "tone a group": (
        kind(BASE, ramp='{roles: "#123 a", tones: {x: red}}'),
        "x has 1 tones for 2 groups",
    ),
    "bad colour": (kind(BASE, "    colors: {q: red}"), "colors: q: 'red' is not a colour"),
    "bad colour role": (kind(BASE, '    colors: {qq: "#112233"}'), "'qq' is not a role"),
    "tone known": ("tones: {red: x}\n" + kind(BASE), "tones: red: already in palette.yaml"),
    "tone steps": ('tones: {ash: "#112233"}\n' + kind(BASE), "tones: ash: 1 colours"),
    "bad outline": (kind(BASE, "    outline: Q"), "outline 'Q' is not auto, none or a role"),
    "no layers": (kind("      []"), "layers is not a list"),
    "slot without variants": (kind(BASE + "        slot: eyes"), "either slot and variants"),
    "no variants": (kind("      - {slot: eyes, variants: {}}"), "eyes: no variants"),
    "new variant later": (
        kind(BASE + EYES + EYES.replace("dot", "big")),
        "eyes: a later layer has the new variant 'big'",
    ),
    "slot is a ramp": (kind(BASE + EYES.replace("eyes", "color")), "both a ramp and a layer"),
    "bad shade": (kind(BASE, "    shade: soft"), "shade 'soft' is not one of"),
    "bad flag": (kind(BASE, "    mirror: maybe"), "'maybe' is neither true nor false"),
    "bad mirror swap": (kind(BASE, '    mirror: {"3": "Q"}'), "swaps unknown role 'Q'"),
    "bad clip": (kind(BASE + EYES + "        clip: Q"), "clip names unknown role 'Q'"),
    "bad moves": (
        kind(BASE + HAT.replace("20 0", "0 1").replace("eyes", "ears")),
        "hat: high: moves unknown slot 'ears'",
    ),
    "outside": (kind(BASE + EYES.replace("5 5", "15 5")), "eyes: dot: pixel at 16 5 is outside"),
    "beyond the middle": (kind(BASE, "    mirror: true"), "right of the middle"),
    "moved away": (
        kind(BASE + HAT + EYES),
        "eyes: dot: moved by 20 0 it leaves the canvas",
    ),
    "nothing drawn": (kind('      - {grid: ""}'), "nothing is drawn"),
    "too small": (kind(TWO_SIZES), "box: small spans 4 of 16 pixels"),
    "too large": (
        kind(BASE.replace("2" * 14, "2" * 40)).replace("16 16", "42 16"),
        "needs 42 x 42 pixels",
    ),
    "bad combination": (kind(BASE + EYES, "    sprites: 3"), "sprites: not a list"),
    "unknown variant": (
        kind(BASE + EYES, "    sprites: [{eyes: big}]"),
        "entry 1: eyes: unknown variant 'big'",
    ),
    "unknown slot": (kind(BASE + EYES, "    sprites: [{ears: all}]"), "unknown key 'ears'"),
    "listed twice": (kind(BASE + EYES, "    sprites: [{}, {eyes: dot}]"), "already listed"),
    "same look": (
        kind(BASE + EYES + "          copy: |\n            kk\n"),
        "test/box/copy-red looks the same as test/box/dot-red",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_malformed_files_are_named_in_one_line(tmp_path: Path, case: str) -> None:
    text, message = BROKEN[case]
    if text is not None:
        write(tmp_path, text)
    with pytest.raises(RosegenError) as caught:
        load_sprites(tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_kind_may_stand_in_one_file_only(tmp_path: Path) -> None:
    write(tmp_path, kind(BASE), "a.yaml")
    write(tmp_path, kind(BASE), "b.yaml")
    with pytest.raises(RosegenError, match="b.yaml: box: category test already has this kind"):
        load_sprites(tmp_path)
