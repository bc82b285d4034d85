"""The two bridge tasks: T1 asked as clicks, and T3 asked as a count, each paired with its source.

Definitions, names and files are those of ROSE's public bridge evaluators.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.files import placed, write_json
from rosegen.row_files import name_of, read_rows
from rosegen.scene import T1, T1B, T2B, T3
from rosegen.scoring.bridge_summary import Row, Rows, global_click, matched_count
from rosegen.scoring.items import gold_of
from rosegen.scoring.names import SEALS, TEMPLATE_ALIASES
from rosegen.scoring.predictions import Duplicates, Predictions, load_predictions
from rosegen.scoring.release import Metadata, find_metadata, item_id_of
from rosegen.scoring.score import UNSCORABLE, score_item
from rosegen.scoring.scored import line_of
from rosegen.scoring.tables import write_csv

_NUMBERS = (
    *("pass", "format_valid", "unified_soft", "click_f1_strict"),
    *("gt_count", "pred_click_count_unique"),
)
_MOST = 1 << 53


@dataclass(frozen=True)
class Bridge:
    """One bridge task and the task of the main benchmark that it is paired with."""

    name: str  # of its folder in a release
    template: str
    source: str


BRIDGES = {
    "global_click": Bridge("global_click", T1B, T1),
    "matched_local_count": Bridge("matched_local_count", T2B, T3),
}


@dataclass
class BridgeEvaluation:
    """What came out: the scored rows, and ROSE's summary, tables and files."""

    bridge: Bridge
    rows: list[Row]
    summary: Row
    paper_table: Row
    tables: dict[str, list[Row]]  # by name: by_subset, by_region_case

    def write(self, out: str | Path) -> None:
        """Write ROSE's files into a folder.

        Raises:
            RosegenError: the disk will not take them.
        """
        stem = "global_click" if self.bridge.template == T1B else "matched_count"
        failed = [row for row in self.rows if row["pass"] != 1]
        with placed(Path(out), seals=SEALS) as stage:
            _write_lines(stage / f"per_item_{stem}_eval.jsonl", self.rows)
            _write_lines(stage / f"{stem}_error_cases.jsonl", failed)
            if stem == "matched_count":
                lost = [
                    row
                    for row in self.rows
                    if row["pass"] == 1 and row["base_lclk_matched"] and row["base_lclk_pass"] != 1
                ]
                _write_lines(stage / "mlcnt_correct_lclk_wrong.jsonl", lost)
            write_json(stage / f"{stem}_summary.json", self.summary)
            for name, table in self.tables.items():
                write_csv(stage / f"{stem}_{name}.csv", table)
            write_csv(stage / f"{stem}_paper_table.csv", [self.paper_table])
            write_json(stage / f"{stem}_paper_table.json", self.paper_table)


def evaluate_bridge(
    release: str | Path | Any,
    predictions: str | Path | Any,
    *,
    main_eval: str | Path | None = None,
    bridge: str | None = None,
    split: str = "test",
    allow_partial: bool = False,
    text_column: str | None = None,
    model: str | None = None,
    main_model: str | None = None,
    near_miss_l1: int = 1,
    duplicates: Duplicates = "last",
    revision: str | None = None,
) -> BridgeEvaluation:
    """Score the predictions of a bridge and pair them with the main evaluation.

    Args:
        release: as for ``rosegen.evaluate``; in a release's folder the bridge's metadata is found
            under ``bridges/``. A folder or file of a bridge's own metadata serves, too.
        predictions: as for ``rosegen.evaluate``.
        main_eval: ``per_item_eval.jsonl`` of the main benchmark, or a folder with such files. The
            matched local count needs it; the global click can do without.
        bridge: ``global_click`` or ``matched_local_count``; by default the one whose items the
            predictions answer.
        main_model: the model's name in ``main_eval``; by default the predictions'.
        duplicates: what to do with a second answer to an item; ROSE keeps the last.

    Raises:
        RosegenError: as for ``rosegen.evaluate``; and when the main evaluation holds no row of the
            model, or a bridge item and its source do not ask for the same count.
    """
    said = load_predictions(
        predictions, text_column=text_column, model=model, duplicates=duplicates, unnamed="model"
    )
    kind, metadata, items = _find(release, said, bridge, split, revision)
    if kind.template == T2B and main_eval is None:
        raise RosegenError(
            "the matched local count is paired with the main evaluation: "
            "give its per_item_eval.jsonl with --main-eval"
        )
    expected = len(items)
    rows: list[Row] = []
    missing: list[str] = []
    for item_id in sorted(items):
        where, item = items[item_id]
        answer = said.take(item_id)
        if answer is None:
            missing.append(item_id)
            continue
        try:
            row = score_item(item, gold_of(item), *answer, near_miss_l1=near_miss_l1)
        except UNSCORABLE as error:
            raise RosegenError(
                f"{where}: item {item_id} cannot be scored: {error}: mend the row"
            ) from error
        rows.append(row | _of_the_item(kind, row, item))
    if missing and not allow_partial:
        raise RosegenError(
            f"{said.source}: {len(missing):,} of {expected:,} items are missing "
            f"(first are {', '.join(missing[:10])}): predict them too, or say --allow-partial"
        )
    if not rows:
        raise RosegenError(
            f"{said.source}: none of its items is in {metadata.called}: "
            "predictions and release do not belong together"
        )

    base = _main_rows(main_eval, name_of(main_model or said.model).strip(), kind.source)
    (_pair_with_count if kind.template == T1B else _pair_with_clicks)(rows, base)
    counts = {
        "num_expected": expected,
        "num_predictions_loaded": said.rows,
        "num_predictions_used": len(rows),
        "num_missing": len(missing),
        "num_extra": len(said.by_id),
        "num_duplicate_prediction_rows": said.rows - said.items,
        "main_eval": None if main_eval is None else name_of(main_eval),
    }
    head = {"task_template": kind.template, "model": said.model, "split": split, **counts}
    if kind.template == T2B:
        head = {"task_template": kind.template, "source_task_template": kind.source, **head}
    sum_up = global_click if kind.template == T1B else matched_count
    return BridgeEvaluation(kind, rows, *sum_up(rows, head))


