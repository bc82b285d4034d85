"""Which pair goes into which scene.

Scenes are served in rounds: each scene without a pair is offered the next unused candidate of its
group, all offers are judged at once (by as many workers as there are), and scenes whose offer was
refused get another in the next round. Only the judging is spread over workers, so their number
changes nothing.

Where pairs may serve again, blocks of scenes are paired each by itself, so that a release may have
any number of them: each block goes on in the drawn order of the candidates about where the one
before it ends, and each pair serves one side of the split alone.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rosegen.draws import Deal, Draws, apportion
from rosegen.errors import RosegenError
from rosegen.pipeline import Subset
from rosegen.plan import ScenePlan, plan_subset
from rosegen.scene import DEV, SPLITS, TEST
from rosegen.sources.base import Candidate, Pool
from rosegen.workshop import Trial, Verdict, looks_of, try_candidate

BLOCK = 64
"""Scenes that are paired together where pairs may serve again."""


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

    def of(self, numbers: Sequence[int]) -> Pairing:
        """What came of some scenes."""
        own = set(numbers)
        matches = {number: match for number, match in self.matches.items() if number in own}
        rejections = [rejection for rejection in self.rejections if rejection.scene in own]
        return Pairing(self.candidates, matches, rejections)


@dataclass(frozen=True)
class Deck:
    """A subset's candidates, by the side they serve and by group, in the order of their offers.

    Attributes:
        size: how many there are, those of one key counted once.
        sides: split to group to candidates. One side has all where no pair serves twice.
    """

    size: int
    sides: Mapping[str, Mapping[str, Sequence[Candidate]]]

    def side_of(self, plan: ScenePlan) -> str:
        """Which candidates may be offered to a scene."""
        return plan.split if plan.split in self.sides else _BOTH


_BOTH = ""


def make_deck(subset: Subset, candidates: Sequence[Candidate], pool: Pool) -> Deck:
    """The candidates in the drawn order, and parted where pairs may serve again.

    Args:
        subset: the subset.
        candidates: what its source offers.
        pool: where their looks are told.

    Raises:
        RosegenError: there is none, or they cannot be parted.
    """
    if not candidates:
        raise RosegenError(
            f"{subset.name}: kind {subset.kind} finds no pair in its packs: add to them, or "
            f"loosen its options"
        )
    groups = list(dict.fromkeys(candidate.group for candidate in candidates))
    for group in subset.group_shares or ():
        if group not in groups:
            raise RosegenError(
                f"{subset.name}: group_shares names {group!r}, but the groups with pairs are "
                f"{', '.join(groups)}"
            )
    size = len({candidate.key for candidate in candidates})
    parts: Mapping[str, Sequence[Candidate]] = {_BOTH: candidates}
    if subset.repeat_pairs and 0 < subset.dev_scenes < subset.scenes:
        parts = _parted(subset, candidates, pool)
    return Deck(size, {side: _in_order(subset, own) for side, own in parts.items()})


def _in_order(subset: Subset, candidates: Iterable[Candidate]) -> Mapping[str, Sequence[Candidate]]:
    by_group: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        by_group.setdefault(candidate.group, []).append(candidate)
    return {
        group: spread(Draws(subset.seed, subset.name, "pairs", group), members)
        for group, members in by_group.items()
    }


def _parted(
    subset: Subset, candidates: Sequence[Candidate], pool: Pool
) -> dict[str, list[Candidate]]:
    """Each side's candidates, about as many as it has scenes; what looks alike stays together."""
    groups = _together(candidates, looks_of(subset.name, candidates, pool))
    drawn = Draws(subset.seed, subset.name, "plan", "sides").shuffled(groups)
    wanted = max(1, round(len(candidates) * subset.dev_scenes / subset.scenes))
    sides: dict[str, list[Candidate]] = {DEV: [], TEST: []}
    for group in drawn:
        missing = wanted - len(sides[DEV])
        fits = len(group) <= missing or not sides[DEV]
        sides[DEV if missing > 0 and fits else TEST] += group
    for side in SPLITS:
        if not sides[side]:
            raise RosegenError(
                f"{subset.name}: its {len(candidates)} candidates all hang together, so that none "
                f"can serve the {side} split alone: add packs, or set dev_scenes to 0"
            )
    return sides


def _together(candidates: Sequence[Candidate], looks: Iterable[str]) -> list[list[Candidate]]:
    """The candidates in groups that share a key or a look, each group and all in order."""
    leader = list(range(len(candidates)))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    first: dict[str, int] = {}
    for place, (candidate, look) in enumerate(zip(candidates, looks)):
        for mark in (f"key {candidate.key}", f"look {look}"):
            one, other = sorted((find(first.setdefault(mark, place)), find(place)))
            leader[other] = one
    groups: dict[int, list[Candidate]] = {}
    for place, candidate in enumerate(candidates):
        groups.setdefault(find(place), []).append(candidate)
    return list(groups.values())


def blocks_of(subset: Subset, plans: Sequence[ScenePlan]) -> list[Sequence[ScenePlan]]:
    """The scenes that are paired together: all of them, or block by block.

    Args:
        subset: the subset.
        plans: of its scenes from the first on; where no pair may serve again, of all.
    """
    if not subset.repeat_pairs:
        return [plans]
    return [plans[start : start + BLOCK] for start in range(0, len(plans), BLOCK)]


