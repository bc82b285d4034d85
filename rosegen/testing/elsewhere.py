"""What is done in a worker or another process: list, draw, and tell it in short."""

from __future__ import annotations

import hashlib
import importlib.util
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rosegen.engine.local import LocalPool
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Source, SourceConfig, Unavailable
from rosegen.sources.registry import lend, open_source
from rosegen.testing.breach import told


@dataclass(frozen=True)
class Tiles:
    """Tiles and their cell sizes, and what they are drawn with: a fresh source where none is."""

    config: SourceConfig
    tiles: tuple[tuple[Tile, int], ...]
    source: Source | None = None


def look(task: Tiles) -> list[str]:
    """What each tile looks like, as a hash; ``!`` and the reason where it cannot be drawn."""
    source = task.source
    if source is None:
        source = open_source(task.config)
        source.open()
    return [_look(source, tile, side) for tile, side in task.tiles]


def _look(source: Source, tile: Tile, side: int) -> str:
    try:
        pixels = np.ascontiguousarray(source.draw(tile, side))
        # What no class of the source's own defines is drawn by draw, too.
        art = b"" if type(source).art is Source.art else source.art(tile)
    except Unavailable as reason:
        return f"unavailable: {reason}"
    except Exception as error:
        return f"!{told(error)}"
    head = f"{pixels.dtype} {pixels.shape} {hashlib.sha256(art).hexdigest()}"
    return f"{head} {hashlib.sha256(pixels.tobytes()).hexdigest()}"


def listed(candidates: Iterable[Candidate]) -> list[str]:
    """All that a candidate is, one line each."""
    return [
        repr((each.key, each.group, each.kinds, *_told(each.a), *_told(each.b)))
        for each in candidates
    ]


def _told(tile: Tile) -> tuple[Any, ...]:
    return tile.name, tile.pack, tile.license, sorted(tile.recipe.items())


CALLED_AGAIN = 93
"""What another process ends with when the module it imports for the class calls check_source."""

_imports: list[str] = []  # modules that are being imported for a job


def refuse_to_start_again() -> None:
    """End a process that ``check_source`` started and in which it is called again.

    It would start another, and that the next, without end.
    """
    if _imports:
        raise SystemExit(CALLED_AGAIN)


@dataclass(frozen=True)
class Job:
    """What another process is to do: where the class is, what to draw, where the result goes."""

    module: str
    file: str  # of a module that runs as __main__, and so cannot be imported by its name
    name: str
    tiles: Tiles
    result: Path

    @classmethod
    def of(cls, source: type[Source], tiles: Tiles, result: Path) -> Job:
        """The job for a class that is defined at the top of a module."""
        module = source.__module__
        file = getattr(sys.modules[module], "__file__", None) if module == "__main__" else None
        return cls(module, file or "", source.__qualname__, tiles, result)

    def source(self) -> type[Source]:
        """The class, imported."""
        if self.file:
            spec = importlib.util.spec_from_file_location(Path(self.file).stem, self.file)
            if spec is None or spec.loader is None:
                raise ImportError(f"{self.file} cannot be imported")
            found: Any = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = found
            spec.loader.exec_module(found)
        else:
            found = importlib.import_module(self.module)
        for name in self.name.split("."):
            found = getattr(found, name)
        kind: type[Source] = found
        return kind


def main() -> None:
    """Do the job that stands on standard input."""
    job: Job = pickle.load(sys.stdin.buffer)
    _imports.append(job.module)
    lend(job.source())
    _imports.clear()
    draws = look(job.tiles)
    source = open_source(job.tiles.config)
    source.open()
    with LocalPool(1) as pool:
        candidates = listed(source.candidates(pool))
    job.result.write_bytes(pickle.dumps((candidates, draws)))
