"""Find the art of recovered scenes and draw them, over many processes: each scene in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.packs import OpenPack, Pack, fetch, load_packs, status
from rosegen.release.rows import SceneIds, image_path
from rosegen.render.cue import CueType
from rosegen.replay.asked import templates_of
from rosegen.replay.assets import (
    Lack,
    Missing,
    Places,
    Substitution,
    Tiles,
    missing_summary,
    resolve,
    substitute,
    why,
)
from rosegen.replay.assets.record import CONTENT, EDIT, GLYPH, HANZI, RELATIVES, STYLE, Record
from rosegen.replay.assets.tiles import AssetTile, EmojiFileTile, GlyphTile, PackEmojiTile
from rosegen.replay.drawing import Drawn, DrawTask, draw_scene
from rosegen.replay.published import PLAIN, Look
from rosegen.replay.recovered import Lost, RecoveredScene
from rosegen.scene import T4
from rosegen.sources.pixel_art import OWN_PACK

Progress = Callable[[str, int, int], None]

_DRAWN_KINDS = frozenset(("glyph", "emoji", "sprite"))  # of sources
_STAND_INS = {
    GLYPH: ("fonts",),
    HANZI: ("fonts",),
    STYLE: ("emoji", "characters"),
    CONTENT: ("emoji", "characters"),
    EDIT: ("sprites",),
    RELATIVES: ("sprites",),
}
"""Kind of tiles to the kinds of packs whose art may stand in for them."""


@dataclass(frozen=True)
class Art:
    """Where a tile came from. ``kind`` is that of its pack: fonts, emoji or sprites."""

    name: str
    pack: str
    license: str
    kind: str


@dataclass(frozen=True)
class Shown:
    """What a scene's pictures show."""

    majority: Art
    exception: Art
    notes: tuple[str, ...]
    substitutions: tuple[Substitution, ...]
    drawn: Drawn


@dataclass(frozen=True)
class Made:
    """A scene that was drawn, and the tasks its records tell."""

    scene: RecoveredScene
    templates: tuple[str, ...]
    shown: Shown

    @property
    def substituted(self) -> list[str]:
        """What stands in for what."""
        return [str(each) for each in self.shown.substitutions]


@dataclass(frozen=True)
class Making:
    """What came of all scenes.

    Attributes:
        made: those that were drawn.
        lost: those that were not, and why.
        packs: every pack that was opened, by name.
    """

    made: tuple[Made, ...]
    lost: tuple[Lost, ...]
    packs: Mapping[str, OpenPack]


@dataclass(frozen=True)
class _Task:
    """A scene to be made; its images go to a folder."""

    scene: RecoveredScene
    templates: tuple[str, ...]
    look: Look
    stage: Path


Outcome = Shown | tuple[Lack, ...]


def make_scenes(
    stage: Path,
    scenes: Sequence[RecoveredScene],
    looks: Mapping[str, Look],
    places: Places,
    *,
    stand_ins: bool,
    offline: bool,
    workers: int | None,
    tell: Progress,
) -> Making:
    """Draw every scene that can be drawn.

    Args:
        stage: the folder whose ``images`` they go to.
        scenes: that can be drawn and written, as far as they themselves go.
        looks: of subsets, where it is known.
        places: the user's own folders.
        stand_ins: whether other art may stand in for what is not at hand.
        offline: whether packs come from the cache alone.
        workers: processes; None for one a core.
        tell: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: art is not at hand and may not be substituted (all of it in one line), no
            scene at all can be drawn, or a folder or a pack cannot be had.
    """
    untold = {scene.scene_id: _untold_kind(scene, looks) for scene in scenes}
    tasks = {
        scene.scene_id: _Task(scene, templates_of(scene), looks.get(scene.subset, PLAIN), stage)
        for scene in scenes
        if not untold[scene.scene_id]
    }
    named = _named_packs([task.scene for task in tasks.values()], offline, tell)
    places = replace(places, packs=named)
    # Opened before there are workers, who share them.
    _ = places.font_shelf, places.emoji_shelf, places.sprite_shelf
    packs: Mapping[str, OpenPack] = named
    outcomes = _make_all(tasks, places, None, workers, tell)
    lacking = {
        name: task
        for name, task in tasks.items()
        if not isinstance(found := outcomes[name], Shown) and not _tell_too_little(found)
    }
    if stand_ins and lacking:
        default = _default_packs([task.scene for task in lacking.values()], offline, tell)
        packs = {**default, **named}
        outcomes |= _make_all(lacking, places, Places(packs=default), workers, tell)
    elif lacking:
        _refuse_missing(outcomes)
    outcomes |= {name: lacks for name, lacks in untold.items() if lacks}
    return _gathered([scene.scene_id for scene in scenes], tasks, outcomes, packs)


def _untold_kind(scene: RecoveredScene, looks: Mapping[str, Look]) -> tuple[Lack, ...]:
    """A lack, where the release says that what made the scene's tiles is none that can be had."""
    source = looks.get(scene.subset, PLAIN).source
    kind = None if source is None else source.get("kind")
    if kind is None or kind in _DRAWN_KINDS:
        return ()
    reason = f"its tiles are of a source of kind {kind!r}, which replay cannot draw"
    return (Lack("scene", scene.scene_id, reason, by_record=True),)


