"""`cluster`: the table of methods, what each takes, and what is refused or warned about."""

from __future__ import annotations

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.methods import find_method
from ordlink.oracles import SimilarityOracle


@pytest.fixture(scope="module")
def planted():
    return ol.datasets.planted_hierarchy(
        depth=3, leaf_size=30, mean=0.8, gap=0.2, noise=0.1, seed=0
    )


@pytest.mark.parametrize("method", ["4-AL", "4K-AL"])
@pytest.mark.parametrize("proportion", [0.1, 1.0])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_the_planted_hierarchy_is_recovered(planted, method: str, proportion: float) -> None:
    """The paper's parameters at its largest delta; objects shuffled so that ties cannot help."""
    order = np.random.default_rng(1).permutation(planted.n_objects)
    similarities = planted.similarities[np.ix_(order, order)]
    comparisons = ol.Comparisons.from_similarities(similarities, proportion, seed=2)

    tree = ol.cluster(comparisons, method)

    assert ol.metrics.aari(planted.levels[:, order], tree) >= 0.99


@pytest.mark.parametrize("method", ["SL", "CL", "AL", "4K-AL-act"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_similarities_are_taken_by_active_methods_and_al(method: str) -> None:
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=6, gap=3, seed=0)

    options = {"seed": 0, "landmark_probability": 0.5} if method == "4K-AL-act" else {}
    tree = ol.cluster(planted.similarities, method, **options)

    assert tree.cut(2).tolist() == planted.labels.tolist()
    assert tree.method == method


def test_names_and_origin_are_kept() -> None:
    comparisons = ol.Comparisons.from_triplets(
        [["bee", "ant", "cat"], ["ant", "bee", "cat"], ["cat", "bee", "ant"]]
    )

    tree = ol.cluster(comparisons, "4-AL", repeats="net", initial_clusters=[[0, 1]])

    assert tree.names == ("ant", "bee", "cat")
    assert tree.method == "4-AL"
    assert tree.parameters == {"repeats": "net", "initial_clusters": [[0, 1]]}


@pytest.mark.parametrize("name", ["4-al", "4AL", "4\N{EN DASH}AL", " 4-AL "])
def test_method_names_are_forgiving(name: str) -> None:
    assert find_method(name).name == "4-AL"


def test_an_unknown_method_lists_the_known_ones() -> None:
    with pytest.raises(
        InputError, match=r"unknown method '4-ALL'; the methods are SL, .*mean 4-AL\?"
    ):
        ol.cluster(np.ones((3, 3)), "4-ALL")


@pytest.mark.parametrize(
    ("kind", "method", "message"),
    [
        ("comparisons", "SL", "SL needs an oracle, got ListedComparisons; use 4-AL"),
        ("comparisons", "AL", "AL needs similarities, got ListedComparisons"),
        ("oracle", "4-AL", "4-AL works on answers collected beforehand .* use SL, CL"),
        ("oracle", "AL", "AL needs known similarities"),
        ("matrix", "4-AL", "from_similarities"),
        ("text", "4-AL", "got str"),
        ("text", "SL", "expected a square matrix"),
    ],
)
def test_the_wrong_kind_of_input_is_refused_with_a_remedy(
    kind: str, method: str, message: str
) -> None:
    data = {
        "comparisons": ol.Comparisons.from_triplets([[0, 1, 2]]),
        "oracle": SimilarityOracle(np.ones((3, 3))),
        "matrix": np.ones((3, 3)),
        "text": "answers.csv",
    }[kind]

    with pytest.raises(InputKindError, match=message):
        ol.cluster(data, method)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(InputError, match="SL has no option 'seed'; its options are: votes"):
        ol.cluster(np.ones((3, 3)), "SL", seed=0)


def test_the_options_of_an_embedding_are_those_of_its_function() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2]])

    tree = ol.cluster(comparisons, "tSTE-AL", alpha=2.0, metric="euclidean", n_init=1)

    assert tree.parameters == {"alpha": 2.0, "metric": "euclidean", "n_init": 1}
    with pytest.raises(InputError, match="FORTE-AL has no option 'alpha'; its options are: metric"):
        ol.cluster(comparisons, "FORTE-AL", alpha=2.0)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_similarities_that_are_not_finite_are_refused(bad: float) -> None:
    matrix = np.ones((3, 3))
    matrix[0, 1] = matrix[1, 0] = bad

    with pytest.raises(InputError, match="row 0, column 1"):
        ol.cluster(matrix, "AL")


def test_asymmetric_similarities_are_refused() -> None:
    with pytest.raises(InputError, match="symmetric"):
        ol.Comparisons.from_similarities(np.array([[0, 1, 2], [3, 0, 1], [2, 1, 0]]))


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_few_objects_can_be_asked_about_with_the_defaults(n: int) -> None:
    matrix = np.add.outer(np.arange(n), np.arange(n) ** 2)

    tree = ol.cluster(SimilarityOracle(matrix + matrix.T), "4K-AL-act", seed=0)

    assert tree.n_objects == n


def test_options_that_cannot_be_noted_are_refused_before_anything_is_asked() -> None:
    oracle = SimilarityOracle(np.ones((5, 5)))

    with pytest.raises(InputKindError, match="budget: expected a number"):
        ol.cluster(oracle, "4K-AL-act", budget=object())
    assert oracle.n_questions == 0


