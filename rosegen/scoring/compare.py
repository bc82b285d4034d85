"""Compare models on the items that all of them answered: paired differences and McNemar's test.

Both models of a pair are scored on the same drawn scenes, so what the scenes share cancels out.
McNemar's exact test is two-sided, on the items that one model has right and the other wrong
(McNemar 1947); it takes items as independent, which those of one scene are not: where it and the
interval disagree, believe the interval. With more than two models its p is corrected by Holm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rosegen.errors import RosegenError
from rosegen.scoring.columns import Columns
from rosegen.scoring.intervals import DEFAULT_RESAMPLES, Key, Sampled, Tally, intervals
from rosegen.scoring.names import TEMPLATE_SHORT
from rosegen.scoring.scored import Scored
from rosegen.scoring.tables import Cell, Table

_GROUPS = ("overall", "family", "subset", "template", "gap", "conditioned", "scene")


@dataclass(frozen=True)
class Difference:
    """A statistic of the first model less that of the second. Shares are from 0 to 1."""

    first: str
    second: str
    group: str
    level: str
    metric: str
    difference: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class McNemar:
    """Items by who has them right, over all items or those of one template."""

    first: str
    second: str
    level: str
    both: int
    only_first: int
    only_second: int
    neither: int
    p: float
    p_holm: float  # corrected for the number of pairs of models


@dataclass(frozen=True)
class Comparison:
    """All pairs of models, on the items that all of them answered."""

    models: tuple[str, ...]
    items: int
    left_out: int  # items that not all of them answered
    differences: tuple[Difference, ...]
    mcnemar: tuple[McNemar, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return asdict(self)

    def table(self) -> Table:
        """One row a pair: differences in points of percent, and p of McNemar's test as a share."""
        keys: dict[str, Key] = {
            "PASS": ("overall", "Avg.", "PASS"),
            "SOFT": ("overall", "Avg.", "SOFT"),
            "VALID": ("overall", "Avg.", "VALID"),
            **{short: ("template", short, "PASS") for short in TEMPLATE_SHORT.values()},
            "Gap": ("gap", "Gap", "PASS"),
        }
        found = {
            (d.first, d.second, (d.group, d.level, d.metric)): Cell(d.difference, d.low, d.high)
            for d in self.differences
        }
        tests = {(m.first, m.second): m for m in self.mcnemar if m.level == "all"}
        rows = []
        for (first, second), test in tests.items():
            cells = [found.get((first, second, key), Cell(None)) for key in keys.values()]
            cells += [Cell(test.only_first / self.items), Cell(test.only_second / self.items)]
            rows.append((f"{first} - {second} ({_p(test.p_holm)})", tuple(cells)))
        return Table(
            f"Differences on {self.items:,} items, in points; p: McNemar, exact"
            + (", Holm" if len(self.models) > 2 else ""),
            (*keys, "only first right", "only second right"),
            tuple(rows),
            "Pair",
        )


def compare(
    scored: Sequence[Scored],
    names: Sequence[str],
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
) -> Comparison:
    """Compare two or more models.

    Args:
        scored: the scored answers of each model, to the same release.
        names: how each is called; all different.
        seed: of the bootstrap over scenes.
        resamples: how many draws.

    Raises:
        RosegenError: two names are the same, or no item was answered by all.
    """
    if len(set(names)) < len(names):
        raise RosegenError(
            f"two of the models compared are called the same ({', '.join(names)}): "
            "give each file of predictions a model name of its own"
        )
    common = set(scored[0].ids).intersection(*(part.ids for part in scored[1:]))
    if not common:
        raise RosegenError("no item was answered by all models: there is nothing to compare")
    everything = set().union(*(part.ids for part in scored))
    parts = [_only(part, common) for part in scored]
    sampled = [_sampled(part, seed, resamples) for part in parts]
    differences: list[Difference] = []
    tests: list[McNemar] = []
    pairs = list(combinations(range(len(parts)), 2))
    for a, b in pairs:
        mine, other = sampled[a], sampled[b]
        gaps = intervals(
            [mine[key].value - other[key].value for key in mine],
            [mine[key].draws - other[key].draws for key in mine],
            [min(mine[key].size.fewest, other[key].size.fewest) for key in mine],
        )
        differences += [Difference(names[a], names[b], *key, *gap) for key, gap in zip(mine, gaps)]
    for level in ("all", *TEMPLATE_SHORT):
        found = [_mcnemar(parts[a], parts[b], level) for a, b in pairs]
        for (a, b), counts, corrected in zip(pairs, found, _holm([p for *_, p in found])):
            short = TEMPLATE_SHORT.get(level, level)
            tests.append(McNemar(names[a], names[b], short, *counts, corrected))
    return Comparison(
        tuple(names), len(common), len(everything) - len(common), tuple(differences), tuple(tests)
    )


def _only(scored: Scored, items: set[str]) -> Columns:
    if len(items) == len(scored.ids):
        return scored.columns
    keep = np.fromiter((name in items for name in scored.ids), bool, len(scored.ids))
    return scored.columns.select(keep)


def _sampled(columns: Columns, seed: int, resamples: int) -> dict[Key, Sampled]:
    found = Tally(columns, seed, resamples).sampled()
    return {each.key: each for each in found if each.key[0] in _GROUPS}


def _mcnemar(a: Columns, b: Columns, level: str) -> tuple[int, int, int, int, float]:
    """(both, only a, only b, neither, p) over all items or those of a template."""
    from scipy.special import bdtr  # noqa: PLC0415  # slow to import; one model does without

    rows = np.ones(len(a), bool) if level == "all" else a.is_level("task_template", level)
    first, second = a.flags["pass"][rows] == 1, b.flags["pass"][rows] == 1
    only_a, only_b = int((first & ~second).sum()), int((~first & second).sum())
    differ = only_a + only_b
    # The binomial law with one half is even: both tails are twice the smaller one.
    p = min(1.0, 2.0 * float(bdtr(min(only_a, only_b), differ, 0.5))) if differ else 1.0
    return int((first & second).sum()), only_a, only_b, int((~first & ~second).sum()), p


def _holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down correction (Holm 1979)."""
    corrected = [0.0] * len(ps)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = largest
    return corrected


def _p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.4f}"
