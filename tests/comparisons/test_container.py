"""The container: answer forms, names, counts, repeats, subsets, splits, summaries."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordlink import Comparisons, concatenate
from ordlink.comparisons import net_comparisons, pair_ids, pair_members
from ordlink.errors import InputError, InputKindError, OrdlinkWarning
from tests.instances import Instance, instances, similarity_matrices
from tests.reference.quadruplets import relation


def _relation_of(comparisons, repeats: str) -> dict:
    net = net_comparisons(comparisons, repeats)
    weights = np.ones(len(net.winners)) if net.weights is None else net.weights
    n = net.n_objects
    winners = list(zip(*(m.tolist() for m in pair_members(net.winners, n)), strict=True))
    losers = list(zip(*(m.tolist() for m in pair_members(net.losers, n)), strict=True))
    found = {}
    for winner, loser, weight in zip(winners, losers, weights.tolist(), strict=True):
        found[winner, loser], found[loser, winner] = weight, -weight
    return found


@given(st.integers(2, 200), st.data())
def test_pair_ids_count_the_pairs_row_by_row(n: int, data: st.DataObject) -> None:
    every = [(i, j) for i in range(n) for j in range(i + 1, n)]
    at = data.draw(st.integers(0, len(every) - 1))
    i, j = every[at]

    assert pair_ids(np.array([i, j]), np.array([j, i]), n).tolist() == [at, at]
    assert [m.tolist() for m in pair_members(np.array([at]), n)] == [[i], [j]]


def test_pair_ids_are_right_at_the_largest_number_of_objects() -> None:
    n = 65_535
    last = n * (n - 1) // 2 - 1
    ids = np.array([0, 1, n - 2, n - 1, last - 1, last])

    i, j = pair_members(ids, n)

    np.testing.assert_array_equal(pair_ids(j, i, n), ids)
    assert (i[-1], j[-1]) == (n - 2, n - 1)


@pytest.mark.parametrize(
    ("make", "row", "expected"),
    [
        (Comparisons.from_quadruplets, [3, 1, 0, 2], [[1, 3, 0, 2]]),
        (Comparisons.from_triplets, [2, 1, 3], [[1, 2, 2, 3]]),
        (Comparisons.from_most_central, [1, 0, 3], [[0, 1, 0, 3], [1, 3, 0, 3]]),
        (Comparisons.from_odd_one_out, [1, 0, 3], [[0, 1, 1, 3], [0, 1, 0, 3]]),
    ],
)
def test_answer_forms_become_comparisons(make, row: list[int], expected: list) -> None:
    assert make([row], n_objects=4).quadruplets.tolist() == expected


@given(instance=instances())
def test_net_comparisons_are_the_literal_relation(instance: Instance) -> None:
    comparisons = instance.comparisons
    listed = comparisons if hasattr(comparisons, "winners") else comparisons.listed()

    assert _relation_of(listed, instance.repeats) == instance.relation


def test_counts_are_repeated_answers() -> None:
    rows = [[0, 1, 2, 3], [2, 3, 0, 1], [0, 2, 1, 3]]
    counted = Comparisons.from_quadruplets(rows, counts=[1, 3, 2])

    listed = Comparisons.from_quadruplets([rows[0], *[rows[1]] * 3, *[rows[2]] * 2])
    assert counted.n_comparisons == listed.n_comparisons == 6
    for repeats in ("majority", "net"):
        assert _relation_of(counted, repeats) == _relation_of(listed, repeats)
    assert counted.summary().n_contradictions == 1


def test_an_exact_tie_of_the_votes_contributes_nothing() -> None:
    tie = Comparisons.from_quadruplets([[0, 1, 2, 3], [2, 3, 0, 1]])

    assert len(net_comparisons(tie).winners) == 0


@given(matrix=similarity_matrices(min_objects=3, max_objects=8))
def test_listing_all_comparisons_gives_each_pair_of_pairs_once(matrix) -> None:
    ranked = Comparisons.from_similarities(matrix)
    rows = [tuple(row) for row in ranked.listed().quadruplets.tolist()]

    n = len(matrix)
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    expected = {(*e, *f) for e in pairs for f in pairs if matrix[e] > matrix[f]}
    assert set(rows) == expected
    assert len(rows) == len(expected) == ranked.n_comparisons


def test_passive_sampling_observes_each_pair_of_pairs_with_the_given_probability() -> None:
    upper = np.triu(np.random.default_rng(0).normal(size=(9, 9)), 1)
    matrix = upper + upper.T
    seen: dict[tuple, int] = {}
    n_draws = 400
    for seed in range(n_draws):
        rows = Comparisons.from_similarities(matrix, 0.3, seed=seed).quadruplets.tolist()
        assert len({tuple(row) for row in rows}) == len(rows)
        for row in rows:
            seen[tuple(row)] = seen.get(tuple(row), 0) + 1

    # 630 pairs of pairs, each seen Binomial(400, 0.3) times: mean 120, standard deviation 9.2
    assert len(seen) == 630
    counts = np.array(list(seen.values()))
    assert abs(counts.mean() - 120) < 2
    assert counts.min() > 120 - 5 * 9.2
    assert counts.max() < 120 + 5 * 9.2
    assert 7.5 < counts.std() < 11


def test_the_same_seed_gives_the_same_sample() -> None:
    matrix = np.add.outer(np.arange(12.0), np.arange(12.0))

    first, again, other = (
        Comparisons.from_similarities(matrix, 0.2, seed=seed) for seed in (1, 1, 2)
    )

    assert first == again != other


def test_names_define_the_objects_in_natural_order_whatever_the_order_of_answers() -> None:
    one = Comparisons.from_triplets([["b", "a10", "a9"], ["a10", "b", "a9"]])

    other = Comparisons.from_triplets([["a10", "b", "a9"], ["b", "a10", "a9"]])
    assert one.names == other.names == ("a9", "a10", "b")
    assert one.quadruplets.tolist() == [[1, 2, 0, 2], [1, 2, 0, 1]]


def test_objects_counted_from_1_keep_their_numbers_as_names() -> None:
    comparisons = Comparisons.from_triplets([[1, 3, 2]], one_based=True)

    assert comparisons.names == ("1", "2", "3")
    assert comparisons.quadruplets.tolist() == [[0, 2, 0, 1]]


def test_answers_of_one_person_stay_together_in_a_split() -> None:
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(12, 3, replace=False) for _ in range(200)])
    comparisons = Comparisons.from_odd_one_out(rows, annotators=np.arange(200) % 7)

    train, test = comparisons.split(0.25, seed=3)

    assert train.n_answers == 150
    assert test.n_answers == 50
    assert not set(train.answer_ids.tolist()) & set(test.answer_ids.tolist())
    assert train.n_rows + test.n_rows == 400
    assert test.details.annotators.tolist() == [str(a % 7) for a in test.answer_ids]


def test_a_subset_keeps_the_comparisons_among_its_objects() -> None:
    comparisons = Comparisons.from_quadruplets(
        [[0, 1, 2, 3], [1, 2, 2, 3], [0, 4, 1, 2]], names=list("abcde")
    )

    subset = comparisons.subset([3, 2, 1])

    assert subset.names == ("d", "c", "b")
    assert subset.quadruplets.tolist() == [[1, 2, 0, 1]]


@given(matrix=similarity_matrices(min_objects=4, max_objects=8))
def test_subsets_of_ranked_comparisons_are_those_of_the_listed_ones(matrix) -> None:
    ranked = Comparisons.from_similarities(matrix)
    kept = [2, 0, 3]

    def rows(comparisons):
        return {tuple(row) for row in comparisons.quadruplets.tolist()}

    assert rows(ranked.subset(kept).listed()) == rows(ranked.listed().subset(kept))


def test_concatenation_keeps_answers_apart_and_fills_in_what_is_unknown() -> None:
    first = Comparisons.from_most_central([[0, 1, 2]], annotators=["ann"])
    second = Comparisons.from_triplets([[0, 1, 2], [2, 0, 1]], response_times=[1.5, 2.5])

    both = concatenate([first, second, first])

    assert both.answer_ids.tolist() == [0, 0, 1, 2, 3, 3]
    assert both.details.annotators.tolist() == ["ann", "ann", "", "", "ann", "ann"]
    np.testing.assert_array_equal(
        both.details.response_times, [np.nan, np.nan, 1.5, 2.5, np.nan, np.nan]
    )


def test_concatenation_refuses_other_objects() -> None:
    with pytest.raises(InputError, match="same objects"):
        concatenate(
            [
                Comparisons.from_triplets([[0, 1, 2]]),
                Comparisons.from_triplets([[0, 1, 2]], n_objects=4),
            ]
        )


def test_the_summary_counts_repeats_contradictions_and_gaps() -> None:
    comparisons = Comparisons.from_quadruplets(
        [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [5, 6, 6, 7]], n_objects=9
    )

    summary = comparisons.summary()

    assert summary.n_comparisons == 4
    assert summary.n_distinct == 2
    assert summary.n_repeated == 2
    assert summary.n_contradictions == 1
    assert summary.never_named == ("4", "8")
    assert summary.parts == (("0", "1", "2", "3"), ("5", "6", "7"))
    assert summary.n_pairs_never_compared == 36 - 4
    assert summary.share_of_possible == pytest.approx(2 / 630)
    assert len(summary.warnings()) == 3
    assert "part 2: 5, 6, 7" in str(summary)


def test_an_all_tied_matrix_says_nothing_about_any_object() -> None:
    summary = Comparisons.from_similarities(np.ones((4, 4))).summary()

    assert (summary.n_comparisons, len(summary.never_named), summary.parts) == (0, 4, ())


def test_comparisons_cannot_be_changed() -> None:
    comparisons = Comparisons.from_triplets([[0, 1, 2]])

    with pytest.raises(ValueError, match="read-only"):
        comparisons.winners[0] = 1
    with pytest.raises(AttributeError):
        comparisons.n_objects = 7


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([[0, 1, 2]], {}, "rows of 4 objects"),
        ([[0, 1, 2, 3], [0, 1]], {}, "rows of different lengths"),
        ([[0, 0, 1, 2]], {}, "row 0: .* pairs an object with itself"),
        ([[0, 1, 2, 3], [0, 1, 1, 0]], {}, "row 1: .* compares a pair with itself"),
        ([[0, 1, 2, -1]], {}, "row 0: object -1 is below 0"),
        ([[0, 1, 2, 2.5]], {}, "row 0: object 2.5 is not a whole number"),
        ([[0, 1, 2, float("nan")]], {}, "not a whole number"),
        ([[0, 1, 2, 4]], {"n_objects": 4}, r"row 0: object 4 is out of range.*one_based=True"),
        (
            [[0, 1, 2, 9]],
            {"n_objects": 4},
            r"there are 4 objects \(0 to 3\); check the row, or pass n_objects",
        ),
        ([[1, 2, 3, 4]], {}, "number objects from 1; pass one_based=True"),
        ([[0, 1, 2, 3]], {"one_based": True}, "row 0: object 0 is below 1"),
        ([["a", "b", "c", "x"]], {"names": list("abc")}, "row 0: object 'x' is not among"),
        ([["a", "b", "a", "c"]], {"names": list("abca")}, "two objects are named 'a'"),
        ([[0, 1, 2, 3]], {"names": ["a", "b", "c", " "]}, "name of object 3"),
        (
            [[0, 1, 2, 3]],
            {"names": list("abc"), "n_objects": 4},
            "4 names, one per object, got 3",
        ),
        ([[0, 1, 2, 3]], {"counts": [0]}, "row 0: the count 0"),
        ([[0, 1, 2, 3]], {"counts": [1, 2]}, "one entry per answer"),
        ([[0, 1, 2, 3]], {"annotators": []}, "one entry per answer"),
        ([[0, 1, 2, 2**70]], {}, "64 bits"),
        ([[0, 1, 2, 70_000]], {}, "row 0: object 70000 .* 1 row cannot be about so many objects"),
        ([[0, 1, 2, float("inf")]], {}, "row 0: object inf is far too large"),
        (np.array([[0, 1, 2, 2**63]], dtype=np.uint64), {}, "far too large"),
        (
            [[0, 1, 2, 3]],
            {"n_objects": -4},
            "n_objects: expected a whole number from 1 to 10,000,000",
        ),
        ([["a", "b", "c", "d"]], {"n_objects": 7}, "n_objects: the answers name 4 objects, not 7"),
        ([[0, 1, 2, 3]], {"names": ["a", "b", "c", "\ud800"]}, "name of object 3"),
        ([[0, 1, 2, 3]], {"response_times": ["x"]}, "response_times: expected numbers"),
        ([[0, 1, 2, 3]], {"chose_first": ["left"]}, "True, False or NaN"),
        ([["a", "b", "c", "c"]], {}, r"row 0: \('a', 'b', 'c', 'c'\) pairs"),
        ([[4, 3, 2, 2]], {"one_based": True}, r"row 0: \(4, 3, 2, 2\) pairs"),
    ],
)
def test_wrong_rows_are_refused_with_the_row(rows: list, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Comparisons.from_quadruplets(rows, **options)


def test_rows_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(InputKindError, match="whole numbers or names"):
        Comparisons.from_triplets(np.zeros((1, 3), dtype=bool))
    for mixture in ([["a", "b", 3]], [["a", "b", None]], np.array([["a", "b", 3]], dtype=object)):
        with pytest.raises(InputKindError, match="all numbers or all names"):
            Comparisons.from_triplets(mixture)
    with pytest.raises(InputKindError, match="sequence of strings"):
        Comparisons.from_triplets([[0, 1, 2]], names="abc")


def test_triplets_that_repeat_an_object_are_refused() -> None:
    with pytest.raises(InputError, match=r"row 1: .* names an object twice"):
        Comparisons.from_most_central([[0, 1, 2], [0, 1, 1]])


@pytest.mark.parametrize("proportion", [0, -0.1, 1.5, float("nan")])
def test_a_proportion_outside_0_to_1_is_refused(proportion: float) -> None:
    with pytest.raises(InputError, match="proportion"):
        Comparisons.from_similarities(np.ones((4, 4)), proportion)


def test_literal_relation_counts_orientations_as_one() -> None:
    comparisons = Comparisons.from_quadruplets([[0, 1, 2, 3], [1, 0, 3, 2]])

    assert _relation_of(comparisons, "net") == relation([(0, 1, 2, 3), (1, 0, 3, 2)], repeats="net")


def test_people_without_a_name_are_not_counted() -> None:
    unknown = [None, float("nan"), np.float32("nan"), "", np.datetime64("NaT")]
    comparisons = Comparisons.from_triplets([[0, 1, 2]] * 7, annotators=["ann", "bob", *unknown])

    assert comparisons.details.annotators.tolist() == ["ann", "bob", "", "", "", "", ""]
    assert comparisons.summary().n_annotators == 2


def test_counts_are_answers() -> None:
    rows = [[0, 1, 2], [1, 2, 0]]

    assert Comparisons.from_triplets(rows, counts=[4, 2]).summary().n_answers == 6
    assert Comparisons.from_odd_one_out(rows, counts=[4, 2]).summary().n_answers == 6
    assert Comparisons.from_odd_one_out(rows).n_answers == 2


def test_parts_joined_by_their_larger_objects_are_one_part() -> None:
    """The last comparison links two parts through objects that are not their smallest ones."""
    rows = [[6, 7, 6, 8], [3, 4, 3, 5], [0, 1, 0, 2], [5, 8, 5, 7], [2, 5, 2, 4]]

    summary = Comparisons.from_quadruplets(rows, n_objects=10).summary()

    assert summary.parts == (tuple("012345678"),)
    assert summary.never_named == ("9",)


@given(instance=instances())
def test_warnings_are_those_of_the_summary(instance: Instance) -> None:
    assert instance.comparisons.warnings() == instance.comparisons.summary().warnings()


def test_rows_that_repeat_an_object_are_counted_and_can_be_skipped() -> None:
    rows = [[0, 1, 2], [3, 3, 1], [1, 2, 0], [0, 2, 2]]
    options = {"annotators": list("abcd"), "counts": [1, 2, 3, 4], "n_objects": 4}

    with pytest.raises(InputError, match=r"row 1: \(3, 3, 1\) .*2 of 4 rows do so.*skip_repeated"):
        Comparisons.from_odd_one_out(rows, **options)
    with pytest.warns(OrdlinkWarning, match="2 of 4 rows repeat an object.*first at row 1"):
        kept = Comparisons.from_odd_one_out(rows, skip_repeated=True, **options)

    assert kept == Comparisons.from_odd_one_out(
        [rows[0], rows[2]], annotators=["a", "c"], counts=[1, 3], n_objects=4
    )
    with pytest.raises(InputError, match="no row is left"):
        Comparisons.from_triplets([[0, 1, 1]], skip_repeated=True)
    with (
        pytest.raises(InputError, match="annotators: expected one entry per answer"),
        pytest.warns(OrdlinkWarning),
    ):
        Comparisons.from_triplets(rows, annotators=["a"], skip_repeated=True)


def test_quadruplets_without_content_can_be_skipped() -> None:
    rows = [[0, 0, 1, 2], [0, 1, 1, 0], [0, 1, 2, 3]]

    with pytest.warns(OrdlinkWarning, match="2 of 3 rows"):
        kept = Comparisons.from_quadruplets(rows, skip_repeated=True)

    assert kept.quadruplets.tolist() == [[0, 1, 2, 3]]


def test_one_object_is_not_called_objects() -> None:
    with pytest.raises(InputError, match=r"there is 1 object \(0\); check the row, or pass n_obj"):
        Comparisons.from_triplets([[0, 5, 6]], n_objects=1)


def test_all_comparisons_are_equal_only_with_the_same_order_of_the_pairs() -> None:
    names = ["ant", "bee", "cat"]
    matrix = np.array([[0, 3, 1], [3, 0, 2], [1, 2, 0]], dtype=float)
    one = Comparisons.from_similarities(matrix, names=names)

    assert one == Comparisons.from_similarities(10 * matrix, names=names)  # ranks are the same
    assert one != Comparisons.from_similarities(-matrix, names=names)
    assert one != Comparisons.from_similarities(np.minimum(matrix, 2), names=names)  # a tie
    assert one != Comparisons.from_similarities(matrix, names=["ant", "bee", "dog"])
    assert one != Comparisons.from_similarities(matrix)
    assert one != one.listed()


def test_all_answer_forms_have_the_same_documented_parameters() -> None:
    expected = inspect.signature(Comparisons.from_quadruplets)

    for make in (
        Comparisons.from_triplets,
        Comparisons.from_most_central,
        Comparisons.from_odd_one_out,
    ):
        assert inspect.signature(make) == expected
        assert "skip_repeated : bool" in (make.__doc__ or "")
        with pytest.raises(TypeError):
            make([[0, 1, 2]], counted=[1])


def test_seeds_are_numbers_generators_or_none_and_0_by_default() -> None:
    matrix = np.add.outer(np.arange(12.0), np.arange(12.0))
    sample = Comparisons.from_similarities(matrix, 0.2)

    assert sample == Comparisons.from_similarities(matrix, 0.2, seed=0)
    assert sample == Comparisons.from_similarities(matrix, 0.2, seed=np.random.default_rng(0))
    assert sample.split() == sample.split(seed=np.random.default_rng(0))
    assert sum(part.n_rows for part in sample.split(seed=None)) == sample.n_rows
    with pytest.raises(InputError, match="seed"):
        Comparisons.from_similarities(matrix, 0.2, seed=-1)


def test_only_listed_comparisons_have_a_length() -> None:
    ranked = Comparisons.from_similarities(np.add.outer(np.arange(4.0), np.arange(4.0)))

    assert len(Comparisons.from_triplets([[0, 1, 2]], counts=[5])) == 1  # rows, not answers
    with pytest.raises(TypeError):
        len(ranked)  # type: ignore[arg-type]


@pytest.mark.parametrize("counted", [False, True])
def test_votes_among_many_pairs_equal_those_among_few(
    monkeypatch: pytest.MonkeyPatch, counted: bool
) -> None:
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(12)[:3] for _ in range(900)])
    counts = rng.integers(1, 4, len(rows)) if counted else None
    few = Comparisons.from_triplets(rows, n_objects=50, counts=counts)
    expected, order = few.tally, np.lexsort((few.tally.majority.losers, few.tally.majority.winners))
    monkeypatch.setattr("ordlink.comparisons._listed.MANY_PAIRS", 0)
    many = Comparisons.from_triplets(rows, n_objects=50, counts=counts)

    found = many.tally

    assert found.n_distinct == expected.n_distinct
    assert found.n_contradictions == expected.n_contradictions > 0
    by_pair = np.lexsort((found.majority.losers, found.majority.winners))
    for name in ("winners", "losers", "net"):
        column, other = getattr(found.majority, name), getattr(expected.majority, name)
        assert (column[by_pair] == other[order]).all()


def test_pairs_compared_are_counted_alike_with_and_without_a_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    comparisons = Comparisons.from_triplets([[0, 1, 2], [0, 2, 3], [4, 1, 2]], n_objects=6)
    expected = comparisons.summary().n_pairs_never_compared
    monkeypatch.setattr("ordlink.comparisons._summary.MOST_MARKED", 0)

    assert comparisons.summary().n_pairs_never_compared == expected == 10
