"""What scenes come to: counts and the like, small, so that those of all batches add up."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rosegen.verify.layout import image_file
from rosegen.verify.reading import Row
from rosegen.verify.rows import region_case
from rosegen.verify.said import Said
from rosegen.verify.scenes import Scene
from rosegen.verify.templates import T4

MEASURES = (
    "similarity",
    "ssim",
    "phash_distance",
    "changed_pixel_share",
    "max_local_color_difference",
)
_PLACES = 4
"""Decimals by which values of a measure are told apart when they are counted."""


@dataclass
class Subset:
    """What the scenes of one subset come to."""

    counts: Counter[str] = field(default_factory=Counter)
    """Scenes, images, items; of each split, too."""
    prefixes: dict[str, None] = field(default_factory=dict)
    first: int = 0
    """Smallest number of a scene."""
    last: int = 0
    shares: dict[tuple[str, ...], Counter[str]] = field(default_factory=dict)
    """What quotas and difficulty speak of: ``(section, template or nothing)`` to its counts."""
    measures: dict[str, Counter[float | None]] = field(default_factory=dict)
    """Measure to how often each value occurs, rounded; None where the rows do not tell it."""
    pair_keys: set[int] = field(default_factory=set)
    """A hash of each."""

    def add(self, other: Subset) -> None:
        """Add what other scenes of the subset come to."""
        self.counts += other.counts
        self.prefixes.update(other.prefixes)
        self.first = min(self.first or other.first, other.first)
        self.last = max(self.last, other.last)
        for share, counted in other.shares.items():
            self.shares.setdefault(share, Counter()).update(counted)
        for name, values in other.measures.items():
            self.measures.setdefault(name, Counter()).update(values)
        self.pair_keys |= other.pair_keys


@dataclass
class Facts:
    """What scenes come to, and what is told of them that must fit what is told of others."""

    said: Said
    subsets: dict[str, Subset] = field(default_factory=dict)
    first_of: dict[str, str] = field(default_factory=dict)
    """Subset to the id of its first scene."""
    readable: bool = True
    """Whether every scene's exceptions and regions make sense."""
    substituted: int = 0
    bridge_rows: int = 0
    packs: dict[str, str] = field(default_factory=dict)
    """Pack to a subset whose tiles come from it."""
    licenses: Counter[str] = field(default_factory=Counter)
    """Images that show art under each licence, by the manifest."""
    sizes: set[tuple[int, int]] = field(default_factory=set)
    """Width and height of images, by the manifest."""
    expected: dict[tuple[str, str], dict[int, int]] = field(default_factory=dict)
    """Subset and prefix to the batches of its images; in each, those there must be as bits."""
    images: int = 0
    """Looked at."""
    unreached: Counter[str] = field(default_factory=Counter)
    """Folder that is not there to how many images should be in it."""

    def add(self, other: Facts) -> None:
        """Add what other scenes come to."""
        self.said.add(other.said)
        for name, subset in other.subsets.items():
            self.subsets.setdefault(name, Subset()).add(subset)
        for name, scene_id in other.first_of.items():
            self.first_of.setdefault(name, scene_id)
        self.readable &= other.readable
        self.substituted += other.substituted
        self.bridge_rows += other.bridge_rows
        for name, user in other.packs.items():
            self.packs.setdefault(name, user)
        self.licenses += other.licenses
        self.sizes |= other.sizes
        for where, batches in other.expected.items():
            known = self.expected.setdefault(where, {})
            for batch, mask in batches.items():
                known[batch] = known.get(batch, 0) | mask
        self.images += other.images
        self.unreached += other.unreached

    @property
    def counts(self) -> Counter[str]:
        """Scenes, images and items of all subsets."""
        total: Counter[str] = Counter()
        for subset in self.subsets.values():
            total += subset.counts
        return total

    def expects(self, subset: str, prefix: str, number: int) -> bool:
        """Whether the release must have the image of a number."""
        batch, place = divmod(number - 1, 2 * self.said.size)
        return bool(self.expected.get((subset, prefix), {}).get(batch, 0) >> place & 1)

    def image_folders(self) -> set[str]:
        """The folders that hold images."""
        found = set()
        for (subset, prefix), batches in self.expected.items():
            for batch, mask in batches.items():
                first = 2 * self.said.size * batch
                ends = (first + (mask & -mask).bit_length(), first + mask.bit_length())
                found |= {image_file(subset, f"{prefix}IMG_{number:06d}") for number in ends}
        return {path.rpartition("/")[0] for path in found}


def note_scenes(facts: Facts, scenes: Iterable[Scene]) -> None:
    """Count scenes that have been checked."""
    for scene in scenes:
        name = str(scene.shared["rose_subset"])
        facts.first_of.setdefault(name, scene.scene_id)
        _note_scene(facts.subsets.setdefault(name, Subset()), scene)
        facts.readable &= scene.truth is not None and len(scene.areas) == len(scene.rows)
        facts.substituted += scene.shared.get("substituted") is not None
        note_packs(facts, scene.shared)
        _expect(facts, name, scene)


def _note_scene(subset: Subset, scene: Scene) -> None:
    items, split = len(scene.rows), scene.split
    subset.counts.update(scenes=1, images=len(scene.image_ids), items=items)
    subset.counts.update({f"{split}_scenes": 1, f"{split}_items": items})
    subset.prefixes[scene.key[0]] = None
    subset.first = min(subset.first or scene.key[1], scene.key[1])
    subset.last = max(subset.last, scene.key[1])
    subset.pair_keys.add(short_hash(repr(scene.shared["pair_key"])))
    for measure in MEASURES:
        value = scene.shared[measure]
        rounded = None if value is None else round(float(value), _PLACES)
        subset.measures.setdefault(measure, Counter())[rounded] += 1

    def count(section: str, template: str, value: object) -> None:
        subset.shares.setdefault((section, template), Counter())[str(value)] += 1

    count("grid_profiles", "", scene.shared["grid_size_profile"])
    count("exceptions", "", len(scene.shared["target_cells"]))
    if T4 in scene.rows:
        count("cue_types", "", scene.rows[T4]["cue_type"])
    for row in scene.rows.values():
        count("difficulty", "", row["difficulty"])
    for template, area in scene.areas.items():
        count("region_types", template, area.kind)
        if scene.truth is not None:
            inside = sum(map(area.holds, scene.truth.targets))
            count("region_cases", template, region_case(inside, len(scene.truth.targets)))


def note_packs(facts: Facts, row: Row) -> None:
    """Note the packs that a scene, or an image, says its tiles come from."""
    for column in ("background_pack", "target_pack"):
        if row[column] is not None:
            facts.packs.setdefault(row[column], str(row["rose_subset"]))


def _expect(facts: Facts, subset: str, scene: Scene) -> None:
    prefix, number = scene.key
    batch, place = divmod(2 * number - 2, 2 * facts.said.size)
    batches = facts.expected.setdefault((subset, prefix), {})
    images = 1 if scene.cue_id is None else 3
    batches[batch] = batches.get(batch, 0) | images << place


def short_hash(text: str) -> int:
    """A number of 64 bits that stands for a text."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest())
