"""Methods compared on the same folds, against loops over `cross_validate`; and which to take."""

import itertools
import warnings

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from ordlink.metrics import comparison_accuracy
from ordlink.validation import CANDIDATES, Candidate, compare_methods, cross_validate, recommend
from ordlink.validation._candidates import LONGEST_SECONDS, choose_candidates, estimate_seconds
from ordlink.validation._cross_validation import grow_shuffled
from tests.candidates import only_candidates
from tests.validation.growing import grow_in_order

FAST = ["4-AL", "4K-AL", "4K-AL no self", "AddS-AL", "tSTE-AL 2-D"]

pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def _answers(n_answers=300, **options):
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=1.0, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, n_answers, error_rate=0.1, seed=0)
    return ol.Comparisons.from_triplets(rows, n_objects=12, **options)


@pytest.fixture(scope="module")
def answers():
    people = np.random.default_rng(0).integers(0, 7, 300).astype(str)
    return _answers(annotators=people)


@pytest.fixture(scope="module")
def comparison(answers):
    return compare_methods(answers, FAST, n_folds=3, n_repetitions=2, seed=4)


@pytest.mark.parametrize("label", FAST)
def test_every_method_gets_the_scores_of_the_same_folds(answers, comparison, label):
    candidate, scores = CANDIDATES[label], comparison[label]
    options = dict(candidate.options)

    literal = cross_validate(
        answers, candidate.method, n_folds=3, n_repetitions=2, seed=4, **options
    )
    tree = ol.cluster(answers, candidate.method, **options)

    np.testing.assert_array_equal(scores.held_out.accuracies, literal.accuracies)
    np.testing.assert_array_equal(scores.held_out.revenues, literal.revenues)
    np.testing.assert_array_equal(scores.tree.merges, tree.merges)
    assert scores.in_sample_accuracy == comparison_accuracy(answers, tree)
    assert (scores.method, scores.tree.method) == (candidate.method, candidate.method)
    assert scores.seconds > 0


def test_differences_to_the_best_are_taken_fold_by_fold(comparison):
    best = comparison.best

    for scores in comparison.scores:
        steps = best.held_out.accuracies - scores.held_out.accuracies
        assert scores.difference == pytest.approx(steps.mean())
        errors = [np.std(row, ddof=1) / np.sqrt(3) for row in steps]
        assert scores.difference_error == pytest.approx(np.mean(errors))
    means = [scores.held_out.accuracy for scores in comparison.scores]
    assert means == sorted(means, reverse=True)


def test_agreement_is_the_share_of_triples_joined_alike(answers, comparison):
    def first_joined(tree, triple):
        ranks = tree.lca_ranks()
        return min(itertools.combinations(triple, 2), key=lambda pair: ranks[pair])

    trees = [scores.tree for scores in comparison.scores]
    assert 0 < sum(tree.n_tied_merges > 0 for tree in trees) < len(trees)
    for place, scores in enumerate(comparison.scores):
        if scores.tree.n_tied_merges:  # these are decided anew, for each candidate by itself
            draw = np.random.default_rng([4, 0, 1 + FAST.index(scores.label)])
            trees[place] = grow_in_order(
                answers, scores.method, draw.permutation(12), **scores.options
            )
    triples = list(itertools.combinations(range(12), 3))
    for (i, one), (j, other) in itertools.product(enumerate(trees), repeat=2):
        same = [first_joined(one, triple) == first_joined(other, triple) for triple in triples]
        assert comparison.agreement[i, j] == pytest.approx(np.mean(same))


