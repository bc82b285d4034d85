"""Which pair goes into which scene.

Scenes are served in rounds: each scene without a pair is offered the next unused candidate of its
group, all offers are judged at once (by as many workers as there are), and scenes whose offer was
refused get another in the next round. Only the judging is spread over workers, so their number
changes nothing.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rosegen.draws import Draws, apportion
from rosegen.errors import RosegenError
from rosegen.pipeline import Subset
from rosegen.plan import ScenePlan
from rosegen.sources.base import Candidate, Pool
from rosegen.workshop import Trial, Verdict, try_candidate


@dataclass(frozen=True)
class Match:
    """The pair a scene got."""

    candidate: Candidate
    verdict: Verdict


@dataclass(frozen=True)
class Rejection:
    """A candidate a scene was offered and that was refused, and why."""

    scene: int
    cell_size: int
    candidate: Candidate
    reason: str
    verdict: Verdict


@dataclass
class Pairing:
    """What came of a subset's pairing."""

    candidates: int
    matches: dict[int, Match] = field(default_factory=dict)
    rejections: list[Rejection] = field(default_factory=list)


def pair_up(
    subset: Subset,
    plans: Sequence[ScenePlan],
    candidates: Sequence[Candidate],
    pool: Pool,
    as_far_as_it_goes: bool = False,
) -> Pairing:
    """Give every scene a pair inside the admission window, none twice while others are unused.

    Args:
        subset: the subset.
        plans: of its scenes.
        candidates: what its source offers.
        pool: where tiles are drawn and measured.
        as_far_as_it_goes: leave scenes without a pair where there are not enough, if only one has
            a pair: for those who want to look at what there is.

    Raises:
        RosegenError: when the pool cannot fill the subset; the message says how far it goes.
    """
    shelf = _Shelf(subset, candidates)
    groups = _deal_groups(subset, shelf.groups)
    pairing = Pairing(len({candidate.key for candidate in candidates}))
    looks: set[str] = set()
    pending = list(plans)
    while pending:
        offers = shelf.offer((plan.number, groups[plan.number]) for plan in pending)
        if not any(offers):
            if not (subset.repeat_pairs and shelf.restock()):
                if as_far_as_it_goes and pairing.matches:
                    return pairing
                raise _shortage(subset, pairing)
            looks.clear()
            continue
        trials = [
            (plan, Trial(subset.name, offer, plan.grid.cell_size, (plan.cue,)))
            for plan, offer in zip(pending, offers)
            if offer is not None
        ]
        verdicts = pool.map(try_candidate, [trial for _, trial in trials], chunk=4)
        for (plan, trial), verdict in zip(trials, verdicts):
            candidate, reason = trial.candidate, verdict.refusal
            if reason is None and verdict.look in looks:
                reason = "same_art_as_another_pair"
            if reason is None:
                looks.add(verdict.look)
                shelf.keep(candidate)
                pairing.matches[plan.number] = Match(candidate, verdict)
            else:
                # What gives no pair at all (no measures) gives none to any other scene.
                shelf.refuse(plan.number, candidate, again=verdict.measures is not None)
                pairing.rejections.append(
                    Rejection(plan.number, plan.grid.cell_size, candidate, reason, verdict)
                )
        pending = [plan for plan in pending if plan.number not in pairing.matches]
    return pairing


# How often a refused candidate may be offered to another scene, so that a window nothing fits is
# reported in seconds.
_SECOND_CHANCES = 2000


