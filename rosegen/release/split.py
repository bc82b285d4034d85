"""Which scenes are for development and which are the test."""

from __future__ import annotations

from collections.abc import Sequence

from rosegen.draws import Draws
from rosegen.errors import RosegenError
from rosegen.pairing import Pairing
from rosegen.pipeline import Subset


def dev_scenes(subset: Subset, pairing: Pairing) -> frozenset[int]:
    """Numbers of the scenes of the development split, exactly as many as the pipeline says.

    Scenes whose pair is the same (in either direction, or by its art) stay together.

    Raises:
        RosegenError: when no union of such groups has the wanted size.
    """
    groups = _together(subset, pairing)
    drawn = Draws(subset.seed, subset.name, "plan", "split").shuffled(groups)
    chosen = _fill([len(group) for group in drawn], subset.dev_scenes)
    if chosen is None:
        raise RosegenError(
            f"{subset.name}: no split of {subset.scenes} scenes has {subset.dev_scenes} dev scenes "
            f"and keeps scenes of one pair together: change dev_scenes or turn repeat_pairs off"
        )
    return frozenset(number for index in chosen for number in drawn[index])


def _together(subset: Subset, pairing: Pairing) -> list[list[int]]:
    """Scene numbers in groups that share a pair's key or look, each group and all in order."""
    leader: dict[int, int] = {number: number for number in range(1, subset.scenes + 1)}

    def find(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    first: dict[str, int] = {}
    for number in sorted(pairing.matches):
        match = pairing.matches[number]
        for mark in (f"key {match.candidate.key}", f"look {match.verdict.look}"):
            other = first.setdefault(mark, number)
            a, b = sorted((find(other), find(number)))
            leader[b] = a
    groups: dict[int, list[int]] = {}
    for number in leader:
        groups.setdefault(find(number), []).append(number)
    return list(groups.values())


def _fill(sizes: Sequence[int], total: int) -> list[int] | None:
    """Indices whose sizes add up to ``total``, earlier ones preferred; None when there are none."""
    # reach[s] is the last index of a sum s, found in order, so each sum uses early groups.
    reach: dict[int, tuple[int, int]] = {0: (-1, 0)}
    for index, size in enumerate(sizes):
        for done in sorted(reach, reverse=True):
            if done + size <= total and done + size not in reach:
                reach[done + size] = (index, done)
        if total in reach:
            break
    if total not in reach:
        return None
    chosen = []
    while total:
        index, total = reach[total]
        chosen.append(index)
    return chosen