def _find(
    release: Any, said: Predictions, name: str | None, split: str, revision: str | None
) -> tuple[Bridge, Metadata, dict[str, tuple[str, Row]]]:
    """The bridge that the predictions answer, and its items by id."""
    if name is not None and name not in BRIDGES:
        raise RosegenError(f"{name}: no such bridge (known are {', '.join(BRIDGES)})")
    if isinstance(release, Iterator):
        release = list(release)  # it may have to be read twice
    problems: list[str] = []
    others: list[str] = []
    for kind in BRIDGES.values() if name is None else [BRIDGES[name]]:
        try:
            metadata = find_metadata(
                release, split, revision=revision, inside=f"bridges/{kind.name}"
            )
            items = _items(metadata, split)
        except RosegenError as error:
            problems.append(str(error))
            continue
        templates = {str(item.get("task_template")) for _, item in items.values()}
        if templates != {kind.template}:
            others.append(
                f"{metadata.called}: holds {', '.join(sorted(templates)) or 'no rows'}, not "
                f"{kind.template} alone: give a release with bridges, or a bridge's own metadata"
            )
        elif name is None and said.by_id.keys().isdisjoint(items):
            problems.append(
                f"{said.source}: answers no item of {metadata.called}: give the predictions "
                "of one bridge, and the release they are for"
            )
        else:
            return kind, metadata, items
    raise RosegenError("; ".join(dict.fromkeys(problems or others[:1])))


def _items(metadata: Metadata, split: str) -> dict[str, tuple[str, Row]]:
    items: dict[str, tuple[str, Row]] = {}
    for where, item in metadata.rows(split):
        item_id = item_id_of(item, where)
        if item_id in items:
            raise RosegenError(f"{where}: item {item_id} stands twice: remove one of the rows")
        items[item_id] = where, item
    return items


def _is_clean(row: Mapping[str, Any]) -> int:
    """Valid, no click off the grid and none twice."""
    return int(
        row.get("format_valid") == 1
        and not row.get("invalid_coordinate_count")
        and not row.get("duplicate_click_count")
    )


def _of_the_item(kind: Bridge, row: Row, item: Row) -> Row:
    if kind.template == T2B:
        return {
            name: item.get(name)
            for name in ("source_item_id", "source_click_item_id", "bridge_type")
        }
    clean, clicked, wanted = _is_clean(row), row["pred_click_count_unique"], row["gt_count"]
    return {
        "source_item_id": item.get("source_item_id"),
        "bridge_type": item.get("bridge_type"),
        "clean_action": clean,
        "predicted_click_cardinality": clicked,
        "target_click_cardinality": wanted,
        "cardinality_error": clicked - wanted,
        "cardinality_abs_error": abs(clicked - wanted),
        "cardinality_exact_nonstrict": int(clicked == wanted),
        "cardinality_exact": int(clean == 1 and clicked == wanted),
    }


# The main evaluation that a bridge is paired with