@pytest.mark.slow
def test_processes_change_nothing_but_the_time(answers, comparison):
    seen = []

    other = compare_methods(
        answers,
        FAST,
        n_folds=3,
        n_repetitions=2,
        seed=4,
        n_jobs=2,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert other.recommended == comparison.recommended
    assert other.reason == comparison.reason
    np.testing.assert_array_equal(other.agreement, comparison.agreement)
    for mine, theirs in zip(comparison.scores, other.scores, strict=True):
        rows = mine.as_row(), theirs.as_row()
        assert [{**row, "seconds": 0} for row in rows[:1]] == [{**rows[1], "seconds": 0}]
        np.testing.assert_array_equal(mine.tree.merges, theirs.tree.merges)
    assert seen == [(done, 35) for done in range(36)]


def test_annotators_stay_together_only_where_asked(answers):
    apart = compare_methods(answers, ["AddS-AL"], n_folds=3, by_annotator=False)

    literal = cross_validate(answers, "AddS-AL", n_folds=3, by_annotator=False)
    together = cross_validate(answers, "AddS-AL", n_folds=3)
    np.testing.assert_array_equal(apart["AddS-AL"].held_out.accuracies, literal.accuracies)
    assert not np.array_equal(literal.accuracies, together.accuracies)


def test_a_seed_draws_other_folds():
    answers = _answers()

    mine, theirs = (
        compare_methods(answers, ["4-AL"], n_folds=3, n_repetitions=2, seed=seed)["4-AL"].held_out
        for seed in (4, 5)
    )

    np.testing.assert_array_equal(mine.accuracies[1], theirs.accuracies[0])
    assert not np.array_equal(mine.accuracies[0], theirs.accuracies[0])


def test_initial_clusters_are_kept_by_every_tree(answers):
    clusters = [[0, 5, 7], [1, 11]]

    found = compare_methods(answers, ["4-AL", "AddS-AL"], n_folds=2, initial_clusters=clusters)

    for scores in found.scores:
        members = [set(part.tolist()) for _, part in scores.tree.clusters()]
        assert {0, 5, 7} in members
        assert {1, 11} in members
    literal = cross_validate(answers, "4-AL", n_folds=2, initial_clusters=clusters)
    np.testing.assert_array_equal(found["4-AL"].held_out.accuracies, literal.accuracies)


def test_candidates_and_names_of_methods_are_taken(answers):
    own = Candidate("4-AL net", "4-AL", {"repeats": "net"})

    found = compare_methods(answers, [own, "adds al", "forte-al"], n_folds=2)

    assert {scores.label for scores in found.scores} == {"4-AL net", "AddS-AL", "FORTE-AL"}
    assert found["4-AL net"].tree.parameters == {"repeats": "net"}


def test_the_answers_are_warned_about_once(answers):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare_methods(answers, ["4-AL", "AddS-AL"], n_folds=2)

    assert [str(one.message) for one in caught] == answers.warnings()
    assert {one.category for one in caught} == {OrdlinkWarning}


# --- what is refused and left out ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("methods", "error", "message"),
    [
        (["4-AL", "5-AL"], InputError, r"unknown method '5-AL'; .* tSTE-AL 2-D, SOE-AL 2-D"),
        (["4-AL", "4al"], InputError, "4-AL is listed twice"),
        ([], InputError, "at least one name"),
        (["SL"], InputKindError, "SL needs an oracle and cannot be evaluated on answers"),
        ("4-AL", InputKindError, "expected a list of names"),
        ([Candidate("x", "4-AL", {"colour": 1})], InputError, "x: 4-AL has no option 'colour'"),
    ],
)
def test_methods_that_cannot_be_compared_are_refused(answers, methods, error, message):
    with pytest.raises(error, match=message):
        compare_methods(answers, methods)


def test_bad_arguments_are_refused(answers):
    with pytest.raises(InputError, match="n_folds: expected a whole number of at least 2"):
        compare_methods(answers, FAST, n_folds=1)
    with pytest.raises(InputError, match="n_jobs: expected at least 1"):
        compare_methods(answers, FAST, n_jobs=0)
    with pytest.raises(InputKindError, match="listed one by one"):
        compare_methods(ol.Comparisons.from_similarities(np.eye(5)), FAST)
    with pytest.raises(InputError, match=r"n_folds: expected at most 3, the number of answers"):
        compare_methods(ol.Comparisons.from_triplets([[0, 1, 2]] * 3), FAST)
    with pytest.raises(InputError, match="'CL' was not compared; the methods compared are AddS-AL"):
        compare_methods(answers, ["AddS-AL"], n_folds=2)["CL"]


