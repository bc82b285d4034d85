"""Pair mining and curation: list the pairs, let a person look at each, check what was accepted."""

from __future__ import annotations

from rosegen.curation.checking import Checked, Fault, check_pairs
from rosegen.curation.mining import Mined, mine_pairs
from rosegen.curation.showing import Shown, show_pairs

__all__ = ["Checked", "Fault", "Mined", "Shown", "check_pairs", "mine_pairs", "show_pairs"]
