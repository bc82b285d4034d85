"""What a build has made of a subset, before it is written."""

from __future__ import annotations

from dataclasses import dataclass

from rosegen.pairing import Pairing
from rosegen.pipeline import Subset
from rosegen.scene import Scene
from rosegen.sources.base import Refusal


@dataclass(frozen=True)
class MadeSubset:
    """A subset's scenes, with what made them."""

    subset: Subset
    pairing: Pairing
    dev: frozenset[int]
    scenes: tuple[Scene, ...]
    refused: tuple[Refusal, ...]  # what could be no tile

    def split_of(self, number: int) -> str:
        """``dev`` or ``test``."""
        return "dev" if number in self.dev else "test"