class _Shelf:
    """The candidates of each group in the order they are offered."""

    def __init__(self, subset: Subset, candidates: Sequence[Candidate]) -> None:
        by_group: dict[str, list[Candidate]] = {}
        for candidate in candidates:
            by_group.setdefault(candidate.group, []).append(candidate)
        if not by_group:
            raise RosegenError(
                f"{subset.name}: kind {subset.kind} finds no pair in its packs: add to them, or "
                f"loosen its options"
            )
        self._order = {
            group: spread(Draws(subset.seed, subset.name, "pairs", group), members)
            for group, members in by_group.items()
        }
        self._queues = {group: deque(order) for group, order in self._order.items()}
        self._taken: set[str] = set()
        self._kept: list[Candidate] = []
        self._waiting: dict[str, list[Candidate]] = {}  # by key, while another has the pair
        self._refused: list[tuple[int, Candidate]] = []  # by which scene
        self._second_chances = _SECOND_CHANCES
        self._tried: set[tuple[int, str, str]] = set()

    @property
    def groups(self) -> list[str]:
        """Every group, in the order of the candidates."""
        return list(self._order)

    def offer(self, scenes: Iterable[tuple[int, str]]) -> list[Candidate | None]:
        """The next candidate for each scene: of its group, else of the fullest group.

        When every candidate has been offered once, those refused at one scene's cell size are
        offered to other scenes, so that a small pool goes as far as it can.
        """
        asked = list(scenes)
        offers = [self._next(group) for _, group in asked]
        if any(offers):
            return offers
        return [self._again(scene) for scene, _ in asked]

    def _next(self, group: str) -> Candidate | None:
        others = sorted(self._queues, key=lambda name: -len(self._queues[name]))
        for name in (group, *others):
            queue = self._queues[name]
            while queue:
                candidate = queue.popleft()
                if candidate.key not in self._taken:
                    self._taken.add(candidate.key)
                    return candidate
                self._waiting.setdefault(candidate.key, []).append(candidate)
        return None

    def _again(self, scene: int) -> Candidate | None:
        for refuser, candidate in self._refused:
            mark = (scene, candidate.group, candidate.key)
            if refuser == scene or candidate.key in self._taken or mark in self._tried:
                continue
            if self._second_chances == 0:
                return None
            self._second_chances -= 1
            self._tried.add(mark)
            self._taken.add(candidate.key)
            return candidate
        return None

    def keep(self, candidate: Candidate) -> None:
        """The candidate is in use."""
        self._kept.append(candidate)

    def refuse(self, scene: int, candidate: Candidate, again: bool) -> None:
        """The candidate did not do here; its pair may still do in another group or scene."""
        self._taken.discard(candidate.key)
        mark = (scene, candidate.group, candidate.key)
        if again and mark not in self._tried:
            self._tried.add(mark)
            self._refused.append((scene, candidate))
        for waiting in reversed(self._waiting.pop(candidate.key, [])):
            self._queues[waiting.group].appendleft(waiting)

    def restock(self) -> bool:
        """Offer again what was kept since the last time; False when that was nothing."""
        kept, self._kept = self._kept, []
        for candidate in kept:
            self._taken.discard(candidate.key)
            self._queues[candidate.group].append(candidate)
        return bool(kept)


def spread(draws: Draws, candidates: Sequence[Candidate]) -> list[Candidate]:
    """A drawn order in which no character, subgroup or family comes again before all others."""
    seen: Counter[str] = Counter()
    ranked = []
    for candidate in draws.shuffled(candidates):
        ranked.append((max(seen[kind] for kind in candidate.kinds), candidate))
        seen.update(candidate.kinds)
    ranked.sort(key=lambda entry: entry[0])  # stable: within a rank the drawn order stays
    return [candidate for _, candidate in ranked]


def _deal_groups(subset: Subset, groups: Sequence[str]) -> Mapping[int, str]:
    """Scene number to the group it is offered pairs of."""
    shares = subset.group_shares or dict.fromkeys(groups, 1)
    for group in shares:
        if group not in groups:
            raise RosegenError(
                f"{subset.name}: group_shares names {group!r}, but the groups with pairs are "
                f"{', '.join(groups)}"
            )
    counts = apportion(shares, subset.scenes)
    dealt = [group for group, count in counts.items() for _ in range(count)]
    drawn = Draws(subset.seed, subset.name, "plan", "groups").shuffled(dealt)
    return dict(enumerate(drawn, start=1))


def _shortage(subset: Subset, pairing: Pairing) -> RosegenError:
    reasons = Counter(rejection.reason for rejection in pairing.rejections).most_common(3)
    refused = ", ".join(f"{reason} {count}" for reason, count in reasons) or "none"
    return RosegenError(
        f"{subset.name}: the pool has pairs for {len(pairing.matches)} of {subset.scenes} scenes "
        f"({pairing.candidates} candidates; refused most for: {refused}): add packs, widen "
        f"admission, lower scenes, or set repeat_pairs"
    )
