"""Every sentence that a report can say is said where it is true, and not where it is not."""

from __future__ import annotations

import html
import math
import re
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from typing import Any, Literal

import pytest

import ordlink as ol
from ordlink.report import Evidence, Making, report_page
from ordlink.validation import CANDIDATES, Verdict

Change = Callable[[Evidence], Evidence]


def read(evidence: Evidence, **options: Any) -> str:
    """Return the text of the page, with single blanks."""
    page = re.sub(
        r"<(style|script|noscript)\b.*?</\1>", " ", report_page(evidence, **options), flags=re.S
    )
    return " ".join(
        html.unescape(re.sub(r"<[^>]+>", "", re.sub("</(li|td|th|p|h2)>", " ", page))).split()
    )


def summary(**changed: Any) -> Change:
    return lambda evidence: replace(evidence, summary=replace(evidence.summary, **changed))


def crowd(**changed: Any) -> Change:
    return lambda evidence: replace(evidence, crowd=replace(evidence.crowd, **changed))


def cycles(**changed: Any) -> Change:
    return lambda evidence: crowd(cycles=replace(evidence.crowd.cycles, **changed))(evidence)


def exclusion(**changed: Any) -> Change:
    return lambda evidence: replace(evidence, exclusion=replace(evidence.exclusion, **changed))


def support(*known: float) -> Change:
    """Give the merges this support, the last again and again; the root has none of its own."""

    def change(evidence: Evidence) -> Evidence:
        n_merges = evidence.tree.n_objects - 1
        values = [*known, *[known[-1]] * n_merges][:n_merges]
        tree = evidence.tree.with_support(values)
        return replace(evidence, support=replace(evidence.support, tree=tree))

    return change


def consensus(*known: float) -> Change:
    def change(evidence: Evidence) -> Evidence:
        n_merges = evidence.consensus.n_objects - 1
        values = [*known, *[known[-1]] * n_merges][:n_merges]
        return replace(evidence, consensus=evidence.consensus.with_support(values))

    return change


def flags(n_flagged: int) -> Change:
    """Let so many people have a flag."""

    def change(evidence: Evidence) -> Evidence:
        people = tuple(
            replace(one, flags=("guesses",) if number < n_flagged else ())
            for number, one in enumerate(evidence.crowd.annotators)
        )
        return crowd(annotators=people)(evidence)

    return change


def people(n_people: int, n_flagged: int) -> Change:
    """Let there be so many people like the first."""

    def change(evidence: Evidence) -> Evidence:
        first = evidence.crowd.annotators[0]
        many = tuple(
            replace(first, name=f"p{number}", flags=("odd",) if number < n_flagged else ())
            for number in range(n_people)
        )
        return crowd(annotators=many)(evidence)

    return change


def first_person(**changed: Any) -> Change:
    def change(evidence: Evidence) -> Evidence:
        first, *rest = evidence.crowd.annotators
        return crowd(annotators=(replace(first, **changed), *rest))(evidence)

    return change


def verdict(advice: Literal["go on", "stop"]) -> Change:
    """Let the curve say that more answers are worth it, or not."""

    def change(evidence: Evidence) -> Evidence:
        class Curve(type(evidence.curve)):  # type: ignore[misc]
            def verdict(self) -> Verdict:
                return Verdict(advice, "as it <is>")

        known = {one.name: getattr(evidence.curve, one.name) for one in fields(evidence.curve)}
        return replace(evidence, curve=Curve(**known))

    return change


def weights(**known: float) -> Change:
    def change(evidence: Evidence) -> Evidence:
        effect = ol.validation.WeightingEffect(
            tree_with=evidence.tree, tree_without=evidence.tree, agreement=0.875,
            agreement_of_ties=1.0, accuracy_with=0.75, accuracy_without=0.7, method="4-AL",
            weights=known,
        )  # fmt: skip
        return replace(evidence, weighting=effect)

    return change


