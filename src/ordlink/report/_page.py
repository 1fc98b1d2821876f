"""The report as one page."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ordlink._html import Html, escape, page, table
from ordlink.report._citations import citations_section
from ordlink.report._crowd import crowd_section
from ordlink.report._curve import curve_section
from ordlink.report._evidence import Evidence
from ordlink.report._thumbnails import thumbnails
from ordlink.report._tree import newick_details, tree_figure, tree_script, tree_style
from ordlink.report._words import summary_html
from ordlink.validation import comparison_section

LIBRARIES = ("ordlink", "numpy", "scipy", "scikit-learn", "numba")
FOLDS = {
    "people": "Folds are by people: a tree is judged by answers of people whom it has not seen.",
    "answers": "Folds are by answers: a tree is judged by answers that it has not seen; others of "
    "the same people may be in it.",
}
CHECKED = ("4-AL", "AddS-AL")
"""Methods for which docs/trust.md checks the threshold of firm branches on planted data."""


@dataclass(frozen=True)
class Making:
    """How a report was made, for those who make it again.

    Attributes
    ----------
    command : str
        The command line, or the call.
    source : str
        Name of the file of answers.
    checksum : str
        Its SHA-256; empty where there is no file.
    made_at : datetime
        When.
    """

    command: str = ""
    source: str = ""
    checksum: str = ""
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
    evidence : Evidence
        As `gather_evidence` gives it.
    title : str
        Heading of the page.
    making : Making, optional
        How it was made.
    pictures : sequence of Path or None, optional
        One picture per object, shown at its leaf.

    Examples
    --------
    >>> import ordlink as ol
    >>> from ordlink.report import gather_evidence
    >>> c = ol.Comparisons.from_triplets([[0, 1, 2], [1, 0, 3], [2, 3, 0], [3, 2, 1]])
    >>> text = report_page(gather_evidence(c, method="AddS-AL", n_replicates=10), title="Four")
    >>> "<h1>Four</h1>" in text
    True
    """
    making = making or Making()
    small = None if pictures is None else thumbnails(pictures)
    sections = [
        ("summary", "Summary", summary_html(evidence)),
        ("tree", "The tree", _tree(evidence, small)),
        ("consensus", "What most replicates share", _consensus(evidence, small)),
        ("data", "The data", _data(evidence)),
        ("crowd", "Quality of the answers", _crowd(evidence)),
        ("methods", "Methods compared", _methods(evidence)),
        ("curve", "Would more answers help?", _curve(evidence)),
        ("making", "How this was made", _making(evidence, making)),
        ("citations", "To cite", citations_section(evidence)),
    ]
    shown = [(key, heading, body) for key, heading, body in sections if body]
    links = "".join(f'<li><a href="#{key}">{heading}</a></li>' for key, heading, _ in shown)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{_lead(evidence, making)}</p>',
        f'<nav aria-label="Contents" class="screen-only"><ul class="contents">{links}</ul></nav>',
        *(
            f'<section aria-labelledby="{key}"><h2 id="{key}">{heading}</h2>\n{content}\n</section>'
            for key, heading, content in shown
        ),
    ]
    return page(title, "\n".join(body), style=tree_style(), script=tree_script())


def _lead(evidence: Evidence, making: Making) -> str:
    source = f" from <code>{escape(making.source)}</code>" if making.source else ""
    day = "" if making.made_at is None else f", {making.made_at:%d %B %Y}".replace(", 0", ", ")
    return (
        f"A hierarchy of {evidence.summary.n_objects:,} objects{source}, and how far it can be "
        f"trusted{day}."
    )


def _tree(evidence: Evidence, pictures: Sequence[dict[str, object] | None] | None) -> str:
    caption = (
        f"The tree of all answers ({escape(evidence.chosen.label)}). Why this method: "
        f"{escape(evidence.reason)} "
        f"Support is from {evidence.n_replicates:,} replicates "
        f"({escape(evidence.replicates_reason)}): the answers as they might have come out. A dot "
        "marks branches with at least 95 %, numbers are percent, grey is below 50 %. "
        f"{_threshold(evidence.chosen.method)} Branches join in the order of merges, from right to "
        "left; lengths have no other meaning."
    )
    figure = tree_figure(
        evidence.tree,
        "tree-all",
        caption,
        pictures=pictures,
        shares=evidence.support.shares,
        transfers=evidence.support.transfers,
    )
    return figure + newick_details(evidence.tree)


