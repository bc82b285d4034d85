"""The verdicts of a list that is mined anew: none of them may be lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rosegen.pair_list import COLUMNS, UNDECIDED, ListedPair

Row = dict[str, Any]


@dataclass
class Kept:
    """What a list says already, handed over to the list that takes its place.

    Attributes:
        pairs: the list.
        kept: verdicts given to pairs that were mined again.
        changed: pairs whose verdict was taken back, for their art is not what a person saw.
        carried: pairs with a verdict or a note that were not mined again, and stay as they were.
        extra: the columns that a list need not have: those of the person who keeps this one.
    """

    pairs: Sequence[ListedPair] = ()
    kept: int = 0
    changed: int = 0
    carried: int = 0
    _met: set[tuple[str, str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._by_name = {_name(pair): pair for pair in self.pairs}
        names = dict.fromkeys(name for pair in self.pairs for name in pair.columns)
        self.extra = [name for name in names if name not in COLUMNS]

    def onto(self, row: Mapping[str, Any]) -> Row:
        """A mined row with what the list says of its pair."""
        pair = self._pair(str(row["subset"]), str(row["group"]), str(row["key"]))
        if pair is None:
            return dict(row)
        self._met.add(_name(pair))
        own = {name: pair.columns.get(name) for name in self.extra}
        verdict, note = pair.verdict, pair.note
        art = (str(row["a_sha256"]), str(row["b_sha256"]))
        if verdict != UNDECIDED and pair.had_other_art(*art):
            self.changed += 1
            said = f"was {verdict}, but the art has changed"
            verdict, note = UNDECIDED, f"{said}; {note}" if note else said
        self.kept += verdict != UNDECIDED
        return {**row, **own, "verdict": verdict, "note": note}

    def left(self, subset: str) -> Iterator[Row]:
        """What a subset that was mined leaves: pairs that a person has said something of."""
        for pair in self.pairs:
            is_left = pair.subset == subset and _name(pair) not in self._met
            if is_left and (pair.verdict != UNDECIDED or pair.note):
                self.carried += 1
                yield pair.row

    def of_others(self, subset: str) -> Iterator[Row]:
        """The pairs of a subset that was not mined, as they are."""
        return (pair.row for pair in self.pairs if pair.subset == subset)

    def _pair(self, subset: str, group: str, key: str) -> ListedPair | None:
        for name in ((subset, group), (subset, ""), ("", group), ("", "")):
            pair = self._by_name.get((*name, key))
            if pair is not None:
                return pair
        return None


def _name(pair: ListedPair) -> tuple[str, str, str]:
    return pair.subset, pair.group, pair.key
