"""The dataset card and the list of licences that go with a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from rosegen.data import pipelines_dir
from rosegen.pipeline import Pipeline


def _front_matter(pipeline: Pipeline, summary: Mapping[str, Any]) -> str:
    configs = [_config("default", "", True)]
    if summary["bridges"]:
        configs += [
            _config(name, f"bridges/{name}/", False)
            for name in ("global_click", "matched_local_count")
        ]
    items = summary["counts"]["items"]
    size = "n<1K" if items < 1000 else "1K<n<10K" if items < 10_000 else "10K<n<100K"
    return yaml.safe_dump(
        {
            "pretty_name": pipeline.name,
            "language": ["en"],
            "license": "other",
            "license_name": "mixed-see-licenses",
            "license_link": "LICENSES.md",
            "task_categories": ["visual-question-answering", "image-text-to-text"],
            "tags": ["benchmark", "rose", "visual-oddity", "multimodal"],
            "size_categories": [size],
            "configs": configs,
        },
        sort_keys=False,
        allow_unicode=True,
    )


def _config(name: str, folder: str, default: bool) -> dict[str, Any]:
    config: dict[str, Any] = {
        "config_name": name,
        "data_files": [
            {"split": split, "path": f"{folder}metadata_{split}.jsonl"} for split in ("dev", "test")
        ],
    }
    return {**config, "default": True} if default else config


def _spelled(pipeline: Pipeline) -> str:
    """What a user gives to build it: the name of a shipped pipeline, or the file."""
    shipped = pipeline.path.parent.resolve() == pipelines_dir().resolve()
    return pipeline.path.stem if shipped else pipeline.path.name


def make_card(pipeline: Pipeline, summary: Mapping[str, Any]) -> str:
    """``README.md`` of a release, as the Hub shows it."""
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
{_front_matter(pipeline, summary)}---

# {pipeline.name}

{pipeline.title}
{note}
Each scene is a grid of near-identical elements with a few exceptions. Nobody names the target: the
majority defines it. Five items ask about each scene, and every answer is an exact symbol.

{chr(10).join(table)}

| Template | What is asked | Answer |
|---|---|---|
| `T1_COUNT_GLOBAL` | how many exceptions there are | `COUNT(n)` |
| `T2_COUNT_LOCAL_NUMERIC` | how many in a region given by numbers | `COUNT(n)` |
| `T3_CLICK_LOCAL_NUMERIC` | which in a region given by numbers | `CLICK(Rr,Cc); ...; DONE` |
| `T4_CLICK_VISUAL_REGION` | which in a region marked in the image | `CLICK(Rr,Cc); ...; DONE` |
| `T5_CLICK_COUNT_EXCLUSION` | which outside a region | `CLICK(Rr,Cc); ...; SUBMIT(n)` |

## Files

- `metadata_dev.jsonl`, `metadata_test.jsonl`: one row an item; every row has every column
- `images/<subset>/<image_id>.png`: the plain image and the image with its cue of each scene
{bridges}- `manifest.jsonl`: pixel hash, packs and licences of every image
- `export_summary.json`: counts, quotas reached, similarity, toolchain, packs
- `rejections.jsonl`: pairs that were refused, each with its reason and measures
- `LICENSES.md`: whose art this is and on what terms

All scenes, rows and images of one pair are in one split.

## Making it again

    rosegen build {_spelled(pipeline)} --out {pipeline.name}
    rosegen verify {pipeline.name}

Built by rosegen {summary["rosegen_version"]}. The task design and the row format are those of ROSE
(Wang et al., 2026, arXiv 2606.19965); the scenes, images and pairs are new.
"""


def make_licenses(summary: Mapping[str, Any], packs: Sequence[Mapping[str, Any]]) -> str:
    """``LICENSES.md``: every pack that a picture of the release may come from."""
    lines = [
        "# Licences",
        "",
        f"The rows, prompts and answers of {summary['name']} are under the MIT License. The "
        "pictures contain art of the packs below, each on its own terms; `manifest.jsonl` says "
        "which pack and licence each image draws on.",
        "",
        "| Pack | Licence | Attribution | Home | Taken from |",
        "|---|---|---|---|---|",
    ]
    for pack in packs:
        origin = f"{pack['source']} {pack['version']}".strip()
        cells = (pack["name"], pack["license"], pack["attribution"], pack["homepage"], origin)
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
