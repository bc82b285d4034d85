"""What the export summary fixes for the rows of a subset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rosegen.verify.english import RoseEnglish
from rosegen.verify.lines import GridLines
from rosegen.verify.wording import Wording, Words

EM = 0.72
"""The em as a share of the cell, where a source's options do not give it."""


@dataclass(frozen=True)
class Rules:
    """What a subset's rows and pictures are held to."""

    known: bool = False
    """Whether the summary speaks of the subset; nothing below is known if not."""
    seed: int | None = None
    """None in a replayed release whose records do not tell it."""
    words: Words | None = None
    em: object = EM
    """As the source's options have it, whatever that is."""
    lines: GridLines | None = None
    replayed: bool = False
    """Whether the release was made from published records, which do not tell all."""


def rules_by_prefix(summary: Mapping[str, Any] | None, replayed: bool) -> dict[str, Rules]:
    """By prefix of their ids, the rules of all subsets.

    Args:
        summary: the summary, which obeys its schema; None when there is none to be read.
        replayed: whether the release is a replayed one.
    """
    if summary is None:
        return {}
    found: dict[str, Rules] = {}
    for name, counts in summary["counts"]["subsets"].items():
        source = summary["sources"].get(name, {"options": {}, "grid_lines": None})
        lines = source["grid_lines"]
        rules = Rules(
            known=True,
            seed=counts["seed"],
            words=_words(name, summary, replayed),
            em=source["options"].get("em", EM),
            lines=None if lines is None else GridLines.of(lines),
            replayed=replayed,
        )
        found.setdefault(counts["prefix"], rules)
    return found


def _words(name: str, summary: Mapping[str, Any], replayed: bool) -> Words | None:
    if name not in summary["prompts"]:
        return RoseEnglish() if replayed else None
    entry, look = summary["prompts"][name], summary["cues"].get(name)
    return Wording.of(entry, look) if entry is not None and look is not None else None
