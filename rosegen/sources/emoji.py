"""EmojiStyle and EmojiContent: one emoji by two providers, two emoji by one provider."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.scene import Tile
from rosegen.sources.base import FLAG, SHARE, STRINGS, Candidate, Pool, Source, SourceConfig
from rosegen.sources.emoji_catalog import Emoji, read_catalog
from rosegen.sources.emoji_providers import Provider, open_provider
from rosegen.sources.fitting import fit_flat_smooth, flatten
from rosegen.sources.pool_cache import remembered, remembered_pixels
from rosegen.sources.similarity import changed_pixel_share, ssim_of_tiles
from rosegen.toolchain import toolchain

Pixels = npt.NDArray[np.uint8]

_THUMBNAIL = 40
_THUMBNAIL_RENDERED_AT = 72
_COARSE = 5
_NEIGHBOURS = 10
_BATCH = 64
_REMEMBERED = 400  # pictures, 60 kB each

# Pictures that are a frame, a dot or a blank rather than a thing with a style to compare.
_PLAIN_SUBGROUPS = frozenset({"skin-tone", "hair-style"})


def _rendered_at(cell_size: int) -> int:
    """Side of the rendering that a cell's picture is scaled down from: twice the cell or more."""
    return max(128, 2 * cell_size)


class EmojiSource(Source):
    """Emoji: two alike of one provider, or one by two providers."""

    kind = "emoji"
    pack_kinds = ("emoji", "characters")
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "compare": {
            "enum": ["emoji", "providers"],
            "description": "Two emoji of one provider (when absent), or one emoji by two.",
        },
        "skin_tones": {
            **FLAG,
            "description": "Whether skin tones count; no if absent.",
        },
        "groups": {**STRINGS, "description": 'Unicode groups to use, such as "Flags".'},
        "skip_subgroups": {**STRINGS, "description": "Unicode subgroups to leave out."},
    }

    def __init__(self, config: SourceConfig) -> None:
        super().__init__(config)
        self._flattened: dict[tuple[str, str, int], Pixels] = {}

    @classmethod
    def variants(cls) -> tuple[type[Source], ...]:
        return EmojiContent, EmojiStyle

    @classmethod
    def variant(cls, options: Mapping[str, Any]) -> type[Source]:
        return EmojiStyle if options.get("compare") == "providers" else EmojiContent

    def catalog(self) -> dict[str, Emoji]:
        """The emoji the pipeline allows."""
        options = self.config.options
        groups = options.get("groups")
        skipped = {*_PLAIN_SUBGROUPS, *options.get("skip_subgroups", ())}
        found = {
            key: emoji
            for key, emoji in read_catalog(self.packs_of_kind("characters")).items()
            if (options.get("skin_tones", False) or not emoji.has_skin_tone)
            and (groups is None or emoji.group in groups)
            and emoji.subgroup not in skipped
        }
        if not found:
            raise RosegenError("source emoji: no emoji is left by groups and skip_subgroups")
        return found

    def open(self) -> None:
        for provider in self.providers.values():
            provider.keys(list(self.emoji)[:1])

    @cached_property
    def emoji(self) -> dict[str, Emoji]:
        """The catalogue, read once."""
        return self.catalog()

    @cached_property
    def providers(self) -> dict[str, Provider]:
        """Provider name to provider, in the order of the packs."""
        opened: dict[str, Provider] = {}
        for pack in self.packs_of_kind("emoji"):
            provider = open_provider(pack)
            if provider.name in opened:
                raise RosegenError(
                    f"source emoji: packs {opened[provider.name].pack.pack.name} and "
                    f"{pack.pack.name} are both of provider {provider.name}: name one"
                )
            opened[provider.name] = provider
        return opened

    def tile(self, provider: Provider, key: str) -> Tile:
        """The tile of one emoji by one provider."""
        pack = provider.pack.pack
        recipe = {"provider": provider.name, "key": key}
        return Tile(provider.asset(key), pack.name, pack.license, recipe)

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        provider = self.providers[tile.recipe["provider"]]
        return self.draw_emoji(provider, tile.recipe["key"], cell_size)

    def art(self, tile: Tile) -> bytes:
        provider = self.providers[tile.recipe["provider"]]
        pixels = provider.render(tile.recipe["key"], _rendered_at(0))
        return b"" if pixels is None else repr(pixels.shape).encode() + pixels.tobytes()

    def draw_emoji(self, provider: Provider, key: str, cell_size: int) -> Pixels:
        """One emoji cropped to its ink and fitted into the cell's box."""
        small = cell_size <= _THUMBNAIL
        size = _THUMBNAIL_RENDERED_AT if small else _rendered_at(cell_size)
        flat = self._flat(provider, key, size)
        return fit_flat_smooth(flat, cell_size, self.config.ink, self.config.background)

    def _flat(self, provider: Provider, key: str, size: int) -> Pixels:
        name = (provider.name, key, size)
        if name not in self._flattened:
            rgba = provider.render(key, size)
            if rgba is None:
                raise RosegenError(f"{provider.asset(key)} draws nothing: skip it in its pack file")
            if len(self._flattened) >= _REMEMBERED:
                self._flattened.clear()
            self._flattened[name] = flatten(rgba, self.config.background)
        return self._flattened[name]

    def thumbnails(self, provider: Provider, pool: Pool) -> dict[str, Pixels]:
        """Every emoji of the catalogue the provider has drawn, as a tile of 40 px."""
        keys = provider.keys(self.emoji)

        def draw() -> Pixels:
            tasks = [
                ThumbnailTask(self.config, provider.name, tuple(keys[k : k + _BATCH]))
                for k in range(0, len(keys), _BATCH)
            ]
            return np.concatenate(list(pool.map(draw_thumbnails, tasks)))

        depends = {"mined": "thumbnails", **self._depends(provider)}
        return dict(zip(keys, remembered_pixels(self.config.cache, depends, draw)))

    def _depends(self, provider: Provider) -> dict[str, Any]:
        """Everything the small pictures of a provider depend on."""
        versions = toolchain()
        catalog = hashlib.sha256(repr(list(self.emoji.values())).encode()).hexdigest()
        return {
            "provider": provider.name,
            "sha256": provider.pack.sha256,
            "catalog": catalog,
            "ink": self.config.ink,
            "background": list(self.config.background),
            **{tool: versions[tool] for tool in ("rosegen", "resvg_py", "blackrenderer", "pillow")},
        }

    def _labels(self, emoji: Emoji) -> dict[str, str]:
        return {"h2_label": emoji.group, "h3_title": emoji.subgroup}


