"""Pages of pairs as pictures: every pair is on one, at its real size, and none is too large."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rosegen.curation import mine_pairs, show_pairs
from rosegen.curation.cards import Card, draw, make_cards
from rosegen.curation.pages import make_pages
from rosegen.engine.local import LocalPool
from rosegen.pair_list import read_pair_list
from rosegen.pipeline import Subset
from rosegen.sources.base import Candidate, SourceConfig
from tests.curation.maker import Spots, decided, loaded, pipeline, several, spot

pytestmark = pytest.mark.usefixtures("spots")


def cards(path: Path, pairs: Path) -> list[Card]:
    """The cards of a list; ``show_pairs`` has opened its sources in this process."""
    subsets = loaded(path).subsets
    offered = {subset.name: offered_by(subset) for subset in subsets}
    return make_cards(read_pair_list(pairs), subsets, offered)


def offered_by(subset: Subset) -> list[Candidate]:
    config = SourceConfig("spots", subset.options, {}, Path(), subset.background, subset.ink)
    return list(Spots(config).candidates(LocalPool(1)))


@pytest.fixture
def mined(tmp_path: Path) -> Path:
    """A pipeline of seventy pairs; its list is beside it."""
    path = pipeline(tmp_path, [spot(n) for n in range(70)])
    mine_pairs(path, tmp_path / "pairs.csv", workers=1)
    return path


def test_thirty_pairs_are_on_a_page_as_a_scene_shows_them(tmp_path: Path, mined: Path) -> None:
    pairs = mined.with_name("pairs.csv")
    found = show_pairs(mined, pairs, tmp_path / "s.html", png=tmp_path / "pages", workers=1)
    assert [p.name for p in found.pages] == ["pairs-001.png", "pairs-002.png", "pairs-003.png"]
    assert sorted(p.name for p in (tmp_path / "pages").iterdir()) == [p.name for p in found.pages]
    listed = cards(mined, pairs)
    dealt = make_pages(tmp_path, listed)
    assert [len(page.cards) for page in dealt] == [30, 30, 10]
    assert [card.number for page in dealt for card in page.cards] == list(range(1, 71))
    for path, page in zip(found.pages, dealt, strict=True):
        pixels = np.asarray(Image.open(path).convert("RGB"))
        assert max(pixels.shape) <= 2250
        drawn = draw(page.cards[0], 100)
        assert drawn is not None
        scene = drawn.scene(page.cards[0].excerpt(3, 230, 160))
        height, width, _ = scene.shape
        assert np.array_equal(pixels[31 : 31 + height, 12 : 12 + width], scene)


def test_a_scene_has_one_exception_and_it_is_not_always_in_one_place(
    tmp_path: Path, mined: Path
) -> None:
    holes = set()
    for card in cards(mined, mined.with_name("pairs.csv"))[:20]:
        drawn = draw(card, 100)
        assert drawn is not None
        excerpt = card.excerpt(4, 320, 220)
        scene, size = drawn.scene(excerpt), card.cell_size
        cells = [
            scene[row * size : (row + 1) * size, col * size : (col + 1) * size]
            for row in range(excerpt.rows)
            for col in range(excerpt.cols)
        ]
        odd = [n for n, cell in enumerate(cells) if not np.array_equal(cell, drawn.cells[0])]
        assert odd == [excerpt.hole]
        assert np.array_equal(cells[excerpt.hole], drawn.cells[1])
        holes.add(excerpt.hole)
    assert len(holes) > 5


def test_grid_lines_are_shown_as_scenes_have_them(tmp_path: Path) -> None:
    path = pipeline(tmp_path, [spot(0)], grid_lines={"color": "#ff0000", "width": 2})
    mine_pairs(path, tmp_path / "pairs.csv", workers=1)
    (card,) = cards(path, tmp_path / "pairs.csv")
    drawn = draw(card, 100)
    assert drawn is not None
    assert (drawn.cells[0][0] == (255, 0, 0)).all()
    assert (drawn.enlarged[0][0] == (255, 255, 255)).all()


@pytest.mark.parametrize("size", [16, 150, 512])
def test_pages_hold_cells_of_any_size(tmp_path: Path, size: int) -> None:
    path = pipeline(tmp_path, [spot(n) for n in range(5)], grid={"cell_size": [size, size]})
    mine_pairs(path, tmp_path / "pairs.csv", workers=1)
    found = show_pairs(
        path, tmp_path / "pairs.csv", tmp_path / "s.html", png=tmp_path / "pages", workers=1
    )
    dealt = make_pages(tmp_path, cards(path, tmp_path / "pairs.csv"))
    assert sum(len(page.cards) for page in dealt) == 5
    for page in found.pages:
        width, height = Image.open(page).size
        assert width <= 2600
        assert height <= 2250


def test_each_subset_begins_a_page(tmp_path: Path) -> None:
    path = several(tmp_path, {"One": ([spot(0)], {}), "Two": ([spot(1)], {})})
    mine_pairs(path, tmp_path / "pairs.csv", workers=1)
    pages = make_pages(tmp_path, cards(path, tmp_path / "pairs.csv"))
    assert [[card.subset.name for card in page.cards] for page in pages] == [["One"], ["Two"]]


def test_pages_of_an_earlier_list_go_and_other_files_stay(tmp_path: Path, mined: Path) -> None:
    pages = tmp_path / "pages"
    show_pairs(mined, mined.with_name("pairs.csv"), tmp_path / "s.html", png=pages, workers=1)
    (pages / "notes.txt").write_text("mine", encoding="utf-8")
    fewer = pipeline(tmp_path, [spot(n) for n in range(3)])
    mine_pairs(fewer, tmp_path / "few.csv", workers=1)
    show_pairs(fewer, tmp_path / "few.csv", tmp_path / "s.html", png=pages, workers=1)
    assert sorted(path.name for path in pages.iterdir()) == ["notes.txt", "pairs-001.png"]


def test_verdicts_and_pairs_without_a_picture_are_on_pages_too(tmp_path: Path, mined: Path) -> None:
    pairs = mined.with_name("pairs.csv")
    decided(pairs, {"k00": "accept", "k01": "refuse"}, k02="hm")
    shown = []
    for folder, kept in (("all", 70), ("few", 10)):
        path = pipeline(tmp_path, [spot(n) for n in range(kept)])
        found = show_pairs(path, pairs, tmp_path / "s.html", png=tmp_path / folder, workers=1)
        shown.append((found.without_picture, len(found.pages)))
    assert shown == [(0, 3), (60, 3)]


def test_workers_change_nothing(tmp_path: Path, mined: Path) -> None:
    made = []
    for workers in (1, 2):
        folder = tmp_path / f"by {workers}"
        show_pairs(
            mined, mined.with_name("pairs.csv"), folder / "s.html", png=folder, workers=workers
        )
        made.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 4


@pytest.mark.parametrize(
    ("sheet", "pages"),
    [("new/s.html", "new"), ("new/s.html", "new/pages"), ("new/in/s.html", "new"), ("s.html", ".")],
)
def test_sheet_and_pages_may_share_a_folder(
    tmp_path: Path, mined: Path, sheet: str, pages: str
) -> None:
    out = tmp_path / "out"
    show_pairs(mined, mined.with_name("pairs.csv"), out / sheet, png=out / pages, workers=1)
    assert (out / sheet).is_file()
    assert len(list((out / pages).glob("pairs-*.png"))) == 3
    assert len([path for path in out.rglob("*") if path.is_file()]) == 4


def test_nothing_is_left_when_work_stops(tmp_path: Path, mined: Path) -> None:
    def progress(stage: str, done: int, total: int) -> None:
        if stage == "pages":
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        show_pairs(
            mined,
            mined.with_name("pairs.csv"),
            out / "s.html",
            png=out / "pages",
            workers=1,
            progress=progress,
        )
    assert not out.exists()