def test_clusters_that_overlap_are_refused_with_the_reason(answers):
    with pytest.raises(InputError, match="object 1"):
        compare_methods(answers, n_folds=2, initial_clusters=[[0, 1], [1, 2]])


def test_slow_methods_are_left_out_with_the_reason():
    size = {"n_objects": 1854, "n_comparisons": 9_400_000, "n_trees": 6}

    chosen, left_out = choose_candidates(None, **size)
    named, none = choose_candidates(["spectral"], **size)

    assert "spectral" in left_out
    assert "6 trees of 1,854 objects and 9,400,000 comparisons" in left_out["spectral"]
    labels = [candidate.label for candidate in chosen]
    assert "AddS-AL" in labels
    assert set(labels) | set(left_out) == set(CANDIDATES)
    for candidate in CANDIDATES.values():
        seconds = 6 * estimate_seconds(candidate.method, 1854, 9_400_000)
        assert (candidate.label in left_out) == (seconds > LONGEST_SECONDS)
    assert ([candidate.label for candidate in named], none) == (["spectral"], {})


@pytest.mark.parametrize("size", [(60, 12_112), (36, 37_234), (240, 50_000), (500, 50_000)])
def test_everyday_sizes_leave_nothing_out(size):
    _, left_out = choose_candidates(None, n_objects=size[0], n_comparisons=size[1], n_trees=6)

    assert left_out == {}


def test_the_fastest_method_is_never_left_out():
    chosen, left_out = choose_candidates(None, n_objects=10**6, n_comparisons=10**10, n_trees=6)

    assert [candidate.label for candidate in chosen] == ["AddS-AL"]
    assert set(left_out) == set(CANDIDATES) - {"AddS-AL"}


@pytest.mark.parametrize("n_objects", [3, 4])
def test_tiny_answers_are_compared(n_objects):
    rows = [[0, 1, 2], [1, 0, 2]] * 3

    found = compare_methods(ol.Comparisons.from_triplets(rows, n_objects=n_objects), n_folds=2)

    assert {scores.label for scores in found.scores} == set(CANDIDATES)
    assert found.recommended == "auto"
    assert found.best.held_out.accuracy == 1.0
    assert found.tree is found["auto"].tree


# --- the rule -----------------------------------------------------------------------------------


def _around(mean, *steps):
    return mean + np.array([steps])


NOISE = (0.02, -0.02, 0.01, -0.01)


def test_a_clear_winner_is_taken_whatever_the_preference():
    found = recommend(
        {
            "spectral": _around(0.6, *NOISE),
            "AddS-AL": _around(0.7, *NOISE[::-1]),
            "4-AL": _around(0.61, *NOISE),
        }
    )

    assert (found.label, found.best) == ("AddS-AL", "AddS-AL")
    assert "AddS-AL predicts held-out answers best (0.700 ± 0.009)" in found.reason
    assert "more than a standard error ahead of every other method" in found.reason
    assert found.differences["spectral"][0] == pytest.approx(0.1)


def test_of_those_that_tie_the_preferred_one_is_taken():
    scores = {
        "AddS-AL": _around(0.7, *NOISE),
        "4-AL": _around(0.69, *NOISE[::-1]),
        "spectral": _around(0.6, *NOISE),
    }
    steps = scores["AddS-AL"] - scores["4-AL"]
    assert 0 < steps.mean() < np.std(steps, ddof=1)  # half a standard error

    found = recommend(scores)

    assert (found.label, found.best) == ("4-AL", "AddS-AL")
    assert "4-AL predicts held-out answers (0.690" in found.reason
    assert "the best, AddS-AL" in found.reason


