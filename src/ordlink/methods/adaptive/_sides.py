"""The two-class model of a split: the side of each object, and whether there are two sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordlink._typing import AnyArray, FloatArray, Int32Array

PRIOR_RATE, PRIOR_COUNT = 0.7, 2.0  # choices of the own side that are assumed before any answer
HIGHEST_RATE = 0.995  # wrong answers are possible, whatever was seen
_SWEEPS = 12
_SELDOM = 2.5  # standard errors below 0 that make an object one that is hardly ever chosen


@dataclass(frozen=True, eq=False)
class Sides:
    """Objects on two sides, + and -.

    Attributes
    ----------
    evidence : ndarray of shape (n,)
        Log-likelihood ratio of side + against side - of each object.
    rates : ndarray of shape (n_nodes, 2)
        Probability that an object of side + and of side - chooses its own side.
    """

    evidence: FloatArray
    rates: FloatArray

    @property
    def belief(self) -> FloatArray:
        """P(+) - P(-) of each object."""
        return np.tanh(self.evidence / 2)

    def likelihood(self, triplets: Int32Array, nodes: Int32Array) -> float:
        """Return the log-likelihood of the answers, less the information in the sides."""
        from ordlink.methods.adaptive._kernels import log_likelihood

        plus = np.clip((1 + self.belief) / 2, 1e-12, 1 - 1e-12)
        taken = plus * np.log(2 * plus) + (1 - plus) * np.log(2 - 2 * plus)
        return log_likelihood(triplets, nodes, self.belief, self.rates) - float(taken.sum())

    def flipped(self) -> Sides:
        """Return the same split with the names of the sides exchanged."""
        return Sides(-self.evidence, self.rates[:, ::-1])


def find_sides(triplets: Int32Array, n: int) -> Sides:
    """Return the two sides of one set of n objects that explain the answers best.

    There are two starting points: the leading eigenvector of wins minus losses, and the objects
    that others are rarely close to (a small cluster, which has little weight in the eigenvector).
    The two-class model is fitted from both, and the likelier fit is kept.
    """
    i, a, b = triplets.T
    wins = np.zeros((n, n))
    np.add.at(wins, (i, a), 1.0)
    np.add.at(wins, (i, b), -1.0)
    leading = np.linalg.eigh(wins + wins.T)[1][:, -1]
    # The sign of an eigenvector is arbitrary, and depends on the machine.
    leading *= np.sqrt(n) * (1.0 if leading[np.abs(leading).argmax()] > 0 else -1.0)
    chosen = wins.sum(axis=0) / np.sqrt(np.abs(wins).sum(axis=0) + 1.0)
    nodes = np.zeros(len(triplets), dtype=np.int32)
    found = []
    for guess in (leading, 4 * (chosen + _SELDOM)):
        belief = np.tanh(guess)
        rates = choice_rates(triplets, nodes, belief, 1)
        found.append(refine_sides(triplets, nodes, belief, rates, _SWEEPS))
    return max(found, key=lambda sides: sides.likelihood(triplets, nodes))


def refine_sides(
    triplets: Int32Array, nodes: Int32Array, belief: FloatArray, rates: FloatArray, n_sweeps: int
) -> Sides:
    """Return the sides after some sweeps of the two-class model (mean field), in many nodes.

    `nodes` is the node of each answer; all three objects of an answer belong to it. Evidence comes
    before rates: an object without any belief yet would pull the rates towards chance.
    """
    from ordlink.methods.adaptive._kernels import add_evidence

    for _ in range(n_sweeps):
        evidence = np.zeros(len(belief))
        add_evidence(triplets, nodes, belief, rates, evidence)
        belief = np.tanh(evidence / 2)
        rates = choice_rates(triplets, nodes, belief, len(rates))
    return Sides(evidence, rates)


def choice_rates(
    triplets: Int32Array, nodes: Int32Array, belief: FloatArray, n_nodes: int
) -> FloatArray:
    """Return the probability of choosing one's own side, for each node and side (n_nodes, 2)."""
    from ordlink.methods.adaptive._kernels import count_choices

    counts = np.zeros((n_nodes, 2, 2))
    count_choices(triplets, nodes, belief, counts)
    rates = (counts[:, :, 0] + PRIOR_COUNT * PRIOR_RATE) / (counts.sum(axis=2) + PRIOR_COUNT)
    return np.asarray(np.clip(rates, 0.5, HIGHEST_RATE))


def split_score(triplets: Int32Array, colours: AnyArray, n: int, n_colours: int) -> float:
    """Return by how many standard errors a split of n objects beats chance on held-out answers.

    `colours` has the colours of the pairs {i, a} and {i, b} of each answer. Answers of one colour
    are predicted by sides that were found without any pair of that colour, so a pair that is alike
    by chance never counts twice for a split. The variance sums the net wins of each pair, since
    answers about the same pair are not independent.
    """
    agreement, net = 0.0, np.zeros((n, n))
    for colour in range(n_colours):
        has_colour = colours == colour
        test, train = triplets[has_colour.all(axis=1)], triplets[~has_colour.any(axis=1)]
        if not len(test) or not len(train):
            continue
        belief = find_sides(train, n).belief
        i, a, b = test.T
        for option, sign in ((a, 0.5), (b, -0.5)):
            predicted = sign * belief[i] * belief[option]
            agreement += float(predicted.sum())
            np.add.at(net, (np.minimum(i, option), np.maximum(i, option)), predicted)
    variance = 2 * float((net**2).sum())
    return agreement / np.sqrt(variance) if variance > 0 else 0.0