@dataclass(frozen=True)
class ThumbnailTask:
    """A run of emoji for one worker to draw small."""

    config: SourceConfig
    provider: str
    keys: tuple[str, ...]


def draw_thumbnails(task: ThumbnailTask) -> Pixels:
    """Tiles of 40 px: uint8 (n, 40, 40, 3)."""
    source = _source_in_worker(task.config)
    provider = source.providers[task.provider]
    return np.stack([source.draw_emoji(provider, key, _THUMBNAIL) for key in task.keys])


_in_worker: dict[str, EmojiSource] = {}


def _source_in_worker(config: SourceConfig) -> EmojiSource:
    """The source of a configuration, made once in each worker."""
    if config.identity not in _in_worker:
        kind = EmojiStyle if config.options.get("compare") == "providers" else EmojiContent
        _in_worker[config.identity] = kind(config)
    return _in_worker[config.identity]


class EmojiStyle(EmojiSource):
    """One emoji by two providers, joined by its code points."""

    primitive_type = "EMOJI_STYLE"
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **EmojiSource.options,
        "least_ssim": {**SHARE, "description": "Pairs below it at 40 px are not alike; 0.4."},
        "most_changed": {
            **SHARE,
            "description": "Pairs that differ in more of their pixels are not alike; 0.45.",
        },
    }

    settings: ClassVar[Mapping[str, Any]] = {
        "admission": {
            "ssim": [0.48, 0.98],
            "phash_distance": [0, 28],
            "changed_pixel_share": [0.02, 0.40],
            "max_local_color_difference": [15, 65],
        }
    }

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        providers = self.providers
        if len(providers) < 2:
            raise RosegenError("source emoji: to compare providers, name packs of two")
        least_ssim = float(self.config.options.get("least_ssim", 0.4))
        found = []
        for one, other in combinations(sorted(providers), 2):
            found += [
                Candidate(
                    key,
                    f"{one}+{other}",
                    self.tile(providers[one], key),
                    self.tile(providers[other], key),
                    (key, self.emoji[key].subgroup),
                )
                for key in self._alike(providers[one], providers[other], least_ssim, pool)
            ]
        return found

    def _alike(self, one: Provider, other: Provider, least_ssim: float, pool: Pool) -> list[str]:
        """Emoji whose small pictures by two providers are not too far apart."""

        def mine() -> list[str]:
            first, second = self.thumbnails(one, pool), self.thumbnails(other, pool)
            keys = [key for key in first if key in second]
            scores = ssim_of_tiles([(first[key], second[key]) for key in keys])
            return [
                key
                for key, score in zip(keys, scores)
                if score >= least_ssim and changed_pixel_share(first[key], second[key]) <= most
            ]

        most = float(self.config.options.get("most_changed", 0.45))
        depends = {
            "mined": "style",
            "least_ssim": least_ssim,
            "most_changed": most,
            "providers": [self._depends(one), self._depends(other)],
        }
        return [str(key) for key in remembered(self.config.cache, depends, mine)]

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        majority, exception = (pair.b, pair.a) if flipped else (pair.a, pair.b)
        emoji = self.emoji[pair.a.recipe["key"]]
        return {
            "background_emoji": emoji.char,
            "target_emoji": emoji.char,
            "emoji_char": emoji.char,
            "unicode_key": emoji.key,
            "majority_style": majority.recipe["provider"],
            "target_style": exception.recipe["provider"],
            **self._labels(emoji),
            "emoji_name_zh": emoji.name_zh or emoji.name_en,
        }


