"""``rosegen evaluate`` of ten thousand, a hundred thousand and a million predictions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import MB, Table, Way, interleaved, summarise
from benchmarks.scoring import MANY, run_evaluate, write_material

ROUNDS = 1


def tables(rounds: int, tiny: bool) -> Iterator[Table]:
    """One table."""
    with tempfile.TemporaryDirectory() as name:
        desk = Path(name)
        ways, peaks = [], []
        for items in (100, 200) if tiny else MANY:
            folder = desk / str(items)
            folder.mkdir()
            metadata, predictions = write_material(folder, items)
            own: list[int] = []
            peaks.append(own)

            def score(
                metadata: Path = metadata, predictions: Path = predictions, own: list[int] = own
            ) -> None:
                own.append(run_evaluate(metadata, predictions, metadata.parent / "out"))

            ways.append(Way(f"{items:,} items", score))
        times = interleaved(ways, rounds)
        memory = [max(own) for own in peaks]
        each = [
            f"{1e6 * min(own) / int(way.name.split()[0].replace(',', '')):.0f} us an item, "
            f"{peak / MB:.0f} MB in all"
            for way, own, peak in zip(ways, times, memory)
        ]
        yield Table("scoring at scale", rounds, summarise(ways, times, memory, each))
