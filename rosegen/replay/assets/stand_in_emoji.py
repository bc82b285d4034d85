"""Emoji of the packs that stand in for those not at hand: the same code points, drawn by another.

Where no pack draws them, other emoji of the catalogue do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.replay.assets.emoji import WantedEmoji
from rosegen.replay.assets.looks import look_at
from rosegen.replay.assets.outcome import Found, Missing, Tiles, stood_in
from rosegen.replay.assets.places import Places
from rosegen.replay.assets.record import STYLE, Record
from rosegen.replay.assets.tiles import AssetTile, PackEmojiTile, dressed, provider_of
from rosegen.sources.emoji_catalog import Emoji, read_catalog

Pairs = Iterator[tuple[AssetTile, AssetTile]]
Wish = tuple[Found, WantedEmoji]  # what was found for a role, and what its record names

_MOST_TRIES = 400  # other emoji looked at before it is said that there are none


def stand_in_emoji(record: Record, missing: Missing, places: Places) -> Tiles | None:
    """The same emoji by providers of the packs; None when no two tiles differ visibly.

    Of a style pair, the tile that is at hand is kept, and the providers differ. A content pair is
    by one provider, so that both tiles are replaced. A provider whose name is part of the wanted
    one's is taken before others: ``twemoji`` for ``twemoji_svg``.
    """
    scene = record.scene
    draws = Draws("replay-emoji", scene.subset, scene.scene_id, record.pair_key)
    shelf = draws.shuffled(_one_pack_a_provider(places))
    majority, exception = record.emoji("background"), record.emoji("target")
    pairs: Pairs = iter(())
    if majority is not None and exception is not None:
        if record.kind == STYLE:
            pairs = _styles(shelf, (missing.majority, majority), (missing.exception, exception))
        else:
            pairs = _contents(shelf, majority, exception)
    style = record.style
    for pair in chain(pairs, _others(record.kind, shelf, places, draws)):
        one, other = (dressed(tile, style) for tile in pair)
        if look_at(one, other, scene.grid.cell_size, style.background).apart:
            return Tiles(one, other, (), stood_in(missing, one, other))
    return None


def _one_pack_a_provider(places: Places) -> list[OpenPack]:
    """The first pack of each provider."""
    found: dict[str, OpenPack] = {}
    for opened in places.packs_of_kind("emoji"):
        found.setdefault(_provider(opened), opened)
    return list(found.values())


def _provider(opened: OpenPack) -> str:
    name: str = opened.pack.contents["provider"]
    return name


def _is_named_by(opened: OpenPack, wanted: WantedEmoji) -> bool:
    return _provider(opened).casefold() in wanted.provider.casefold()


def _tile(opened: OpenPack, key: str) -> PackEmojiTile | None:
    """An emoji of a pack; None when the provider has not drawn it."""
    provider = provider_of(opened)
    if not provider.keys([key]):
        return None
    return PackEmojiTile(provider.asset(key), opened.pack.name, opened.pack.license, opened, key)


def _by_preference(shelf: list[OpenPack], wanted: WantedEmoji) -> list[OpenPack]:
    return sorted(shelf, key=lambda opened: not _is_named_by(opened, wanted))


def _styles(shelf: list[OpenPack], majority: Wish, exception: Wish) -> Pairs:
    """Each way to fill the roles by two different providers; what is at hand stays."""

    def choices(role: Wish, beside: Wish) -> list[tuple[AssetTile, str]]:
        found, wanted = role
        if isinstance(found, AssetTile):
            return [(found, wanted.provider)]
        kept = isinstance(beside[0], AssetTile)
        tiles = [
            (_tile(opened, wanted.key), _provider(opened))
            for opened in _by_preference(shelf, wanted)
            if not (kept and _is_named_by(opened, beside[1]))
        ]
        return [(tile, provider) for tile, provider in tiles if tile is not None]

    for one, provider in choices(majority, exception):
        for other, another in choices(exception, majority):
            if provider != another:
                yield one, other


def _contents(shelf: list[OpenPack], majority: WantedEmoji, exception: WantedEmoji) -> Pairs:
    """Both emoji by one provider, for each that has drawn both."""
    for opened in _by_preference(shelf, majority):
        one, other = _tile(opened, majority.key), _tile(opened, exception.key)
        if one is not None and other is not None:
            yield one, other


def _others(kind: str, shelf: list[OpenPack], places: Places, draws: Draws) -> Pairs:
    """Other emoji of the catalogue: one by two providers, or two of a subgroup by one."""
    catalog = _catalog(tuple(places.packs_of_kind("characters")))
    keys = list(catalog)
    if not keys or not shelf:
        return
    for _ in range(_MOST_TRIES):
        first = second = draws.choice(keys)
        opened = another = draws.choice(shelf)
        if kind == STYLE:
            another = draws.choice(shelf)
        else:
            second = draws.choice(
                [k for k in keys if catalog[k].subgroup == catalog[first].subgroup]
            )
        one, other = _tile(opened, first), _tile(another, second)
        if one is not None and other is not None and one != other:
            yield one, other


@lru_cache(maxsize=4)
def _catalog(packs: tuple[OpenPack, ...]) -> dict[str, Emoji]:
    """The emoji that packs of character data know, skin tones left out; none without such packs."""
    try:
        return {key: e for key, e in read_catalog(packs).items() if not e.has_skin_tone}
    except RosegenError:
        return {}
