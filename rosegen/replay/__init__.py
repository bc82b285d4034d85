"""From ROSE's public records back to scenes, and from scenes to rows."""

from __future__ import annotations

from rosegen.replay.derive import derive_row
from rosegen.replay.recover import recover
from rosegen.replay.recovered import Fault, Lost, Published, Recovered, RecoveredScene

__all__ = ["Fault", "Lost", "Published", "Recovered", "RecoveredScene", "derive_row", "recover"]
