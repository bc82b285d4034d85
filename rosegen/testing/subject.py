"""A source under test, in a subset of its own, with a cache that goes when the test is over."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.opening import Opened, open_packs
from rosegen.packs import Pack, fetch, load_pack, load_packs
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Source, SourceConfig
from rosegen.sources.registry import lent
from rosegen.testing.breach import Breach, BreachError, calling
from rosegen.workshop import prepare

_SEVERAL = 8  # candidates that are looked at closely
_caches = count()


@dataclass(frozen=True)
class Subject:
    """The source, and what a build would have at hand for it.

    Attributes:
        source: the class.
        pipeline: one subset of it, at the settings that suit it.
        opened: its packs.
        folder: goes when the test is over.
    """

    source: type[Source]
    pipeline: Pipeline
    opened: Opened
    folder: Path

    @property
    def subset(self) -> Subset:
        """The one subset."""
        return self.pipeline.subsets[0]

    @cached_property
    def pack_names(self) -> tuple[str, ...]:
        """What a tile's pack may be: a pack of the subset, or art of the source's own."""
        own = self.source.own_art(self.subset.options)
        return (*self.opened.of[self.subset.name], *(art.name for art in own))

    @property
    def cache(self) -> Path:
        """rosegen's cache while the test lasts."""
        return self.folder / "cache"

    def config(
        self, background: tuple[int, int, int] | None = None, cache: Path | None = None
    ) -> SourceConfig:
        """What a source is made of, with a cache of its own, in which nothing is mined yet."""
        subset = self.subset
        return SourceConfig(
            kind=subset.kind,
            options=subset.options,
            packs=self.opened.of[subset.name],
            cache=cache or self.folder / f"mined-{next(_caches)}",
            background=background or subset.background,
            ink=subset.ink,
            folder=subset.folder,
        )

    def instance(
        self, background: tuple[int, int, int] | None = None, cache: Path | None = None
    ) -> Source:
        """A fresh source, open.

        Raises:
            BreachError: it cannot be made or opened.
        """
        with calling("candidates", "making and opening it", _GIVE):
            source = self.source(self.config(background, cache))
            source.open()
        return source

    @cached_property
    def opening(self) -> Source:
        """The first source that was made; ``candidates`` are its.

        What it mines is kept where the release that is built later finds it.
        """
        return self.instance(cache=self.cache)

    @cached_property
    def candidates(self) -> Sequence[Candidate]:
        """What it lists with one worker.

        Raises:
            BreachError: it lists nothing that is of use.
        """
        with calling("candidates", "candidates", _GIVE), LocalPool(1) as pool:
            found: Any = self.opening.candidates(pool)
        mend = "return a list of rosegen.sources.base.Candidate"
        if not isinstance(found, Sequence):
            what = f"candidates gives a {type(found).__name__}"
            raise BreachError(Breach("candidates", what, mend))
        alien = next((each for each in found if not isinstance(each, Candidate)), None)
        if alien is not None:
            what = f"candidates lists a {type(alien).__name__}"
            raise BreachError(Breach("candidates", what, mend))
        if not found:
            raise BreachError(Breach("candidates", "there are none", _GIVE))
        return found

    def some(self, most: int = _SEVERAL) -> list[Candidate]:
        """A few candidates from all over the list, first and last among them."""
        found = self.candidates
        if len(found) <= most:
            return list(found)
        return [found[k * (len(found) - 1) // (most - 1)] for k in range(most)]

    def tiles(self, most: int = _SEVERAL) -> list[Tile]:
        """The tiles of those candidates, each once."""
        named = {tile.name: tile for pair in self.some(most) for tile in (pair.a, pair.b)}
        return list(named.values())

    @property
    def cell_sizes(self) -> tuple[int, ...]:
        """The smallest and the largest cell that the settings give, and an odd one."""
        low, high = self.subset.cell_size
        return tuple(sorted({low, (low + high) // 2 | 1, high}))


_GIVE = "give check_source the packs and options it needs, and say in one line what is lacking"


@contextmanager
def prepared(
    source: type[Source],
    options: Mapping[str, Any],
    packs: Sequence[str | Mapping[str, Any]],
    background: str | None,
    scenes: int,
) -> Iterator[Subject]:
    """The source in a subset of its own; afterwards nothing of it is left.

    Raises:
        BreachError: no subset can be made with its settings and these options.
        RosegenError: a pack cannot be had.
    """
    with TemporaryDirectory(prefix="rosegen-check-") as name, lent(source):
        folder = Path(name).resolve()
        path = folder / "pipeline.yaml"
        section = {
            "name": "Check",
            "prefix": "CHK",
            "kind": source.kind,
            "scenes": scenes,
            "options": _placed(source, options),
            "packs": [_from_here(pack) for pack in packs],
            **({} if background is None else {"background": background}),
        }
        try:
            # JSON is YAML.
            text = json.dumps({"format": 1, "name": "check", "subsets": [section]}, indent=1)
            path.write_text(text, encoding="utf-8")
            pipeline = load_pipeline(path)
        except (RosegenError, TypeError) as error:
            where = re.compile(rf"^{re.escape(str(path))}:\d+: (subsets\.0\.?)?")
            raise BreachError(
                Breach(
                    "declaration",
                    f"no subset can be made of it ({where.sub('', str(error))})",
                    "mend the class's settings, or what check_source is given",
                )
            ) from error
        try:
            with _own_cache(folder / "cache", pipeline.subsets[0]):
                opened = open_packs(pipeline.subsets)
                yield Subject(source, pipeline, opened, folder)
        finally:
            prepare({})


def _from_here(pack: str | Mapping[str, Any]) -> Any:
    """A pack whose path starts at the current folder, not at the pipeline."""
    if isinstance(pack, str):
        return str(Path(pack).resolve()) if pack.endswith((".yaml", ".yml")) else pack
    entry = dict(pack)
    if isinstance(entry.get("folder"), (str, Path)):
        entry["folder"] = str(Path(entry["folder"]).resolve())
    return entry


def _placed(source: type[Source], options: Mapping[str, Any]) -> dict[str, Any]:
    """Options whose files are named from the current folder."""
    return {
        name: str(Path(value).resolve()) if name in source.option_files else value
        for name, value in options.items()
    }


@contextmanager
def _own_cache(cache: Path, subset: Subset) -> Iterator[None]:
    """Keep packs and what is mined in a folder of its own; fetched packs are only borrowed.

    Raises:
        RosegenError: a pack cannot be had.
    """
    (cache / "packs").mkdir(parents=True)
    for pack in _fetched(subset):
        entry = fetch(pack).root.parent
        try:
            (cache / "packs" / entry.name).symlink_to(entry, target_is_directory=True)
        except OSError:  # Windows does not let everyone
            shutil.copytree(entry, cache / "packs" / entry.name)
    before = os.environ.get("ROSEGEN_CACHE")
    os.environ["ROSEGEN_CACHE"] = str(cache)
    try:
        yield
    finally:
        if before is None:
            del os.environ["ROSEGEN_CACHE"]
        else:
            os.environ["ROSEGEN_CACHE"] = before


def _fetched(subset: Subset) -> list[Pack]:
    """The packs of a subset that do not come from a folder; unknown names are left for later."""
    known = load_packs()
    named = [
        load_pack(Path(pack)) if pack.endswith((".yaml", ".yml")) else known.get(pack)
        for pack in subset.packs
        if isinstance(pack, str)
    ]
    return [pack for pack in named if pack is not None and pack.source.type != "folder"]
