"""Oracles: they answer chosen questions, in batches (the active setting)."""

from ordlink.oracles._ask_once import AskOnce
from ordlink.oracles._base import BaseOracle
from ordlink.oracles._budgeted import BudgetedOracle
from ordlink.oracles._feature import FeatureOracle
from ordlink.oracles._function import FunctionOracle
from ordlink.oracles._noisy import NoisyOracle
from ordlink.oracles._noisy_similarity import NoisySimilarityOracle
from ordlink.oracles._protocol import Oracle, check_oracle
from ordlink.oracles._recorded import RecordedOracle
from ordlink.oracles._repeated import RepeatedOracle
from ordlink.oracles._similarity import SimilarityOracle

__all__ = [
    "AskOnce",
    "BaseOracle",
    "BudgetedOracle",
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
