"""Oracles: they answer chosen questions, in batches (the active setting)."""

from ordlink.oracles._base import BaseOracle, Oracle, check_oracle
from ordlink.oracles._chat import ChatOracle, CostEstimate
from ordlink.oracles._chat_prompt import PROMPT
from ordlink.oracles._concurrent import ConcurrentOracle
from ordlink.oracles._drawing import random_questions
from ordlink.oracles._feature import FeatureOracle
from ordlink.oracles._memory import AskOnce, BudgetedOracle
from ordlink.oracles._model_checks import (
    Agreement,
    PositionBias,
    agreement_with_people,
    position_bias,
)
from ordlink.oracles._recorded import RecordedOracle
from ordlink.oracles._simulated import (
    FunctionOracle,
    NoisyOracle,
    NoisySimilarityOracle,
    RepeatedOracle,
    SimilarityOracle,
)

__all__ = [
    "PROMPT",
    "Agreement",
    "AskOnce",
    "BaseOracle",
    "BudgetedOracle",
    "ChatOracle",
    "ConcurrentOracle",
    "CostEstimate",
    "FeatureOracle",
    "FunctionOracle",
    "NoisyOracle",
    "NoisySimilarityOracle",
    "Oracle",
    "PositionBias",
    "RecordedOracle",
    "RepeatedOracle",
    "SimilarityOracle",
    "agreement_with_people",
    "check_oracle",
    "position_bias",
    "random_questions",
]
