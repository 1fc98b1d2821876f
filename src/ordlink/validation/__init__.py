"""How far a tree can be trusted, from the answers alone: held-out scores, support, a test."""

from ordlink.validation._auto import FEWEST_ANSWERS, auto_linkage
from ordlink.validation._branches import match_known_branches
from ordlink.validation._candidates import (
    CANDIDATES,
    Candidate,
    choose_candidates,
    estimate_seconds,
    find_candidates,
)
from ordlink.validation._checks import check_listed
from ordlink.validation._comparison_page import comparison_section, with_error
from ordlink.validation._consensus import consensus_tree
from ordlink.validation._continuation import Estimate, LearningCurve, Verdict, check_accuracy
from ordlink.validation._cross_validation import CrossValidation, cross_validate
from ordlink.validation._crowd import AnnotatorQuality, CrowdQuality, crowd_quality
from ordlink.validation._crowd_cycles import CHANCE, Cycles, count_cycles
from ordlink.validation._crowd_effect import TwoTrees
from ordlink.validation._crowd_exclusion import (
    ExclusionEffect,
    exclusion_effect,
    without_annotators,
)
from ordlink.validation._crowd_questions import RepeatAgreement, agreement_of_repeats, answers_of
from ordlink.validation._crowd_weights import (
    METHODS_FOR_WEIGHTS,
    WeightingEffect,
    annotator_weights,
    weighted_comparisons,
    weighting_effect,
)
from ordlink.validation._folds import assign_folds
from ordlink.validation._hierarchy_test import HierarchyTest, hierarchy_test
from ordlink.validation._learning_curve import learning_curve
from ordlink.validation._method_comparison import compare_methods
from ordlink.validation._method_scores import MethodComparison, MethodScores
from ordlink.validation._recommendation import Recommendation, recommend
from ordlink.validation._support import BranchSupport, branch_support

__all__ = [
    "CANDIDATES",
    "CHANCE",
    "FEWEST_ANSWERS",
    "METHODS_FOR_WEIGHTS",
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
    "TwoTrees",
    "Verdict",
    "WeightingEffect",
    "agreement_of_repeats",
    "annotator_weights",
    "answers_of",
    "assign_folds",
    "auto_linkage",
    "branch_support",
    "check_accuracy",
    "check_listed",
    "choose_candidates",
    "compare_methods",
    "comparison_section",
    "consensus_tree",
    "count_cycles",
    "cross_validate",
    "crowd_quality",
    "estimate_seconds",
    "exclusion_effect",
    "find_candidates",
    "hierarchy_test",
    "learning_curve",
    "match_known_branches",
    "recommend",
    "weighted_comparisons",
    "weighting_effect",
    "with_error",
    "without_annotators",
]
