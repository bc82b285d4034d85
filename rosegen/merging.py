"""Shards of a release, built apart, become the release."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from rosegen.engine.store import LocalStore
from rosegen.errors import RosegenError
from rosegen.opening import Progress
from rosegen.release.finishing import (
    BRIDGES,
    MANIFEST,
    REJECTIONS,
    SUMMARY,
    row_files,
    write_papers,
)
from rosegen.release.summary import with_counts
from rosegen.release.tally import (
    Tally,
    add,
    refuse_torn_pairs,
    tally_bridge,
    tally_image,
    tally_rejection,
    tally_scene,
)
from rosegen.release.writer import staged

Record = Mapping[str, Any]

_BY_SUBSET = (
    "quotas",
    "difficulty",
    "similarity",
    "sources",
    "pools",
    "rejections",
    "cues",
    "prompts",
)
_ALIKE = ("name", "title", "rosegen_version", "pipeline", "bridges", "difficulty_rule", "columns")


@dataclass(frozen=True)
class Shard:
    """A shard's folder and what it says of itself."""

    folder: Path
    summary: Record

    @property
    def number(self) -> int:
        """Which it is, from 1."""
        return int(self.summary["selection"]["shard"][0])

    @property
    def count(self) -> int:
        """Of how many."""
        return int(self.summary["selection"]["shard"][1])


@dataclass(frozen=True)
class Merged:
    """What came of a merge."""

    out: Path
    summary: Record
    shards: int


