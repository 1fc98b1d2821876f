"""What to cite for a report, and how a text refers to it."""

from __future__ import annotations

from ordlink import __version__
from ordlink._html import escape
from ordlink.report._evidence import Evidence

PAPER = (
    "Ghoshdastidar, D., Perrot, M., & von Luxburg, U. (2019). Foundations of comparison-based "
    "hierarchical clustering. Advances in Neural Information Processing Systems, 32."
)
OWN = f"ordlink (version {__version__}), docs/{{page}} of its source: {{title}}."
_BEST_TREE = OWN.format(page="best-tree.md", title="The best tree from people's answers")
OF_METHOD = {
    "auto": _BEST_TREE,
    "search": _BEST_TREE,
    "spectral": OWN.format(page="fewest-answers.md", title="The best tree from the fewest answers"),
    "AddS-AL": "Perrot, M., Esser, P., & Ghoshdastidar, D. (2020). Near-optimal comparison based "
    "clustering. Advances in Neural Information Processing Systems, 33.",
    "tSTE-AL": "van der Maaten, L., & Weinberger, K. (2012). Stochastic triplet embedding. IEEE "
    "International Workshop on Machine Learning for Signal Processing.",
    "SOE-AL": "Terada, Y., & von Luxburg, U. (2014). Local ordinal embedding. International "
    "Conference on Machine Learning.",
    "FORTE-AL": "Jain, L., Jamieson, K., & Nowak, R. (2016). Finite sample prediction and recovery "
    "bounds for ordinal embedding. Advances in Neural Information Processing Systems, 29.",
}
BOOTSTRAP = (
    "Felsenstein, J. (1985). Confidence limits on phylogenies: an approach using the bootstrap. "
    "Evolution, 39."
)
TRANSFER = (
    "Lemoine, F., Domelevo Entfellner, J.-B., Wilkinson, E., Correia, D., Dávila Felipe, M., De "
    "Oliveira, T., & Gascuel, O. (2018). Renewing Felsenstein's phylogenetic bootstrap in the era "
    "of big data. Nature, 556."
)
SAMPLES = OWN.format(page="trust.md", title="How far a tree can be trusted")
PERMUTATION = (
    "Mantel, N. (1967). The detection of disease clustering and a generalized regression approach. "
    "Cancer Research, 27."
)
REVENUE = (
    "Mandal, A., Perrot, M., & Ghoshdastidar, D. (2023). A revenue function for comparison-based "
    "hierarchical clustering. Transactions on Machine Learning Research."
)
SKILL = (
    "Dawid, A. P., & Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates "
    "using the EM algorithm. Applied Statistics, 28."
)

IN_TEXT = {
    "4-AL": "Ghoshdastidar et al., 2019",
    "4K-AL": "Ghoshdastidar et al., 2019",
    "AddS-AL": "Perrot et al., 2020",
    "tSTE-AL": "van der Maaten & Weinberger, 2012",
    "SOE-AL": "Terada & von Luxburg, 2014",
    "FORTE-AL": "Jain et al., 2016",
}
"""Method -> its reference as a text cites it."""


def citations_section(evidence: Evidence) -> str:
    """Return the works to cite, and what each was used for, as a list."""
    items = "".join(
        f"<li>{escape(text)} <span class='note'>({escape(used)})</span></li>"
        for used, text in citations(evidence)
    )
    return f"<ul>{items}</ul>"


def citations(evidence: Evidence) -> list[tuple[str, str]]:
    """Return what each work was used for, and its reference."""
    method = evidence.chosen.method
    entries = [("comparison-based hierarchical clustering, 4-AL, 4K-AL", PAPER)]
    if method in OF_METHOD:
        entries.append((f"the method of the tree, {method}", OF_METHOD[method]))
    entries += [("support of branches", BOOTSTRAP), ("transfer support", TRANSFER)]
    own = "bootstrap samples"
    if evidence.test is not None:
        own += ", test for structure"
        entries.append(("permutation test", PERMUTATION))
    entries.append((own, SAMPLES))
    if evidence.test is not None or evidence.methods is not None:
        entries.append(("revenue", REVENUE))
    if any(person.skill == person.skill for person in evidence.crowd.annotators):
        entries.append(("estimated share of correct answers", SKILL))
    return entries
