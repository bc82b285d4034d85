"""Who gets what: a subset's quotas dealt out to its scenes before any of them is made.

A plan is a pure function of the subset's settings and takes milliseconds, so every worker can have
it, and a scene made alone is the scene made among all the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rosegen.draws import Draws, apportion
from rosegen.geometry import RegionType
from rosegen.pipeline import Subset, case_counts, type_counts
from rosegen.scene import T2, T3, T4, T5, Grid


@dataclass(frozen=True)
class ScenePlan:
    """What a scene must be: grid, number of exceptions, case and type of each region."""

    number: int
    grid: Grid
    exceptions: int
    cases: Mapping[str, str]  # template to zero, partial or all; T2 to T5
    region_types: Mapping[str, RegionType]  # template to type; T2 to T5
    cue: str


def plan_subset(subset: Subset) -> tuple[ScenePlan, ...]:
    """The plan of every scene of a subset, in order."""
    numbers = range(1, subset.scenes + 1)
    shares = {name: profile.share for name, profile in subset.profiles.items()}
    profiles = _deal(subset, "profiles", apportion(shares, subset.scenes))
    counts = _deal(subset, "exceptions", apportion(subset.exceptions, subset.scenes))
    cues = _deal(subset, "cues", apportion(subset.cue_shares, subset.scenes))
    several = [int(count) >= 2 for count in counts]
    cases = {t: _deal_cases(subset, t, several) for t in (T2, T3, T4, T5)}
    types = {t: _deal(subset, f"types/{t}", type_counts(subset)) for t in (T2, T3, T5)}
    # T4's region is marked in the image, so it is a rectangle that never names its bounds.
    types[T4] = [RegionType.RECTANGLE.value] * subset.scenes
    return tuple(
        ScenePlan(
            number=n,
            grid=_grid(subset, n, profiles[n - 1]),
            exceptions=int(counts[n - 1]),
            cases={t: cases[t][n - 1] for t in cases},
            region_types={t: RegionType(types[t][n - 1]) for t in types},
            cue=cues[n - 1],
        )
        for n in numbers
    )


def _deal(subset: Subset, stage: str, counts: Mapping[str, int]) -> list[str]:
    """Every value as often as its count says, in a drawn order."""
    values = [value for value, count in counts.items() for _ in range(count)]
    return Draws(subset.seed, subset.name, "plan", stage).shuffled(values)


def _deal_cases(subset: Subset, template: str, several: Sequence[bool]) -> list[str]:
    """Region cases, the partial ones only where there are exceptions enough to part."""
    counts = case_counts(subset, template)
    draws = Draws(subset.seed, subset.name, "plan", f"cases/{template}")
    able = draws.shuffled([n for n, more in enumerate(several) if more])
    partial = set(able[: counts["partial"]])
    others = draws.shuffled(["zero"] * counts["zero"] + ["all"] * counts["all"])
    return ["partial" if n in partial else others.pop() for n in range(len(several))]


def _grid(subset: Subset, number: int, profile: str) -> Grid:
    draws = Draws(subset.seed, subset.name, number, "grid")
    lines = subset.profiles[profile].lines
    rows, cols = draws.between(*lines), draws.between(*lines)
    return Grid(profile, rows, cols, draws.between(*subset.cell_size))
