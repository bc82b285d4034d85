"""How sure the numbers are: 95 % intervals from a bootstrap over scenes.

The five items of a scene share one picture, so they are not independent: whole scenes are drawn,
with replacement, within each subset (a benchmark fixes how many scenes a subset has). Every
statistic is computed anew on each draw; the interval is between the 2.5th and the 97.5th
percentile (Efron and Tibshirani 1993, chapter 13; clusters: Field and Welsh 2007). Draws come
from SHA-256 of (seed, subset) through the raw stream of PCG64, which NumPy promises never to
change. Where no scene differs (a rate of 0 or 1) the interval has no width: it then says nothing.
Drawing n scenes anew gives (n - 1) / n of the variance, none of a single scene: there is no
interval where a mean in a statistic is over fewer than ``FEWEST_SCENES``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosegen.scoring.columns import BREAKDOWNS, Columns, Floats
from rosegen.scoring.names import (
    ACTION,
    COUNTING,
    FAMILIES,
    TEMPLATE_SHORT,
    subset_order,
)

DEFAULT_RESAMPLES = 1000
LEVEL = 0.95
FEWEST_SCENES = 10  # a bootstrap of fewer says more than it knows
_BLOCK = 1 << 20  # scenes drawn at a time: 8 MB

# Metric: the column it is the mean of, and the rows it is over.
METRICS = {
    "PASS": ("pass", None),
    "SOFT": ("unified_soft", None),
    "VALID": ("format_valid", None),
    "C-F1": ("click_f1_strict", "click_applicable"),
    "R-OK": ("region_ok", "click_applicable"),
    # ROSE's R-OK is 1 for an answer that could not be read: this one leaves those out.
    "R-OK | VALID": ("region_ok", "valid_click"),
}
_SHORTS = list(TEMPLATE_SHORT.values())
_CONDITIONED = ("L-Cnt | T1", "L-Clk | T1", "V-Clk | T1", "Excl. C+S | T1")


Key = tuple[str, str, str]  # group, level, metric


class Over(NamedTuple):
    """What a statistic is made of: columns of the matrices of some subsets."""

    subsets: Sequence[int]
    counts: Sequence[int] | slice  # the columns of its denominators
    means: str  # one of a "subset", one of a "column" in a subset, or one of all, "pooled"


class Size(NamedTuple):
    """How much a statistic rests on."""

    items: int
    scenes: int
    fewest: int  # scenes of the smallest mean in it


class Sampled(NamedTuple):
    """A statistic on the scenes as they are and as drawn."""

    key: Key
    value: Floats  # one number, NaN where there is none
    draws: Floats
    size: Size


@dataclass(frozen=True)
class Statistic:
    """One number, its interval, and what it is of. Shares are from 0 to 1, not percent."""

    group: str  # overall, family, subset, template, subset_template, gap, ...
    level: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    items: int  # that the metric is over, not those it leaves out
    scenes: int  # of these items


def statistics(
    columns: Columns, seed: int = 0, resamples: int = DEFAULT_RESAMPLES
) -> list[Statistic]:
    """Every statistic of one model's answers, with its interval.

    Groups:
      overall          Avg.: the mean over subsets; pooled: the mean over items
      family           the published columns Glyph, Emoji and Pixel (means over their subsets)
      subset           item means
      template         the mean over subsets of the subset's mean, as in the paper's Table 2
      subset_template  item means of one template in one subset
      gap              Counting Avg. (G-Cnt, L-Cnt), Action Avg. (L-Clk, V-Clk, Excl. C+S), Gap
      conditioned      PASS where the scene's global count is right; Action Ret. is the mean of
                       the three action tasks
      scene            scenes with all five right, and what independence of the tasks would give;
                       both over the scenes that have all five
      difficulty, grid_profile, exception_count, region_case, similarity_bin: item means
    """
    found = list(Tally(columns, seed, resamples).sampled())
    shown = intervals(
        [each.value for each in found],
        [each.draws for each in found],
        [each.size.fewest for each in found],
    )
    return [
        Statistic(*each.key, *interval, each.size.items, each.size.scenes)
        for each, interval in zip(found, shown)
    ]


def intervals(
    values: Sequence[Floats], drawn: Sequence[Floats], fewest: Sequence[int]
) -> list[tuple[float | None, float | None, float | None]]:
    """(value, low, high) of each statistic: the value itself, and percentiles of its draws.

    None where there is no value, and no interval where ``fewest`` is below ``FEWEST_SCENES``.
    """
    draws = np.stack(drawn)
    draws.sort(axis=1)  # NaN last
    known = (~np.isnan(draws)).sum(axis=1)
    shown: list[tuple[float | None, float | None, float | None]] = []
    for value, line, count, scenes in zip(values, draws, known.tolist(), fewest):
        if np.isnan(value[0]):
            shown.append((None, None, None))
        elif not count or scenes < FEWEST_SCENES:
            shown.append((float(value[0]), None, None))
        else:
            low, high = (_quantile(line[:count], (1 + side * LEVEL) / 2) for side in (-1, 1))
            shown.append((float(value[0]), low, high))
    return shown


def _quantile(ordered: Floats, share: float) -> float:
    """Linear between order statistics, as ``numpy.quantile`` has it."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (place - below) * (ordered[above] - ordered[below]))