def _tell_too_little(lacks: Iterable[Lack]) -> bool:
    return any(lack.kind == "scene" and lack.by_record for lack in lacks)


def _refuse_missing(outcomes: Mapping[str, Outcome]) -> None:
    """Raise an error if the user could mend what is lacking."""
    missing = [
        Missing(scene_id, found[0], found[-1])
        for scene_id, found in outcomes.items()
        if not isinstance(found, Shown)
        if not all(lack.kind == "scene" or lack.by_record for lack in found)
    ]
    if missing:
        raise RosegenError(missing_summary(missing))


def _gathered(
    order: Iterable[str],
    tasks: Mapping[str, _Task],
    outcomes: Mapping[str, Outcome],
    packs: Mapping[str, OpenPack],
) -> Making:
    made: list[Made] = []
    lost: list[Lost] = []
    for scene_id in order:
        found = outcomes[scene_id]
        if isinstance(found, Shown):
            task = tasks[scene_id]
            made.append(Made(task.scene, task.templates, found))
        else:
            lost.append(Lost(scene_id, why(found)))
    if not made:
        raise RosegenError(f"no scene can be drawn: {lost[0]}")
    return Making(tuple(made), tuple(lost), packs)


def _named_packs(
    scenes: Iterable[RecoveredScene], offline: bool, tell: Progress
) -> dict[str, OpenPack]:
    """Those packs of rosegen's that the records name; offline, those of them that are cached."""
    named = {
        scene.columns.get(column)
        for scene in scenes
        for column in ("background_pack", "target_pack")
    }
    if named <= {None, OWN_PACK}:  # reading all pack files takes a while
        return {}
    wanted = [pack for pack in load_packs().values() if pack.name in named]
    if offline:
        cached = {row.name for row in status(wanted) if row.cached}
        wanted = [pack for pack in wanted if pack.name in cached]
    return _opened(wanted, offline, tell)


def _default_packs(
    scenes: Iterable[RecoveredScene], offline: bool, tell: Progress
) -> dict[str, OpenPack]:
    """Every default pack of the kinds that may stand in: none may be left out for want of it.

    What is taken must not hang on what one machine has.
    """
    kinds = {kind for scene in scenes for kind in _STAND_INS.get(Record(scene).kind, ())}
    wanted = [pack for pack in load_packs().values() if pack.default and pack.kind in kinds]
    return _opened(wanted, offline, tell)


def _opened(packs: Sequence[Pack], offline: bool, tell: Progress) -> dict[str, OpenPack]:
    opened = {}
    for done, pack in enumerate(packs):
        tell("packs", done, len(packs))
        opened[pack.name] = fetch(pack, offline=offline)
    return opened


def _make_all(
    tasks: Mapping[str, _Task],
    places: Places,
    spare: Places | None,
    workers: int | None,
    tell: Progress,
) -> dict[str, Outcome]:
    """What comes of each scene, by its id; ``spare`` is where stand-ins may be taken from."""
    outcomes = {}
    with LocalPool(workers, _start, (places, spare)) as pool:
        for name, outcome in zip(tasks, pool.map(_make, tasks.values(), chunk=4)):
            outcomes[name] = outcome
            tell("scenes" if spare is None else "stand-ins", len(outcomes), len(tasks))
    return outcomes


_at_hand: tuple[Places, Places | None] = Places(), None
"""A worker's own: where it looks for art, and for art that stands in."""


def _start(places: Places, spare: Places | None) -> None:
    global _at_hand
    _at_hand = places, spare


def _make(task: _Task) -> Outcome:
    """Find a scene's tiles and draw its images."""
    (places, spare), scene, look = _at_hand, task.scene, task.look
    tiles = resolve(scene, places, look.tiles)
    if isinstance(tiles, Missing) and spare is not None:
        tiles = substitute(scene, tiles, spare, look.tiles)
    if isinstance(tiles, Missing):
        return tiles.lacks
    return Shown(
        _art(tiles.majority),
        _art(tiles.exception),
        tiles.notes,
        tiles.substitutions,
        draw_scene(_draw_task(task, tiles)),
    )


def _art(tile: AssetTile) -> Art:
    kinds = {GlyphTile: "fonts", EmojiFileTile: "emoji", PackEmojiTile: "emoji"}
    return Art(tile.name, tile.pack, tile.license, kinds.get(type(tile), "sprites"))


def _draw_task(task: _Task, tiles: Tiles) -> DrawTask:
    scene = task.scene
    ids = SceneIds(scene.prefix, scene.number)
    context = scene.context(T4)
    cue = None
    if T4 in task.templates and context is not None:
        cue = CueType(scene.cue), context.region.box
    return DrawTask(
        scene.grid,
        scene.exceptions,
        tiles,
        task.look,
        task.stage / image_path(scene.subset, ids.plain_image),
        task.stage / image_path(scene.subset, ids.cued_image),
        cue,
    )
