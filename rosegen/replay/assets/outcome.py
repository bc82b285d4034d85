"""What comes of looking for a scene's tiles: both of them, or what is lacking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rosegen.replay.assets.tiles import AssetTile
from rosegen.replay.records import printable

_LONGEST = 160


@dataclass(frozen=True)
class Lack:
    """Something a scene needs and that cannot be had.

    Attributes:
        kind: ``font``, ``emoji``, ``sprite``, ``pack``, or ``scene``: its record tells too little,
            or both tiles are there and will not do.
        name: what it is called: ``SourceHanSansCN-Medium``, ``pngfile/1f9eb``.
        reason: why what was found will not do; None when nothing was found.
        provider: of an emoji whose provider is not at hand at all.
        by_record: whether the record is to blame: it names something that its pack, which is at
            hand, does not have, or (``scene``) tells too little for anything to be drawn.
    """

    kind: str
    name: str
    reason: str | None = None
    provider: str | None = None
    by_record: bool = False

    @property
    def label(self) -> str:
        """``font SourceHanSansCN-Medium``, in printable characters."""
        return printable(f"{self.kind} {self.name}"[:_LONGEST])

    def __str__(self) -> str:
        return self.label if self.reason is None else f"{self.label}: {printable(self.reason)}"


Found = AssetTile | Lack


@dataclass(frozen=True)
class Substitution:
    """What stands in for what. ``str`` gives one line."""

    wanted: str  # font SourceHanSansCN-Medium
    used: str  # NotoSansSC-Regular

    def __str__(self) -> str:
        return f"{self.used} for {self.wanted}"


@dataclass(frozen=True)
class Tiles:
    """The two tiles of a scene, which differ at its cell size.

    Attributes:
        majority: in most cells.
        exception: in the others.
        notes: what the record does not say and was taken to be so, one line each.
        substitutions: what stands in for what; empty for a scene's own tiles.
    """

    majority: AssetTile
    exception: AssetTile
    notes: tuple[str, ...] = ()
    substitutions: tuple[Substitution, ...] = ()


@dataclass(frozen=True)
class Missing:
    """A scene whose tiles are not both to be had. ``str`` says what is missing, in one line.

    Either tile is what was found, or what is lacking.
    """

    scene_id: str
    majority: Found
    exception: Found

    @property
    def lacks(self) -> tuple[Lack, ...]:
        """What is lacking, each once, the majority's first."""
        return once(part for part in (self.majority, self.exception) if isinstance(part, Lack))

    def __str__(self) -> str:
        return ", ".join(str(lack) for lack in self.lacks)


def why(lacks: Iterable[Lack]) -> str:
    """What lacks say of a scene that is named beside them."""
    return ", ".join(
        printable(lack.reason or "") if lack.kind == "scene" else str(lack) for lack in lacks
    )


def once(lacks: Iterable[Lack]) -> tuple[Lack, ...]:
    """Each once, in their order."""
    return tuple(dict.fromkeys(lacks))


def stood_in(
    missing: Missing, majority: AssetTile, exception: AssetTile
) -> tuple[Substitution, ...]:
    """What stands in for what, when these tiles are taken; nothing for a tile that was found."""
    used: dict[str, list[str]] = {}
    for wanted, tile in ((missing.majority, majority), (missing.exception, exception)):
        if wanted != tile:
            label = wanted.label if isinstance(wanted, Lack) else f"the found {wanted.name}"
            used.setdefault(label, []).append(tile.name)
    return tuple(Substitution(label, " and ".join(names)) for label, names in used.items())
