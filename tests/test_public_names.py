"""The public names, frozen: whoever takes one away or adds one changes this list on purpose."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ordlink as ol

NAMES = {
    "ordlink": [
        "Comparisons",
        "Hierarchy",
        "ListedComparisons",
        "METHODS",
        "OrdinalClustering",
        "RankedComparisons",
        "__version__",
        "cluster",
        "comparisons",
        "concatenate",
        "datasets",
        "errors",
        "hierarchy",
        "io",
        "linkage",
        "methods",
        "metrics",
        "oracles",
        "planning",
        "plotting",
        "read_answers",
        "read_comparisons",
        "read_in_chunks",
        "report",
        "validation",
        "write_comparisons",
    ],
    "ordlink.comparisons": [
        "AnswerDetails",
        "AnswerForm",
        "ChunksSummary",
        "ComparisonColumns",
        "Comparisons",
        "ComparisonsSummary",
        "FORMS",
        "ListedComparisons",
        "NetComparisons",
        "RankedComparisons",
        "Repeats",
        "check_chunks",
        "check_repeats",
        "check_sides",
        "check_similarities",
        "check_weights",
        "compress",
        "concatenate",
        "find_form",
        "find_named",
        "find_parts",
        "list_answers",
        "n_pairs",
        "natural_key",
        "net_comparisons",
        "net_wins",
        "pair_ids",
        "pair_members",
        "row_sums",
        "square",
        "summarise_chunks",
        "wins_minus_losses",
    ],
    "ordlink.datasets": [
        "AnswerSet",
        "CATALOGUE",
        "Dataset",
        "FeatureTable",
        "PlantedHierarchy",
        "Source",
        "Structure",
        "caterpillar",
        "data_folder",
        "fetch_20news",
        "fetch_car",
        "fetch_crowdtsc",
        "fetch_faces",
        "fetch_mlds",
        "fetch_musicseer",
        "fetch_perceptual_kernels",
        "fetch_things",
        "load_glass",
        "load_zoo",
        "planted_hierarchy",
        "planted_tree",
        "random_structure",
        "simulate_answers",
        "write_vessels",
    ],
    "ordlink.hierarchy": [
        "Hierarchy",
        "Node",
        "Partition",
    ],
    "ordlink.io": [
        "InputFile",
        "find_delimiter",
        "parquet_rows",
        "read_answers",
        "read_comparisons",
        "read_in_chunks",
        "read_names",
        "reading",
        "write_comparisons",
    ],
    "ordlink.linkage": [
        "InitialClusters",
        "InitialPartition",
        "average_linkage",
        "describe_merges",
        "grow_each_part",
        "grow_parts",
        "initial_partition",
        "link_by_average",
        "link_features_by_average",
        "list_parts",
        "new_pair_ids",
        "order_of_appearance",
        "permute_objects",
        "restore_objects",
    ],
    "ordlink.methods": [
        "DEFAULT_METHOD",
        "InitialClusters",
        "METHODS",
        "Method",
        "QUICK_METHOD",
        "build_tree",
        "cluster",
        "find_method",
        "method_for",
        "repeatable",
        "warn_of_ties",
    ],
    "ordlink.methods.active": [
        "run_complete",
        "run_insertion",
        "run_single",
    ],
    "ordlink.methods.adaptive": [
        "run",
    ],
    "ordlink.methods.growing": [
        "Insertion",
        "insert",
        "place_in_clusters",
        "update",
    ],
    "ordlink.methods.adds": [
        "adds_similarity",
        "adds_similarity_of_chunks",
        "cluster_chunks",
        "run",
    ],
    "ordlink.methods.embedding": [
        "Embedding",
        "LISTED_AT_MOST",
        "Metric",
        "embedding_similarity",
        "forte_embedding",
        "run",
        "run_tste",
        "soe_embedding",
        "tste_embedding",
    ],
    "ordlink.methods.four_al": [
        "run",
    ],
    "ordlink.methods.kernel_al": [
        "ActivePlan",
        "active_features",
        "active_kernel",
        "passive_kernel",
        "plan_active_kernel",
        "run_active",
        "run_passive",
    ],
    "ordlink.methods.search": [
        "MOST_OBJECTS",
        "n_folds",
        "run",
        "run_auto",
        "why_not_compared",
    ],
    "ordlink.methods.spectral": [
        "FirmClusters",
        "find_clusters",
        "fit_pair_strengths",
        "run",
        "run_by_new_answers",
        "run_kind",
    ],
    "ordlink.metrics": [
        "aari",
        "adjusted_rand_index",
        "agreements",
        "ari_per_level",
        "comparison_accuracy",
        "comparison_accuracy_of_chunks",
        "comparison_revenue",
        "cophenetic_correlation",
        "dasgupta_cost",
        "dendrogram_purity",
        "fowlkes_mallows",
        "moseley_wang_revenue",
        "normalised_comparison_revenue",
        "normalised_dasgupta_cost",
        "normalised_robinson_foulds",
        "robinson_foulds",
        "triplet_distance",
    ],
    "ordlink.oracles": [
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
        "PROMPT",
        "PositionBias",
        "RecordedOracle",
        "RepeatedOracle",
        "SimilarityOracle",
        "agreement_with_people",
        "check_oracle",
        "position_bias",
        "random_questions",
    ],
    "ordlink.planning": [
        "Cost",
        "CurvePoint",
        "DIFFICULTIES",
        "MEASURES",
        "Plan",
        "STUDIES",
        "Scenario",
        "answers_cost",
        "n_cores",
        "plan_answers",
    ],
    "ordlink.plotting": [
        "Curve",
        "DendrogramLayout",
        "HEIGHTS",
        "ORDERS",
        "PAGES",
        "PICTURES_AT",
        "SHAPES",
        "SUPPORT_STYLES",
        "TALL",
        "check_drawing",
        "dendrogram_layout",
        "order_leaves",
        "plot_hierarchy",
        "plot_tanglegram",
        "save_curves",
        "save_plot",
        "save_plots",
        "svg_text",
    ],
    "ordlink.report": [
        "Evidence",
        "Making",
        "comparison_section",
        "gather_evidence",
        "making_time",
        "methods_paragraph",
        "paper_text",
        "report_page",
        "results_paragraph",
        "with_error",
    ],
    "ordlink.validation": [
        "AnnotatorQuality",
        "BranchDifference",
        "BranchSupport",
        "CANDIDATES",
        "CIRCULAR_BY_CHANCE",
        "Candidate",
        "CrossValidation",
        "CrowdQuality",
        "Cycles",
        "Estimate",
        "ExclusionEffect",
        "FEWEST_TO_COMPARE",
        "FIRM_SUPPORT",
        "GroupComparison",
        "HierarchyTest",
        "LearningCurve",
        "METHODS_FOR_WEIGHTS",
        "MethodComparison",
        "MethodScores",
        "Partition",
        "Recommendation",
        "RepeatAgreement",
        "TwoTrees",
        "Verdict",
        "WEAK_SUPPORT",
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
    ],
}
"""What each public package offers: its `__all__`."""
WITHOUT_ALL = {
    "ordlink.cli": ["COMMANDS", "main", "run"],
    "ordlink.errors": [
        "BudgetExhaustedError",
        "ConvergenceWarning",
        "InputError",
        "InputKindError",
        "MissingDataError",
        "MissingDependencyError",
        "NotEnoughMemoryError",
        "OracleError",
        "OrdlinkError",
        "OrdlinkWarning",
        "TooFewAnswersError",
        "WorkerError",
    ],
}
"""Public modules without `__all__`, and their names."""
METHODS = {
    "SL": "an oracle",
    "CL": "an oracle",
    "adaptive": "an oracle",
    "insertion": "an oracle",
    "AL": "similarities",
    "4K-AL": "comparisons",
    "4K-AL-act": "an oracle",
    "4-AL": "comparisons",
    "AddS-AL": "comparisons",
    "spectral": "comparisons",
    "blocks": "comparisons",
    "search": "comparisons",
    "tSTE-AL": "comparisons",
    "FORTE-AL": "comparisons",
    "SOE-AL": "comparisons",
    "auto": "comparisons",
}
"""The methods in their order, and what they need."""
BASES = {
    "OrdlinkError": (Exception,),
    "InputError": (ol.errors.OrdlinkError, ValueError),
    "TooFewAnswersError": (ol.errors.InputError,),
    "InputKindError": (ol.errors.OrdlinkError, TypeError),
    "MissingDependencyError": (ol.errors.OrdlinkError, ImportError),
    "MissingDataError": (ol.errors.OrdlinkError, OSError),
    "BudgetExhaustedError": (ol.errors.OrdlinkError, RuntimeError),
    "NotEnoughMemoryError": (ol.errors.OrdlinkError, MemoryError),
    "WorkerError": (ol.errors.OrdlinkError, RuntimeError),
    "OracleError": (ol.errors.OrdlinkError, RuntimeError),
    "OrdlinkWarning": (UserWarning,),
    "ConvergenceWarning": (ol.errors.OrdlinkWarning,),
}
"""The base classes of the errors and the warning."""


def run_alone(program: str) -> str:
    """Return what a program prints in an interpreter of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("package", [*NAMES, *WITHOUT_ALL])
