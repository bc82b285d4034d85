"""What a visual source is: it lists pairs of tiles that look alike, and draws a tile.

A source of one's own derives from ``Source`` and is named as an entry point of the group
``rosegen.sources``; ``rosegen.testing.check_source`` tells whether it keeps the contract.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from rosegen.errors import RosegenError
from rosegen.packs import Kind, OpenPack
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
class Refusal:
    """Something that was offered as a tile and cannot be one.

    ``reason`` is one of few, by which refusals are counted (``not in the face``); ``detail`` says
    more of this one.
    """

    tile: str
    reason: str
    detail: str = ""


@dataclass(frozen=True)
class SourceConfig:
    """What a subset gives its source, with the packs it names already open."""

    kind: str
    options: Mapping[str, Any]
    packs: Mapping[str, OpenPack]
    cache: Path
    background: tuple[int, int, int]
    ink: float  # share of the cell's side that a tile may fill
    folder: Path = Path()  # what relative paths among the options start from: the pipeline's

    @property
    def identity(self) -> str:
        """Equal for configurations that make the same source."""
        packs = {name: pack.sha256 for name, pack in self.packs.items()}
        parts = (self.kind, dict(self.options), packs, self.background, self.ink, self.folder)
        return repr(parts)


@dataclass(frozen=True)
class OwnArt:
    """Art that a source brings itself, rather than from a pack: drawn by its code or its files.

    Attributes:
        name: what tiles call it (``Tile.pack``).
        license: SPDX expression.
        attribution: who made it, as a release credits them.
        homepage: the art's own home.
        sha256: of what it is drawn from; empty for the file that defines the source.
    """

    name: str
    license: str
    attribution: str
    homepage: str = ""
    sha256: str = ""


class Source(ABC):
    """A visual source. Instances are made in every worker, so making one must be cheap.

    Attributes:
        kind: what a pipeline calls it.
        primitive_type: what rows call it: ``CHINESE_GLYPH``.
        pack_kinds: the kinds of packs it reads; a folder that a pipeline names is taken to be the
            first of them.
        options: what a pipeline may set: name to JSON Schema.
        option_files: those options that name a file; what is in it counts as part of the pipeline.
        columns: columns of a row that only this source fills and rosegen does not know: name to
            JSON Schema, with a ``description``. They land in the release's schema, in its card and
            in its features, and are null in the rows of other subsets.
        settings: a subset's settings that suit this source; what a pipeline says goes before them.
    """

    kind: ClassVar[str]
    primitive_type: ClassVar[str]
    pack_kinds: ClassVar[tuple[Kind, ...]] = ()
    options: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    option_files: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    settings: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, config: SourceConfig) -> None:
        self.config = config

    @classmethod
    def variants(cls) -> tuple[type[Source], ...]:
        """Every class that the options can mean."""
        return (cls,)

    @classmethod
    def variant(cls, options: Mapping[str, Any]) -> type[Source]:
        """The class that these options mean, where one kind has several."""
        return cls

    @classmethod
    def own_art(cls, options: Mapping[str, Any]) -> Sequence[OwnArt]:
        """The art that comes with the source."""
        return ()

    def open(self) -> None:
        """Read what every draw needs, so that workers made after this have it too."""

    @abstractmethod
    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        """Every pair this source can offer, in an order that is the same everywhere."""

    @abstractmethod
    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        """A tile as it stands in a cell: uint8 (cell_size, cell_size, 3).

        Raises:
            Unavailable: the tile cannot be drawn; its pair is refused for that.
        """

    def art(self, tile: Tile) -> bytes:
        """The art itself whatever the cell size: equal for two tiles that look the same."""
        return self.draw(tile, 256).tobytes()

    def fields(self, pair: Candidate, flipped: bool, cell_size: int) -> Mapping[str, Any]:
        """The columns of a row that only this kind of source fills.

        Args:
            pair: the candidate.
            flipped: whether tile ``b`` is the majority.
            cell_size: pixels.
        """
        return {}

    def refused(self) -> Sequence[Refusal]:
        """What ``candidates`` left out as unfit to be a tile, and why."""
        return ()

    def packs_of_kind(self, kind: Kind) -> list[OpenPack]:
        """The packs of one kind, in the order the pipeline names them.

        Raises:
            RosegenError: when there is none.
        """
        found = [pack for pack in self.config.packs.values() if pack.pack.kind == kind]
        if not found:
            raise RosegenError(f"source {self.kind}: no pack of kind {kind!r} among its packs")
        return found