def _main_rows(path: str | Path | None, model: str, template: str) -> list[Row]:
    if path is None:
        return []
    rows: list[Row] = []
    models: set[str] = set()
    for file in eval_files([path]):
        for row in eval_rows(file):
            name, of = str(row.get("task_template")), name_of(row.get("model")).strip()
            models.add(of)
            if TEMPLATE_ALIASES.get(name, name) == template and of == model:
                rows.append(row)
    if not rows:
        known = f"its models are {', '.join(sorted(models))}" if models else "it has no rows"
        raise RosegenError(
            f"{path}: has no {template} row of the model {model} ({known}): "
            "name the right one with --main-model"
        )
    return rows


def eval_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files named, and every ``per_item_eval.jsonl`` in the folders named, each once.

    Raises:
        RosegenError: a path does not exist, or there is no such file at all.
    """
    found: set[Path] = set()
    for path in map(Path, paths):
        if path.is_dir():
            found.update(file.resolve() for file in path.rglob("per_item_eval.jsonl"))
        elif path.exists():
            found.add(path.resolve())
        else:
            raise RosegenError(f"{path}: no such file: give a per_item_eval.jsonl, or a folder")
    if not found:
        raise RosegenError("there is no per_item_eval.jsonl in the folders given")
    return sorted(found)


def eval_rows(path: Path) -> Iterator[Row]:
    """The rows of a ``per_item_eval.jsonl``.

    Raises:
        RosegenError: the file cannot be read, or what should be a number is none.
    """
    for where, row in read_rows(path):
        for name in _NUMBERS:
            value = row.get(name)
            if value is not None and not (isinstance(value, int | float) and abs(value) <= _MOST):
                raise RosegenError(
                    f"{where}: {name} is {value!r:.40}, not a number: "
                    "give a per_item_eval.jsonl as rosegen evaluate writes it"
                )
        yield row


class _Sources:
    """Rows of the main evaluation, by item and by scene."""

    def __init__(self, rows: Rows) -> None:
        self._by_item = {str(row["item_id"]): row for row in rows if row.get("item_id") is not None}
        self._by_scene = {
            (str(row.get("rose_subset")), str(row["scene_id"])): row
            for row in rows
            if row.get("scene_id") is not None
        }

    def of(self, row: Row, *keys: str) -> Row | None:
        """The source of a bridge row, by the first of these keys that finds one, else by scene."""
        for key in keys:
            if (found := self._by_item.get(str(row.get(key)))) is not None:
                return found
        return self._by_scene.get((str(row["rose_subset"]), str(row["scene_id"])))


def _pair_with_count(rows: Rows, base: Rows) -> None:
    sources = _Sources(base)
    for row in rows:
        source = sources.of(row, "source_item_id")
        row["base_gcnt_matched"] = int(source is not None)
        row["base_gcnt_item_id"] = source.get("item_id") if source else None
        row["base_gcnt_pass"] = int(source.get("pass") or 0) if source else None
        row["base_gcnt_soft"] = source.get("unified_soft") if source else None


def _pair_with_clicks(rows: Rows, base: Rows) -> None:
    sources = _Sources(base)
    odd = []
    for row in rows:
        source = sources.of(row, "source_click_item_id", "source_item_id")
        if source is None:
            row["base_lclk_matched"] = 0
            continue
        clean = _is_clean(source)
        wanted, clicked = (
            int(source.get(name) or 0) for name in ("gt_count", "pred_click_count_unique")
        )
        if row["gt_count"] != wanted:
            odd.append(str(row["item_id"]))
        consistent = None
        if row["pred_count"] is not None and clean:
            consistent = int(row["pred_count"] == clicked)
        row.update(
            base_lclk_matched=1,
            base_lclk_item_id=source.get("item_id"),
            base_lclk_pass=int(source.get("pass") or 0),
            base_lclk_soft=source.get("unified_soft"),
            base_lclk_format_valid=int(source.get("format_valid") or 0),
            base_lclk_clean_action=clean,
            base_lclk_gt_count=wanted,
            base_lclk_pred_click_cardinality=clicked,
            base_lclk_cardinality_exact=int(clean == 1 and clicked == wanted),
            base_lclk_click_f1_strict=source.get("click_f1_strict"),
            base_lclk_region_violation_count=source.get("region_violation_count"),
            cross_task_cardinality_consistent=consistent,
        )
    if odd:
        raise RosegenError(
            f"{len(odd):,} bridge items ask for another count than the T3 items they are paired "
            f"with (first are {', '.join(odd[:10])}): they are of two releases"
        )


def _write_lines(path: Path, rows: Iterable[Row]) -> None:
    path.write_bytes(b"".join(map(line_of, rows)))