def test_a_package_offers_its_names_where_nothing_else_was_imported(package: str) -> None:
    """One fresh interpreter for each: an import that needs another one before it fails here."""
    names = NAMES.get(package) or WITHOUT_ALL[package]
    short = package.removeprefix("ordlink.")
    start = f"import {package} as package"
    if short in NAMES["ordlink"]:  # found by name, without an import of its own
        start = f"import ordlink; package = ordlink.{short}"
    program = (
        f"{start}\n"
        f"for name in {names}: assert getattr(package, name) is not None, name\n"
        "print(sorted(getattr(package, '__all__', [])))"
    )

    assert run_alone(program) == str(NAMES.get(package, []))


def test_dir_lists_the_public_names() -> None:
    assert sorted(dir(ol)) == NAMES["ordlink"]


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'clusters'"):
        ol.clusters  # noqa: B018


@pytest.mark.parametrize("name", BASES)
def test_errors_are_caught_by_the_classes_that_callers_know(name: str) -> None:
    assert getattr(ol.errors, name).__bases__ == BASES[name]


def test_every_error_is_listed() -> None:
    defined = [name for name, one in vars(ol.errors).items() if isinstance(one, type)]

    assert (
        sorted(n for n in defined if issubclass(getattr(ol.errors, n), Exception))
        == (WITHOUT_ALL["ordlink.errors"])
    )


def test_the_methods_have_their_names_order_and_needs() -> None:
    assert {name: method.needs for name, method in ol.METHODS.items()} == METHODS
    assert list(ol.METHODS) == list(METHODS)
