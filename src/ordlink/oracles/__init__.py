"""Oracles: they answer chosen questions, in batches (the active setting)."""

from ordlink.oracles._base import BaseOracle, Oracle, check_oracle
from ordlink.oracles._concurrent import ConcurrentOracle
from ordlink.oracles._feature import FeatureOracle
from ordlink.oracles._memory import AskOnce, BudgetedOracle
from ordlink.oracles._recorded import RecordedOracle
from ordlink.oracles._simulated import (
    FunctionOracle,
    NoisyOracle,
    NoisySimilarityOracle,
    RepeatedOracle,
    SimilarityOracle,
)

__all__ = [
    "AskOnce",
    "BaseOracle",
    "BudgetedOracle",
    "ConcurrentOracle",
    "FeatureOracle",
    "FunctionOracle",
    "NoisyOracle",
    "NoisySimilarityOracle",
    "Oracle",
    "RecordedOracle",
    "RepeatedOracle",
    "SimilarityOracle",
    "check_oracle",
]