def _threshold(method: str) -> str:
    """Return where the threshold of firm branches is checked, and for which methods."""
    other = "" if method in CHECKED else f", not for {escape(method)}"
    if method == "spectral":
        other = ", and in a smaller check for spectral"
    return (
        "How the threshold of 95 % fares on planted data is the subject of docs/trust.md in the "
        f"source of ordlink, for {' and '.join(CHECKED)}{other}."
    )


def _consensus(evidence: Evidence, pictures: Sequence[dict[str, object] | None] | None) -> str:
    kept = int((evidence.consensus.support[:-1] > 0.5).sum())
    n_objects = evidence.summary.n_objects
    if not kept:
        return (
            "<p>No group of objects, exactly as it is, is found in more than half of the "
            "replicates.</p>"
        )
    caption = (
        f"Majority-rule consensus: the {kept} groups, of at most {max(n_objects - 2, 0)}, that "
        "more than half of the replicates have exactly. Stricter than the support above for large "
        "groups, which are missing where a single object is out of place."
    )
    return tree_figure(
        evidence.consensus,
        "tree-consensus",
        caption,
        pictures=pictures,
        threshold=0.5,
        min_threshold=0.5,
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
        ("parts with no comparison between them (1: all hang together)", f"{len(summary.parts):,}"),
    ]
    return table(("what", "number"), rows, caption="What the file of answers holds.")


def _methods(evidence: Evidence) -> str:
    if evidence.methods is None:
        return "<p>There are too few answers to hold some out and compare methods on them.</p>"
    return f"<p>{FOLDS[evidence.methods.folds_by]}</p>\n{comparison_section(evidence.methods)}"


def _curve(evidence: Evidence) -> str:
    return "" if evidence.curve is None else curve_section(evidence.curve)


def _crowd(evidence: Evidence) -> str:
    return crowd_section(evidence.crowd, evidence.exclusion, evidence.weighting)


def _making(evidence: Evidence, making: Making) -> str:
    options = ", ".join(f"{name} = {value}" for name, value in evidence.chosen.options.items())
    test = evidence.test
    rows: list[tuple[object, object]] = [
        ("method", evidence.chosen.method + (f" ({options})" if options else "")),
        ("replicates", f"{evidence.n_replicates:,} ({evidence.replicates_reason})"),
        ("seed", str(evidence.seed)),
        ("relabellings of the test", "-" if test is None else f"{len(test.null_statistics):,}"),
        ("held-out revenue of the test", "-" if test is None else f"{test.revenue:.3f}"),
        ("file", making.source or "-"),
        ("SHA-256 of the file", Html(f"<code>{escape(making.checksum or '-')}</code>")),
        ("made", "-" if making.made_at is None else f"{making.made_at:%Y-%m-%d %H:%M} UTC"),
        ("versions", ", ".join(f"{name} {_version(name)}" for name in LIBRARIES)),
        ("Python", platform.python_version()),
    ]
    command = f"<pre>{escape(making.command)}</pre>" if making.command else ""
    explained = (
        "<p>Support: the method is run again on replicates, in which people are drawn with "
        "replacement (where at least 5 are known) and each pair of objects takes over what was "
        "said about a similar one. The support of a branch is the share of the replicates that "
        "have it with its most doubtful object on the right side. They need not have it exactly: "
        "of a branch of p of N objects, up to a quarter of the smaller of p - 1 and N - p may be "
        "out of place, which is none where p is at most 4 or N - p at most 3. Beside it, at each "
        "branch of the tree: the share of the replicates that have exactly the branch, and "
        "transfer support, which goes by the number of objects that must move to make it. The "
        "test for structure compares the revenue of trees, each learnt from one half of the pairs "
        "and judged by the other, with that of random relabellings.</p>"
    )
    return command + table(("what", "value"), rows, caption="To make it again.") + explained


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # run from a checkout
        return "unknown"


def making_time(epoch: str | None) -> datetime:
    """Return the time of making: SOURCE_DATE_EPOCH where it is given, else the present."""
    if epoch is not None and epoch.isdecimal():
        return datetime.fromtimestamp(int(epoch), UTC)
    return datetime.now(UTC)
