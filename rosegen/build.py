"""From a pipeline file to a release: pairs, scenes, items, images, split, files. Start here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import rosegen
from rosegen.engine.choice import Engine, open_engine
from rosegen.engine.journal import Entry
from rosegen.engine.place import open_journal, place_of, store_at
from rosegen.errors import RosegenError, Terminated
from rosegen.files import disk_error
from rosegen.licenses import refuse_licenses
from rosegen.opening import (
    Progress,
    arrive,
    benches_of,
    open_packs,
    open_sources,
    pack_records,
)
from rosegen.pair_list import ACCEPT, ListedPair, of_subset, read_pair_list
from rosegen.pairing import Deck, Pairing, make_deck, pair_all
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.portion import Job, Order, make_portion, portion_made, take_job
from rosegen.release.finishing import SUMMARY, write_release
from rosegen.release.summary import plain_summary, with_counts
from rosegen.release.tally import Tally, add, refuse_torn_pairs
from rosegen.selection import Portion, Selection, portions
from rosegen.sources.base import Candidate, Pool, Refusal
from rosegen.toolchain import toolchain
from rosegen.workshop import Bench, source_of


@dataclass(frozen=True)
class Build:
    """What was built."""

    out: Path | str  # a folder, or a URL
    summary: Mapping[str, Any]
    built: bool  # False when it stood there already


def build(
    pipeline: Pipeline | Path | str,
    out: Path | str,
    *,
    workers: int | None = None,
    engine: str = "local",
    selection: Selection | None = None,
    force: bool = False,
    offline: bool = False,
    progress: Progress | None = None,
) -> Build:
    """Build a release, or go on with one that was interrupted.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        out: the release's folder; takes its name only when all is there. Until then what is done
            stands beside it, and the same call goes on from there. Or a URL that fsspec knows
            (``s3://bucket/name``), where the summary is what is written last.
        workers: processes; None for every core. Changes nothing but the time.
        engine: ``local``, ``dask``, or ``dask://HOST:PORT`` of a cluster that runs.
        selection: which scenes; None for all.
        force: whether a release that stands at ``out``, or an unfinished one of something else, is
            replaced.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: for anything the user can mend.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    selection = selection or Selection()
    out = place_of(out)
    subsets = selection.check(pipeline)
    tell = progress or (lambda stage, done, total: None)
    opened = open_packs(subsets, pipeline.licenses, offline, tell)
    records = pack_records(subsets, opened)
    fingerprint = fingerprint_of(pipeline, selection, records)
    standing = None if force else _standing(out, fingerprint)
    if standing is not None:
        return Build(out, standing, built=False)
    try:
        begun_by = {**fingerprint, "toolchain": _tools()}
        with (
            open_journal(out, SUMMARY, begun_by, force) as journal,
            open_engine(engine, workers, _tools, isinstance(out, Path)) as running,
        ):
            if not journal.is_sealed:
                benches = benches_of(subsets, opened)
                open_sources(benches)
                with running.start(arrive, (benches,)) as pool:
                    parts = {
                        subset.name: make_part(subset, pool, tell, pipeline.licenses)
                        for subset in subsets
                    }
                plain = plain_summary(
                    pipeline,
                    {name: part.deck.size for name, part in parts.items()},
                    records,
                    selection.as_dict(),
                )
                decks = {name: part.deck for name, part in parts.items() if part.pairing is None}
                job = Job(pipeline, journal.store, decks)
                entries, tallies = _make(job, parts, selection, benches, running, tell)
                refuse_torn_pairs(tallies)
                write_release(journal.store, with_counts(plain, tallies), entries)
            summary: dict[str, Any] = json.loads(journal.store.get(SUMMARY))
            journal.finish(force)
    except OSError as error:
        raise disk_error(out, error) from error
    return Build(out, summary, built=True)


@dataclass(frozen=True)
class Part:
    """A subset's candidates, and the pairs of its scenes where all are paired at once."""

    subset: Subset
    deck: Deck
    pairing: Pairing | None
    unfit: tuple[Refusal, ...]

    def order(self, portion: Portion) -> Order:
        """What a worker needs to make a portion."""
        pairing = None if self.pairing is None else self.pairing.of(portion.numbers)
        return Order(portion, pairing, self.unfit if portion.numbers[0] == 1 else ())


def make_part(
    subset: Subset, pool: Pool, tell: Progress, licenses: Sequence[str] | None = None
) -> Part:
    """The candidates of a subset, and the pairs of all its scenes unless pairs may serve again.

    Raises:
        RosegenError: the pool cannot fill the subset, or has art whose licence is not allowed.
    """
    tell(f"{subset.name}: pairs", 0, subset.scenes)
    source = source_of(subset.name)
    candidates = offered(subset, source.candidates(pool))
    if licenses is not None:
        tiles = {tile.license: tile.name for pair in candidates for tile in (pair.a, pair.b)}
        refuse_licenses(((name, license) for license, name in tiles.items()), licenses)
    deck = make_deck(subset, candidates, pool)
    # All scenes are paired even when few are made: which pair is left for a scene depends on
    # those before it. Where pairs may serve again, each portion is paired as it is made.
    pairing = None if subset.repeat_pairs else pair_all(subset, deck, pool)
    tell(f"{subset.name}: pairs", subset.scenes, subset.scenes)
    left_out = [
        Refusal(name.encode("utf-8", "backslashreplace").decode(), reason)
        for pack in source.config.packs.values()
        for name, reason in pack.left_out
    ]
    return Part(subset, deck, pairing, (*left_out, *source.refused()))


def offered(subset: Subset, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that may be used: all, or those that a person accepted.

    Raises:
        RosegenError: the list of accepted pairs cannot be read, or fits none of the candidates.
    """
    if subset.curated is None:
        return list(candidates)
    if not subset.curated.exists():
        raise RosegenError(
            f"{subset.name}: no list of accepted pairs at {subset.curated}: rosegen pairs mine "
            f"writes one"
        )
    listed = of_subset(read_pair_list(subset.curated), subset.name)
    accepted = {(pair.group, pair.key) for pair in listed if pair.verdict == ACCEPT}
    if not accepted:
        raise RosegenError(f"{subset.name}: {_without_verdict(subset, listed)}")
    found = [c for c in candidates if (c.group, c.key) in accepted or ("", c.key) in accepted]
    if not found:
        raise RosegenError(
            f"{subset.name}: of {len(accepted)} accepted pairs in {subset.curated} none is among "
            f"the {len(candidates)} candidates: see rosegen pairs check"
        )
    return found


def _without_verdict(subset: Subset, listed: Sequence[ListedPair]) -> str:
    """Why a list has no accepted pair of a subset."""
    path = subset.curated
    if listed:
        return (
            f"none of its {len(listed)} pairs in {path} is accepted: rosegen pairs show writes a "
            f"sheet to accept them by"
        )
    others = dict.fromkeys(pair.subset for pair in read_pair_list(path)) if path else {}
    names = ", ".join(others) or "none"
    return f"{path} has no pair of this subset (it speaks of {names}): was the subset renamed?"


def _make(
    job: Job,
    parts: Mapping[str, Part],
    selection: Selection,
    benches: Mapping[str, Bench],
    engine: Engine,
    tell: Progress,
) -> tuple[list[Entry], dict[str, Tally]]:
    """Make every portion that is not there yet.

    Returns:
        What is recorded of each, and by subset what they come to.
    """
    numbers = selection.numbers(job.pipeline)
    total, done = sum(map(len, numbers.values())), 0
    entries: list[Entry] = []
    tallies: dict[str, Tally] = {name: {} for name in parts}

    def take(portion: Portion, entry: Entry) -> None:
        nonlocal done
        add(tallies[portion.subset], entry.facts)
        entries.append(replace(entry, facts={}))
        done += len(portion.numbers)
        tell("scenes", done, total)

    try:
        with engine.start(take_job, (benches, job)) as pool:
            missing = []
            listed = list(portions(numbers))
            for portion, entry in zip(listed, pool.map(portion_made, listed, chunk=4)):
                if entry is None:
                    missing.append(portion)
                else:
                    take(portion, entry)
            orders = (parts[portion.subset].order(portion) for portion in missing)
            for portion, entry in zip(missing, pool.map(make_portion, orders)):
                take(portion, entry)
    except (KeyboardInterrupt, Terminated) as stop:
        note = f"{done:,} of {total:,} scenes are done: the same command goes on from there"
        raise type(stop)(note) from stop
    return sorted(entries, key=lambda entry: entry.unit), tallies


def _tools() -> dict[str, str]:
    return dict(toolchain())


def fingerprint_of(
    pipeline: Pipeline, selection: Selection, packs: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Everything a release is a function of."""
    return {
        "pipeline": pipeline.sha256,
        "version": rosegen.__version__,
        "packs": [dict(pack) for pack in packs],
        "selection": selection.as_dict(),
    }


def _standing(out: Path | str, fingerprint: Mapping[str, Any]) -> dict[str, Any] | None:
    """The summary of the release at ``out`` when it is the very one that would be built."""
    try:
        summary: dict[str, Any] = json.loads(store_at(out).get(SUMMARY))
        same = fingerprint == {
            "pipeline": summary["pipeline"]["sha256"],
            "version": summary["rosegen_version"],
            "packs": summary["packs"],
            "selection": summary["selection"],
        } and (
            isinstance(out, str)
            or len(list((out / "images").rglob("*.png"))) == summary["counts"]["images"]
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return summary if same else None
