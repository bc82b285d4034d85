"""The dataset card and the list of licences that go with a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from rosegen.release.row_schema import features


def front_matter(summary: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """What the Hub reads of a card: licence, languages, configurations, columns, their types."""
    configs = [_config("default", "", True)]
    if summary["bridges"]:
        configs += [
            _config(name, f"bridges/{name}/", False)
            for name in ("global_click", "matched_local_count")
        ]
    columns = features(schema)
    return yaml.dump(
        {
            "pretty_name": summary["name"],
            **_language(summary),
            "license": "other",
            "license_name": "mixed-see-licenses",
            "license_link": "LICENSES.md",
            "task_categories": ["visual-question-answering", "image-text-to-text"],
            "tags": ["benchmark", "rose", "visual-oddity", "multimodal"],
            "size_categories": [_size_category(summary["counts"]["items"])],
            "configs": configs,
            "dataset_info": [
                {"config_name": config["config_name"], "features": columns} for config in configs
            ],
        },
        Dumper=_Plain,
        sort_keys=False,
        allow_unicode=True,
    )


def _language(summary: Mapping[str, Any]) -> dict[str, list[str]]:
    """Which languages prompts are in, as far as it is known: ROSE's own are in English."""
    prompts, known = summary["prompts"], set()
    for subset in summary["counts"]["subsets"]:
        words = prompts.get(subset, {"language": "en"})
        if words is not None:
            known.add(words["language"].split("-")[0].lower())
    return {"language": sorted(known)} if known else {}


def _size_category(rows: int) -> str:
    """The Hub's name for a number of rows, from ``n<1K`` to ``n>1T``."""
    names = ("1K", "10K", "100K", "1M", "10M", "100M", "1B", "10B", "100B", "1T")
    power = max(len(str(rows)) - 4, -1)  # of ten thousand rows, 1
    if power < 0:
        return "n<1K"
    return f"{names[power]}<n<{names[power + 1]}" if power + 1 < len(names) else "n>1T"


class _Plain(yaml.SafeDumper):
    """Writes what stands twice twice: the Hub's readers need not know YAML's aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _config(name: str, folder: str, default: bool) -> dict[str, Any]:
    config: dict[str, Any] = {
        "config_name": name,
        "data_files": [
            {"split": split, "path": f"{folder}metadata_{split}.jsonl"} for split in ("dev", "test")
        ],
    }
    return {**config, "default": True} if default else config


def _spelled(pipeline: Mapping[str, Any]) -> str:
    """What a user gives to build it: the name of a shipped pipeline, or the file."""
    name: str = pipeline["name"]
    return name.rpartition(".")[0] if pipeline["shipped"] else name


def make_card(summary: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """``README.md`` of a release, as the Hub shows it.

    Args:
        summary: the export summary.
        schema: the JSON Schema of a row.
    """
    note = (
        ""
        if summary["complete"]
        else ("\n> This is part of the release: some scenes were left out when it was built.\n")
    )
    bridges = (
        "- `bridges/`: two more tasks on the same images (T1 to click, T3's region to count)\n"
        if summary["bridges"]
        else ""
    )
    return f"""---
{front_matter(summary, schema)}---

# {summary["name"]}

{summary["title"]}
{note}
Each scene is a grid of near-identical elements with a few exceptions. Nobody names the target: the
majority defines it. Five items ask about each scene, and every answer is an exact symbol.

{scene_table(summary)}

| Template | What is asked | Answer |
|---|---|---|
| `T1_COUNT_GLOBAL` | how many exceptions there are | `COUNT(n)` |
| `T2_COUNT_LOCAL_NUMERIC` | how many in a region given by numbers | `COUNT(n)` |
| `T3_CLICK_LOCAL_NUMERIC` | which in a region given by numbers | `CLICK(Rr,Cc); ...; DONE` |
| `T4_CLICK_VISUAL_REGION` | which in a region marked in the image | `CLICK(Rr,Cc); ...; DONE` |
| `T5_CLICK_COUNT_EXCLUSION` | which outside a region | `CLICK(Rr,Cc); ...; SUBMIT(n)` |
{_columns(summary)}
## Files

