"""What a visual source is: it lists pairs of tiles that look alike, and draws a tile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.packs import OpenPack
from rosegen.scene import Tile

Pixels = npt.NDArray[np.uint8]
Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool(Protocol):
    """Something that maps a function over tasks, in order (``LocalPool``)."""

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks."""
        ...


@dataclass(frozen=True)
class Candidate:
    """Two tiles that may make a pair, not yet measured at a cell size.

    ``key`` names the pair whichever tile is the majority. Scenes are shared out over the
    ``group`` s (font faces, providers, packs), and within one spread over the ``kinds``
    (characters, Unicode subgroups, families of sprites): none comes again before the others.
    """

    key: str
    group: str
    a: Tile
    b: Tile
    kinds: tuple[str, ...]


STRINGS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}
FLAG: Mapping[str, Any] = {"type": "boolean"}
SHARE: Mapping[str, Any] = {"type": "number", "minimum": 0, "maximum": 1}
WHOLE: Mapping[str, Any] = {"type": "integer", "minimum": 1}


class Unavailable(Exception):
    """A candidate that turns out to give no pair; the message is a slug such as ``no_erase``."""


@dataclass(frozen=True)
class SourceConfig:
    """One subset's ``source`` section, with the packs it names already open."""

    name: str
    options: Mapping[str, Any]
    packs: Mapping[str, OpenPack]
    cache: Path
    background: tuple[int, int, int]
    ink: float  # share of the cell's side that a tile may fill

    @property
    def identity(self) -> str:
        """Equal for configurations that make the same source."""
        packs = {name: pack.sha256 for name, pack in self.packs.items()}
        parts = (self.name, dict(self.options), packs, self.background, self.ink)
        return repr(parts)


class Source(ABC):
    """A visual source. Instances are made in every worker, so making one must be cheap."""

    name: str
    primitive_type: str
    pack_kinds: frozenset[str]
    options: ClassVar[
        Mapping[str, Mapping[str, Any]]
    ]  # what a pipeline may give: name to JSON Schema

    def __init__(self, config: SourceConfig) -> None:
        self.config = config

    def open(self) -> None:
        """Read what every draw needs, so that workers made after this have it too."""

    @abstractmethod
    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        """Every pair this source can offer, in an order that is the same everywhere."""

    @abstractmethod
    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        """A tile as it stands in a cell: uint8 (cell_size, cell_size, 3)."""

    @abstractmethod
    def art(self, tile: Tile) -> bytes:
        """The art itself whatever the cell size: equal for two tiles that look the same."""

    @abstractmethod
    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        """The columns of a row that only this kind of source fills.

        Args:
            pair: the candidate.
            flipped: whether tile ``b`` is the majority.
            cell_size: pixels.
        """

    def packs_of_kind(self, kind: str) -> list[OpenPack]:
        """The packs of one kind, in the order the pipeline names them.

        Raises:
            RosegenError: when there is none.
        """
        found = [pack for pack in self.config.packs.values() if pack.pack.kind == kind]
        if not found:
            raise RosegenError(f"source {self.name}: no pack of kind {kind!r} among its packs")
        return found
