"""Groups of any number and size: random questions show them, chosen questions place the objects.

A star has no two sides, and a small cluster beside large ones is hardly seen in a sample. Random
questions about all objects and the passive method spectral find such groups; then chosen questions
are asked about objects whose group is uncertain.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int64Array, LabelArray
from ordlink.hierarchy import Hierarchy
from ordlink.linkage import InitialPartition
from ordlink.methods.adaptive._interview import Interview
from ordlink.methods.spectral import FirmClusters, find_clusters

STAGES = ((0.5, 0.65), (0.85, 1.0))
"""Shares of the budget that are used up by random questions, then by chosen ones."""
DECIDED = 7.0  # log-odds of a group from which on nothing more is asked about an object
SURE = 3.0  # log-odds of the objects that others are compared with
PRIOR_COUNT = 4.0  # answers that the strengths between the groups are worth
LOWEST_RATE = 0.005  # wrong answers are possible, whatever was seen
MOST_PER_ROUND = 4  # questions about one object
_AHEAD = 0.5  # share of the questions that an object is expected to need, asked in one round
_PATIENCE = 4.0
_SWEEPS = 3
_CHUNK = 4096
_DRAWS = 8


def split_into_groups(
    interview: Interview, partition: InitialPartition, question: str, max_rounds: int
) -> tuple[Hierarchy, dict[str, object]]:
    """Return the tree of the groups that random questions show, and facts about it."""
    interview.reserved = 0
    interview.count_as_random()
    n_before, budget = len(interview.triplets), interview.budget
    groups = None
    for stage, (at_random, chosen) in enumerate(STAGES):
        n_random = max(int(at_random * budget) - interview.n_questions, 0)
        interview.ask_at_random(n_random, _kind(question, groups))
        groups = _find_groups(interview, partition, n_before, groups)
        rounds = (max_rounds - 1 - interview.n_rounds) // (len(STAGES) - stage)
        _place_objects(groups, interview, n_before, int(chosen * budget), rounds)
    if interview.n_left:
        interview.ask_at_random(interview.n_left, _kind(question, groups))
    groups = _find_groups(interview, partition, n_before, groups)
    labels = groups.evidence.argmax(axis=1)
    return groups.found.tree(labels), {
        "chosen": "groups",
        "n_firm_splits": len(np.unique(labels)) - 1,
        "largest_unsplit": int(np.bincount(labels).max()),
    }


def _kind(question: str, groups: Groups | None) -> str:
    """Return what to ask at random: triplets if no groups are found, since they show more of them.

    Other quadruplets show the order in which groups merge.
    """
    return "triplet" if groups is not None and groups.n_groups == 1 else question


def _find_groups(
    interview: Interview, partition: InitialPartition, n_before: int, known: Groups | None
) -> Groups:
    """Return the groups of all random answers so far; the known ones if these show none."""
    groups = Groups(interview, find_clusters(interview.comparisons(only_random=True), partition))
    if known is not None and known.n_groups > groups.n_groups == 1:
        return known
    groups.learn(interview.triplets[n_before:])
    return groups


def _place_objects(
    groups: Groups, interview: Interview, n_before: int, until: int, n_rounds: int
) -> None:
    """Ask about objects whose group is uncertain, until so many questions were asked."""
    for _ in range(n_rounds):
        rows = interview.rng.permutation(groups.questions(DECIDED))
        rows = rows[: max(until - interview.n_questions, 0)]
        if not len(rows) or not interview.ask_triplets(rows):
            return
        groups.learn(interview.triplets[n_before:])


class Groups:
    """The group of each slot: by random answers, and by chosen ones about slots of known groups.

    rates[c, d, e] is the probability that an object of group c is closer to one of d than to one of
    e: by the strengths between the groups at first, then by the answers.
    """

    def __init__(self, interview: Interview, found: FirmClusters) -> None:
        self._interview, self._rng, self.found = interview, interview.rng, found
        strengths = found.strengths
        self.n_groups = len(strengths)
        self._by_strength = expit(strengths[:, :, None] - strengths[:, None, :])
        self._rates = np.clip(self._by_strength, LOWEST_RATE, 1 - LOWEST_RATE)
        self._by_random = found.evidence
        self.evidence: FloatArray = found.evidence
        self._labels: LabelArray = np.where(self.margin() >= SURE, found.labels, -1)
        self._n_asked: Int64Array = np.zeros(interview.n_slots, dtype=np.int64)

    def learn(self, rows: AnyArray) -> None:
        """Update the groups after a round, by all answers (i, a, b) to chosen questions."""
        self._n_asked = np.bincount(rows[:, 0], minlength=len(self._labels))
        for _ in range(_SWEEPS):
            z = self._labels[rows]
            known = z >= 0
            self.evidence = self._by_random.copy()
            for role in range(3):
                others = [other for other in range(3) if other != role]
                usable = known[:, others].all(axis=1)
                self._add(rows[usable, role], z[usable], role)
            self._labels = np.where(self.margin() >= SURE, self.evidence.argmax(axis=1), -1)
            self._fit_rates(rows)

    def _add(self, slots: AnyArray, z: LabelArray, role: int) -> None:
        """Add what answers say about the objects that have this role in them."""
        table = np.moveaxis(np.log(self._rates), role, 2)
        others = [other for other in range(3) if other != role]
        by_answer = table[z[:, others[0]], z[:, others[1]]]
        for group in range(self.n_groups):
            self.evidence[:, group] += np.bincount(slots, by_answer[:, group], len(self._labels))

    def _fit_rates(self, rows: AnyArray) -> None:
        z = self._labels[rows]
        c, d, e = z[(z >= 0).all(axis=1)].T
        k = self.n_groups
        wins = np.bincount((c * k + d) * k + e, minlength=k**3).reshape(k, k, k).astype(float)
        total = wins + wins.transpose(0, 2, 1)
        rates = (wins + PRIOR_COUNT * self._by_strength) / (total + PRIOR_COUNT)
        self._rates = np.clip(rates, LOWEST_RATE, 1 - LOWEST_RATE)

    def margin(self) -> FloatArray:
        """Return by how much the likeliest group is ahead of the next, as log-odds."""
        if self.n_groups == 1:
            return np.full(len(self.evidence), np.inf)
        two = np.partition(self.evidence, -2, axis=1)
        return np.asarray(two[:, -1] - two[:, -2])

    def information(self) -> float:
        """Return the evidence to be expected of an answer about an object's group."""
        own = np.arange(self.n_groups)
        table = self._rates[own, own]  # [c, e]: an object of c, one of c, one of e
        right = float(np.clip(table[~np.eye(self.n_groups, dtype=np.bool_)], 0.5, 1).mean())
        return max((2 * right - 1) * float(np.log(right / (1 - right))), 0.05)

    def decided(self, threshold: float) -> BoolArray:
        """Return which slots need no more questions."""
        patience = _PATIENCE * (1 + threshold / self.information()) + self.n_groups
        return (self.margin() >= threshold) | (self._n_asked >= patience)

    def questions(self, threshold: float) -> Int64Array:
        """Return questions about undecided slots: whether i is closer to a or b, of two groups."""
        if self.n_groups == 1:
            return np.empty((0, 3), dtype=np.int64)
        unsure = np.flatnonzero(~self.decided(threshold))
        missing = np.maximum(threshold - self.margin()[unsure], 0.0)
        counts = np.clip(np.ceil(_AHEAD * missing / self.information()), 1, MOST_PER_ROUND)
        i = np.repeat(unsure, counts.astype(np.int64))
        members = [np.flatnonzero(self._labels == group) for group in range(self.n_groups)]
        if not len(i) or min(map(len, members)) == 0:
            return np.empty((0, 3), dtype=np.int64)
        chunks = [i[start : start + _CHUNK] for start in range(0, len(i), _CHUNK)]
        d, e = np.concatenate([self._best_groups(chunk) for chunk in chunks]).T
        return np.stack([i, self._draw(i, d, members), self._draw(i, e, members)], axis=1)

    def _best_groups(self, i: Int64Array) -> Int64Array:
        """Return the two groups whose comparison tells most about each slot."""
        d, e = np.triu_indices(self.n_groups, 1)
        chances = self._rates[:, d, e]
        weights = np.exp(self.evidence[i] - self.evidence[i].max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        gain = _entropy(weights @ chances) - weights @ _entropy(chances)
        best = (gain * (0.6 + 0.4 * self._rng.random(gain.shape))).argmax(axis=1)
        return np.stack([d[best], e[best]], axis=1)

    def _draw(self, i: Int64Array, groups: Int64Array, members: list[Int64Array]) -> Int64Array:
        """Draw a sure object of each group, if possible one never paired with i."""
        order = np.concatenate(members)
        sizes = np.array([len(some) for some in members])
        starts = np.cumsum(sizes) - sizes
        drawn = np.empty(len(i), dtype=np.int64)
        again = np.arange(len(i))
        for _ in range(_DRAWS):
            which = groups[again]
            picks = (self._rng.random(len(again)) * sizes[which]).astype(np.int64)
            drawn[again] = order[starts[which] + picks]
            again = again[~self._interview.is_new_pair(i[again], drawn[again])]
            if not len(again):
                break
        return drawn


def _entropy(p: FloatArray) -> FloatArray:
    return np.asarray(-p * np.log(p) - (1 - p) * np.log(1 - p))
