"""A methods and a results paragraph, ready to paste into a paper."""

from __future__ import annotations

import numpy as np

from ordlink import __version__
from ordlink._html import escape
from ordlink._text import counted
from ordlink.comparisons import ListedComparisons, pair_members
from ordlink.methods import DEFAULT_METHOD
from ordlink.report._citations import IN_TEXT, citations
from ordlink.report._evidence import QUICK_REASON, Evidence
from ordlink.report._words import (
    FEWEST_PAIRS,
    MOST_BRANCHES,
    group_words,
    most_are_unsupported,
)
from ordlink.validation import WEAK_SUPPORT, firm_branches

FEWEST_DRAWN = 5  # participants: fewer are not resampled, see `branch_support`
QUESTIONS = {
    "triplet": "In each trial they decided which of two stimuli was more similar to a third.",
    "quadruplet": "In each trial they decided which of two pairs of stimuli was more similar.",
    "most-central": "In each trial they chose the most central of three stimuli.",
    "odd-one-out": "In each trial they chose the odd one out of three stimuli.",
    "": "In each trial they compared the similarity of pairs of stimuli.",
}
"""Form of the answers -> what was asked."""


def question_form(comparisons: ListedComparisons) -> str:
    """Return the form of the answers if all have the same; it follows from their comparisons.

    Examples
    --------
    >>> from ordlink import Comparisons
    >>> question_form(Comparisons.from_odd_one_out([[0, 1, 2], [3, 1, 0]]))
    'odd-one-out'
    """
    if not comparisons.n_rows:
        return ""
    n = comparisons.n_objects
    answers = np.unique(comparisons.answer_ids, return_inverse=True)[1].ravel()
    per_answer = np.bincount(answers)
    if (per_answer == 1).all():
        won, lost = (pair_members(ids, n) for ids in (comparisons.winners, comparisons.losers))
        shares = np.any([one == other for one in won for other in lost], axis=0)
        return "triplet" if shares.all() else "" if shares.any() else "quadruplet"
    if not (per_answer == 2).all():
        return ""
    order = np.argsort(answers, kind="stable")
    winners, losers = (
        ids[order].reshape(-1, 2) for ids in (comparisons.winners, comparisons.losers)
    )
    if (winners[:, 0] == winners[:, 1]).all():
        return "odd-one-out"
    return "most-central" if (losers[:, 0] == losers[:, 1]).all() else ""


def methods_paragraph(evidence: Evidence) -> str:
    """Return what was asked and how the tree was built, as a paragraph of plain text."""
    summary = evidence.summary
    people = "Participants"
    if summary.n_annotators:
        people = counted(summary.n_annotators, "participant")
    parts = [
        f"{people} gave {counted(summary.n_answers, 'answer')} about "
        f"{counted(summary.n_objects, 'stimulus', 'stimuli')}.",
        QUESTIONS[question_form(evidence.comparisons)],
    ]
    if evidence.exclusion is not None:
        others = counted(len(evidence.exclusion.excluded), "further participant")
        parts.append(f"The answers of {others} were excluded.")
    parts.append(
        "A hierarchy was built from the answers by comparison-based hierarchical clustering "
        f"(Ghoshdastidar et al., 2019) with ordlink (version {__version__}). "
        f"{_method_used(evidence)}"
    )
    if evidence.methods is not None and evidence.reason == evidence.methods.reason:
        by = "participants" if evidence.methods.folds_by == "people" else "answers"
        parts.append(
            f"Of {counted(len(evidence.methods.scores), 'method')}, it was selected by five-fold "
            f"cross-validation over {by}."
        )
    drawn = "each pair of stimuli was given the answers about a similar pair"
    if (summary.n_annotators or 0) >= FEWEST_DRAWN:
        drawn = f"participants were drawn with replacement and {drawn}"
    parts.append(
        "Bootstrap support of branches (Felsenstein, 1985) is from "
        f"{evidence.n_bootstrap:,} samples, in which {drawn}; branches with at least 95 % are "
        "called supported."
    )
    if evidence.test is not None:
        parts.append(
            "Whether the answers show a hierarchy was tested by "
            f"{len(evidence.test.null_statistics):,} permutations of the stimuli (Mantel, 1967)."
        )
    return " ".join(parts)


