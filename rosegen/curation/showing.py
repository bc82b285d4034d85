"""Write the sheet, and the pages, on which a person looks at the pairs of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from rosegen.curation.cards import Card, make_cards
from rosegen.curation.offer import candidates_of
from rosegen.curation.pages import draw_page, make_pages
from rosegen.curation.sheet import make_sheet, picture
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.files import placed, write_text
from rosegen.opening import Progress, make_pool, open_packs
from rosegen.pair_list import ListedPair, of_subset, read_pair_list
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.selection import Selection

Task = TypeVar("Task")
Result = TypeVar("Result")

_BATCH = 128  # cards or pages that are handed to the pool at a time


@dataclass(frozen=True)
class Shown:
    """What was written.

    Attributes:
        out: the sheet.
        size: its bytes.
        pairs: how many it shows.
        without_picture: how many of them are not among the candidates or cannot be drawn.
        pages: the pictures.
    """

    out: Path
    size: int
    pairs: int
    without_picture: int
    pages: tuple[Path, ...]


def show_pairs(
    pipeline: Pipeline | Path | str,
    pair_list: Path | str,
    out: Path | str,
    *,
    subsets: Sequence[str] = (),
    png: Path | str | None = None,
    workers: int | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> Shown:
    """Write an HTML sheet to accept or refuse the pairs of a list by eye.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        pair_list: the list.
        out: the sheet, ``.html``.
        subsets: which to show; none named: all. What the sheet saves holds the others all the same.
        png: folder that also gets the pairs as pictures ``pairs-001.png`` onwards.
        workers: processes; None for every core.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: for anything the user can mend. What stood at ``out`` is then as it was.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    pair_list, out = Path(pair_list), Path(out)
    if out.suffix.lower() not in (".html", ".htm"):
        raise RosegenError(f"{out}: name the sheet .html")
    pairs = read_pair_list(pair_list)
    chosen = spoken_of(Selection(tuple(subsets)).check(pipeline), pairs, pair_list)
    tell: Progress = progress or (lambda stage, done, total: None)
    opened = open_packs(chosen, pipeline.licenses, offline, tell)
    folder = None if png is None else Path(png)
    with _made(folder), placed(out.parent) as stage, make_pool(workers, chosen, opened) as pool:
        offered = {subset.name: candidates_of(subset, pool, pipeline.licenses) for subset in chosen}
        cards = make_cards(pairs, chosen, offered)
        pictures = list(_mapped(pool, picture, cards, "pairs", tell))
        file = f"{Path(pair_list.name.removesuffix('.gz')).stem}.csv"
        title = f"Pairs of {pipeline.name}: {pair_list.name}"
        page = make_sheet(title, file, pairs, zip(cards, pictures))
        write_text(stage / out.name, page)
        pages = () if folder is None else _write_pages(folder, cards, pool, tell)
    missing = sum(found is None for found in pictures)
    return Shown(out, len(page.encode()), len(cards), missing, pages)


def spoken_of(
    subsets: Sequence[Subset], pairs: Sequence[ListedPair], pair_list: Path
) -> list[Subset]:
    """Those of the subsets that a list has pairs of.

    Raises:
        RosegenError: there is none.
    """
    found = [subset for subset in subsets if of_subset(pairs, subset.name)]
    if not found:
        names = ", ".join(subset.name for subset in subsets)
        raise RosegenError(f"{pair_list}: has no pair of {names}")
    return found


@contextmanager
def _made(folder: Path | None) -> Iterator[None]:
    """Have a folder while something is written, beside others that may be in it or around it.

    It goes when it is left empty. What keeps it from being made is told by who writes into it.
    """
    missing = [] if folder is None else [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        for one in reversed(missing):
            with suppress(OSError):
                one.mkdir()
        yield
    finally:
        for one in missing:
            with suppress(OSError):
                one.rmdir()


def _write_pages(
    folder: Path, cards: Sequence[Card], pool: LocalPool, tell: Progress
) -> tuple[Path, ...]:
    with placed(folder, stale=["pairs-[0-9]*.png"]) as stage:
        pages = make_pages(stage, cards)
        for _ in _mapped(pool, draw_page, pages, "pages", tell):
            pass
    return tuple(folder / page.path.name for page in pages)


def _mapped(
    pool: LocalPool,
    function: Callable[[Task], Result],
    tasks: Iterable[Task],
    stage: str,
    tell: Progress,
) -> Iterator[Result]:
    """The results in order, with a word on how far it is."""
    waiting = list(tasks)
    rest = iter(waiting)
    done = 0
    while batch := list(islice(rest, _BATCH)):
        for result in pool.map(function, batch, chunk=4 if function is picture else 1):
            done += 1
            tell(stage, done, len(waiting))
            yield result
