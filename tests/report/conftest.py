"""A report with everything in it, made once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ordlink as ol
from ordlink.report import Evidence, gather_evidence
from tests.candidates import FAST, only_candidates

NASTY = "<script>window.hacked = 1</script>"
QUOTED = "\"quoted\" & 'single'</script><!-- \u2028"


@pytest.fixture(scope="session")
def names() -> list[str]:
    """Return names of 12 objects, some of which would break a careless page."""
    return [NASTY, QUOTED, "<img src=x onerror=alert(1)>", *(f"thing {i}" for i in range(9))]


@pytest.fixture(scope="session")
def crowd(names: Sequence[str]) -> ol.ListedComparisons:
    """Return 1,200 triplets of six people with clear clusters; one of them guesses."""
    planted = ol.datasets.planted_hierarchy(depth=2, leaf_size=3, gap=2.0, noise=0.3, seed=0)
    rows = ol.datasets.simulate_answers(planted.similarities, 1200, seed=1)
    rng = np.random.default_rng(0)
    people = np.repeat([NASTY, QUOTED, "ann", "bob", "cat", "eve"], 200)
    flipped = rng.random(1200) < np.where(people == "eve", 0.5, 0.05)
    return ol.Comparisons.from_triplets(
        np.where(flipped[:, None], rows[:, [0, 2, 1]], rows),
        names=names,
        annotators=people,
        response_times=rng.uniform(1, 3, 1200),
    )


@pytest.fixture(scope="session")
def evidence(crowd: ol.ListedComparisons) -> Evidence:
    """Return all that a report says about the answers."""
    with only_candidates("spectral", "tSTE-AL 2-D", *FAST):
        return gather_evidence(crowd, method="AddS-AL", n_bootstrap=40, exclude=["bob"])


@pytest.fixture
def fast_candidates() -> Iterator[None]:
    """Compare fast methods only."""
    with only_candidates(*FAST):
        yield


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> list[Path | None]:
    """Return a picture of each object but the last: large, small, transparent, grey."""
    folder = tmp_path_factory.mktemp("pictures")
    paths: list[Path | None] = []
    for i in range(11):
        mode = ("RGB", "RGBA", "L", "P")[i % 4]
        path = folder / f"{i}.png"
        Image.new(mode, (20 + 60 * i, 30 + 20 * i), i * 20 if mode in "LP" else "teal").save(path)
        paths.append(path)
    return [*paths, None]
