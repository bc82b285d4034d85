"""Who gets what: a subset's quotas dealt out to its scenes before any of them is made.

A scene's plan is a function of the subset's settings and the scene's number alone, and is told in
microseconds however many scenes there are. So every worker can have it, and a scene made alone is
the scene made among all the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rosegen.draws import Deal, Draws, Permutation, apportion
from rosegen.errors import RosegenError
from rosegen.geometry import RegionType
from rosegen.pipeline import Subset, case_counts, type_counts
from rosegen.scene import DEV, T2, T3, T4, T5, TEST, Grid


@dataclass(frozen=True)
class ScenePlan:
    """What a scene must be: grid, number of exceptions, case and type of each region, split."""

    number: int
    grid: Grid
    exceptions: int
    cases: Mapping[str, str]  # template to zero, partial or all; T2 to T5
    region_types: Mapping[str, RegionType]  # template to type; T2 to T5
    cue: str
    split: str  # dev or test


class Planner:
    """The plans of a subset's scenes."""

    def __init__(self, subset: Subset) -> None:
        def deal(counts: Mapping[str, int], stage: str) -> Deal:
            return Deal(counts, subset.seed, subset.name, "plan", stage)

        total = subset.scenes
        profiles = {name: profile.share for name, profile in subset.profiles.items()}
        test = total - subset.dev_scenes
        self._subset = subset
        self._profiles = deal(apportion(profiles, total), "profiles")
        self._cues = deal(apportion(subset.cue_shares, total), "cues")
        self._splits = deal({DEV: subset.dev_scenes, TEST: test}, "split")
        self._types = {t: deal(type_counts(subset), f"types/{t}") for t in (T2, T3, T5)}
        self._hands = _Hands(subset)

    def plan(self, number: int) -> ScenePlan:
        """The plan of one scene, counted from 1.

        Raises:
            IndexError: there is no such scene.
        """
        place = number - 1
        exceptions, cases = self._hands.of(place)
        types = {t: RegionType(dealt[place]) for t, dealt in self._types.items()}
        return ScenePlan(
            number=number,
            grid=self._grid(number, self._profiles[place]),
            exceptions=exceptions,
            cases=cases,
            # T4's region is marked in the image, so it is a rectangle that never names its bounds.
            region_types={t: types.get(t, RegionType.RECTANGLE) for t in (T2, T3, T4, T5)},
            cue=self._cues[place],
            split=self._splits[place],
        )

    def _grid(self, number: int, profile: str) -> Grid:
        subset = self._subset
        draws = Draws(subset.seed, subset.name, number, "grid")
        lines = subset.profiles[profile].lines
        rows, cols = draws.between(*lines), draws.between(*lines)
        return Grid(profile, rows, cols, draws.between(*subset.cell_size))


class _Hands:
    """How many exceptions, and which region cases: the partial ones only where there are several.

    In the drawn order of scenes those with several exceptions come first. Of these, another drawn
    order of each template says who is partial; the rest share what is zero and what is all.
    """

    def __init__(self, subset: Subset) -> None:
        key = (subset.seed, subset.name, "plan")
        counts = apportion(subset.exceptions, subset.scenes)
        several_first = sorted(counts, key=lambda count: int(count) < 2)
        several = sum(scenes for count, scenes in counts.items() if int(count) >= 2)
        self._order = Permutation(subset.scenes, *key, "exceptions")
        self._dealt = {int(count): counts[count] for count in several_first}
        self._cases = {t: _Cases(subset, t, several) for t in (T2, T3, T4, T5)}

    def of(self, place: int) -> tuple[int, dict[str, str]]:
        """Of the scene at a place, from 0: exceptions, and template to case."""
        rank = self._order[place]
        cases = {template: dealt[rank] for template, dealt in self._cases.items()}
        for count, scenes in self._dealt.items():
            if rank < scenes:
                return count, cases
            rank -= scenes
        raise IndexError(place)


class _Cases:
    """A template's region cases by rank among scenes: only the first ``several`` may be partial."""

    def __init__(self, subset: Subset, template: str, several: int) -> None:
        key = (subset.seed, subset.name, "plan", f"cases/{template}")
        counts = case_counts(subset, template)
        self._several, self._partial = several, counts["partial"]
        if self._partial > several:  # a pipeline that is read is checked for that
            raise RosegenError(
                f"{subset.name}: {self._partial} partial regions wanted of {template}, but only "
                f"{several} of {subset.scenes} scenes have several exceptions: change region_cases"
            )
        self._able = Permutation(max(several, 1), *key, "partial")
        others = {"zero": counts["zero"], "all": counts["all"]}
        self._others = Deal(others, *key, "others")

    def __getitem__(self, rank: int) -> str:
        if rank < self._several:
            rank = self._able[rank]
            if rank < self._partial:
                return "partial"
        return self._others[rank - self._partial]


def plan_subset(subset: Subset) -> list[ScenePlan]:
    """The plan of every scene of a subset, in order: where there are not too many to hold."""
    planner = Planner(subset)
    return [planner.plan(number) for number in range(1, subset.scenes + 1)]
