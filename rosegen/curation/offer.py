"""What a subset's source offers, in the order in which a person looks at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rosegen.draws import Draws
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.licenses import refuse_licenses
from rosegen.pairing import spread
from rosegen.pipeline import Subset
from rosegen.sources.base import Candidate
from rosegen.workshop import source_of


def candidates_of(
    subset: Subset, pool: LocalPool, licenses: Sequence[str] | None
) -> list[Candidate]:
    """Every candidate of a subset's source, each once; whatever list the pipeline names.

    Raises:
        RosegenError: there is none, or one's licence is not allowed.
    """
    found = {(pair.group, pair.key): pair for pair in source_of(subset.name).candidates(pool)}
    if not found:
        raise RosegenError(
            f"{subset.name}: kind {subset.kind} finds no pair in its packs: add to them, or "
            f"loosen its options"
        )
    if licenses is not None:
        tiles = {tile.license: tile.name for pair in found.values() for tile in (pair.a, pair.b)}
        refuse_licenses(((name, license) for license, name in tiles.items()), licenses)
    return list(found.values())


def in_order(subset: Subset, candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates so that the first so many of them are as varied as so many can be.

    Within a group the order is that in which a build offers them. Groups take turns by their
    shares, those without a share come last, and a pair that several groups have (two characters
    in several faces) comes again only after all others have come as often.
    """
    by_group: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_group.setdefault(candidate.group, []).append(candidate)
    shares = subset.group_shares or dict.fromkeys(by_group, 1)
    turns = []
    for number, (group, members) in enumerate(by_group.items()):
        share = shares.get(group, 0)
        drawn = spread(Draws(subset.seed, subset.name, "pairs", group), members)
        for place, candidate in enumerate(drawn):
            turn = (place + 0.5) / share if share else 0.0
            turns.append((not share, turn, number, candidate))
    turns.sort(key=lambda entry: entry[:3])
    seen: Counter[str] = Counter()
    ranked = []
    for without_share, _, _, candidate in turns:
        ranked.append((without_share, seen[candidate.key], candidate))
        seen[candidate.key] += 1
    ranked.sort(key=lambda entry: entry[:2])  # stable: within a rank groups go on taking turns
    return [candidate for _, _, candidate in ranked]
