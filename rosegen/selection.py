"""Which scenes of a pipeline are made, and in what portions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosegen.errors import RosegenError
from rosegen.pairing import BLOCK
from rosegen.pipeline import Pipeline, Subset


@dataclass(frozen=True)
class Selection:
    """Which scenes of a pipeline are made. What is made does not depend on what is left out."""

    subsets: tuple[str, ...] = ()  # none named: all
    limit: int | None = None  # the first so many scenes of each subset
    scenes: frozenset[int] = field(default_factory=frozenset)  # none named: all
    shard: tuple[int, int] | None = None  # (i, n), i from 1: the ith of n runs of what is chosen

    def check(self, pipeline: Pipeline) -> tuple[Subset, ...]:
        """The subsets that are made.

        Raises:
            RosegenError: a subset that the pipeline has not, or a number out of range.
        """
        known = {subset.name: subset for subset in pipeline.subsets}
        for name in self.subsets:
            if name not in known:
                raise RosegenError(
                    f"{pipeline.path}: no subset {name!r} (it has {', '.join(known)})"
                )
        if self.limit is not None and self.limit < 1:
            raise RosegenError(f"--limit {self.limit}: at least 1 scene must be made")
        if self.shard is not None and not 1 <= self.shard[0] <= self.shard[1]:
            raise RosegenError(f"--shard {self.shard[0]}/{self.shard[1]}: I must be from 1 to N")
        numbers = self.numbers(pipeline)
        if not numbers:
            raise RosegenError(f"{pipeline.path}: no scene is left to make by what was chosen")
        return tuple(subset for subset in pipeline.subsets if subset.name in numbers)

    def numbers(self, pipeline: Pipeline) -> dict[str, Sequence[int]]:
        """By name of the subsets that are made, the numbers of their scenes, in order."""
        named = [s for s in pipeline.subsets if not self.subsets or s.name in self.subsets]
        chosen = self._own_run({subset.name: self._before_sharding(subset) for subset in named})
        return {name: numbers for name, numbers in chosen.items() if numbers}

    def _own_run(self, chosen: dict[str, Sequence[int]]) -> dict[str, Sequence[int]]:
        if self.shard is None:
            return chosen
        own, count = self.shard
        total = sum(map(len, chosen.values()))
        start, end = (own - 1) * total // count, own * total // count
        before = 0
        for name, numbers in chosen.items():
            chosen[name] = numbers[max(start - before, 0) : max(end - before, 0)]
            before += len(numbers)
        return chosen

    def _before_sharding(self, subset: Subset) -> Sequence[int]:
        last = subset.scenes if self.limit is None else min(self.limit, subset.scenes)
        if not self.scenes:
            return range(1, last + 1)
        return sorted(number for number in self.scenes if number <= last)

    def as_dict(self) -> dict[str, Any]:
        """The selection as a release records it: null where nothing is left out by that."""
        return {
            "subsets": sorted(self.subsets) or None,
            "limit": self.limit,
            "scenes": sorted(self.scenes) or None,
            "shard": None if self.shard is None else list(self.shard),
        }


@dataclass(frozen=True)
class Portion:
    """Scenes of one subset that are made together, all of one block of scenes."""

    unit: int  # from 0
    subset: str
    numbers: tuple[int, ...]  # from 1, in order

    @property
    def block(self) -> range:
        """The numbers of the block of scenes they belong to, were there scenes without end."""
        first = block_start(self.numbers[0])
        return range(first, first + BLOCK)

    @property
    def label(self) -> str:
        """``ROSE-PixelEdit 65 to 128``."""
        return f"{self.subset} {self.numbers[0]} to {self.numbers[-1]}"


def block_start(number: int) -> int:
    """The first scene of a scene's block."""
    return (number - 1) // BLOCK * BLOCK + 1


def portions(numbers: dict[str, Sequence[int]]) -> Iterator[Portion]:
    """All scenes that are made, portion by portion, in the order of the release."""
    unit = 0
    for subset, chosen in numbers.items():
        start = 0
        while start < len(chosen):
            end, first = start, block_start(chosen[start])
            while end < len(chosen) and chosen[end] < first + BLOCK:
                end += 1
            yield Portion(unit, subset, tuple(chosen[start:end]))
            unit, start = unit + 1, end
