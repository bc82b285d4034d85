"""rosegen: author visual benchmarks of the ROSE kind."""

from __future__ import annotations

__version__ = "0.1.0"
