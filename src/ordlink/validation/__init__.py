"""How reliable a tree is, from the answers alone: held-out scores, support, tests, annotators."""

from ordlink.hierarchy import Partition
from ordlink.validation._annotator_accuracy import (
    METHODS_FOR_WEIGHTS,
    agreement_with_others,
    annotator_weights,
    weighted_comparisons,
)
from ordlink.validation._annotator_effects import (
    ExclusionEffect,
    TwoTrees,
    WeightingEffect,
    exclusion_effect,
    weighting_effect,
    without_annotators,
)
from ordlink.validation._annotators import AnnotatorQuality, CrowdQuality, crowd_quality
from ordlink.validation._candidates import (
    CANDIDATES,
    Candidate,
    Recommendation,
    choose_candidates,
    estimate_seconds,
    find_candidates,
    recommend,
)
from ordlink.validation._consistency import (
    CIRCULAR_BY_CHANCE,
    Cycles,
    RepeatAgreement,
    agreement_of_repeats,
    answers_of,
    count_cycles,
)
from ordlink.validation._cross_validation import (
    CrossValidation,
    assign_folds,
    check_listed,
    cross_validate,
)
from ordlink.validation._extrapolation import Estimate, LearningCurve, Verdict, check_accuracy
from ordlink.validation._groups import BranchDifference, GroupComparison, compare_groups
from ordlink.validation._hierarchy_test import HierarchyTest, hierarchy_test
from ordlink.validation._learning_curve import learning_curve
from ordlink.validation._method_comparison import (
    FEWEST_TO_COMPARE,
    MethodComparison,
    MethodScores,
    compare_methods,
)
from ordlink.validation._partition import best_partition
from ordlink.validation._support import (
    FIRM_SUPPORT,
    WEAK_SUPPORT,
    BranchSupport,
    branch_support,
    consensus_tree,
    firm_branches,
    match_known_branches,
)

__all__ = [
    "CANDIDATES",
    "CIRCULAR_BY_CHANCE",
    "FEWEST_TO_COMPARE",
    "FIRM_SUPPORT",
    "METHODS_FOR_WEIGHTS",
    "WEAK_SUPPORT",
    "AnnotatorQuality",
    "BranchDifference",
    "BranchSupport",
    "Candidate",
    "CrossValidation",
    "CrowdQuality",
    "Cycles",
    "Estimate",
    "ExclusionEffect",
    "GroupComparison",
    "HierarchyTest",
    "LearningCurve",
    "MethodComparison",
    "MethodScores",
    "Partition",
    "Recommendation",
    "RepeatAgreement",
    "TwoTrees",
    "Verdict",
    "WeightingEffect",
    "agreement_of_repeats",
    "agreement_with_others",
    "annotator_weights",
    "answers_of",
    "assign_folds",
    "best_partition",
    "branch_support",
    "check_accuracy",
    "check_listed",
    "choose_candidates",
    "compare_groups",
    "compare_methods",
    "consensus_tree",
    "count_cycles",
    "cross_validate",
    "crowd_quality",
    "estimate_seconds",
    "exclusion_effect",
    "find_candidates",
    "firm_branches",
    "hierarchy_test",
    "learning_curve",
    "match_known_branches",
    "recommend",
    "weighted_comparisons",
    "weighting_effect",
    "without_annotators",
]
