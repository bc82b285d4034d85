"""Hold the pictures that were drawn against those of the release they were published in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from rosegen.packs import OpenPack
from rosegen.release.rows import SceneIds
from rosegen.replay.making import Art, Made
from rosegen.replay.pictures import Picture
from rosegen.replay.published import Told
from rosegen.replay.records import printable
from rosegen.sources.pixel_art import OWN_PACK
from rosegen.toolchain import toolchain

_UNKNOWN = "for a reason that the release does not tell"
_LONGEST = 40  # characters of a version


@dataclass(frozen=True)
class Differing:
    """A picture that is not the release's, and why: ``the cue is drawn otherwise``."""

    image_id: str
    scene_id: str
    reason: str


@dataclass(frozen=True)
class Compared:
    """How many pictures a release told hashes of, and which of them came out otherwise."""

    images: int
    differing: tuple[Differing, ...]


def compare_pictures(
    made: Iterable[Made], told: Told, packs: Mapping[str, OpenPack], elsewhere: Set[str]
) -> Compared:
    """Compare every picture whose hash is told. Where art stands in for other art, none is.

    Args:
        made: the scenes.
        told: what the releases around the records say.
        packs: those that were opened, by name.
        elsewhere: ids of the scenes whose published pictures showed stand-ins.
    """
    images, differing = 0, []
    for each in made:
        if each.substituted or each.scene.scene_id in elsewhere:
            continue
        for image_id, cued, pixels in _drawn(each):
            picture = told.pictures.get(image_id)
            if picture is None:
                continue
            images += 1
            if picture.pixel_sha256 != pixels:
                reason = _why(each, picture, cued, told, packs)
                differing.append(Differing(image_id, each.scene.scene_id, reason))
    return Compared(images, tuple(differing))


def _drawn(made: Made) -> Iterator[tuple[str, bool, str]]:
    """Id, whether it has a cue, and hash of a scene's images."""
    ids, drawn = SceneIds(made.scene.prefix, made.scene.number), made.shown.drawn
    yield ids.plain_image, False, drawn.plain_sha256
    if drawn.cued_sha256 is not None:
        yield ids.cued_image, True, drawn.cued_sha256


def _why(
    made: Made, picture: Picture, cued: bool, told: Told, packs: Mapping[str, OpenPack]
) -> str:
    shown, drawn = made.shown, made.shown.drawn
    tiles = (
        ("majority", shown.majority, picture.majority_sha256, drawn.majority_sha256),
        ("exception", shown.exception, picture.exception_sha256, drawn.exception_sha256),
    )
    if any(was is None for _, _, was, _ in tiles):
        return f"it is drawn otherwise, {_UNKNOWN}"
    others = {role: art for role, art, was, now in tiles if was != now}
    if others:
        causes = ", ".join(_causes(others.values(), told, packs))
        why = f": {causes}" if causes else f", {_UNKNOWN}"
        verb = "tile is" if len(others) == 1 else "tiles are"
        return f"the {' and '.join(others)} {verb} drawn otherwise{why}"
    plain = told.pictures.get(SceneIds(made.scene.prefix, made.scene.number).plain_image)
    if cued and plain is not None and plain.pixel_sha256 == drawn.plain_sha256:
        return "the cue is drawn otherwise"
    return "the tiles stand in other cells than the rows say"


def _causes(arts: Iterable[Art], told: Told, packs: Mapping[str, OpenPack]) -> Iterator[str]:
    """What is another than it was where the release was made."""
    for pack in dict.fromkeys(art.pack for art in arts):
        if pack == OWN_PACK:
            continue  # they come with rosegen
        opened, was = packs.get(pack), told.packs.get(pack, {})
        if opened is None:
            yield f"the files given for pack {printable(pack)} may be others"
        elif was.get("sha256") not in (None, opened.sha256):
            yield f"pack {pack} {_change(opened.pack.source.version, was.get('version'))}"
    for tool, now in toolchain().items():
        if told.tools.get(tool, now) != now:
            yield f"{tool} {_change(now, told.tools[tool])}"


def _change(now: object, was: object) -> str:
    if now == was or not was:
        return "has other files than it had"
    return f"is {now}, was {printable(str(was)[:_LONGEST])}"
