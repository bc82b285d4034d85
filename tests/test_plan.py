"""Plans: every quota is met to the last scene, and no scene is asked for the impossible."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosegen.data import pipelines_dir
from rosegen.draws import apportion
from rosegen.geometry import RegionType
from rosegen.pipeline import RegionShapes, Subset, load_pipeline
from rosegen.plan import Planner, plan_subset
from rosegen.scene import T2, T3, T4, T5
from tests.core_maker import LAW, small_subset

SHIPPED = [
    (path.stem, subset.name)
    for path in sorted(pipelines_dir().glob("*.yaml"))
    for subset in load_pipeline(path).subsets
]
WEIGHT = st.integers(0, 50)


def some(shares: dict[str, int]) -> bool:
    return any(shares.values())


def positive(counts: dict[str, int]) -> dict[str, int]:
    return {key: count for key, count in counts.items() if count}


def check_quotas(subset: Subset) -> None:
    """Count what was dealt out, whatever dealt it."""
    plans = plan_subset(subset)
    total = subset.scenes
    assert [plan.number for plan in plans] == list(range(1, total + 1))

    def met(values: list[str], shares: dict[str, float]) -> None:
        assert Counter(values) == positive(apportion(shares, total))

    met([p.grid.profile for p in plans], {n: p.share for n, p in subset.profiles.items()})
    met([str(p.exceptions) for p in plans], dict(subset.exceptions))
    met([p.cue for p in plans], dict(subset.cue_shares))
    assert sum(plan.split == "dev" for plan in plans) == subset.dev_scenes
    for template in (T2, T3, T4, T5):
        shares = {c: subset.region_cases[template].get(c, 0) for c in ("zero", "partial", "all")}
        met([p.cases[template] for p in plans], shares)
    kinds = ("ROW_RANGE", "COL_RANGE", "RECTANGLE")
    for template in (T2, T3, T5):
        shares = {kind: subset.regions.type_shares.get(kind, 0) for kind in kinds}
        met([p.region_types[template].value for p in plans], shares)
    for plan in plans:
        low, high = subset.profiles[plan.grid.profile].lines
        assert low <= plan.grid.rows <= high
        assert low <= plan.grid.cols <= high
        assert subset.cell_size[0] <= plan.grid.cell_size <= subset.cell_size[1]
        assert plan.region_types[T4] is RegionType.RECTANGLE
        assert plan.exceptions > 1 or "partial" not in plan.cases.values()


@pytest.mark.parametrize(("pipeline", "name"), SHIPPED)
def test_quotas_of_shipped_pipelines_are_met_exactly(pipeline: str, name: str) -> None:
    check_quotas(next(s for s in load_pipeline(pipeline).subsets if s.name == name))


@st.composite
def subsets(draw: st.DrawFn) -> Subset:
    scenes = draw(st.integers(1, 120))
    dev = draw(st.integers(0, scenes))
    exceptions = draw(st.dictionaries(st.sampled_from("12345678"), WEIGHT, min_size=1).filter(some))
    several = scenes - apportion(exceptions, scenes).get("1", 0)
    shares = st.fixed_dictionaries(dict.fromkeys(("zero", "partial", "all"), WEIGHT)).filter(some)
    cases = {t: draw(shares) for t in (T2, T3, T4, T5)}
    assume(all(apportion(case, scenes)["partial"] <= several for case in cases.values()))
    kinds = st.dictionaries(
        st.sampled_from(["RECTANGLE", "COL_RANGE", "ROW_RANGE"]), WEIGHT, min_size=1
    )
    base = small_subset()
    shapes = base.regions
    return replace(
        base,
        seed=draw(st.integers(0, 9999999)),
        scenes=scenes,
        dev_scenes=dev,
        exceptions=exceptions,
        region_cases=cases,
        cue_shares=draw(
            st.dictionaries(st.sampled_from(["MASK", "OUTLINE_BOX"]), WEIGHT, min_size=1).filter(
                some
            )
        ),
        regions=RegionShapes(
            shapes.range_lines,
            shapes.rectangle_sides,
            shapes.rectangle_coverage,
            draw(kinds.filter(some)),
        ),
    )


@LAW
@given(subsets())
def test_quotas_of_any_pipeline_are_met_exactly(subset: Subset) -> None:
    check_quotas(subset)


def test_a_plan_depends_on_the_seed_and_the_name_alone() -> None:
    subset = small_subset()
    assert plan_subset(subset) == plan_subset(subset)
    assert plan_subset(replace(subset, seed=8)) != plan_subset(subset)
    assert plan_subset(replace(subset, name="Other")) != plan_subset(subset)


def test_a_scene_is_planned_alone_as_among_all_others() -> None:
    subset = small_subset()
    plans = plan_subset(subset)
    for plan in reversed(plans):
        assert Planner(subset).plan(plan.number) == plan
    for number in (0, subset.scenes + 1):
        with pytest.raises(IndexError):
            Planner(subset).plan(number)


def test_any_scene_of_very_many_is_planned_at_once() -> None:
    """Ten million scenes take no more memory than ten."""
    subset = replace(small_subset(), scenes=10**7, dev_scenes=26 * 10**5)
    planner = Planner(subset)
    tracemalloc.start()
    some = [planner.plan(number) for number in range(1, 10**7, 10**4)]
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 5_000_000
    share = sum(plan.split == "dev" for plan in some) / len(some)
    assert abs(share - 0.26) < 0.06
    assert {plan.grid.profile for plan in some} == set(subset.profiles)
