"""From pairs to a release: some are admitted, and what is built proves sound."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import yaml

from rosegen.build import build
from rosegen.errors import RosegenError
from rosegen.opening import make_pool
from rosegen.release.row_schema import features
from rosegen.testing.breach import Breach, calling
from rosegen.testing.subject import Subject
from rosegen.verify import verify_release
from rosegen.verify.fast_schema import compile_schema
from rosegen.workshop import Trial, try_candidate

_TRIED = 300
_ENOUGH = 3
_WIDEN = "make pairs more alike, or widen admission in settings"


def admission_breaches(subject: Subject) -> Iterator[Breach]:
    """Whether some pairs are admitted at the source's own settings."""
    subset = subject.subset
    cues = cycle([cue for cue, share in subset.cue_shares.items() if share > 0])
    sides = cycle(subject.cell_sizes)
    reasons: Counter[str] = Counter()
    admitted = tried = 0
    with make_pool(1, subject.pipeline.subsets, subject.opened):
        for pair in subject.some(_TRIED):
            with calling("admission", f"trying {pair.key!r}", "draw both tiles of every pair"):
                verdict = try_candidate(Trial(subset.name, pair, next(sides), (next(cues),)))
            tried += 1
            if verdict.refusal is None:
                admitted += 1
            else:
                reasons[verdict.refusal] += 1
            if admitted == _ENOUGH:
                return
    if admitted == 0:
        reason, times = reasons.most_common(1)[0]
        what = (
            f"none of {tried} pairs tried (of {len(subject.candidates)}) is admitted; refused most "
            f"for {reason}, {times} times"
        )
        yield Breach("admission", what, _WIDEN)


def release_breaches(subject: Subject) -> Iterator[Breach]:
    """Whether a small release can be built, says what it should, and verifies."""
    out = subject.folder / "release"
    with calling("release", "building one", "mend what the message names"):
        try:
            build(subject.pipeline, out, workers=1, offline=True)
        except RosegenError as error:
            mend = "mend that, or let check_source ask for fewer scenes"
            yield Breach("release", f"none can be built ({error})", mend)
            return
        report = verify_release(out, workers=1)
    yield from _columns(subject, out)
    if not report.ok:
        faults = "; ".join(map(str, report.faults[:3]))
        what = f"`rosegen verify` finds {len(report.faults)} faults: {faults}"
        yield Breach("release", what, "mend what they name")


def _columns(subject: Subject, out: Path) -> Iterator[Breach]:
    """Whether the declared columns are in schema, rows and card."""
    schema: dict[str, Any] = json.loads((out / "item.schema.json").read_bytes())
    check = compile_schema(schema, exact_integers=True)
    declared = list(subject.source.columns)
    rows = [
        json.loads(line)
        for split in ("dev", "test")
        for line in (out / f"metadata_{split}.jsonl").read_text("utf-8").splitlines()
    ]
    for row in rows:
        problem = check(row)
        if problem is not None:
            yield Breach("release", f"row {row['item_id']}: {' '.join(problem)}", "mend fields")
            return
    card = (out / "README.md").read_text("utf-8")
    told: list[Mapping[str, Any]] = yaml.safe_load(card.split("---\n")[1])["dataset_info"]
    for name in declared:
        lacking = [
            where
            for where, has in (
                ("the rows", all(name in row for row in rows)),
                ("the schema", name in schema["properties"]),
                ("the card", f"| `{name}` |" in card),
                ("the features", all(info["features"] == features(schema) for info in told)),
            )
            if not has
        ]
        if lacking:
            what = f"column {name!r} is not in {' and '.join(lacking)}"
            yield Breach("release", what, "declare it as base.Source.columns says")