- `metadata_dev.jsonl`, `metadata_test.jsonl`: one row an item; every row has every column
- `images/<subset>/<image_id>.png`: the plain image and the image with its cue of each scene
{bridges}- `manifest.jsonl`: pixel hash, packs and licences of every image
- `export_summary.json`: counts, quotas reached, similarity, toolchain, packs
- `rejections.jsonl`: pairs and art that were refused, each with its reason
- `item.schema.json`: JSON Schema (2020-12) of a row
- `LICENSES.md`: whose art this is and on what terms

{_licence_table(summary)}

All scenes, rows and images of one pair are in one split.

## Making it again

    rosegen build {_spelled(summary["pipeline"])} --out {summary["name"]}
    rosegen verify {summary["name"]}

Built by rosegen {summary["rosegen_version"]}. The task design and the row format are those of ROSE
(Wang et al., 2026, arXiv 2606.19965); the scenes, images and pairs are new.
"""


def scene_table(summary: Mapping[str, Any]) -> str:
    """Scenes, images and items of each subset, as a table."""
    counts = summary["counts"]
    table = [
        "| Subset | Scenes | Images | Dev items | Test items |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, own in counts["subsets"].items():
        cells = (own["scenes"], own["images"], own["dev_items"], own["test_items"])
        table.append(f"| `{name}` | " + " | ".join(f"{cell:,}" for cell in cells) + " |")
    total = (counts["scenes"], counts["images"], counts["dev_items"], counts["test_items"])
    table.append("| **Total** | " + " | ".join(f"**{cell:,}**" for cell in total) + " |")
    return "\n".join(table)


def _columns(summary: Mapping[str, Any]) -> str:
    """The columns that only sources of this release know, if there are any."""
    if not summary["columns"]:
        return ""
    lines = ["", "Columns beyond those of every release of this kind:", ""]
    lines += ["| Column | Type | What it says |", "|---|---|---|"]
    for name, column in summary["columns"].items():
        kinds = column["type"] if isinstance(column["type"], list) else [column["type"]]
        lines.append(f"| `{name}` | {' or '.join(kinds)} | {column['description']} |")
    return "\n".join(lines) + "\n"


def _licence_table(summary: Mapping[str, Any]) -> str:
    lines = ["| Licence of the art | Images |", "|---|---:|"]
    lines += [f"| {name} | {count:,} |" for name, count in summary["licenses"].items()]
    return "\n".join(lines)


def make_licenses(summary: Mapping[str, Any], packs: Sequence[Mapping[str, Any]]) -> str:
    """``LICENSES.md``: every pack that a picture of the release may come from."""
    return license_lines(summary["name"], packs, summary["licenses"])


def license_lines(name: str, packs: Sequence[Mapping[str, Any]], licenses: Iterable[str]) -> str:
    """Every pack with its licence and whom to credit, as a table.

    Args:
        name: of the release.
        packs: what is recorded of each.
        licenses: all that pictures show art under.
    """
    lines = [
        "# Licences",
        "",
        f"The rows, prompts and answers of {name} are under the MIT License. The pictures contain "
        "art of the packs below, each on its own terms; `manifest.jsonl` says which pack and "
        "licence each image draws on.",
        "",
        "| Pack | Licence | Attribution | Home | Taken from |",
        "|---|---|---|---|---|",
    ]
    for pack in packs:
        origin = f"{pack['source']} {pack['version']}".strip()
        cells = (pack["name"], pack["license"], pack["attribution"], pack["homepage"] or "", origin)
        shown = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)  # a row is one line
        lines.append(f"| {' | '.join(shown)} |")
    own = sorted(set(licenses) - {pack["license"] for pack in packs})
    if own:
        text = "Single pictures are under a licence of their own, as `manifest.jsonl` says:"
        lines += ["", f"{text} {', '.join(own)}."]
    return "\n".join(lines) + "\n"
