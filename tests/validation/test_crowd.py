"""Crowd quality, compared with literal loops over the answers."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

import ordlink as ol
from ordlink.errors import InputError, InputKindError
from ordlink.validation import (
    AnnotatorQuality,
    _consistency,
    agreement_with_others,
    count_cycles,
    crowd_quality,
    exclusion_effect,
    without_annotators,
)
from ordlink.validation._annotator_accuracy import compare_with_others, held_out_accuracy
from ordlink.validation._annotators import _skills_of_others, flags_of
from ordlink.validation._consistency import RepeatAgreement, answers_of, estimate_skills
from tests.validation.growing import grow_in_order, grow_without_fold

PEOPLE = ("ann", "bob", "cat", "")
pytestmark = pytest.mark.filterwarnings("ignore::ordlink.errors.OrdlinkWarning")


def random_rows(rng: np.random.Generator, form: str, n_objects: int, n_rows: int) -> list:
    size = 4 if form == "quadruplet" else 3
    return [rng.permutation(n_objects)[:size].tolist() for _ in range(n_rows)]


def build(form: str, rows: list, **details: object) -> ol.ListedComparisons:
    return ol.comparisons.list_answers(rows, form, n_objects=5, **details)


def question_and_response(form: str, row: list[int]) -> tuple:
    """What was asked and what was said, from the row itself."""
    i, j, k = row[:3]
    if form == "quadruplet":
        pairs = frozenset(row[:2]), frozenset(row[2:])
        return frozenset(pairs), pairs[0]
    if form == "triplet":
        return (i, frozenset((j, k))), j
    return frozenset(row), (i if form == "most-central" else k)


def literal_agreement(form: str, rows: list, people: list[str], counts: list[int], owners: str):
    given = defaultdict(list)
    for row, person, count in zip(rows, people, counts, strict=True):
        question, response = question_and_response(form, row)
        given[question] += [(person, response)] * count
    n_pairs, shares = 0, []
    for said in given.values():
        pairs = [
            (a, b)
            for a, b in itertools.combinations(said, 2)
            if owners == "any" or (a[0] and b[0] and (a[0] == b[0]) == (owners == "within"))
        ]
        n_pairs += len(pairs)
        if pairs:
            shares.append(sum(a[1] == b[1] for a, b in pairs) / len(pairs))
    return n_pairs, shares


@pytest.mark.parametrize("form", ["triplet", "quadruplet", "most-central", "odd-one-out"])
@pytest.mark.parametrize("seed", range(5))
def test_agreement_of_repeats_is_the_mean_over_questions_of_the_pairs_that_agree(
    form: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, form, 5, 80)
    people = rng.choice(PEOPLE, 80).tolist()
    counts = rng.integers(1, 4, 80).tolist()

    quality = crowd_quality(build(form, rows, annotators=people, counts=counts))

    for owners, found in (
        ("any", quality.repeats),
        ("within", quality.within),
        ("between", quality.between),
    ):
        n_pairs, shares = literal_agreement(form, rows, people, counts, owners)
        agreement = sum(shares) / len(shares)
        assert (found.n_questions, found.n_pairs) == (len(shares), n_pairs)
        assert found.agreement == pytest.approx(agreement)
        chance = 1 / 2 if form in ("triplet", "quadruplet") else 1 / 3
        assert found.chance == pytest.approx(chance)
        assert found.corrected == pytest.approx((agreement - chance) / (1 - chance))


def test_the_error_of_the_agreement_is_that_of_a_mean_over_questions() -> None:
    """With two answers to each question, pairs are independent: the usual standard error."""
    rows, same = [], []
    for anchor, (j, k) in enumerate([(1, 2), (2, 3), (3, 4), (4, 0), (0, 1)]):
        rows += [[anchor, j, k], [anchor, j, k] if anchor < 3 else [anchor, k, j]]
        same.append(anchor < 3)

    found = crowd_quality(build("triplet", rows)).repeats

    assert found.agreement == pytest.approx(0.6)
    assert found.error == pytest.approx(np.std(same, ddof=1) / math.sqrt(5))


def test_answers_of_different_forms_are_different_questions() -> None:
    central = build("most-central", [[0, 1, 2]])
    odd = build("odd-one-out", [[1, 2, 0]])
    triplet = build("triplet", [[0, 1, 2]])

    found = crowd_quality(ol.concatenate([central, odd, triplet])).repeats

    assert found.n_pairs == 0
    assert math.isnan(found.agreement)


@pytest.mark.parametrize("seed", range(8))
def test_circular_triads_equal_the_count_over_all_three_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(5), 2))
    drawn = [rng.choice(10, 2, replace=False) for _ in range(10 * (seed + 1))]
    comparisons = build("quadruplet", [[*pairs[a], *pairs[b]] for a, b in drawn])
    votes: dict[tuple[int, int], int] = defaultdict(int)
    for winner, loser in zip(
        comparisons.winners.tolist(), comparisons.losers.tolist(), strict=True
    ):
        votes[winner, loser] += 1
        votes[loser, winner] -= 1
    n_triads = n_circular = 0
    for a, b, c in itertools.combinations(range(10), 3):
        signs = [np.sign(votes[pair]) for pair in ((a, b), (b, c), (c, a))]
        n_triads += all(signs)
        n_circular += abs(sum(signs)) == 3

    cycles = count_cycles(comparisons)

    assert (cycles.n_triads, cycles.n_circular, cycles.is_exact) == (n_triads, n_circular, True)
    assert seed < 3 or 0 < n_circular < n_triads


def test_drawn_triads_come_near_the_exact_share(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = rng.permuted(np.tile(np.arange(9), (600, 1)), axis=1)[:, :4]
    comparisons = ol.Comparisons.from_quadruplets(rows, n_objects=9)
    exact = count_cycles(comparisons)
    monkeypatch.setattr(_consistency, "LARGEST_EXACT", 0)

    drawn = count_cycles(comparisons, seed=1)

    assert not drawn.is_exact
    assert drawn == count_cycles(comparisons, seed=1)
    assert exact.share == pytest.approx(0.25, abs=0.1)
    error = math.sqrt(exact.share * (1 - exact.share) / drawn.n_triads)
    assert abs(drawn.share - exact.share) < 4 * error


def test_answers_from_one_order_have_no_cycles() -> None:
    similarities = np.random.default_rng(0).random((7, 7))
    comparisons = ol.Comparisons.from_similarities(similarities + similarities.T, 0.5, seed=0)

    cycles = count_cycles(comparisons)

    assert cycles.n_triads > 50
    assert cycles.n_circular == 0


def literal_skills(form: str, rows: list, people: list[str], n_options: int) -> dict[str, float]:
    """Expectation maximisation as loops over questions, options and answers."""
    given = defaultdict(list)
    for row, person in zip(rows, people, strict=True):
        question, response = question_and_response(form, row)
        given[question].append((person, response))
    given = {q: said for q, said in given.items() if len({person for person, _ in said}) > 1}
    belief = {}
    for question, said in given.items():
        options = {response for _, response in said}
        belief[question] = {o: sum(r == o for _, r in said) / len(said) for o in options}
    skills: dict[str, float] = {}
    for _ in range(400):
        right, answered = defaultdict(float), defaultdict(int)
        for question, said in given.items():
            for person, response in said:
                right[person] += belief[question][response]
                answered[person] += 1
        skills = {person: (right[person] + 1) / (answered[person] + 2) for person in answered}
        for question, said in given.items():
            options = list(belief[question])
            options += [f"unseen {i}" for i in range(n_options - len(options))]
            likelihood = {}
            for option in options:
                likelihood[option] = 1.0
                for person, response in said:
                    wrong = (1 - skills[person]) / (n_options - 1)
                    likelihood[option] *= skills[person] if response == option else wrong
            in_all = sum(likelihood.values())
            belief[question] = {o: likelihood[o] / in_all for o in belief[question]}
    return skills


@pytest.mark.parametrize(
    ("form", "n_options"), [("triplet", 2), ("odd-one-out", 3), ("most-central", 3)]
)
@pytest.mark.parametrize("seed", range(3))
def test_skills_equal_literal_expectation_maximisation(
    form: str, n_options: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, form, 5, 90)
    people = rng.choice(PEOPLE[:3], 90).tolist()

    skills, n_answers = estimate_skills(answers_of(build(form, rows, annotators=people)))

    expected = literal_skills(form, rows, people, n_options)
    assert skills == pytest.approx([expected[name] for name in PEOPLE[:3]], abs=1e-4)
    assert n_answers.sum() <= 90


def test_skills_find_who_guesses() -> None:
    rng = np.random.default_rng(0)
    questions = list(itertools.combinations(range(8), 3))
    rows, people = [], []
    for name, error in (("a", 0.05), ("b", 0.1), ("c", 0.1), ("d", 0.5)):
        for i, j, k in questions:
            rows.append([i, k, j] if rng.random() < error else [i, j, k])
            people.append(name)

    skills, n_answers = estimate_skills(
        answers_of(ol.Comparisons.from_triplets(rows, annotators=people))
    )

    assert skills[:3] == pytest.approx([0.95, 0.9, 0.9], abs=0.08)
    assert skills[3] == pytest.approx(0.5, abs=0.15)
    assert n_answers.tolist() == [56] * 4


def test_skills_are_unknown_where_no_question_repeats() -> None:
    comparisons = build("triplet", [[0, 1, 2], [3, 4, 0]], annotators=["ann", "bob"])

    skills, n_answers = estimate_skills(answers_of(comparisons))

    assert np.isnan(skills).all()
    assert n_answers.tolist() == [0, 0]


@pytest.fixture(scope="module")
def crowd() -> ol.ListedComparisons:
    """Nine people answer 150 triplets each about 16 objects; "eve" guesses, "sly" is reckless."""
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=4, gap=1.0, noise=0.2, seed=1)
    rng = np.random.default_rng(5)
    rows = ol.datasets.simulate_answers(planted.similarities, 9 * 150, seed=3)
    people = np.repeat([*(f"p{i}" for i in range(7)), "eve", "sly"], 150)
    error = np.where(people == "eve", 0.5, np.where(people == "sly", 0.05, 0.05))
    flipped = rng.random(len(rows)) < error
    rows = np.where(flipped[:, None], rows[:, [0, 2, 1]], rows)
    times = np.where(people == "sly", 0.3, 2.0) * rng.uniform(0.8, 1.2, len(rows))
    return ol.Comparisons.from_triplets(rows, annotators=people, response_times=times, n_objects=16)


def test_accuracies_equal_those_of_trees_learnt_without_each_person(crowd) -> None:
    quality = crowd_quality(crowd)

    assert crowd.details is not None
    for number, person in enumerate(quality.annotators):
        own = crowd.details.annotators == person.name
        tree = grow_without_fold(crowd, "AddS-AL", np.where(own, number, -1), number, 0)
        assert person.accuracy == pytest.approx(
            ol.metrics.comparison_accuracy(crowd.take(own), tree)
        )
        scores = [
            ol.metrics.comparison_accuracy(crowd.take(np.array([row])), tree)
            for row in np.flatnonzero(own)
        ]
        assert person.accuracy_error == pytest.approx(np.std(scores, ddof=1) / math.sqrt(150))


def test_errors_take_whole_answers_as_units() -> None:
    """Counts repeat independent answers; the two comparisons of one answer go together."""
    rng = np.random.default_rng(3)
    rows = random_rows(rng, "odd-one-out", 5, 60)
    people = rng.choice(["ann", "bob"], 60).tolist()
    counts = rng.integers(1, 4, 60)
    comparisons = build("odd-one-out", rows, annotators=people, counts=counts.tolist())

    quality = crowd_quality(comparisons)

    for number, person in enumerate(quality.annotators):
        own = comparisons.details.annotators == person.name
        tree = grow_without_fold(comparisons, "AddS-AL", np.where(own, number, -1), number, 0)
        units = []
        for answer in np.unique(comparisons.details.answers[own]):
            part = comparisons.take(comparisons.details.answers == answer)
            score = ol.metrics.comparison_accuracy(part, tree)
            units += [score] * int(counts[answer])
        assert person.n_answers == len(units)
        assert person.n_comparisons == 2 * len(units)
        assert person.accuracy == pytest.approx(np.mean(units))
        expected = np.std(units, ddof=1) / math.sqrt(len(units))
        assert person.accuracy_error == pytest.approx(expected)


def test_many_people_are_left_out_in_groups(crowd, monkeypatch: pytest.MonkeyPatch) -> None:
    from ordlink.validation import _annotator_accuracy

    monkeypatch.setattr(_annotator_accuracy, "MOST_TREES", 3)
    folds = ol.validation.assign_folds(crowd, 3, by_annotator=True, seed=0)

    quality = crowd_quality(crowd)

    for person in quality.annotators:
        own = crowd.details.annotators == person.name
        (fold,) = set(folds[own].tolist())
        tree = grow_without_fold(crowd, "AddS-AL", folds, fold, 0)
        expected = ol.metrics.comparison_accuracy(crowd.take(own), tree)
        assert person.accuracy == pytest.approx(expected)


@pytest.mark.parametrize("most_trees", [3, 20])
def test_agreement_with_others_is_the_accuracy_of_crowd_quality(
    crowd, most_trees: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordlink.validation._annotator_accuracy.MOST_TREES", most_trees)
    comparisons = crowd.take(np.arange(crowd.n_rows) >= 20)  # p0 has fewer answers than others
    accuracies = {one.name: one.accuracy for one in crowd_quality(comparisons).annotators}

    assert agreement_with_others(comparisons) == accuracies
    accuracies.pop("p0")
    assert agreement_with_others(comparisons, fewest_answers=150) == accuracies


def test_the_skill_of_the_others_is_their_mean_by_answers() -> None:
    skills, n_shared = np.array([0.9, math.nan, 0.6, 0.8]), np.array([10, 0, 20, 30])

    found = _skills_of_others(skills, n_shared)

    assert found == pytest.approx([36 / 50, 45 / 60, 33 / 40, 21 / 30])
    assert np.isnan(_skills_of_others(skills[:2], n_shared[:2])[0])


def test_who_guesses_and_who_is_fast_is_flagged_and_nobody_else(crowd) -> None:
    quality = crowd_quality(crowd)

    flags = {person.name: person.flags for person in quality.annotators if person.flags}
    assert set(flags) == {"eve", "sly"} == set(quality.flagged)
    assert "guessing" in flags["eve"][0]
    assert "is typical" in flags["sly"][0]
    assert quality.usual_time == pytest.approx(2.0, abs=0.1)


def test_who_always_chooses_one_side_is_flagged(crowd) -> None:
    rng = np.random.default_rng(0)
    people = crowd.details.annotators
    chose_first = np.where(rng.random(crowd.n_rows) < 0.5, 1.0, 0.0)
    chose_first[people == "p2"] = rng.random(150) < 0.8
    chose_first[people == "p3"] = np.nan

    quality = crowd_quality(crowd, chose_first=chose_first)

    by_name = {person.name: person for person in quality.annotators}
    assert by_name["p2"].first_share == pytest.approx(chose_first[people == "p2"].mean())
    assert any("shown first" in flag for flag in by_name["p2"].flags)
    assert not by_name["p1"].flags
    assert math.isnan(by_name["p3"].first_share)
    assert by_name["p3"].n_placed == 0


def test_the_side_is_compared_with_the_number_of_options() -> None:
    """Of three objects, a third of the answers are for the first one by chance."""
    rng = np.random.default_rng(1)
    rows = np.array([rng.permutation(16)[:3] for _ in range(600)])
    firsts = rng.random(600) < np.repeat([1 / 3, 1 / 3, 0.6], 200)
    people = np.repeat(["ann", "bob", "eve"], 200)
    answers = ol.Comparisons.from_odd_one_out(
        rows, annotators=people, chose_first=firsts, n_objects=16
    )

    by_name = {person.name: person for person in crowd_quality(answers).annotators}

    assert by_name["ann"].first_chance == pytest.approx(1 / 3)
    assert not any("shown first" in flag for name in ("ann", "bob") for flag in by_name[name].flags)
    assert any("by chance it would be 33%" in flag for flag in by_name["eve"].flags)


def test_who_contradicts_themself_is_flagged() -> None:
    rng = np.random.default_rng(2)
    planted = ol.datasets.planted_hierarchy(depth=1, leaf_size=4, gap=2.0, noise=0.1, seed=1)
    rows, people = [], []
    for name in ("a", "b", "c", "d", "e"):
        own = ol.datasets.simulate_answers(planted.similarities, 40, seed=ord(name))
        again = own.copy()
        if name == "e":
            swapped = rng.random(40) < 0.7
            again[swapped] = again[swapped][:, [0, 2, 1]]
        rows += [*own.tolist(), *again.tolist()]
        people += [name] * 80

    quality = crowd_quality(ol.Comparisons.from_triplets(rows, annotators=people))

    found = [p.name for p in quality.annotators if any("repeats" in flag for flag in p.flags)]
    assert found == ["e"]


def test_the_test_against_the_others_allows_for_how_people_differ() -> None:
    accuracies = np.array([0.60, 0.70, 0.80, 0.65, 0.75, 0.55])
    sure = np.full(6, 0.001)

    expected, p_values = compare_with_others(accuracies, sure)

    assert expected[5] == pytest.approx(0.70, abs=1e-3)
    spread = np.std(accuracies[:5], ddof=1)
    z = (0.55 - 0.70) / (spread * math.sqrt(1 + 1 / 5))
    assert p_values[5] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=2e-3)


def test_the_test_against_the_others_keeps_its_level() -> None:
    rng = np.random.default_rng(0)
    errors = rng.uniform(0.02, 0.06, (400, 12))
    accuracies = 0.7 + rng.normal(size=(400, 12)) * np.sqrt(0.04**2 + errors**2)

    rejected = [compare_with_others(*row)[1] < 0.05 for row in zip(accuracies, errors, strict=True)]

    assert np.mean(rejected) == pytest.approx(0.05, abs=0.025)


@pytest.mark.parametrize("people", [None, ["ann"] * 3, ["", "", ""]])
def test_without_two_known_people_nobody_is_judged(people: list[str] | None) -> None:
    comparisons = build("triplet", [[0, 1, 2], [0, 1, 2], [3, 4, 0]], annotators=people)

    quality = crowd_quality(comparisons)

    assert quality.repeats.n_pairs == 1
    assert quality.flagged == ()
    assert all(math.isnan(person.accuracy) for person in quality.annotators)
    assert len(quality.annotators) == (people is not None and people[0] != "")


def test_no_answers_at_all_are_no_error() -> None:
    quality = crowd_quality(build("triplet", [[0, 1, 2]]).take(np.array([], dtype=int)))

    assert quality.repeats.n_pairs == quality.n_distinct == quality.cycles.n_triads == 0
    assert quality.annotators == ()
    assert math.isnan(quality.cycles.share)


def test_the_order_of_the_answers_does_not_matter(crowd) -> None:
    order = np.random.default_rng(0).permutation(crowd.n_rows)

    first, second = crowd_quality(crowd), crowd_quality(crowd.take(order))

    assert [p.skill for p in first.annotators] == pytest.approx(
        [p.skill for p in second.annotators], nan_ok=True
    )
    assert first.repeats == second.repeats
    assert first.cycles == second.cycles


def test_leaving_people_out_keeps_all_others_and_those_not_known() -> None:
    rows = [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0]]
    comparisons = build("triplet", rows, annotators=["ann", "eve", "", "bob"])

    kept = without_annotators(comparisons, ["eve", "ann"])

    assert kept == comparisons.take(np.array([2, 3]))


def test_the_effect_of_leaving_out_shows_both_trees(crowd) -> None:
    effect = exclusion_effect(crowd, (name for name in ["eve"]), "AddS-AL")

    kept = without_annotators(crowd, ["eve"])
    assert effect.excluded == ("eve",)
    assert effect.tree_with == ol.cluster(crowd, "AddS-AL")
    assert effect.tree_without == ol.cluster(kept, "AddS-AL")
    assert (effect.n_kept, effect.n_left_out) == (8 * 150, 150)
    assert effect.tree_with.n_tied_merges
    rng = np.random.default_rng(0)
    trees = [
        grow_in_order(part, "AddS-AL", rng.permutation(16)) for part in [crowd] * 4 + [kept] * 4
    ]

    def mean_agreement(pairs) -> float:
        return np.mean([1 - ol.metrics.triplet_distance(trees[a], trees[b]) for a, b in pairs])

    kinds = {pair: (pair[0] < 4) == (pair[1] < 4) for pair in itertools.combinations(range(8), 2)}
    for of_one_kind, found in ((False, effect.agreement), (True, effect.agreement_of_ties)):
        pairs = [pair for pair, same in kinds.items() if same == of_one_kind]
        assert found == pytest.approx(mean_agreement(pairs))
    assert effect.accuracy_without == ol.metrics.comparison_accuracy(kept, effect.tree_without)


def test_wrong_input_is_refused_with_what_to_do(crowd) -> None:
    ranked = ol.Comparisons.from_similarities(np.eye(4))

    with pytest.raises(InputKindError, match="sample some of them"):
        crowd_quality(ranked)
    with pytest.raises(InputError, match="there is no annotator 'zoe'; annotators are 'eve'"):
        without_annotators(crowd, ["zoe"])
    with pytest.raises(InputError, match="the answers name no annotators"):
        without_annotators(build("triplet", [[0, 1, 2]]), ["zoe"])
    with pytest.raises(InputError, match="no answers are left"):
        without_annotators(build("triplet", [[0, 1, 2]], annotators=["ann"]), ["ann"])
    with pytest.raises(InputKindError, match=r"such as \['eve'\]"):
        exclusion_effect(crowd, "eve")
    with pytest.raises(InputError, match="one entry for each of the 1350 comparisons"):
        crowd_quality(crowd, chose_first=[True])
    with pytest.raises(InputError, match="True, False or NaN"):
        crowd_quality(crowd, chose_first=np.full(crowd.n_rows, 2))
    with pytest.raises(InputError, match="got something else"):
        crowd_quality(crowd, chose_first=["left"] * crowd.n_rows)


def test_skills_need_two_different_people() -> None:
    """Ann answers a question five times; nobody else does, so nothing is known of her skill."""
    rows = [[0, 1, 2]] * 5 + [[1, 2, 3], [1, 2, 3], [2, 3, 4]]
    people = ["ann"] * 5 + ["bob", "cat", ""]
    comparisons = build("triplet", rows, annotators=people, counts=[1] * 7 + [4])

    skills, n_answers = estimate_skills(answers_of(comparisons))

    assert n_answers.tolist() == [0, 1, 1]
    assert np.isnan(skills[0])
    assert np.isfinite(skills[1:]).all()


def test_a_few_answers_that_all_agree_do_not_set_the_mark(crowd) -> None:
    """Thirty people give 3 answers each, all as the tree says; nobody else does as well."""
    tree = ol.cluster(crowd, "AddS-AL")
    ranks = tree.lca_ranks()
    rng = np.random.default_rng(0)
    rows = [rng.permutation(16)[:3] for _ in range(90)]
    rows = [[i, j, k] if ranks[i, j] < ranks[i, k] else [i, k, j] for i, j, k in rows]
    few = ol.Comparisons.from_triplets(
        rows, n_objects=16, annotators=np.repeat([f"few{n}" for n in range(30)], 3)
    )
    both = ol.concatenate([crowd, few])

    found = held_out_accuracy(both, "AddS-AL", {}, seed=0)

    names = np.unique(both.details.annotators.astype(str))
    unanimous = np.char.startswith(names, "few") & (found.errors == 0)
    usual = np.char.startswith(names, "p")
    assert unanimous.sum() > 8
    assert (found.cautious_errors[unanimous] > 0.2).all()
    np.testing.assert_allclose(found.cautious_errors[usual], found.errors[usual], atol=0.003)
    mean = found.accuracies[usual].mean()
    assert found.others[usual] == pytest.approx(np.full(usual.sum(), mean), abs=0.05)
    assert found.p_values[usual].min() > 0.05


def person(**known: object) -> AnnotatorQuality:
    """Return somebody of whom only this is known."""
    unknown = dict.fromkeys(AnnotatorQuality.__dataclass_fields__, math.nan)
    none = RepeatAgreement(0, 0, math.nan, math.nan, math.nan)
    counts = {"n_answers": 1000, "n_comparisons": 1000, "n_shared": 0, "n_placed": 0}
    values = unknown | counts | {"name": "ann", "repeats": none, "flags": ()} | known
    return AnnotatorQuality(**values)


def flags(
    one: AnnotatorQuality, *, usual_agreement=0.85, n_people=1, others_skill=0.9
) -> tuple[str, ...]:
    everybody = RepeatAgreement(200, 200, usual_agreement, 0.01, 0.5)
    return flags_of(
        one,
        everybody=everybody,
        n_people=n_people,
        usual_time=math.nan,
        chance=0.5,
        others_skill=others_skill,
    )


def test_nobody_is_called_a_guesser_for_want_of_answers() -> None:
    """From 25 answers somebody as good as the others often looks like guessing."""
    assert flags(person(skill=0.6, n_shared=25), others_skill=0.65) == ()
    assert flags(person(skill=0.6, n_shared=25), others_skill=math.nan) == ()
    (flag,) = flags(person(skill=0.5, n_shared=400), others_skill=0.65)
    assert "estimated skill of 50% on shared questions, no better than guessing; others" in flag


@pytest.mark.parametrize(
    ("measure", "others"),
    [("accuracy", ["others_accuracy"]), ("skill", [])],
)
def test_the_more_people_the_more_it_takes_to_call_one_a_guesser(measure, others) -> None:
    """Of 40 people like the others, 2 would be flagged at 5 % each; now 0.05 are."""
    error = 0.5 / math.sqrt(400)
    rng = np.random.default_rng(0)
    usual = 0.5 + 3.4 * error  # where one person in twenty comes within 1.645 errors of guessing

    def n_flagged(n_people):
        found = 0
        for value in usual + error * rng.normal(size=400):
            known = {measure: value, "n_shared": 400 if measure == "skill" else 0}
            known |= {"n_comparisons": 400, "accuracy_error": error, "p_value": 1.0}
            known |= dict.fromkeys(others, usual)
            found += bool(flags(person(**known), n_people=n_people, others_skill=usual))
        return found

    assert 5 <= n_flagged(1) <= 40
    assert n_flagged(40) == 0


def test_repeats_of_one_question_are_not_as_good_as_repeats_of_many() -> None:
    """45 pairs of answers to each of 10 questions say as much as 10 pairs, not as 450."""
    few = RepeatAgreement(10, 450, 0.7, 0.1, 0.5)
    many = RepeatAgreement(450, 450, 0.7, 0.02, 0.5)
    too_few = RepeatAgreement(9, 900, 0.0, 0.0, 0.5)

    assert flags(person(repeats=few)) == ()
    assert flags(person(repeats=too_few)) == ()
    (flag,) = flags(person(repeats=many))
    assert "same answer again in 70% of repeats of 450 questions, unusually low: 85%" in flag


def test_ties_do_not_hide_what_leaving_out_does() -> None:
    """Few answers leave most merges to ties: two trees of the same answers differ as much."""
    rows = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    comparisons = ol.Comparisons.from_triplets(
        rows * 2, n_objects=12, annotators=["ann"] * 3 + ["bob"] * 3
    )

    effect = exclusion_effect(comparisons, ["bob"], "AddS-AL")
    again = exclusion_effect(comparisons, ["bob"], "AddS-AL")
    other = exclusion_effect(comparisons, ["bob"], "AddS-AL", seed=1)

    assert effect.tree_with == effect.tree_without == ol.cluster(comparisons, "AddS-AL")
    assert effect.agreement == pytest.approx(effect.agreement_of_ties, abs=0.15)
    assert effect.agreement < 0.8
    assert effect.agreement == again.agreement != other.agreement
