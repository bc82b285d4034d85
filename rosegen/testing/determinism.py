"""A source must list and draw the same in every instance, worker and process."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from rosegen.engine.local import LocalPool
from rosegen.scene import Tile
from rosegen.sources.base import Result, Source, Task
from rosegen.sources.registry import lend
from rosegen.testing.breach import Breach, BreachError, calling
from rosegen.testing.elsewhere import CALLED_AGAIN, Job, Tiles, listed, look
from rosegen.testing.subject import Subject

_RULE = "determinism"
_LISTING = "sort what comes from sets and folders, and draw with rosegen.draws.Draws"
_DRAWING = "draw from the tile and the options alone, after open() and without candidates()"


def determinism_breaches(subject: Subject) -> Iterator[Breach]:
    """Where another instance, two workers or another process make something else."""
    here, sides = listed(subject.candidates), subject.cell_sizes
    tiles = tuple((tile, sides[k % len(sides)]) for k, tile in enumerate(subject.tiles()))
    drawn = look(Tiles(subject.config(), tiles, subject.opening))
    for other in (_second_instance, _two_workers, _other_process):
        found = list(other(subject, here, tiles, drawn))
        yield from found
        if found:
            return


TilesAt = tuple[tuple[Tile, int], ...]


def _second_instance(
    subject: Subject, here: Sequence[str], tiles: TilesAt, drawn: Sequence[str]
) -> Iterator[Breach]:
    # A worker, too, draws without ever having been asked for candidates.
    yield from _unlike("a second instance", tiles, drawn, look(Tiles(subject.config(), tiles)))
    if any(entry.name != "packs" for entry in subject.cache.iterdir()):
        there = _list(subject.instance(cache=subject.cache), 1)
        yield from _other_list("what was kept in the cache", here, there)


def _two_workers(
    subject: Subject, here: Sequence[str], tiles: TilesAt, drawn: Sequence[str]
) -> Iterator[Breach]:
    with LocalPool(2, initializer=lend, initargs=(subject.source,)) as pool:
        half = len(tiles) // 2
        tasks = [Tiles(subject.config(), part) for part in (tiles[:half], tiles[half:]) if part]
        there = [digest for part in pool.map(look, tasks) for digest in part]
    yield from _unlike("a worker", tiles, drawn, there)
    several = list(_other_list("two workers", here, _list(subject.instance(), 2)))
    if several:  # is it their number, or does every instance list something else?
        alone = list(_other_list("a second instance", here, _list(subject.instance(), 1)))
        yield from alone or several


class _Careful:
    """A pool that refuses what cannot be sent to a worker, on which an executor may hang."""

    def __init__(self, pool: LocalPool) -> None:
        self._pool = pool

    def map(
        self, function: Callable[[Task], Result], tasks: Iterable[Task], chunk: int = 1
    ) -> Iterator[Result]:
        """As ``LocalPool.map``."""
        given = list(tasks)
        pickle.dumps((function, given))
        return self._pool.map(function, given, chunk)


def _list(source: Source, workers: int) -> list[str]:
    mend = "give the pool functions and tasks from the top of a module, and take results in order"
    what = f"candidates of a second instance, with {workers} workers,"
    pool = LocalPool(workers, initializer=lend, initargs=(type(source),))
    with calling(_RULE, what, mend), pool:
        return listed(source.candidates(_Careful(pool)))


def _other_process(
    subject: Subject, here: Sequence[str], tiles: TilesAt, drawn: Sequence[str]
) -> Iterator[Breach]:
    where = "another process"
    result = subject.folder / "there.pickle"
    job = Job.of(subject.source, Tiles(subject.config(), tiles), result)
    program = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from rosegen.testing.elsewhere import main; main()"
    )
    seed = "4711" if os.environ.get("PYTHONHASHSEED") != "4711" else "1147"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=pickle.dumps(job),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    if done.returncode == CALLED_AGAIN:
        what = f"{where} that imports {job.file or job.module} would call check_source again"
        mend = 'call it in a test function, or below `if __name__ == "__main__":`'
        raise BreachError(Breach(_RULE, what, mend))
    if done.returncode != 0 or not result.exists():
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        what = f"{where} cannot list and draw ({last or f'it ends with {done.returncode}'})"
        raise BreachError(Breach(_RULE, what, _DRAWING))
    candidates, there = pickle.loads(Path(result).read_bytes())
    yield from _other_list(where, here, candidates)
    yield from _unlike(where, tiles, drawn, there)


def _other_list(where: str, here: Sequence[str], there: Sequence[str]) -> Iterator[Breach]:
    if list(here) == list(there):
        return
    if sorted(here) == sorted(there):
        what = f"{where} lists candidates in another order"
    elif len(here) != len(there):
        what = f"{where} lists {len(there)} candidates, not {len(here)}"
    else:
        at = next(k for k, (one, other) in enumerate(zip(here, there)) if one != other)
        what = f"{where} lists another candidate at place {at}"
    yield Breach(_RULE, what, _LISTING)


def _unlike(
    where: str, tiles: TilesAt, here: Sequence[str], there: Sequence[str]
) -> Iterator[Breach]:
    for (tile, side), one, other in zip(tiles, here, there):
        if one != other:
            how = "draws other pixels" if other[:1] != "!" else f"cannot draw ({other[1:]})"
            yield Breach(_RULE, f"{where} {how} for {tile.name!r} at {side} px", _DRAWING)
            return
