"""The report as one self-contained page."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ordlink import _tree_view
from ordlink._html import Html, escape, page, table
from ordlink._tree_view import tree_figure
from ordlink.report._citations import citations_section
from ordlink.report._comparison import comparison_section, curve_section
from ordlink.report._crowd import crowd_section
from ordlink.report._evidence import Evidence
from ordlink.report._groups import groups_section
from ordlink.report._paragraphs import paper_section
from ordlink.report._tree import newick_details, thumbnails
from ordlink.report._words import summary_html

LIBRARIES = ("ordlink", "numpy", "scipy", "numba")
FOLDS = {
    "people": "Folds are by people: each tree is tested on people whom it has not seen.",
    "answers": "Folds are by answers: each tree is tested on answers that it has not seen; other "
    "answers by the same people may be in it.",
}
CHECKED = ("4-AL", "AddS-AL")  # methods whose 95 % threshold docs/trust.md validates


@dataclass(frozen=True)
class Making:
    """How a report was made, so that others can reproduce it."""

    command: str = ""  # the command line, or the call
    source: str = ""  # name of the file of answers
    checksum: str = ""  # its SHA-256; empty where there is no file
    made_at: datetime | None = None


def report_page(
    evidence: Evidence,
    *,
    title: str = "What the answers say",
    making: Making | None = None,
    pictures: Sequence[Path | None] | None = None,
) -> str:
    """Return the whole page, which needs no other file and no network.

    Parameters
    ----------
    evidence, title, making
        The result of `gather_evidence`, the heading of the page, and how it was made.
    pictures : sequence of Path or None, optional
        One picture per object, shown at its leaf.

    Examples
    --------
    >>> import ordlink as ol
    >>> from ordlink.report import gather_evidence
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]])
    >>> text = report_page(gather_evidence(c, method="AddS-AL", n_bootstrap=10), title="Four")
    >>> "<h1>Four</h1>" in text
    True
    """
    making = making or Making()
    small = None if pictures is None else thumbnails(pictures)
    sections = [
        ("summary", "Summary", summary_html(evidence, small)),
        ("tree", "The tree", _tree(evidence, small)),
        ("consensus", "Consensus of the bootstrap samples", _consensus(evidence, small)),
        ("data", "The data", _data(evidence)),
        ("crowd", "Quality of the answers", crowd_section(evidence)),
        ("groups", "Groups of people", groups_section(evidence, small)),
        ("methods", "Methods compared", _methods(evidence)),
        ("curve", "Would more answers help?", curve_section(evidence.curve, evidence.tree)),
        ("paper", "For your paper", paper_section(evidence)),
        ("making", "How this was made", _making(evidence, making)),
        ("citations", "To cite", citations_section(evidence)),
    ]
    shown = [(key, heading, body) for key, heading, body in sections if body]
    links = "".join(f'<li><a href="#{key}">{heading}</a></li>' for key, heading, _ in shown)
    source = f" from <code>{escape(making.source)}</code>" if making.source else ""
    day = "" if making.made_at is None else f", {making.made_at:%d %B %Y}".replace(", 0", ", ")
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">A hierarchy of {evidence.summary.n_objects:,} objects{source}, and how '
        f"well the answers support it{day}.</p>",
        f'<nav aria-label="Contents" class="screen-only"><ul class="contents">{links}</ul></nav>',
        *(
            f'<section aria-labelledby="{key}"><h2 id="{key}">{heading}</h2>\n{content}\n</section>'
            for key, heading, content in shown
        ),
    ]
    css = resources.files("ordlink.report").joinpath("report.css").read_text(encoding="utf-8")
    style = _tree_view.style() + css
    return page(title, "\n".join(body), style=style, script=_tree_view.script())


def _tree(evidence: Evidence, pictures: Sequence[dict[str, object] | None] | None) -> str:
    caption = (
        f"The tree of all answers ({escape(evidence.chosen.label)}). Why this method: "
        f"{escape(evidence.reason)} "
        f"Support is from {evidence.n_bootstrap:,} bootstrap samples "
        f"({escape(evidence.bootstrap_reason)}). A dot marks branches with support of at least "
        "95 %; numbers are percent; grey is below 50 %. "
        f"{_threshold(evidence.chosen.method)} {_lengths(evidence)}"
    )
    shares, transfers = evidence.support.shares, evidence.support.transfers
    figure = tree_figure(
        evidence.tree, "tree-all", caption, pictures=pictures, shares=shares, transfers=transfers
    )
    return figure + newick_details(evidence.tree)


def _lengths(evidence: Evidence) -> str:
    if not evidence.tree.has_heights:
        return (
            "From right to left, branches join in merge order; their lengths have no other meaning."
        )
    return (
        "A merge is as far from the names as two objects that it joins are dissimilar: the "
        "probability that they are judged less alike than a random pair."
    )


def _threshold(method: str) -> str:
    other = "" if method in CHECKED else f", not for {escape(method)}"
    if method == "spectral":
        other = " and, in a smaller study, spectral"
    return (
        "docs/trust.md in the source of ordlink validates the 95 % threshold on planted data, for "
        f"{' and '.join(CHECKED)}{other}."
    )


def _consensus(evidence: Evidence, pictures: Sequence[dict[str, object] | None] | None) -> str:
    kept = int((evidence.consensus.support[:-1] > 0.5).sum())
    n_objects = evidence.summary.n_objects
    if not kept:
        return (
            "<p>No group of objects occurs in exactly the same form in more than half of the "
            "bootstrap samples.</p>"
        )
    caption = (
        f"Majority-rule consensus: the {kept} groups, of at most {max(n_objects - 2, 0)}, that "
        "occur exactly in more than half of the bootstrap samples. For large groups this is "
        "stricter than the support above: one misplaced object is enough to lose a group."
    )
    return tree_figure(
        evidence.consensus, "tree-consensus", caption, pictures=pictures, lowest_threshold=0.5
    )


def _data(evidence: Evidence) -> str:
    summary = evidence.summary
    n_pairs = summary.n_objects * (summary.n_objects - 1) // 2
    rows: list[tuple[str, str]] = [
        ("objects", f"{summary.n_objects:,}"),
        ("answers", f"{summary.n_answers:,}"),
        ("people", "-" if summary.n_annotators is None else f"{summary.n_annotators:,}"),
        ("comparisons of two pairs", f"{summary.n_comparisons:,}"),
        ("different comparisons", f"{summary.n_distinct:,}"),
        ("share of all possible ones", f"{100 * summary.share_of_possible:.3g} %"),
        ("comparisons repeated", f"{summary.n_repeated:,}"),
        ("comparisons answered both ways", f"{summary.n_contradictions:,}"),
        ("pairs never compared", f"{summary.n_pairs_never_compared:,} / {n_pairs:,}"),
        ("objects never named", f"{len(summary.never_named):,}"),
        ("parts without comparisons between them (1: connected)", f"{len(summary.parts):,}"),
    ]
    return table(("what", "number"), rows, caption="Contents of the file of answers.")


def _methods(evidence: Evidence) -> str:
    if evidence.methods is None:
        return "<p>There are too few answers to hold some out and compare methods on them.</p>"
    return f"<p>{FOLDS[evidence.methods.folds_by]}</p>\n{comparison_section(evidence.methods)}"


def _making(evidence: Evidence, making: Making) -> str:
    options = ", ".join(f"{name} = {value}" for name, value in evidence.chosen.options.items())
    test = evidence.test
    rows: list[tuple[object, object]] = [
        ("method", evidence.chosen.method + (f" ({options})" if options else "")),
        ("bootstrap samples", f"{evidence.n_bootstrap:,} ({evidence.bootstrap_reason})"),
        ("seed", str(evidence.seed)),
        ("permutations of the test", "-" if test is None else f"{len(test.null_statistics):,}"),
        ("held-out revenue of the test", "-" if test is None else f"{test.revenue:.3f}"),
        ("file", making.source or "-"),
        ("SHA-256 of the file", Html(f"<code>{escape(making.checksum or '-')}</code>")),
        ("made", "-" if making.made_at is None else f"{making.made_at:%Y-%m-%d %H:%M} UTC"),
        ("versions", ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)),
        ("Python", platform.python_version()),
    ]
    command = f"<pre>{escape(making.command)}</pre>" if making.command else ""
    explained = (
        "<p>Support: the method is run on bootstrap samples, for which people are drawn with "
        "replacement (where at least 5 are known) and each pair of objects takes the answers about "
        "a similar pair. The support of a branch is the share of the bootstrap samples whose trees "
        "contain it with its most doubtful object on the right side. It need not be exact: in a "
        "branch of p of N objects, up to a quarter of the smaller of p - 1 and N - p may be "
        "misplaced, which is none where p is at most 4 or N - p at most 3. Each branch of the tree "
        "also shows the share of the bootstrap samples that contain exactly this branch, and "
        "transfer support, which counts the objects that must move to obtain it. The test for "
        "structure compares the revenue of trees, each built from one half of the pairs and "
        "evaluated on the other, with the revenue under random permutations of the objects.</p>"
    )
    return command + table(("what", "value"), rows, caption="To reproduce this report.") + explained


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # run from a checkout
        return "unknown"


def making_time(epoch: str | None) -> datetime:
    """Return the time of creation: SOURCE_DATE_EPOCH if given, else the current time."""
    if epoch is not None and epoch.isdecimal():
        return datetime.fromtimestamp(int(epoch), UTC)
    return datetime.now(UTC)
