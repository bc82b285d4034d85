"""rosegen: author visual benchmarks of the ROSE kind, and score models on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosegen.scoring import compare, consistency, evaluate, evaluate_bridge

__all__ = ["__version__", "compare", "consistency", "evaluate", "evaluate_bridge"]
__version__ = "0.2.0.dev0"


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: rosegen itself is imported in no time."""
    if name in ("compare", "consistency", "evaluate", "evaluate_bridge"):
        import rosegen.scoring  # noqa: PLC0415

        return getattr(rosegen.scoring, name)
    raise AttributeError(f"module 'rosegen' has no attribute {name!r}")
