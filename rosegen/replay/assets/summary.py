"""All that is missing over many scenes, in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rosegen.replay.assets.outcome import Lack, Missing, why
from rosegen.replay.records import printable

_SHOWN = 3  # of each kind
_LONGEST = 300  # characters of a reason
_OPTIONS = {"font": "--fonts", "emoji": "--emoji", "sprite": "--sprites"}


def missing_summary(missing: Iterable[Missing]) -> str:
    """Say what is missing over all scenes, and what to do; empty when nothing is.

    What is not at hand is counted by kind, the most wanted named. Scenes whose assets are there
    but will not do are named with the reason.
    """
    scenes = list(missing)
    absent = [scene for scene in scenes if any(lack.reason is None for lack in scene.lacks)]
    refused = [scene for scene in scenes if scene not in absent]
    parts = []
    if absent:
        lacks = [[lack for lack in scene.lacks if lack.reason is None] for scene in absent]
        parts.append(f"not at hand: {', '.join(_groups(lacks))}: {_advice(lacks)}")
    if refused:
        shown = [f"{scene.scene_id} ({why(scene.lacks)[:_LONGEST]})" for scene in refused[:_SHOWN]]
        count = f"{len(refused)} {_plural('scene', len(refused))}"
        parts.append(f"{count} cannot be drawn: {', '.join(shown)}{_more(len(refused), '')}")
    return printable("; ".join(parts))


def _groups(scenes: Sequence[Sequence[Lack]]) -> list[str]:
    """The lacks of all scenes by kind: ``41 fonts (SimSun for 14 scenes, ...)``."""
    fonts = _count(scenes, "font")
    packs = _count(scenes, "pack")
    sprites = _count(scenes, "sprite")
    emoji = Counter(
        lack.name
        for scene in scenes
        for lack in scene
        if lack.kind == "emoji" and lack.provider is None
    )
    providers = Counter(
        provider
        for scene in scenes
        for provider in {lack.provider for lack in scene if lack.provider is not None}
    )
    groups = []
    if fonts:
        groups.append(_wanted("font", fonts))
    groups += [f"emoji provider {name} ({_scenes(n)})" for name, n in _by_count(providers)]
    if emoji:
        groups.append(f"{len(emoji)} emoji ({_names(emoji)})")
    if sprites:
        groups.append(f"{len(sprites)} {_plural('sprite', len(sprites))} ({_names(sprites)})")
    if packs:
        groups.append(_wanted("pack", packs))
    return groups


def _count(scenes: Sequence[Sequence[Lack]], kind: str) -> Counter[str]:
    """Name to how many scenes lack it."""
    return Counter(
        name for scene in scenes for name in {lack.name for lack in scene if lack.kind == kind}
    )


def _wanted(kind: str, counts: Mapping[str, int]) -> str:
    shown = [f"{name} for {_scenes(n)}" for name, n in _by_count(counts)[:_SHOWN]]
    more = _more(len(counts), ", ...")
    return f"{len(counts)} {_plural(kind, len(counts))} ({', '.join(shown)}{more})"


def _names(counts: Mapping[str, int]) -> str:
    shown = [name for name, _ in _by_count(counts)[:_SHOWN]]
    return ", ".join(shown) + _more(len(counts), ", ...")


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most wanted first, those wanted alike in the order of their first scenes."""
    return sorted(counts.items(), key=lambda item: -item[1])


def _advice(scenes: Sequence[Sequence[Lack]]) -> str:
    kinds = {lack.kind for scene in scenes for lack in scene}
    ways = [f"give {', '.join(given)}"] if (given := _options(kinds)) else []
    if "pack" in kinds:
        ways.append("run `rosegen assets fetch` for the packs")
    return ", ".join([*ways, "or give --substitute" if not given else "or --substitute"])


def _options(kinds: set[str]) -> list[str]:
    return [option for kind, option in _OPTIONS.items() if kind in kinds]


def _scenes(count: int) -> str:
    return f"{count} {_plural('scene', count)}"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _more(count: int, mark: str) -> str:
    return (mark or f" and {count - _SHOWN} more") if count > _SHOWN else ""
