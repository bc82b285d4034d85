"""Published records become a release again: recover, find the art, draw, write. Start here."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.release.writer import staged
from rosegen.replay.assets import Places
from rosegen.replay.columns import COLUMNS
from rosegen.replay.differing import Compared, compare_pictures
from rosegen.replay.drawable import drawable
from rosegen.replay.making import make_scenes
from rosegen.replay.notes import make_notes
from rosegen.replay.own_columns import SUBSTITUTED, own_columns, that_fit
from rosegen.replay.published import Told, may_be_empty, record_files, told_around
from rosegen.replay.recover import recover
from rosegen.replay.recovered import Fault, Lost, Recovered, RecoveredScene
from rosegen.replay.writing import write_release

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Replayed:
    """What came of a replay.

    Attributes:
        out: the release.
        summary: its ``export_summary.json``.
        faults: where records contradict themselves or each other.
        lost: scenes that were not made, and why.
        substituted: how many scenes show art that stands in for other art.
        compared: the pictures beside those of the release that the records were published in.
    """

    out: Path
    summary: Mapping[str, Any]
    faults: tuple[Fault, ...]
    lost: tuple[Lost, ...]
    substituted: int
    compared: Compared


def replay(
    records: Iterable[Path | str],
    out: Path | str,
    *,
    fonts: Sequence[Path] = (),
    emoji: Sequence[Path] = (),
    sprites: Sequence[Path] = (),
    stand_ins: bool = False,
    workers: int | None = None,
    force: bool = False,
    offline: bool = False,
    progress: Progress | None = None,
) -> Replayed:
    """Make a release again from its published rows.

    Args:
        records: files of rows (JSON Lines, gzip or not, or Parquet), or folders of releases.
        out: the new release's folder; takes its name only when all is there.
        fonts: font files and folders of them.
        emoji: folders of providers' folders.
        sprites: folders of pixel art.
        stand_ins: whether art that is not at hand may be substituted; marked on every row.
        workers: processes; None for every core. Changes nothing but the time.
        force: whether a release that stands at ``out`` is replaced.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: records that cannot be read, art that is not at hand, and anything else the
            user can mend. Nothing is left behind then.
    """
    tell = progress or (lambda stage, done, total: None)
    paths = [Path(path) for path in records]
    files = record_files(paths)
    told = told_around(files)
    with staged(Path(out), force) as stage:
        recovered = _recovered(files, told, may_be_empty(paths, files))
        sound, unfit = drawable(recovered.scenes, told.looks)
        columns = own_columns(sound, told.columns)
        fitted = [that_fit(scene, columns) for scene in sound]
        making = make_scenes(
            stage,
            [scene for scene, _ in fitted],
            told.looks,
            Places(tuple(fonts), tuple(emoji), tuple(sprites)),
            stand_ins=stand_ins,
            offline=offline,
            workers=workers,
            tell=tell,
        )
        lost = (*recovered.lost, *unfit, *making.lost)
        left_out = [(scene.scene_id, *value) for scene, values in fitted for value in values]
        compared = compare_pictures(
            making.made, told, making.packs, _of_stand_ins(recovered.scenes)
        )
        notes = make_notes(recovered.faults, lost, compared.differing, left_out, making.made)
        summary = write_release(stage, making, told, columns, files, notes)
    substituted = sum(bool(each.substituted) for each in making.made)
    return Replayed(Path(out), summary, recovered.faults, lost, substituted, compared)


def _of_stand_ins(scenes: Iterable[RecoveredScene]) -> frozenset[str]:
    """Ids of the scenes that showed other art than they name where they were published."""
    return frozenset(scene.scene_id for scene in scenes if scene.columns.get(SUBSTITUTED))


def _recovered(files: Sequence[Path], told: Told, may_be_empty: Container[Path]) -> Recovered:
    """The scenes, subset by subset: in their release's order or ROSE's, if it has all of them.

    Raises:
        RosegenError: there are none.
    """
    words = {name: look.wording for name, look in told.looks.items() if look.wording is not None}
    recovered = recover(files, words, told.rule, may_be_empty)
    if not recovered.scenes:
        first = next(iter([*recovered.lost, *recovered.faults]), "there is no row")
        raise RosegenError(f"{', '.join(map(str, files))}: no scene can be recovered: {first}")
    known = list(told.looks) or list(COLUMNS)
    if any(scene.subset not in known for scene in recovered.scenes):
        return recovered
    scenes = sorted(recovered.scenes, key=lambda scene: known.index(scene.subset))
    return replace(recovered, scenes=tuple(scenes))