@pytest.mark.parametrize(
    ("errors", "n_others", "tied"),
    [(0.9, 0, True), (1.1, 0, False), (0.9, 4, True), (1.1, 4, False)],
)
def test_methods_tie_within_one_standard_error(errors, n_others, tied):
    noise = np.array([NOISE])
    error = np.std(noise, ddof=1) / 2
    others = {f"other {number}": _around(0.3, *NOISE) for number in range(n_others)}

    found = recommend({"4-AL": noise * 0 + 0.7 + errors * error, "spectral": 0.7 + noise, **others})

    assert found.label == ("spectral" if tied else "4-AL")


def test_the_same_noise_in_both_does_not_make_a_tie():
    noise = np.array([[0.2, -0.2, 0.1, -0.1]])

    found = recommend({"4-AL": 0.7 + noise, "spectral": 0.69 + noise})

    assert found.label == "4-AL"


def test_equal_scores_go_to_the_preferred_method():
    same = _around(0.8, *NOISE)

    found = recommend(dict.fromkeys(reversed(CANDIDATES), same))

    assert found.label == found.best == "auto"
    assert "4K-AL no self are within one standard error" in found.reason
    assert set(found.differences.values()) == {(0.0, 0.0)}


def test_methods_that_are_no_candidates_come_last_in_their_order():
    same = _around(0.8, *NOISE)

    assert recommend({"b": same, "a": same, "4K-AL no self": same}).label == "4K-AL no self"
    assert recommend({"b": same, "a": same}).label == "b"


def test_what_could_not_be_judged_is_not_taken():
    nothing = np.full((1, 4), np.nan)

    found = recommend({"spectral": nothing, "4-AL": _around(0.6, *NOISE)})
    alone = recommend({"4-AL": nothing, "spectral": nothing})

    assert found.label == "4-AL"
    assert np.isnan(found.differences["spectral"]).all()
    assert alone.label == "spectral"
    assert "no method could be evaluated" in alone.reason


def test_the_reason_says_where_nothing_was_learnt():
    found = recommend({"4-AL": _around(0.51, *NOISE)})

    assert "the only method compared" in found.reason
    assert found.reason.endswith("but this is hardly better than chance (0.5).")


def test_a_method_whose_linear_algebra_fails_is_left_out(monkeypatch):
    def fail(comparisons, method, rng, **options):
        if method == "4K-AL":
            raise np.linalg.LinAlgError("Eigenvalues did not converge")
        return grow_shuffled(comparisons, method, rng, **options)

    monkeypatch.setattr("ordlink.validation._method_comparison.grow_shuffled", fail)
    answers = _answers(40)

    with only_candidates("4K-AL", "4-AL", "AddS-AL", "4K-AL no self"):
        found = compare_methods(answers, n_folds=2)

    reason = "Eigenvalues did not converge"
    assert found.left_out == {"4K-AL": reason, "4K-AL no self": reason}
    assert {scores.label for scores in found.scores} == {"4-AL", "AddS-AL"}
    with pytest.raises(InputError, match=f"4K-AL: {reason}"):
        compare_methods(answers, ["4K-AL", "AddS-AL"], n_folds=2)


def test_spectral_chooses_its_kind_of_tree_once(monkeypatch, answers):
    calls = []

    def choose(comparisons, *_):
        calls.append(comparisons.n_answers)
        return "average"

    monkeypatch.setattr("ordlink.methods.spectral._spectral.choose_kind", choose)

    found = compare_methods(answers, ["spectral"], n_folds=3)

    assert calls == [answers.n_answers]
    literal = cross_validate(answers, "spectral", n_folds=3, kind="average")
    np.testing.assert_array_equal(found["spectral"].held_out.accuracies, literal.accuracies)
