"""How far a tree can be trusted, from the answers alone: held-out scores, support, a test."""

from ordlink.trust._auto import auto_linkage
from ordlink.trust._candidates import CANDIDATES, Candidate
from ordlink.trust._consensus import consensus_tree
from ordlink.trust._continuation import Estimate, LearningCurve, Verdict
from ordlink.trust._cross_validation import CrossValidation, cross_validate
from ordlink.trust._crowd import AnnotatorQuality, CrowdQuality, crowd_quality
from ordlink.trust._crowd_cycles import Cycles
from ordlink.trust._crowd_exclusion import ExclusionEffect, exclusion_effect, without_annotators
from ordlink.trust._crowd_questions import RepeatAgreement
from ordlink.trust._crowd_weights import (
    WeightingEffect,
    annotator_weights,
    weighted_comparisons,
    weighting_effect,
)
from ordlink.trust._folds import assign_folds
from ordlink.trust._hierarchy_test import HierarchyTest, hierarchy_test
from ordlink.trust._learning_curve import learning_curve
from ordlink.trust._method_comparison import compare_methods
from ordlink.trust._method_scores import MethodComparison, MethodScores
from ordlink.trust._recommendation import Recommendation, recommend
from ordlink.trust._support import BranchSupport, branch_support

__all__ = [
    "CANDIDATES",
    "AnnotatorQuality",
    "BranchSupport",
    "Candidate",
    "CrossValidation",
    "CrowdQuality",
    "Cycles",
    "Estimate",
    "ExclusionEffect",
    "HierarchyTest",
    "LearningCurve",
    "MethodComparison",
    "MethodScores",
    "Recommendation",
    "RepeatAgreement",
    "Verdict",
    "WeightingEffect",
    "annotator_weights",
    "assign_folds",
    "auto_linkage",
    "branch_support",
    "compare_methods",
    "consensus_tree",
    "cross_validate",
    "crowd_quality",
    "exclusion_effect",
    "hierarchy_test",
    "learning_curve",
    "recommend",
    "weighted_comparisons",
    "weighting_effect",
    "without_annotators",
]
