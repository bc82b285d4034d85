"""Check what README.md and LICENSES.md tell people against what the summary says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from rosegen.verify.reading import UnreadableError, read_bytes
from rosegen.verify.report import Fault, fault

CARD, LICENSES = "README.md", "LICENSES.md"

_FRONT = re.compile(r"---\n(.*?)^---$", re.DOTALL | re.MULTILINE)
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
_BAR = re.compile(r"(?<!\\)\|")

Summary = Mapping[str, Any]
Cells = tuple[str, ...]


def check_contents(root: Path, summary: Summary, files: Collection[str]) -> list[Fault]:
    """Compare the card and the list of licences with the summary, which has been checked itself.

    A file that is no plain text is passed over: ``check_texts`` tells of it.

    Args:
        root: the release.
        summary: the summary, which obeys its schema and fits the rows and the manifest.
        files: the release's files of rows, by their paths.
    """
    found = [
        *((CARD, problem) for problem in _each(root, CARD, _card_problems, summary, files)),
        *((LICENSES, problem) for problem in _each(root, LICENSES, _license_problems, summary)),
    ]
    return [fault("text", name, problem) for name, problem in found]


def _each(root: Path, name: str, problems: Any, *known: Any) -> Iterator[str]:
    try:
        text = read_bytes(root, name).decode("utf-8")
    except (UnreadableError, UnicodeDecodeError):
        return
    if not text.startswith("\ufeff") and "\r\n" not in text:
        yield from problems(text, *known)


def _card_problems(text: str, summary: Summary, files: Collection[str]) -> Iterator[str]:
    yield from _front_problems(text, files)
    counts = summary["counts"]
    scenes: dict[str, Cells] = {
        name: _numbers(own["scenes"], own["images"], own["dev_items"], own["test_items"])
        for name, own in counts["subsets"].items()
    }
    scenes["Total"] = _numbers(
        counts["scenes"], counts["images"], counts["dev_items"], counts["test_items"]
    )
    tables = list(_tables(text))
    yield from _unlike(tables, "Subset", "scenes", scenes)
    if not summary["replayed"]:
        licenses = {name: _numbers(count) for name, count in summary["licenses"].items()}
        yield from _unlike(tables, "Licence of the art", "licences", licenses)


def _front_problems(text: str, files: Collection[str]) -> Iterator[str]:
    """What keeps the Hub from reading the card's head."""
    head = _FRONT.match(text)
    if head is None:
        yield "does not begin with YAML between two lines of ---"
        return
    try:
        front = yaml.safe_load(head[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        yield f"its head is not valid YAML: {' '.join(str(error).split())}"
        return
    try:
        paths = [entry["path"] for config in front["configs"] for entry in config["data_files"]]
    except (KeyError, TypeError):
        yield "its head does not name the files of rows (configs, data_files, path)"
        return
    for path in paths:
        if path not in files:
            yield f"its head names {path!r}, which is no file of rows of this release"
    for path in sorted(set(files) - {path for path in paths if isinstance(path, str)}):
        yield f"its head does not name {path}"


def _license_problems(text: str, summary: Summary) -> Iterator[str]:
    packs = {
        pack["name"]: (_one_line(pack["license"]), _one_line(pack["attribution"]))
        for pack in summary["packs"]
    }
    tables = [
        (head, {name: cells[:2] for name, cells in rows.items()}) for head, rows in _tables(text)
    ]
    yield from _unlike(tables, "Pack", "packs", packs)
    below = text.rpartition("\n|")[2].partition("\n")[2]
    for name in summary["licenses"]:
        alone = re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)", below)
        if alone is None and all(name != license for license, _ in packs.values()):
            yield f"does not name {name}, which pictures show art under"


def _unlike(
    tables: Sequence[tuple[str, Mapping[str, Cells]]],
    head: str,
    what: str,
    wanted: Mapping[str, Cells],
) -> Iterator[str]:
    """How the table of a head differs from what it must say."""
    found = next((rows for first, rows in tables if first == head), None)
    if found is None:
        yield f"has no table of {what} (its first column is called {head})"
        return
    for name, cells in wanted.items():
        if name not in found:
            yield f"the table of {what} lacks {name}"
        elif found[name] != cells:
            says, must = " | ".join(found[name]), " | ".join(cells)
            yield f"the table of {what} says {says!r} of {name}, the summary {must!r}"
    for name in found:
        if name not in wanted:
            yield f"the table of {what} has {name}, which the summary has not"


def _tables(text: str) -> Iterator[tuple[str, dict[str, Cells]]]:
    """Each Markdown table: its first head, and by its first cell the other cells of each row."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if number == 0 or not _RULE.fullmatch(line):
            continue
        rows = {}
        for row in lines[number + 1 :]:
            if not row.startswith("|"):
                break
            first, *others = _cells(row)
            rows[first] = tuple(others)
        yield _cells(lines[number - 1])[0], rows


def _cells(row: str) -> list[str]:
    """The texts of a row's cells, without the marks of bold and of code around them."""
    cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(row)[1:-1]]
    return [re.sub(r"^(\*\*|`)(.*)\1$", r"\2", cell) for cell in cells] or [""]


def _numbers(*numbers: int) -> Cells:
    return tuple(f"{number:,}" for number in numbers)


def _one_line(text: str) -> str:
    return " ".join(text.split())
