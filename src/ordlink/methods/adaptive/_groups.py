"""The first split, into as many groups as the answers show: it need not be in two.

Two sides describe a star badly (each has several clusters), and a small cluster beside large ones.
So the root is split by the clusters that `spectral` finds in a sample, and every object goes to one
of these by chosen questions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from ordlink._typing import AnyArray, BoolArray, FloatArray, Int32Array, Int64Array, LabelArray
from ordlink.comparisons import Comparisons
from ordlink.linkage import initial_partition, link_by_average
from ordlink.methods.adaptive._interview import N_COLOURS, Interview
from ordlink.methods.adaptive._sides import split_score
from ordlink.methods.spectral import find_clusters

FEWEST_OBJECTS = 60  # fewer are split in two, and in two again
SMALLEST_SAMPLE, LARGEST_SAMPLE = 64, 256
SHARE = 0.2  # of the budget, to look for groups; more if none is found
PER_LOOK, LOOKS = 5, 5  # questions per object of the sample, and looks at the first one
LEAST_SIDE, LEAST_GAP = 0.25, 0.1  # of two sides: share of the objects, and share of the heights
PRIOR_COUNT = 4.0  # answers that the strengths between the groups are worth
SURE = 3.0  # log-odds of the objects that others are compared with
LOWEST_RATE = 0.005  # wrong answers are possible, whatever was seen
MOST_PER_ROUND = 4  # questions about one object
_AHEAD = 0.5  # share of the questions that an object is expected to need, asked in one round
_PATIENCE = 4.0
_SWEEPS = 3
_CHUNK = 4096
_DRAWS = 8


@dataclass(frozen=True, eq=False)
class FirstLook:
    """What random questions about a sample have shown; `groups` is None if two sides will do."""

    sample: Int64Array
    n_looks: int  # questions per object of the sample
    groups: Groups | None


def look_for_groups(
    interview: Interview, rng: np.random.Generator, firm: float, n_rounds: int
) -> FirstLook:
    """Compare objects of a sample at random until it has groups.

    Each sample contains the one before; the last one has all objects (up to a limit).
    """
    n = interview.n_slots
    order = rng.permutation(n)
    allowed = SHARE * interview.budget
    size = int(np.clip(allowed / (PER_LOOK * LOOKS), SMALLEST_SAMPLE, LARGEST_SAMPLE))
    n_looks, found = 0, None
    for look in range(1, max(n_rounds, 1) + 1):
        sample = np.sort(order[:size])
        if not interview.ask_triplets(_random_triplets(sample, PER_LOOK, rng)):
            break
        n_looks += PER_LOOK
        rows = interview.triplets
        rows = np.searchsorted(sample, rows[np.isin(rows, sample).all(axis=1)]).astype(np.int32)
        has_sides = found is not None or _has_sides(interview, sample, rows, firm)
        if not has_sides and look < LOOKS:
            continue
        answers = Comparisons.from_quadruplets(rows[:, [0, 1, 0, 2]], n_objects=len(sample))
        labels, strengths = find_clusters(answers, initial_partition(len(sample)))
        is_uneven = labels.max() > 0 and not _are_two_sides(labels, strengths)
        found = (labels, strengths) if is_uneven else None
        more = interview.n_questions + PER_LOOK * len(sample) <= allowed
        if (is_uneven and not more) or (not is_uneven and (has_sides or labels.max() > 0)):
            break
        if look >= LOOKS and found is None:
            size = min(2 * size, 2 * LARGEST_SAMPLE)
    groups = None if found is None else Groups(interview, rng, sample, *found)
    return FirstLook(sample, n_looks, groups)


def _are_two_sides(labels: LabelArray, strengths: FloatArray) -> bool:
    """Return whether the groups fall into two sides of some size, well apart."""
    k = len(strengths)
    if k == 2:
        return True
    linked = link_by_average(strengths, initial_partition(k))
    sides = linked.cut(2)[labels]
    share = float(min(sides.mean(), 1 - sides.mean()))
    last, next_to_last = float(linked.scores[-1]), float(linked.scores[-2])
    clear = next_to_last - last > LEAST_GAP * (float(strengths.diagonal().mean()) - last)
    return share >= LEAST_SIDE and clear


def _has_sides(interview: Interview, sample: Int64Array, rows: Int32Array, firm: float) -> bool:
    i, a, b = sample[rows].T
    colours = interview.colours(np.stack([i, i], axis=1), np.stack([a, b], axis=1))
    return split_score(rows, colours, len(sample), N_COLOURS) > firm


def _random_triplets(sample: Int64Array, n_each: int, rng: np.random.Generator) -> Int64Array:
    i = np.repeat(sample, n_each)
    return np.stack([i, rng.choice(sample, len(i)), rng.choice(sample, len(i))], axis=1)


class Groups:
    """The group of each slot, by all answers about slots whose groups are known.

    rates[c, d, e] is the probability that an object of group c is closer to one of d than to one of
    e: by the strengths between the groups at first, then by the answers.
    """

    def __init__(
        self,
        interview: Interview,
        rng: np.random.Generator,
        sample: Int64Array,
        labels: LabelArray,
        strengths: FloatArray,
    ) -> None:
        self._interview, self._rng = interview, rng
        self.n_groups = len(strengths)
        self._by_strength = expit(strengths[:, :, None] - strengths[:, None, :])
        self._rates = np.clip(self._by_strength, LOWEST_RATE, 1 - LOWEST_RATE)
        self._prior = np.log((np.bincount(labels) + 0.5) / (len(labels) + 0.5 * self.n_groups))
        n = interview.n_slots
        self.evidence: FloatArray = np.tile(self._prior, (n, 1))
        self._labels: LabelArray = np.full(n, -1, dtype=np.intp)
        self._labels[sample] = labels
        self._n_asked: Int64Array = np.zeros(n, dtype=np.int64)
        self.learn()

    def learn(self) -> None:
        """Update the groups after a round."""
        rows = self._interview.triplets
        self._n_asked = np.bincount(rows[:, 0], minlength=len(self._labels))
        for _ in range(_SWEEPS):
            z = self._labels[rows]
            known = z >= 0
            self.evidence = np.tile(self._prior, (len(self._labels), 1))
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
