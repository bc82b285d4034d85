"""Prove a release from its own bytes: schema, invariants and pixels.

Independent of what builds releases: of rosegen it uses only errors, the process pool and the
schema files.
"""

from __future__ import annotations

from rosegen.verify.release import verify_release
from rosegen.verify.report import Fault, Report
from rosegen.verify.through import Through

__all__ = ["Fault", "Report", "Through", "verify_release"]
