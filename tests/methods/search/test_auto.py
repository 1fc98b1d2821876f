"""`method="auto"`, the default: search or spectral by held-out answers, and the tree says so."""

import warnings

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.methods import repeatable
from ordlink.methods.search import _auto, why_not_compared
from ordlink.validation._cross_validation import settle_method

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _answers(n_answers, **options):
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, n_answers, error_rate=0.1, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=8, **options)


def _on_a_plane(n_objects=16, n_answers=1500):
    """Objects without clusters: no tree is true, and an embedding predicts far better."""
    rng = np.random.default_rng(1)
    points = rng.uniform(size=(n_objects, 2))
    near = -((points[:, None] - points[None]) ** 2).sum(axis=2)
    rows = ol.datasets.simulate_answers(near, n_answers, error_rate=0.05, seed=2)
    return ol.Comparisons.from_triplets(rows, n_objects=n_objects)


@pytest.fixture(scope="module")
def no_tree_is_true():
    """Return such answers and their tree."""
    answers = _on_a_plane()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OrdlinkWarning)
        return answers, ol.cluster(answers)


def test_auto_is_the_default() -> None:
    answers = _answers(60)

    tree = ol.cluster(answers)

    assert tree.method == "auto"
    np.testing.assert_array_equal(tree.merges, ol.cluster(answers, "auto").merges)


def test_answers_of_several_rows_count_once_for_the_comparison() -> None:
    rows = np.argsort(np.random.default_rng(0).random((40, 8)), axis=1)[:, :3]
    answers = ol.Comparisons.from_most_central(rows)  # two rows each

    assert not why_not_compared(answers.take(answers.answer_ids >= 20))
    assert not why_not_compared(answers.take([0] * 2_000 + list(range(2, 40))))  # late ones too
    assert "too few answers" in why_not_compared(answers.take(answers.answer_ids >= 21))


def test_where_no_tree_is_true_the_search_is_taken(no_tree_is_true) -> None:
    answers, tree = no_tree_is_true

    chosen = tree.parameters["chosen"]
    assert chosen["method"] == "search"
    assert tree.parameters["reason"].startswith("search: of held-out answers, search predicts")
    assert set(tree.parameters["held_out"]) == {"search", "spectral"}
    again = ol.cluster(answers, "search")
    np.testing.assert_array_equal(tree.merges, again.merges)
    np.testing.assert_array_equal(tree.scores, again.scores)


def test_where_a_tree_is_true_spectral_is_taken_unless_search_is_ahead() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=6, gap=1.0, noise=0.3, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 3000, error_rate=0.1, seed=0)
    answers = ol.Comparisons.from_triplets(rows, n_objects=24)

    tree = ol.cluster(answers)

    assert tree.parameters["chosen"] == {"method": "spectral", "options": {"kind": "splits"}}
    np.testing.assert_array_equal(tree.merges, ol.cluster(answers, "spectral").merges)


def test_what_was_chosen_builds_trees_of_the_same_kind(no_tree_is_true) -> None:
    _, tree = no_tree_is_true

    method, options = repeatable(tree, "auto")

    assert method == "search"
    assert "spectral" not in options["model_weights"]  # the slowest model
    assert ol.cluster(_on_a_plane(n_answers=100), method, **options).method == "search"
    assert repeatable(tree, "4-AL") == ("4-AL", {})


def test_the_choice_survives_a_file(tmp_path) -> None:
    tree = ol.cluster(_answers(60, names=list("abcdefgh")))

    tree.save(tmp_path / "tree.json")

    loaded = ol.Hierarchy.load(tmp_path / "tree.json")
    assert loaded.parameters == tree.parameters
    assert loaded.parameters["reason"]
    assert loaded.names == tuple("abcdefgh")


def test_the_same_answers_give_the_same_file() -> None:
    first, second = (ol.cluster(_answers(60)).to_json() for _ in range(2))

    assert first == second


def test_initial_clusters_are_kept() -> None:
    tree = ol.cluster(_answers(60), initial_clusters=[[0, 7]])

    assert tree.merges[0].tolist() == [0, 7]
    assert tree.parameters["initial_clusters"] == [[0, 7]]


@pytest.mark.parametrize("n_answers", [0, 1, 19])
def test_few_answers_are_not_compared(n_answers) -> None:
    answers = _answers(n_answers)

    tree = ol.cluster(answers)

    np.testing.assert_array_equal(tree.merges, ol.cluster(answers, "spectral").merges)
    assert tree.parameters["chosen"]["method"] == "spectral"
    assert "too few answers for cross-validation" in tree.parameters["reason"]


@pytest.mark.parametrize("n_answers", [20, 40, 200])
def test_any_number_of_answers_has_a_tree_and_a_reason(n_answers) -> None:
    tree = ol.cluster(_answers(n_answers))

    assert tree.parameters["reason"].split(":")[0] in ("search", "spectral")


def test_where_all_comparisons_are_known_none_is_held_out() -> None:
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, seed=0)
    everything = ol.Comparisons.from_similarities(planted.similarities)

    tree = ol.cluster(everything)

    np.testing.assert_array_equal(tree.merges, ol.cluster(everything, "spectral").merges)
    assert "all comparisons are known" in tree.parameters["reason"]


