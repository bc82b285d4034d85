"""Pixel art of rosegen's own and of the packs that stands in for a pair that is not at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.replay.assets.from_packs import library_of, resize_of, sprite_of_pack
from rosegen.replay.assets.looks import look_at
from rosegen.replay.assets.outcome import Missing, Tiles, stood_in
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import EDIT, Record
from rosegen.replay.assets.tiles import AssetTile, dressed
from rosegen.sources.pixel import RESIZE_MODES
from rosegen.sources.pixel_edits import OPERATIONS

Names = tuple[str, str]

_MOST_TRIES = 400
_TAKES = 2  # as many different edits of a kind as a build makes of a sprite


def stand_in_sprites(record: Record, missing: Missing, places: Places) -> Tiles | None:
    """A pair of the same kind, drawn by the pair's name: the same wherever this pair is wanted.

    It is a sprite with an edit of it, or two related sprites; three in four are of rosegen's own
    set. The first that differs visibly and is alike is taken, or else the first that differs; None
    when none does.
    """
    draws = Draws("replay-sprite", record.kind, record.pair_key)
    pair_of = _edit if record.kind == EDIT else _related
    try:
        resize = resize_of(record)
    except RosegenError:
        resize = RESIZE_MODES[0]
    cell_size, style, spare = record.scene.grid.cell_size, record.style, None
    for opened, names in _drawn(pair_of, places, draws):
        one, other = (sprite_of_pack(opened, name, resize) for name in names)
        if not isinstance(one, AssetTile) or not isinstance(other, AssetTile):
            continue
        one, other = dressed(one, style), dressed(other, style)
        looks = look_at(one, other, cell_size, style.background)
        if looks.apart:
            spare = spare or (one, other)
            if looks.alike:
                return Tiles(one, other, (), stood_in(missing, one, other))
    return None if spare is None else Tiles(*spare, (), stood_in(missing, *spare))


def _drawn(
    pair_of: Callable[[OpenPack | None, Draws], Names | None], places: Places, draws: Draws
) -> Iterator[tuple[OpenPack | None, Names]]:
    """Pairs as they are drawn, from whichever set gives some."""
    packs = places.packs_of_kind("sprites")
    for _ in range(_MOST_TRIES):
        own = not packs or draws.below(4) < 3
        opened = None if own else draws.choice(packs)
        names = pair_of(opened, draws)
        if names is not None:
            yield opened, names


def _edit(opened: OpenPack | None, draws: Draws) -> Names | None:
    """A sprite and an edit of it, as a pack has them or as a build makes them."""
    library = library_of(opened)
    if library.edited:
        names = [name for name in library.edited if name in library.art]
        name = f"{library.pack}/{draws.choice(names)}" if names else None
        return None if name is None else (name, f"{name}~True")
    name = f"{library.pack}/{draws.choice(list(library.art))}"
    return name, f"{name}~{draws.choice(list(OPERATIONS))}-{draws.below(_TAKES)}"


def _related(opened: OpenPack | None, draws: Draws) -> Names | None:
    """Two related sprites of one size."""
    pairs = _related_pairs(opened)
    if not pairs:
        return None
    library = library_of(opened)
    one, other = draws.shuffled(draws.choice(pairs))
    if library.art[one].pixels.shape != library.art[other].pixels.shape:
        return None
    return f"{library.pack}/{one}", f"{library.pack}/{other}"


@lru_cache(maxsize=16)
def _related_pairs(opened: OpenPack | None) -> Sequence[Names]:
    """The related sprites of a set, which take a while to find."""
    return library_of(opened).related()
