"""ImagePool: pictures that someone brings, of which those that look alike are made pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from rosegen.packs import OpenPack
from rosegen.scene import Tile
from rosegen.sources.base import FLAG, SHARE, WHOLE, Candidate, Pool
from rosegen.sources.image_source import ImageSource, Survey, group_of, pair_of
from rosegen.sources.pool_cache import remembered
from rosegen.sources.similarity import ssim

Pixels = npt.NDArray[np.uint8]
Hashes = npt.NDArray[np.uint16]
Indices = npt.NDArray[np.int64]

_BITS = np.array([value.bit_count() for value in range(1 << 16)], np.uint8)
_CELLS = 2_500_000  # distances that are held at once
_CACHED = 8  # pairs whose sums fit the processor's cache
_PAIRS, _TASKS = 64, 64  # pairs a worker scores in one go, and how many such tasks wait at once


class ImagePool(ImageSource):
    """Two pictures of one pack that look alike."""

    kind = "image_pool"
    primitive_type = "IMAGE_POOL"
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        **ImageSource.options,
        "shortlist": {
            **WHOLE,
            "description": "Nearest pictures by hash that each is compared with; 12.",
        },
        "most_phash": {
            "type": "integer",
            "minimum": 0,
            "maximum": 64,
            "description": "Largest distance of perceptual hashes, in bits; 26.",
        },
        "least_ssim": {
            **SHARE,
            "description": "Pairs whose SSIM at 64 px is below it are not alike; 0.5.",
        },
        "within_folders": {
            **FLAG,
            "description": "Whether only pictures of one folder are compared; no if absent.",
        },
    }
    settings: ClassVar[Mapping[str, Any]] = {
        "ink": 0.9,
        "grid": {"cell_size": [64, 96]},
        "admission": {
            "ssim": [0.6, 0.98],
            "phash_distance": [0, 26],
            "changed_pixel_share": [0.02, 0.3],
            "max_local_color_difference": [20, 100],
            "mean_color_difference": [0, 10],
            "ink_difference": [0, 0.2],
        },
    }
    default_fit = "ink"

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        self.refuse_nothing()
        within = bool(self.config.options.get("within_folders", False))
        found = []
        count = 0
        for pack in self.packs_of_kind("images"):
            survey = self._without_copies(self.survey(pack, self.tiles(pack), pool))
            count += len(survey.tiles)
            for i, j in self._alike(pack, survey, within, pool):
                a, b = survey.tiles[i], survey.tiles[j]
                found.append(pair_of(a, b, group_of(a) if within else a.pack))
        if not found:
            raise self.nothing_left(
                f"no two of {count} pictures are alike (bring more, or loosen most_phash and "
                f"least_ssim)"
            )
        return found

    def _without_copies(self, survey: Survey) -> Survey:
        """The pictures of which each differs from all before it; the others are refused."""
        first: dict[str, Tile] = {}
        kept = []
        for index, (tile, seen) in enumerate(zip(survey.tiles, survey.seen)):
            other = first.setdefault(seen.sha256, tile)
            if other is tile:
                kept.append(index)
            else:
                self.refuse(tile, "identical", f"to {self.called(other)}")
        return Survey(
            [survey.tiles[k] for k in kept], [survey.seen[k] for k in kept], survey.lumas[kept]
        )

    def _alike(
        self, pack: OpenPack, survey: Survey, within: bool, pool: Pool
    ) -> list[tuple[int, int]]:
        """Indices (i < j) of the pictures that look alike."""
        options = self.config.options
        shortlist = int(options.get("shortlist", 12))
        most = int(options.get("most_phash", 26))
        least_ssim = float(options.get("least_ssim", 0.5))

        def mine() -> list[tuple[int, int]]:
            hashes = hashes_of([seen.phash for seen in survey.seen])
            pairs = np.concatenate(
                [
                    part[nearest(hashes[part], shortlist, most)]
                    for part in self._comparable(survey, within)
                ]
            )
            pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
            scores = list(scored(survey.lumas, pairs, pool))
            return [(int(i), int(j)) for (i, j), s in zip(pairs, scores) if s >= least_ssim]

        if len(survey.tiles) < 2:
            return []
        depends = {
            "mined": "alike pictures",
            "shortlist": shortlist,
            "most_phash": most,
            "least_ssim": least_ssim,
            "within_folders": within,
            **self.depends(pack, survey.tiles),
        }
        return [(i, j) for i, j in remembered(self.config.cache, depends, mine)]

    def _comparable(self, survey: Survey, within: bool) -> list[Indices]:
        """Indices of the pictures that may make pairs with each other, ascending."""
        parts: dict[tuple[Any, ...], list[int]] = {}
        for index, (tile, seen) in enumerate(zip(survey.tiles, survey.seen)):
            folder = str(tile.recipe["file"]).rpartition("/")[0] if within else ""
            canvas = (seen.size, seen.is_drawing) if self.look.fit == "canvas" else None
            parts.setdefault((folder, canvas), []).append(index)
        return [np.array(part, np.int64) for part in parts.values()]


def hashes_of(phashes: Sequence[str]) -> Hashes:
    """Perceptual hashes in hex, 64 bits each, as uint16 (n, 4)."""
    return np.frombuffer(bytes.fromhex("".join(phashes)), np.uint16).reshape(-1, 4)


def nearest(hashes: Hashes, keep: int, most: int) -> Indices:
    """Each picture with its nearest neighbours by the bits in which their hashes differ.

    Of neighbours that are equally near, those that come first are taken.

    Args:
        hashes: uint16 (n, 4).
        keep: neighbours of each picture, at least 1.
        most: bits in which neighbours may differ.

    Returns:
        Indices i < j, int64 (pairs, 2), ascending, each pair once.
    """
    n = len(hashes)
    keep = min(keep, n - 1)
    if keep < 1:
        return np.zeros((0, 2), np.int64)
    order = np.arange(n, dtype=np.int64)
    rows = max(1, _CELLS // n)
    found = []
    for start in range(0, n, rows):
        block, own = hashes[start : start + rows], order[start : start + rows]
        distance = np.zeros((len(block), n), np.uint8)
        for part in range(4):
            distance += _BITS[block[:, None, part] ^ hashes[None, :, part]]
        # By distance, then by place: no two ranks are equal, so every way of sorting gives these.
        rank = distance * np.int64(n) + order
        rank[own - start, own] = 65 * n  # a picture is no neighbour of itself
        rank = np.partition(rank, keep - 1, axis=1)[:, :keep]
        near = rank < (most + 1) * n
        pairs = np.stack([np.broadcast_to(own[:, None], rank.shape)[near], rank[near] % n], axis=1)
        found.append(np.sort(pairs, axis=1))
    each_once: Indices = np.unique(np.concatenate(found), axis=0)
    return each_once


@dataclass(frozen=True)
class ScoreTask:
    """Pairs of thumbnails for one worker to compare: uint8 (n, side, side) each."""

    first: Pixels
    second: Pixels


def score(task: ScoreTask) -> list[float]:
    """SSIM of each pair, rounded to 6 places."""
    scores: list[float] = []
    for k in range(0, len(task.first), _CACHED):
        part = slice(k, k + _CACHED)
        scores += [float(each) for each in ssim(task.first[part], task.second[part]).round(6)]
    return scores


def scored(lumas: Pixels, pairs: Indices, pool: Pool) -> Iterator[float]:
    """SSIM of each pair of these thumbnails."""
    for start in range(0, len(pairs), _PAIRS * _TASKS):
        waiting = pairs[start : start + _PAIRS * _TASKS]
        parts = [waiting[k : k + _PAIRS] for k in range(0, len(waiting), _PAIRS)]
        tasks = [ScoreTask(lumas[part[:, 0]], lumas[part[:, 1]]) for part in parts]
        for scores in pool.map(score, tasks):
            yield from scores
