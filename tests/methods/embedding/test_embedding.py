"""t-STE, FORTE and SOE: what comes back, from which input, and how it can be relied on."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import ordlink as ol
from ordlink.comparisons import net_comparisons
from ordlink.errors import InputError, InputKindError
from ordlink.methods.embedding import (
    Embedding,
    _compared_pairs,
    _embeddings,
    embedding_similarity,
    forte_embedding,
    soe_embedding,
    tste_embedding,
)
from ordlink.methods.embedding._compared_pairs import ComparedPairs

EMBEDDINGS = [tste_embedding, forte_embedding, soe_embedding]
every_embedding = pytest.mark.parametrize("embed", EMBEDDINGS)


@pytest.fixture(scope="module")
def plane() -> np.ndarray:
    """Return 30 points in the plane."""
    return np.random.default_rng(0).normal(size=(30, 2))


def answers_about(points: np.ndarray, n_answers: int, **options) -> ol.ListedComparisons:
    similarities = embedding_similarity(points, metric="euclidean")
    form = options.setdefault("form", "triplet")
    rows = ol.datasets.simulate_answers(similarities, n_answers, seed=0, **options)
    make = {
        "triplet": ol.Comparisons.from_triplets,
        "quadruplet": ol.Comparisons.from_quadruplets,
    }[form]
    return make(rows, n_objects=len(points))


@every_embedding
@pytest.mark.parametrize("form", ["triplet", "quadruplet"])
def test_points_are_found_again_up_to_scale(plane, embed, form: str) -> None:
    embedding = embed(answers_about(plane, 4000, form=form))

    assert embedding.accuracy > 0.9
    assert np.corrcoef(pdist(plane), pdist(embedding.points))[0, 1] > 0.9


@every_embedding
def test_the_report_says_how_the_runs_went(plane, embed) -> None:
    comparisons = answers_about(plane, 2000, error_rate=0.1)

    embedding = embed(comparisons, n_components=3, n_init=4)

    assert embedding.converged
    assert len(embedding.losses) == 4
    assert embedding.loss == pytest.approx(min(embedding.losses), rel=1e-6)
    assert (embedding.n_objects, embedding.n_components) == (30, 3)
    assert 0 < embedding.n_iter < 1000
    assert "30 objects, dimension 3" in repr(embedding)
    assert "converged after" in repr(embedding)


@every_embedding
def test_a_run_that_was_cut_short_says_so(plane, embed) -> None:
    embedding = embed(answers_about(plane, 2000, error_rate=0.1), n_init=1, max_iter=3)

    assert not embedding.converged
    assert embedding.n_iter == 3


@every_embedding
def test_more_runs_never_give_a_larger_loss(plane, embed) -> None:
    comparisons = answers_about(plane, 500, error_rate=0.2)

    losses = [embed(comparisons, n_init=n).loss for n in (1, 2, 6)]

    assert losses == sorted(losses, reverse=True)


@every_embedding
def test_the_same_seed_gives_the_same_points_on_any_number_of_threads(
    monkeypatch, plane, embed
) -> None:
    monkeypatch.setattr(_compared_pairs, "_ROWS_PER_PART", 300)
    comparisons = answers_about(plane, 2000, error_rate=0.1)
    points = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("ORDLINK_THREADS", threads)
        points.append(embed(comparisons, seed=5).points)

    np.testing.assert_array_equal(points[0], points[1])
    np.testing.assert_array_equal(points[0], points[2])


def test_runs_after_the_first_depend_on_the_seed(plane) -> None:
    comparisons = answers_about(plane, 500, error_rate=0.2)

    first, second = (tste_embedding(comparisons, seed=seed).losses for seed in (1, 2))

    assert first[1:] != second[1:]


@every_embedding
def test_relabelling_objects_relabels_the_points(plane, embed) -> None:
    comparisons = answers_about(plane, 4000, error_rate=0.1)
    new_number = np.random.default_rng(3).permutation(len(plane))
    again = ol.Comparisons.from_quadruplets(new_number[comparisons.quadruplets], n_objects=30)

    first, second = embed(comparisons, n_init=1), embed(again, n_init=1)

    # Only the jitter of the start differs. The scale is loose: far out, t-STE hardly sees it.
    assert second.loss == pytest.approx(first.loss, abs=1e-4)
    distances, others = pdist(first.points), pdist(second.points[new_number])
    np.testing.assert_allclose(others / others.max(), distances / distances.max(), atol=0.02)


@every_embedding
def test_points_are_centred_along_principal_axes_and_read_only(plane, embed) -> None:
    embedding = embed(answers_about(plane, 2000), n_components=3)
    points = embedding.points

    spread = points.T @ points
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-9 * np.abs(points).max())
    np.testing.assert_allclose(spread, np.diag(np.diag(spread)), atol=1e-9 * spread.max())
    assert (np.diff(np.diag(spread)) <= 0).all()
    assert (points.max(axis=0) == np.abs(points).max(axis=0)).all()
    for copy in (embedding, pickle.loads(pickle.dumps(embedding))):
        with pytest.raises(ValueError, match="read-only"):
            copy.points[0, 0] = 1


@every_embedding
def test_objects_never_compared_lie_at_the_origin(plane, embed) -> None:
    listed = answers_about(plane, 2000)
    wider = ol.Comparisons.from_quadruplets(listed.quadruplets + 1, n_objects=33)

    embedding = embed(wider, n_init=1)

    assert not embedding.points[[0, 31, 32]].any()
    assert embedding.points[1:31].any(axis=1).all()
    assert embedding.loss == pytest.approx(embed(listed, n_init=1).loss, abs=1e-3)


@every_embedding
@pytest.mark.parametrize("n_objects", [1, 2, 5])
def test_without_comparisons_all_points_coincide(embed, n_objects: int) -> None:
    embedding = embed(ol.Comparisons.from_triplets([], n_objects=n_objects), n_components=3)

    assert embedding.points.tolist() == [[0.0] * 3] * n_objects
    assert (embedding.loss, embedding.converged) == (0.0, True)
    assert np.isnan(embedding.accuracy)


@every_embedding
def test_answers_that_cancel_are_no_comparisons(embed) -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [0, 2, 1]])

    assert not embed(comparisons).points.any()


@every_embedding
@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_fewer_objects_than_dimensions_are_embedded(embed, dimension: int) -> None:
    comparisons = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 2], [2, 1, 0]])

    embedding = embed(comparisons, n_components=dimension)

    assert embedding.points.shape == (3, dimension)
    assert embedding.accuracy == 1


@every_embedding
def test_objects_answered_alike_do_not_disturb(embed) -> None:
    """0 and 1 are compared with the others in the same way, and never with each other."""
    rows = [[0, 2, 3], [1, 2, 3], [0, 3, 4], [1, 3, 4], [2, 3, 4]]

    embedding = embed(ol.Comparisons.from_triplets(rows), n_components=1)

    assert np.isfinite(embedding.points).all()
    assert embedding.accuracy == 1


@every_embedding
def test_repeated_answers_count_once_or_by_their_number(plane, embed) -> None:
    rows = answers_about(plane[:8], 60, error_rate=0.2).quadruplets
    comparisons = ol.Comparisons.from_quadruplets(np.concatenate([rows, rows[:20], rows[:20]]))
    distinct = net_comparisons(comparisons)
    once = ol.ListedComparisons(n_objects=8, winners=distinct.winners, losers=distinct.losers)

    majority, net = (embed(comparisons, repeats=repeats) for repeats in ("majority", "net"))

    np.testing.assert_array_equal(majority.points, embed(once).points)
    assert net.points.tolist() != majority.points.tolist()


@every_embedding
def test_all_comparisons_are_listed_or_sampled(monkeypatch, plane, embed) -> None:
    similarities = embedding_similarity(plane[:12], metric="euclidean")
    ranked = ol.Comparisons.from_similarities(similarities)

    listed = embed(ranked.listed(), n_init=1)
    np.testing.assert_array_equal(embed(ranked, n_init=1).points, listed.points)

    monkeypatch.setattr(_compared_pairs, "LISTED_AT_MOST", 500)
    assert 400 < ComparedPairs.of(ranked).n_rows < 600
    sampled = embed(ranked, n_init=1)
    assert sampled.points.tolist() != listed.points.tolist()
    assert sampled.accuracy > 0.85


def test_names_are_kept() -> None:
    comparisons = ol.Comparisons.from_triplets([["ant", "bee", "cat"]])

    assert tste_embedding(comparisons).names == ("ant", "bee", "cat")


@every_embedding
def test_progress_ends_with_all_steps_done(plane, embed) -> None:
    seen: list[tuple[int, int]] = []
    embed(
        answers_about(plane, 500),
        n_init=2,
        max_iter=40,
        progress=lambda done, total: seen.append((done, total)),
    )

    assert len(seen) > 10
    assert seen == sorted(seen)
    assert seen[-1] == (80, 80)


def test_alpha_is_by_default_one_less_than_the_dimension_but_at_least_one(plane) -> None:
    comparisons = answers_about(plane, 500)

    for dimension, alpha in ((1, 1), (2, 1), (4, 3)):
        default = tste_embedding(comparisons, n_components=dimension, n_init=1)
        given = tste_embedding(comparisons, n_components=dimension, alpha=alpha, n_init=1)
        other = tste_embedding(comparisons, n_components=dimension, alpha=alpha + 1, n_init=1)
        assert default.loss == given.loss != other.loss


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_the_matrix_of_forte_is_psd_of_low_rank_at_every_step(plane, dimension: int) -> None:
    pairs = ComparedPairs.of(answers_about(plane, 2000, error_rate=0.2))
    start = np.random.default_rng(0).normal(size=(30, dimension))
    seen: list[np.ndarray] = []

    end = _embeddings._descend(pairs, start, 1000, lambda points: seen.append(points.copy()))

    assert len(seen) == end.n_iter > _embeddings._PROJECTED_STEPS
    for points in seen:
        values = np.linalg.eigvalsh(points @ points.T)
        assert values.min() > -1e-9 * values.max()
        assert (values > 1e-9 * values.max()).sum() <= dimension
    losses = [_embeddings.forte_loss(pairs, pairs.squared_distances(points))[0] for points in seen]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == end.loss


def test_projected_steps_alone_reach_the_loss_of_forte(plane, monkeypatch) -> None:
    comparisons = answers_about(plane, 3000, error_rate=0.2)
    expected = forte_embedding(comparisons).loss
    monkeypatch.setattr(_embeddings, "_PROJECTED_STEPS", 1000)

    by_projection = forte_embedding(comparisons)

    assert by_projection.loss == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_components": 0}, InputError, "n_components: .* at least 1, got 0"),
        ({"n_components": 2.0}, InputError, "n_components: expected a whole number"),
        ({"n_init": 0}, InputError, "n_init: .* at least 1"),
        ({"max_iter": 0}, InputError, "max_iter: .* at least 1"),
        ({"seed": -1}, InputError, "seed: .* at least 0"),
        ({"seed": "0"}, InputKindError, "seed: expected a whole number, a .*, got '0'"),
        ({"repeats": "all"}, InputError, "'majority' or 'net'"),
    ],
)
@every_embedding
def test_options_out_of_range_are_refused(embed, options, error, message: str) -> None:
    with pytest.raises(error, match=message):
        embed(ol.Comparisons.from_triplets([[0, 1, 2]]), **options)


@pytest.mark.parametrize("alpha", [0, -1.0, float("nan"), float("inf")])
def test_an_alpha_that_is_not_above_0_is_refused(alpha: float) -> None:
    with pytest.raises(InputError, match="alpha: expected a "):
        tste_embedding(ol.Comparisons.from_triplets([[0, 1, 2]]), alpha=alpha)


@every_embedding
def test_other_input_is_refused(embed) -> None:
    with pytest.raises(InputKindError, match="expected Comparisons, got ndarray"):
        embed(np.ones((3, 3)))


def test_every_embedding_is_an_embedding_of_the_comparisons_of_cars(data_folder) -> None:
    comparisons = ol.read_comparisons(
        data_folder / "car" / "ordinal_data_preprocessed" / "T_ALL_REDUCED.csv",
        form="most-central",
        one_based=True,
    )

    for embed in EMBEDDINGS:
        embedding = embed(comparisons)
        assert isinstance(embedding, Embedding)
        assert embedding.accuracy > 0.75
        assert len(net_comparisons(comparisons).winners) == ComparedPairs.of(comparisons).n_rows


# --- similarities ---------------------------------------------------------------------------------


def test_cosine_is_that_of_the_angle_and_0_at_the_origin() -> None:
    points = np.array([[2.0, 0.0], [1.0, 1.0], [-3.0, 0.0], [0.0, 0.0], [1e-15, 0.0]])
    points.flags.writeable = False

    similarity = embedding_similarity(points)

    assert similarity[0, :3] == pytest.approx([1, np.sqrt(0.5), -1])
    assert similarity[3].tolist() == [0, 0, 0, 1, 0]
    assert similarity[4].tolist() == [0, 0, 0, 0, 1]
    np.testing.assert_array_equal(similarity, similarity.T)


def test_euclidean_similarity_is_minus_the_distance(plane) -> None:
    similarity = embedding_similarity(plane, metric="euclidean")

    np.testing.assert_allclose(-similarity[np.triu_indices(30, 1)], pdist(plane))
    np.testing.assert_array_equal(similarity, similarity.T)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("n", [0, 1])
def test_no_or_one_point_has_a_similarity_too(metric, n: int) -> None:
    assert embedding_similarity(np.zeros((n, 2)), metric=metric).shape == (n, n)


def test_what_is_no_table_of_points_is_refused() -> None:
    with pytest.raises(InputError, match="metric: expected 'cosine' or 'euclidean', got 'city'"):
        embedding_similarity(np.ones((2, 2)), metric="city")
    with pytest.raises(InputError, match=r"points: expected an array with one row .* shape \(3,\)"):
        embedding_similarity(np.ones(3))
    with pytest.raises(InputError, match=r"points: expected finite numbers, got .* for object 1"):
        embedding_similarity(np.array([[0.0, 1.0], [np.nan, 1.0]]))