def _method_used(evidence: Evidence) -> str:
    """Return a sentence that names the method; `auto` says which one it took and why."""
    method, found = evidence.chosen.method, evidence.tree.parameters
    if method == DEFAULT_METHOD and "chosen" in found:
        taken = found["chosen"]["method"]
        reason = found["reason"].removeprefix(f"{taken}: ")
        return f"The method was {method}, the default, which selected {taken}: {reason}."
    cited = f" ({IN_TEXT[method]})" if method in IN_TEXT else ""
    return f"The method was {evidence.chosen.label}{cited}."


def results_paragraph(evidence: Evidence) -> str:
    """Return test, prediction and supported groups, as a paragraph of plain text."""
    parts = []
    if evidence.test is not None:
        p = evidence.test.p_value
        shown = "showed significant" if evidence.test.is_significant else "did not show significant"
        parts.append(f"The answers {shown} hierarchical structure (permutation test, p = {p:.3f}).")
    parts += _prediction(evidence)
    tree = evidence.tree
    support = tree.support[:-1]
    firm = firm_branches(tree)
    if len(support):
        n_weak = int((support < WEAK_SUPPORT).sum())
        parts.append(
            f"Of {counted(len(support), 'branch', 'branches')}, {len(firm)} had support of at "
            f"least 95 %, {len(support) - len(firm) - n_weak} of 50 to 95 %, and {n_weak} below "
            "50 %."
        )
    if firm:
        groups = "; ".join(group_words(tree, t) for t in firm[:MOST_BRANCHES])
        more = len(firm) - MOST_BRANCHES
        parts.append(f"Supported groups: {groups}" + (f"; and {more} more." if more > 0 else "."))
    if len(support) and most_are_unsupported(tree):
        parts.append("Most branches were not supported and are not interpreted.")
    return " ".join(parts)


def _prediction(evidence: Evidence) -> list[str]:
    methods, label = evidence.methods, evidence.chosen.label
    if methods is None or label not in [one.label for one in methods.scores]:
        return []
    held_out = methods[label].held_out
    text = (
        f"The tree predicted {100 * held_out.accuracy:.1f} % "
        f"(SE {100 * held_out.accuracy_error:.1f}) of held-out comparisons (chance: 50 %)"
    )
    between = evidence.crowd.between
    if between.n_pairs >= FEWEST_PAIRS:
        text += (
            f"; two participants agreed on {100 * between.agreement:.1f} % of questions that both "
            "answered"
        )
    return [text + "."]


def _reservation(evidence: Evidence) -> str:
    """Return that a quick report is no paper yet, nothing for a full one."""
    if evidence.bootstrap_reason != QUICK_REASON:
        return ""
    return "These figures are from a quick run; for a paper, run it again without --quick."


def paper_text(evidence: Evidence) -> str:
    """Return both paragraphs and the references, as plain text."""
    references = "\n".join(text for _, text in citations(evidence))
    return (
        f"Methods. {methods_paragraph(evidence)}\n\nResults. {results_paragraph(evidence)}\n\n"
        f"References\n{references}\n\n{_reservation(evidence)}"
    ).rstrip()


def paper_section(evidence: Evidence) -> str:
    """Return both paragraphs as HTML."""
    return (
        f"<p><strong>Methods.</strong> {escape(methods_paragraph(evidence))}</p>\n"
        f"<p><strong>Results.</strong> {escape(results_paragraph(evidence))}</p>\n"
        '<p class="note">To paste and adapt; the references are below. '
        f"{_reservation(evidence)}</p>"
    )
