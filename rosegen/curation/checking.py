"""Whether a build can use what a person accepted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rosegen.curation.judging import Judgement, Question, cues_of, judge, middle
from rosegen.curation.offer import candidates_of
from rosegen.curation.showing import spoken_of
from rosegen.engine.local import LocalPool
from rosegen.errors import RosegenError
from rosegen.opening import Progress, make_pool, open_packs
from rosegen.pair_list import ACCEPT, REFUSE, ListedPair, of_subset, read_pair_list
from rosegen.pairing import make_deck, pair_up
from rosegen.pipeline import Pipeline, Subset, load_pipeline
from rosegen.plan import plan_subset
from rosegen.selection import Selection
from rosegen.sources.base import Candidate
from rosegen.sources.pictures.refusal import shown

_BATCH = 256  # pairs that are handed to the pool at a time


@dataclass(frozen=True)
class Fault:
    """Something wrong with an accepted pair, or with what a subset has of them.

    Attributes:
        place: file and line; the file alone when it is not about one pair.
        subset: name; empty when the pair is of none.
        group: of the pair, as the list has it.
        key: of the pair.
        message: what is wrong.
    """

    place: str
    subset: str
    group: str
    key: str
    message: str

    def __str__(self) -> str:
        names = (self.subset, self.group, self.key)
        about = " ".join(shown(name) for name in dict.fromkeys(names) if name)
        return f"{shown(self.place)}: {about}: {shown(self.message)}"


@dataclass(frozen=True)
class Counted:
    """How far a subset's accepted pairs go."""

    name: str
    accepted: int
    refused: int
    undecided: int
    usable: int  # accepted pairs that are among the candidates, each key once
    scenes: int
    dev_scenes: int