def pair_up(
    subset: Subset,
    plans: Sequence[ScenePlan],
    deck: Deck,
    pool: Pool,
    as_far_as_it_goes: bool = False,
) -> Pairing:
    """Give every scene a pair inside the admission window, none twice while others are unused.

    Args:
        subset: the subset.
        plans: of all its scenes, or of a block of them where pairs may serve again.
        deck: the candidates.
        pool: where tiles are drawn and measured.
        as_far_as_it_goes: leave scenes without a pair where there are not enough, if only one has
            a pair: for those who want to look at what there is.

    Raises:
        RosegenError: when the pool cannot fill the subset; the message says how far it goes.
    """
    pairing = Pairing(deck.size)
    for side, cards in deck.sides.items():
        own = [plan for plan in plans if deck.side_of(plan) == side]
        if own:
            shelf = _Shelf(_turned(subset, side, cards, own[0].number))
            _serve(subset, own, shelf, pairing, pool)
    missing = [plan for plan in plans if plan.number not in pairing.matches]
    if missing and not (as_far_as_it_goes and pairing.matches):
        raise Shortage(subset, missing[0], len(plans), pairing)
    return pairing


def pair_all(subset: Subset, deck: Deck, pool: Pool) -> Pairing:
    """``pair_up`` for all scenes of a subset whose pairs serve once.

    Raises:
        RosegenError: when the pool cannot fill the subset; of a small pool the message says how
            many scenes it can fill.
    """
    try:
        return pair_up(subset, plan_subset(subset), deck, pool)
    except Shortage as shortage:
        if deck.size > _SMALL_POOL:
            raise
        scenes = _that_can_be_filled(subset, deck, pool, shortage.found)
        raise RosegenError(
            f"{shortage} (scenes: {scenes} can be filled)" if scenes else str(shortage)
        ) from None


_SMALL_POOL = 400
_FEWER = 6


def _that_can_be_filled(subset: Subset, deck: Deck, pool: Pool, most: int) -> int | None:
    """A number of scenes that the pool fills: fewer scenes have other cells and cues, too."""
    for _ in range(_FEWER):
        if most == 0:
            return None
        fewer = replace(subset, scenes=most, dev_scenes=min(subset.dev_scenes, most))
        try:
            pair_up(fewer, plan_subset(fewer), deck, pool)
            return most
        except Shortage as shortage:
            most = min(shortage.found, most - 1)
        except RosegenError:  # the quotas of so many scenes cannot be dealt out
            most -= 1
    return None


def _turned(
    subset: Subset, side: str, cards: Mapping[str, Sequence[Candidate]], first: int
) -> dict[str, Sequence[Candidate]]:
    """Each group from where the scenes of its side before ``first`` have about left it."""
    block = (first - 1) // BLOCK * BLOCK if subset.repeat_pairs else 0
    scenes = {DEV: subset.dev_scenes, TEST: subset.scenes - subset.dev_scenes}
    before = block * scenes.get(side, subset.scenes) // subset.scenes
    shares = apportion(_shares(subset, list(cards)), before)
    turned: dict[str, Sequence[Candidate]] = {}
    for group, order in cards.items():
        start = shares.get(group, 0) % len(order)
        turned[group] = [*order[start:], *order[:start]]
    return turned


def _serve(
    subset: Subset, pending: Sequence[ScenePlan], shelf: _Shelf, pairing: Pairing, pool: Pool
) -> None:
    """Pair the scenes of one side, as far as the shelf goes."""
    groups = _deal_groups(subset, shelf.groups)
    looks: set[str] = set()
    while pending:
        offers = shelf.offer((plan.number, groups[plan.number - 1]) for plan in pending)
        if not any(offers):
            if not (subset.repeat_pairs and shelf.restock()):
                return
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


# How often a refused candidate may be offered to another scene, so that a window nothing fits is
# reported in seconds.
_SECOND_CHANCES = 2000


class _Shelf:
    """The candidates of each group in the order they are offered."""

    def __init__(self, order: Mapping[str, Sequence[Candidate]]) -> None:
        self._order = order
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


def _shares(subset: Subset, groups: Sequence[str]) -> Mapping[str, float]:
    """The shares of those groups that a side has; equal ones where none is told."""
    told = subset.group_shares or {}
    shares = {group: share for group, share in told.items() if group in groups}
    return shares if any(shares.values()) else dict.fromkeys(groups, 1)


def _deal_groups(subset: Subset, groups: Sequence[str]) -> Deal:
    """Scene number, from 0, to the group it is offered pairs of."""
    counts = apportion(_shares(subset, groups), subset.scenes)
    return Deal(counts, subset.seed, subset.name, "plan", "groups")


class Shortage(RosegenError):
    """A pool has not enough pairs; ``found`` is for how many scenes it has."""

    def __init__(self, subset: Subset, first: ScenePlan, scenes: int, pairing: Pairing) -> None:
        self.found = len(pairing.matches)
        reasons = Counter(rejection.reason for rejection in pairing.rejections).most_common(3)
        refused = ", ".join(f"{reason} {count}" for reason, count in reasons) or "none"
        block = "" if scenes == subset.scenes else f" from scene {first.number} on"
        super().__init__(
            f"{subset.name}: the pool has pairs for {self.found} of {scenes} scenes{block} "
            f"({pairing.candidates} candidates; refused most for: {refused}): add packs, widen "
            f"admission, lower scenes, or set repeat_pairs"
        )
