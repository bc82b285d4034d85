"""The visual sources by kind: rosegen's own, and those that installed packages bring.

A package that brings a broken source disturbs nobody who does not use it.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from rosegen.errors import RosegenError
from rosegen.sources.base import Source, SourceConfig
from rosegen.sources.emoji import EmojiSource
from rosegen.sources.glyph import Glyph
from rosegen.sources.image_pairs import ImagePairs
from rosegen.sources.image_pool import ImagePool
from rosegen.sources.pixel import PixelSource

GROUP = "rosegen.sources"
"""The entry-point group under which a package names its sources."""

_OWN: Mapping[str, type[Source]] = {
    source.kind: source for source in (Glyph, EmojiSource, PixelSource, ImagePairs, ImagePool)
}

_lent: dict[str, type[Source]] = {}  # by kind, see ``lend``


def kinds() -> dict[str, type[Source]]:
    """Every kind that can be used, rosegen's own first; ``broken_kinds`` has the others."""
    found = dict(_OWN)
    for name, entry in _brought().usable.items():
        try:
            found[name] = _load(entry)
        except RosegenError:
            continue
    return {**found, **_lent}


def broken_kinds() -> dict[str, str]:
    """What installed packages bring and cannot be used: kind to the reason, in one line."""
    brought = _brought()
    found = dict(brought.clashing)
    for name, entry in brought.usable.items():
        try:
            _load(entry)
        except RosegenError as error:
            found[name] = str(error)
    return found


def source_class(kind: str, options: Mapping[str, Any]) -> type[Source]:
    """The source of a kind with these options.

    Raises:
        RosegenError: there is none, or it cannot be used.
    """
    found = _lent.get(kind) or _OWN.get(kind)
    if found is None:
        brought = _brought()
        if kind in brought.clashing:
            raise RosegenError(brought.clashing[kind])
        if kind not in brought.usable:
            known = [*_OWN, *brought.usable]
            near = difflib.get_close_matches(kind, known, 1)
            meant = f"is {near[0]} meant? " if near else ""
            raise RosegenError(f"unknown kind {kind!r}: {meant}known are {', '.join(known)}")
        found = _load(brought.usable[kind])
    return _chosen(found, options, f"kind {kind!r}")


def open_source(config: SourceConfig) -> Source:
    """The source a subset describes.

    Raises:
        RosegenError: when its kind is unknown, or cannot be used.
    """
    return source_class(config.kind, config.options)(config)


def lend(source: type[Source]) -> None:
    """Have a class stand for its kind in this process; it goes before a package's of that kind."""
    _lent[source.kind] = source


@contextmanager
def lent(source: type[Source]) -> Iterator[None]:
    """``lend`` while the block lasts; workers forked meanwhile have the class too."""
    before = dict(_lent)
    lend(source)
    try:
        yield
    finally:
        _lent.clear()
        _lent.update(before)


@dataclass(frozen=True)
class _Brought:
    """What installed packages name: what has its kind for itself, and why the others have not."""

    usable: Mapping[str, EntryPoint]
    clashing: Mapping[str, str]


@cache
def _brought() -> _Brought:
    """Reads what is installed; none of it is imported yet."""
    named: dict[str, dict[str, EntryPoint]] = {}
    for entry in entry_points(group=GROUP):
        # By what they mean: a package is found twice where its folder is searched twice.
        named.setdefault(entry.name, {}).setdefault(entry.value, entry)
    usable, clashing = {}, {}
    for name, entries in named.items():
        packages = " and ".join(sorted(map(_package, entries.values())))
        if name in _OWN:
            whose = f"source {name!r} of {packages} is called as one of rosegen's own"
        elif len(entries) > 1:
            whose = f"{packages} bring a source {name!r} each"
        else:
            (usable[name],) = entries.values()
            continue
        clashing[name] = f"{whose}: uninstall one, or rename its entry point and its kind"
    return _Brought(usable, clashing)


@cache
def _load(entry: EntryPoint) -> type[Source]:
    label = f"source {entry.name!r} of {_package(entry)}"
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:  # whatever a package does while it is imported
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise RosegenError(
            f"{label} cannot be loaded ({reason}): mend or uninstall the package"
        ) from error
    if not (isinstance(loaded, type) and issubclass(loaded, Source)):
        raise RosegenError(f"{label}: {entry.value} is no subclass of rosegen.sources.base.Source")
    if getattr(loaded, "kind", None) != entry.name:
        raise RosegenError(
            f"{label}: its class says its kind is {getattr(loaded, 'kind', None)!r}: name both "
            f"the same"
        )
    _chosen(loaded, {}, label)
    return loaded


def _chosen(source: type[Source], options: Mapping[str, Any], label: str) -> type[Source]:
    """The class that options mean, when it has all that it takes to make something with it."""
    chosen = source.variant(options)
    lacking = sorted(chosen.__abstractmethods__) if inspect.isabstract(chosen) else []
    if not isinstance(getattr(chosen, "primitive_type", None), str):
        lacking.append("primitive_type")
    if lacking:
        raise RosegenError(f"{label}: class {chosen.__qualname__} lacks {', '.join(lacking)}")
    return chosen


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value.partition(":")[0]