def repeats(which: str, **changed: Any) -> Change:
    """Let two answers to the same question agree so often."""
    known = {
        "n_questions": 30, "n_pairs": 50, "agreement": 0.78, "error": 0.02, "chance": 0.5
    }  # fmt: skip

    def change(evidence: Evidence) -> Evidence:
        found = ol.validation.RepeatAgreement(**{**known, **changed})
        nothing = ol.validation.RepeatAgreement(0, 0, math.nan, math.nan, math.nan)
        parts = {"repeats": nothing, "within": nothing, "between": nothing, which: found}
        return crowd(**parts)(evidence)

    return change


def without(*parts: str) -> Change:
    return lambda evidence: replace(evidence, **dict.fromkeys(parts))


def chosen(label: str) -> Change:
    return lambda evidence: replace(evidence, chosen=CANDIDATES[label])


SENTENCES: list[tuple[str, Change, str, str]] = [
    # what the case is, what is so, what is said, what is not said
    ("answers of people", summary(n_annotators=6, n_answers=1200),
     "The data. 1,200 answers by 6 people about 12 objects, which give", "never occur"),
    ("one answer of one person", summary(n_annotators=1, n_answers=1, n_comparisons=1),
     "1 answer by 1 person about 12 objects, which give 1 comparison of pairs.", "by 1 people"),
    ("nobody known", summary(n_annotators=None, n_answers=7),
     "The data. 7 answers about 12 objects", "7 answers by"),
    ("objects never named", summary(never_named=("ant", "<bee>")),
     "2 objects (ant, <bee>) never occur; their position in the tree is arbitrary.", "fall into"),
    ("many objects never named", summary(never_named=tuple("abcdefghijk")),
     "11 objects (a, b, c, d, e, f, g, h and 3 more) never occur", "i, j"),
    ("parts", summary(parts=((0, 1), (2,), (3,))),
     "The objects fall into 3 parts that were never compared with each other; how these join is "
     "arbitrary.",
     "never occur"),
    ("no test", without("test"),
     "Is there structure that a tree can express? There are too few answers for the test. "
     "Treat the tree as a first guess.", "There is structure that a tree can express."),
    ("one branch of each kind", support(0.97, 0.5, *[0.1] * 8, 0.2),
     "Of 10 branches below the root, 1 is firm (support of at least 95 %), 1 is uncertain (50 to "
     "95 %), and 8 are not supported (below 50 %). Firm, the largest first:", "No branch"),
    ("unsupported branches", support(0.4),
     "Do not interpret the inside of an unsupported branch: raise the slider of the tree to hide "
     "such branches.", "Firm, the largest first"),
    ("nothing certain", support(0.7), "0 are firm (support of at least 95 %), 10 are uncertain "
     "(50 to 95 %), and 0 are not supported (below 50 %). No branch is firm.", "Do not interpret"),
    ("many firm branches", support(1.0), "10 are firm", "No branch is firm"),
    ("more firm branches than are listed", support(1.0), "and 4 more.", "and 5 more."),
    ("too few to hold out", without("methods"),
     "Prediction. There are too few answers to hold some out and check whether the tree predicts "
     "them.", "guessing would give 50 %"),
    ("no table of methods", without("methods"),
     "There are too few answers to hold some out and compare methods on them.", "Folds are by"),
    ("judged", chosen("AddS-AL"), "The tree (AddS-AL) predicts", "was not evaluated"),
    ("agreement between people", repeats("between"),
     "Two answers to the same question agree in 78 % of cases, so no tree could predict more than "
     "87 % of them.", "could predict all"),
    ("agreement of any answers", repeats("repeats", agreement=0.68),
     "agree in 68 % of cases, so no tree could predict more than 80 % of them.", "predict all"),
    ("three options", repeats("between", chance=1 / 3),
     "agree in 78 % of cases, so no tree could predict all.", "could predict more than"),
    ("too few repeats", repeats("between", n_pairs=19), "guessing would give 50 %.",
     "Two answers to the same question"),
    ("one person left out", exclusion(excluded=("bob",)),
     "1 person was excluded on request (bob).", "people were excluded"),
    ("two people left out", exclusion(excluded=("ann", "bob"), n_left_out=1),
     "2 people were excluded on request (ann, bob).", "1 person was excluded"),
    ("the effect of leaving out", exclusion(
        excluded=("ann", "bob"), n_left_out=1, agreement=0.9, agreement_of_ties=1.0,
        accuracy_with=0.5, accuracy_without=math.nan),
     "Excluded on request: ann, bob, with 1 comparison. The trees with and without them resolve "
     "90 % of the triples of objects in the same way (unrelated trees: 33 %). The tree with them "
     "agrees with 50 % of the remaining comparisons, the tree without them with -.",
     "differ in ties only"),
    ("nobody unusual", flags(0),
     "Of 5 people, nobody looks unusual. Nobody is excluded or down-weighted automatically.",
     "one looks"),
    ("one unusual", flags(1), "Of 5 people, one looks unusual.", "nobody looks"),
    ("two unusual", flags(2), "Of 5 people, 2 look unusual.", "nobody looks"),
    ("circular triads", cycles(n_triads=40, n_circular=10),
     "25 % of triads are circular; guessing would give 25 %.", "drawn at random"),
    ("few triads", cycles(n_triads=19, n_circular=1), "Quality.", "of triads are circular;"),
    ("triads one by one", cycles(n_triads=1, n_circular=0, is_exact=True),
     "Of 1 triad (three pairs of objects that were all compared with each other), 0 % are "
     "circular: a over b, b over c, c over a. Guessing would give 25 %, answers without lapses "
     "0 %.", "drawn at random"),
    ("triads drawn", cycles(n_triads=50, n_circular=10, is_exact=False),
     "Of 50 triads drawn at random (three pairs", "Of 50 triads (three"),
    ("no triads", cycles(n_triads=0, n_circular=0), "answered both ways", "are circular"),
    ("one contradiction", crowd(n_contradictions=1, n_distinct=2000),
     "1 comparison was answered both ways, of 2,000 different ones.", "comparisons were"),
    ("contradictions", crowd(n_contradictions=3), "3 comparisons were answered both ways",
     "comparison was"),
    ("nothing repeated", repeats("repeats", n_pairs=0),
     "No question was asked twice, so agreement on the same question is unknown. Repeat some "
     "questions in the next survey to measure it.", "agreement of"),
    ("repeats of any two", repeats("repeats"),
     "any two answers 30 50 78 ± 2 % 50 % 56 %", "answers by two people"),
    ("repeats without an error", repeats("repeats", error=math.nan),
     "any two answers 30 50 78 % 50 %", "50 78 ± "),
    ("no annotators", crowd(annotators=()), "The file does not say who gave which answer.",
     "A flag is a reason to look"),
    ("people", flags(0), "A flag is a reason to look at somebody's answers. Nobody is excluded "
     "or down-weighted automatically.", "person answers flags"),
    ("somebody with a flag", flags(1), "guesses", "Only the"),
    ("as many people as are listed", people(200, 3), "p199", "Only the"),
    ("more people than are listed", people(201, 3),
     "Only the 3 people with a flag are listed.", "p199"),
    ("an accuracy with its error", first_person(n_answers=20, accuracy=0.5, accuracy_error=0.04),
     "50 ± 4 %", "50 ± 3 %"),
    ("an accuracy of few answers", first_person(n_answers=19, accuracy=0.11, accuracy_error=0.04),
     "11 %", "11 ± 4 %"),
    ("no accuracy", first_person(name="zoe", n_answers=7, accuracy=math.nan), "zoe 7 -", "nan"),
    ("weights", weights(ann=0.5, eve=0.05),
     "Annotator weights, on request: Annotator weights range from 0.05 to 0.50, by how well each "
     "person agrees with the tree of the others. The 4-AL trees with and without weights resolve "
     "88 % of the triples of objects in the same way (unrelated trees: 33 %). They agree with 75 % "
     "and 70 % of the comparisons, counted by weight. The tree on this page weights all answers "
     "equally; ordlink cluster --weigh-people builds the weighted one.", "weights do not differ"),
    ("equal weights", weights(ann=1.0, eve=1.004),
     "Annotator weights, on request: Annotator weights do not differ, so all answers count "
     "equally. The tree on this page", "weights range"),
    ("more answers", verdict("go on"), "Collect more answers: as it <is>.", "bring little"),
    ("enough answers", verdict("stop"), "Further answers would gain little: as it <is>.",
     "Collect more"),
    ("no curve", without("curve"), "To cite", "Would more answers help?"),
    ("no consensus", consensus(0.5, 0.5),
     "No group of objects occurs in exactly the same form in more than half of the bootstrap "
     "samples.",
     "Majority-rule consensus"),
    ("a consensus", consensus(0.6, 0.6, 0.6, 0.5),
     "Majority-rule consensus: the 3 groups, of at most 10, that occur exactly in more than half "
     "of the bootstrap samples.", "No group of objects"),
    ("a relabelling test", lambda evidence: evidence, "permutations of the test 999",
     "permutations of the test -"),
    ("no relabelling test", without("test"), "permutations of the test -", "of the test 999"),
    ("no file", lambda evidence: evidence, "A hierarchy of 12 objects, and how well the "
     "answers support it.", "12 objects from"),
    ("a method with options", chosen("tSTE-AL 2-D"), "tSTE-AL (", "AddS-AL ("),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said", "not_said"),
    [case[1:] for case in SENTENCES],
    ids=[case[0].replace(" ", "-") for case in SENTENCES],
)
def test_a_sentence_is_said_where_it_is_true(
    evidence: Evidence, change: Change, said: str, not_said: str
) -> None:
    text = read(change(evidence))

    assert said in text
    assert not_said not in text


