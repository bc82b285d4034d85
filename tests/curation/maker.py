"""What the tests of curation share: a source of spotted tiles that costs nothing, and pipelines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from rosegen.cli import main
from rosegen.pair_list import decide, read_pair_list, write_pair_list
from rosegen.pipeline import Pipeline, load_pipeline
from rosegen.scene import Tile
from rosegen.sources.base import Candidate, Pixels, Pool, Source, Unavailable

Spec = dict[str, Any]

WIDE = {
    "ssim": [-1, 0.9999],
    "phash_distance": [0, 64],
    "changed_pixel_share": [0.0001, 1],
    "max_local_color_difference": [1, 1000],
}


class Spots(Source):
    """A dark square with a spot on it.

    Options:
        pairs: the candidates, each ``{key, group, kinds, a, b}``. ``a`` and ``b`` are spots, [left,
            top, side] in hundredths of the cell; null for none; "broken" for what cannot be drawn.
    """

    kind = "spots"
    primitive_type = "SPOTS"
    options: ClassVar = {"pairs": {"type": "array"}}

    def candidates(self, pool: Pool) -> Sequence[Candidate]:
        return [
            Candidate(
                spec["key"],
                spec["group"],
                self._tile(spec, "a"),
                self._tile(spec, "b"),
                tuple(spec.get("kinds", [spec["key"]])),
            )
            for spec in self.config.options["pairs"]
        ]

    @staticmethod
    def _tile(spec: Spec, side: str) -> Tile:
        name = spec.get(f"{side}_name", f"{spec['key']}/{side}")
        return Tile(name, "own", "CC0-1.0", {"spot": spec[side]})

    def draw(self, tile: Tile, cell_size: int) -> Pixels:
        spot = tile.recipe["spot"]
        if spot == "broken":
            raise Unavailable("cannot_be_drawn")
        cell = np.full((cell_size, cell_size, 3), 255, np.uint8)
        edge = cell_size // 8
        cell[edge:-edge, edge:-edge] = (20, 40, 90)
        if spot is not None:
            left, top, side = (value * cell_size // 100 for value in spot)
            cell[top : top + side, left : left + side] = (240, 210, 60)
        return cell

    def art(self, tile: Tile) -> bytes:
        if tile.recipe["spot"] == "broken":
            raise Unavailable("cannot_be_drawn")
        return repr(tile.recipe["spot"]).encode()


def spot(number: int, key: str | None = None, group: str = "g", **more: Any) -> Spec:
    """A pair whose art is all its own; up to 80 of them."""
    left, top = 20 + 5 * (number % 9), 20 + 5 * (number // 9)
    return {
        "key": key or f"k{number:02}",
        "group": group,
        "a": [left, top, 20],
        "b": [left, top, 12],
        **more,
    }


def pipeline(folder: Path, pairs: Sequence[Spec], **settings: Any) -> Path:
    """A pipeline file of one subset of spots."""
    return several(folder, {"Spots": (pairs, settings)})


def several(folder: Path, subsets: dict[str, tuple[Sequence[Spec], dict[str, Any]]]) -> Path:
    """A pipeline file of subsets of spots."""
    data = {
        "format": 1,
        "name": "Spotted",
        "subsets": [
            {
                "name": name,
                "prefix": f"S{number}",
                "seed": number,
                "scenes": 6,
                "kind": "spots",
                "options": {"pairs": list(pairs)},
                "grid": {"cell_size": [40, 60]},
                "admission": WIDE,
                **settings,
            }
            for number, (name, (pairs, settings)) in enumerate(subsets.items(), start=1)
        ],
    }
    path = folder / "spots.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML
    return path


def loaded(path: Path) -> Pipeline:
    return load_pipeline(path)


def decided(path: Path, verdicts: dict[str, str], **notes: str) -> None:
    """Give pairs of a list their verdicts, by key; ``"*"`` stands for all others."""
    pairs = read_pair_list(path)
    given = {n: verdicts.get(p.key, verdicts.get("*", "")) for n, p in enumerate(pairs, start=1)}
    noted = {n: notes[p.key] for n, p in enumerate(pairs, start=1) if p.key in notes}
    extra = [name for name in pairs[0].columns if name] if pairs else []
    write_pair_list(path, [pair.row for pair in decide(pairs, given, noted)], extra)


def keys(path: Path) -> list[str]:
    return [pair.key for pair in read_pair_list(path)]


Run = Callable[..., tuple[int, str, str]]


def runner(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
