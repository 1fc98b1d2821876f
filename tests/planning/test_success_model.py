"""The posterior of the curve of success, against known curves and a literal sum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from ordlink.planning import _search
from ordlink.planning._search import SuccessModel


def _observed(c, m, s, numbers, per_number, seed):
    rng = np.random.default_rng(seed)
    chances = c * norm.cdf((np.log(numbers) - m) / s)
    return {
        n: (int(rng.binomial(per_number, p)), per_number)
        for n, p in zip(numbers, chances, strict=True)
    }


@pytest.mark.parametrize(("m", "s"), [(6.0, 0.3), (8.0, 0.8)])
def test_many_runs_recover_the_sufficient_number(m, s):
    truth = math.exp(m + s * norm.ppf(0.8))
    numbers = np.unique(np.geomspace(truth / 8, truth * 8, 13).astype(int)).tolist()
    model = SuccessModel(30, 100_000, 0.8, (20, 20))

    model.update(_observed(1.0, m, s, numbers, 400, seed=1))

    assert model.enough(0.5) == pytest.approx(truth, rel=0.15)
    assert truth / 1.5 < model.enough(0.1) <= model.enough(0.5) <= model.enough(0.9) < 1.5 * truth
    assert model.chance(truth) == pytest.approx(0.8, abs=0.05)


def test_a_ceiling_below_the_confidence_is_never_enough():
    numbers = np.geomspace(100, 20_000, 9).astype(int).tolist()
    model = SuccessModel(30, 100_000, 0.8, (10, 20))

    model.update(_observed(0.5, 6.0, 0.3, numbers, 200, seed=2))

    assert model.enough(0.2) == math.inf
    assert model.chance(1_000_000) == pytest.approx(0.5, abs=0.06)


def test_the_posterior_is_the_literal_sum(monkeypatch):
    monkeypatch.setattr(_search, "N_POSITIONS", 7)
    monkeypatch.setattr(_search, "WIDTHS", np.array([0.2, 0.9]))
    monkeypatch.setattr(_search, "CEILINGS", np.array([0.7, 1.0]))
    model = SuccessModel(10, 5000, 0.8, (3, 4))
    runs = {50: (0, 2), 300: (2, 3), 900: (4, 4)}
    model.update(runs)

    weight_of = {}
    likely = math.log(30 * 10)
    for m in np.linspace(min(0, likely - 4), max(math.log(5000), likely) + 2, 7):
        for s in (0.2, 0.9):
            for c in (0.7, 1.0):

                def chance(n, m=m, s=s, c=c):
                    return 0.98 * c * norm.cdf((math.log(n) - m) / s) + 0.01

                in_limit = 0.98 * c + 0.01
                weight = (1 + ((m - likely) / 1.5) ** 2 / 2) ** -1.5
                weight *= math.exp(-((math.log(s / 0.4) / 0.8) ** 2) / 2)
                weight *= (in_limit**3 * (1 - in_limit)) ** 0.5
                for n, (reached, of) in runs.items():
                    weight *= chance(n) ** reached * (1 - chance(n)) ** (of - reached)
                enough = m + s * norm.ppf(0.8 / c) if c > 0.8 else math.inf
                weight_of[m, s, c] = weight, enough, chance(400)
    total = sum(weight for weight, _, _ in weight_of.values())
    mean = sum(weight * p for weight, _, p in weight_of.values()) / total
    assert model.chance(400) == pytest.approx(mean)
    ordered = sorted((enough, weight / total) for weight, enough, _ in weight_of.values())
    so_far = np.cumsum([weight for _, weight in ordered])
    middle = ordered[int(np.flatnonzero(so_far >= 0.5)[0])][0]
    assert model.enough(0.5) == pytest.approx(math.exp(middle))
