"""A pair of a list, ready to be looked at: its candidate, its cell size, its small grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rosegen.curation.judging import art_sha256, middle
from rosegen.draws import Draws
from rosegen.pair_list import ListedPair
from rosegen.pipeline import Subset
from rosegen.render.grid import lined
from rosegen.sources.base import Candidate, Pixels, Unavailable
from rosegen.workshop import source_of

_LEAST_ROWS, _MOST_ROWS, _MOST_COLS = 2, 6, 8
_SMALLEST_CELL, _LARGEST_CELL = 7, 512  # pixels


@dataclass(frozen=True)
class Excerpt:
    """A grid with one exception, in the cell ``hole`` (row by row from 0), drawn for each pair."""

    rows: int
    cols: int
    hole: int


@dataclass(frozen=True)
class Card:
    """A pair of a list.

    Attributes:
        number: its place in the list, from 1.
        pair: what the list says.
        subset: the subset it is of.
        candidate: its tiles; None when they are not offered any more.
        cell_size: pixels.
    """

    number: int
    pair: ListedPair
    subset: Subset
    candidate: Candidate | None
    cell_size: int

    def excerpt(self, least_cols: int, width: int, height: int) -> Excerpt:
        """A small grid to see the pair in.

        Args:
            least_cols: columns, even where cells are large.
            width: pixels that it should have about.
            height: pixels that it should have about.
        """
        cols = min(max(round(width / self.cell_size), least_cols), _MOST_COLS)
        rows = min(max(round(height / self.cell_size), _LEAST_ROWS), _MOST_ROWS)
        hole = Draws("sheet", self.pair.group, self.pair.key).below(rows * cols)
        return Excerpt(rows, cols, hole)


@dataclass(frozen=True)
class Drawn:
    """A card's tiles ``a`` and ``b``: uint8 RGB (side, side, 3).

    Attributes:
        cells: as they stand in a scene.
        enlarged: as large as was asked for, without grid lines.
        has_changed: whether the art is not what the list measured.
    """

    cells: tuple[Pixels, Pixels]
    enlarged: tuple[Pixels, Pixels]
    has_changed: bool

    def scene(self, excerpt: Excerpt) -> Pixels:
        """The grid of tile ``a`` with one ``b``."""
        a, b = self.cells
        scene = np.tile(a, (excerpt.rows, excerpt.cols, 1))
        top, left = (place * len(a) for place in divmod(excerpt.hole, excerpt.cols))
        scene[top : top + len(a), left : left + len(a)] = b
        return scene


def make_cards(
    pairs: Sequence[ListedPair],
    subsets: Sequence[Subset],
    offered: Mapping[str, Sequence[Candidate]],
) -> list[Card]:
    """A card for each pair of a list that speaks of one of the subsets, or of none.

    Args:
        pairs: the list.
        subsets: those to be looked at.
        offered: subset name to its candidates.
    """
    named = {
        subset.name: {
            **{("", candidate.key): candidate for candidate in reversed(offered[subset.name])},
            **{(candidate.group, candidate.key): candidate for candidate in offered[subset.name]},
        }
        for subset in subsets
    }
    cards = []
    for number, pair in enumerate(pairs, start=1):
        possible = [subset for subset in subsets if pair.subset in ("", subset.name)]
        if not possible:
            continue
        name = pair.group, pair.key
        subset = next((one for one in possible if name in named[one.name]), possible[0])
        candidate = named[subset.name].get(name)
        cards.append(Card(number, pair, subset, candidate, _cell_size(pair, subset)))
    return cards


def _cell_size(pair: ListedPair, subset: Subset) -> int:
    """That of the list, else the middle of the subset's span."""
    try:
        size = int(float(pair.columns.get("cell_size") or ""))
    except (TypeError, ValueError, OverflowError):
        return middle(subset)
    return size if _SMALLEST_CELL <= size <= _LARGEST_CELL else middle(subset)


def draw(card: Card, enlarged: int) -> Drawn | None:
    """A card's tiles, as in a scene and ``enlarged`` pixels large; None when there are none."""
    if card.candidate is None:
        return None
    source = source_of(card.subset.name)
    tiles = (card.candidate.a, card.candidate.b)
    try:
        a, b = (lined(source.draw(tile, card.cell_size), card.subset.grid_lines) for tile in tiles)
        large_a, large_b = (source.draw(tile, enlarged) for tile in tiles)
    except Unavailable:
        return None
    art = (art_sha256(source, tile) for tile in tiles)
    return Drawn((a, b), (large_a, large_b), card.pair.had_other_art(*art))