def test_a_tree_that_was_not_judged_is_said_to_be_so(evidence: Evidence) -> None:
    other = replace(evidence, chosen=replace(evidence.chosen, label="mine <1>"))

    text = read(other)

    reason = evidence.methods.reason
    assert "The tree shown (mine <1>) was not evaluated on held-out answers." in text
    assert f"Of the methods that were, {reason}" in text
    assert "The tree (mine" not in text


def test_the_first_option_is_compared_with_the_chance_of_all_forms(evidence: Evidence) -> None:
    def said(*chances: float) -> str:
        some = evidence.crowd.annotators
        placed = tuple(
            replace(one, first_share=0.6, first_chance=chances[number % len(chances)], n_placed=9)
            for number, one in enumerate(some)
        )
        return read(crowd(annotators=placed)(evidence))

    assert "the option shown first; 50 % by chance" in said(0.5)
    assert "the option shown first; 33 % to 50 % by chance" in said(0.5, 1 / 3)


def test_the_making_is_said_as_far_as_it_is_known(evidence: Evidence) -> None:
    day = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)

    known = read(evidence, making=Making(source="a.csv", made_at=day, checksum="5" * 64))
    unknown = read(evidence)

    assert "objects from a.csv, and how well the answers support it, 2 January" in known
    assert "made 2026-01-02 03:04 UTC" in known
    assert f"SHA-256 of the file {'5' * 64}" in known
    assert "file - SHA-256 of the file - made - versions" in unknown


def test_objects_that_were_compared_by_nobody_are_counted_in_the_table(evidence: Evidence) -> None:
    changed = summary(never_named=("ant",), n_pairs_never_compared=5, n_annotators=None)

    text = read(changed(evidence))

    assert "people - " in text
    assert "pairs never compared 5 / 66" in text
    assert "objects never named 1" in text


def test_a_library_that_is_not_installed_has_an_unknown_version(
    evidence: Evidence, monkeypatch
) -> None:
    def version(name: str) -> str:
        if name == "scipy":
            raise PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(sys.modules[report_page.__module__], "version", version)

    assert "numpy 1.2.3, scipy unknown, numba 1.2.3" in read(evidence)
