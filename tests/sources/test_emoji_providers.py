"""Emoji art: folders of files, Iconify collections and a colour font all give pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.sources.emoji_catalog import read_catalog
from rosegen.sources.emoji_providers import (
    ColrProvider,
    FolderProvider,
    IconifyProvider,
    open_provider,
)
from tests.core_maker import cached_pack, open_pack

BODY = '<path fill="#f00" d="M10 20h60v30H10z"/>'
SVG = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80">{BODY}</svg>'
HEART, HASH = "2764", "23-20e3"


def folder(root: Path, svg: str = SVG) -> OpenPack:
    contents = {"provider": "tiny", "images": {"glob": "svg/*.svg", "separator": "_"}}
    return open_pack(root, "emoji", contents, {"svg/2764_fe0f.svg": svg, "svg/0023_20e3.svg": svg})


def iconify(root: Path) -> OpenPack:
    icons = {"prefix": "t", "width": 80, "height": 80, "icons": {"heart": {"body": BODY}}}
    files = {
        "icons.json": json.dumps(icons),
        "chars.json": json.dumps({"2764-fe0f": "heart", "1f44d": "gone"}),
    }
    return open_pack(
        root,
        "emoji",
        {"provider": "tiny", "iconify": "icons.json", "chars": "chars.json"},
        files,
    )


@pytest.mark.parametrize("make", [folder, iconify])
def test_art_is_found_by_key_and_cropped_to_its_ink(make: object, tmp_path: Path) -> None:
    assert callable(make)
    provider = open_provider(make(tmp_path))
    kind = FolderProvider if make is folder else IconifyProvider
    assert isinstance(provider, kind)
    known = [HASH, HEART] if make is folder else [HEART]
    assert provider.keys([HASH, "1f44d", HEART]) == known
    assert provider.asset(HEART) == "tiny/2764.svg"
    picture = provider.render(HEART, 160)
    assert picture is not None
    assert picture.shape == (60, 120, 4)
    assert (picture == (255, 0, 0, 255)).all()
    assert provider.render(HEART, 160) is picture


def test_a_picture_of_nothing_is_none(tmp_path: Path) -> None:
    empty = SVG.replace(BODY, "")
    assert open_provider(folder(tmp_path, empty)).render(HEART, 64) is None


def test_a_picture_that_cannot_be_drawn_names_the_pack_and_the_file(tmp_path: Path) -> None:
    provider = open_provider(folder(tmp_path, "<svg"))
    with pytest.raises(
        RosegenError, match=r"asset pack tiny: cannot draw tiny/2764\.svg"
    ) as caught:
        provider.render(HEART, 64)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("broken", ["icons.json", "chars.json"])
def test_a_collection_of_another_form_names_the_pack_and_the_file(
    broken: str, tmp_path: Path
) -> None:
    pack = iconify(tmp_path)
    (tmp_path / broken).write_text("no json", encoding="utf-8")
    with pytest.raises(RosegenError, match=f"asset pack tiny: {broken}"):
        open_provider(pack).keys([HEART])


@pytest.mark.parametrize(
    ("pack", "kind", "least"),
    [
        ("twemoji", FolderProvider, 1800),
        ("openmoji", FolderProvider, 1800),
        ("noto-emoji", ColrProvider, 1500),
        ("iconify-twemoji", IconifyProvider, 1500),
    ],
)
def test_shipped_providers_draw_most_emoji(pack: str, kind: type, least: int) -> None:
    provider = open_provider(cached_pack(pack))
    catalog = read_catalog([cached_pack("emoji-data")])
    assert isinstance(provider, kind)
    wanted = [key for key, emoji in catalog.items() if not emoji.has_skin_tone]
    keys = provider.keys(wanted)
    assert len(keys) >= least
    assert keys == [key for key in wanted if key in set(keys)]
    for key in ("1f423", "1f600", "1f468-200d-1f4bb"):
        assert key in keys
        picture = provider.render(key, 72)
        assert picture is not None
        assert max(picture.shape[:2]) > 36
        edges = (picture[0], picture[-1], picture[:, 0], picture[:, -1])
        assert all((edge[:, 3] >= 8).any() for edge in edges)
        # Art is colourful, not a black silhouette.
        ink = picture[picture[..., 3] > 200][:, :3].astype(int)
        assert np.ptp(ink, axis=1).max() > 60
