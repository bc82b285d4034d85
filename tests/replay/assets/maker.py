"""What the tests of replay's assets share: scenes as ROSE records them, and files for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from rosegen.geometry import Cell
from rosegen.replay import RecoveredScene
from rosegen.replay.assets import Missing, Places, Tiles, resolve
from rosegen.scene import Grid
from tests.sources.font_maker import box, made, saved

Pixels = npt.NDArray[np.uint8]

# 未 and 末 differ in one stroke, 木 and 林 are one picture here, 二 is wider than a cell.
GLYPHS = {
    "未": [box(100, 0, 400, 100), box(150, 300, 350, 400)],
    "末": [box(100, 0, 400, 100), box(150, 500, 350, 600)],
    "木": [box(100, 0, 400, 300)],
    "林": [box(100, 0, 400, 300)],
    "二": [box(0, 0, 2900, 100)],
}


def scene(
    primitive_type: str | None,
    columns: Mapping[str, Any],
    *,
    cell_size: int = 48,
    subset: str = "ROSE-Some",
    number: int = 1,
) -> RecoveredScene:
    """A scene of which nothing but its tiles matters."""
    return RecoveredScene(
        subset=subset,
        prefix="SOME",
        number=number,
        seed=2026,
        split="test",
        grid=Grid("small", 8, 8, cell_size),
        exceptions=(Cell(2, 3),),
        primitive_type=primitive_type,
        image_split="main",
        columns=columns,
        contexts={},
        cue=None,
    )


def glyph_scene(
    font: str, majority: str = "未", exception: str = "末", **more: Any
) -> RecoveredScene:
    """A scene of ROSE-ChineseGlyph."""
    columns = {"font_name": font, "background_char": majority, "target_char": exception}
    return scene("CHINESE_GLYPH", columns, **more)


def style_scene(stem: str = "1f9eb", **more: Any) -> RecoveredScene:
    """A scene of ROSE-EmojiStyle."""
    columns = {
        "unicode_key": stem,
        "majority_style": "twemoji_svg",
        "target_style": "pngfile",
        "background_path": f"twemoji_svg\\{stem}.svg",
        "target_path": f"pngfile\\{stem}.png",
    }
    return scene("EMOJI_STYLE", columns, **more)


def content_scene(majority: str = "1f423", exception: str = "1f424", **more: Any) -> RecoveredScene:
    """A scene of ROSE-EmojiContent."""
    columns = {
        "background_unicode": majority,
        "target_unicode": exception,
        "background_path": f"twemoji_svg\\{majority}.svg",
        "target_path": f"twemoji_svg\\{exception}.svg",
    }
    return scene("EMOJI_CONTENT", columns, **more)


def edit_scene(
    name: str = "bell-default(1).png", mode: str = "stretch", **more: Any
) -> RecoveredScene:
    """A scene of ROSE-PixelEdit."""
    columns = {"pair_key": name, "asset_resize_mode": mode}
    return scene("PIXEL_EDIT", columns, **{"cell_size": 64, **more})


def relatives_scene(key: str = "fall.png__the-fall.png", **more: Any) -> RecoveredScene:
    """A scene of ROSE-PixelContent."""
    columns = {"pair_key": key, "asset_resize_mode": "stretch"}
    return scene("PIXEL_CONTENT", columns, **{"cell_size": 64, **more})


def font(path: Path, postscript: str, family: str | None = None, **more: Any) -> Path:
    """A font of a few made characters under these names."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = {
        "familyName": family or postscript,
        "styleName": "Regular",
        "psName": postscript,
        "fullName": f"{family or postscript} Full",
    }
    glyphs = more.pop("glyphs", GLYPHS)
    cmap = {ord(name): name for name in glyphs}
    advances = {"二": 3000} if "二" in glyphs else {}
    return saved(made(glyphs, cmap, names=names, advances=advances, **more), path)


def picture(path: Path, seed: int, side: int = 16) -> Path:
    """A picture of noise, another for each seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    noise = np.random.default_rng(seed).integers(0, 200, (side, side, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    return path


def svg(path: Path, color: str) -> Path:
    """A square of one colour."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">'
        f'<rect x="1" y="1" width="8" height="8" fill="{color}"/></svg>'
    )
    return path


def tiles_of(of: RecoveredScene, places: Places) -> Tiles:
    """The tiles of a scene that has them."""
    found = resolve(of, places)
    assert isinstance(found, Tiles), str(found)
    return found


def missing_of(of: RecoveredScene, places: Places) -> str:
    """What is missing of a scene, in one line."""
    found = resolve(of, places)
    assert isinstance(found, Missing), found
    line = str(found)
    assert line.isprintable()
    return line