class Tally:
    """Sums by scene, from which every statistic follows, on the scenes as they are or as drawn.

    For each subset a matrix of one row a scene: numerators and denominators of each metric by
    template and by level of each breakdown, and what is needed for the statistics of whole scenes.
    Only one subset's matrix is held at a time; of each stay its sums and which scenes have what.
    """

    def __init__(self, columns: Columns, seed: int, resamples: int) -> None:
        self.columns = columns
        self.subsets = [
            subset
            for subset in subset_order(columns.levels["rose_subset"])
            if subset in columns.levels["rose_subset"]
        ]
        self.levels = {name: sorted(columns.levels[name], key=level_order) for name in BREAKDOWNS}
        self._template = self._codes("task_template", list(TEMPLATE_SHORT))
        self._breakdown = {name: self._codes(name, self.levels[name]) for name in BREAKDOWNS}
        self._metrics = list(self._numerators_and_denominators())
        self._totals: list[Floats] = []  # (1, columns) each
        self._drawn: list[Floats] = []  # (resamples, columns) each
        self._seen: list[npt.NDArray[np.uint8]] = []  # above 0: a bit a scene, by column
        self._reach: list[npt.NDArray[np.int64]] = []  # scenes above 0, by column
        self._scenes: list[int] = []
        for subset in self.subsets:
            matrix = self._matrix(subset)
            blocks = weights(seed, subset, len(matrix), resamples)
            self._totals.append(matrix.sum(axis=0, keepdims=True))
            self._drawn.append(np.concatenate([block @ matrix for block in blocks]))
            seen = matrix > 0
            self._seen.append(np.packbits(seen, axis=0))
            self._reach.append(seen.sum(axis=0))
            self._scenes.append(len(matrix))
            del matrix

    def _codes(self, name: str, levels: list[str]) -> npt.NDArray[np.int32]:
        """The place of each row's level in ``levels``; ``len(levels)`` for others."""
        places = {level: place for place, level in enumerate(levels)}
        table = [places.get(level, len(levels)) for level in self.columns.levels[name]]
        return np.array(table, np.int32)[self.columns.codes[name]]

    def _numerators_and_denominators(self) -> Iterator[tuple[Floats, Floats]]:
        click = self.columns.flags["click_applicable"] == 1
        masks = {
            None: np.ones(len(self.columns), bool),
            "click_applicable": click,
            "valid_click": click & (self.columns.flags["format_valid"] == 1),
        }
        for column, over in METRICS.values():
            values = self.columns.value(column)
            counted = masks[over] & ~np.isnan(values)
            yield np.where(counted, values, 0.0), counted.astype(np.float64)

    def _matrix(self, subset: str) -> Floats:
        rows = np.flatnonzero(self.columns.is_level("rose_subset", subset))
        scene_codes = self.columns.codes["scene_id"][rows]
        # Scenes in the order of their names: the draws must not depend on the order of a file.
        names = self.columns.levels["scene_id"]
        codes = sorted(np.unique(scene_codes).tolist(), key=names.__getitem__)
        place = np.zeros(len(names), np.intp)
        place[codes] = np.arange(len(codes))
        scene = place[scene_codes]
        parts = [self._by_template(rows, scene, len(codes))]
        for name in BREAKDOWNS:
            parts.append(
                self._sums(rows, scene, len(codes), self._breakdown[name], len(self.levels[name]))
            )
        return np.concatenate([part.reshape(len(codes), -1) for part in parts], axis=1)

    def _sums(
        self, rows: Any, scene: Any, scenes: int, level: npt.NDArray[np.int32], levels: int
    ) -> Floats:
        """(scenes, levels, metrics, 2): numerators and denominators."""
        sums = np.zeros((scenes, levels, len(METRICS), 2))
        cell = scene * levels + level[rows]
        for m, pair in enumerate(self._metrics):
            for side, values in enumerate(pair):
                sums[:, :, m, side] = np.bincount(
                    cell, values[rows], minlength=scenes * levels
                ).reshape(scenes, levels)
        return sums

    def _by_template(self, rows: Any, scene: Any, scenes: int) -> Floats:
        """Sums by template (the last is for other templates), then those of whole scenes."""
        templates = len(TEMPLATE_SHORT)
        sums = self._sums(rows, scene, scenes, self._template, templates + 1)
        seen = sums[:, :templates, 0, 1] > 0
        passed = sums[:, :templates, 0, 0] > 0
        counted = (passed & seen)[:, :1]
        whole_seen = np.asarray(seen.all(axis=1))
        pairs = [
            (counted & passed[:, 1:], counted & seen[:, 1:]),
            ((np.asarray(passed.all(axis=1)) & whole_seen)[:, None], whole_seen[:, None]),
            (passed & whole_seen[:, None], seen & whole_seen[:, None]),
        ]
        whole = np.concatenate([np.stack(pair, axis=2) for pair in pairs], axis=1)
        return np.concatenate(
            [sums.reshape(scenes, -1), whole.reshape(scenes, -1).astype(np.float64)], axis=1
        )

    def sampled(self) -> Iterator[Sampled]:
        """Every statistic: its value, its draws and what it rests on."""
        for (key, value, over), (_, draws, _) in zip(
            self._named(self._totals), self._named(self._drawn)
        ):
            yield Sampled(key, value, draws, self._size(over))

    def _size(self, over: Over) -> Size:
        """How many items and scenes a statistic rests on."""
        items = int(sum(self._totals[s][0, over.counts].sum() for s in over.subsets))
        reach = [self._reach[s][over.counts].tolist() for s in over.subsets]
        by_subset = [
            counts[0]
            if len(counts) == 1
            else _ones(np.bitwise_or.reduce(self._seen[s][:, over.counts], axis=1))
            for s, counts in zip(over.subsets, reach)
        ]
        scenes = sum(by_subset)
        if over.means == "pooled":  # on average over the subsets: each loses a scene's variance
            drawn = sum(self._scenes[s] for s in over.subsets)
            return Size(items, scenes, min(scenes, drawn // len(over.subsets)))
        means = by_subset
        if over.means == "column":
            means = [number for counts in reach for number in counts]
        return Size(items, scenes, min((number for number in means if number), default=0))

    def _named(self, sums: list[Floats]) -> Iterator[tuple[Key, Floats, Over]]:
        """((group, level, metric), values of each draw, what it is over) of every statistic."""
        templates, metrics = len(TEMPLATE_SHORT), len(METRICS)
        wide = (templates + 1) * metrics * 2
        cells = np.stack([part[:, :wide] for part in sums])
        cells = cells.reshape(len(sums), -1, templates + 1, metrics, 2)
        scene_wide = 2 * (templates - 1 + 1 + templates)
        of_scenes = np.stack([part[:, wide : wide + scene_wide] for part in sums])
        of_scenes = of_scenes.reshape(len(sums), cells.shape[1], -1, 2)

        by_subset = _ratio(cells.sum(axis=2))  # subsets, draws, metrics
        by_cell = _ratio(cells)  # subsets, draws, templates + 1, metrics
        by_template = _mean(by_cell, 0)[:, :templates]
        every = range(len(self.subsets))
        items = [slice(2 * m + 1, wide, 2 * metrics) for m in range(metrics)]  # of all templates

        for m, metric in enumerate(METRICS):
            over = Over(every, items[m], "subset")
            yield ("overall", "Avg.", metric), _mean(by_subset, 0)[:, m], over
        pooled = _ratio(cells.sum(axis=(0, 2)))
        for m, metric in enumerate(METRICS):
            yield ("overall", "pooled", metric), pooled[:, m], Over(every, items[m], "pooled")
        for family, members in FAMILIES.items():
            at = [self.subsets.index(name) for name in members if name in self.subsets]
            if at:
                for m, metric in enumerate(METRICS):
                    over = Over(at, items[m], "subset")
                    yield ("family", family, metric), _mean(by_subset[at], 0)[:, m], over
        for s, subset in enumerate(self.subsets):
            for m, metric in enumerate(METRICS):
                yield ("subset", subset, metric), by_subset[s, :, m], Over([s], items[m], "subset")
        for t, short in enumerate(_SHORTS):
            for m, metric in enumerate(METRICS):
                over = Over(every, [2 * (t * metrics + m) + 1], "column")
                yield ("template", short, metric), by_template[:, t, m], over
        for s, subset in enumerate(self.subsets):
            for t, short in enumerate(_SHORTS):
                for m, metric in enumerate(METRICS):
                    over = Over([s], [2 * (t * metrics + m) + 1], "column")
                    key = ("subset_template", f"{subset} {short}", metric)
                    yield key, by_cell[s, :, t, m], over

        places = {template: t for t, template in enumerate(TEMPLATE_SHORT)}
        passes = by_template[:, :, 0]
        counting, acting = [places[t] for t in COUNTING], [places[t] for t in ACTION]
        means = {
            "Counting Avg.": (_mean(passes[:, counting], 1), counting),
            "Action Avg.": (_mean(passes[:, acting], 1), acting),
        }
        gap = means["Counting Avg."][0] - means["Action Avg."][0]
        for name, (values, tasks) in (means | {"Gap": (gap, [*counting, *acting])}).items():
            over = Over(every, [2 * t * metrics + 1 for t in tasks], "column")
            yield ("gap", name, "PASS"), values, over
        yield from self._whole_scenes(of_scenes, wide)
        yield from self._breakdowns(sums, wide + scene_wide)

    def _whole_scenes(self, of_scenes: Floats, start: int) -> Iterator[tuple[Key, Floats, Over]]:
        rates = _ratio(of_scenes)  # subsets, draws, kinds
        actions, given = len(ACTION), len(_CONDITIONED)
        every = range(len(self.subsets))
        conditioned = rates[:, :, :given]
        counts = [start + 2 * kind + 1 for kind in range(rates.shape[2])]
        for c, name in enumerate(_CONDITIONED):
            over = Over(every, [counts[c]], "column")
            yield ("conditioned", name, "PASS"), _mean(conditioned[:, :, c], 0), over
        kept = _mean(_mean(conditioned[:, :, -actions:], 2), 0)
        over = Over(every, counts[given - actions : given], "column")
        yield ("conditioned", "Action Ret.", "PASS"), kept, over
        whole = _mean(rates[:, :, given], 0)
        alone = _mean(np.prod(rates[:, :, given + 1 :], axis=2), 0)
        over = Over(every, counts[given + 1 :], "column")
        yield ("scene", "all five right", "PASS"), whole, over
        yield ("scene", "if independent", "PASS"), alone, over
        yield ("scene", "difference", "PASS"), whole - alone, over

    def _breakdowns(self, sums: list[Floats], start: int) -> Iterator[tuple[Key, Floats, Over]]:
        pooled = np.sum(sums, axis=0)
        every = range(len(self.subsets))
        for name in BREAKDOWNS:
            levels = self.levels[name]
            end = start + len(levels) * len(METRICS) * 2
            rates = _ratio(pooled[:, start:end].reshape(-1, len(levels), len(METRICS), 2))
            for x, level in enumerate(levels):
                for m, metric in enumerate(METRICS):
                    over = Over(every, [start + 2 * (x * len(METRICS) + m) + 1], "pooled")
                    yield (name, level, metric), rates[:, x, m], over
            start = end


def weights(seed: int, subset: str, scenes: int, resamples: int) -> Iterator[Floats]:
    """How often each scene of a subset is drawn: blocks of (draws, scenes), each row sums up."""
    digest = hashlib.sha256(f"{seed}\0{subset}".encode()).digest()
    stream = np.random.PCG64(int.from_bytes(digest[:16], "big"))
    step = max(1, _BLOCK // scenes)
    for start in range(0, resamples, step):
        draws = min(step, resamples - start)
        raw = stream.random_raw(draws * scenes)
        # The upper 32 bits, scaled: even to one part in 2**32 / scenes.
        drawn = (((raw >> np.uint64(32)) * np.uint64(scenes)) >> np.uint64(32)).astype(np.int64)
        drawn += np.repeat(np.arange(draws) * scenes, scenes)
        counts = np.bincount(drawn, minlength=draws * scenes)
        yield counts.reshape(draws, scenes).astype(np.float64)


def _ones(bits: npt.NDArray[np.uint8]) -> int:
    return int(np.unpackbits(bits).sum())


def _ratio(sums: Floats) -> Floats:
    """Numerator by denominator along the last axis; NaN where there is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def _mean(values: Floats, axis: int) -> Floats:
    """The mean of what is not NaN; NaN of nothing."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=axis) / count)


def level_order(level: str) -> tuple[int, float, str]:
    """For sorting levels: numbers by size, then small before medium before large, then by name."""
    known = ("easy", "small", "zero", "medium", "partial", "large", "hard", "all", "< 0.80")
    if level.isdecimal():
        return 0, float(level), level
    if level in known:
        return 1, float(known.index(level)), level
    return 2, 0.0, level
