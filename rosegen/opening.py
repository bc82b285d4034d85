"""Open what a pipeline names: packs, sources, and workers that have them at hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

import rosegen
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.licenses import license_problem, refuse_licenses
from rosegen.packs import OpenPack, Pack, cache_dir, fetch, load_pack, load_packs
from rosegen.packs.hashing import file_sha256
from rosegen.pipeline import Subset
from rosegen.sources.base import OwnArt, Source, SourceConfig
from rosegen.workshop import Bench, prepare, source_of

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Opened:
    """Packs that are at hand.

    Attributes:
        packs: each once, in the order in which subsets name them.
        of: subset name to those it names, by pack name.
    """

    packs: tuple[OpenPack, ...]
    of: Mapping[str, Mapping[str, OpenPack]]


def open_packs(
    subsets: Sequence[Subset],
    licenses: Sequence[str] | None = None,
    offline: bool = False,
    tell: Progress | None = None,
) -> Opened:
    """The packs the subsets name, fetched where the cache lacks them.

    Args:
        subsets: the subsets.
        licenses: those the art may be under; None for any.
        offline: whether packs come from the cache alone.
        tell: called with how far it is.

    Raises:
        RosegenError: a pack that nobody defines, that cannot be had, or art whose licence is none
            or is not allowed: before anything of it is fetched.
    """
    named = packs_of(subsets, licenses)
    packs = _each_once(named)
    opened = {}
    for done, pack in enumerate(packs):
        if tell is not None:
            tell("packs", done, len(packs))
        opened[pack.name] = fetch(pack, offline=offline)
    of = {name: {pack.name: opened[pack.name] for pack in own} for name, own in named.items()}
    return Opened(tuple(opened.values()), of)


def packs_of(
    subsets: Sequence[Subset], licenses: Sequence[str] | None = None
) -> dict[str, list[Pack]]:
    """The packs each subset names, whether or not they are at hand.

    Raises:
        RosegenError: a pack that nobody defines, or art whose licence is none or is not allowed.
    """
    known = load_packs()
    named = {subset.name: _packs_of(subset, known) for subset in subsets}
    packs = _each_once(named)
    art = [(pack.name, pack.license) for pack in packs]
    for subset in subsets:
        for own in subset.source_class.own_art(subset.options):
            problem = license_problem(own.license)
            if problem is not None:
                raise RosegenError(f"source {subset.kind}: own_art {own.name!r}: {problem}")
            art.append((own.name, own.license))
    if licenses is not None:
        refuse_licenses(dict.fromkeys(art), licenses)
    return named


def _each_once(named: Mapping[str, Sequence[Pack]]) -> list[Pack]:
    found: dict[str, Pack] = {}
    for subset, packs in named.items():
        for pack in packs:
            other = found.setdefault(pack.name, pack)
            if other != pack:
                raise RosegenError(
                    f"{subset}: two asset packs are called {pack.name} ({other.source.label} and "
                    f"{pack.source.label}): give one another name"
                )
    return list(found.values())


def _packs_of(subset: Subset, known: Mapping[str, Pack]) -> list[Pack]:
    packs = []
    for named in subset.packs:
        if isinstance(named, Pack):
            if named.name in known:
                raise RosegenError(
                    f"{subset.name}: the folder {named.source.package} would be called as the pack "
                    f"{named.name} that ships with rosegen: give it a name"
                )
            packs.append(named)
        elif named.endswith((".yaml", ".yml")):
            packs.append(load_pack(Path(named)))
        elif named in known:
            packs.append(known[named])
        else:
            raise RosegenError(
                f"{subset.name}: no asset pack {named!r} (known are {', '.join(known)}; a pack "
                f"file of your own is named by its path, ending in .yaml)"
            )
    return packs


def benches_of(subsets: Sequence[Subset], opened: Opened) -> dict[str, Bench]:
    """By name, the subsets and how to open their sources."""
    return {
        subset.name: Bench(subset, _source_config(subset, opened.of[subset.name]))
        for subset in subsets
    }


def arrive(benches: Mapping[str, Bench]) -> None:
    """Make the subsets known to a worker, wherever it is; packs it lacks are fetched."""
    found = {}
    for name, bench in benches.items():
        packs = {
            each: pack if pack.root.exists() else fetch(pack.pack)
            for each, pack in bench.config.packs.items()
        }
        found[name] = replace(bench, config=replace(bench.config, packs=packs, cache=cache_dir()))
    prepare(found)


def open_sources(benches: Mapping[str, Bench]) -> None:
    """Open every source in this process, so that workers forked from it have them open."""
    prepare(benches)
    for name in benches:
        source_of(name)


def make_pool(workers: int | None, subsets: Sequence[Subset], opened: Opened) -> LocalPool:
    """Workers that have the sources of these subsets open; so has this process."""
    benches = benches_of(subsets, opened)
    open_sources(benches)
    if workers == 1:
        return LocalPool(1)
    return LocalPool(workers, initializer=prepare, initargs=(benches,))


def _source_config(subset: Subset, packs: Mapping[str, OpenPack]) -> SourceConfig:
    return SourceConfig(
        kind=subset.kind,
        options=subset.options,
        packs=packs,
        cache=cache_dir(),
        background=subset.background,
        ink=subset.ink,
        folder=subset.folder,
    )


def pack_records(subsets: Sequence[Subset], opened: Opened) -> list[dict[str, Any]]:
    """What a release says of each pack, and of the art that sources bring themselves."""
    records = [
        {
            "name": pack.pack.name,
            "kind": pack.pack.kind,
            "source": pack.pack.source.package,
            "version": pack.pack.source.version,
            "sha256": pack.sha256,
            "license": pack.pack.license,
            "attribution": pack.pack.attribution,
            "homepage": pack.pack.homepage,
        }
        for pack in opened.packs
    ]
    for subset in subsets:
        kind = subset.source_class
        for art in kind.own_art(subset.options):
            record = _own_record(kind, art)
            if record not in records:
                records.append(record)
    return records


def _own_record(kind: type[Source], art: OwnArt) -> dict[str, Any]:
    package = kind.__module__.partition(".")[0]
    return {
        "name": art.name,
        "kind": kind.kind,
        "source": package,
        "version": _version(package),
        "sha256": art.sha256 or file_sha256(Path(inspect.getfile(kind))),
        "license": art.license,
        "attribution": art.attribution,
        "homepage": art.homepage,
    }


def _version(package: str) -> str:
    if package == "rosegen":
        return rosegen.__version__
    for distribution in packages_distributions().get(package, ()):
        return version(distribution)
    return ""