def merge(
    folders: Sequence[Path | str],
    out: Path | str,
    *,
    link: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Merged:
    """Put the shards of a release together, line by line and image by image.

    Args:
        folders: of all shards, in any order.
        out: the release's folder; takes its name only when all is there.
        link: whether images are linked rather than copied, where the disk can do that.
        force: whether a release that stands at ``out`` is replaced.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: shards are missing, doubled, damaged or of different releases; all are named.
    """
    out = Path(out)
    tell = progress or (lambda stage, done, total: None)
    shards = _in_order([_read(Path(folder)) for folder in folders])
    plain = _joined([shard.summary for shard in shards])
    tallies: dict[str, Tally] = {name: {} for name in plain["counts"]["subsets"]}
    images = sum(shard.summary["counts"]["images"] for shard in shards)
    done = 0
    with staged(out, force) as stage:
        store = LocalStore(stage)
        for name in row_files(plain["bridges"]):
            with store.writer(name) as file:
                for shard in shards:
                    for subset, tally, lines in _counted(shard.folder, name):
                        add(tallies[subset], tally)
                        file.writelines(lines)
        refuse_torn_pairs(tallies)
        summary = with_counts(plain, tallies)
        _check_counts(shards, summary)
        for shard in shards:
            for row, _ in _rows(shard.folder / MANIFEST):
                _take(shard.folder, row["image"], stage, link)
                done += 1
                tell("images", done, images)
        write_papers(store, summary)
    return Merged(out, summary, len(shards))


def _read(folder: Path) -> Shard:
    path = folder / SUMMARY
    try:
        summary = orjson.loads(path.read_bytes())
        shard = Shard(folder, summary)
        needed = {*_ALIKE, *_BY_SUBSET, "counts", "packs", "toolchain"}
        if not 1 <= shard.number <= shard.count or not needed <= summary.keys():
            raise ValueError
    except OSError as error:
        raise RosegenError(
            f"{path}: cannot be read ({error.strerror or error}): give the folders that rosegen "
            f"build --shard wrote"
        ) from error
    except (ValueError, KeyError, TypeError, IndexError):
        raise RosegenError(
            f"{folder}: is no shard of a release: rosegen build --shard I/N makes one"
        ) from None
    return shard


def _in_order(shards: Sequence[Shard]) -> list[Shard]:
    """The shards by number, if together they are all of one release.

    Raises:
        RosegenError: they are not; the message names every one that is amiss.
    """
    if not shards:
        raise RosegenError("no shard is given")
    first = min(shards, key=lambda shard: shard.number)
    by_number: dict[int, list[Shard]] = {}
    wrong = []
    for shard in shards:
        by_number.setdefault(shard.number, []).append(shard)
        unlike = _unlike(first, shard)
        if unlike:
            wrong.append(f"{shard.folder} differs from {first.folder} in {', '.join(unlike)}")
    for number, same in sorted(by_number.items()):
        if len(same) > 1:
            wrong.append(f"shard {number} is given {len(same)} times ({_folders(same)})")
    missing = sorted(set(range(1, first.count + 1)) - set(by_number))
    if missing:
        numbers = ", ".join(map(str, missing[:20])) + (" ..." if len(missing) > 20 else "")
        wrong.append(f"of {first.count} shards {len(missing)} are missing: {numbers}")
    if wrong:
        raise RosegenError("; ".join(wrong))
    return [same[0] for _, same in sorted(by_number.items())]


def _folders(shards: Sequence[Shard]) -> str:
    return ", ".join(str(shard.folder) for shard in shards)


def _unlike(one: Shard, other: Shard) -> list[str]:
    """In what two shards are of different releases."""
    a, b = one.summary, other.summary
    unlike = [name for name in _ALIKE if a[name] != b[name]]
    chosen = ({**each["selection"], "shard": each["selection"]["shard"][1]} for each in (a, b))
    if next(chosen) != next(chosen):
        unlike.append("selection")
    tools = sorted({*a["toolchain"], *b["toolchain"]} - {"python"})  # which no pixel shows
    unlike += [name for name in tools if a["toolchain"].get(name) != b["toolchain"].get(name)]
    packs = {pack["name"]: pack for pack in a["packs"]}
    unlike += [
        f"pack {pack['name']}" for pack in b["packs"] if packs.get(pack["name"], pack) != pack
    ]
    return unlike


def _joined(summaries: Sequence[Record]) -> dict[str, Any]:
    """A summary of all their subsets and packs; what it counts is still that of one or another."""
    selection = {**summaries[0]["selection"], "shard": None}
    packs = {pack["name"]: pack for summary in summaries for pack in summary["packs"]}
    return {
        **summaries[0],
        "complete": not any(selection.values()),
        "selection": selection,
        "packs": list(packs.values()),
        "counts": {"subsets": _union(summary["counts"]["subsets"] for summary in summaries)},
        **{name: _union(summary[name] for summary in summaries) for name in _BY_SUBSET},
    }


def _union(sections: Iterable[Record]) -> dict[str, Any]:
    return {name: value for section in sections for name, value in section.items()}


def _rows(path: Path) -> Iterator[tuple[dict[str, Any], bytes]]:
    """The rows of a file, each with its line.

    Raises:
        RosegenError: it cannot be read, or a line is no row.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                row = orjson.loads(line)
                if not isinstance(row, dict) or not line.endswith(b"\n"):
                    raise RosegenError(f"{path}:{number}: is cut short: build this shard again")
                yield row, line
    except OSError as error:
        raise RosegenError(
            f"{path}: cannot be read ({error.strerror or error}): build this shard again"
        ) from error
    except ValueError:
        raise RosegenError(f"{path}:{number}: is no row: build this shard again") from None


def _counted(folder: Path, name: str) -> Iterator[tuple[str, Tally, list[bytes]]]:
    """Lines of a file, scene by scene or one by one: of which subset, what they count, they."""
    rows = _rows(folder / name)
    try:
        if name.startswith("metadata_"):
            for _, group in groupby(rows, key=lambda entry: entry[0]["scene_id"]):
                scene = list(group)
                own = [row for row, _ in scene]
                yield own[0]["rose_subset"], tally_scene(own), [line for _, line in scene]
            return
        bridge = name.startswith(BRIDGES)
        for row, line in rows:
            tally = tally_bridge(row) if bridge else {}
            if name == REJECTIONS:
                tally = tally_rejection(row)
            elif name == MANIFEST:
                tally = tally_image(row)
            yield row["rose_subset"], tally, [line]
    except (KeyError, TypeError, IndexError) as error:
        raise RosegenError(
            f"{folder / name}: a row lacks {error}: build this shard again"
        ) from error


def _check_counts(shards: Sequence[Shard], summary: Record) -> None:
    """Refuse shards that hold fewer or more than they say."""
    for name in ("scenes", "items", "bridge_items"):
        said = sum(shard.summary["counts"][name] for shard in shards)
        if summary["counts"][name] != said:
            raise RosegenError(
                f"{_folders(shards)}: hold {summary['counts'][name]:,} {name}, but their summaries "
                f"say {said:,}: rosegen verify tells which is damaged"
            )


def _take(folder: Path, image: str, stage: Path, link: bool) -> None:
    source, target = folder / image, stage / image
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_file():
        raise RosegenError(f"{source}: is missing: build this shard again")
    if link:
        try:
            os.link(source, target)
            return
        except OSError:
            pass  # another disk, or one without links
    shutil.copyfile(source, target)