@dataclass(frozen=True)
class Checked:
    """What a check found."""

    faults: tuple[Fault, ...]
    subsets: tuple[Counted, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.faults


@dataclass(frozen=True)
class _Found:
    """An accepted pair and what it is today."""

    pair: ListedPair
    candidate: Candidate
    judgement: Judgement


def check_pairs(
    pipeline: Pipeline | Path | str,
    pair_list: Path | str,
    *,
    subsets: Sequence[str] = (),
    workers: int | None = None,
    offline: bool = False,
    progress: Progress | None = None,
) -> Checked:
    """Hold a list's accepted pairs against what the pipeline's sources offer today.

    Every one must be a candidate, look as it did when it was mined, be admitted at the smallest,
    middle and largest cell size under every cue, and be there once, in one direction; and there
    must be enough of them for the scenes, dev and test apart.

    Args:
        pipeline: a pipeline, its file, or the name of a shipped one.
        pair_list: the list.
        subsets: which to check; none named: those that name the list as theirs, else those that
            the list speaks of.
        workers: processes; None for every core.
        offline: whether packs come from the cache alone.
        progress: called with what is being done, how far it is and how far it goes.

    Raises:
        RosegenError: the list cannot be read, or for anything else the user can mend.
    """
    if not isinstance(pipeline, Pipeline):
        pipeline = load_pipeline(pipeline)
    path = Path(pair_list)
    pairs = read_pair_list(path)
    chosen = _chosen(pipeline, subsets, pairs, path)
    tell: Progress = progress or (lambda stage, done, total: None)
    opened = open_packs(chosen, pipeline.licenses, offline, tell)
    faults = [] if subsets else list(_of_no_subset(pipeline, pairs))
    counted = []
    offered = {}
    with make_pool(workers, chosen, opened) as pool:
        for subset in chosen:
            offered[subset.name] = candidates_of(subset, pool, pipeline.licenses)
        for subset in chosen:
            own = [pair for pair in of_subset(pairs, subset.name) if pair.verdict == ACCEPT]
            asked = _among(own, offered[subset.name])
            found = list(_judged(subset, asked, pool, tell))
            elsewhere = [one for name, one in offered.items() if name != subset.name]
            faults += _unknown(subset, own, offered[subset.name], elsewhere)
            faults += _unlike(subset, found)
            faults += _not_admitted(subset, found)
            faults += _twins(subset, found)
            faults += _too_few(subset, [candidate for _, candidate in asked], pool, path)
            counted.append(_count(subset, pairs, asked))
    return Checked(tuple(faults), tuple(counted))


def _chosen(
    pipeline: Pipeline, names: Sequence[str], pairs: Sequence[ListedPair], path: Path
) -> list[Subset]:
    asked = Selection(tuple(names)).check(pipeline)
    if names:
        return list(asked)
    own = [
        subset
        for subset in asked
        if subset.curated is not None and subset.curated.resolve() == path.resolve()
    ]
    return own or spoken_of(asked, pairs, path)


def _of_no_subset(pipeline: Pipeline, pairs: Sequence[ListedPair]) -> Iterator[Fault]:
    known = {"", *(subset.name for subset in pipeline.subsets)}
    for pair in pairs:
        if pair.verdict == ACCEPT and pair.subset not in known:
            yield _fault(pair, pair.subset, f"{pipeline.path} has no subset of that name")


def _among(
    accepted: Sequence[ListedPair], offered: Sequence[Candidate]
) -> list[tuple[ListedPair, Candidate]]:
    """The accepted pairs that are candidates; one that names no group stands for those of all."""
    by_name: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in offered:
        by_name.setdefault((candidate.group, candidate.key), []).append(candidate)
        by_name.setdefault(("", candidate.key), []).append(candidate)
    return [(p, candidate) for p in accepted for candidate in by_name.get((p.group, p.key), ())]


def _judged(
    subset: Subset, asked: Sequence[tuple[ListedPair, Candidate]], pool: LocalPool, tell: Progress
) -> Iterator[_Found]:
    low, high = subset.cell_size
    sizes = tuple(dict.fromkeys((middle(subset), low, high)))
    for start in range(0, len(asked), _BATCH):
        batch = asked[start : start + _BATCH]
        questions = [
            Question(subset.name, candidate, sizes, cues_of(subset)) for _, candidate in batch
        ]
        judgements = pool.map(judge, questions, chunk=4)
        for done, ((pair, candidate), judgement) in enumerate(zip(batch, judgements), start + 1):
            tell(f"{subset.name}: accepted", done, len(asked))
            yield _Found(pair, candidate, judgement)


def _unknown(
    subset: Subset,
    accepted: Sequence[ListedPair],
    offered: Sequence[Candidate],
    elsewhere: Sequence[Sequence[Candidate]],
) -> Iterator[Fault]:
    """Accepted pairs that are no candidates. What names no subset may be one of another's."""
    groups: dict[str, list[str]] = {}
    for candidate in offered:
        groups.setdefault(candidate.key, []).append(candidate.group)
    others = {(c.group, c.key) for candidates in elsewhere for c in candidates}
    others |= {("", key) for _, key in others}
    for pair in accepted:
        own = groups.get(pair.key, [])
        if pair.group in ("", *own) and own:
            continue
        if not pair.subset and (pair.group, pair.key) in others:
            continue
        if own:
            message = f"not a candidate of this group, but of {', '.join(own)}"
        else:
            message = f"not among the {len(offered)} candidates: no pair has this key"
        yield _fault(pair, subset.name, message)


def _unlike(subset: Subset, found: Sequence[_Found]) -> Iterator[Fault]:
    for one in found:
        known = [one.pair.columns.get(name) for name in ("a_sha256", "b_sha256")]
        if all(known) and tuple(sorted(map(str, known))) != one.judgement.look:
            message = "looks other than when it was mined: mine the list anew and look at it again"
            yield _fault(one.pair, subset.name, message)


def _not_admitted(subset: Subset, found: Sequence[_Found]) -> Iterator[Fault]:
    for one in found:
        refusals = sorted(one.judgement.refusals)
        if refusals:
            reasons = ", ".join(f"{reason} at {size} px" for size, reason in refusals)
            yield _fault(one.pair, subset.name, f"not admitted: {reasons}")


def _twins(subset: Subset, found: Sequence[_Found]) -> Iterator[Fault]:
    """Accepted pairs whose two tiles are those of an earlier one, in whichever direction."""
    first: dict[tuple[str, ...], _Found] = {}
    for one in found:
        if not all(one.judgement.look):
            continue
        other = first.setdefault(one.judgement.look, one)
        if other is one:
            continue
        is_same = one.judgement.a_sha256 == other.judgement.a_sha256
        what = "the same art as" if is_same else "the reverse of"
        yield _fault(one.pair, subset.name, f"{what} {other.pair.key} at {other.pair.place}")


def _too_few(
    subset: Subset, accepted: Sequence[Candidate], pool: LocalPool, path: Path
) -> Iterator[Fault]:
    """What a build would say: it is tried with the accepted pairs alone, up to the split."""
    if not accepted:
        yield Fault(str(path), subset.name, "", "", "no accepted pair is among its candidates")
        return
    try:
        pair_up(subset, plan_subset(subset), make_deck(subset, accepted, pool), pool)
    except RosegenError as problem:
        message = str(problem).removeprefix(f"{subset.name}: ")
        yield Fault(str(path), subset.name, "", "", message)


def _count(
    subset: Subset,
    pairs: Sequence[ListedPair],
    asked: Sequence[tuple[ListedPair, Candidate]],
) -> Counted:
    verdicts = [pair.verdict for pair in of_subset(pairs, subset.name)]
    accepted, refused = verdicts.count(ACCEPT), verdicts.count(REFUSE)
    return Counted(
        subset.name,
        accepted,
        refused,
        len(verdicts) - accepted - refused,
        len({candidate.key for _, candidate in asked}),
        subset.scenes,
        subset.dev_scenes,
    )


def _fault(pair: ListedPair, subset: str, message: str) -> Fault:
    return Fault(pair.place, subset, pair.group, pair.key, message)
