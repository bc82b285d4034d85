"""What may stand on one side of the split alone: pairs, and the tiles they are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rosegen.verify.facts import short_hash
from rosegen.verify.report import Fault, fault
from rosegen.verify.scenes import SceneKey
from rosegen.verify.templates import T1, ids


@dataclass(frozen=True)
class Stand:
    """A thing, and a scene that has it."""

    what: str
    """The same for the same thing alone."""
    shown: str
    """How a fault begins that names it: ``pair '人__入' is``."""
    key: SceneKey
    split: str


class Sides:
    """On which side of the split things stand, told scene by scene."""

    def __init__(self) -> None:
        self._first: dict[int, tuple[SceneKey, str]] = {}

    def faults(self, stands: Iterable[Stand]) -> list[Fault]:
        """A fault for each thing that stood on the other side before.

        Args:
            stands: of the next scenes.
        """
        found = []
        for each in stands:
            other, there = self._first.setdefault(short_hash(each.what), (each.key, each.split))
            if there != each.split:
                detail = f"{each.shown} {each.split} here and {there} in {_scene_id(other)}"
                found.append(fault("split", _scene_id(each.key), detail))
        return found


def _scene_id(key: SceneKey) -> str:
    return ids(*key, T1)[1]
