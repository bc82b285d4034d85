"""Whether a pipeline can be built here: its packs, its sources, and how many pairs they offer."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from rosegen.build import offered
from rosegen.errors import RosegenError
from rosegen.findings import Finding
from rosegen.licenses import refuse_licenses
from rosegen.opening import benches_of, open_packs, packs_of
from rosegen.packs import Pack, status
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.sources.base import Candidate
from rosegen.workshop import prepare, source_of

Task = TypeVar("Task")
Result = TypeVar("Result")

_PATIENCE = 20.0  # seconds of mining for each subset


def examine_pipeline(path: Path | str) -> Iterator[Finding]:
    """Whether every subset of a pipeline finds what it names, and pairs in it.

    Nothing is downloaded: of packs that the build would fetch, only that is said.
    """
    try:
        pipeline = load_pipeline(path)
    except RosegenError as error:
        yield Finding("pipeline", False, str(error), "mend the file")
        return
    for subset in pipeline.subsets:
        try:
            yield _subset(pipeline, subset)
        except RosegenError as error:
            yield Finding(subset.name, False, str(error), "as it says")


def _subset(pipeline: Pipeline, subset: Subset) -> Finding:
    packs = packs_of((subset,), pipeline.licenses)[subset.name]
    about = f"kind {subset.kind}; packs: {', '.join(pack.name for pack in packs) or 'none'}"
    missing = [pack for pack in packs if _must_be_fetched(pack)]
    if missing:
        return _unfetched(subset, missing, about)
    prepare(benches_of((subset,), open_packs((subset,), pipeline.licenses, offline=True)))
    try:
        pairs = offered(subset, source_of(subset.name).candidates(_Patient(_PATIENCE)))
    except _TooLongError:
        detail = f"{about}; mining its pairs takes long and was left to rosegen sources preview"
        return Finding(subset.name, True, detail)
    return _counted(pipeline, subset, pairs, about)


def _must_be_fetched(pack: Pack) -> bool:
    return pack.source.type != "folder" and not status([pack])[0].cached


def _unfetched(subset: Subset, missing: Iterable[Pack], about: str) -> Finding:
    names = " ".join(pack.name for pack in missing)
    if any(pack.source.type == "npm" for pack in missing) and shutil.which("npm") is None:
        detail = f"{about}; not yet fetched: {names}, and there is no npm to fetch with"
        return Finding(subset.name, False, detail, "install Node.js")
    detail = f"{about}; not yet fetched, so that its pairs were not looked at: {names}"
    return Finding(
        subset.name, True, f"{detail} (the build fetches it; so does rosegen assets fetch {names})"
    )


def _counted(pipeline: Pipeline, subset: Subset, pairs: list[Candidate], about: str) -> Finding:
    if pipeline.licenses is not None:
        tiles = {tile.license: tile.name for pair in pairs for tile in (pair.a, pair.b)}
        refuse_licenses(((name, license) for license, name in tiles.items()), pipeline.licenses)
    count = len({(pair.group, pair.key) for pair in pairs})
    plural = "" if count == 1 else "s"
    counted = f"{about}; {count:,} candidate pair{plural} for {subset.scenes:,} scenes"
    if count < subset.scenes and not subset.repeat_pairs:
        mend = "add art, loosen the options, lower scenes, or say repeat_pairs: true"
        return Finding(subset.name, False, f"{counted}, of which each wants a pair", mend)
    return Finding(subset.name, count > 0, counted, "add art, or loosen the options")


class _TooLongError(Exception):
    """The time is up."""


class _Patient:
    """A pool that works in this process, for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks.

        Raises:
            _TooLongError: there was a task left when the time was up.
        """
        for task in tasks:
            if time.monotonic() >= self._until:
                raise _TooLongError
            yield function(task)
