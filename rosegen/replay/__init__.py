"""From ROSE's public records back to scenes, to rows, and to a release."""

from __future__ import annotations

from rosegen.replay.derive import derive_row
from rosegen.replay.differing import Compared, Differing
from rosegen.replay.recover import recover
from rosegen.replay.recovered import Fault, Lost, Published, Recovered, RecoveredScene
from rosegen.replay.replaying import Replayed, replay

__all__ = [
    "Compared",
    "Differing",
    "Fault",
    "Lost",
    "Published",
    "Recovered",
    "RecoveredScene",
    "Replayed",
    "derive_row",
    "recover",
    "replay",
]
