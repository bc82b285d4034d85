"""What a verification found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 300


def one_line(text: str) -> str:
    """``text`` on one printable line, cut to a length a terminal can show."""
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 3] + "..."


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a release."""

    kind: str
    """Short slug: layout, path, schema, id, duplicate, split, scene, region, answer, prompt,
    field, bridge, manifest, summary, text, rejection, image, pixels, cue or through."""
    where: str
    """The item, image or scene id, or the file (with its line)."""
    detail: str
    """What is wrong, on one line."""

    def __str__(self) -> str:
        return f"{self.kind} {self.where}: {self.detail}"


def fault(kind: str, where: str, detail: str) -> Fault:
    """A fault whose texts, which may quote broken files, are made fit to print."""
    return Fault(kind, one_line(where), one_line(detail))


@dataclass(frozen=True)
class Report:
    """The result of verifying one release; root causes stand before what follows from them."""

    faults: tuple[Fault, ...]
    items: int
    """Rows read, those of the bridges included."""
    images: int
    """Images looked at."""
    scenes: int
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    def to_json(self) -> str:
        """The report as a JSON document."""
        record = {
            "ok": self.ok,
            "items": self.items,
            "images": self.images,
            "scenes": self.scenes,
            "seconds": round(self.seconds, 3),
            "faults": [
                {"kind": each.kind, "where": each.where, "detail": each.detail}
                for each in self.faults
            ],
        }
        return json.dumps(record, indent=2)


def without_repeats(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """The faults in their order, each once."""
    return tuple(dict.fromkeys(faults))