@pytest.mark.parametrize("method", ["4K-AL-act", "tSTE-AL"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_any_seed_is_noted_as_a_number_that_gives_the_same_tree(method: str) -> None:
    matrix = np.random.default_rng(1).random((8, 8))
    matrix += matrix.T
    data = ol.Comparisons.from_similarities(matrix) if method == "tSTE-AL" else matrix

    for seed in (np.random.default_rng(0), None):
        tree = ol.cluster(data, method, seed=seed)
        again = ol.cluster(data, method, seed=tree.parameters["seed"])

        assert isinstance(tree.parameters["seed"], int)
        assert again.merges.tolist() == tree.merges.tolist()
    default = ol.cluster(data, method)
    assert default.merges.tolist() == ol.cluster(data, method, seed=0).merges.tolist()


def test_the_table_of_methods_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        ol.METHODS["mine"] = ol.METHODS["SL"]


@pytest.mark.parametrize("method", ["4-AL", "AddS-AL", "spectral"])
def test_no_way_to_count_repeats_is_the_methods_own(method) -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [3, 1, 2], [0, 1, 3]])

    tree = ol.cluster(comparisons, method, repeats=None)

    assert tree.merges.tolist() == ol.cluster(comparisons, method).merges.tolist()


def test_an_unknown_way_to_count_repeats_is_refused_for_ranks_too() -> None:
    with pytest.raises(InputError, match="'majority' or 'net'"):
        ol.cluster(ol.Comparisons.from_similarities(np.eye(4)), "4-AL", repeats="x")


@pytest.mark.parametrize("method", ["4K-AL", "4K-AL-act", "AddS-AL"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_every_method_keeps_the_names(method: str) -> None:
    matrix = np.add.outer(np.arange(4), np.arange(4) ** 2)
    data = (
        SimilarityOracle(matrix + matrix.T, names=list("abcd"))
        if method == "4K-AL-act"
        else ol.Comparisons.from_similarities(matrix + matrix.T, names=list("abcd"))
    )

    assert ol.cluster(data, method).names == ("a", "b", "c", "d")


def test_one_object_is_no_tree() -> None:
    with pytest.raises(InputError, match="at least two objects"):
        ol.cluster(np.ones((1, 1)), "AL")


@pytest.mark.parametrize("method", ["SL", "CL", "AL"])
def test_two_objects_are_one_merge(method: str) -> None:
    assert ol.cluster(np.ones((2, 2)), method).merges.tolist() == [[0, 1]]


def test_answers_that_cannot_be_trusted_are_warned_about() -> None:
    comparisons = ol.Comparisons.from_quadruplets(
        [[0, 1, 2, 3], [2, 3, 0, 1], [5, 6, 6, 7]], n_objects=9
    )

    with pytest.warns(OrdlinkWarning) as caught:
        ol.cluster(comparisons)

    text = "\n".join(str(entry.message) for entry in caught)
    for expected in ("answered both ways", "never compared: 4, 8", "2 parts", "decided by a tie"):
        assert expected in text


@pytest.mark.parametrize("method", ["4-AL", "4K-AL", "AddS-AL"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_no_answers_still_give_a_tree(method: str) -> None:
    comparisons = ol.Comparisons.from_triplets([], n_objects=4)

    tree = ol.cluster(comparisons, method)

    assert tree.merges.tolist() == [[0, 1], [4, 2], [5, 3]]
    assert tree.n_tied_merges == 2


@pytest.mark.parametrize("method", ["4-AL", "4K-AL", "AddS-AL"])
@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_cars_cluster_into_their_classes(data_folder, method: str) -> None:
    """Sports cars and off-road cars find together (Kleindessner and von Luxburg 2017)."""
    comparisons = ol.read_comparisons(
        data_folder / "car" / "ordinal_data_preprocessed" / "T_ALL_REDUCED.csv",
        form="most-central",
        one_based=True,
    )
    assert (comparisons.n_objects, comparisons.n_comparisons) == (60, 12112)

    tree = ol.cluster(comparisons, method)

    sports = np.array([15, 19, 20, 28, 40, 42, 47, 48, 49, 50, 51, 52, 54, 56, 59]) - 1
    offroad = np.array([1, 3, 4, 5, 13, 14, 18, 22, 24, 26, 27, 29, 31, 33, 34, 43, 57]) - 1
    for group in (sports, offroad):
        overlap = max(
            len(np.intersect1d(members, group)) / len(np.union1d(members, group))
            for _, members in tree.clusters()
        )
        assert overlap > 0.6


@pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")
def test_active_kernel_of_many_objects_gives_the_same_tree(monkeypatch, planted) -> None:
    """Above some size no kernel is made; features are linked instead."""
    from ordlink.methods.kernel_al import _active

    oracle = SimilarityOracle(planted.similarities, names=planted.names)
    options = {"seed": 1, "n_references": 12, "initial_clusters": planted.initial_clusters(3, 0)}
    tree = ol.cluster(oracle, "4K-AL-act", **options)
    monkeypatch.setattr(_active, "FEATURES_FROM", 2)
    monkeypatch.setattr(_active, "active_kernel", None)

    other = ol.cluster(oracle, "4K-AL-act", **options)

    np.testing.assert_array_equal(other.merges, tree.merges)
    np.testing.assert_array_equal(other.scores, tree.scores)
    np.testing.assert_array_equal(other.tied, tree.tied)
    assert other.names == planted.names


def test_one_initial_cluster_of_all_objects_is_warned_about() -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [1, 2, 3], [3, 2, 0]])

    with pytest.warns(OrdlinkWarning, match="nothing is left for the answers to decide"):
        tree = ol.cluster(comparisons, "4-AL", initial_clusters=[[0, 1, 2, 3]])

    assert np.isnan(tree.scores).all()
