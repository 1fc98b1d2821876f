"""The paragraphs for a paper, groups named by their smaller side, and advice that fits support."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ordlink as ol
from ordlink.report import Evidence, methods_paragraph, paper_text, report_page, results_paragraph
from ordlink.report._paragraphs import question_form
from ordlink.report._words import advice_html, group_words, smaller_side, summary_html
from ordlink.validation import LearningCurve, Verdict

ROWS = [[0, 1, 2], [3, 1, 0], [2, 3, 1]]
MAKERS = {
    "triplet": ol.Comparisons.from_triplets,
    "odd-one-out": ol.Comparisons.from_odd_one_out,
    "most-central": ol.Comparisons.from_most_central,
}


def supported(evidence: Evidence, support: float) -> Evidence:
    """Return the same evidence, with this support on every branch."""
    tree = evidence.tree.with_support(np.full(evidence.tree.n_objects - 1, support))
    return replace(evidence, support=replace(evidence.support, tree=tree))


@pytest.mark.parametrize("form", list(MAKERS))
def test_the_form_of_answers_follows_from_their_comparisons(form: str) -> None:
    assert question_form(MAKERS[form](ROWS, n_objects=4)) == form


def test_pairs_are_quadruplets_and_mixed_answers_have_no_form() -> None:
    pairs = ol.Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 1, 3]])
    mixed = ol.Comparisons.from_quadruplets([[0, 1, 2, 3], [0, 2, 0, 3]])

    assert (question_form(pairs), question_form(mixed)) == ("quadruplet", "")


def test_the_methods_paragraph_says_what_was_asked_and_how_the_tree_was_built(
    evidence: Evidence,
) -> None:
    text = methods_paragraph(evidence)

    summary = evidence.summary
    for said in (
        f"{summary.n_annotators} participants gave {summary.n_answers:,} answers about "
        f"{summary.n_objects} stimuli.",
        "which of two stimuli was more similar to a third",
        "The method was AddS-AL (Perrot et al., 2020).",
        f"ordlink (version {ol.__version__})",
        "(Felsenstein, 1985) is from 40 samples, in which participants were drawn",
        "999 permutations",
        "The answers of 1 further participant were excluded.",
    ):
        assert said in text
    few = replace(evidence, summary=replace(summary, n_annotators=4))
    assert "participants were drawn" not in methods_paragraph(few)
    assert "permutations" not in methods_paragraph(replace(evidence, test=None))


def test_a_method_is_said_to_be_selected_only_if_it_was(evidence: Evidence) -> None:
    assert evidence.methods is not None
    chosen = ol.validation.CANDIDATES[evidence.methods.recommended]

    selected = methods_paragraph(replace(evidence, chosen=chosen, reason=evidence.methods.reason))
    requested = methods_paragraph(replace(evidence, chosen=chosen, reason="it was requested."))

    assert "selected by five-fold cross-validation" in selected
    assert "selected" not in requested


def test_of_the_default_it_is_said_what_it_selected_and_why(evidence: Evidence) -> None:
    found = {"chosen": {"method": "search", "options": {}}, "reason": "search: it predicts more"}
    tree = evidence.tree.with_origin("auto", found)
    support = replace(evidence.support, tree=tree)
    default = replace(evidence, chosen=ol.validation.CANDIDATES["auto"], support=support)

    said = "The method was auto, the default, which selected search: it predicts more. Bootstrap"
    assert said in methods_paragraph(default)
    assert "The best tree from people's answers." in paper_text(default)


def test_the_results_paragraph_says_test_prediction_and_support(evidence: Evidence) -> None:
    assert evidence.test is not None
    firm, weak = (results_paragraph(supported(evidence, share)) for share in (0.97, 0.3))
    n_branches = evidence.tree.n_objects - 2

    assert f"p = {evidence.test.p_value:.3f}" in firm
    assert f"Of {n_branches} branches, {n_branches} had support of at least 95 %" in firm
    assert "Supported groups: " in firm
    assert "not interpreted" not in firm
    assert f"0 had support of at least 95 %, 0 of 50 to 95 %, and {n_branches} below 50 %" in weak
    assert "Most branches were not supported and are not interpreted." in weak
    no = replace(evidence, test=replace(evidence.test, p_value=0.4))
    assert "did not show significant hierarchical structure" in results_paragraph(no)


def test_page_and_text_hold_the_same_paragraphs_and_the_references(evidence: Evidence) -> None:
    page, text = report_page(evidence), paper_text(evidence)

    assert "For your paper" in page
    assert "The method was AddS-AL (Perrot et al., 2020)." in page
    assert methods_paragraph(evidence) in text
    assert results_paragraph(evidence) in text
    assert "Felsenstein, J. (1985)." in text


def test_groups_are_named_by_their_smaller_side() -> None:
    merges = [[0, 1], [5, 2], [6, 3], [7, 4]]  # {0,1}, {0,1,2}, {0,1,2,3}, all
    tree = ol.Hierarchy(merges, names=list("abcde")).with_support([0.96, 0.97, 0.98, 1])

    assert smaller_side(tree, 0) == ([0, 1], False)
    assert smaller_side(tree, 2) == ([4], True)
    words = [group_words(tree, t) for t in range(3)]
    assert words == ["a, b (96 %)", "3 objects, all but d, e (97 %)", "4 objects, all but e (98 %)"]


def test_long_groups_are_shortened_on_the_smaller_side() -> None:
    chain = [[0, 1], *([30 + t, t + 2] for t in range(28))]
    tree = ol.Hierarchy(chain).with_support(np.ones(29))

    assert group_words(tree, 10).startswith("12 objects: 0, 1, 2, 3, 4, 5, 6, 7 and 4 more")
    assert group_words(tree, 18).startswith("20 objects, all but 20, 21,")


def test_named_objects_of_firm_groups_have_thumbnails(evidence: Evidence) -> None:
    firm = supported(evidence, 0.97)
    n = firm.tree.n_objects
    pictures = [{"uri": f"data:image/png;base64,{i}", "width": 3, "height": 2} for i in range(n)]

    shown = summary_html(firm, pictures)

    first = smaller_side(firm.tree, ol.validation.firm_branches(firm.tree)[0])[0][0]
    assert f'<img src="data:image/png;base64,{first}" alt="" height="30">' in shown
    assert "<img" not in summary_html(firm)


@pytest.mark.parametrize(("share", "contradicts"), [(0.97, False), (0.3, True)])
def test_no_advice_contradicts_the_support(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, share: float, contradicts: bool
) -> None:
    assert evidence.curve is not None
    monkeypatch.setattr(LearningCurve, "verdict", lambda _: Verdict("stop", "a reason"))

    advice = advice_html(evidence.curve, supported(evidence, share).tree)

    assert ("Further answers would gain little" in advice) != contradicts
    assert ("unsupported branches" in advice) == contradicts
    assert "a reason" in advice
