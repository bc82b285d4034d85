"""T2 to T5 on the scenes whose global count the same model has right.

Definitions and files are those of ROSE's public analysis of scene consistency.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.files import placed, write_json, write_text
from rosegen.row_files import name_of
from rosegen.scene import T1
from rosegen.scoring.bridges import eval_files, eval_rows
from rosegen.scoring.names import ACTION, SEALS, TEMPLATE_ALIASES, TEMPLATE_SHORT, subset_order
from rosegen.scoring.notes import CONSISTENCY_CONDITION, CONSISTENCY_NOTES
from rosegen.scoring.summary import format_percent, mean, percent
from rosegen.scoring.tables import write_csv

# How ROSE's analysis names the conditioned tasks.
_GIVEN = {
    template: f"{'Excl-CS' if short == 'Excl. C+S' else short}|T1"
    for template, short in TEMPLATE_SHORT.items()
    if template != T1
}
_COLUMNS = ["T1", *_GIVEN.values(), "Action Ret.", "Action Fail."]

Passes = dict[str, dict[str, dict[str, int]]]  # subset, scene, template: passed at all


@dataclass(frozen=True)
class Consistency:
    """What came out: ROSE's document, a record for each model."""

    document: dict[str, Any]
    digits: int = 1

    def write(self, out: str | Path) -> None:
        """Write ROSE's three files into a folder.

        Raises:
            RosegenError: the disk will not take them.
        """
        stem = f"scene_consistency_{self.document['split']}"
        rows, lines = [], []
        for record in self.document["models"]:
            macro = record["macro_equal_subset"]
            rows.append(
                {
                    "model": record["model"],
                    **{name: percent(macro[name], self.digits) for name in _COLUMNS},
                }
            )
            cells = [format_percent(macro[name], self.digits) for name in _COLUMNS[:-1]]
            lines.append(f"{record['model']}\n& {' & '.join(cells)} \\\\\n")
        with placed(Path(out), seals=SEALS) as stage:
            write_json(stage / f"{stem}.json", self.document)
            write_csv(stage / f"{stem}.csv", rows)
            write_text(stage / f"{stem}_rows.tex", "\n".join(lines))


def consistency(
    paths: Iterable[str | Path],
    *,
    split: str = "test",
    models: Iterable[str] = (),
    digits: int = 1,
) -> Consistency:
    """Analyse files of scored rows.

    Args:
        paths: ``per_item_eval.jsonl`` files, or folders that hold them.
        split: only rows of this split; an empty one for all.
        models: only these models, in this order; by default all, by name.
        digits: of the percentages in the table files.

    Raises:
        RosegenError: a file cannot be read, there is no row of the split, or no such model.
    """
    passes: dict[str, Passes] = {}
    items: dict[str, int] = {}
    files = eval_files(paths)
    for file in files:
        for row in eval_rows(file):
            template = str(row.get("task_template") or "")
            template = TEMPLATE_ALIASES.get(template, template)
            model = name_of(row.get("model") or "").strip()
            subset = name_of(row.get("rose_subset") or "").strip()
            if (split and row.get("rose_split") != split) or not model or not subset:
                continue
            if template not in TEMPLATE_SHORT:
                continue
            items[model] = items.get(model, 0) + 1
            scene = passes.setdefault(model, {}).setdefault(subset, {})
            tasks = scene.setdefault(str(row.get("scene_id")), {})
            tasks[template] = max(tasks.get(template, 0), int(row.get("pass") or 0))
    if not passes:
        raise RosegenError(
            f"{files[0]}: no row of the split {split} names a model and a subset: "
            "give a per_item_eval.jsonl, or another --split"
        )
    wanted = [name.strip() for name in models if name.strip()] or sorted(passes)
    unknown = [name for name in wanted if name not in passes]
    if unknown:
        raise RosegenError(
            f"no rows of the model {', '.join(unknown)} (there are {', '.join(sorted(passes))})"
        )
    records = [_record(name, passes[name], items[name]) for name in wanted]
    document = {
        "split": split,
        "condition": CONSISTENCY_CONDITION,
        "num_models": len(records),
        "models": records,
        "notes": CONSISTENCY_NOTES,
    }
    return Consistency(document, digits)


def _record(model: str, passes: Passes, items: int) -> dict[str, Any]:
    by_subset = {name: _of_subset(passes.get(name, {})) for name in subset_order(passes)}
    return {
        "model": model,
        "n_items": items,
        "macro_equal_subset": {
            name: mean(record[name] for record in by_subset.values()) for name in _COLUMNS
        },
        "by_subset": by_subset,
    }


def _of_subset(scenes: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    asked = [tasks for tasks in scenes.values() if T1 in tasks]
    right = [tasks for tasks in asked if tasks[T1] == 1]
    record: dict[str, Any] = {
        "n_t1_scenes": len(asked),
        "n_t1_correct_scenes": len(right),
        "T1": len(right) / len(asked) if asked else None,
    }
    for template, name in _GIVEN.items():
        passed = [float(tasks[template]) for tasks in right if template in tasks]
        record[name] = mean(passed)
        record[f"n_{name}"] = len(passed)
        record[f"missing_{name}"] = len(right) - len(passed)
    kept = mean(record[_GIVEN[template]] for template in ACTION)
    record["Action Ret."] = kept
    record["Action Fail."] = None if kept is None else 1.0 - kept
    return record