def test_more_objects_than_the_search_takes_are_clustered_all_the_same() -> None:
    rows = [[i, i + 1, i + 2] for i in range(500)]

    tree = ol.cluster(ol.Comparisons.from_triplets(rows))

    assert tree.n_objects == 502
    assert "limited to 500 objects" in tree.parameters["reason"]


@pytest.mark.parametrize("n_objects", [2, 3])
def test_two_and_three_objects_have_a_tree(n_objects) -> None:
    rows = [[0, 1, 2]] * (50 if n_objects == 3 else 0)

    tree = ol.cluster(ol.Comparisons.from_triplets(rows, n_objects=n_objects))

    assert tree.n_objects == n_objects


def test_parts_that_were_never_compared_have_a_tree() -> None:
    rows = _answers(60).quadruplets
    both = ol.Comparisons.from_quadruplets(np.concatenate([rows, rows + 8]), n_objects=17)

    tree = ol.cluster(both)

    assert tree.n_objects == 17


def test_auto_is_a_method_like_others() -> None:
    answers = _answers(60)

    model = ol.OrdinalClustering(n_clusters=2).fit(answers)
    scores = ol.validation.cross_validate(answers, n_folds=2)

    np.testing.assert_array_equal(model.hierarchy_.merges, ol.cluster(answers).merges)
    assert scores.method == "auto"
    assert ol.METHODS["auto"].needs == "comparisons"


def test_the_answers_are_warned_about_once() -> None:
    answers = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]] * 20, n_objects=5)

    with pytest.warns(OrdlinkWarning) as caught:
        ol.cluster(answers)

    texts = [str(one.message) for one in caught]
    assert len(texts) == len(set(texts))
    assert texts[: len(answers.warnings())] == answers.warnings()


def test_bad_options_are_refused_however_few_the_answers() -> None:
    for n_answers in (5, 60):
        with pytest.raises(InputKindError, match="seed: expected a whole number"):
            ol.cluster(_answers(n_answers), seed="x")
    with pytest.raises(InputError, match="auto has no option 'repeats'"):
        ol.cluster(_answers(60), repeats="net")
    with pytest.raises(InputKindError, match="works on answers collected beforehand"):
        ol.cluster(np.eye(3))


@pytest.mark.parametrize(("during", "taken"), [("fit", "AddS-AL"), ("search", "spectral")])
def test_ctrl_c_returns_the_best_tree_so_far(monkeypatch, during: str, taken: str) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    answers = _answers(60)
    monkeypatch.setattr(_auto, during, interrupt)

    with pytest.warns(OrdlinkWarning, match=f"interrupted.* the tree of {taken}"):
        tree = ol.cluster(answers)

    np.testing.assert_array_equal(tree.merges, ol.cluster(answers, taken).merges)


def test_an_interrupted_comparison_ends_instead_of_going_on(monkeypatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    answers = _answers(200)
    monkeypatch.setattr(_auto, "fit", interrupt)

    with pytest.raises(KeyboardInterrupt):
        ol.validation.compare_methods(answers, ["auto", "AddS-AL"], n_folds=2)
    with pytest.raises(KeyboardInterrupt):
        ol.validation.learning_curve(answers, n_repetitions=1)


def test_many_trees_keep_the_options_that_were_given() -> None:
    settled = settle_method(_answers(60), "auto", 0, {"initial_clusters": [[0, 5]]})

    assert settled[1]["initial_clusters"] == [[0, 5]]


def test_an_oracle_with_a_budget_is_asked_no_more_than_that() -> None:
    oracle = ol.oracles.AskOnce(ol.oracles.SimilarityOracle(np.eye(16)))

    ol.OrdinalClustering(budget=40).fit(oracle)

    assert oracle.n_questions <= 40


def test_bootstrap_samples_of_search_keep_its_weights() -> None:
    tree = ol.cluster(_answers(60), "search")

    method, options = repeatable(tree, "search")

    assert method == "search"
    assert set(options["model_weights"]) == set(tree.parameters["model_weights"]) - {"spectral"}


@pytest.mark.parametrize("tree", ["x", ol.Hierarchy([[0, 1], [2, 3]])])
def test_support_of_another_tree_is_refused(tree: object) -> None:
    with pytest.raises((InputError, InputKindError), match="tree: expected a"):
        ol.validation.branch_support(_answers(60), "AddS-AL", tree=tree, n_bootstrap=2)


class _Predicted:
    """Held-out answers of which models predict given shares."""

    def __init__(self, **shares: float) -> None:
        self.shares = shares

    def predictions(self, label):
        name = {"t-STE 3-D": "embedding", "strengths": "strengths"}[label]
        return _hits(self.shares[name]) if name in self.shares else None

    def mean_and_error(self, numbers):
        return float(numbers.mean()), float(numbers.std() / np.sqrt(len(numbers)))


def _hits(share):
    return (np.arange(1000) < 1000 * share).astype(float)


@pytest.mark.parametrize(
    ("shares", "is_no_tree"),
    [
        ({"embedding": 0.8, "strengths": 0.82}, True),
        ({"embedding": 0.75, "strengths": 0.85}, False),  # single pairs differ, as by noise
        ({"embedding": 0.72, "strengths": 0.72}, False),  # hardly more than the tree
        ({"embedding": 0.8}, False),
    ],
)
def test_there_is_no_tree_if_an_embedding_explains_most_of_the_rest(shares, is_no_tree) -> None:
    assert _auto._is_no_tree(_Predicted(**shares), _hits(0.7)) == is_no_tree
