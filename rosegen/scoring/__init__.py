"""Score predictions against a release, as ROSE does, and say how sure the numbers are."""

from rosegen.scoring.bridges import BridgeEvaluation, evaluate_bridge
from rosegen.scoring.compare import Comparison, compare
from rosegen.scoring.consistency import Consistency, consistency
from rosegen.scoring.evaluation import Evaluation, evaluate

__all__ = [
    "BridgeEvaluation",
    "Comparison",
    "Consistency",
    "Evaluation",
    "compare",
    "consistency",
    "evaluate",
    "evaluate_bridge",
]