def _nearest(keys: Sequence[str], tiles: Mapping[str, Pixels]) -> set[tuple[str, str]]:
    """Each key with the few others whose small pictures are nearest to its own, keys ascending."""
    side = _THUMBNAIL // _COARSE
    small = np.stack([tiles[key] for key in keys]).astype(np.int64)
    small = small.reshape(len(keys), side, _COARSE, side, _COARSE, 3).sum(axis=(2, 4))
    flat = (small // (_COARSE * _COARSE)).reshape(len(keys), -1)
    pairs = set()
    for index, key in enumerate(keys):
        distance = ((flat - flat[index]) ** 2).sum(axis=1)
        for other in np.argsort(distance, kind="stable")[: _NEIGHBOURS + 1]:
            if other != index:
                a, b = sorted((key, keys[other]))
                pairs.add((a, b))
    return pairs


class EmojiContent(EmojiSource):
    """Two emoji of one provider, of one Unicode subgroup, that look alike."""

    primitive_type = "EMOJI_CONTENT"
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **EmojiSource.options,
        "least_ssim": {**SHARE, "description": "Pairs below it at 40 px are not alike; 0.5."},
    }

    settings: ClassVar[Mapping[str, Any]] = {
        "admission": {
            "ssim": [0.60, 0.98],
            "phash_distance": [0, 26],
            "changed_pixel_share": [0.02, 0.30],
            "max_local_color_difference": [20, 100],
        }
    }

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        found = []
        for name, provider in self.providers.items():
            for a, b in self._alike(provider, pool):
                key = f"{a}__{b}"
                tiles = self.tile(provider, a), self.tile(provider, b)
                kinds = (a, b, self.emoji[a].subgroup)
                found.append(Candidate(key, name, *tiles, kinds))
        return found

    def _alike(self, provider: Provider, pool: Pool) -> list[tuple[str, str]]:
        least_ssim = float(self.config.options.get("least_ssim", 0.5))
        depends = {"mined": "content", "least_ssim": least_ssim, **self._depends(provider)}

        def mine() -> list[tuple[str, str]]:
            return self._mine(self.thumbnails(provider, pool), least_ssim)

        return [(a, b) for a, b in remembered(self.config.cache, depends, mine)]

    def _mine(self, tiles: Mapping[str, Pixels], least_ssim: float) -> list[tuple[str, str]]:
        subgroups: dict[str, list[str]] = {}
        for key in tiles:
            subgroups.setdefault(self.emoji[key].subgroup, []).append(key)
        pairs = sorted(pair for keys in subgroups.values() for pair in _nearest(keys, tiles))
        scores = ssim_of_tiles([(tiles[a], tiles[b]) for a, b in pairs])
        return [pair for pair, score in zip(pairs, scores) if score >= least_ssim]

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        majority, exception = (pair.b, pair.a) if flipped else (pair.a, pair.b)
        one, other = (self.emoji[tile.recipe["key"]] for tile in (majority, exception))
        return {
            "background_emoji": one.char,
            "target_emoji": other.char,
            "background_unicode": one.key,
            "target_unicode": other.key,
            **self._labels(one),
            "background_name_zh": one.name_zh or one.name_en,
            "target_name_zh": other.name_zh or other.name_en,
            "background_name_en": one.name_en,
            "target_name_en": other.name_en,
        }
